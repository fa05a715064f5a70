#include "mha/report/json_writer.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

using nlohmann::json;

// What `fill` writes.
template <typename Fill>
std::string written(Fill fill, bool compact = false) {
  std::string out;
  JsonWriter writer([&out](std::string_view text) { out += text; }, compact);
  fill(writer);
  writer.finish();
  return out;
}

void fill_sample(JsonWriter& w) {
  w.begin_object();
  w.member("name", "a \"b\"");
  w.key("nested");
  w.begin_object();
  w.member("yes", true);
  w.key("nothing");
  w.null();
  w.key("empty");
  w.begin_array();
  w.end_array();
  w.end_object();
  w.key("rows");
  w.begin_array();
  w.numbers(std::vector<float>{1, 0.5F, 0});
  w.numbers({});
  w.end_array();
  w.key("words");
  w.strings({"x", "y"});
  w.member("count", std::uint64_t{18446744073709551615u});
  w.end_object();
}

TEST_CASE("objects are written one member a line and arrays of numbers on one line") {
  CHECK(written(fill_sample) ==
        "{\n"
        "  \"name\": \"a \\\"b\\\"\",\n"
        "  \"nested\": {\n"
        "    \"yes\": true,\n"
        "    \"nothing\": null,\n"
        "    \"empty\": []\n"
        "  },\n"
        "  \"rows\": [\n"
        "    [1,0.5,0],\n"
        "    []\n"
        "  ],\n"
        "  \"words\": [\"x\", \"y\"],\n"
        "  \"count\": 18446744073709551615\n"
        "}\n");
}

TEST_CASE("compact output is one line with the same content") {
  const std::string compact = written(fill_sample, true);
  CHECK(compact ==
        "{\"name\":\"a \\\"b\\\"\",\"nested\":{\"yes\":true,\"nothing\":null,\"empty\":[]},"
        "\"rows\":[[1,0.5,0],[]],\"words\":[\"x\",\"y\"],\"count\":18446744073709551615}\n");
  CHECK(json::parse(compact) == json::parse(written(fill_sample)));
}

TEST_CASE("strings are escaped so that any text reads back") {
  CHECK(json_string("a\"b\\c\n\t\r/") == "\"a\\\"b\\\\c\\n\\t\\r/\"");
  CHECK(json_string(std::string_view("\0\x1F\x7F", 3)) == "\"\\u0000\\u001f\\u007f\"");
  CHECK(json_string("猫🐈") == "\"猫🐈\"");
  CHECK(json_string("a\xFF") == "\"a\uFFFD\"");  // always valid text
  for (int c = 0; c < 128; ++c) {
    const std::string text(1, static_cast<char>(c));
    CHECK(json::parse(json_string(text)) == text);
  }
}

TEST_CASE("floats are written as the shortest text that reads back as the same float") {
  const auto one = [](float value) {
    return written([value](JsonWriter& w) { w.numbers(std::span(&value, 1)); });
  };
  CHECK(one(0.1F) == "[0.1]\n");
  CHECK(one(1.0F / 3) == "[0.33333334]\n");
  CHECK(one(-0.0F) == "[0]\n");
  CHECK(one(1e-10F) == "[1e-10]\n");
  std::mt19937 engine(3);
  for (int i = 0; i < 20000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
    if (!std::isfinite(value)) continue;
    const std::string text = one(value);
    if (std::strtof(text.c_str() + 1, nullptr) != value) FAIL(text);
    if (!json::accept(text)) FAIL(text);
  }
}

TEST_CASE("doubles are written shortest and read back exactly") {
  const auto one = [](double value) { return written([value](JsonWriter& w) { w.value(value); }); };
  CHECK(one(0.1) == "0.1\n");
  CHECK(one(1) == "1\n");
  CHECK(one(1e22) == "1e+22\n");
  CHECK(std::strtod(one(1.0 / 3).c_str(), nullptr) == 1.0 / 3);
}

TEST_CASE("NaN and infinity are null in arrays and an internal error as values") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> values{std::nanf(""), 1, kInf, -kInf};
  CHECK(written([&](JsonWriter& w) { w.numbers(values); }) == "[null,1,null,null]\n");
  CHECK(test::error_of([] { written([](JsonWriter& w) { w.value(std::nan("")); }); }) ==
        "a number in JSON is not finite");
}

TEST_CASE("indices stand on one line, and what was flushed comes first") {
  const std::vector<std::size_t> indices{3, 0, 18446744073709551615U};
  CHECK(written([&](JsonWriter& w) { w.indices(indices); }) == "[3, 0, 18446744073709551615]\n");
  CHECK(written([&](JsonWriter& w) { w.indices({}); }, true) == "[]\n");
  std::string out;
  JsonWriter writer([&](std::string_view text) { out += text; });
  writer.begin_object();
  writer.member("a", true);
  writer.flush();
  CHECK(out == "{\n  \"a\": true");
  writer.end_object();
  writer.finish();
  CHECK(out == "{\n  \"a\": true\n}\n");
}

TEST_CASE("documents larger than the buffer arrive whole and in order") {
  std::vector<float> row(5000);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<float>(i) / 7;
  std::size_t pieces = 0;
  std::string out;
  JsonWriter writer([&](std::string_view text) {
    out += text;
    ++pieces;
  });
  writer.begin_array();
  for (int i = 0; i < 20; ++i) writer.numbers(row);
  writer.value(std::string(200000, 'x'));
  writer.end_array();
  writer.finish();
  CHECK(pieces > 2);
  const json parsed = json::parse(out);
  REQUIRE(parsed.size() == 21);
  for (int i = 0; i < 20; ++i)
    REQUIRE(parsed[static_cast<std::size_t>(i)].get<std::vector<float>>() == row);
  CHECK(parsed[20].get<std::string>().size() == 200000);
}

}  // namespace
}  // namespace mha
