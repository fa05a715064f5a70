#include "steps_figure.hpp"

#include <algorithm>
#include <array>

#include "mha/base/checked.hpp"
#include "mha/base/text.hpp"
#include "mha/text/tokens.hpp"

#include "figure_parts.hpp"
#include "step_panel.hpp"
#include "step_texts.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kMostPanelsInRow = 3;
constexpr std::size_t kSinglePanelWidth = 1100;

// Chapters of the walk: steps of one chapter share rows of the sheet.
std::size_t chapter_of(StepKind kind) {
  static constexpr std::array kFirst = {StepKind::kQueryWeight, StepKind::kQueries,
                                        StepKind::kNormedQueries, StepKind::kScores,
                                        StepKind::kConcat};
  return static_cast<std::size_t>(
      std::ranges::count_if(kFirst, [kind](StepKind first) { return first <= kind; }));
}

// Steps [first, end) of one chapter in rows of nearly equal length.
void add_rows(std::vector<render::SheetPanel> panels, std::vector<render::SheetRow>* rows) {
  const std::size_t n_rows = ceil_div(panels.size(), kMostPanelsInRow);
  for (std::size_t r = 0; r < n_rows; ++r) {
    // Longer rows first: 5 panels are 3 and 2.
    const std::size_t begin = r * (panels.size() / n_rows) + std::min(r, panels.size() % n_rows);
    const std::size_t count = panels.size() / n_rows + (r < panels.size() % n_rows ? 1 : 0);
    render::SheetRow row;
    for (std::size_t p = begin; p < begin + count; ++p) row.panels.push_back(std::move(panels[p]));
    rows->push_back(std::move(row));
  }
}

std::vector<render::SheetRow> sheet_rows(const WalkedInput& input, const WalkedHead& head,
                                         const std::string& colormap) {
  std::vector<render::SheetRow> rows;
  std::vector<render::SheetPanel> panels;
  const std::vector<Step>& steps = head.walk.steps;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    panels.push_back(step_panel(input, head, s, colormap));
    const bool ends =
        s + 1 == steps.size() || chapter_of(steps[s].kind) != chapter_of(steps[s + 1].kind);
    if (!ends) continue;
    add_rows(std::move(panels), &rows);
    panels.clear();
  }
  return rows;
}

std::string size_text(const WalkedHead& head) {
  const AttentionShape& shape = head.walk.shape;
  std::vector<std::string> parts;
  if (shape.is_cross || shape.n_query != shape.n_key) {
    parts.push_back(concat("n_query = ", shape.n_query, ", n_key = ", shape.n_key));
  } else {
    parts.push_back(concat("n = ", shape.n_query));
  }
  if (const Step* x = head.walk.find(StepKind::kInput)) {
    parts.push_back(concat("d_model = ", x->values.cols()));
  }
  parts.push_back(count_text(head.head_names.size(), "head"));
  if (head.walk.layout.d_head > 0) parts.push_back(concat("d_head = ", head.walk.layout.d_head));
  return join(parts, ", ");
}

std::string pair_text(const WalkedInput& input, const WalkedHead& head) {
  return "calculated with " + query_name(input, head) + " and " + key_name(input, head);
}

std::vector<std::uint8_t> to_picture(const render::SheetFigure& figure,
                                     const PictureOptions& options,
                                     render::Typesetter& typesetter) {
  const render::PictureStyle style = picture_style(options);
  return picture_file(render::draw_sheet(figure, style, typesetter), options);
}

std::string title_prefix(const WalkedInput& input, const PictureOptions& options) {
  const std::string& id = input.input.id;
  const std::string prefix = !options.title.empty() ? options.title : display_token(id);
  return id.empty() && options.title.empty() ? "" : prefix + "  ";
}

}  // namespace

std::vector<std::uint8_t> steps_picture(const WalkedInput& input, std::size_t first,
                                        std::size_t count, const PictureOptions& options,
                                        render::Typesetter& typesetter) {
  render::SheetFigure figure;
  const WalkedHead& top = input.heads[first];
  const std::string prefix = title_prefix(input, options);
  if (count == 1) {
    figure.text.title = prefix + top.name + " step by step";
    figure.text.caption = size_text(top) + "; " + pair_text(input, top);
  } else {
    figure.text.title = prefix + concat(count, " heads step by step");
    figure.text.caption = size_text(top);
  }
  figure.text.notes = input.input.notes;
  for (std::size_t h = first; h < first + count; ++h) {
    std::vector<render::SheetRow> rows = sheet_rows(input, input.heads[h], options.colormap);
    if (count > 1) {
      rows.front().heading = input.heads[h].name + ", " + pair_text(input, input.heads[h]);
    }
    std::ranges::move(rows, std::back_inserter(figure.rows));
  }
  return to_picture(figure, options, typesetter);
}

std::vector<std::uint8_t> step_picture(const WalkedInput& input, const WalkedHead& head,
                                       std::size_t step, const PictureOptions& options,
                                       render::Typesetter& typesetter) {
  render::SheetFigure figure;
  figure.width = kSinglePanelWidth;
  figure.text.caption = title_prefix(input, options) + head.name + ", " + size_text(head);
  figure.text.notes = input.input.notes;
  render::SheetRow row;
  row.panels.push_back(step_panel(input, head, step, options.colormap));
  figure.rows.push_back(std::move(row));
  return to_picture(figure, options, typesetter);
}

}  // namespace mha::cli
