#include "mha/source/tensor_input.hpp"

#include <algorithm>

#include "mha/attention/known_scores.hpp"
#include "mha/attention/precomputed.hpp"
#include "mha/attention/qkv_layers.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "labels.hpp"
#include "multihead_state.hpp"
#include "tensor_axes.hpp"

namespace mha {
namespace {

using SourcePtr = std::shared_ptr<const TensorSource>;

std::string quoted(const TensorInfo& info) {
  return info.name.empty() ? "the array" : "tensor '" + info.name + "'";
}

// The elements of a tensor, in place or read into memory, which is counted.
FloatStorage load_counted(const SourcePtr& source, std::size_t index, OpenedInput* input) {
  FloatStorage data = load_floats(source, index);
  if (source->floats(index).empty()) input->held_bytes += data.size() * sizeof(float);
  return data;
}

// The item of the batch to read; notes which one where there are several.
std::size_t batch_of(std::size_t n_items, const TensorOptions& options, OpenedInput* input) {
  const std::size_t batch = options.batch_index.value_or(0);
  if (batch >= n_items) {
    fail_input(
        concat("--batch-index ", batch, ": there is no such item; expected 0 to ", n_items - 1));
  }
  const std::string note = concat("item ", batch, " of a batch of ", n_items, " (--batch-index)");
  if (n_items > 1 && !options.batch_index &&
      std::ranges::find(input->notes, note) == input->notes.end()) {
    input->notes.push_back(note);
  }
  return batch;
}

// The mask that flags declare; other parts of the rule have no place beside known weights.
MaskRule mask_of(const RuleDefaults& rule, bool is_cross) {
  MaskRule mask;
  if (is_cross) return mask;
  mask.causal = rule.causal.value_or(false);
  mask.window = rule.window;
  return mask;
}

// One layer as (head, query, key) values.
struct LayerArray {
  FloatStorage data;
  std::size_t n_heads = 0;
  std::size_t n_query = 0;
  std::size_t n_key = 0;
  std::vector<std::uint8_t> missing;
};

// Reads the arrays of one group, whole or stitched together from steps.
class GroupReader {
 public:
  GroupReader(const SourcePtr& source, const TensorGroup& group, const TensorOptions& options)
      : source_(source), group_(group), options_(options) {}

  std::vector<LayerArray> read(OpenedInput* input) {
    std::vector<LayerArray> layers;
    for (const std::vector<std::size_t>& steps : group_.layers) {
      if (steps.size() > 1) {
        layers.push_back(stitch(steps, input));
      } else {
        for (LayerArray& layer : split(steps[0], input)) layers.push_back(std::move(layer));
      }
    }
    check_equal_sizes(layers);
    if (layers.size() != group_.layer_numbers.size()) {
      numbers_.resize(layers.size());
      for (std::size_t l = 0; l < layers.size(); ++l) numbers_[l] = l;
    } else {
      numbers_ = group_.layer_numbers;
    }
    return layers;
  }

  const std::vector<std::size_t>& layer_numbers() const { return numbers_; }

 private:
  // An array with its axes in order; a layer axis gives several layers.
  std::vector<LayerArray> split(std::size_t index, OpenedInput* input) {
    const TensorInfo& info = source_->tensors()[index];
    if (info.shape.size() != group_.axes.size()) {
      fail_input(concat(quoted(info), ": has ", info.shape.size(), " axes; expected ",
                        group_.axes.size(), " ", axes_text(group_.axes), " as the others have"));
    }
    const OrderedArray all =
        in_order(load_counted(source_, index, input), info.shape, group_.axes, "lbhqk");
    const std::size_t n_layers = all.shape[0];
    const std::size_t n_items = all.shape[1];
    if (all.data.empty()) fail_input(concat(quoted(info), ": holds no numbers"));
    const std::size_t item = batch_of(n_items, options_, input);
    const std::size_t size = all.shape[2] * all.shape[3] * all.shape[4];
    std::vector<LayerArray> out;
    for (std::size_t l = 0; l < n_layers; ++l) {
      out.push_back({all.data.part((l * n_items + item) * size, size),
                     all.shape[2],
                     all.shape[3],
                     all.shape[4],
                     {}});
    }
    return out;
  }

