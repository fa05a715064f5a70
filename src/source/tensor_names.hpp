// Reading meaning into the names of tensors: which layer, which part of attention, which stack.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

enum class TensorRole { kOther, kWeights, kScores, kQuery, kKey, kValue };

struct TensorName {
  std::string pattern;               // lower case, whole numbers replaced by '#'
  std::vector<std::size_t> numbers;  // in order
  std::vector<std::string> words;    // lower case, split at everything but letters
  std::vector<std::string> counted;  // the word before each number, or ""

  TensorRole role() const;
  // Named as a parameter, a result or a mask ("attn.q_proj.weight"), which is no attention.
  bool is_parameter() const;
  // The pattern with the word for query, key or value replaced by '*', so that the three match.
  std::string partner_pattern() const;
  bool is_rotated() const;  // queries and keys after RoPE, as TransformerLens' hook_rot_q
  // "cross", "decoder", "encoder", or "".
  std::string stack() const;
  // "ex0" where a number counts examples rather than layers.
  std::string example() const;
  // The last number that does not count examples.
  std::optional<std::size_t> layer() const;
  // With two such numbers the first one may count the steps of a generation.
  std::optional<std::size_t> step() const;

  bool has_word(std::string_view word) const;

 private:
  std::vector<std::size_t> layer_like_numbers() const;
};

TensorName parse_tensor_name(std::string_view name);

}  // namespace mha
