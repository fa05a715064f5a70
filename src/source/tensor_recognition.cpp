#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/source/tensor_input.hpp"

#include "multihead_state.hpp"
#include "tensor_axes.hpp"
#include "tensor_names.hpp"

namespace mha {
namespace {

// "'attn.0' 12x5x5"; the array of an .npy file has no name.
std::string named_shape(const TensorInfo& info) {
  return concat(info.name.empty() ? "the array" : concat("'", info.name, "'"), " ",
                shape_text(info.shape));
}

constexpr const char* kAttentionAxes = "lbhqk";

bool is_float(DType dtype) {
  return dtype == DType::kF64 || dtype == DType::kF32 || dtype == DType::kF16 ||
         dtype == DType::kBF16;
}

struct Candidate {
  std::size_t index = 0;
  const TensorInfo* info = nullptr;
  TensorName name;
  TensorRole role = TensorRole::kOther;
};

std::vector<Candidate> candidates_of(const TensorSource& source, const TensorOptions& options) {
  std::vector<Candidate> out;
  const std::vector<TensorInfo>& infos = source.tensors();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    if (infos[i].name.find(options.tensor) == std::string::npos) continue;
    const std::size_t rank = infos[i].shape.size();
    if (!is_float(infos[i].dtype) || rank < 2 || rank > 5) continue;
    TensorName name = parse_tensor_name(infos[i].name);
    const TensorRole role = name.role();
    out.push_back({i, &infos[i], std::move(name), role});
  }
  return out;
}

std::vector<Candidate> with_role(const std::vector<Candidate>& all, TensorRole role) {
  std::vector<Candidate> out;
  std::ranges::copy_if(all, std::back_inserter(out),
                       [role](const Candidate& c) { return c.role == role; });
  return out;
}

[[noreturn]] void fail_nothing(const TensorSource& source, const TensorOptions& options) {
  std::vector<std::string> shown;
  constexpr std::size_t kShown = 8;
  for (const TensorInfo& info : source.tensors()) {
    if (shown.size() == kShown) {
      shown.emplace_back("...");
      break;
    }
    shown.push_back(named_shape(info));
  }
  fail_input(concat("nothing here looks like attention",
                    options.tensor.empty()
                        ? ""
                        : concat(" among the tensors whose name contains '", options.tensor, "'"),
                    "; expected weights, scores, queries and keys, or nn.MultiheadAttention "
                    "parameters, got ",
                    shown.empty() ? "no tensors" : join(shown, ", ")),
             "mha-viz inspect lists what is there; --tensor NAME and --input say how to read it");
}

std::string group_name(const TensorName& name) {
  const std::string example = name.example();
  const std::string stack = name.stack();
  if (example.empty()) return stack;
  return stack.empty() ? example : example + "-" + stack;
}

// Whether the arrays of one layer grow with the first number, as one-step dumps of `generate` do.
bool are_steps(const std::vector<Candidate>& arrays) {
  std::map<std::size_t, std::map<std::size_t, std::size_t>> keys;  // [layer][step] -> n_key
  for (const Candidate& c : arrays) {
    if (!c.name.step() || !c.name.layer()) return false;
    keys[*c.name.layer()][*c.name.step()] = c.info->shape.back();
  }
  for (const auto& [layer, steps] : keys) {
    if (steps.size() < 2) return false;
    std::size_t last = 0;
    for (const auto& [step, n_key] : steps) {
      if (n_key <= last) return false;
      last = n_key;
    }
  }
  return !keys.empty();
}

TensorGroup make_group(const std::string& name, const std::vector<Candidate>& arrays,
                       const TensorOptions& options) {
  TensorGroup group;
  std::vector<std::string>* const ambiguous = &group.ambiguous;
  group.name = name;
  const bool steps = are_steps(arrays);
  std::map<std::size_t, std::map<std::size_t, std::size_t>> order;  // [layer][step] -> tensor
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::size_t layer = arrays[i].name.layer().value_or(i);
    const std::size_t step = steps ? *arrays[i].name.step() : 0;
    if (!order[layer].emplace(step, arrays[i].index).second) {
      ambiguous->push_back(concat("'", arrays[i].info->name,
                                  "' names a layer that another array "
                                  "names too and is left out; --tensor chooses"));
    }
  }
  for (const auto& [layer, indices] : order) {
    group.layer_numbers.push_back(layer);
    group.layers.emplace_back();
    for (const auto& [step, index] : indices) group.layers.back().push_back(index);
  }
  const Candidate& first = arrays.front();
  const bool per_layer = arrays.size() > 1 || first.name.layer().has_value();
  const Shape& shape = first.info->shape;
  if (!options.axes.empty()) {
    check_axes(options.axes, shape, kAttentionAxes, "qk");
    group.axes = options.axes;
    return group;
  }
  group.axes = default_attention_axes(shape, per_layer);
  if (shape.size() == 3) {
    ambiguous->push_back(concat(
        named_shape(*first.info), " is read as ", axes_text("hqk"), "; --axes ",
        per_layer ? "bqk reads it as a batch" : "lqk or bqk reads it as layers or as a batch"));
  } else if (shape.size() == 4 && shape[0] > 1) {
    const std::string other = group.axes == "lhqk" ? "bhqk" : "lhqk";
    ambiguous->push_back(concat(named_shape(*first.info), " is read as ", axes_text(group.axes),
                                "; --axes ", other, " reads it as ", axes_text(other)));
  }
  return group;
}

