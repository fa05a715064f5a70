// The tensors of a checkpoint by their names, in the shapes that the model needs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mha/attention/stack.hpp"
#include "mha/model/layers.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

// How large a matrix is on the way from its input to its output.
struct InOut {
  std::size_t n_in = 0;
  std::size_t n_out = 0;
};

class Checkpoint {
 public:
  // `prefix` stands in front of the names, or is left out in all of them.
  Checkpoint(std::shared_ptr<const TensorSource> source, std::string_view prefix,
             bool weights_are_in_out);

  // Each throws Error(kInput) that names the tensor when it is missing or has another shape; the
  // check functions look at the header alone. Names are without ".weight" and ".bias".
  void check_linear(const std::string& name, InOut size) const;
  void check_norm(const std::string& name, std::size_t width) const;

  Projection linear(const std::string& name, InOut size) const;
  LayerNorm norm(const std::string& name, std::size_t width) const;
  // (rows, width), in place where the file allows it.
  FloatStorage table(const std::string& name, std::size_t rows, std::size_t width) const;
  // Tensors of the file that nobody asked for so far.
  std::vector<std::string> unused() const;

 private:
  std::size_t find(const std::string& name) const;
  std::size_t find_norm(const std::string& name, const char* part) const;
  void check_shape(std::size_t index, const Shape& shape) const;
  Shape linear_shape(InOut size) const;

  std::shared_ptr<const TensorSource> source_;
  std::string prefix_;
  bool weights_are_in_out_;
  std::unordered_map<std::string_view, std::size_t> index_;  // by the name in the file
  // All are asked for while the model is opened, by one thread; later nothing is written here.
  mutable std::vector<bool> is_used_;
};

}  // namespace mha
