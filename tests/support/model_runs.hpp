// Checkpoints run whole, and what other engines say of them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "mha/io/tensor_files.hpp"
#include "mha/model/transformer.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"
#include "support/scratch.hpp"

namespace mha::test {

inline std::shared_ptr<const Transformer> open_model(const std::string& folder) {
  return Transformer::open(read_text(folder + "/config.json"),
                           open_tensor_path(folder + "/model.safetensors", SIZE_MAX));
}

struct Computed {
  std::vector<float> weights;  // (layer, head, query, key)
  std::vector<Matrix> hidden;  // a layer
};

inline Computed compute(const TransformerRows& rows, std::size_t n_threads = 0) {
  Computed out;
  for (std::size_t l = 0; l < rows.layers().size(); ++l) {
    Collect sink(rows.layers()[l].n_heads, rows.layers()[l].shape);
    StreamOptions options;
    options.n_threads = n_threads;
    options.layers = {l, l + 1};
    std::vector<Matrix> outputs;
    options.outputs = &outputs;
    rows.stream(sink, options);
    out.weights.insert(out.weights.end(), sink.weights.begin(), sink.weights.end());
    REQUIRE(outputs.size() == 1);
    out.hidden.push_back(std::move(outputs.front()));
  }
  return out;
}

template <typename A, typename B>
double largest_difference(const A& a, const B& b) {
  REQUIRE(std::size(a) == std::size(b));
  double largest = 0;
  for (std::size_t i = 0; i < std::size(a); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

inline std::vector<float> values(const Matrix& m) {
  std::vector<float> out;
  for (std::size_t i = 0; i < m.rows(); ++i) {
    out.insert(out.end(), m.view().row(i).begin(), m.view().row(i).end());
  }
  return out;
}

inline bool has(const TensorSource& source, const std::string& name) {
  for (const TensorInfo& info : source.tensors()) {
    if (info.name == name) return true;
  }
  return false;
}

template <typename T>
std::vector<T> integers(const TensorSource& source, const std::string& name) {
  if (!has(source, name)) return {};
  const Tensor tensor = read_tensor(source, name);
  return {tensor.data.begin(), tensor.data.end()};
}

}  // namespace mha::test
