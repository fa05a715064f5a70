#include "model_words.hpp"

#include <algorithm>
#include <string_view>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

constexpr EncodeOptions kNoSpecial = {.add_special = SpecialTokens::kNo, .bos = {}};

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
  const TokenizedText text = tokenizer.encode("\uF8FE", kNoSpecial);
  if (text.unknown.empty()) return std::nullopt;
  return text.ids[text.unknown.front()];
}

// The one piece that a given token is in the model's vocabulary. A token that is none, or several,
// is an unknown word where the model has such a thing.
TokenizedText piece_of(const Tokenizer& tokenizer, const std::string& token, std::size_t index,
                       bool* is_unknown) {
  if (const std::optional<std::uint32_t> id = tokenizer.id(token)) return single_piece(*id, token);
  TokenizedText piece = tokenizer.encode(token, kNoSpecial);
  *is_unknown = piece.ids.size() != 1 || !piece.unknown.empty();
  if (!*is_unknown) return piece;
  const std::optional<std::uint32_t> id = unknown_id(tokenizer);
  if (!id) {
    fail_field(concat("/tokens/", index), concat("'", token, "' is not one token of the model"),
               "one piece of its vocabulary", count_text(piece.ids.size(), "piece"));
  }
  return single_piece(*id, token);
}

// How many tokens the model has positions for, where that is limited.
std::optional<std::size_t> most_tokens(const TextModel& model) {
  const ModelConfig& config = model.transformer->config();
  if (!config.has_position_table()) return std::nullopt;
  return config.max_positions;
}

// The first bytes of a text, whole characters.
std::string_view beginning(std::string_view text, std::size_t size) {
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

// What is wrong with too many tokens, as a message says it.
struct TooMany {
  std::string expected;
  std::string got;
};

constexpr const char* kTooMany = "too many tokens for the model";

// A text that is far too long is refused by its beginning alone, since splitting all of it takes
// seconds and much memory. What follows the beginning may change how its last word is split, and
// the tokens of one word or a few may become fewer; hence "far": four times what the model reads.
std::optional<TooMany> far_too_many(const std::string& text, const Tokenizer& tokenizer,
                                    std::optional<std::size_t> limit) {
  if (!limit) return std::nullopt;
  constexpr std::size_t kBytesAToken = 16;
  const std::size_t far = 4 * *limit + 1024;
  for (std::size_t size = far * kBytesAToken; size < text.size() / 2; size *= 4) {
    if (tokenizer.encode(beginning(text, size), kNoSpecial).ids.size() < far) continue;
    return TooMany{
        concat("at most ", *limit),
        concat("more than ", far, " in the first ", bytes_text(static_cast<double>(size)), " of ",
               bytes_text(static_cast<double>(text.size())))};
  }
  return std::nullopt;
}

void refuse_far_too_long(const std::string& text, const Tokenizer& tokenizer,
                         std::optional<std::size_t> limit, const char* pointer) {
  const std::optional<TooMany> wrong = far_too_many(text, tokenizer, limit);
  if (wrong) fail_field(pointer, kTooMany, wrong->expected, wrong->got);
}

// The message counts what a person wrote.
std::optional<TooMany> too_many(std::size_t n_tokens, std::size_t n_own,
                                std::optional<std::size_t> limit) {
  if (!limit || n_tokens <= *limit) return std::nullopt;
  const std::size_t n_added = n_tokens - n_own;
  const std::string beside =
      n_added == 0 ? "" : concat(" beside ", count_text(n_added, "token"), " of the tokenizer");
  return TooMany{concat("at most ", *limit - std::min(n_added, *limit), beside),
                 std::to_string(n_own)};
}

void label_unknown(const std::string& text, const ByteRange& range, std::size_t i,
                   ModelWords* out) {
  // The label is the word that a person wrote; that the model reads it as unknown is said.
  out->text.tokens[i] = text.substr(range.begin, range.end - range.begin);
  out->unknown.push_back(out->text.tokens[i]);
}

// Reads words through the tokenizer of a model.
class WordReader {
 public:
  WordReader(const TextModel& model, const EncodeOptions& options)
      : tokenizer_(*model.tokenizer), limit_(most_tokens(model)), options_(options) {}

  ModelWords text(const std::string& text) const {
    refuse_far_too_long(text, tokenizer_, limit_, "/text");
    ModelWords out;
    out.text = tokenizer_.encode(text, options_);
    out.own = own_tokens(out.text);
    for (const std::size_t i : out.text.unknown) {
      label_unknown(text, out.text.offsets[i], i, &out);
    }
    for (const ByteRange& range : out.text.dropped) {
      out.unknown.push_back(text.substr(range.begin, range.end - range.begin));
    }
    return out;
  }

  ModelWords pair(const std::string& first, const std::string& second) const {
    refuse_far_too_long(first, tokenizer_, limit_, "/text");
    refuse_far_too_long(second, tokenizer_, limit_, "/text_pair");
    ModelWords out;
    out.text = tokenizer_.encode_pair(first, second, options_);
    out.own = own_tokens(out.text);
    if (out.text.unknown.empty() && out.text.dropped.empty()) return out;
    const TokenizedText alone = tokenizer_.encode(first, kNoSpecial);
    std::size_t n_own = 0;  // tokens before i that are not the template's
    std::size_t i = 0;
    for (const std::size_t unknown : out.text.unknown) {
      for (; i < unknown; ++i) n_own += is_added(out.text, i) ? 0 : 1;
      label_unknown(n_own < alone.ids.size() ? first : second, out.text.offsets[unknown], unknown,
                    &out);
    }
    for (std::size_t d = 0; d < out.text.dropped.size(); ++d) {
      const ByteRange& range = out.text.dropped[d];
      const std::string& text = d < alone.dropped.size() ? first : second;
      out.unknown.push_back(text.substr(range.begin, range.end - range.begin));
    }
    return out;
  }

  // Tokens that are given one by one get the template around them, unless they begin as it does.
  ModelWords tokens(const std::vector<std::string>& tokens) const {
    ModelWords out;
    const TokenizedText probe = tokenizer_.encode(tokens.front(), options_);
    const OwnTokens inside = own_tokens(probe);
    const bool has_template = inside.first > 0 && probe.tokens.front() == tokens.front();
    for (std::size_t i = 0; i < inside.first && !has_template; ++i) append(probe, i, &out.text);
    out.own = {out.text.ids.size(), tokens.size()};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      bool is_unknown = false;
      append_all(piece_of(tokenizer_, tokens[i], i, &is_unknown), &out.text);
      if (is_unknown) out.unknown.push_back(tokens[i]);
    }
    const std::size_t end = inside.first + inside.count;
    for (std::size_t i = end; i < probe.ids.size() && !has_template; ++i) {
      append(probe, i, &out.text);
    }
    return out;
  }

 private:
  const Tokenizer& tokenizer_;
  const std::optional<std::size_t> limit_;
  const EncodeOptions options_;
};

