#include "summary.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

#include "mha/analysis/cost.hpp"
#include "mha/attention/precomputed.hpp"
#include "mha/base/text.hpp"
#include "mha/base/version.hpp"

#include "layer_sizes.hpp"
#include "model_option.hpp"
#include "score_output.hpp"

namespace mha::cli {
namespace {

void write_head(const SummaryData& data, std::size_t slot, JsonWriter* w) {
  w->begin_object();
  if (data.scores == nullptr) {
    w->member("head", data.heads.names[slot]);
  } else {
    write_head_members(scored_head(data.input, data.heads.names[slot], data.scores->scores(slot)),
                       w);
  }
  w->end_object();
}

void write_stages(const char* name, const std::vector<StageCost>& stages, JsonWriter* w) {
  std::uint64_t multiply_adds = 0;
  std::uint64_t bytes = 0;
  w->key(name);
  w->begin_object();
  for (const StageCost& stage : stages) {
    w->key(stage.stage);
    w->begin_object();
    w->member("multiply_adds", stage.multiply_adds);
    w->member("bytes", stage.bytes);
    w->end_object();
    multiply_adds += stage.multiply_adds;
    bytes += stage.bytes;
  }
  w->key("total");
  w->begin_object();
  w->member("multiply_adds", multiply_adds);
  w->member("bytes", bytes);
  w->end_object();
  w->end_object();
}

void write_sizes(const LayerSizes& sizes, JsonWriter* w) {
  w->member("n_kv_heads", static_cast<std::uint64_t>(sizes.heads.n_kv_heads));
  w->member("d_model", static_cast<std::uint64_t>(sizes.d_model));
  w->member("d_head", static_cast<std::uint64_t>(sizes.heads.d_head));
  w->member("d_value", static_cast<std::uint64_t>(sizes.heads.d_value));
  w->member("d_out", static_cast<std::uint64_t>(sizes.d_out));
  w->member("scale", sizes.scale);
  w->key("cost");
  w->begin_object();
  write_stages("these_heads",
               layer_cost(sizes.heads, sizes.shape, sizes.d_model, sizes.d_context, sizes.d_out),
               w);
  write_stages("one_full_width_head",
               layer_cost(full_width_head(sizes.heads), sizes.shape, sizes.d_model, sizes.d_context,
                          sizes.d_out),
               w);
  w->end_object();
}

void write_layers(const SummaryData& data, JsonWriter* w) {
  w->key("layers");
  w->begin_array();
  const std::vector<LayerInfo>& layers = data.input.rows->layers();
  const std::vector<LayerSizes> sizes = layer_sizes(data.input);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    w->begin_object();
    w->member("layer", static_cast<std::uint64_t>(data.input.head_names[l][0].layer));
    w->member("n_heads", static_cast<std::uint64_t>(layers[l].n_heads));
    w->member("n_query", static_cast<std::uint64_t>(layers[l].shape.n_query));
    w->member("n_key", static_cast<std::uint64_t>(layers[l].shape.n_key));
    if (!sizes.empty()) write_sizes(sizes[l], w);
    w->end_object();
  }
  w->end_array();
}

// Only options that change results: never threads, paths or times.
void write_options(const SummaryData& data, JsonWriter* w) {
  const PictureOptions& picture = data.options.picture;
  w->key("options");
  w->begin_object();
  write_settings(rule_settings(data.options.input.rule), w);
  if (data.options.input.bos != "auto") w->member("bos", data.options.input.bos);
  if (!data.options.input.ablate.empty()) w->member("ablate", data.options.input.ablate);
  if (!data.options.selection.layers.empty()) w->member("layers", data.options.selection.layers);
  if (!data.options.selection.heads.empty()) w->member("heads", data.options.selection.heads);
  if (!data.options.selection.query_range.empty()) {
    w->member("query_range", data.options.selection.query_range);
  }
  if (!data.options.selection.key_range.empty()) {
    w->member("key_range", data.options.selection.key_range);
  }
  w->member("analysis", data.options.analysis);
  if (data.options.top_k > 0) w->member("top_k", static_cast<std::uint64_t>(data.options.top_k));
  w->member("weights", data.weights_format);
  if (data.draws) {
    w->member("color_scale", picture.color_scale);
    w->member("range", picture.range);
    w->member("pool", picture.pool);
    w->member("theme", picture.theme);
    if (!picture.colormap.empty()) w->member("colormap", picture.colormap);
    if (picture.drop_first) w->member("drop_first", true);
  }
  w->end_object();
}

void write_lines(const char* name, const std::vector<std::string>& lines, JsonWriter* w) {
  w->key(name);
  w->begin_array();
  for (const std::string& line : lines) w->value(line);
  w->end_array();
}

void write_head_line(JsonWriter* w) {
  w->member("format", kSummaryFormat);
  w->member("version", kVersion);
}

}  // namespace

std::string input_hash_text(std::uint64_t hash) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return std::string("fnv1a64:") + text;
}