  // Steps of a generation, (heads, rows, keys so far) each, as one matrix: keys that a row could
  // not know yet do not exist.
  LayerArray stitch(const std::vector<std::size_t>& steps, OpenedInput* input) {
    std::vector<LayerArray> parts;
    LayerArray out;
    for (std::size_t index : steps) {
      std::vector<LayerArray> part = split(index, input);
      if (part.size() != 1 || (out.n_heads != 0 && part[0].n_heads != out.n_heads)) {
        fail_input(concat(quoted(source_->tensors()[index]),
                          ": does not fit the steps before it; expected ", out.n_heads, " heads"));
      }
      out.n_heads = part[0].n_heads;
      out.n_query += part[0].n_query;
      out.n_key = std::max(out.n_key, part[0].n_key);
      parts.push_back(std::move(part[0]));
    }
    FloatVector data(out.n_heads * out.n_query * out.n_key);
    std::ranges::fill(data, 0.0F);
    out.missing.assign(data.size(), 1);
    for (std::size_t h = 0; h < out.n_heads; ++h) {
      std::size_t row = h * out.n_query;
      for (const LayerArray& part : parts) {
        for (std::size_t i = 0; i < part.n_query; ++i, ++row) {
          const float* from = part.data.data() + (h * part.n_query + i) * part.n_key;
          std::copy_n(from, part.n_key,
                      data.begin() + static_cast<std::ptrdiff_t>(row * out.n_key));
          std::fill_n(out.missing.begin() + static_cast<std::ptrdiff_t>(row * out.n_key),
                      part.n_key, std::uint8_t{0});
        }
      }
    }
    out.data = FloatStorage(std::move(data));
    return out;
  }

  void check_equal_sizes(const std::vector<LayerArray>& layers) const {
    for (const LayerArray& layer : layers) {
      if (layer.n_query == layers[0].n_query && layer.n_key == layers[0].n_key) continue;
      fail_input(concat("layers differ in size; expected ", layers[0].n_query, "x", layers[0].n_key,
                        " as the first, got ", layer.n_query, "x", layer.n_key),
                 "--tensor NAME reads some of the arrays alone; --axes names the axes");
    }
  }

  const SourcePtr& source_;
  const TensorGroup& group_;
  const TensorOptions& options_;
  std::vector<std::size_t> numbers_;
};

// A single "head" from nn.MultiheadAttention is the mean over its heads unless it was asked not to.
void hint_at_average(const TensorGroup& group, const std::vector<LayerArray>& layers,
                     OpenedInput* input) {
  const bool one_head =
      std::ranges::all_of(layers, [](const LayerArray& l) { return l.n_heads == 1; });
  if (!one_head || group.axes.find('h') != std::string::npos) return;
  input->notes.emplace_back(
      "there is one map a layer: if it comes from nn.MultiheadAttention, it is the average over "
      "heads "
      "(average_attn_weights=False gives each head)");
}

NamedInput open_group(const SourcePtr& source, const TensorGroup& group, TensorReading reading,
                      const TensorOptions& options) {
  NamedInput out{group.name, {}};
  OpenedInput& input = out.input;
  input.id = group.name;
  GroupReader reader(source, group, options);
  std::vector<LayerArray> layers = reader.read(&input);
  const std::size_t n_query = layers[0].n_query;
  const std::size_t n_key = layers[0].n_key;
  input.is_cross = group.name.ends_with("cross") || n_query > n_key;
  label_axes(options.tokens, n_query, n_key, "--tokens", &input);
  hint_at_average(group, layers, &input);
  const AttentionShape shape{n_query, n_key, input.is_cross};
  const MaskRule mask = mask_of(options.rule, input.is_cross);
  if (reading == TensorReading::kScores) {
    std::vector<ScoreLayer> scores;
    for (LayerArray& layer : layers) {
      scores.push_back({layer.n_heads, shape, std::move(layer.data), mask});
    }
    input.rows = std::make_unique<KnownScores>(std::move(scores));
    input.notes.emplace_back("the file holds scores; these are their softmax");
  } else {
    std::vector<PrecomputedLayer> weights;
    for (LayerArray& layer : layers) {
      weights.push_back(
          {layer.n_heads, shape, std::move(layer.data), std::move(layer.missing), mask});
    }
    auto rows = std::make_unique<PrecomputedAttention>(std::move(weights));
    input.warnings = rows->notes();
    input.has_given_weights = true;
    input.rows = std::move(rows);
  }
  name_heads(reader.layer_numbers(), &input);
  return out;
}

AttentionRule rule_of(const RuleDefaults& defaults, bool is_cross) {
  AttentionRule rule;
  rule.scale = defaults.scale;
  rule.softcap = defaults.softcap;
  if (defaults.position) {
    rule.position = *defaults.position;
    rule.rope = defaults.rope;
  }
  rule.mask = mask_of(defaults, is_cross);
  return rule;
}

// Where the heads of one item of one layer stand in an ordered (l, b, x, y, d) array.
struct HeadArray {
  FloatStorage data;
  HeadViews heads;
  std::size_t n_heads = 0;
};

class QkvReader {
 public:
  QkvReader(const SourcePtr& source, const QkvGroup& group, const TensorOptions& options)
      : source_(source), group_(group), options_(options) {}

