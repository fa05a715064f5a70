#include "mha/source/source.hpp"

namespace mha {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// Whether braces close on this line as often as they open, outside of strings: then the line is a
// whole object, or no JSON at all.
bool is_whole_object(std::string_view line) {
  if (!line.starts_with('{')) return false;
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1 == line.size();
    }
  }
  return false;
}

// Whether a line ends where JSON must continue.
bool goes_on(std::string_view line) {
  return std::string_view(":,{[").find(line.back()) != std::string_view::npos;
}

}  // namespace

std::vector<DocumentText> split_documents(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<DocumentText> lines;
  std::size_t line_number = 0;
  for (std::size_t start = 0; start < text.size();) {
    std::size_t end = text.find('\n', start);
    if (end == std::string_view::npos) end = text.size();
    ++line_number;
    const std::string_view line = trimmed(text.substr(start, end - start));
    start = end + 1;
    if (line.empty()) continue;
    lines.push_back({line, line_number});
    // The first line may be broken; then the second tells, unless the first one asks for more.
    if (lines.size() == 2 && !is_whole_object(lines[0].text) &&
        (goes_on(lines[0].text) || !is_whole_object(lines[1].text))) {
      return {{text, 0}};
    }
  }
  if (lines.size() < 2) return {{text, 0}};
  return lines;
}

}  // namespace mha
