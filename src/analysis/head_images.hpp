// Rows of all heads, each multiplied by its head's block of W_O, a few rows at a time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mha/attention/layer_observer.hpp"

namespace mha {

// Sum of products in double precision, in an order that follows from the length alone.
double dot(std::span<const float> a, std::span<const float> b);

// rows W (rows, W.cols) in `scratch`, which grows as needed; `rows` itself where W has no data.
ConstMatrix image_of(ConstMatrix rows, ConstMatrix w, FloatVector* scratch);

// Images of one tile of rows under all heads. Without W_O an image keeps only the columns of the
// output that belong to its head: those of other heads are zero.
class HeadImages {
 public:
  explicit HeadImages(const LayerValues& values) : values_(values) {}

  // Rows of a tile: about 16 MiB of images. Follows from the shapes alone.
  static std::size_t tile_rows(const LayerValues& values);

  // Images of rows [first, first + n_rows) of the values of each head.
  void load_values(std::size_t first, std::size_t n_rows);
  // The same of the head outputs, side by side in `heads` (rows, n_heads d_value).
  void load_heads(ConstMatrix heads, std::size_t first, std::size_t n_rows);

  std::span<const float> image(std::size_t head, std::size_t row) const {
    return images_[head].row(row);
  }
  // Where image(head, ...) starts in the output.
  std::size_t first_column(std::size_t head) const {
    return values_.w_o.data == nullptr ? head * values_.layout.d_value : 0;
  }
  // Inner product of the images of two heads.
  double product(std::size_t head, std::size_t other, std::size_t row) const;

 private:
  void load(std::size_t head, ConstMatrix rows);

  const LayerValues& values_;
  std::vector<FloatVector> scratch_;
  std::vector<ConstMatrix> images_;
};

}  // namespace mha