  NamedInput read() {
    NamedInput out{group_.name, {}};
    out.input.id = group_.name;
    std::vector<QkvLayer> layers;
    for (std::size_t i = 0; i < group_.q.size(); ++i) add_layers(i, &out.input, &layers);
    const AttentionShape shape = layers[0].shape;
    for (const QkvLayer& layer : layers) {
      if (layer.shape.n_query != shape.n_query || layer.shape.n_key != shape.n_key) {
        fail_input(concat("layers differ in size; expected ", shape.n_query, " queries on ",
                          shape.n_key, " keys, got ", layer.shape.n_query, " on ",
                          layer.shape.n_key));
      }
    }
    out.input.is_cross = shape.is_cross;
    label_axes(options_.tokens, shape.n_query, shape.n_key, "--tokens", &out.input);
    std::vector<std::size_t> numbers = group_.layer_numbers;
    if (numbers.size() != layers.size()) {
      numbers.resize(layers.size());
      for (std::size_t l = 0; l < numbers.size(); ++l) numbers[l] = l;
    }
    auto rows = std::make_unique<QkvLayers>(std::move(layers));
    out.input.has_outputs = rows->has_outputs();
    out.input.rows = std::move(rows);
    name_heads(numbers, &out.input);
    return out;
  }

 private:
  void add_layers(std::size_t i, OpenedInput* input, std::vector<QkvLayer>* layers) {
    const std::vector<HeadArray> q = read_heads(group_.q[i], input);
    const std::vector<HeadArray> k = read_heads(group_.k[i], input);
    const std::vector<HeadArray> v =
        group_.v.empty() ? std::vector<HeadArray>() : read_heads(group_.v[i], input);
    for (std::size_t l = 0; l < q.size(); ++l) {
      QkvLayer layer;
      layer.layout = {q[l].n_heads, k[l].n_heads, q[l].heads.width,
                      v.empty() ? q[l].heads.width : v[l].heads.width};
      const bool is_cross = group_.name.ends_with("cross") || q[l].heads.rows > k[l].heads.rows;
      layer.shape = {q[l].heads.rows, k[l].heads.rows, is_cross};
      layer.rule = rule_of(options_.rule, is_cross);
      layer.q = q[l].heads;
      layer.k = k[l].heads;
      layer.q_data = q[l].data;
      layer.k_data = k[l].data;
      if (!v.empty()) {
        layer.v = v[l].heads;
        layer.v_data = v[l].data;
      }
      check_widths(i, layer, v.empty() ? k[l].n_heads : v[l].n_heads);
      layers->push_back(std::move(layer));
    }
  }

