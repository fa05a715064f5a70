#include "model_document.hpp"

#include <algorithm>
#include <array>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "labels.hpp"

namespace mha {
namespace {

void check_count(const std::string& pointer, std::size_t got, std::size_t expected) {
  if (got == expected) return;
  fail_field(pointer, "wrong number of entries",
             concat(expected, ", one for each token that the model reads"), std::to_string(got));
}

// The token types of the document; else those of a pair of texts, as the tokenizer's template says,
// for a model that tells texts apart.
std::vector<std::uint8_t> read_token_types(const Fields& fields, const TokenizedText& text,
                                           const ModelConfig& config) {
  const JsonNode* node = fields.find("token_types");
  if (node == nullptr) {
    const bool is_pair = fields.has("text_pair");
    return is_pair && config.n_token_types > 1 ? text.sequences : std::vector<std::uint8_t>();
  }
  const std::vector<std::size_t> types = count_list(*node, "/token_types");
  check_count("/token_types", types.size(), text.ids.size());
  const std::size_t n_types = std::max<std::size_t>(config.n_token_types, 1);
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i] >= n_types) {
      fail_field(concat("/token_types/", i), "a token type that the model does not have",
                 concat("below ", n_types), std::to_string(types[i]));
    }
    out.push_back(static_cast<std::uint8_t>(types[i]));
  }
  return out;
}

// Which tokens are not padding.
std::vector<std::uint8_t> read_valid_keys(const Fields& fields, std::size_t n_tokens) {
  const JsonNode* node = fields.find("valid_keys");
  if (node == nullptr) return {};
  const bool is_list = node->is(JsonNode::Kind::kBooleans) && node->tensor.shape.size() == 1;
  if (!is_list || node->has_null) {
    fail_field("/valid_keys", "wrong type", "an array of true and false", node->description());
  }
  check_count("/valid_keys", node->tensor.data.size(), n_tokens);
  std::vector<std::uint8_t> out;
  for (const float value : node->tensor.data) out.push_back(value != 0 ? 1 : 0);
  return out;
}

// Said in the warnings, and in the note that stands below figures.
void tell_of_unknown(const std::vector<std::string>& words, OpenedInput* out) {
  if (words.empty()) return;
  std::vector<std::string> quoted;
  for (const std::string& word : words) {
    const std::string text = concat("'", word, "'");
    if (std::ranges::find(quoted, text) == quoted.end()) quoted.push_back(text);
  }
  out->warnings.push_back(
      concat("not in the vocabulary of the model, read as an unknown word: ", join(quoted, ", ")));
  out->notes.back() += concat("; unknown to it: ", join(quoted, ", "));
}

// Rotary positions have no end, but what the model learned has.
void tell_of_length(const ModelConfig& config, OpenedInput* out) {
  if (config.has_position_table() || out->tokens.size() <= config.max_positions) return;
  out->warnings.push_back(concat(count_text(out->tokens.size(), "token"), ": longer than the ",
                                 config.max_positions, " that the model was trained for"));
}

// Where the tokens of a text stand in it.
std::vector<std::optional<ByteRange>> ranges_of(const ModelWords& words) {
  std::vector<std::optional<ByteRange>> out(words.text.offsets.size());
  const std::size_t end = words.own.first + words.own.count;
  for (std::size_t i = words.own.first; i < end; ++i) out[i] = words.text.offsets[i];
  return out;
}

// "L3H1"; "L4H*" for all heads of a layer.
std::vector<std::string> ablated_names(const AblatedHeads& ablated, const ModelConfig& config) {
  std::vector<std::string> names;
  for (std::size_t l = 0; l < ablated.size(); ++l) {
    if (ablated[l].size() == config.n_heads) {
      names.push_back(concat("L", l, "H*"));
      continue;
    }
    for (const std::size_t h : ablated[l]) names.push_back(HeadName{l, h, false}.text());
  }
  return names;
}

}  // namespace

bool is_words_alone(const JsonNode& root) {
  static constexpr std::array kComputed = {"attention_weights", "embeddings", "attention",
                                           "weights",           "layers",     "context",
                                           "positions",         "residual"};
  static constexpr std::array kWords = {"text", "tokens", "ids"};
  const auto has = [&root](const char* name) { return root.find(name) != nullptr; };
  return std::ranges::none_of(kComputed, has) && std::ranges::any_of(kWords, has);
}

OwnTokens read_with_model(const Fields& fields,
                          const std::optional<std::vector<std::string>>& tokens,
                          const std::shared_ptr<const TextModel>& model, const OpenOptions& options,
                          OpenedInput* out) {
  ModelWords words = read_model_words(fields, tokens, *model, options.add_special);
  ModelInput input;
  input.token_types = read_token_types(fields, words.text, model->transformer->config());
  input.valid_keys = read_valid_keys(fields, words.text.ids.size());
  input.ids = std::move(words.text.ids);
  out->model_input = input;
  std::unique_ptr<TransformerRows> rows;
  try {
    rows = std::make_unique<TransformerRows>(model->transformer, std::move(input), options.ablated);
  } catch (const Error& error) {
    throw error.at(words.pointer);
  }
  if (fields.has("text") && !fields.has("text_pair")) {
    out->text = *fields.string("text");
    out->token_ranges = ranges_of(words);
  }
  out->tokens = std::move(words.text.tokens);
  out->key_tokens = out->tokens;
  out->model = rows.get();
  out->text_model = model;
  out->has_outputs = true;
  out->rows = std::move(rows);
  name_heads({}, out);
  out->notes.push_back(concat("attention of ", model->description));
  tell_of_unknown(words.unknown, out);
  tell_of_length(model->transformer->config(), out);
  out->ablated = ablated_names(options.ablated, model->transformer->config());
  if (!out->ablated.empty()) out->notes.push_back("ablated: " + join(out->ablated, ", "));
  return words.own;
}

}  // namespace mha
