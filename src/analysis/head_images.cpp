#include "head_images.hpp"

#include <algorithm>
#include <array>

#include "mha/tensor/gemm.hpp"

namespace mha {

double dot(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t kLanes = 8;  // independent sums, so that the loop can use vectors
  std::array<double, kLanes> sums{};
  const std::size_t whole = a.size() / kLanes * kLanes;
  for (std::size_t c = 0; c < whole; c += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += static_cast<double>(a[c + lane]) * static_cast<double>(b[c + lane]);
    }
  }
  double total = 0;
  for (double sum : sums) total += sum;
  for (std::size_t c = whole; c < a.size(); ++c) {
    total += static_cast<double>(a[c]) * static_cast<double>(b[c]);
  }
  return total;
}

ConstMatrix image_of(ConstMatrix rows, ConstMatrix w, FloatVector* scratch) {
  if (w.data == nullptr) return rows;
  scratch->resize(rows.rows * w.cols);
  const MatrixView image{scratch->data(), rows.rows, w.cols, w.cols};
  gemm(1.0F, rows, w, 0.0F, image);
  return image;
}

std::size_t HeadImages::tile_rows(const LayerValues& values) {
  constexpr std::size_t kTileFloats = std::size_t{4} << 20;
  constexpr std::size_t kFewest = 8;
  constexpr std::size_t kMost = 64;
  const std::size_t floats_a_row = values.layout.n_heads * values.d_out();
  return std::clamp(kTileFloats / std::max<std::size_t>(1, floats_a_row), kFewest, kMost);
}

void HeadImages::load_values(std::size_t first, std::size_t n_rows) {
  for (std::size_t h = 0; h < values_.layout.n_heads; ++h) {
    load(h, values_.v.head(values_.layout.kv_head(h)).row_range(first, n_rows));
  }
}

void HeadImages::load_heads(ConstMatrix heads, std::size_t first, std::size_t n_rows) {
  const std::size_t d_value = values_.layout.d_value;
  for (std::size_t h = 0; h < values_.layout.n_heads; ++h) {
    load(h, heads.block(first, n_rows, h * d_value, d_value));
  }
}

void HeadImages::load(std::size_t head, ConstMatrix rows) {
  scratch_.resize(values_.layout.n_heads);
  images_.resize(values_.layout.n_heads);
  images_[head] = image_of(rows, values_.w_o_of(head), &scratch_[head]);
}

double HeadImages::product(std::size_t head, std::size_t other, std::size_t row) const {
  if (first_column(head) != first_column(other)) return 0;
  return dot(image(head, row), image(other, row));
}

}  // namespace mha
