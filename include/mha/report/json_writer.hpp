// Writes JSON text piece by piece, with numbers by std::to_chars: the shortest text that reads back
// as the same float, and the same bytes everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

// Receives text in pieces; the last piece comes when the writer is flushed.
using TextSink = std::function<void(std::string_view)>;

// Objects are written one member a line, arrays of numbers on one line, in the order of the calls.
// With `compact` everything is on one line. Not finite numbers are an internal error: callers write
// null with a reason instead.
class JsonWriter {
 public:
  explicit JsonWriter(TextSink sink, bool compact = false);
  ~JsonWriter() = default;
  JsonWriter(const JsonWriter&) = delete;
  JsonWriter& operator=(const JsonWriter&) = delete;

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  // Starts a member; a value, object or array must follow.
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(double number);
  void value(std::uint64_t number);
  void value(bool truth);
  void null();

  // [1,0.5,...] on one line. NaN and infinity become null.
  void numbers(std::span<const float> values);
  // [1, 2, ...] on one line.
  void indices(std::span<const std::size_t> values);
  // ["a","b"] on one line.
  void strings(const std::vector<std::string>& values);

  template <typename T>
  void member(std::string_view name, const T& v) {
    key(name);
    value(v);
  }

  // Hands everything so far to the sink.
  void flush();

  // Ends the document with a newline and hands the rest to the sink.
  void finish();

 private:
  void open(char bracket);
  void close(char bracket);
  void begin_value();
  void new_line();
  void put(std::string_view text);
  void put_quoted(std::string_view text);
  void flush_if_full();

  TextSink sink_;
  bool compact_;
  std::string buffer_;
  std::vector<std::size_t> counts_;  // values so far in each open object or array
  bool after_key_ = false;
};

// Text as a JSON string with quotes. Ill-formed UTF-8 is replaced by U+FFFD, so that the output is
// always valid.
std::string json_string(std::string_view text);

}  // namespace mha
