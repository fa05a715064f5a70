// Axes of arrays by letters: l layer, b batch, h head, q query, k key, n token, d width of a head.
#pragma once

#include <string>
#include <vector>

#include "mha/tensor/storage.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

// An array whose axes stand in a fixed order; axes that it does not have are 1 long.
struct OrderedArray {
  FloatStorage data;
  Shape shape;  // one number a letter of the order
};

// Throws Error(kInput) unless `axes` has one known letter for each axis of `shape`, none twice, and
// all of `required`.
void check_axes(const std::string& axes, const Shape& shape, const std::string& allowed,
                const std::string& required);

// The array with its axes in the order of `order` ("lbhqk"). The storage is shared when they are in
// that order already, else copied.
OrderedArray in_order(const FloatStorage& data, const Shape& shape, const std::string& axes,
                      const std::string& order);

// The axes of an array of attention weights by its rank. `is_per_layer`: there is one array a
// layer, so that none of its axes is the layer.
std::string default_attention_axes(const Shape& shape, bool is_per_layer);

// "(layer, head, query, key)".
std::string axes_text(const std::string& axes);

}  // namespace mha