// Arrays of one kind, sorted into stacks; of several patterns in one stack the first is taken.
std::vector<TensorGroup> make_groups(const std::vector<Candidate>& arrays,
                                     const TensorOptions& options,
                                     std::vector<std::string>* ambiguous) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<Candidate>> groups;
  std::map<std::string, std::string> pattern_of;
  std::set<std::string> left_out;
  for (const Candidate& c : arrays) {
    const std::string name = group_name(c.name);
    const auto [known, is_new] = pattern_of.emplace(name, c.name.pattern);
    if (is_new) order.push_back(name);
    if (known->second == c.name.pattern) {
      groups[name].push_back(c);
    } else if (left_out.insert(c.name.pattern).second) {
      ambiguous->push_back(concat("'", c.info->name,
                                  "' could be attention too and is left out; "
                                  "--tensor NAME reads it instead"));
    }
  }
  std::vector<TensorGroup> out;
  for (const std::string& name : order) {
    out.push_back(make_group(name, groups[name], options));
  }
  return out;
}

// What values say: weights lie in [0, 1] and their rows sum to 1; a negative number, or one well
// above 1, can only be a score. A sample of rows is enough.
enum class ValueKind { kWeights, kScores, kUnclear };

ValueKind look_at_values(const TensorSource& source, std::size_t index) {
  const std::span<const float> in_place = source.floats(index);
  const FloatStorage all = in_place.empty() ? FloatStorage(source.read(index).data)
                                            : FloatStorage(in_place, nullptr, source.copier(index));
  const std::size_t n_key = source.tensors()[index].shape.back();
  if (n_key == 0 || all.empty()) return ValueKind::kUnclear;
  const std::size_t n_rows = all.size() / n_key;
  const std::size_t step = std::max<std::size_t>(1, n_rows / 256);
  bool sums_to_one = true;
  bool has_whole_rows = false;  // rows with NaN tell nothing of sums
  FloatVector buffer;
  for (std::size_t r = 0; r < n_rows; r += step) {
    double sum = 0;
    bool is_whole = true;
    for (const float x : all.stretch(r * n_key, n_key, &buffer)) {
      if (std::isnan(x)) {
        is_whole = false;
        continue;
      }
      if (x < -1e-6F || x > 1.01F) return ValueKind::kScores;
      sum += static_cast<double>(x);
    }
    const double tolerance = std::max(1e-3, 0.5e-4 * static_cast<double>(n_key));
    has_whole_rows = has_whole_rows || is_whole;
    if (is_whole && sum != 0 && std::fabs(sum - 1) > tolerance) sums_to_one = false;
  }
  return sums_to_one && has_whole_rows ? ValueKind::kWeights : ValueKind::kUnclear;
}

