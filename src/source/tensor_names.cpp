#include "tensor_names.hpp"

#include <algorithm>
#include <array>

namespace mha {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

constexpr std::array<std::string_view, 3> kQueryWords = {"q", "query", "queries"};
constexpr std::array<std::string_view, 3> kKeyWords = {"k", "key", "keys"};
constexpr std::array<std::string_view, 3> kValueWords = {"v", "value", "values"};
constexpr std::array<std::string_view, 2> kScoreWords = {"score", "scores"};
constexpr std::array<std::string_view, 11> kWeightWords = {
    "attn",  "attention",     "attentions", "att",      "pattern", "patterns",
    "probs", "probabilities", "weights",    "selfattn", "attns"};
// Parameters and results, which are no attention weights, queries or keys.
constexpr std::array<std::string_view, 17> kParameterWords = {
    "w",    "b",   "weight", "bias", "kernel",    "proj",   "out",    "output",  "outputs",
    "mask", "ids", "norm",   "ln",   "layernorm", "hidden", "result", "position"};
constexpr std::array<std::string_view, 12> kExampleWords = {
    "ex",   "example", "examples", "sample", "samples",  "prompt",
    "item", "p",       "seq",      "batch",  "sentence", "input"};

}  // namespace

TensorName parse_tensor_name(std::string_view name) {
  TensorName out;
  std::string word;
  const auto finish_word = [&] {
    if (!word.empty()) out.words.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < name.size();) {
    if (is_digit(name[i])) {
      const std::string before = word.empty() && !out.words.empty() ? out.words.back() : word;
      finish_word();
      std::size_t number = 0;
      while (i < name.size() && is_digit(name[i])) {
        number =
            std::min<std::size_t>(number * 10 + static_cast<std::size_t>(name[i] - '0'), 1000000);
        ++i;
      }
      out.numbers.push_back(number);
      out.counted.push_back(before);
      out.pattern += '#';
      continue;
    }
    if (is_letter(name[i])) {
      word += lower(name[i]);
    } else {
      finish_word();
    }
    out.pattern += lower(name[i]);
    ++i;
  }
  finish_word();
  return out;
}

bool TensorName::has_word(std::string_view word) const {
  return std::ranges::find(words, word) != words.end();
}

bool TensorName::is_parameter() const {
  return std::ranges::any_of(
      words, [](const std::string& word) { return is_one_of(word, kParameterWords); });
}

TensorRole TensorName::role() const {
  const auto has_any = [this](const auto& list) {
    return std::ranges::any_of(words, [&list](const std::string& w) { return is_one_of(w, list); });
  };
  if (is_parameter()) return TensorRole::kOther;
  if (has_any(kScoreWords)) return TensorRole::kScores;
  if (has_any(kQueryWords)) return TensorRole::kQuery;
  if (has_any(kKeyWords)) return TensorRole::kKey;
  if (has_any(kValueWords)) return TensorRole::kValue;
  return has_any(kWeightWords) ? TensorRole::kWeights : TensorRole::kOther;
}

std::string TensorName::partner_pattern() const {
  std::string out;
  std::size_t number = 0;
  for (const std::string& word : words) {
    const bool is_part =
        is_one_of(word, kQueryWords) || is_one_of(word, kKeyWords) || is_one_of(word, kValueWords);
    if (word == "rot") continue;
    out += is_part ? "*" : word;
    out += '.';
  }
  for (; number < numbers.size(); ++number) out += std::to_string(numbers[number]) + ",";
  return out;
}

bool TensorName::is_rotated() const {
  return has_word("rot");
}

std::string TensorName::stack() const {
  if (has_word("cross") || has_word("crossattn")) return "cross";
  const bool has_decoder = has_word("decoder");
  const bool has_encoder = has_word("encoder");
  // Attention of a decoder layer to the encoder: "decoder.layers.0.encoder_attn".
  if (has_decoder && has_encoder) return "cross";
  return has_decoder ? "decoder" : has_encoder ? "encoder" : "";
}

std::string TensorName::example() const {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (is_one_of(counted[i], kExampleWords)) return counted[i] + std::to_string(numbers[i]);
  }
  return {};
}

std::vector<std::size_t> TensorName::layer_like_numbers() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!is_one_of(counted[i], kExampleWords)) out.push_back(numbers[i]);
  }
  return out;
}

std::optional<std::size_t> TensorName::layer() const {
  const std::vector<std::size_t> candidates = layer_like_numbers();
  if (candidates.empty()) return std::nullopt;
  return candidates.back();
}

std::optional<std::size_t> TensorName::step() const {
  const std::vector<std::size_t> candidates = layer_like_numbers();
  if (candidates.size() < 2) return std::nullopt;
  return candidates.front();
}

}  // namespace mha