void write_settings(const Settings& settings, JsonWriter* w) {
  for (const auto& [name, value] : settings) {
    double number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool is_number = error == std::errc() && end == value.data() + value.size();
    if (value == "true" || value == "false") {
      w->member(name, value == "true");
    } else if (is_number && std::isfinite(number)) {
      w->member(name, number);
    } else {
      w->member(name, value);
    }
  }
}

Settings rule_settings(const RuleDefaults& rule) {
  Settings out;
  if (rule.causal) out.emplace_back("causal", *rule.causal ? "true" : "false");
  if (rule.window) out.emplace_back("window", std::to_string(*rule.window));
  if (rule.scale) out.emplace_back("attention_scale", number_text(*rule.scale));
  if (rule.softcap) out.emplace_back("softcap", number_text(*rule.softcap));
  if (rule.position == PositionKind::kAlibi) out.emplace_back("alibi", "true");
  if (rule.position != PositionKind::kRope) return out;
  const bool is_half = rule.rope.pairing == RopePairing::kHalf;
  out.emplace_back("rope", "true");
  out.emplace_back("rope_theta", number_text(rule.rope.theta));
  out.emplace_back("rope_fraction", number_text(rule.rope.fraction));
  out.emplace_back("rope_pairing", is_half ? "half" : "interleaved");
  return out;
}

std::vector<std::string> number_warnings(const HeadScoresAccumulator& scores,
                                         const OpenedInput& input, std::size_t n_slots) {
  std::uint64_t non_finite = 0;
  std::uint64_t fully_masked = 0;
  for (std::size_t s = 0; s < n_slots; ++s) {
    non_finite += scores.scores(s).non_finite_cells;
    fully_masked += scores.scores(s).fully_masked_rows;
  }
  std::vector<std::string> out;
  // Of weights that were given, the reader has said so.
  if (non_finite > 0 && !input.has_given_weights) {
    out.push_back(non_finite_text(non_finite));
  }
  if (fully_masked > 0) {
    const bool is_one = fully_masked == 1;
    out.push_back(concat(count_text(fully_masked, "row"), is_one ? " has" : " have",
                         " every key masked, or a score of -infinity for each; ",
                         is_one ? "its" : "their", " weights are all 0"));
  }
  return out;
}

void write_summary_members(const SummaryData& data, JsonWriter* w) {
  write_head_line(w);
  w->key("input");
  w->begin_object();
  if (!data.input.id.empty()) w->member("id", data.input.id);
  w->member("hash", input_hash_text(data.input.hash));
  w->end_object();
  write_options(data, w);
  std::vector<std::string> notes = data.input.notes;
  notes.insert(notes.end(), data.input.remarks.begin(), data.input.remarks.end());
  notes.insert(notes.end(), data.notes.begin(), data.notes.end());
  write_lines("notes", notes, w);
  std::vector<std::string> warnings = data.input.warnings;
  warnings.insert(warnings.end(), data.warnings.begin(), data.warnings.end());
  write_lines("warnings", warnings, w);
  w->key("tokens");
  w->strings(data.input.tokens);
  w->key("key_tokens");
  w->strings(data.input.key_tokens);
  write_model_members(data.input, w);
  w->member("cross_attention", data.input.is_cross);
  if (data.scores != nullptr) write_score_formulas(default_thresholds(), w);
  w->key("heads");
  w->begin_array();
  for (std::size_t s = 0; s < data.heads.slots.size(); ++s) write_head(data, s, w);
  w->end_array();
  if (!data.redundant.empty()) write_lines("redundant", data.redundant, w);
  write_layers(data, w);
  if (data.files != nullptr) write_lines("files", *data.files, w);
}

void write_summary(const SummaryData& data, JsonWriter* w) {
  w->begin_object();
  write_summary_members(data, w);
  w->end_object();
  w->finish();
}

void write_outputs(const OpenedInput& input, const std::vector<Matrix>& outputs, JsonWriter* w) {
  w->begin_object();
  w->member("format", "mha-viz output 1");
  w->key("tokens");
  w->strings(input.tokens);
  write_model_members(input, w);
  w->key("axes");
  w->strings({"layer", "query", "d_model"});
  w->key("outputs");
  w->begin_array();
  for (const Matrix& output : outputs) {
    w->begin_array();
    for (std::size_t i = 0; i < output.rows(); ++i) w->numbers(output.view().row(i));
    w->end_array();
  }
  w->end_array();
  w->end_object();
  w->finish();
}

void write_index(const std::vector<InputStatus>& inputs, const std::vector<std::string>& files,
                 JsonWriter* w) {
  w->begin_object();
  write_head_line(w);
  w->key("inputs");
  w->begin_array();
  for (const InputStatus& input : inputs) {
    w->begin_object();
    w->member("folder", input.folder);
    if (!input.id.empty()) w->member("id", input.id);
    w->member("status", input.ok ? "ok" : "failed");
    w->end_object();
  }
  w->end_array();
  write_lines("files", files, w);
  w->end_object();
  w->finish();
}

}  // namespace mha::cli
