#include "text_clusters.hpp"

#include <algorithm>

#include "mha/base/utf8.hpp"

namespace mha::render {
namespace {

int append_chars(const std::vector<CharInfo>& text, std::size_t begin, std::size_t end,
                 std::string* out) {
  const std::size_t before = out->size();
  // Layout does not heed these, and whatever shows the file should not either.
  for (std::size_t i = begin; i < end; ++i) {
    if (!steers_direction(text[i].code)) append_code_point(text[i].code, out);
  }
  return static_cast<int>(out->size() - before);
}

}  // namespace

void say(const std::vector<CharInfo>& text, const TextRun& run,
         const std::vector<std::size_t>& first_chars, SetRun* set) {
  std::vector<std::size_t> in_order = first_chars;
  if (run.rtl) std::reverse(in_order.begin(), in_order.end());
  std::size_t begin = run.begin;
  for (std::size_t i = 0; i < in_order.size();) {
    std::size_t end_glyph = i + 1;
    while (end_glyph < in_order.size() && in_order[end_glyph] == in_order[i]) ++end_glyph;
    // Characters before the first glyph, or after the last, go with their neighbour.
    const bool is_last = end_glyph == in_order.size();
    const std::size_t end = is_last ? run.end : std::max(begin, in_order[end_glyph]);
    const int bytes = append_chars(text, begin, end, &set->text);
    set->clusters.push_back({bytes, static_cast<int>(end_glyph - i)});
    begin = end;
    i = end_glyph;
  }
}

}  // namespace mha::render
