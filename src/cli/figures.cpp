#include "figures.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"
#include "mha/io/system_fonts.hpp"
#include "mha/render/bars.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/grid.hpp"
#include "mha/render/heatmap.hpp"
#include "mha/text/tokens.hpp"

#include "score_output.hpp"
#include "score_report.hpp"
#include "score_table.hpp"

namespace mha::cli {

MapWindow map_window(const PictureOptions& options, const SelectionOptions& selection,
                     const Analysis& analysis) {
  MapWindow window;
  window.kind = options.pool == "mean" ? PoolKind::kMean : PoolKind::kMax;
  const std::size_t n_key = analysis.layer_of(0).shape.n_key;
  if (!selection.key_range.empty()) {
    const QueryRange keys = parse_range_option("--key-range", selection.key_range, n_key);
    window.first_key = keys.first;
    window.end_key = keys.end;
  }
  if (options.drop_first && window.first_key == 0 && window.end_of(n_key) > 1) window.first_key = 1;
  const std::size_t cols = window.end_of(n_key) - window.first_key;
  window.pool =
      render::pool_factor(std::max(analysis.n_queries_of(0), cols), picture_style(options));
  return window;
}

std::string describe_head(const HeadScores& scores, const HeadLabel& label) {
  const RowSum& entropy = scores[MeanScore::kEntropy];
  if (entropy.rows == 0) return "no row has weights to describe";
  std::string text = concat("mean entropy ", fixed(entropy.mean(), 2), " nats");
  const RowSum& normalised = scores[MeanScore::kNormalisedEntropy];
  if (normalised.rows > 0) {
    text += concat(" (", fixed(100 * normalised.mean(), 0), "% of uniform)");
  }
  if (label.best.name.empty() || label.best.name == "uniform") return text;
  const std::string measured = label_text(label.best.name) + " " + fixed(label.best.score, 2);
  return text +
         (label.is_clear() ? ", " + measured : ", no single habit (nearest: " + measured + ")");
}

HeadFigures::HeadFigures(Results results, const PictureOptions& options,
                         render::Typesetter& typesetter)
    : results_(std::move(results)),
      options_(options),
      typesetter_(typesetter),
      style_(picture_style(options)),
      range_(parse_range(options.range)) {
  shared_high_ = 0;
  grids_.resize(results_.maps.size());
  std::vector<double> largest(grids_.size());
  parallel_for(grids_.size(), 0, [&](std::size_t s, std::size_t) {
    grids_[s] = std::make_shared<render::CellGrid>(to_grid(std::move(results_.maps[s])));
    largest[s] = largest_value(*grids_[s]);
  });
  for (double value : largest) shared_high_ = std::max(shared_high_, value);
}

// All heads of one input have the same tokens, so labels are set once.
render::HeatmapPainter HeadFigures::painter() const {
  std::vector<render::ColorScale> scales;
  for (std::size_t slot = 0; slot < grids_.size(); ++slot) {
    if (slot == 0 || range_.kind == RangeChoice::Kind::kHead) scales.push_back(scale_for(slot));
  }
  return {frame(), {grids_[0]->rows, grids_[0]->cols}, style_, typesetter_, scales};
}

std::vector<std::uint8_t> HeadFigures::head_picture(const render::HeatmapPainter& painter,
                                                    std::size_t slot) const {
  return picture_file(painter.paint(head_text(slot), *grids_[slot], scale_for(slot)), options_);
}

std::vector<std::uint8_t> HeadFigures::head_picture() const {
  return head_picture(painter(), 0);
}

HeadFigures::Pictures HeadFigures::all_pictures(std::size_t n_threads) const {
  Pictures pictures;
  pictures.heads.resize(grids_.size());
  const render::HeatmapPainter shared = painter();
  // The overview takes longest and comes first.
  parallel_for(grids_.size() + 1, n_threads, [&](std::size_t item, std::size_t) {
    if (item == 0) {
      pictures.overview = overview_picture();
    } else {
      pictures.heads[item - 1] = head_picture(shared, item - 1);
    }
  });
  return pictures;
}

render::HeatmapFigure HeadFigures::head_figure() const {
  return {head_text(0), *grids_[0], scale_for(0), frame()};
}

std::vector<std::uint8_t> HeadFigures::overview_picture() const {
  return picture_file(render::draw_grid(overview_figure(), style_, typesetter_), options_);
}

render::GridFigure HeadFigures::overview_figure() const {
  render::GridFigure figure;
  figure.frame = frame();
  figure.colors = scale_for(0);
  if (range_.kind == RangeChoice::Kind::kHead) figure.colors.high = shared_high_;
  const HeadPlaces places = head_places(results_.heads.layer_numbers, results_.heads.names);
  figure.row_names = places.rows;
  figure.col_names = places.cols;
  figure.panels.resize(places.rows.size() * places.cols.size());
  for (std::size_t s = 0; s < grids_.size(); ++s) {
    const HeadLabel name = label(s);
    const std::string text = name.is_clear() ? label_text(name.name) : "";
    render::GridPanel panel{grids_[s], text, -1};
    if (name.is_clear()) {
      const auto kind = std::ranges::find(figure.kinds, text);
      panel.kind = static_cast<int>(kind - figure.kinds.begin());
      if (kind == figure.kinds.end()) figure.kinds.push_back(text);
    }
    if (!places.has_column_name(s)) panel.label = results_.heads.names[s];
    figure.panels[places.panels[s]] = std::move(panel);
  }
  const std::string title = title_prefix();
  figure.text.title = title.empty() ? "Attention of each head" : title;
  if (results_.is_norm) figure.text.title += ", norm-based";
  figure.text.caption =
      concat(grids_.size(), grids_.size() == 1 ? " head, " : " heads, ",
             results_.queries.count_of(results_.input.tokens.size()), " queries on ",
             results_.window.end_of(n_tokens()) - results_.window.first_key, " keys");
  figure.text.notes = notes();
  return figure;
}

render::HeatmapFrame HeadFigures::frame() const {
  const std::size_t pool = results_.window.pool;
  const auto part = [](const std::vector<std::string>& all, std::size_t first, std::size_t end) {
    return std::vector<std::string>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                    all.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const std::vector<std::string>& all_keys = results_.input.key_tokens;
  const std::vector<std::string>& all_queries = results_.input.tokens;
  const std::vector<std::string> keys =
      part(all_keys, results_.window.first_key, results_.window.end_of(all_keys.size()));
  const std::vector<std::string> queries =
      part(all_queries, results_.queries.first, results_.queries.end_of(all_queries.size()));
  render::HeatmapFrame frame;
  frame.rows = make_axis("query (attends from)", queries, pool);
  frame.cols = make_axis("key (attends to)", keys, pool);
  if (results_.is_norm) frame.value_name = "weight x length of f(x)";
  return frame;
}

render::ColorScale HeadFigures::scale_for(std::size_t slot) const {
  render::ColorScale scale;
  scale.colormap = options_.colormap;
  scale.kind = render::scale_named(options_.color_scale);
  scale.low = range_.kind == RangeChoice::Kind::kFixed ? range_.low : 0;
  scale.high = range_.kind == RangeChoice::Kind::kFixed  ? range_.high
               : range_.kind == RangeChoice::Kind::kHead ? largest_value(*grids_[slot])
                                                         : shared_high_;
  return scale;
}

std::string HeadFigures::title_prefix() const {
  if (!options_.title.empty()) return options_.title;
  return results_.input.id.empty() ? "" : display_token(results_.input.id);
}

// No name where it was not measured.
HeadLabel HeadFigures::label(std::size_t slot) const {
  if (results_.scores == nullptr) return {};
  return label_head(results_.scores->scores(slot), default_thresholds(),
                    first_is_special(results_.input));
}

render::PictureText HeadFigures::head_text(std::size_t slot) const {
  render::PictureText text;
  const HeadLabel name = label(slot);
  text.title = results_.heads.names[slot];
  if (!options_.title.empty()) text.title = options_.title + "  " + text.title;
  if (name.is_clear()) text.title += "  " + label_text(name.name);
  if (results_.is_norm) text.title += "  norm-based";
  if (results_.scores != nullptr) {
    text.caption = describe_head(results_.scores->scores(slot), name);
  }
  text.notes = notes();
  return text;
}

std::vector<std::string> HeadFigures::notes() const {
  std::vector<std::string> notes = results_.input.notes;
  if (results_.window.pool > 1) {
    notes.push_back(concat("each cell shows the ",
                           results_.window.kind == PoolKind::kMax ? "maximum" : "mean", " of ",
                           results_.window.pool, " x ", results_.window.pool, " weights"));
  }
  const bool has_ranges = results_.queries.first > 0 ||
                          results_.queries.end < results_.input.tokens.size() ||
                          results_.window.first_key > 1 || results_.window.end_key < n_tokens();
  if (has_ranges) {
    notes.push_back(concat("queries ", results_.queries.first, " to ",
                           results_.queries.end_of(results_.input.tokens.size()) - 1, " of ",
                           results_.input.tokens.size(), ", keys ", results_.window.first_key,
                           " to ", results_.window.end_of(n_tokens()) - 1, " of ", n_tokens()));
  } else if (results_.window.first_key > 0) {
    notes.push_back("the first key, " + display_token(results_.input.key_tokens[0]) +
                    ", is left out");
  }
  return notes;
}

std::vector<std::uint8_t> query_picture(const QueryRow& row, const PictureOptions& options,
                                        render::Typesetter& typesetter) {
  const OpenedInput& input = row.input;
  const render::PictureStyle style = picture_style(options);
  render::CellGrid grid = to_grid(row.row);
  render::BarsFigure figure;
  figure.keys = make_axis("key (attends to)", input.key_tokens, 1);
  figure.values = std::move(grid.values);
  figure.states = std::move(grid.states);
  if (!input.is_cross) {
    figure.highlight = row.query + input.key_tokens.size() - input.tokens.size();
  }
  const std::string token = display_token(input.tokens[row.query]);
  figure.text.title = concat(row.heads.names[0], "  query ", row.query, ": ", token);
  if (!options.title.empty()) figure.text.title = options.title + "  " + figure.text.title;
  figure.text.caption = "where this token attends to";
  figure.text.notes = input.notes;
  return picture_file(render::draw_bars(figure, style, typesetter), options);
}

std::vector<std::uint8_t> relations_picture(const ScoreTotals& totals,
                                            const PictureOptions& options,
                                            render::Typesetter& typesetter) {
  const std::vector<BestHead> best = best_heads(totals);
  if (best.empty()) fail_input("no input has relations, so there is nothing to draw");
  render::HeatmapFigure figure;
  figure.frame.value_name = "rate of right rows";
  figure.frame.named = true;
  figure.frame.rows = {"relation", {}, 1, 0};
  figure.frame.cols = {"head", {}, 1, 0};
  for (const BestHead& found : best) {
    figure.frame.rows.labels.push_back(display_token(found.relation.text()));
  }
  for (const auto& [id, head] : totals.heads) figure.frame.cols.labels.push_back(head_text(id));
  figure.cells.rows = best.size();
  figure.cells.cols = totals.heads.size();
  for (const BestHead& found : best) {
    for (const auto& [id, head] : totals.heads) {
      const auto score = head.pooled.relations.find(found.relation);
      const bool has_rows = score != head.pooled.relations.end();
      figure.cells.values.push_back(has_rows ? static_cast<float>(score->second.rate()) : 0.0F);
      figure.cells.states.push_back(has_rows ? render::CellState::kValue
                                             : render::CellState::kMissing);
    }
  }
  figure.colors.colormap = options.colormap;
  figure.colors.kind = render::scale_named(options.color_scale);
  figure.text.title = options.title.empty() ? "Relations and heads" : options.title;
  figure.text.caption =
      concat("on ", count_text(totals.inputs, "input"), ", ", count_text(rows_of(totals), "row"));
  if (const auto coverage = coverage_of(totals)) {
    figure.text.notes.push_back(coverage_text(*coverage));
  }
  const render::PictureStyle style = picture_style(options);
  return picture_file(render::draw_heatmap(figure, style, typesetter), options);
}

}  // namespace mha::cli
