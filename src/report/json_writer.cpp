#include "mha/report/json_writer.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "mha/base/error.hpp"
#include "mha/base/utf8.hpp"

namespace mha {
namespace {

constexpr std::size_t kFlushAt = std::size_t{1} << 16;
constexpr std::size_t kLongestNumber = 32;

void append_escaped(char32_t code, std::string_view raw, std::string* out) {
  switch (code) {
    case '"':
      *out += "\\\"";
      return;
    case '\\':
      *out += "\\\\";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\t':
      *out += "\\t";
      return;
    case '\r':
      *out += "\\r";
      return;
    case kBadUtf8:
      *out += "\uFFFD";
      return;
    default:
      break;
  }
  if (code < 0x20 || code == 0x7F) {
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(code));
    *out += escape.data();
  } else {
    *out += raw;
  }
}

// Shortest text of a finite number; at most kLongestNumber characters.
template <typename T>
char* write_number(T number, char* out) {
  return std::to_chars(out, out + kLongestNumber, number).ptr;
}

}  // namespace

JsonWriter::JsonWriter(TextSink sink, bool compact) : sink_(std::move(sink)), compact_(compact) {
  buffer_.reserve(kFlushAt + 4096);
}

void JsonWriter::key(std::string_view name) {
  begin_value();
  put_quoted(name);
  put(compact_ ? ":" : ": ");
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  begin_value();
  put_quoted(text);
}

void JsonWriter::value(double number) {
  if (!std::isfinite(number)) throw Error(ErrorKind::kInternal, "a number in JSON is not finite");
  begin_value();
  std::array<char, kLongestNumber> text{};
  put({text.data(), static_cast<std::size_t>(write_number(number, text.data()) - text.data())});
}

void JsonWriter::value(std::uint64_t number) {
  begin_value();
  std::array<char, kLongestNumber> text{};
  put({text.data(), static_cast<std::size_t>(write_number(number, text.data()) - text.data())});
}

void JsonWriter::value(bool truth) {
  begin_value();
  put(truth ? "true" : "false");
}

void JsonWriter::null() {
  begin_value();
  put("null");
}

void JsonWriter::numbers(std::span<const float> values) {
  begin_value();
  put("[");
  constexpr std::size_t kChunk = 1024;
  std::array<char, kChunk*(kLongestNumber + 1)> text;
  for (std::size_t start = 0; start < values.size(); start += kChunk) {
    char* out = text.data();
    for (float number : values.subspan(start, std::min(kChunk, values.size() - start))) {
      if (number == 0) {
        *out++ = '0';  // most weights of a masked or sharp head
      } else if (std::isfinite(number)) {
        out = write_number(number, out);
      } else {
        out = std::copy_n("null", 4, out);
      }
      *out++ = ',';
    }
    const bool is_last = start + kChunk >= values.size();
    put({text.data(), static_cast<std::size_t>(out - text.data()) - (is_last ? 1 : 0)});
  }
  put("]");
}

void JsonWriter::indices(std::span<const std::size_t> values) {
  begin_value();
  put("[");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) put(compact_ ? "," : ", ");
    put(std::to_string(values[i]));
  }
  put("]");
}

void JsonWriter::strings(const std::vector<std::string>& values) {
  begin_value();
  put("[");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) put(compact_ ? "," : ", ");
    put_quoted(values[i]);
  }
  put("]");
}

void JsonWriter::flush() {
  sink_(buffer_);
  buffer_.clear();
}

void JsonWriter::finish() {
  put("\n");
  flush();
}

void JsonWriter::open(char bracket) {
  begin_value();
  put({&bracket, 1});
  counts_.push_back(0);
}

void JsonWriter::close(char bracket) {
  const bool has_values = counts_.back() > 0;
  counts_.pop_back();
  if (has_values) new_line();
  put({&bracket, 1});
}

// Puts the comma and the line break that come before a value or key.
void JsonWriter::begin_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (counts_.empty()) return;
  if (counts_.back()++ > 0) put(",");
  new_line();
}

void JsonWriter::new_line() {
  if (compact_) return;
  buffer_ += '\n';
  buffer_.append(2 * counts_.size(), ' ');
}

void JsonWriter::put(std::string_view text) {
  buffer_ += text;
  flush_if_full();
}

void JsonWriter::put_quoted(std::string_view text) {
  buffer_ += json_string(text);
  flush_if_full();
}

void JsonWriter::flush_if_full() {
  if (buffer_.size() < kFlushAt) return;
  sink_(buffer_);
  buffer_.clear();
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  std::size_t offset = 0;
  while (offset < text.size()) {
    const std::size_t start = offset;
    const char32_t code = next_code_point(text, &offset);
    append_escaped(code, text.substr(start, offset - start), &out);
  }
  out += '"';
  return out;
}

}  // namespace mha
