#include "pipeline.hpp"

#include <limits>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

namespace mha {
namespace {

void check_text(std::string_view text) {
  constexpr std::size_t kLongest = std::numeric_limits<std::uint32_t>::max();
  if (text.size() > kLongest) {
    fail_input("the text is too long; expected at most 4 GiB, got " +
               bytes_text(static_cast<double>(text.size())));
  }
  const std::size_t bad = find_bad_utf8(text);
  if (bad != std::string_view::npos) {
    fail_input(concat("the text is not UTF-8 at byte ", bad), "save it as UTF-8");
  }
}

void append(const TokenizedText& text, std::uint8_t type, TokenizedText* out) {
  for (std::size_t position : text.unknown) out->unknown.push_back(out->ids.size() + position);
  out->dropped.insert(out->dropped.end(), text.dropped.begin(), text.dropped.end());
  out->ids.insert(out->ids.end(), text.ids.begin(), text.ids.end());
  out->tokens.insert(out->tokens.end(), text.tokens.begin(), text.tokens.end());
  out->offsets.insert(out->offsets.end(), text.offsets.begin(), text.offsets.end());
  out->sequences.insert(out->sequences.end(), text.ids.size(), type);
  out->is_special.insert(out->is_special.end(), text.is_special.begin(), text.is_special.end());
}

}  // namespace

void Tokenizer::Pipeline::check_template() const {
  for (const tok::Template* pieces : {&post_processor.single, &post_processor.pair}) {
    for (const tok::TemplatePiece& piece : *pieces) {
      for (std::uint32_t id : piece.ids) {
        if (!piece_of_id(id)) {
          fail_input(concat("/post_processor: no token has the id ", id, " of the template"));
        }
      }
    }
  }
}

std::optional<std::string> Tokenizer::Pipeline::piece_of_id(std::uint32_t id) const {
  if (const tok::AddedToken* token = added.find_id(id)) return token->content;
  const std::uint32_t entry = model->vocabulary().entry_of_id(id);
  if (entry == tok::Vocabulary::kNone) return std::nullopt;
  return std::string(model->vocabulary().piece(entry));
}

TokenizedText Tokenizer::Pipeline::encode(std::string_view text) const {
  check_text(text);
  TokenizedText out;
  for (tok::Segment& segment : added.split_raw(tok::AlignedText(text, 0))) {
    std::vector<tok::Segment> parts;
    if (segment.added != tok::Vocabulary::kNone) {
      parts.push_back(std::move(segment));
    } else {
      parts = added.split_normalized(normalizer.normalize(std::move(segment.text)));
    }
    for (tok::Segment& part : parts) {
      if (part.added == tok::Vocabulary::kNone) {
        add_words(std::move(part.text), &out);
        continue;
      }
      const tok::AddedToken& token = added[part.added];
      const tok::Span span = part.text.span(0, part.text.text().size());
      out.ids.push_back(token.id);
      out.tokens.push_back(token.content);
      out.offsets.push_back({span.begin, span.end});
      out.is_special.push_back(token.special ? 1 : 0);
    }
  }
  for (const bool keep_first_space : post_processor.trims) {
    tok::trim_offsets(text, keep_first_space, &out);
  }
  return out;
}

void Tokenizer::Pipeline::add_words(tok::AlignedText text, TokenizedText* out) const {
  for (const tok::AlignedText& word : pre_tokenizer.split(std::move(text))) add_word(word, out);
}

void Tokenizer::Pipeline::add_word(const tok::AlignedText& word, TokenizedText* out) const {
  std::vector<tok::WordPart> parts;
  model->tokenize(word.text(), &parts);
  const tok::Vocabulary& vocabulary = model->vocabulary();
  for (const tok::WordPart& part : parts) {
    const tok::Span span = word.span(part.begin, part.end);
    if (part.entry == tok::Vocabulary::kNone) {
      out->dropped.push_back({span.begin, span.end});
      continue;
    }
    if (part.is_unknown) out->unknown.push_back(out->ids.size());
    out->ids.push_back(vocabulary.id(part.entry));
    out->tokens.emplace_back(vocabulary.piece(part.entry));
    out->offsets.push_back({span.begin, span.end});
    out->is_special.push_back(0);
  }
}

void Tokenizer::Pipeline::add_special(std::uint32_t id, std::uint8_t type,
                                      TokenizedText* out) const {
  out->ids.push_back(id);
  out->tokens.push_back(piece_of_id(id).value_or(""));
  out->offsets.push_back({0, 0});
  out->sequences.push_back(type);
  out->is_special.push_back(1);
}

TokenizedText Tokenizer::Pipeline::finish(std::span<const TokenizedText> texts,
                                          const EncodeOptions& options) const {
  TokenizedText out;
  const bool with_special = options.add_special != SpecialTokens::kNo;
  const tok::Template& pieces = texts.size() > 1 ? post_processor.pair : post_processor.single;
  const tok::TemplatePiece& begin = pieces.front();
  const bool has_bos = begin.kind == tok::TemplatePiece::Kind::kSpecial && !begin.ids.empty() &&
                       options.bos == begin.ids.front();
  if (options.add_special == SpecialTokens::kYes && options.bos && !has_bos) {
    if (!piece_of_id(*options.bos)) {
      fail_input(concat("no token has the id ", *options.bos, " that should come first"));
    }
    add_special(*options.bos, begin.type, &out);
  }
  for (const tok::TemplatePiece& piece : pieces) {
    if (piece.kind == tok::TemplatePiece::Kind::kSpecial) {
      for (std::uint32_t id : piece.ids) {
        if (with_special) add_special(id, piece.type, &out);
      }
    } else {
      append(texts[piece.kind == tok::TemplatePiece::Kind::kFirst ? 0 : 1], piece.type, &out);
    }
  }
  return out;
}

}  // namespace mha
