#include "text_runs.hpp"

#include <algorithm>

#include "mha/base/utf8.hpp"

namespace mha::render {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr char32_t kZeroWidthJoiner = 0x200D;

bool in(char32_t c, char32_t first, char32_t last) {
  return c >= first && c <= last;
}

bool is_control(char32_t c) {
  return c < 0x20 || in(c, 0x7F, 0x9F) || c == 0x2028 || c == 0x2029;
}

bool is_regional_indicator(char32_t c) {
  return in(c, 0x1F1E6, 0x1F1FF);
}

// Strong left-to-right for our purpose: a character of a script that is not right-to-left, or a
// digit (which reads left to right everywhere).
bool is_ltr(const CharInfo& c) {
  return !is_rtl(c.code) && (c.script != 0 || in(c.code, '0', '9') || in(c.code, 0x660, 0x669) ||
                             in(c.code, 0x6F0, 0x6F9));
}

bool reads_rtl(const std::vector<CharInfo>& text) {
  for (const CharInfo& c : text) {
    if (is_rtl(c.code)) return true;
    if (c.script != 0 && !c.joins_before) return false;
  }
  return false;
}

// For each character: true = right to left. Neutral ones go with the base direction unless both
// neighbours agree.
std::vector<bool> directions(const std::vector<CharInfo>& text, bool base_rtl) {
  std::vector<bool> rtl(text.size(), base_rtl);
  bool before = base_rtl;
  std::size_t i = 0;
  while (i < text.size()) {
    const bool strong = is_rtl(text[i].code) || is_ltr(text[i]);
    if (strong || (text[i].joins_before && i > 0)) {
      before = strong ? is_rtl(text[i].code) : rtl[i - 1];
      rtl[i++] = before;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && !is_rtl(text[end].code) && !is_ltr(text[end])) ++end;
    const bool after = end < text.size() ? is_rtl(text[end].code) : base_rtl;
    std::fill(rtl.begin() + static_cast<std::ptrdiff_t>(i),
              rtl.begin() + static_cast<std::ptrdiff_t>(end), before == after ? before : base_rtl);
    i = end;
  }
  return rtl;
}

// Appends [begin, end), joined with the last run when that has the same font.
void append(std::vector<TextRun>* runs, std::size_t begin, std::size_t end, int font) {
  if (!runs->empty() && runs->back().font == font) {
    runs->back().end = end;
  } else {
    runs->push_back({begin, end, font, false});
  }
}

// First character at or after `begin` + 1 that starts a word of another script.
std::size_t script_end(const std::vector<CharInfo>& text, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < text.size() && (text[end].joins_before || text[end].script == text[begin].script)) {
    ++end;
  }
  return end;
}

}  // namespace

std::vector<char32_t> drawable_text(std::string_view utf8) {
  std::vector<char32_t> out;
  out.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size();) {
    const char32_t c = next_code_point(utf8, &i);
    out.push_back(c == kBadUtf8 ? kReplacement : is_control(c) ? U' ' : c);
  }
  return out;
}

bool is_rtl(char32_t c) {
  if (in(c, 0x660, 0x669) || in(c, 0x6F0, 0x6F9)) return false;  // digits
  return in(c, 0x590, 0x8FF) || c == 0x200F || in(c, 0xFB1D, 0xFDFF) || in(c, 0xFE70, 0xFEFE) ||
         in(c, 0x10800, 0x10FFF) || in(c, 0x1E800, 0x1EFFF);
}

bool is_joining(char32_t c) {
  return c == 0x200C || c == kZeroWidthJoiner || in(c, 0xFE00, 0xFE0F) || c == 0x20E3 ||
         in(c, 0x1F3FB, 0x1F3FF) || in(c, 0xE0020, 0xE007F) || in(c, 0xE0100, 0xE01EF);
}

std::vector<std::size_t> cluster_starts(const std::vector<CharInfo>& text) {
  std::vector<std::size_t> starts;
  bool second_of_flag = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool flag = is_regional_indicator(text[i].code);
    const bool after_joiner = i > 0 && text[i - 1].code == kZeroWidthJoiner && text[i].script == 0;
    second_of_flag = flag && i > 0 && is_regional_indicator(text[i - 1].code) && !second_of_flag;
    const bool joined = i > 0 && (text[i].joins_before || after_joiner || second_of_flag);
    if (!joined) starts.push_back(i);
  }
  starts.push_back(text.size());
  return starts;
}

std::vector<TextRun> choose_runs(const std::vector<CharInfo>& text, const FontChoice& fonts) {
  std::vector<TextRun> runs;
  const std::vector<std::size_t> starts = cluster_starts(text);
  for (std::size_t c = 0; c + 1 < starts.size();) {
    const std::size_t word_end = script_end(text, starts[c]);
    const int whole = text[starts[c]].script != 0 ? fonts.covering(starts[c], word_end) : kNoFont;
    if (whole != kNoFont) {
      append(&runs, starts[c], word_end, whole);
      while (c + 1 < starts.size() && starts[c] < word_end) ++c;
      continue;
    }
    append(&runs, starts[c], starts[c + 1], fonts.covering(starts[c], starts[c + 1]));
    ++c;
  }
  return runs;
}

std::vector<TextRun> visual_order(const std::vector<CharInfo>& text, std::vector<TextRun> runs) {
  const bool base_rtl = reads_rtl(text);
  const std::vector<bool> rtl = directions(text, base_rtl);
  std::vector<TextRun> out;
  for (const TextRun& run : runs) {
    for (std::size_t i = run.begin; i < run.end;) {
      std::size_t end = i + 1;
      while (end < run.end && rtl[end] == rtl[i]) ++end;
      out.push_back({i, end, run.font, rtl[i]});
      i = end;
    }
  }
  if (!base_rtl) {
    // Neighbouring right-to-left runs (of different fonts) change places among themselves.
    for (auto i = out.begin(); i != out.end();) {
      const auto end =
          std::find_if(i, out.end(), [&](const TextRun& r) { return r.rtl != i->rtl; });
      if (i->rtl) std::reverse(i, end);
      i = end;
    }
    return out;
  }
  std::reverse(out.begin(), out.end());
  for (auto i = out.begin(); i != out.end();) {
    const auto end = std::find_if(i, out.end(), [&](const TextRun& r) { return r.rtl != i->rtl; });
    if (!i->rtl) std::reverse(i, end);
    i = end;
  }
  return out;
}

}  // namespace mha::render
