#include "step_panel.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/text.hpp"
#include "mha/render/colormap.hpp"

#include "step_arithmetic.hpp"
#include "step_texts.hpp"

namespace mha::cli {
namespace {

using render::CellState;
using render::SheetAxis;
using render::SheetFrame;

bool is_score(StepKind kind) {
  return kind >= StepKind::kScores && kind <= StepKind::kWeights;
}

// What a cell of the score steps is; other steps have values everywhere.
CellState state_of(const WalkedHead& head, const Step& step, std::size_t i, std::size_t j) {
  const Walkthrough& walk = head.walk;
  const bool shows_mask = step.kind == StepKind::kMasked || step.kind == StepKind::kWeights;
  if (!shows_mask || walk.allows(i, j)) {
    const bool is_hidden = std::isinf(step.values(i, j)) && step.values(i, j) < 0;
    return is_hidden ? CellState::kMasked : CellState::kValue;
  }
  for (std::size_t other = 0; other < walk.shape.n_key; ++other) {
    if (walk.allows(i, other)) return CellState::kMasked;
  }
  return CellState::kFullyMasked;
}

render::CellGrid make_cells(const WalkedHead& head, const Step& step) {
  const Matrix& values = step.values;
  const std::size_t n = values.rows() * values.cols();
  render::CellGrid cells{values.rows(), values.cols(), {values.data(), values.data() + n}, {}};
  if (!is_score(step.kind)) return cells;
  for (std::size_t i = 0; i < n; ++i) {
    cells.states.push_back(state_of(head, step, i / values.cols(), i % values.cols()));
  }
  return cells;
}

render::ColorScale make_scale(const render::CellGrid& cells, StepKind kind,
                              const std::string& colormap) {
  float largest = 0;
  for (std::size_t i = 0; i < cells.values.size(); ++i) {
    const float size = std::fabs(cells.values[i]);
    if (cells.state(i) == CellState::kValue && std::isfinite(size)) {
      largest = std::max(largest, size);
    }
  }
  const bool has_signs = kind != StepKind::kWeights && kind != StepKind::kKvHeads;
  if (has_signs) return render::symmetric_scale(static_cast<double>(largest));
  render::ColorScale scale;
  scale.colormap = colormap;
  scale.high = largest > 0 ? static_cast<double>(largest) : 1;
  return scale;
}

SheetAxis token_axis(const WalkedInput& input, const WalkedHead& head, StepDim::Kind kind,
                     bool is_titled) {
  const bool is_query = kind == StepDim::Kind::kQueries;
  SheetAxis axis;
  if (is_titled) axis.title = is_query ? "query i" : "key j";
  axis.labels = is_query ? input.queries : input.keys;
  axis.marked = {is_query ? head.numbers.pair.query : head.numbers.pair.key};
  return axis;
}

// The heads along a side of n_heads x d_value rows or columns.
std::vector<render::SheetSpan> head_spans(const WalkedHead& head) {
  std::vector<render::SheetSpan> spans;
  const std::size_t width = head.walk.layout.d_value;
  for (std::size_t h = 0; h < head.head_names.size(); ++h) {
    spans.push_back({h * width, (h + 1) * width, head.head_names[h], h == head.walk.head});
  }
  return spans;
}

SheetAxis make_axis_of(const WalkedInput& input, const WalkedHead& head, const Step& step,
                       const StepDim& dim) {
  if (dim.kind != StepDim::Kind::kNumbers) {
    return token_axis(input, head, dim.kind, is_score(step.kind));
  }
  SheetAxis axis;
  axis.title = concat(dim.name, " = ", dim.size);
  if (dim.name.starts_with("n_heads·")) axis.spans = head_spans(head);
  if (step.kind != StepKind::kKvHeads) return axis;
  if (dim.name == "n_heads") {
    axis.labels = head.head_names;
    axis.marked = {head.walk.head};
  } else {
    axis.labels.clear();
    for (std::size_t g = 0; g < dim.size; ++g) axis.labels.push_back(std::to_string(g));
    axis.marked = {head.walk.kv_head()};
  }
  return axis;
}

std::vector<SheetFrame> make_frames(const WalkedHead& head, const Step& step) {
  const TokenPair& pair = head.numbers.pair;
  const std::size_t cols = step.values.cols();
  const std::size_t width = head.walk.layout.d_value;
  switch (step.kind) {
    case StepKind::kInput:
      if (head.walk.shape.is_cross) return {{pair.query, 0, 1, cols}};
      return {{pair.query, 0, 1, cols}, {pair.key, 0, 1, cols}};
    case StepKind::kContext:
    case StepKind::kKeys:
    case StepKind::kNormedKeys:
    case StepKind::kRotatedKeys:
    case StepKind::kValues:
      return {{pair.key, 0, 1, cols}};
    case StepKind::kKvHeads:
      return {{head.walk.head, head.walk.kv_head(), 1, 1}};
    case StepKind::kQueryWeight:
    case StepKind::kKeyWeight:
    case StepKind::kValueWeight:
      return {};
    case StepKind::kConcat:
      return {{pair.query, head.walk.head * width, 1, width}};
    case StepKind::kOutputWeight:
      return {{head.walk.head * width, 0, width, cols}};
    default:
      break;
  }
  if (is_score(step.kind)) return {{pair.query, pair.key, 1, 1}};
  return {{pair.query, 0, 1, cols}};
}

}  // namespace

render::SheetPanel step_panel(const WalkedInput& input, const WalkedHead& head, std::size_t index,
                              const std::string& colormap) {
  const Step& step = head.walk.steps[index];
  const StepText text = step_text(input, head, step);
  render::SheetPanel panel;
  panel.number = std::to_string(index + 1);
  panel.title = text.title;
  panel.formula = text.formula;
  panel.shape = step_shape(text);
  panel.sentence = text.sentence;
  panel.worked = worked_lines(input, head, step.kind);
  panel.picture.cells = make_cells(head, step);
  panel.picture.colors = make_scale(panel.picture.cells, step.kind, colormap);
  panel.picture.rows = make_axis_of(input, head, step, text.rows);
  panel.picture.cols = make_axis_of(input, head, step, text.cols);
  panel.picture.frames = make_frames(head, step);
  panel.picture.square = is_score(step.kind) || step.kind == StepKind::kKvHeads;
  return panel;
}

}  // namespace mha::cli
