#include "token_stream.hpp"

#include <algorithm>

#include "mha/base/utf8.hpp"
#include "mha/text/tokens.hpp"

namespace mha {
namespace {

constexpr std::string_view kSpaceMark = "\u2581";
constexpr std::string_view kBytePairSpaceMark = "\u0120";
constexpr std::string_view kContinuation = "##";

bool is_space(char32_t code) {
  return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

std::string piece_text(std::string_view token) {
  if (const auto byte = byte_token(token)) return std::string(1, static_cast<char>(*byte));
  while (token.starts_with(kBytePairSpaceMark)) token.remove_prefix(kBytePairSpaceMark.size());
  if (token.size() > kContinuation.size() && token.starts_with(kContinuation)) {
    token.remove_prefix(kContinuation.size());
  }
  std::string out;
  while (!token.empty()) {
    const std::size_t end = std::min(token.find(kSpaceMark), token.size());
    out += token.substr(0, end);
    token.remove_prefix(std::min(end + kSpaceMark.size(), token.size()));
  }
  return out;
}

std::string text_of(const std::string& token, TokenStyle style) {
  if (style == TokenStyle::kPieces) return piece_text(token);
  if (style == TokenStyle::kByteLevel) return byte_level_text(token).value_or(token);
  return token;
}

// Takes the spaces out of the whole text, as the bytes of one may lie in two tokens.
void remove_spaces(TokenStream* stream) {
  const std::string with_spaces = std::move(stream->text);
  stream->text.clear();
  std::size_t token = 0;
  for (std::size_t offset = 0; offset < with_spaces.size();) {
    const std::size_t first = offset;
    const bool is_kept = !is_space(next_code_point(with_spaces, &offset));
    for (; token < stream->start.size() && stream->start[token] < offset; ++token) {
      const std::size_t within = is_kept ? stream->start[token] - first : 0;
      stream->start[token] = stream->text.size() + within;
    }
    if (is_kept) stream->text.append(with_spaces, first, offset - first);
  }
  for (; token < stream->start.size(); ++token) stream->start[token] = stream->text.size();
}

}  // namespace

std::string_view TokenStream::whole_tokens(std::size_t offset, std::size_t size) const {
  const std::size_t at_least = std::min(offset + size, text.size());
  const auto end = std::ranges::lower_bound(start, at_least);
  const std::size_t stop = end == start.end() ? text.size() : *end;
  return std::string_view(text).substr(offset, stop - offset);
}

TokenStream token_stream(const std::vector<std::string>& tokens, TokenStyle style) {
  TokenStream out;
  for (const std::string& token : tokens) {
    const bool is_special = style != TokenStyle::kPlain && is_special_token(token);
    out.start.push_back(out.text.size());
    out.is_special.push_back(is_special);
    if (!is_special) out.text += text_of(token, style);
  }
  remove_spaces(&out);
  out.has_capitals = std::ranges::any_of(out.text, [](char c) { return c >= 'A' && c <= 'Z'; });
  return out;
}

std::string without_spaces(std::string_view text) {
  std::string out;
  for (std::size_t offset = 0; offset < text.size();) {
    const std::size_t first = offset;
    if (!is_space(next_code_point(text, &offset))) out += text.substr(first, offset - first);
  }
  return out;
}

std::string lower_ascii(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace mha
