#include "difference_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/grid.hpp"
#include "mha/render/heatmap.hpp"
#include "mha/text/tokens.hpp"

#include "figures.hpp"
#include "memory_check.hpp"
#include "score_report.hpp"

namespace mha::cli {
namespace {

using GridPtr = std::shared_ptr<const render::CellGrid>;

// Cells of the heads of one side that both sides have. Pooled by the mean: the difference of two
// means is the mean of the differences.
std::vector<render::CellGrid> grids_of(const ComparedSide& side, const std::vector<HeadId>& ids,
                                       const MemoryPlan& plan, const ResourceOptions& resources) {
  std::vector<HeadSlot> slots;
  for (const HeadId& id : ids) {
    const auto at = std::ranges::find(side.heads.ids, id) - side.heads.ids.begin();
    slots.push_back(side.heads.slots[static_cast<std::size_t>(at)]);
  }
  Analysis analysis(*side.input->rows, slots);
  const BlockPlan blocks = plan_memory(*side.input, analysis, plan, resources);
  CellMapsAccumulator maps(analysis, plan.window);
  analysis.attach(&maps);
  StreamOptions stream;
  stream.n_threads = blocks.n_threads;
  stream.block_rows = blocks.block_rows;
  analysis.run(stream);
  std::vector<render::CellGrid> grids;
  for (std::size_t s = 0; s < slots.size(); ++s) grids.push_back(to_grid(maps.take(s)));
  return grids;
}

// B minus A; a cell that is masked on one side alone counts as 0 there.
render::CellGrid difference(const render::CellGrid& a, const render::CellGrid& b) {
  render::CellGrid out{b.rows, b.cols, std::vector<float>(b.values.size()), {}};
  out.states.resize(b.values.size());
  for (std::size_t i = 0; i < b.values.size(); ++i) {
    const render::CellState state_a = a.state(i);
    const render::CellState state_b = b.state(i);
    const bool in_a = state_a == render::CellState::kValue;
    const bool in_b = state_b == render::CellState::kValue;
    out.states[i] = in_a || in_b ? render::CellState::kValue : state_b;
    out.values[i] = (in_b ? b.values[i] : 0.0F) - (in_a ? a.values[i] : 0.0F);
  }
  return out;
}

double largest_size(const render::CellGrid& grid) {
  double largest = 0;
  for (std::size_t i = 0; i < grid.values.size(); ++i) {
    const auto size = std::fabs(static_cast<double>(grid.values[i]));
    if (grid.state(i) == render::CellState::kValue && std::isfinite(size)) {
      largest = std::max(largest, size);
    }
  }
  return largest;
}

class DifferenceDrawer {
 public:
  DifferenceDrawer(const ComparedSide& a, const ComparedSide& b, const Comparison& comparison,
                   const PictureOptions& options)
      : a_(a), b_(b), comparison_(comparison), options_(options), style_(picture_style(options)) {}

  DifferencePictures draw(const ResourceOptions& resources);

 private:
  render::HeatmapFrame frame(std::size_t pool) const;
  render::PictureText text(const HeadId& id) const;
  std::vector<std::string> notes() const;
  std::vector<std::uint8_t> overview(const std::vector<HeadId>& ids,
                                     const std::vector<GridPtr>& grids,
                                     render::Typesetter& typesetter) const;

