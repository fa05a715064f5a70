// What a JSON document becomes: arrays of numbers are plain floats, everything else is values.
#include "mha/io/json.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

#include "support/catch.hpp"

namespace mha {
namespace {

using Kind = JsonNode::Kind;
using Floats = std::vector<float>;

Floats floats(const JsonNode& node) {
  return {node.tensor.data.begin(), node.tensor.data.end()};
}

TEST_CASE("arrays of numbers of any rank become floats with their shape") {
  JsonNode node = parse_json("[1, 2.5, -3e2]");
  CHECK(node.is(Kind::kNumbers));
  CHECK(node.tensor.shape == Shape{3});
  CHECK(floats(node) == Floats{1, 2.5F, -300});
  node = parse_json("[[1,2,3],[4,5,6]]");
  CHECK(node.tensor.shape == Shape{2, 3});
  CHECK(floats(node) == Floats{1, 2, 3, 4, 5, 6});
  node = parse_json("[[[[1],[2]]],[[[3],[4]]]]");
  CHECK(node.tensor.shape == Shape{2, 1, 2, 1});
  CHECK(floats(node) == Floats{1, 2, 3, 4});
}

TEST_CASE("null is NaN in an array, and the array says so") {
  const JsonNode node = parse_json("[[1,null],[null,4]]");
  CHECK(node.is(Kind::kNumbers));
  CHECK(node.has_null);
  CHECK(node.tensor.shape == Shape{2, 2});
  CHECK(std::isnan(node.tensor.data[1]));
  CHECK(node.tensor.data[3] == 4);
  CHECK(parse_json("[null,null]").is(Kind::kNumbers));
  CHECK_FALSE(parse_json("[1,2]").has_null);
}

TEST_CASE("arrays of booleans are kept apart from numbers") {
  const JsonNode node = parse_json("[[true,false],[false,true]]");
  CHECK(node.is(Kind::kBooleans));
  CHECK(node.tensor.shape == Shape{2, 2});
  CHECK(floats(node) == Floats{1, 0, 0, 1});
  CHECK(parse_json("[true,null]").has_null);
  CHECK(parse_json("[null,false]").is(Kind::kBooleans));
  CHECK(parse_json("[true,1]").is(Kind::kArray));
  CHECK(parse_json("[[1],[true]]").is(Kind::kArray));
}

TEST_CASE("a ragged array becomes a list of its rows") {
  const JsonNode node = parse_json("[[1,2],[3,4],[5],[6,7]]");
  REQUIRE(node.is(Kind::kArray));
  REQUIRE(node.items.size() == 4);
  CHECK(floats(node.items[0]) == Floats{1, 2});
  CHECK(floats(node.items[1]) == Floats{3, 4});
  CHECK(floats(node.items[2]) == Floats{5});
  CHECK(floats(node.items[3]) == Floats{6, 7});
}

TEST_CASE("raggedness deep inside keeps every number in its place") {
  const JsonNode node = parse_json("[[[1,2],[3,4]],[[5,6],[7]],[[8,9],[10,11]]]");
  REQUIRE(node.is(Kind::kArray));
  REQUIRE(node.items.size() == 3);
  CHECK(node.items[0].tensor.shape == Shape{2, 2});
  CHECK(floats(node.items[0]) == Floats{1, 2, 3, 4});
  REQUIRE(node.items[1].is(Kind::kArray));
  CHECK(floats(node.items[1].items[0]) == Floats{5, 6});
  CHECK(floats(node.items[1].items[1]) == Floats{7});
  CHECK(floats(node.items[2]) == Floats{8, 9, 10, 11});
}

TEST_CASE("mixtures keep numbers, nulls, booleans, strings and objects as values") {
  const JsonNode node = parse_json(R"([1, null, "a", true, {"x": [1,2]}, [3,4], []])");
  REQUIRE(node.is(Kind::kArray));
  REQUIRE(node.items.size() == 7);
  CHECK(node.items[0].number == 1);
  CHECK(node.items[1].is(Kind::kNull));
  CHECK(node.items[2].text == "a");
  CHECK((node.items[3].is(Kind::kBoolean) && node.items[3].number == 1));
  CHECK(floats(*node.items[4].find("x")) == Floats{1, 2});
  CHECK(floats(node.items[5]) == Floats{3, 4});
  CHECK(node.items[6].is_empty_array());
}

TEST_CASE("empty arrays and objects are told apart") {
  CHECK(parse_json("[]").is_empty_array());
  CHECK(parse_json("[[],[]]").tensor.shape == Shape{2, 0});
  CHECK(parse_json("{}").is(Kind::kObject));
  const JsonNode node = parse_json("[[],[1]]");
  REQUIRE(node.is(Kind::kArray));
  CHECK(node.items[0].is_empty_array());
  CHECK(floats(node.items[1]) == Floats{1});
}

TEST_CASE("members stand in the order of the document and are found by name") {
  const JsonNode node = parse_json(R"({"b": 1, "a": "x", "c": {"b": 2}})");
  REQUIRE(node.members.size() == 3);
  CHECK(node.members[0].name == "b");
  CHECK(node.find("a")->text == "x");
  CHECK(node.find("c")->find("b")->number == 2);
  CHECK(node.find("z") == nullptr);
}

TEST_CASE("arrays longer than one block of storage keep what comes before and after them") {
  constexpr std::size_t kBlock = std::size_t{1} << 18;
  for (std::size_t count : {kBlock - 1, kBlock, kBlock + 1, 3 * kBlock + 17}) {
    std::string text = "{\"before\": [1,2,3], \"big\": [";
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text += ',';
      text += std::to_string(i % 1000);
    }
    text += "], \"after\": [[4,5],[6,7]], \"mixed\": [[8,9],[10],\"x\"]}";
    const JsonNode node = parse_json(text);
    CHECK(floats(*node.find("before")) == Floats{1, 2, 3});
    CHECK(floats(*node.find("after")) == Floats{4, 5, 6, 7});
    CHECK(floats(node.find("mixed")->items[1]) == Floats{10});
    const FloatVector& big = node.find("big")->tensor.data;
    REQUIRE(big.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      if (big[i] != static_cast<float>(i % 1000)) FAIL("entry " << i);
    }
  }
}

TEST_CASE("a ragged matrix that spans blocks loses no number") {
  constexpr std::size_t kRows = 600;
  constexpr std::size_t kCols = 1000;
  std::string text = "[";
  for (std::size_t i = 0; i < kRows; ++i) {
    text += i == 0 ? "[" : ",[";
    const std::size_t cols = i == kRows - 2 ? kCols - 1 : kCols;
    for (std::size_t j = 0; j < cols; ++j) text += (j > 0 ? "," : "") + std::to_string(i + j);
    text += "]";
  }
  const JsonNode node = parse_json(text + "]");
  REQUIRE(node.is(Kind::kArray));
  REQUIRE(node.items.size() == kRows);
  CHECK(node.items[kRows - 2].tensor.data.size() == kCols - 1);
  for (std::size_t i : {std::size_t{0}, std::size_t{262}, std::size_t{263}, kRows - 1}) {
    REQUIRE(node.items[i].tensor.data.size() == kCols);
    CHECK(node.items[i].tensor.data[kCols - 1] == static_cast<float>(i + kCols - 1));
  }
}

// Checks each number of an array against strtof.
void check_rounding(const std::vector<std::string>& numbers) {
  std::string text;
  for (const std::string& number : numbers) text += (text.empty() ? "[" : ",") + number;
  const FloatVector data = parse_json(text + "]").tensor.data;
  REQUIRE(data.size() == numbers.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i] != std::strtof(numbers[i].c_str(), nullptr)) FAIL(numbers[i] << " is " << data[i]);
  }
}

