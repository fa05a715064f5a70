#include "checkpoint.hpp"

#include <algorithm>
#include <array>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {

Checkpoint::Checkpoint(std::shared_ptr<const TensorSource> source, std::string_view prefix,
                       bool weights_are_in_out)
    : source_(std::move(source)), weights_are_in_out_(weights_are_in_out) {
  const std::vector<TensorInfo>& tensors = source_->tensors();
  for (std::size_t i = 0; i < tensors.size(); ++i) index_.emplace(tensors[i].name, i);
  const bool has_prefix = std::ranges::any_of(
      tensors, [&](const TensorInfo& info) { return info.name.starts_with(prefix); });
  if (has_prefix) prefix_ = prefix;
  is_used_.assign(tensors.size(), false);
}

std::vector<std::string> Checkpoint::unused() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < is_used_.size(); ++i) {
    if (!is_used_[i]) out.push_back(source_->tensors()[i].name);
  }
  return out;
}

std::size_t Checkpoint::find(const std::string& full_name) const {
  const auto found = index_.find(full_name);
  if (found == index_.end()) fail_missing(full_name, "");
  return found->second;
}

void Checkpoint::fail_missing(const std::string& full_name, const std::string& more) const {
  std::vector<std::string> names;
  for (const TensorInfo& info : source_->tensors()) names.push_back(info.name);
  fail_input(concat("tensor '", full_name, "': missing", more), spelling_hint(full_name, names));
}

void Checkpoint::check_all_there() const {
  if (missing_.empty()) return;
  constexpr std::size_t kNamed = 20;
  std::vector<std::string> others(missing_.begin() + 1, missing_.end());
  const std::size_t n_unnamed = others.size() - std::min(kNamed, others.size());
  others.resize(others.size() - n_unnamed);
  std::string more;
  if (!others.empty()) more = "; also missing: " + join(others, ", ");
  if (n_unnamed > 0) more += concat(" and ", n_unnamed, " more");
  fail_missing(missing_.front(), more);
}

// "weight" and "bias" were "gamma" and "beta" in the first checkpoints of BERT.
std::string Checkpoint::norm_part(const std::string& name, const char* part) const {
  const bool is_weight = std::string_view(part) == "weight";
  std::string old = concat(name, is_weight ? ".gamma" : ".beta");
  return has(old) ? old : concat(name, ".", part);
}

void Checkpoint::use_named(const std::string& full_name, const Shape& shape) {
  const auto found = index_.find(full_name);
  if (found == index_.end()) {
    missing_.push_back(full_name);
  } else {
    use(found->second, shape);
  }
}

void Checkpoint::use(std::size_t index, const Shape& shape) {
  const TensorInfo& info = source_->tensors()[index];
  is_used_[index] = true;
  // Integers are quantised weights: without their scales they mean nothing.
  static constexpr std::array kFloats = {DType::kF64, DType::kF32, DType::kF16, DType::kBF16};
  if (std::ranges::find(kFloats, info.dtype) == kFloats.end()) {
    fail_input(concat("tensor '", info.name,
                      "': not floating-point numbers; expected F32, F16, BF16 or F64, got ",
                      dtype_name(info.dtype)));
  }
  if (info.shape == shape) return;
  fail_input(concat("tensor '", info.name, "': wrong shape; expected ", shape_text(shape), ", got ",
                    shape_text(info.shape)));
}

Shape Checkpoint::stored_shape(const LinearShape& shape) const {
  return is_in_out(shape) ? Shape{shape.n_in, shape.n_out} : Shape{shape.n_out, shape.n_in};
}

void Checkpoint::use_linear(const std::string& name, const LinearShape& shape) {
  use_named(name + ".weight", stored_shape(shape));
  if (shape.has_bias) {
    use_named(name + ".bias", {shape.n_out});
  } else if (has(name + ".bias")) {
    fail_input(concat("tensor '", name,
                      ".bias': a bias that the model should not have by its "
                      "configuration"));
  }
}

void Checkpoint::use_norm(const std::string& name, NormKind kind, std::size_t width) {
  use_named(norm_part(name, "weight"), {width});
  if (kind == NormKind::kLayerNorm) use_named(norm_part(name, "bias"), {width});
}

void Checkpoint::use_table(const std::string& name, std::size_t rows, std::size_t width) {
  use_named(name + ".weight", {rows, width});
}

std::vector<float> Checkpoint::vector(std::size_t index) const {
  const Tensor tensor = source_->read(index);
  return {tensor.data.begin(), tensor.data.end()};
}

std::vector<float> Checkpoint::vector(const std::string& full_name) const {
  return vector(find(full_name));
}

Projection Checkpoint::projection(std::span<const NamedLinear> parts, std::size_t n_threads) const {
  std::size_t n_out = 0;
  for (const NamedLinear& part : parts) n_out += part.shape.n_out;
  Projection out{Matrix(parts.front().shape.n_in, n_out), {}};
  std::size_t first = 0;
  for (const NamedLinear& part : parts) {
    const Linear stored = linear(part.name, part.shape, n_threads);
    const Shape sizes = stored_shape(part.shape);
    const ConstMatrix from{stored.weight.data(), sizes[0], sizes[1], sizes[1]};
    const MatrixView to = out.weight.view().col_range(first, part.shape.n_out);
    if (stored.is_out_in) {
      transpose(from, to, n_threads);
    } else {
      copy(from, to, n_threads);
    }
    out.bias.insert(out.bias.end(), stored.bias.begin(), stored.bias.end());
    first += part.shape.n_out;
  }
  return out;
}

Linear Checkpoint::linear(const std::string& name, const LinearShape& shape,
                          std::size_t n_threads) const {
  Linear out;
  out.weight = load_floats(source_, find(name + ".weight")).in_memory(n_threads);
  out.n_in = shape.n_in;
  out.n_out = shape.n_out;
  out.is_out_in = !is_in_out(shape);
  if (shape.has_bias) out.bias = vector(name + ".bias");
  return out;
}

Norm Checkpoint::norm(const std::string& name, NormKind kind, double epsilon) const {
  Norm out{kind, epsilon, vector(norm_part(name, "weight")), {}};
  if (kind == NormKind::kLayerNorm) out.bias = vector(norm_part(name, "bias"));
  return out;
}

void Checkpoint::read_rows(std::size_t index, std::size_t first, std::size_t count,
                           float* out) const {
  const std::size_t width = source_->tensors()[index].shape[1];
  source_->read_part(index, first * width, count * width, out);
}

void Checkpoint::add_row(const std::string& name, std::size_t row, std::span<float> sum) const {
  std::vector<float> values(sum.size());
  read_rows(find(name + ".weight"), row, 1, values.data());
  for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += values[c];
}

}  // namespace mha
