#include "mha/io/json.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

#include "json_builder.hpp"

namespace mha {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// "12:7" for a byte of the text, both counted from 1; columns count characters, not bytes.
std::string line_and_column(std::string_view text, std::size_t byte) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i < std::min(byte, text.size()); ++i) {
    const bool continues_character = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else if (!continues_character) {
      ++column;
    }
  }
  return concat(line, ":", column);
}

// The float nearest to a number in decimal. Rounding to double first and then to float goes wrong
// where the double lies exactly between two floats: then the text decides.
float nearest_float(double value, const std::string& text) {
  constexpr std::uint64_t kTail =
      (std::uint64_t{1} << 29) - 1;  // bits that a float has no room for
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 28;
  const bool is_halfway = (std::bit_cast<std::uint64_t>(value) & kTail) == kHalf;
  const bool is_subnormal =
      value != 0 && std::fabs(value) < static_cast<double>(std::numeric_limits<float>::min());
  if (!is_halfway && !is_subnormal) return static_cast<float>(value);
  return std::strtof(text.c_str(), nullptr);
}

// Cuts the quoted part out of a long message: a string that does not end is as long as the file.
std::string shortened(const std::string& message) {
  constexpr std::size_t kHead = 120;
  constexpr std::size_t kTail = 40;
  if (message.size() <= kHead + kTail) return message;
  return message.substr(0, kHead) + " ... " + message.substr(message.size() - kTail);
}

// Bytes that are no UTF-8 are written as <FF>, so that a message is always text.
std::string valid_text(const std::string& message) {
  std::string out;
  std::size_t offset = 0;
  while (offset < message.size()) {
    const std::size_t start = offset;
    if (next_code_point(message, &offset) != kBadUtf8) {
      out.append(message, start, offset - start);
      continue;
    }
    constexpr char kHex[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(message[start]);
    out += {'<', kHex[byte >> 4], kHex[byte & 15], '>'};
  }
  return out;
}

// The library's message without its own prefix and position: "unexpected ']'; expected ...".
std::string bare_message(std::string message) {
  const std::size_t bracket = message.find("] ");
  if (bracket != std::string::npos) message.erase(0, bracket + 2);
  const std::size_t column = message.find("column ");
  const std::size_t colon = message.find(": ", column == std::string::npos ? 0 : column);
  if (column != std::string::npos && colon != std::string::npos) message.erase(0, colon + 2);
  const std::size_t dash = message.find(" - ");
  if (message.starts_with("syntax error") && dash != std::string::npos) message.erase(0, dash + 3);
  return message;
}

// What to do about an error at this byte, where that can be told.
std::string remedy(std::string_view text, std::size_t byte) {
  std::string_view rest = text.substr(std::min(byte, text.size()));
  if (rest.starts_with('-')) rest.remove_prefix(1);
  for (std::string_view word : {"NaN", "nan", "Infinity", "inf", "Inf"}) {
    if (rest.starts_with(word)) return "JSON has no NaN and no infinity; null marks a missing cell";
  }
  if (find_bad_utf8(text) != std::string_view::npos) return "save the file as UTF-8";
  return {};
}

// Passes the parser's events to the builder.
class Events : public nlohmann::json_sax<nlohmann::json> {
 public:
  Events(JsonBuilder* builder, std::string_view text) : builder_(*builder), text_(text) {}

  bool null() override { return builder_.add_null(), true; }
  bool boolean(bool value) override { return builder_.add_boolean(value), true; }
  bool number_integer(number_integer_t value) override {
    return builder_.add_number(static_cast<double>(value), static_cast<float>(value)), true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    return builder_.add_number(static_cast<double>(value), static_cast<float>(value)), true;
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return builder_.add_number(value, nearest_float(value, text)), true;
  }
  bool string(string_t& value) override { return builder_.add_string(std::move(value)), true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return builder_.open_object(), true; }
  bool key(string_t& name) override { return builder_.add_key(std::move(name)), true; }
  bool end_object() override { return builder_.close(), true; }
  bool start_array(std::size_t) override { return builder_.open_array(), true; }
  bool end_array() override { return builder_.close(), true; }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::size_t byte = position > 0 ? position - 1 : 0;
    const std::string place = line_and_column(text_, byte);
    std::string message = shortened(valid_text(bare_message(error.what())));
    constexpr std::string_view kOverflow = "number overflow parsing ";
    if (message.starts_with(kOverflow)) {
      message.erase(0, kOverflow.size());
      fail_input(
          concat(place, ": number out of range; expected at most 3.4e38 (float32), got ", message));
    }
    fail_input(concat(place, ": not valid JSON: ", message), remedy(text_, byte));
  }

 private:
  JsonBuilder& builder_;
  std::string_view text_;
};

const char* entries_name(const std::vector<JsonNode>& items) {
  const auto all = [&](JsonNode::Kind kind) {
    return std::ranges::all_of(items, [kind](const JsonNode& item) { return item.is(kind); });
  };
  return all(JsonNode::Kind::kString)   ? "strings"
         : all(JsonNode::Kind::kObject) ? "objects"
                                        : "mixed or uneven entries";
}

}  // namespace

const JsonNode* JsonNode::find(std::string_view name) const {
  for (const JsonMember& member : members) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

JsonNode* JsonNode::find(std::string_view name) {
  return const_cast<JsonNode*>(std::as_const(*this).find(name));
}

std::string JsonNode::description() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return number != 0 ? "true" : "false";
    case Kind::kNumber:
      return "the number " + number_text(number);
    case Kind::kString:
      return "a string";
    case Kind::kNumbers:
      if (tensor.data.empty()) return "an empty array";
      return "an array of " + shape_text(tensor.shape) + " numbers";
    case Kind::kBooleans:
      return "an array of " + shape_text(tensor.shape) + " booleans";
    case Kind::kArray:
      return concat("an array of ", items.size(), " ", entries_name(items));
    case Kind::kObject:
      return "an object";
  }
  return "a value";
}

JsonNode parse_json(std::string_view text, JsonArrays arrays) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t zero = text.find('\0');  // the parser would take it for the end
  if (zero != std::string_view::npos) {
    fail_input(line_and_column(text, zero) + ": not valid JSON: a zero byte; expected UTF-8 text",
               "if this is UTF-16, save it as UTF-8");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    fail_input("1:1: the document is empty; expected a JSON object");
  }
  JsonBuilder builder(arrays);
  Events events(&builder, text);
  nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &events);
  return builder.take_root();
}

}  // namespace mha