  const ComparedSide& a_;
  const ComparedSide& b_;
  const Comparison& comparison_;
  const PictureOptions& options_;
  const render::PictureStyle style_;
  MapWindow window_;
  render::ColorScale colors_;
};

DifferencePictures DifferenceDrawer::draw(const ResourceOptions& resources) {
  DifferencePictures out;
  for (const HeadId& id : a_.heads.ids) {
    if (std::ranges::find(b_.heads.ids, id) != b_.heads.ids.end()) out.ids.push_back(id);
  }
  const Analysis selection(*a_.input->rows, a_.heads.slots);
  window_ = map_window(options_, {}, selection);
  window_.kind = window_.pool > 1 ? PoolKind::kMean : PoolKind::kMax;
  MemoryPlan plan;
  plan.draws = true;
  plan.window = window_;
  plan.style = style_;
  const std::vector<render::CellGrid> of_a = grids_of(a_, out.ids, plan, resources);
  const std::vector<render::CellGrid> of_b = grids_of(b_, out.ids, plan, resources);
  std::vector<GridPtr> grids;
  double largest = 0;
  for (std::size_t i = 0; i < out.ids.size(); ++i) {
    grids.push_back(std::make_shared<render::CellGrid>(difference(of_a[i], of_b[i])));
    largest = std::max(largest, largest_size(*grids.back()));
  }
  colors_ = render::symmetric_scale(largest);
  out.heads.resize(grids.size());
  if (grids.empty()) return out;
  const auto typesetter = make_typesetter(options_);
  const render::HeatmapPainter painter(frame(window_.pool), {grids[0]->rows, grids[0]->cols},
                                       style_, *typesetter, {&colors_, 1});
  parallel_for(grids.size(), resources.threads, [&](std::size_t i, std::size_t) {
    out.heads[i] = picture_file(painter.paint(text(out.ids[i]), *grids[i], colors_), options_);
  });
  out.overview = overview(out.ids, grids, *typesetter);
  return out;
}

render::HeatmapFrame DifferenceDrawer::frame(std::size_t pool) const {
  render::HeatmapFrame frame;
  frame.rows = make_axis("query (attends from)", b_.input->tokens, pool);
  frame.cols = make_axis("key (attends to)", b_.input->key_tokens, pool);
  frame.value_name = "difference of weights, B - A";
  frame.cols.marked = comparison_.differing_tokens;
  // Queries are the last tokens of the keys.
  const std::size_t offset = b_.input->key_tokens.size() - b_.input->tokens.size();
  for (std::size_t key : comparison_.differing_tokens) {
    if (!b_.input->is_cross && key >= offset) frame.rows.marked.push_back(key - offset);
  }
  return frame;
}

std::vector<std::string> DifferenceDrawer::notes() const {
  constexpr std::size_t kMostTokens = 6;
  std::vector<std::string> changed;
  for (std::size_t i : comparison_.differing_tokens) {
    if (changed.size() == kMostTokens) {
      changed.emplace_back("...");
      break;
    }
    changed.push_back(concat(i, " ", display_token(a_.input->key_tokens[i]), " → ",
                             display_token(b_.input->key_tokens[i])));
  }
  std::vector<std::string> notes{"A: " + a_.title, "B: " + b_.title};
  if (!changed.empty()) notes.push_back("tokens that differ: " + join(changed, ", "));
  if (window_.pool > 1) {
    notes.push_back(
        concat("each cell shows the mean of ", window_.pool, " x ", window_.pool, " differences"));
  }
  return notes;
}

render::PictureText DifferenceDrawer::text(const HeadId& id) const {
  render::PictureText text;
  text.title = head_text(id) + "  B - A";
  if (!options_.title.empty()) text.title = options_.title + "  " + text.title;
  for (const HeadChange& head : comparison_.heads) {
    if (head.id != id) continue;
    if (head.js && head.js->rows > 0) {
      text.caption = "Jensen-Shannon distance " + fixed(head.js->js, 3) + " nats";
    }
    if (head.label_changed()) {
      text.caption += concat(text.caption.empty() ? "" : ", ", "label ",
                             label_text(head.label_a.name), " → ", label_text(head.label_b.name));
    }
  }
  text.notes = notes();
  return text;
}

std::vector<std::uint8_t> DifferenceDrawer::overview(const std::vector<HeadId>& ids,
                                                     const std::vector<GridPtr>& grids,
                                                     render::Typesetter& typesetter) const {
  render::GridFigure figure;
  figure.frame = frame(window_.pool);
  figure.colors = colors_;
  std::vector<std::size_t> layers;
  std::vector<std::string> names;
  for (const HeadId& id : ids) {
    layers.push_back(id.layer);
    names.push_back(head_text(id));
  }
  const HeadPlaces places = head_places(layers, names);
  figure.row_names = places.rows;
  figure.col_names = places.cols;
  figure.panels.resize(places.rows.size() * places.cols.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string label = places.has_column_name(i) ? "" : names[i];
    figure.panels[places.panels[i]] = render::GridPanel{grids[i], label, -1};
  }
  figure.text.title = options_.title.empty() ? "Differences of each head, B - A" : options_.title;
  figure.text.notes = notes();
  return picture_file(render::draw_grid(figure, style_, typesetter), options_);
}

}  // namespace

DifferencePictures draw_differences(const ComparedSide& a, const ComparedSide& b,
                                    const Comparison& comparison, const PictureOptions& options,
                                    const ResourceOptions& resources) {
  return DifferenceDrawer(a, b, comparison, options).draw(resources);
}

}  // namespace mha::cli