TEST_CASE("numbers round to the nearest float, as strtof does") {
  check_rounding({"0.1",
                  "1e-45",
                  "1.4e-45",
                  "0.7e-45",
                  "1e-400",
                  "-0.0",
                  "3.4028234e38",
                  "3.4028235e38",
                  "16777217",
                  "16777219",
                  "9007199791611905",
                  "9007199254740993",
                  "18446744073709551615",
                  "-9223372036854775808",
                  "123456789.123456789",
                  "1e-38",
                  "1.17549435e-38",
                  "1.00000017881393432617187499",
                  "1.00000017881393432617187500",
                  "1.00000017881393432617187501"});
}

TEST_CASE("numbers at and a hair beside the middle of two floats round as strtof does") {
  std::mt19937 engine(11);
  std::vector<std::string> numbers;
  for (int i = 0; i < 20000; ++i) {
    const auto low = std::bit_cast<float>(static_cast<std::uint32_t>(engine()) & 0x7EFFFFFFu);
    const auto high = static_cast<double>(std::nextafter(low, 1e38F));
    char text[64];
    std::snprintf(text, sizeof text, "%.25e", (static_cast<double>(low) + high) / 2);
    const std::string middle = text;
    const std::size_t exponent = middle.find('e');
    numbers.push_back(middle);
    numbers.push_back(middle.substr(0, exponent) + "0001" + middle.substr(exponent));
  }
  check_rounding(numbers);
}

TEST_CASE("numbers outside of arrays and in value lists keep double precision") {
  CHECK(parse_json("{\"x\": 16777217}").find("x")->number == 16777217);
  CHECK(parse_json("{\"x\": 0.1}").find("x")->number == 0.1);
  const JsonNode list = parse_json("[16777217, 0.1, [9007199254740991]]", JsonArrays::kAsValues);
  REQUIRE(list.is(Kind::kArray));
  CHECK(list.items[0].number == 16777217);
  CHECK(list.items[1].number == 0.1);
  CHECK(list.items[2].items[0].number == 9007199254740991);
  CHECK(parse_json("[]", JsonArrays::kAsValues).items.empty());
}

TEST_CASE("a byte order mark in front is no part of the document") {
  CHECK(parse_json("\xEF\xBB\xBF[1]").tensor.data[0] == 1);
}

TEST_CASE("strings hold every escape") {
  CHECK(parse_json(R"({"x": "\u732b \ud83d\udc08 \n\t\"\\\/"})").find("x")->text ==
        "猫 🐈 \n\t\"\\/");
  CHECK(parse_json(R"({"x": "a\u0000b"})").find("x")->text == std::string("a\0b", 3));
}

// Comparing each name with all before it would run into the time limit of CTest.
TEST_CASE("an object with very many members is read") {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":1";
  CHECK(parse_json(text + "}").members.size() == 200000);
}

TEST_CASE("values are described as a person would") {
  const auto description = [](const char* text) { return parse_json(text).description(); };
  CHECK(description("null") == "null");
  CHECK(description("true") == "true");
  CHECK(description("16777217") == "the number 16777217");
  CHECK(description("\"x\"") == "a string");
  CHECK(description("{}") == "an object");
  CHECK(description("[]") == "an empty array");
  CHECK(description("[[1,2,3]]") == "an array of 1x3 numbers");
  CHECK(description("[true]") == "an array of 1 booleans");
  CHECK(description("[1,\"x\"]") == "an array of 2 mixed or uneven entries");
}

}  // namespace
}  // namespace mha
