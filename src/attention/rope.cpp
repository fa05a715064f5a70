#include "mha/attention/rope.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "mha/base/checked.hpp"
#include "mha/base/parallel.hpp"

namespace mha {
namespace {

constexpr std::size_t kRowsPerItem = 256;

struct Rotation {
  float cosine;
  float sine;
};

// The rotation of each pair at one position.
void fill_rotations(const Rope& rope, std::size_t position, std::vector<Rotation>* rotations) {
  const auto d_rot = static_cast<double>(2 * rotations->size());
  for (std::size_t t = 0; t < rotations->size(); ++t) {
    const double frequency = rope.frequencies.empty()
                                 ? std::pow(rope.theta, -2.0 * static_cast<double>(t) / d_rot)
                                 : rope.frequencies[t];
    const double angle = static_cast<double>(position) * frequency;
    (*rotations)[t] = {static_cast<float>(rope.magnitude * std::cos(angle)),
                       static_cast<float>(rope.magnitude * std::sin(angle))};
  }
}

void rotate_head(RopePairing pairing, const std::vector<Rotation>& rotations, float* head) {
  const std::size_t n_pairs = rotations.size();
  for (std::size_t t = 0; t < n_pairs; ++t) {
    float& a = pairing == RopePairing::kHalf ? head[t] : head[2 * t];
    float& b = pairing == RopePairing::kHalf ? head[t + n_pairs] : head[2 * t + 1];
    const Rotation& turn = rotations[t];
    const float rotated_a = a * turn.cosine - b * turn.sine;
    b = a * turn.sine + b * turn.cosine;
    a = rotated_a;
  }
}

}  // namespace

void apply_rope(const Rope& rope, std::size_t first_position, std::size_t d_head, MatrixView x,
                std::size_t n_threads) {
  const std::size_t n_pairs = rotated_dims(rope, d_head) / 2;
  parallel_for(ceil_div(x.rows, kRowsPerItem), n_threads, [&](std::size_t item, std::size_t) {
    std::vector<Rotation> rotations(n_pairs);
    const std::size_t end = std::min(x.rows, (item + 1) * kRowsPerItem);
    for (std::size_t i = item * kRowsPerItem; i < end; ++i) {
      fill_rotations(rope, first_position + i, &rotations);
      for (std::size_t col = 0; col < x.cols; col += d_head) {
        rotate_head(rope.pairing, rotations, x.row(i).data() + col);
      }
    }
  });
}

void add_sinusoidal_positions(MatrixView x) {
  const auto d_model = static_cast<double>(x.cols);
  for (std::size_t p = 0; p < x.rows; ++p) {
    for (std::size_t c = 0; c < x.cols; ++c) {
      const double exponent = static_cast<double>(c - c % 2) / d_model;
      const double angle = static_cast<double>(p) / std::pow(10000.0, exponent);
      x(p, c) += static_cast<float>(c % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

}  // namespace mha
