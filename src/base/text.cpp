#include "mha/base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>

namespace mha {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Edit distance in which exchanging two neighbouring letters costs one (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  if (shape.empty()) return "scalar";
  std::vector<std::string> parts;
  parts.reserve(shape.size());
  for (std::size_t n : shape) parts.push_back(std::to_string(n));
  return join(parts, "x");
}

std::string bytes_text(double bytes) {
  static const char* const kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= (unit == 0 ? 1024 : 1023.95) && unit < 5) {  // 1023.95 would read 1024.0
    bytes /= 1024;
    ++unit;
  }
  return fixed(bytes, unit == 0 ? 0 : 1) + " " + kUnits[unit];
}

std::string count_text(std::uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string fixed(double value, int digits) {
  char text[512];  // the largest double has 309 digits before the point
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string number_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string with_minus(std::string_view number) {
  std::string out;
  for (const char c : number) {
    if (c == '-') {
      out += "\u2212";
    } else {
      out += c;
    }
  }
  return out;
}

std::string spelling_hint(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestWord = 64;  // longer input is no misspelling of ours
  if (word.empty() || word.size() > kLongestWord) return {};
  const auto folded = [](std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), lower);
    return out;
  };
  const std::string* best = nullptr;
  // At most a third of the letters may differ, and never all of them.
  std::size_t best_distance = std::min(word.size(), 1 + std::max<std::size_t>(1, word.size() / 3));
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(folded(word), folded(candidate));
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string() : "did you mean '" + *best + "'?";
}

}  // namespace mha