// The letters of queries (and keys alike) by shape: heads before tokens, or after.
std::string query_key_axes(const Candidate& q, const Candidate& k, bool per_layer,
                           std::vector<std::string>* ambiguous) {
  const Shape& a = q.info->shape;
  const Shape& b = k.info->shape;
  const std::size_t rank = a.size();
  const std::string lead = rank < 4 ? "" : per_layer || a[0] == 1 ? "b" : "l";
  if (rank == 2) return "nd";
  const std::size_t x = rank - 3;  // first of the two axes in question
  const auto divides = [&](std::size_t heads_axis) {
    return b[heads_axis] > 0 && a[heads_axis] % b[heads_axis] == 0;
  };
  const bool could_be_hnd = divides(x);
  const bool could_be_nhd = divides(x + 1);
  const bool hnd = could_be_hnd && (!could_be_nhd || a[x] <= a[x + 1]);
  const std::string axes = lead + (hnd ? "hnd" : "nhd");
  const bool is_guess = could_be_hnd && could_be_nhd && std::min(a[x], a[x + 1]) > 1;
  if (is_guess) {
    ambiguous->push_back(concat(named_shape(*q.info), " is read as ", axes_text(axes),
                                ", the shorter axis as heads; --axes ", lead, hnd ? "nhd" : "hnd",
                                " reads it the other way"));
  }
  return axes;
}

// Finds for each query array its keys and values, by their names.
std::vector<QkvGroup> make_qkv(const std::vector<Candidate>& all, const TensorOptions& options) {
  std::map<std::string, std::map<TensorRole, const Candidate*>> partners;
  for (const Candidate& c : all) {
    if (c.role != TensorRole::kQuery && c.role != TensorRole::kKey &&
        c.role != TensorRole::kValue) {
      continue;
    }
    const Candidate*& slot = partners[c.name.partner_pattern()][c.role];
    if (slot == nullptr || c.name.is_rotated()) slot = &c;
  }
  std::map<std::string, QkvGroup> groups;
  for (const Candidate& q : with_role(all, TensorRole::kQuery)) {
    const auto& found = partners[q.name.partner_pattern()];
    const auto query = found.find(TensorRole::kQuery);
    const auto key = found.find(TensorRole::kKey);
    if (key == found.end() || query->second->index != q.index) continue;
    const Candidate& k = *key->second;
    if (k.info->shape.size() != q.info->shape.size()) continue;
    QkvGroup& group = groups[group_name(q.name)];
    const bool per_layer = q.name.layer().has_value();
    if (group.q.empty()) {
      group.name = group_name(q.name);
      if (options.axes.empty()) {
        group.axes = query_key_axes(q, k, per_layer, &group.ambiguous);
      } else {
        check_axes(options.axes, q.info->shape, "lbhnd", "nd");
        group.axes = options.axes;
      }
    }
    group.layer_numbers.push_back(q.name.layer().value_or(group.q.size()));
    group.q.push_back(q.index);
    group.k.push_back(k.index);
    const auto value = found.find(TensorRole::kValue);
    if (value != found.end()) group.v.push_back(value->second->index);
  }
  std::vector<QkvGroup> out;
  for (auto& [name, group] : groups) {
    if (group.v.size() != group.q.size()) group.v.clear();
    out.push_back(std::move(group));
  }
  return out;
}

// Tries one reading; returns whether the file has anything of its kind.
class Recogniser {
 public:
  Recogniser(const TensorSource& source, const TensorOptions& options)
      : source_(source), options_(options), all_(candidates_of(source, options)) {}

