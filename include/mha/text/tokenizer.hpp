// Turns text into the token ids of a trained model, as the model's own tokenizer files say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

// Bytes [begin, end) of the UTF-8 text that was given.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const ByteRange&) const = default;
};

// Token i is ids[i], tokens[i], offsets[i], sequences[i], is_special[i].
struct TokenizedText {
  std::vector<std::uint32_t> ids;
  std::vector<std::string> tokens;  // pieces as the vocabulary writes them: "\u0120the", "##ing"
  std::vector<ByteRange> offsets;   // into the token's own text; {0, 0} where the template added it
  std::vector<std::uint8_t> sequences;   // token type: 0 first text, 1 second, as the template says
  std::vector<std::uint8_t> is_special;  // added by the template, or written in the text ("[SEP]")
  std::vector<std::size_t> unknown;      // tokens that became the unknown token
  // Text of no token, as the vocabulary has neither a piece nor an unknown token for it.
  std::vector<ByteRange> dropped;
};

enum class SpecialTokens {
  kAuto,  // as the tokenizer's template says
  kYes,   // the same, and EncodeOptions::bos first where the template does not put it there
  kNo,    // none but those written in the text
};

struct EncodeOptions {
  SpecialTokens add_special = SpecialTokens::kAuto;
  std::optional<std::uint32_t> bos;  // for kYes; from the model's configuration
};

// What tokenizer_config.json tells about a BERT vocabulary in vocab.txt. The vocabulary must have
// unk, cls and sep; pad and mask are left out where it has none.
struct WordPieceOptions {
  bool lowercase = true;
  std::optional<bool> strip_accents = {};  // unset: as `lowercase`
  bool tokenize_chinese_chars = true;
  std::string unk = "[UNK]";
  std::string cls = "[CLS]";
  std::string sep = "[SEP]";
  std::string pad = "[PAD]";
  std::string mask = "[MASK]";
};

// What tokenizer_config.json tells about vocab.json and merges.txt. Empty: the model has no such
// token. The vocabulary must have bos and eos where they are given; the others are left out where
// it does not have them.
struct BpeOptions {
  bool add_prefix_space = false;
  bool add_bos = false;  // GPT-2 style: put `bos` first
  bool roberta = false;  // `bos` first, `eos` last, two `eos` between texts, trimmed offsets
  std::string unk = {};
  std::string bos = {};
  std::string eos = {};
  std::string pad = {};
  std::string mask = {};
};

// A tokenizer, immutable and safe to use from several threads. What a file asks for and is not
// implemented is refused by name. `name` stands in front of messages; it is the path of the file.
class Tokenizer {
 public:
  // The tokenizer.json of Hugging Face's tokenizers library. Its `truncation` and `padding` are
  // settings of a call and not applied; `decoder` is not needed.
  static Tokenizer from_tokenizer_json(std::string_view json, const std::string& name);
  // One piece a line; the line number, counted from 0, is the id.
  static Tokenizer from_wordpiece_vocab(std::string_view vocab_txt, const WordPieceOptions& options,
                                        const std::string& name);
  // Byte-level BPE of GPT-2 and RoBERTa. `name` is the model's folder: messages say which file.
  static Tokenizer from_bpe_files(std::string_view vocab_json, std::string_view merges_txt,
                                  const BpeOptions& options, const std::string& name);

  // Throws an input error where the text is not UTF-8, or a word is unknown and there is no unknown
  // token.
  TokenizedText encode(std::string_view text, const EncodeOptions& options = {}) const;
  TokenizedText encode_pair(std::string_view first, std::string_view second,
                            const EncodeOptions& options = {}) const;

  std::size_t vocab_size() const;    // pieces and added tokens
  std::uint32_t largest_id() const;  // the model needs a row of embeddings for it
  std::optional<std::string> token(std::uint32_t id) const;
  std::optional<std::uint32_t> id(std::string_view token) const;
  std::string_view kind() const;  // "WordLevel", "WordPiece", "BPE (byte level)", "BPE", "Unigram"

  struct Pipeline;  // the parts; private to src/text
  explicit Tokenizer(std::shared_ptr<const Pipeline> pipeline);

 private:
  std::shared_ptr<const Pipeline> pipeline_;
};

// The same ranges counted in code points of `text` instead of bytes. A boundary inside a character
// counts as the character's begin.
std::vector<ByteRange> code_point_ranges(std::string_view text,
                                         const std::vector<ByteRange>& ranges);

}  // namespace mha
