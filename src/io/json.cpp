#include "mha/io/json.hpp"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "json_builder.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

// "12:7" for a byte of the text, both counted from 1.
std::string line_and_column(std::string_view text, std::size_t byte) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i < std::min(byte, text.size()); ++i) {
    if (text[i] == '\n') {
      ++line;
      column = 1;
    } else {
      ++column;
    }
  }
  return concat(line, ":", column);
}

// The library's message without its own prefix and position: "syntax error while parsing ...".
std::string bare_message(std::string message) {
  const std::size_t bracket = message.find("] ");
  if (bracket != std::string::npos) message.erase(0, bracket + 2);
  const std::size_t column = message.find("column ");
  const std::size_t colon = message.find(": ", column == std::string::npos ? 0 : column);
  if (column != std::string::npos && colon != std::string::npos) message.erase(0, colon + 2);
  return message;
}

// Passes the parser's events to the builder.
class Events : public nlohmann::json_sax<nlohmann::json> {
 public:
  Events(JsonBuilder* builder, std::string_view text) : builder_(*builder), text_(text) {}

  bool null() override { return builder_.add_null(), true; }
  bool boolean(bool value) override { return builder_.add_boolean(value), true; }
  bool number_integer(number_integer_t value) override {
    return builder_.add_number(static_cast<double>(value)), true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    return builder_.add_number(static_cast<double>(value)), true;
  }
  bool number_float(number_float_t value, const string_t&) override {
    return builder_.add_number(value), true;
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
    fail_input(concat(line_and_column(text_, byte), ": not valid JSON: ",
                      bare_message(error.what())));
  }

 private:
  JsonBuilder& builder_;
  std::string_view text_;
};

}  // namespace

const JsonNode* JsonNode::find(std::string_view name) const {
  for (const JsonMember& member : members) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

std::string JsonNode::description() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return number != 0 ? "true" : "false";
    case Kind::kNumber:
      return concat("the number ", number);
    case Kind::kString:
      return "a string";
    case Kind::kNumbers:
      if (tensor.data.empty()) return "an empty array";
      return "an array of " + shape_text(tensor.shape) + " numbers";
    case Kind::kBooleans:
      return "an array of " + shape_text(tensor.shape) + " booleans";
    case Kind::kArray:
      return concat("an array of ", items.size(), " mixed or uneven entries");
    case Kind::kObject:
      return "an object";
  }
  return "a value";
}

JsonNode parse_json(std::string_view text, JsonArrays arrays) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    fail_input("1:1: the document is empty; expected a JSON object");
  }
  JsonBuilder builder(arrays);
  Events events(&builder, text);
  nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &events);
  return builder.take_root();
}

}  // namespace mha
