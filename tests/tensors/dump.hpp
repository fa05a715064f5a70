// All weights and outputs of an input, and sources made of tensors in memory.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mha/source/tensor_input.hpp"

#include "support/collect.hpp"

namespace mha::test {

struct Dump {
  std::vector<std::vector<float>> layers;   // (head, query, key)
  std::vector<std::vector<float>> outputs;  // (query, d)
  std::vector<std::vector<std::uint8_t>> allowed;
};

inline Dump dump(const OpenedInput& input) {
  class Sink : public RowSink {
   public:
    explicit Sink(const RowSource& rows) {
      for (const LayerInfo& l : rows.layers()) layers.emplace_back(l.n_heads, l.shape);
    }
    void add(const RowBlock& block) override { layers[block.layer].add(block); }
    std::vector<Collect> layers;
  };
  Sink sink(*input.rows);
  std::vector<Matrix> outputs;
  StreamOptions options;
  options.outputs = &outputs;
  input.rows->stream(sink, options);
  Dump out;
  for (const Collect& layer : sink.layers) {
    out.layers.push_back(layer.weights);
    out.allowed.push_back(layer.allowed);
  }
  for (const Matrix& y : outputs) {
    out.outputs.emplace_back(y.data(), y.data() + y.rows() * y.cols());
  }
  return out;
}

template <typename Floats>
double largest_difference(const std::vector<float>& got, const Floats& expected) {
  if (got.size() != expected.size()) return INFINITY;
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double d = std::fabs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    if (!(d <= largest)) largest = d;
  }
  return largest;
}

// A source of tensors that a test makes.
class MemorySource : public TensorSource {
 public:
  MemorySource& add(std::string name, Shape shape, std::vector<float> values) {
    infos_.push_back({std::move(name), DType::kF32, shape});
    tensors_.push_back({std::move(shape), FloatVector(values.begin(), values.end())});
    return *this;
  }
  const std::vector<TensorInfo>& tensors() const override { return infos_; }
  Tensor read(std::size_t index) const override { return tensors_[index]; }
  std::span<const float> floats(std::size_t index) const override { return tensors_[index].data; }
  const FloatCopier* copier(std::size_t) const override { return nullptr; }

 private:
  std::vector<TensorInfo> infos_;
  std::vector<Tensor> tensors_;
};

// Rows that sum to 1, different for each row.
inline std::vector<float> weight_rows(std::size_t n_rows, std::size_t n_key) {
  std::vector<float> out(n_rows * n_key);
  for (std::size_t r = 0; r < n_rows; ++r) {
    float sum = 0;
    for (std::size_t j = 0; j < n_key; ++j) {
      sum += out[r * n_key + j] = 1.0F + static_cast<float>((r * 7 + j * 3) % 5);
    }
    for (std::size_t j = 0; j < n_key; ++j) out[r * n_key + j] /= sum;
  }
  return out;
}

}  // namespace mha::test
