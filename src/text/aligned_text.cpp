#include "aligned_text.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::tok {

AlignedText::AlignedText(std::string_view original, std::size_t offset) : text_(original) {
  spans_.reserve(original.size());
  for_each([&](Character c) {
    const Span span{static_cast<std::uint32_t>(offset + c.begin),
                    static_cast<std::uint32_t>(offset + c.end)};
    spans_.insert(spans_.end(), c.end - c.begin, span);
  });
}

Span AlignedText::span(std::size_t begin, std::size_t end) const {
  if (begin < end) return {spans_[begin].begin, spans_[end - 1].end};
  if (begin < spans_.size()) return {spans_[begin].begin, spans_[begin].begin};
  const std::uint32_t last = spans_.empty() ? 0 : spans_.back().end;
  return {last, last};
}

void AlignedText::append(char32_t code, Span span) {
  append_code_point(code, &text_);
  spans_.resize(text_.size(), span);
}

void AlignedText::append(std::string_view bytes, Span span) {
  text_ += bytes;
  spans_.resize(text_.size(), span);
}

void AlignedText::append(const AlignedText& other, std::size_t begin, std::size_t end) {
  text_.append(other.text_, begin, end - begin);
  const auto first = other.spans_.begin();
  spans_.insert(spans_.end(), first + static_cast<std::ptrdiff_t>(begin),
                first + static_cast<std::ptrdiff_t>(end));
}

AlignedText AlignedText::slice(std::size_t begin, std::size_t end) const {
  AlignedText out;
  out.append(*this, begin, end);
  return out;
}

void AlignedText::prepend(std::string_view bytes) {
  if (empty()) return;
  text_.insert(0, bytes);
  spans_.insert(spans_.begin(), bytes.size(), Span(spans_.front()));
}

void check_growth(std::size_t n_original, std::size_t n_bytes) {
  constexpr std::size_t kMostTimes =
      64;  // the longest decomposition of Unicode makes 33 bytes of 3
  constexpr std::size_t kAlways = 65536;
  if (n_bytes <= kAlways || n_bytes / kMostTimes <= n_original) return;
  fail_input(concat("the tokenizer's rules make the text more than ", kMostTimes, " times longer"));
}

AlignedText rewrite(const AlignedText& text, const std::vector<Rewritten>& characters) {
  AlignedText out;
  std::size_t offset = 0;  // the next character of the old text
  for (const Rewritten& c : characters) {
    const std::size_t start = offset;
    for (int removed = c.change; removed <= 0 && offset < text.text().size(); ++removed) {
      next_code_point(text.text(), &offset);
    }
    const bool is_new = start == offset;
    const std::size_t byte = is_new && start > 0 ? start - 1 : start;
    const bool is_before_all = is_new && start == 0;
    out.append(c.code, is_before_all ? text.span(0, 0) : text.span_of_byte(byte));
  }
  return out;
}

}  // namespace mha::tok