  Recognition run() {
    if (options_.reading) {
      if (!try_reading(*options_.reading, true)) fail_nothing(source_, options_);
      return std::move(out_);
    }
    const bool found = try_reading(TensorReading::kWeights, false) ||
                       try_reading(TensorReading::kScores, false) ||
                       try_reading(TensorReading::kQueriesKeys, false) ||
                       try_reading(TensorReading::kMultihead, false) || try_unnamed();
    if (!found) fail_nothing(source_, options_);
    return std::move(out_);
  }

 private:
  bool try_reading(TensorReading reading, bool is_forced) {
    out_ = {};
    out_.reading = reading;
    switch (reading) {
      case TensorReading::kWeights:
        return try_arrays(TensorRole::kWeights, is_forced);
      case TensorReading::kScores:
        return try_arrays(TensorRole::kScores, is_forced);
      case TensorReading::kQueriesKeys:
        out_.qkv = make_qkv(all_, options_);
        out_.why = "there are arrays named as queries and as keys";
        return !out_.qkv.empty();
      case TensorReading::kMultihead:
        out_.why = "there are parameters of torch.nn.MultiheadAttention";
        return has_multihead_state(source_);
    }
    return false;
  }

  bool try_arrays(TensorRole role, bool is_forced) {
    std::vector<Candidate> arrays = with_role(all_, role);
    const bool by_name = !arrays.empty();
    if (!by_name && is_forced) arrays = all_;
    if (arrays.empty()) return false;
    out_.groups = make_groups(arrays, options_, &out_.ambiguous);
    const char* kind = role == TensorRole::kWeights ? "attention weights" : "scores";
    out_.why = is_forced ? concat("--input ", reading_name(out_.reading), " says so")
                         : concat("an array is named as ", kind);
    if (!is_forced && role == TensorRole::kWeights) decide_by_values(by_name);
    return true;
  }

  bool try_unnamed() {
    std::vector<Candidate> unnamed = all_;
    std::erase_if(unnamed, [](const Candidate& c) { return c.name.is_parameter(); });
    if (unnamed.empty()) return false;
    out_ = {};
    out_.groups = make_groups(unnamed, options_, &out_.ambiguous);
    out_.why = "no name says what the arrays are";
    decide_by_values(false);
    return true;
  }

  void decide_by_values(bool by_name) {
    const std::size_t first = out_.groups.front().layers.front().front();
    const std::string& name = source_.tensors()[first].name;
    switch (look_at_values(source_, first)) {
      case ValueKind::kWeights:
        out_.why += by_name ? ", and its rows sum to 1" : "; rows sum to 1, so they are weights";
        return;
      case ValueKind::kScores:
        out_.reading = TensorReading::kScores;
        out_.why += concat("; '", name,
                           "' has values outside 0 to 1, so it holds scores from before "
                           "the softmax");
        out_.ambiguous.push_back(
            "values outside 0 to 1 are read as scores; --input weights refuses "
            "them");
        return;
      case ValueKind::kUnclear:
        out_.why += "; its values lie in 0 to 1, but rows do not sum to 1";
        out_.ambiguous.push_back("rows do not sum to 1: --input scores reads them as scores");
        return;
    }
  }

  const TensorSource& source_;
  const TensorOptions& options_;
  std::vector<Candidate> all_;
  Recognition out_;
};

}  // namespace

std::string_view reading_name(TensorReading reading) {
  switch (reading) {
    case TensorReading::kWeights:
      return "weights";
    case TensorReading::kScores:
      return "scores";
    case TensorReading::kQueriesKeys:
      return "qk";
    case TensorReading::kMultihead:
      return "mha";
  }
  return "";
}

Recognition recognise(const TensorSource& source, const TensorOptions& options) {
  return Recogniser(source, options).run();
}

}  // namespace mha
