// Documents that are no JSON, and the place that the message names.
#include "mha/io/json.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

std::string parse_error(const std::string& text) {
  return test::error_of([&] { parse_json(text); });
}

struct Broken {
  const char* text;
  const char* message;
};

void check_all(std::initializer_list<Broken> cases) {
  for (const Broken& broken : cases) {
    INFO(broken.text);
    CHECK(parse_error(broken.text) == broken.message);
  }
}

constexpr const char* kEmpty = "1:1: the document is empty; expected a JSON object";

TEST_CASE("an empty document is called empty") {
  check_all({{"", kEmpty}, {" \n\t", kEmpty}, {"\xEF\xBB\xBF", kEmpty}});
}

TEST_CASE("a document cut short names the line and column where it ends") {
  check_all({
      {"{\"a\": [1,2", "1:11: not valid JSON: unexpected end of input; expected ']'"},
      {"{\"a\": [1,2\n", "2:1: not valid JSON: unexpected end of input; expected ']'"},
      {"{\n \"a\": [\n  [1,2],\n  [3,",
       "4:6: not valid JSON: unexpected end of input; expected '[', '{', or a literal"},
      {"{\"a\": \"x",
       "1:9: not valid JSON: invalid string: missing closing quote; last read: '\"x'"},
      {"nul", "1:4: not valid JSON: invalid literal; last read: 'nul'"},
  });
}

TEST_CASE("a wrong character is named with its line and column") {
  check_all({
      {"{\"a\" 1}", "1:6: not valid JSON: unexpected number literal; expected ':'"},
      {"{\n  \"a\": 1,\n}", "3:1: not valid JSON: unexpected '}'; expected string literal"},
      {"[1,2,]", "1:6: not valid JSON: unexpected ']'; expected '[', '{', or a literal"},
      {"{\"a\": [01]}", "1:9: not valid JSON: unexpected number literal; expected ']'"},
      {"{\"a\": 'x'}", "1:7: not valid JSON: invalid literal; last read: '\"a\": ''"},
      {"{} {}", "1:4: not valid JSON: unexpected '{'; expected end of input"},
      {"// c\n{}", "1:1: not valid JSON: invalid literal; last read: '/'"},
      {"\xEF\xBB\xBF{\"a\" 1}", "1:6: not valid JSON: unexpected number literal; expected ':'"},
  });
}

TEST_CASE("columns count characters, not bytes") {
  check_all({{"{\"猫猫\": x}", "1:8: not valid JSON: invalid literal; last read: '\"猫猫\": x'"}});
}

TEST_CASE("NaN and infinity are refused with a remedy") {
  const std::string hint = "\nhint: JSON has no NaN and no infinity; null marks a missing cell";
  CHECK(parse_error("{\"a\": NaN}") ==
        "1:7: not valid JSON: invalid literal; last read: '\"a\": N'" + hint);
  CHECK(parse_error("{\"a\": [1, Infinity]}") ==
        "1:11: not valid JSON: invalid literal; last read: '1, I'" + hint);
}

TEST_CASE("numbers beyond float32 name their place") {
  check_all({
      {"{\"a\": {\"b\": [[1,2],[3,3.5e38]]}}",
       "/a/b/1/1: number out of range; expected at most 3.4e38 (float32), got 3.5e+38"},
      {"{\"a\": [-1e39]}",
       "/a/0: number out of range; expected at most 3.4e38 (float32), got -1e+39"},
      {"{\"a\": [1, 1e400]}",
       "1:15: number out of range; expected at most 3.4e38 (float32), got '1e400'"},
  });
}

TEST_CASE("bytes that are no UTF-8 are shown as bytes, with a remedy") {
  check_all({
      {"{\"a\": \"\xFF\"}",
       "1:8: not valid JSON: invalid string: ill-formed UTF-8 byte; last read: '\"<FF>'\n"
       "hint: save the file as UTF-8"},
      {"{\n\"a\": \"x\xC3\"}",
       "2:9: not valid JSON: invalid string: ill-formed UTF-8 byte; last read: '\"x<C3>\"'\n"
       "hint: save the file as UTF-8"},
  });
}

TEST_CASE("a zero byte does not end the document in silence") {
  const std::string hint = "\nhint: if this is UTF-16, save it as UTF-8";
  CHECK(parse_error(std::string("{}\0junk", 7)) ==
        "1:3: not valid JSON: a zero byte; expected UTF-8 text" + hint);
  CHECK(parse_error(std::string("{\0}\0", 4)) ==
        "1:2: not valid JSON: a zero byte; expected UTF-8 text" + hint);
}

TEST_CASE("a field given twice is named with its pointer") {
  check_all({
      {"{\"a\":1,\"a\":2}", "/a: field 'a' is given twice"},
      {"{\"a\": {\"b\":1,\"c\":2,\"b\":3}}", "/a/b: field 'b' is given twice"},
      {"[{\"x\":1},{\"y/z\":1,\"y/z\":2}]", "/1/y~1z: field 'y/z' is given twice"},
  });
}

TEST_CASE("nesting is limited to 64 levels") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + "1" + std::string(depth, ']');
  };
  CHECK(parse_error(nested(64)) == "no error");
  CHECK(parse_error(nested(65)).ends_with("nested too deeply; expected at most 64 levels"));
  CHECK(parse_error(std::string(1000000, '[')).ends_with("expected at most 64 levels"));
  std::string objects;
  for (int i = 0; i < 65; ++i) objects += "{\"a\":";
  CHECK(parse_error(objects).ends_with("nested too deeply; expected at most 64 levels"));
}

TEST_CASE("a message about a huge string stays short") {
  const std::string message = parse_error("{\"a\": \"" + std::string(1000000, 'y'));
  CHECK(message.size() < 300);
  CHECK(message.starts_with("1:1000008: not valid JSON: invalid string: missing closing quote"));
}

}  // namespace
}  // namespace mha
