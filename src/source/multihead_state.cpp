#include "multihead_state.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/model/layers.hpp"
#include "mha/tensor/norm.hpp"

namespace mha {
namespace {

constexpr const char* kProbes[] = {"in_proj_weight", "q_proj_weight"};

// Prefixes of the attention modules in the file, in the order of their layers.
std::vector<std::string> module_prefixes(const TensorSource& source) {
  std::set<std::pair<std::size_t, std::string>> found;  // by length first: "layers.2" before ".10"
  for (const TensorInfo& info : source.tensors()) {
    for (const std::string_view probe : kProbes) {
      if (!info.name.ends_with(probe)) continue;
      const std::string prefix = info.name.substr(0, info.name.size() - probe.size());
      found.emplace(prefix.size(), prefix);
    }
  }
  std::vector<std::string> out;
  for (const auto& [length, prefix] : found) out.push_back(prefix);
  return out;
}

// Reads parameters by name and checks their shapes.
class Parameters {
 public:
  explicit Parameters(const TensorSource& source) : source_(source) {}

  bool has(const std::string& name) const {
    return std::ranges::any_of(source_.tensors(),
                               [&](const TensorInfo& info) { return info.name == name; });
  }

  // A matrix (out, in) of PyTorch as ours (in, out).
  Matrix transposed(const std::string& name, std::optional<std::size_t> inputs) const {
    const Tensor tensor = read_tensor(source_, name);
    if (tensor.shape.size() != 2 || (inputs && tensor.shape[1] != *inputs)) {
      fail_input(concat("tensor '", name, "': wrong shape; expected (outputs, ",
                        inputs ? std::to_string(*inputs) : "inputs", "), got ",
                        shape_text(tensor.shape)));
    }
    return mha::transposed(as_matrix(tensor));
  }

  // A vector of this length, or nothing when the file has none.
  std::vector<float> vector(const std::string& name, std::size_t size) const {
    if (!has(name)) return {};
    const Tensor tensor = read_tensor(source_, name);
    if (tensor.data.size() != size) {
      fail_input(
          concat("tensor '", name, "': wrong size; expected ", size, ", got ", tensor.data.size()));
    }
    return {tensor.data.begin(), tensor.data.end()};
  }

  Projection linear(const std::string& name, std::size_t inputs) const {
    Projection out{transposed(name + ".weight", inputs), {}};
    out.bias = vector(name + ".bias", out.weight.cols());
    return out;
  }

