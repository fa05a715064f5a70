// From results to pictures: the one place where analysis and render meet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mha/analysis/cell_maps.hpp"
#include "mha/analysis/head_label.hpp"
#include "mha/analysis/score_totals.hpp"
#include "mha/render/canvas.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/font.hpp"
#include "mha/render/heatmap.hpp"

#include "figure_parts.hpp"
#include "options.hpp"
#include "selection.hpp"

namespace mha::cli {

// The map window that the options and the size of the selected layers ask for: the pooling suits
// the largest of them.
MapWindow map_window(const PictureOptions& options, const SelectionOptions& selection,
                     const Analysis& analysis);

// Draws the selected heads of one input.
class HeadFigures {
 public:
  struct Results {
    const OpenedInput& input;
    const SelectedHeads& heads;
    const HeadScoresAccumulator* scores;  // null when they were not asked for
    std::vector<CellMap> maps;            // one a slot
    MapWindow window;
    QueryRange queries;
    bool is_norm = false;  // cells are weights times the length of the transformed value
  };

  HeadFigures(Results results, const PictureOptions& options, render::Typesetter& typesetter);

  // Every picture, drawn side by side.
  struct Pictures {
    std::vector<std::vector<std::uint8_t>> heads;  // in order
    std::vector<std::uint8_t> overview;
  };
  Pictures all_pictures(std::size_t n_threads) const;
  // One head: the first.
  std::vector<std::uint8_t> head_picture() const;
  render::HeatmapFigure head_figure() const;
  render::GridFigure overview_figure() const;
  // All heads in one picture.
  std::vector<std::uint8_t> overview_picture() const;

 private:
  render::HeatmapPainter painter() const;
  std::vector<std::uint8_t> head_picture(const render::HeatmapPainter& painter,
                                         std::size_t slot) const;
  render::HeatmapFrame frame() const;
  render::ColorScale scale_for(std::size_t slot) const;
  render::PictureText head_text(std::size_t slot) const;
  std::vector<std::string> notes() const;
  std::string title_prefix() const;
  HeadLabel label(std::size_t slot) const;
  std::size_t n_tokens() const { return results_.input.key_tokens.size(); }

  Results results_;
  const PictureOptions& options_;
  render::Typesetter& typesetter_;
  render::PictureStyle style_;
  std::vector<std::shared_ptr<const render::CellGrid>> grids_;  // one a slot
  RangeChoice range_;
  double shared_high_ = 1;
};

// One query's row as bars over the keys.
struct QueryRow {
  const OpenedInput& input;
  const SelectedHeads& heads;  // of one head
  std::size_t query;
  const CellMap& row;
};
std::vector<std::uint8_t> query_picture(const QueryRow& row, const PictureOptions& options,
                                        render::Typesetter& typesetter);

// "mean entropy 0.26 nats (10% of uniform), previous token 0.99".
std::string describe_head(const HeadScores& scores, const HeadLabel& label);

// Rates of relations (down) for each head (across), with the coverage in the caption.
std::vector<std::uint8_t> relations_picture(const ScoreTotals& totals,
                                            const PictureOptions& options,
                                            render::Typesetter& typesetter);

}  // namespace mha::cli
