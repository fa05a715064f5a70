// Everything about one attention layer that is not a tensor of the model: heads, scale, position
// rules and mask. docs/formulas.md gives the order in which the parts apply.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "mha/attention/mask.hpp"

namespace mha {

// Rotary position embedding pairs dimension t with t + d_rot/2 ("half", GPT-NeoX and Llama in
// Hugging Face form) or 2t with 2t + 1 ("interleaved", Su et al. 2021).
enum class RopePairing { kHalf, kInterleaved };

struct Rope {
  double theta = 10000;
  RopePairing pairing = RopePairing::kHalf;
  double fraction = 1;  // rotates the first fraction * d_head dimensions, rounded down to even
  // Turns of each pair a position (radians), where they are not those of theta: d_rot/2, or none.
  std::vector<double> frequencies = {};
  double magnitude = 1;  // also makes queries and keys this much longer (yarn)
};

enum class PositionKind { kNone, kRope, kAlibi };

// How many heads there are and how wide they are. Query head h reads key-value head
// h / (n_heads / n_kv_heads).
struct HeadLayout {
  std::size_t n_heads = 1;
  std::size_t n_kv_heads = 1;
  std::size_t d_head = 0;   // width of a query and a key
  std::size_t d_value = 0;  // width of a value; equals d_head in most models

  std::size_t kv_head(std::size_t head) const { return head / (n_heads / n_kv_heads); }
};

struct AttentionRule {
  std::optional<double> scale;  // 1 / sqrt(d_head) unless given
  double temperature = 1;       // divides the finished scores; > 0
  std::optional<double> softcap;
  PositionKind position = PositionKind::kNone;
  Rope rope;
  MaskRule mask;
  std::vector<float> bias;     // (bias_heads, n_query, n_key) or empty; -inf hides a cell
  std::size_t bias_heads = 0;  // 1 (all heads share it) or n_heads

  double scale_for(std::size_t d_head) const;
  bool is_positional() const { return position != PositionKind::kNone; }
};

// Number of leading dimensions of a head that RoPE rotates; always even.
std::size_t rotated_dims(const Rope& rope, std::size_t d_head);

// Slope m_h of each head (Press et al. 2022): geometric from 2^(-8/n) where n_heads is a power of
// two; otherwise those of the next lower power of two, then every other one of twice that.
std::vector<double> alibi_slopes(std::size_t n_heads);

// Throws Error(kInput) when rule, layout and shape do not fit together.
void check_rule(const AttentionRule& rule, const HeadLayout& layout, const AttentionShape& shape);

}  // namespace mha