 private:
  const TensorSource& source_;
};

struct InputProjections {
  Projection q, k, v;
};

// One fused matrix (3 d, d), or one for each of Q, K and V; the bias is fused in both.
InputProjections input_projections(const Parameters& parameters, const std::string& prefix,
                                   std::size_t d_model, std::size_t d_context) {
  InputProjections out;
  if (parameters.has(prefix + "in_proj_weight")) {
    Projection all{parameters.transposed(prefix + "in_proj_weight", d_model), {}};
    if (all.weight.cols() != 3 * d_model) {
      fail_input(concat("tensor '", prefix, "in_proj_weight': wrong shape; expected ", 3 * d_model,
                        "x", d_model, ", got ", all.weight.cols(), "x", d_model));
    }
    all.bias = parameters.vector(prefix + "in_proj_bias", 3 * d_model);
    out.q = columns_of(all, 0, d_model);
    out.k = columns_of(all, d_model, d_model);
    out.v = columns_of(all, 2 * d_model, d_model);
    return out;
  }
  const std::vector<float> bias = parameters.vector(prefix + "in_proj_bias", 3 * d_model);
  Projection* const parts[] = {&out.q, &out.k, &out.v};
  const char* const names[] = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
  for (std::size_t p = 0; p < 3; ++p) {
    parts[p]->weight = parameters.transposed(prefix + names[p], p == 0 ? d_model : d_context);
    if (bias.empty()) continue;
    const auto from = bias.begin() + static_cast<std::ptrdiff_t>(p * d_model);
    parts[p]->bias.assign(from, from + static_cast<std::ptrdiff_t>(d_model));
  }
  return out;
}

// Puts one more row under a matrix: bias_k and bias_v.
Matrix with_row(const Matrix& matrix, const std::vector<float>& row) {
  Matrix out(matrix.rows() + 1, matrix.cols());
  std::copy_n(matrix.data(), matrix.rows() * matrix.cols(), out.data());
  std::ranges::copy(row, out.view().row(matrix.rows()).begin());
  return out;
}

FloatStorage to_storage(const Matrix& matrix) {
  return FloatStorage(FloatVector(matrix.data(), matrix.data() + matrix.rows() * matrix.cols()));
}

HeadViews heads_of(const FloatStorage& data, std::size_t cols, std::size_t width) {
  return heads_in_columns({data.data(), data.size() / cols, cols, cols}, width);
}

// The tensor of one of these names as (tokens, width), if there is one; of a batch one item.
std::optional<Matrix> find_tokens(const TensorSource& source,
                                  const std::vector<std::string_view>& names,
                                  const TensorOptions& options) {
  const std::vector<TensorInfo>& infos = source.tensors();
  const auto found = std::ranges::find_if(infos, [&](const TensorInfo& info) {
    return std::ranges::find(names, std::string_view(info.name)) != names.end();
  });
  if (found == infos.end()) return std::nullopt;
  Tensor x = source.read(static_cast<std::size_t>(found - infos.begin()));
  Shape shape = x.shape;
  if (shape.size() == 3) {
    const std::size_t batch = options.batch_index.value_or(0);
    if (batch >= shape[0]) {
      fail_input(concat("--batch-index ", batch, ": '", found->name, "' has ", shape[0], " items"));
    }
    const auto size = static_cast<std::ptrdiff_t>(shape[1] * shape[2]);
    const auto from = x.data.begin() + static_cast<std::ptrdiff_t>(batch) * size;
    x.data = FloatVector(from, from + size);
    shape.erase(shape.begin());
  }
  if (shape.size() != 2 || x.data.empty()) {
    fail_input(concat("tensor '", found->name, "': wrong shape; expected (tokens, d_model), got ",
                      shape_text(x.shape)));
  }
  return Matrix(shape[0], shape[1], std::move(x.data));
}

Matrix find_x(const TensorSource& source, const TensorOptions& options) {
  const TensorSource& from = options.embeddings ? *options.embeddings : source;
  std::vector<std::string_view> names = {"x",      "X",          "input",
                                         "inputs", "embeddings", "hidden_states"};
  if (options.embeddings && from.tensors().size() == 1) names = {from.tensors()[0].name};
  std::optional<Matrix> x = find_tokens(from, names, options);
  if (x) return std::move(*x);
  fail_input("there are parameters of nn.MultiheadAttention, but no X to run them on",
             "store it beside them as a tensor 'x' (tokens, d_model), or give --embeddings FILE");
}

// Runs one module after another.
class MultiheadReader {
 public:
  MultiheadReader(const TensorSource& source, const TensorOptions& options)
      : parameters_(source),
        options_(options),
        x_(find_x(source, options)),
        context_(find_tokens(source, {"context", "memory"}, options)) {
    if (!options.n_heads) {
      fail_input("parameters of nn.MultiheadAttention do not say how many heads there are",
                 "add --n-heads N");
    }
    if (x_.cols() % *options.n_heads != 0) {
      fail_input(concat("--n-heads: does not divide d_model; expected a divisor of ", x_.cols(),
                        ", got ", *options.n_heads));
    }
  }

  MultiheadInput run(const std::vector<std::string>& prefixes) {
    out_.n_query = x_.rows();
    out_.n_context = context_ ? context_->rows() : 0;
    for (std::size_t l = 0; l < prefixes.size(); ++l) {
      add_layer(prefixes[l]);
      if (l + 1 < prefixes.size()) finish_encoder_layer(prefixes[l]);
    }
    return std::move(out_);
  }

 private:
  void add_layer(const std::string& prefix) {
    const std::size_t d_model = x_.cols();
    const std::size_t d_head = d_model / *options_.n_heads;
    const ConstMatrix x = std::as_const(x_).view();
    const ConstMatrix keys_from = context_ ? std::as_const(*context_).view() : x;
    const InputProjections in = input_projections(parameters_, prefix, d_model, keys_from.cols);
    check_width("the context", keys_from.cols, in.k.weight.rows());
    Matrix q = apply(in.q, x, 0);
    Matrix k = apply(in.k, keys_from, 0);
    Matrix v = apply(in.v, keys_from, 0);
    QkvLayer layer;
    const std::vector<float> extra_k = parameters_.vector(prefix + "bias_k", d_model);
    const std::vector<float> extra_v = parameters_.vector(prefix + "bias_v", d_model);
    if (!extra_k.empty() && !extra_v.empty()) {
      k = with_row(k, extra_k);
      v = with_row(v, extra_v);
      out_.has_extra_key = true;
    }
    layer.layout = {*options_.n_heads, *options_.n_heads, d_head, d_head};
    // The extra key has no position, so neither have the others beside it.
    layer.shape = {q.rows(), k.rows(), context_.has_value() || out_.has_extra_key};
    set_rule(&layer);
    layer.q_data = to_storage(q);
    layer.k_data = to_storage(k);
    layer.v_data = to_storage(v);
    layer.q = heads_of(layer.q_data, d_model, d_head);
    layer.k = heads_of(layer.k_data, d_model, d_head);
    layer.v = heads_of(layer.v_data, d_model, d_head);
    if (parameters_.has(prefix + "out_proj.weight")) {
      layer.o = parameters_.linear(prefix + "out_proj", d_model);
    }
    out_.layers.push_back(std::move(layer));
  }