// Ids are what the model reads: nothing is added to them.
ModelWords words_of_ids(const std::vector<std::size_t>& ids,
                        const std::optional<std::vector<std::string>>& tokens,
                        const TextModel& model) {
  ModelWords out;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto id = static_cast<std::uint32_t>(ids[i]);
    std::optional<std::string> piece;
    if (tokens) {
      piece = (*tokens)[i];
    } else if (model.tokenizer) {
      piece = model.tokenizer->token(id);
    }
    out.text.ids.push_back(id);
    out.text.tokens.push_back(piece.value_or(std::to_string(id)));
  }
  out.own = {0, ids.size()};
  return out;
}

// --bos yes for a model whose tokenizer has no such token, and whose template begins with none.
void check_bos(const TextModel& model, const EncodeOptions& options) {
  if (options.add_special != SpecialTokens::kYes || options.bos) return;
  const TokenizedText empty = model.tokenizer->encode("", {});
  if (!empty.ids.empty() && empty.is_special.front() != 0) return;
  fail_usage("--bos yes: the model has no token for the beginning of a text",
             "tokenizer_config.json names none as bos_token");
}

ModelWords read_words(const Fields& fields, const std::optional<std::vector<std::string>>& tokens,
                      const TextModel& model, const EncodeOptions& options) {
  if (fields.has("ids")) {
    return words_of_ids(count_list(*fields.find("ids"), "/ids"), tokens, model);
  }
  if (!model.tokenizer) {
    fail_input(concat(fields.has("text") ? "/text" : "/tokens", ": the model ", model.description,
                      " has no tokenizer; expected ids, which it reads without one (",
                      model.no_tokenizer, ")"),
               "--ids 1,2,3, or \"ids\" in the document");
  }
  check_bos(model, options);
  const WordReader reader(model, options);
  const auto text = fields.string("text");
  if (const auto pair = fields.string("text_pair")) return reader.pair(*text, *pair);
  return text ? reader.text(*text) : reader.tokens(*tokens);
}

void check_length(const ModelWords& words, std::optional<std::size_t> limit) {
  if (words.own.count == 0) fail_field(words.pointer, "no tokens", "at least one", "none");
  const std::optional<TooMany> wrong = too_many(words.text.ids.size(), words.own.count, limit);
  if (wrong) fail_field(words.pointer, kTooMany, wrong->expected, wrong->got);
}

}  // namespace

ModelWords read_model_words(const Fields& fields,
                            const std::optional<std::vector<std::string>>& tokens,
                            const TextModel& model, SpecialTokens add_special) {
  ModelWords words =
      read_words(fields, tokens, model, {.add_special = add_special, .bos = model.bos});
  words.pointer = fields.has("ids") ? "/ids" : fields.has("text") ? "/text" : "/tokens";
  check_length(words, most_tokens(model));
  return words;
}

std::optional<std::string> too_long_for_model(const TextModel& model, const std::string& text,
                                              SpecialTokens add_special) {
  const std::optional<std::size_t> limit = most_tokens(model);
  if (!limit) return std::nullopt;
  std::optional<TooMany> wrong = far_too_many(text, *model.tokenizer, limit);
  if (!wrong) {
    const TokenizedText read =
        model.tokenizer->encode(text, {.add_special = add_special, .bos = model.bos});
    wrong = too_many(read.ids.size(), own_tokens(read).count, limit);
  }
  if (!wrong) return std::nullopt;
  return concat(kTooMany, "; expected ", wrong->expected, ", got ", wrong->got);
}

}  // namespace mha
