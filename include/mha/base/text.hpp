// Small text helpers: joining values into a message, readable sizes, spelling suggestions.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

// concat("expected ", 3, ", got ", 4) == "expected 3, got 4".
template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

// join({"a", "b"}, ", ") == "a, b".
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// split("a,b,", ',') == {"a", "b", ""}.
std::vector<std::string> split(std::string_view text, char separator);

// Whether the whole text is a number of this integer type, which then is in `*value`.
template <typename T>
bool parse_whole(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

// "5x64" for {5, 64}; "scalar" for {}.
std::string shape_text(const std::vector<std::size_t>& shape);

// "1.5 MiB"; whole bytes below 1 KiB.
std::string bytes_text(double bytes);

// "1 row", "2 rows".
std::string count_text(std::uint64_t count, const std::string& noun);

// A number with `digits` after the point, trailing zeros kept: fixed(0.5, 2) == "0.50".
std::string fixed(double value, int digits);

// The shortest text that reads back as the same number: "0.1", "16777216", "1e+30".
std::string number_text(double value);

// A number for readers: its hyphens are minus signs (U+2212), which are as wide as a plus.
std::string with_minus(std::string_view number);

// "did you mean 'n_heads'?" for the candidate nearest to `word`, or "" when none is near. Upper and
// lower case count as equal.
std::string spelling_hint(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace mha
