#include "contribution_output.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/heatmap.hpp"

namespace mha::cli {
namespace {

// Rows of flow for all tokens are worth it up to here: n flow problems for each of n tokens.
constexpr std::size_t kFlowForAll = 24;

void copy_row(const Matrix& from, std::size_t row, std::size_t to_row, Matrix* to) {
  std::ranges::copy(from.view().row(row), to->view().row(to_row).begin());
}

// What is not defined is missing.
render::CellGrid grid_of(ConstMatrix values) {
  render::CellGrid grid{values.rows, values.cols, {}, {}};
  for (std::size_t i = 0; i < values.rows; ++i) {
    for (float value : values.row(i)) {
      grid.values.push_back(value);
      grid.states.push_back(std::isnan(value) ? render::CellState::kMissing
                                              : render::CellState::kValue);
    }
  }
  return grid;
}

// How many tokens share a cell, down and across; heads and single tokens are never put together.
struct CellPool {
  std::size_t rows = 1;
  std::size_t cols = 1;
};

// Values averaged over cells where there are more than a picture has room for.
render::CellGrid pooled_by_mean(const render::CellGrid& grid, const CellPool& pool) {
  if (pool.rows == 1 && pool.cols == 1) return grid;
  render::CellGrid out{ceil_div(grid.rows, pool.rows), ceil_div(grid.cols, pool.cols), {}, {}};
  std::vector<double> sums(out.rows * out.cols);
  std::vector<std::size_t> counts(sums.size());
  for (std::size_t i = 0; i < grid.values.size(); ++i) {
    if (grid.state(i) != render::CellState::kValue) continue;
    const std::size_t at = i / grid.cols / pool.rows * out.cols + i % grid.cols / pool.cols;
    sums[at] += static_cast<double>(grid.values[i]);
    ++counts[at];
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const bool has_value = counts[i] > 0;
    out.values.push_back(has_value ? static_cast<float>(sums[i] / static_cast<double>(counts[i]))
                                   : 0.0F);
    out.states.push_back(has_value ? render::CellState::kValue : render::CellState::kMissing);
  }
  return out;
}

void add_pool_note(const CellPool& pool, render::HeatmapFigure* figure) {
  if (pool.rows == 1 && pool.cols == 1) return;
  figure->text.notes.push_back(
      concat("each cell shows the mean of ", pool.rows, " x ", pool.cols, " values"));
}

std::vector<std::uint8_t> encode(const render::HeatmapFigure& figure, const PictureOptions& options,
                                 render::Typesetter& typesetter) {
  const render::PictureStyle style = picture_style(options);
  return picture_file(render::draw_heatmap(figure, style, typesetter), options);
}

void write_rows(const char* name, const Matrix& matrix, JsonWriter* w) {
  w->key(name);
  w->begin_array();
  for (std::size_t i = 0; i < matrix.rows(); ++i) w->numbers(matrix.view().row(i));
  w->end_array();
}

// A picture of rows of chosen tokens over all input tokens.
std::vector<std::uint8_t> token_rows_picture(const OpenedInput& input,
                                             const std::vector<std::size_t>& tokens,
                                             const Matrix& values, render::PictureText text,
                                             const PictureOptions& options,
                                             render::Typesetter& typesetter) {
  std::vector<std::string> rows;
  for (std::size_t token : tokens) rows.push_back(input.tokens[token]);
  render::HeatmapFigure figure;
  const std::size_t factor = render::pool_factor(values.cols(), picture_style(options));
  const bool has_all = values.rows() == values.cols();
  const CellPool pool{has_all ? factor : 1, factor};
  figure.cells = pooled_by_mean(grid_of(values.view()), pool);
  figure.frame.named = !has_all;
  figure.frame.rows = make_axis("token of the last layer", rows, pool.rows);
  figure.frame.cols = make_axis("input token", input.key_tokens, pool.cols);
  figure.frame.value_name = "share of the input token";
  figure.colors.colormap = options.colormap;
  figure.colors.kind = render::scale_named(options.color_scale);
  figure.colors.high = largest_value(figure.cells);
  figure.text = std::move(text);
  if (!options.title.empty()) figure.text.title = options.title;
  add_pool_note(pool, &figure);
  return encode(figure, options, typesetter);
}

std::vector<CopyingScore> copying_of(const OpenedInput& input, std::size_t layer,
                                     std::size_t n_threads) {
  if (input.stack != nullptr) return copying_scores(input.stack->input().layers[layer], n_threads);
  return copying_scores(input.model->model().attention(layer, input.tokens.size()), n_threads);
}

}  // namespace

std::string no_contribution_reason(const OpenedInput& input) {
  if (input.has_outputs) return "";
  return "contributions need the values V, which this input does not have";
}

HeadContributions find_contributions(const OpenedInput& input, const SelectedHeads& heads,
                                     const StreamOptions& options) {
  Contributions observer(options.n_threads);
  NoRows sink;
  StreamOptions stream = options;
  stream.observers = {&observer};
  input.rows->stream(sink, stream);
  std::vector<std::size_t> kept;
  for (std::size_t s = 0; s < heads.slots.size(); ++s) {
    if (!heads.slots[s].is_mean()) kept.push_back(s);
  }
  HeadContributions out;
  out.share = Matrix(kept.size(), input.tokens.size());
  out.ablation = Matrix(kept.size(), input.tokens.size());
  std::vector<std::vector<CopyingScore>> copying(input.rows->layers().size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const HeadSlot& slot = heads.slots[kept[i]];
    out.names.push_back(heads.names[kept[i]]);
    copy_row(observer.layer(slot.layer).share, slot.head, i, &out.share);
    copy_row(observer.layer(slot.layer).ablation, slot.head, i, &out.ablation);
    if (input.stack == nullptr && input.model == nullptr) {
      out.copying.push_back({std::nullopt, "W_V is not known"});
      continue;
    }
    if (copying[slot.layer].empty()) {
      copying[slot.layer] = copying_of(input, slot.layer, options.n_threads);
    }
    out.copying.push_back(copying[slot.layer][slot.head]);
  }
  return out;
}

void write_contributions(const OpenedInput& input, const HeadContributions& contributions,
                         JsonWriter* w) {
  w->begin_object();
  w->member("format", "mha-viz contribution 1");
  w->member("share",
            "(o_h . y) / ||y||^2 with y = sum_h o_h: adds up to 1 over the heads of a layer");
  w->member("ablation", "||o_h|| / ||y||");
  w->member("copying", "sum Re(lambda) / sum |lambda| of W_O^h W_V^h, after Elhage et al. 2021");
  w->key("tokens");
  w->strings(input.tokens);
  w->key("heads");
  w->begin_array();
  for (std::size_t h = 0; h < contributions.names.size(); ++h) {
    w->begin_object();
    w->member("head", contributions.names[h]);
    w->key("share");
    w->numbers(contributions.share.view().row(h));
    w->key("ablation");
    w->numbers(contributions.ablation.view().row(h));
    w->key("copying");
    if (contributions.copying[h].value) {
      w->value(*contributions.copying[h].value);
    } else {
      w->null();
      w->member("copying_reason", contributions.copying[h].reason);
    }
    w->end_object();
  }
  w->end_array();
  w->end_object();
  w->finish();
}

std::vector<std::uint8_t> contribution_picture(const OpenedInput& input,
                                               const HeadContributions& contributions,
                                               const PictureOptions& options,
                                               render::Typesetter& typesetter) {
  render::HeatmapFigure figure;
  const std::size_t n_query = input.tokens.size();
  const std::size_t n_heads = contributions.names.size();
  Matrix values(n_query, n_heads);
  double largest = 0;
  for (std::size_t i = 0; i < n_query; ++i) {
    for (std::size_t h = 0; h < n_heads; ++h) {
      values(i, h) = contributions.share(h, i);
      const auto size = std::fabs(static_cast<double>(values(i, h)));
      if (std::isfinite(size)) largest = std::max(largest, size);
    }
  }
  const CellPool pool{render::pool_factor(n_query, picture_style(options)), 1};
  figure.cells = pooled_by_mean(grid_of(values.view()), pool);
  figure.frame.named = pool.rows == 1;
  figure.frame.rows = make_axis("token", input.tokens, pool.rows);
  figure.frame.cols = make_axis("head", contributions.names, 1);
  figure.frame.value_name = "share of the layer's output";
  figure.colors = render::symmetric_scale(largest);
  figure.text.title =
      options.title.empty() ? "What each head adds to its layer's output" : options.title;
  figure.text.caption = "the shares of a layer's heads add up to 1 for each token";
  add_pool_note(pool, &figure);
  return encode(figure, options, typesetter);
}

std::vector<std::uint8_t> layer_map_picture(const OpenedInput& input, std::size_t layer_number,
                                            const Matrix& map, const PictureOptions& options,
                                            render::Typesetter& typesetter) {
  render::HeatmapFigure figure;
  const std::size_t factor =
      render::pool_factor(std::max(map.rows(), map.cols()), picture_style(options));
  const CellPool pool{factor, factor};
  figure.cells = pooled_by_mean(grid_of(map.view()), pool);
  figure.frame.rows = make_axis("query (attends from)", input.tokens, factor);
  figure.frame.cols = make_axis("key (attends to)", input.key_tokens, factor);
  figure.frame.value_name = "length of what the key adds";
  figure.colors.colormap = options.colormap;
  figure.colors.kind = render::scale_named(options.color_scale);
  figure.colors.high = largest_value(figure.cells);
  figure.text.title = concat("L", layer_number, "  all heads, norm-based");
  figure.text.caption = "|| sum over heads of A[i,j] f(x_j) || (Kobayashi et al. 2020)";
  add_pool_note(pool, &figure);
  return encode(figure, options, typesetter);
}

std::string no_rollout_reason(const OpenedInput& input, bool is_part) {
  if (is_part) {
    return "rollout goes through all layers and heads; leave out --layers, --heads and "
           "--query-range";
  }
  if (input.is_cross) return "rollout needs self-attention; this is cross-attention";
  for (const LayerInfo& layer : input.rows->layers()) {
    if (layer.shape.n_query != layer.shape.n_key) {
      return "rollout needs as many queries as keys in every layer";
    }
  }
  return "";
}

LayersTogether follow_layers(const OpenedInput& input, const std::vector<std::size_t>& tokens,
                             std::size_t n_threads) {
  LayersTogether out;
  const std::size_t n = input.tokens.size();
  RolloutOptions rollout_options;
  rollout_options.n_threads = n_threads;
  rollout_options.tokens = tokens;
  if (tokens.empty() && n > rollout_options.dense_limit) rollout_options.tokens = {n - 1};
  out.rollout = rollout(*input.rows, rollout_options);
  out.flow_tokens = tokens;
  if (tokens.empty()) {
    for (std::size_t i = n <= kFlowForAll ? 0 : n - 1; i < n; ++i) out.flow_tokens.push_back(i);
  }
  FlowOptions flow_options;
  flow_options.tokens = out.flow_tokens;
  flow_options.n_threads = n_threads;
  const double cells = static_cast<double>(n) * static_cast<double>(n) *
                       static_cast<double>(input.rows->layers().size());
  if (cells > static_cast<double>(flow_options.cell_limit)) {
    out.flow_tokens.clear();
    out.no_flow = concat("flow is left out: ", number_text(cells), " cells are more than ",
                         flow_options.cell_limit);
    return out;
  }
  out.flow = attention_flow(*input.rows, flow_options);
  return out;
}

void write_layers_together(const OpenedInput& input, const LayersTogether& layers, JsonWriter* w) {
  w->begin_object();
  w->member("format", "mha-viz rollout 1");
  w->key("tokens");
  w->strings(input.tokens);
  w->key("rollout_tokens");
  w->indices(layers.rollout.tokens);
  write_rows("rollout", layers.rollout.last, w);
  if (!layers.no_flow.empty()) {
    w->member("flow_reason", layers.no_flow);
  } else {
    w->key("flow_tokens");
    w->indices(layers.flow_tokens);
    write_rows("flow", layers.flow.raw, w);
    write_rows("flow_normalised", layers.flow.normalised, w);
  }
  w->end_object();
  w->finish();
}

std::vector<std::uint8_t> rollout_picture(const OpenedInput& input, const LayersTogether& layers,
                                          const PictureOptions& options,
                                          render::Typesetter& typesetter) {
  render::PictureText text{
      "Attention rollout",
      concat("how much of each input token is in each token after ",
             count_text(input.rows->layers().size(), "layer"), " (Abnar and Zuidema 2020)"),
      {}};
  return token_rows_picture(input, layers.rollout.tokens, layers.rollout.last, std::move(text),
                            options, typesetter);
}

std::vector<std::uint8_t> flow_picture(const OpenedInput& input, const LayersTogether& layers,
                                       const PictureOptions& options,
                                       render::Typesetter& typesetter) {
  if (!layers.no_flow.empty()) fail_input(layers.no_flow);
  render::PictureText text{"Attention flow",
                           "maximum flow from each token to the input tokens, rows made to sum to "
                           "1 (Abnar and Zuidema 2020)",
                           {}};
  return token_rows_picture(input, layers.flow_tokens, layers.flow.normalised, std::move(text),
                            options, typesetter);
}

}  // namespace mha::cli