  static void check_width(const char* what, std::size_t got, std::size_t expected) {
    if (got == expected) return;
    fail_input(concat(what, " has the wrong width; expected ", expected, ", got ", got));
  }

  // A causal rule beside an extra key becomes an explicit mask: that key is always allowed.
  void set_rule(QkvLayer* layer) const {
    const bool causal = options_.rule.causal.value_or(false);
    layer->rule.scale = options_.rule.scale;
    layer->rule.softcap = options_.rule.softcap;
    if (!layer->shape.is_cross) {
      layer->rule.mask.causal = causal;
      layer->rule.mask.window = options_.rule.window;
      return;
    }
    if (!causal) return;
    if (context_) fail_input("--causal needs positions, and cross-attention has none");
    const std::size_t n_key = layer->shape.n_key;
    layer->rule.mask.mask.assign(layer->shape.n_query * n_key, 0);
    for (std::size_t i = 0; i < layer->shape.n_query; ++i) {
      for (std::size_t j = 0; j < n_key; ++j) {
        if (j <= i || j + 1 == n_key) layer->rule.mask.mask[i * n_key + j] = 1;
      }
    }
  }

  // The rest of torch.nn.TransformerEncoderLayer with its defaults: X = norm1(X + attention),
  // X = norm2(X + W2 relu(W1 X)).
  void finish_encoder_layer(const std::string& prefix) {
    const std::string module =
        prefix.substr(0, prefix.size() - std::min(prefix.size(), kSelf.size()));
    if (!prefix.ends_with(kSelf) || !parameters_.has(module + "linear1.weight")) {
      fail_input(concat("after '", prefix,
                        "' there is no feed-forward part to reach the next layer; "
                        "expected '",
                        module, "linear1.weight', norm1, linear2 and norm2"),
                 "--tensor NAME reads one layer alone");
    }
    QkvLayers one({out_.layers.back()});
    NoRows ignore;
    std::vector<Matrix> outputs;
    StreamOptions stream;
    stream.outputs = &outputs;
    one.stream(ignore, stream);
    const std::size_t d_model = x_.cols();
    add_to(x_.view(), outputs[0].view());
    norm(module + "norm1");
    Matrix hidden = apply(parameters_.linear(module + "linear1", d_model), x_.view(), 0);
    activate(Activation::kRelu, hidden.view(), 0);
    add_to(x_.view(),
           apply(parameters_.linear(module + "linear2", hidden.cols()), hidden.view(), 0).view());
    norm(module + "norm2");
    if (out_.notes.empty()) {
      out_.notes.emplace_back(
          "encoder layers run with PyTorch's defaults: ReLU, norm after the sum, eps 1e-5");
    }
  }

  void norm(const std::string& name) {
    constexpr double kEpsilon = 1e-5;  // PyTorch's default
    const std::vector<float> weight = parameters_.vector(name + ".weight", x_.cols());
    if (weight.empty()) fail_input("no tensor named '" + name + ".weight'");
    layer_norm(weight, parameters_.vector(name + ".bias", x_.cols()), kEpsilon, x_.view());
  }

  static constexpr std::string_view kSelf = "self_attn.";

  const Parameters parameters_;
  const TensorOptions& options_;
  Matrix x_;
  const std::optional<Matrix> context_;
  MultiheadInput out_;
};

}  // namespace

bool has_multihead_state(const TensorSource& source) {
  return !module_prefixes(source).empty();
}

MultiheadInput open_multihead(const TensorSource& source, const TensorOptions& options) {
  std::vector<std::string> prefixes = module_prefixes(source);
  std::erase_if(prefixes, [&](const std::string& prefix) {
    return prefix.find(options.tensor) == std::string::npos;
  });
  if (prefixes.empty()) fail_input("no attention module's name contains '" + options.tensor + "'");
  return MultiheadReader(source, options).run(prefixes);
}

}  // namespace mha
