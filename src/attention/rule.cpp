#include "mha/attention/rule.hpp"

#include <bit>
#include <cmath>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

void check_heads(const HeadLayout& layout) {
  if (layout.n_heads == 0 || layout.n_kv_heads == 0) fail_input("there must be at least one head");
  if (layout.n_heads % layout.n_kv_heads != 0) {
    fail_input(concat("n_kv_heads does not divide n_heads; expected a divisor of ", layout.n_heads,
                      ", got ", layout.n_kv_heads));
  }
  if (layout.d_head == 0 || layout.d_value == 0) fail_input("d_head must be at least 1");
}

void check_numbers(const AttentionRule& rule) {
  if (!(rule.temperature > 0)) {
    fail_input(concat("temperature must be above 0, got ", rule.temperature));
  }
  if (rule.softcap && !(*rule.softcap > 0)) {
    fail_input(concat("softcap must be above 0, got ", *rule.softcap));
  }
  if (rule.position == PositionKind::kRope) {
    if (!(rule.rope.theta > 0)) fail_input(concat("theta must be above 0, got ", rule.rope.theta));
    if (!(rule.rope.fraction > 0 && rule.rope.fraction <= 1)) {
      fail_input(concat("fraction must be above 0 and at most 1, got ", rule.rope.fraction));
    }
  }
}

std::vector<double> power_of_two_slopes(std::size_t n) {
  std::vector<double> slopes(n);
  for (std::size_t h = 0; h < n; ++h) {
    slopes[h] = std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(n));
  }
  return slopes;
}

}  // namespace

double AttentionRule::scale_for(std::size_t d_head) const {
  return scale.value_or(1.0 / std::sqrt(static_cast<double>(d_head)));
}

std::size_t rotated_dims(const Rope& rope, std::size_t d_head) {
  const auto dims = static_cast<std::size_t>(rope.fraction * static_cast<double>(d_head));
  return dims / 2 * 2;
}

std::vector<double> alibi_slopes(std::size_t n_heads) {
  const std::size_t lower = std::bit_floor(n_heads);
  std::vector<double> slopes = power_of_two_slopes(lower);
  const std::vector<double> finer = power_of_two_slopes(2 * lower);
  for (std::size_t h = 0; slopes.size() < n_heads; h += 2) slopes.push_back(finer[h]);
  return slopes;
}

void check_rule(const AttentionRule& rule, const HeadLayout& layout, const AttentionShape& shape) {
  check_heads(layout);
  check_numbers(rule);
  check_mask(rule.mask, shape);
  if (shape.is_cross && rule.is_positional()) {
    fail_input(concat(rule.position == PositionKind::kRope ? "rope" : "alibi",
                      " needs positions, and queries and keys of cross-attention share none"));
  }
  if (rule.position == PositionKind::kRope && rotated_dims(rule.rope, layout.d_head) == 0) {
    fail_input(concat("rope has no pair of dimensions to rotate; d_head is ", layout.d_head,
                      ", fraction ", rule.rope.fraction));
  }
  const std::size_t n_pairs = rotated_dims(rule.rope, layout.d_head) / 2;
  const std::size_t n_frequencies = rule.rope.frequencies.size();
  if (rule.position == PositionKind::kRope && n_frequencies != 0 && n_frequencies != n_pairs) {
    fail_input(concat("rope has the wrong number of frequencies; expected ", n_pairs, ", got ",
                      n_frequencies));
  }
  if (rule.bias.empty()) return;
  if (rule.bias_heads != 1 && rule.bias_heads != layout.n_heads) {
    fail_input(concat("bias has the wrong number of heads; expected ", layout.n_heads, ", got ",
                      rule.bias_heads));
  }
  const std::size_t cells = checked_mul(shape.n_query, shape.n_key);
  if (rule.bias.size() != checked_mul(rule.bias_heads, cells)) {
    fail_input(concat("bias has the wrong number of entries; expected ", rule.bias_heads, "x",
                      shape.n_query, "x", shape.n_key, ", got ", rule.bias.size(), " numbers"));
  }
}

}  // namespace mha
