#include "checkpoint.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

std::vector<float> as_vector(const Tensor& tensor) {
  return {tensor.data.begin(), tensor.data.end()};
}

}  // namespace

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

std::size_t Checkpoint::find(const std::string& name) const {
  const auto found = index_.find(prefix_ + name);
  if (found != index_.end()) return found->second;
  std::vector<std::string> names;
  for (const TensorInfo& info : source_->tensors()) names.push_back(info.name);
  fail_input(concat("tensor '", prefix_, name, "': missing"), spelling_hint(prefix_ + name, names));
}

// "weight" and "bias" were "gamma" and "beta" in the first checkpoints of BERT.
std::size_t Checkpoint::find_norm(const std::string& name, const char* part) const {
  const bool is_weight = std::string_view(part) == "weight";
  const auto old = index_.find(concat(prefix_, name, is_weight ? ".gamma" : ".beta"));
  return old != index_.end() ? old->second : find(concat(name, ".", part));
}

void Checkpoint::check_shape(std::size_t index, const Shape& shape) const {
  const TensorInfo& info = source_->tensors()[index];
  if (!is_used_[index]) is_used_[index] = true;
  if (info.shape == shape) return;
  fail_input(concat("tensor '", info.name, "': wrong shape; expected ", shape_text(shape), ", got ",
                    shape_text(info.shape)));
}

Shape Checkpoint::linear_shape(InOut size) const {
  return weights_are_in_out_ ? Shape{size.n_in, size.n_out} : Shape{size.n_out, size.n_in};
}

void Checkpoint::check_linear(const std::string& name, InOut size) const {
  check_shape(find(name + ".weight"), linear_shape(size));
  check_shape(find(name + ".bias"), {size.n_out});
}

void Checkpoint::check_norm(const std::string& name, std::size_t width) const {
  for (const char* part : {"weight", "bias"}) check_shape(find_norm(name, part), {width});
}

Projection Checkpoint::linear(const std::string& name, InOut size) const {
  check_linear(name, size);
  Tensor weight = source_->read(find(name + ".weight"));
  Projection out;
  out.weight = weights_are_in_out_ ? Matrix(size.n_in, size.n_out, std::move(weight.data))
                                   : transposed(as_matrix(weight));
  out.bias = as_vector(source_->read(find(name + ".bias")));
  return out;
}

LayerNorm Checkpoint::norm(const std::string& name, std::size_t width) const {
  check_norm(name, width);
  return {as_vector(source_->read(find_norm(name, "weight"))),
          as_vector(source_->read(find_norm(name, "bias")))};
}

FloatStorage Checkpoint::table(const std::string& name, std::size_t rows, std::size_t width) const {
  const std::size_t index = find(name + ".weight");
  check_shape(index, {rows, width});
  return load_floats(source_, index);
}

}  // namespace mha
