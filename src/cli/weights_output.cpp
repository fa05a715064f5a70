#include "weights_output.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/npy.hpp"
#include "mha/io/safetensors.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kMostJsonNumbers = 1000000;
constexpr std::size_t kMostNpyBytes = std::size_t{256} << 20;

// Places of the selection that belong to one layer: [begin, end).
struct LayerRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<LayerRange> layer_ranges(const std::vector<HeadSlot>& slots) {
  std::vector<LayerRange> ranges;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    if (s == 0 || slots[s].layer != slots[s - 1].layer) ranges.push_back({s, s});
    ranges.back().end = s + 1;
  }
  return ranges;
}

bool is_rectangular(const std::vector<HeadSlot>& slots) {
  const std::vector<LayerRange> ranges = layer_ranges(slots);
  return std::ranges::all_of(ranges, [&](const LayerRange& range) {
    return range.end - range.begin == ranges[0].end - ranges[0].begin;
  });
}

std::size_t count_weights(const Analysis& analysis) {
  std::size_t count = 0;
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    const AttentionShape& shape = analysis.layer_of(s).shape;
    count = checked_add(count, checked_mul(shape.n_query, shape.n_key));
  }
  return count;
}

WeightsFormat parse_format(const std::string& name) {
  if (name == "json") return WeightsFormat::kJson;
  if (name == "npy") return WeightsFormat::kNpy;
  if (name == "safetensors") return WeightsFormat::kSafetensors;
  if (name == "csv") return WeightsFormat::kCsv;
  return WeightsFormat::kNone;
}

std::span<const unsigned char> raw_bytes(std::span<const float> floats) {
  return {reinterpret_cast<const unsigned char*>(floats.data()), floats.size_bytes()};
}

Shape dense_shape(const WeightsData& data) {
  const std::vector<LayerRange> ranges = layer_ranges(data.heads.slots);
  const AttentionShape& shape = data.analysis.layer_of(0).shape;
  return {ranges.size(), ranges[0].end - ranges[0].begin, shape.n_query, shape.n_key};
}

// The part of the rule that says which cells are masked, so that attention.json read again knows
// them. Written once where all layers agree, else for each layer.
void write_mask(const MaskRule& mask, const AttentionShape& shape, JsonWriter* w) {
  const auto write_flags = [w](const std::uint8_t* flags, std::size_t count) {
    w->begin_array();
    for (std::size_t i = 0; i < count; ++i) w->value(flags[i] != 0);
    w->end_array();
  };
  w->begin_object();
  if (mask.causal) w->member("causal", true);
  if (mask.window) w->member("window", static_cast<std::uint64_t>(*mask.window));
  if (!mask.valid_keys.empty()) {
    w->key("valid_keys");
    write_flags(mask.valid_keys.data(), shape.n_key);
  }
  if (!mask.mask.empty()) {
    w->key("mask");
    w->begin_array();
    for (std::size_t i = 0; i < shape.n_query; ++i) {
      write_flags(mask.mask.data() + i * shape.n_key, shape.n_key);
    }
    w->end_array();
  }
  w->end_object();
}

bool same_mask(const MaskRule& a, const MaskRule& b) {
  return a.causal == b.causal && a.window == b.window && a.valid_keys == b.valid_keys &&
         a.mask == b.mask;
}

void write_masks(const WeightsData& data, JsonWriter* w) {
  std::vector<const LayerInfo*> layers;
  for (const LayerRange& range : layer_ranges(data.heads.slots)) {
    layers.push_back(&data.analysis.layer_of(range.begin));
  }
  const bool all_same = std::ranges::all_of(
      layers, [&](const LayerInfo* layer) { return same_mask(*layer->mask, *layers[0]->mask); });
  if (all_same) {
    if (layers[0]->mask->empty()) return;
    w->key("attention");
    write_mask(*layers[0]->mask, layers[0]->shape, w);
    return;
  }
  w->key("layers");
  w->begin_array();
  for (const LayerInfo* layer : layers) {
    w->begin_object();
    w->key("attention");
    write_mask(*layer->mask, layer->shape, w);
    w->end_object();
  }
  w->end_array();
}

void write_relations(const std::vector<Relation>& relations, JsonWriter* w) {
  if (relations.empty()) return;
  w->key("relations");
  w->begin_array();
  for (const Relation& relation : relations) {
    w->begin_object();
    w->member("name", relation.name);
    w->key("pairs");
    w->begin_array();
    for (const auto& [query, key] : relation.pairs) {
      w->indices(std::array{query, key});
    }
    w->end_array();
    w->end_object();
  }
  w->end_array();
}

void write_json(const WeightsData& data, OutputFile* file) {
  JsonWriter w([file](std::string_view text) { file->write(text); });
  w.begin_object();
  w.member("format", "mha-viz attention 1");
  if (!data.input.id.empty()) w.member("id", data.input.id);
  w.key("tokens");
  w.strings(data.input.tokens);
  w.key("key_tokens");
  w.strings(data.input.key_tokens);
  if (data.input.is_cross) {
    w.key("context");
    w.begin_object();
    w.key("tokens");
    w.strings(data.input.key_tokens);
    w.end_object();
  }
  write_masks(data, &w);
  write_relations(data.input.relations, &w);
  write_weight_members(data, &w);
  w.end_object();
  w.finish();
}

