#include <algorithm>
#include <cmath>
#include <numeric>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/version.hpp"

#include "importance.hpp"
#include "score_report.hpp"
#include "text_table.hpp"

namespace mha::cli {
namespace {

// A number that each head has.
struct Column {
  const char* name;
  const char* formula;
  const char* unit;
};

constexpr Column kHidden = {"hidden_change",
                            "mean over inputs of ||H' - H|| / ||H||, H the last hidden state", ""};
constexpr Column kLoss = {
    "loss_change", "mean over positions of -ln p'(next token), minus the same of the whole model",
    "nats"};
constexpr Column kDivergence = {"prediction_kl", "mean over positions of sum_v p(v) ln(p(v)/p'(v))",
                                "nats"};

// Of the change of predictions; nothing where there are none.
std::optional<Column> prediction_column(const ImportanceRun& run) {
  if (run.effects.positions == 0) return std::nullopt;
  if (run.measure == PredictionMeasure::kNextTokenLoss) return kLoss;
  if (run.measure == PredictionMeasure::kDivergence) return kDivergence;
  return std::nullopt;
}

// Indices of heads: the most important first, or as --by says.
std::vector<std::size_t> ordered(const ImportanceRun& run, const ScoreViewOptions& view) {
  const std::optional<Column> prediction = prediction_column(run);
  // "label" is what score sorts by when nothing is asked for.
  const std::string by = view.by != "label" ? view.by
                         : prediction       ? prediction->name
                                            : kHidden.name;
  std::vector<std::string> names{"head", kHidden.name};
  if (prediction) names.emplace_back(prediction->name);
  if (std::ranges::find(names, by) == names.end()) {
    const std::string hint = spelling_hint(by, names);
    fail_usage("--by: there is no importance '" + by + "'",
               hint.empty() ? "there are " + join(names, ", ") : hint);
  }
  std::vector<std::size_t> order(run.heads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto value = [&](std::size_t h) {
    const double x =
        by == kHidden.name ? run.effects.hidden_change(h) : run.effects.prediction_change(h);
    return std::isnan(x) ? -INFINITY : x;
  };
  if (by != "head") {
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  }
  if (view.top > 0 && view.top < order.size()) order.resize(view.top);
  return order;
}

void write_head(const ImportanceRun& run, std::size_t h, JsonWriter* w) {
  const std::optional<Column> prediction = prediction_column(run);
  w->begin_object();
  w->member("head", head_text(run.heads[h]));
  w->member(kHidden.name, run.effects.hidden_change(h));
  if (prediction) w->member(prediction->name, run.effects.prediction_change(h));
  w->end_object();
}

void write_formulas(const ImportanceRun& run, JsonWriter* w) {
  const auto write = [w](const Column& column) {
    w->key(column.name);
    w->begin_object();
    w->member("formula", column.formula);
    if (column.unit[0] != '\0') w->member("unit", column.unit);
    w->end_object();
  };
  w->key("formulas");
  w->begin_object();
  write(kHidden);
  if (const auto prediction = prediction_column(run)) write(*prediction);
  w->end_object();
}

std::string json_text(const ImportanceRun& run, const std::vector<std::size_t>& order) {
  std::string text;
  JsonWriter w([&text](std::string_view part) { text += part; });
  w.begin_object();
  w.member("format", "mha-viz importance 1");
  w.member("version", kVersion);
  w.key("options");
  w.begin_object();
  write_settings(run.settings, &w);
  w.end_object();
  w.member("inputs", run.effects.inputs);
  w.member("failed_inputs", run.failed);
  w.member("forward_passes", run.passes);
  w.key("notes");
  w.strings(run.notes);
  if (run.model) write_model(*run.model, &w);
  write_formulas(run, &w);
  if (prediction_column(run)) {
    w.member("positions", run.effects.positions);
    if (run.measure == PredictionMeasure::kNextTokenLoss) w.member("loss", run.effects.mean_loss());
  }
  w.key("heads");
  w.begin_array();
  for (const std::size_t h : order) write_head(run, h, &w);
  w.end_array();
  w.end_object();
  w.finish();
  return text;
}

std::string ndjson_text(const ImportanceRun& run, const std::vector<std::size_t>& order) {
  std::string text;
  for (const std::size_t h : order) {
    JsonWriter w([&text](std::string_view part) { text += part; }, true);
    write_head(run, h, &w);
    w.finish();
  }
  return text;
}

std::string csv_text(const ImportanceRun& run, const std::vector<std::size_t>& order) {
  const std::optional<Column> prediction = prediction_column(run);
  std::string text = concat("head,", kHidden.name);
  text += prediction ? concat(",", prediction->name, "\n") : "\n";
  for (const std::size_t h : order) {
    text += head_text(run.heads[h]) + "," + number_text(run.effects.hidden_change(h));
    if (prediction) text += "," + number_text(run.effects.prediction_change(h));
    text += '\n';
  }
  return text;
}

std::string table_text(const ImportanceRun& run, const std::vector<std::size_t>& order) {
  const std::optional<Column> prediction = prediction_column(run);
  std::string text = concat(count_text(run.effects.inputs, "input"), ", ", run.passes,
                            run.passes == 1 ? " forward pass" : " forward passes");
  if (prediction) text += concat(", ", count_text(run.effects.positions, "prediction"));
  text += '\n';
  for (const std::string& note : run.notes) text += printable(note) + "\n";
  if (prediction && run.measure == PredictionMeasure::kNextTokenLoss) {
    text += concat("next-token loss of the whole model: ", fixed(run.effects.mean_loss(), 4),
                   " nats\n");
  }
  TextTable table({false, true, true});
  std::vector<std::string> names{"head", kHidden.name};
  if (prediction) names.emplace_back(prediction->name);
  table.add(names);
  for (const std::size_t h : order) {
    std::vector<std::string> cells{head_text(run.heads[h]), fixed(run.effects.hidden_change(h), 4)};
    if (prediction) cells.push_back(fixed(run.effects.prediction_change(h), 4));
    table.add(cells);
  }
  return text + "\n" + table.text();
}

}  // namespace

std::string importance_text(const ImportanceRun& run, const ScoreViewOptions& view) {
  const std::vector<std::size_t> order = ordered(run, view);
  if (view.format == "json") return json_text(run, order);
  if (view.format == "ndjson") return ndjson_text(run, order);
  if (view.format == "csv") return csv_text(run, order);
  return table_text(run, order);
}

}  // namespace mha::cli
