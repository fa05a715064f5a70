#include "model_document.hpp"

#include <algorithm>
#include <array>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/model/text_model.hpp"

#include "labels.hpp"

namespace mha {
namespace {

bool is_added(const TokenizedText& text, std::size_t i) {
  return text.is_special[i] != 0 && text.offsets[i] == ByteRange{};
}

void append(const TokenizedText& from, std::size_t i, TokenizedText* to) {
  to->ids.push_back(from.ids[i]);
  to->tokens.push_back(from.tokens[i]);
  to->offsets.push_back(from.offsets[i]);
  to->sequences.push_back(from.sequences[i]);
  to->is_special.push_back(from.is_special[i]);
}

void append_all(const TokenizedText& from, TokenizedText* to) {
  for (std::size_t i = 0; i < from.ids.size(); ++i) append(from, i, to);
}

OwnTokens own_tokens(const TokenizedText& text) {
  OwnTokens own;
  while (own.first < text.ids.size() && is_added(text, own.first)) ++own.first;
  std::size_t end = text.ids.size();
  while (end > own.first && is_added(text, end - 1)) --end;
  own.count = end - own.first;
  return own;
}

TokenizedText single_piece(std::uint32_t id, const std::string& token) {
  return {{id}, {token}, {{0, token.size()}}, {0}, {0}, {}, {}};
}

// The id of the token for unknown words, found by encoding what no vocabulary has: a character for
// private use.
std::optional<std::uint32_t> unknown_id(const Tokenizer& tokenizer) {
  const TokenizedText text =
      tokenizer.encode("\uF8FE", {.add_special = SpecialTokens::kNo, .bos = {}});
  if (text.unknown.empty()) return std::nullopt;
  return text.ids[text.unknown.front()];
}

// The one piece that a given token is in the model's vocabulary. A token that is none, or several,
// is an unknown word where the model has such a thing.
TokenizedText piece_of(const Tokenizer& tokenizer, const std::string& token, std::size_t index,
                       bool* is_unknown) {
  if (const std::optional<std::uint32_t> id = tokenizer.id(token)) return single_piece(*id, token);
  TokenizedText piece = tokenizer.encode(token, {.add_special = SpecialTokens::kNo, .bos = {}});
  *is_unknown = piece.ids.size() != 1 || !piece.unknown.empty();
  if (!*is_unknown) return piece;
  const std::optional<std::uint32_t> id = unknown_id(tokenizer);
  if (!id) {
    fail_field(concat("/tokens/", index), concat("'", token, "' is not one token of the model"),
               "one piece of its vocabulary", count_text(piece.ids.size(), "piece"));
  }
  return single_piece(*id, token);
}

struct Words {
  TokenizedText text;
  OwnTokens own;
  std::vector<std::string> unknown;  // as the document writes them
};

Words words_of_text(const std::string& text, const Tokenizer& tokenizer) {
  Words out;
  out.text = tokenizer.encode(text);
  out.own = own_tokens(out.text);
  for (const std::size_t i : out.text.unknown) {
    const ByteRange& range = out.text.offsets[i];
    // The label is the word that a person wrote; that the model reads it as unknown is said.
    out.text.tokens[i] = text.substr(range.begin, range.end - range.begin);
    out.unknown.push_back(out.text.tokens[i]);
  }
  for (const ByteRange& range : out.text.dropped) {
    out.unknown.push_back(text.substr(range.begin, range.end - range.begin));
  }
  return out;
}

// Tokens that are given one by one get the template around them, unless they begin as it does.
Words words_of_tokens(const std::vector<std::string>& tokens, const Tokenizer& tokenizer) {
  Words out;
  const TokenizedText probe = tokenizer.encode(tokens.front());
  const OwnTokens inside = own_tokens(probe);
  const bool has_template = inside.first > 0 && probe.tokens.front() == tokens.front();
  for (std::size_t i = 0; i < inside.first && !has_template; ++i) append(probe, i, &out.text);
  out.own = {out.text.ids.size(), tokens.size()};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    bool is_unknown = false;
    append_all(piece_of(tokenizer, tokens[i], i, &is_unknown), &out.text);
    if (is_unknown) out.unknown.push_back(tokens[i]);
  }
  const std::size_t end = inside.first + inside.count;
  for (std::size_t i = end; i < probe.ids.size() && !has_template; ++i) append(probe, i, &out.text);
  return out;
}

// Ids are what the model reads: nothing is added to them.
Words words_of_ids(const std::vector<std::size_t>& ids,
                   const std::optional<std::vector<std::string>>& tokens,
                   const Tokenizer& tokenizer) {
  Words out;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(ids[i]);
    out.text.ids.push_back(id);
    out.text.tokens.push_back(tokens ? (*tokens)[i]
                                     : tokenizer.token(id).value_or(std::to_string(id)));
  }
  out.own = {0, ids.size()};
  return out;
}

Words read_words(const Fields& fields, const std::optional<std::vector<std::string>>& tokens,
                 const Tokenizer& tokenizer) {
  if (fields.has("ids")) {
    return words_of_ids(count_list(*fields.find("ids"), "/ids"), tokens, tokenizer);
  }
  if (const auto text = fields.string("text")) return words_of_text(*text, tokenizer);
  return words_of_tokens(*tokens, tokenizer);
}

std::vector<std::uint8_t> read_token_types(const Fields& fields, std::size_t n_tokens) {
  const JsonNode* node = fields.find("token_types");
  if (node == nullptr) return {};
  const std::vector<std::size_t> types = count_list(*node, "/token_types");
  if (types.size() != n_tokens) {
    fail_field("/token_types", "wrong number of entries", std::to_string(n_tokens),
               std::to_string(types.size()));
  }
  std::vector<std::uint8_t> out;
  for (const std::size_t type : types) {
    out.push_back(static_cast<std::uint8_t>(std::min<std::size_t>(type, 255)));
  }
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

// The message counts what a person wrote.
void check_length(const Words& words, const ModelConfig& config, const std::string& pointer) {
  const std::size_t n_added = words.text.ids.size() - words.own.count;
  if (words.own.count == 0) fail_field(pointer, "no tokens", "at least one", "none");
  if (words.text.ids.size() <= config.max_positions) return;
  const std::string beside =
      n_added == 0 ? "" : concat(" beside ", count_text(n_added, "token"), " of the tokenizer");
  fail_field(pointer, "too many tokens for the model",
             concat("at most ", config.max_positions - n_added, beside),
             std::to_string(words.own.count));
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
                          const TextModel& model, OpenedInput* out) {
  Words words = read_words(fields, tokens, model.tokenizer);
  const std::string pointer = fields.has("ids") ? "/ids" : fields.has("text") ? "/text" : "/tokens";
  check_length(words, model.transformer->config(), pointer);
  ModelInput input;
  input.ids = std::move(words.text.ids);
  input.token_types = read_token_types(fields, input.ids.size());
  std::unique_ptr<TransformerRows> rows;
  try {
    rows = std::make_unique<TransformerRows>(model.transformer, std::move(input));
  } catch (const Error& error) {
    throw error.at(pointer);
  }
  out->tokens = std::move(words.text.tokens);
  out->key_tokens = out->tokens;
  out->model = rows.get();
  out->has_outputs = true;
  out->rows = std::move(rows);
  name_heads({}, out);
  out->notes.push_back(concat("attention of ", model.description));
  tell_of_unknown(words.unknown, out);
  return words.own;
}

}  // namespace mha