  void check_widths(std::size_t i, const QkvLayer& layer, std::size_t v_heads) const {
    const std::string& q = source_->tensors()[group_.q[i]].name;
    const std::string& k = source_->tensors()[group_.k[i]].name;
    if (layer.k.width != layer.q.width) {
      fail_input(concat("'", q, "' and '", k, "' differ in width; expected ", layer.q.width,
                        ", got ", layer.k.width),
                 "--axes says which axis is which");
    }
    const bool fits = layer.v.data == nullptr ||
                      (layer.v.rows == layer.k.rows && v_heads == layer.layout.n_kv_heads);
    if (!fits) {
      fail_input(concat("values do not fit the keys of '", k, "'; expected ",
                        layer.layout.n_kv_heads, " heads of ", layer.k.rows, " rows, got ", v_heads,
                        " of ", layer.v.rows));
    }
  }

  std::vector<HeadArray> read_heads(std::size_t index, OpenedInput* input) {
    const TensorInfo& info = source_->tensors()[index];
    const std::string& axes = group_.axes;
    if (info.shape.size() != axes.size()) {
      fail_input(concat(quoted(info), ": has ", info.shape.size(), " axes; expected ", axes.size(),
                        " ", axes_text(axes), " as the queries have"));
    }
    const bool heads_first = axes.find('h') == std::string::npos || axes.find('h') < axes.find('n');
    const OrderedArray all = in_order(load_counted(source_, index, input), info.shape, axes,
                                      heads_first ? "lbhnd" : "lbnhd");
    if (all.data.empty()) fail_input(concat(quoted(info), ": holds no numbers"));
    const std::size_t n_items = all.shape[1];
    const std::size_t item = batch_of(n_items, options_, input);
    const std::size_t width = all.shape[4];
    const std::size_t size = all.shape[2] * all.shape[3] * width;
    std::vector<HeadArray> out;
    for (std::size_t l = 0; l < all.shape[0]; ++l) {
      HeadArray part;
      part.data = all.data.part((l * n_items + item) * size, size);
      part.n_heads = heads_first ? all.shape[2] : all.shape[3];
      const std::size_t rows = heads_first ? all.shape[3] : all.shape[2];
      part.heads = heads_first
                       ? HeadViews{part.data.data(), rows, width, width, rows * width}
                       : HeadViews{part.data.data(), rows, width, part.n_heads * width, width};
      out.push_back(std::move(part));
    }
    return out;
  }

  const SourcePtr& source_;
  const QkvGroup& group_;
  const TensorOptions& options_;
};

NamedInput open_multihead_input(const TensorSource& source, const TensorOptions& options) {
  MultiheadInput state = open_multihead(source, options);
  NamedInput out;
  OpenedInput& input = out.input;
  input.notes = std::move(state.notes);
  input.is_cross = state.has_extra_key || state.n_context > 0;
  const std::size_t n_key = state.n_context > 0 ? state.n_context : state.n_query;
  label_axes(options.tokens, state.n_query, n_key, "--tokens", &input);
  if (state.has_extra_key) {
    input.key_tokens.emplace_back("bias_k");
    input.notes.emplace_back("bias_k and bias_v are the last key");
  }
  std::vector<std::size_t> numbers(state.layers.size());
  for (std::size_t l = 0; l < numbers.size(); ++l) numbers[l] = l;
  for (const QkvLayer& layer : state.layers) {
    input.held_bytes +=
        sizeof(float) * (layer.q_data.size() + layer.k_data.size() + layer.v_data.size());
  }
  input.rows = std::make_unique<QkvLayers>(std::move(state.layers));
  input.has_outputs = true;
  name_heads(numbers, &input);
  return out;
}

}  // namespace

std::vector<NamedInput> open_tensors(const SourcePtr& source, const TensorOptions& options) {
  const Recognition recognition = recognise(*source, options);
  std::vector<NamedInput> out;
  if (recognition.reading == TensorReading::kMultihead) {
    out.push_back(open_multihead_input(*source, options));
  }
  for (const QkvGroup& group : recognition.qkv) {
    out.push_back(QkvReader(source, group, options).read());
    out.back().input.remarks = group.ambiguous;
  }
  for (const TensorGroup& group : recognition.groups) {
    out.push_back(open_group(source, group, recognition.reading, options));
    out.back().input.remarks = group.ambiguous;
  }
  for (NamedInput& named : out) {
    for (const std::string& text : recognition.ambiguous) named.input.remarks.push_back(text);
    for (const std::string& text : source->notes()) named.input.remarks.push_back(text);
  }
  return out;
}

}  // namespace mha
