// The tensors of a checkpoint by their names, in the shapes that the model needs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mha/attention/stack.hpp"
#include "mha/model/layers.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

// What a matrix maps from and to, and how the file has it.
struct LinearShape {
  std::size_t n_in = 0;
  std::size_t n_out = 0;
  bool has_bias = true;
  bool is_prediction = false;  // stored (n_out, n_in) in every family
};

struct NamedLinear {
  std::string name;
  LinearShape shape;
};

// Names are whole but for ".weight" and ".bias"; full_name() puts the prefix in front.
class Checkpoint {
 public:
  // `prefix` stands in front of the names of the layers, or is left out in all of them.
  Checkpoint(std::shared_ptr<const TensorSource> source, std::string_view prefix,
             bool weights_are_in_out);

  std::string full_name(std::string_view name) const { return prefix_ + std::string(name); }
  bool has(const std::string& tensor) const { return index_.contains(tensor); }

  // Each looks at the header alone, and throws Error(kInput) that names the tensor when it has
  // another shape or no floats, or is a bias that the model should not have.
  void use_linear(const std::string& name, const LinearShape& shape);
  void use_norm(const std::string& name, NormKind kind, std::size_t width);
  void use_table(const std::string& name, std::size_t rows, std::size_t width);
  void use(std::size_t index, const Shape& shape);
  // Throws Error(kInput) that names tensors of those calls which the file does not have.
  void check_all_there() const;
  // Tensors of the file that nobody called one of these for.
  std::vector<std::string> unused() const;

  // The following are for what was looked at before.
  //
  // Several matrices of one input side by side, (n_in, sum of n_out); all have biases, or none.
  Projection projection(std::span<const NamedLinear> parts, std::size_t n_threads) const;
  // As the file has it, in place where it allows it.
  Linear linear(const std::string& name, const LinearShape& shape, std::size_t n_threads) const;
  Norm norm(const std::string& name, NormKind kind, double epsilon) const;
  // Rows [first, first + count) of a tensor with two axes.
  void read_rows(std::size_t index, std::size_t first, std::size_t count, float* out) const;
  // Adds a row of a table to `sum`.
  void add_row(const std::string& name, std::size_t row, std::span<float> sum) const;
  std::vector<float> vector(const std::string& tensor) const;
  std::size_t find(const std::string& tensor) const;

 private:
  void use_named(const std::string& full_name, const Shape& shape);
  std::string norm_part(const std::string& name, const char* part) const;
  [[noreturn]] void fail_missing(const std::string& full_name, const std::string& more) const;
  bool is_in_out(const LinearShape& shape) const {
    return weights_are_in_out_ && !shape.is_prediction;
  }
  Shape stored_shape(const LinearShape& shape) const;
  std::vector<float> vector(std::size_t index) const;

  std::shared_ptr<const TensorSource> source_;
  std::string prefix_;
  bool weights_are_in_out_;
  std::unordered_map<std::string_view, std::size_t> index_;  // by the name in the file
  std::vector<bool> is_used_;
  std::vector<std::string> missing_;
};

}  // namespace mha