// Tensors "attention" (layer, head, query, key), or "attention.L3" (head, query, key) for each
// layer where the layers have different numbers of heads.
std::vector<TensorInfo> weights_tensors(const WeightsData& data) {
  if (is_rectangular(data.heads.slots)) return {{"attention", DType::kF32, dense_shape(data)}};
  std::vector<TensorInfo> infos;
  const AttentionShape& shape = data.analysis.layer_of(0).shape;
  for (const LayerRange& range : layer_ranges(data.heads.slots)) {
    infos.push_back({concat("attention.L", data.heads.layer_numbers[range.begin]),
                     DType::kF32,
                     {range.end - range.begin, shape.n_query, shape.n_key}});
  }
  return infos;
}

// A long table: layer, head, query, key, weight; positions as indices, 0-based. A cell without a
// number has no weight.
void write_csv(const WeightsData& data, double min_weight, OutputFile* file) {
  file->write("layer,head,query,key,weight\n");
  std::string line;
  for (std::size_t s = 0; s < data.heads.slots.size(); ++s) {
    const std::string& name = data.heads.names[s];
    const std::string head =
        data.heads.slots[s].is_mean() ? "mean" : name.substr(name.find('H') + 1);
    const std::string prefix = concat(data.heads.layer_numbers[s], ",", head, ",");
    const ConstMatrix weights = data.weights.head(s);
    for (std::size_t i = 0; i < weights.rows; ++i) {
      line.clear();
      for (std::size_t j = 0; j < weights.cols; ++j) {
        const float weight = weights(i, j);
        if (static_cast<double>(weight) < min_weight) continue;
        std::array<char, 80> tail;
        char* out = std::to_chars(tail.data(), tail.data() + 24, i).ptr;
        *out++ = ',';
        out = std::to_chars(out, out + 24, j).ptr;
        *out++ = ',';
        if (std::isfinite(weight)) out = std::to_chars(out, out + 24, weight).ptr;
        *out++ = '\n';
        line += prefix;
        line.append(tail.data(), out);
      }
      file->write(line);
    }
  }
}

}  // namespace

std::string weights_format_name(WeightsFormat format) {
  static const char* const kNames[] = {"none", "json", "npy", "safetensors", "csv"};
  return kNames[static_cast<std::size_t>(format)];
}

WeightsChoice choose_weights(const RunOptions& options, const Analysis& analysis) {
  const std::size_t count = count_weights(analysis);
  const std::size_t bytes = checked_mul(count, sizeof(float));
  const bool rectangular = is_rectangular(analysis.slots());
  if (!options.weights.empty()) {
    const WeightsFormat format = parse_format(options.weights);
    if (format == WeightsFormat::kNpy && !rectangular) {
      fail_usage("--weights npy: the layers have different numbers of heads",
                 "use --weights safetensors, which holds one tensor a layer");
    }
    if (format != WeightsFormat::kNone && bytes > options.resources.memory) {
      fail_input(
          concat("--weights ", options.weights, " needs ", bytes_text(static_cast<double>(bytes)),
                 "; expected at most ", bytes_text(static_cast<double>(options.resources.memory))),
          "raise --memory, or select fewer heads");
    }
    return {format, ""};
  }
  if (count <= kMostJsonNumbers) return {WeightsFormat::kJson, ""};
  if (bytes <= kMostNpyBytes && bytes <= options.resources.memory) {
    return {rectangular ? WeightsFormat::kNpy : WeightsFormat::kSafetensors, ""};
  }
  return {WeightsFormat::kNone,
          concat("the weights are not written: they would take ",
                 bytes_text(static_cast<double>(bytes)), " (--weights npy writes them)")};
}

std::optional<std::string> raw_weights_header(const WeightsData& data, WeightsFormat format) {
  if (format == WeightsFormat::kNpy) return npy_header(dense_shape(data));
  if (format == WeightsFormat::kSafetensors) return safetensors_header(weights_tensors(data));
  return std::nullopt;
}

void write_weights(const WeightsData& data, WeightsFormat format, double min_weight,
                   OutputFile* file) {
  if (format == WeightsFormat::kJson) return write_json(data, file);
  if (format == WeightsFormat::kCsv) return write_csv(data, min_weight, file);
  throw Error(ErrorKind::kInternal, "these weights are no text");
}

bool are_outputs_large(const std::vector<Matrix>& outputs) {
  std::size_t count = 0;
  for (const Matrix& output : outputs) count += output.rows() * output.cols();
  return count > kMostJsonNumbers && std::ranges::all_of(outputs, [&](const Matrix& output) {
           return output.cols() == outputs.front().cols();
         });
}

void write_outputs_npy(const std::vector<Matrix>& outputs, OutputFile* file) {
  const Matrix& first = outputs.front();
  file->write(npy_header({outputs.size(), first.rows(), first.cols()}));
  for (const Matrix& output : outputs) {
    file->write(raw_bytes({output.data(), output.rows() * output.cols()}));
  }
}

void write_weight_members(const WeightsData& data, JsonWriter* w) {
  w->key("axes");
  w->strings({"layer", "head", "query", "key"});
  w->key("selection");
  w->strings(data.heads.names);
  w->key("attention_weights");
  w->begin_array();
  for (const LayerRange& range : layer_ranges(data.heads.slots)) {
    w->begin_array();
    for (std::size_t s = range.begin; s < range.end; ++s) {
      w->begin_array();
      const ConstMatrix weights = data.weights.head(s);
      for (std::size_t i = 0; i < weights.rows; ++i) w->numbers(weights.row(i));
      w->end_array();
    }
    w->end_array();
  }
  w->end_array();
}

}  // namespace mha::cli
