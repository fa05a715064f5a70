#include "mha/io/safetensors.hpp"

#include <cstdint>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/raw_files.hpp"
#include "support/scratch.hpp"

namespace mha {
namespace {

using Floats = std::vector<float>;
using test::raw_of;
using test::safetensors_file;

const test::ScratchFolder& folder() {
  static const test::ScratchFolder kFolder;
  return kFolder;
}

std::unique_ptr<TensorSource> opened(const std::string& content) {
  return open_safetensors(FileBytes::open(folder().write("x.safetensors", content), SIZE_MAX));
}

std::string open_error(const std::string& content) {
  return test::error_of([&] { opened(content); });
}

std::string error_of_header(const std::string& header, std::size_t data_bytes = 8) {
  return open_error(safetensors_file(header, std::string(data_bytes, '\0')));
}

// One tensor "x" of two elements.
void check_type(const std::string& dtype, const std::string& data, const Floats& expected) {
  INFO(dtype);
  const std::string header = R"({"x":{"dtype":")" + dtype + R"(","shape":[2],"data_offsets":[0,)" +
                             std::to_string(data.size()) + "]}}";
  const Tensor tensor = opened(safetensors_file(header, data))->read(0);
  CHECK(Floats(tensor.data.begin(), tensor.data.end()) == expected);
}

TEST_CASE("every element type of safetensors is read") {
  check_type("F64", raw_of<double>({0.1, -2}), {0.1F, -2});
  check_type("F32", raw_of<float>({0.1F, -2}), {0.1F, -2});
  check_type("F16", raw_of<std::uint16_t>({0x3C00, 0xC000}), {1, -2});
  check_type("BF16", raw_of<std::uint16_t>({0x3F80, 0xC000}), {1, -2});
  check_type("I64", raw_of<std::int64_t>({-5, 7}), {-5, 7});
  check_type("I32", raw_of<std::int32_t>({-5, 7}), {-5, 7});
  check_type("I16", raw_of<std::int16_t>({-5, 7}), {-5, 7});
  check_type("I8", raw_of<std::int8_t>({-5, 7}), {-5, 7});
  check_type("U64", raw_of<std::uint64_t>({5, 7}), {5, 7});
  check_type("U32", raw_of<std::uint32_t>({5, 7}), {5, 7});
  check_type("U16", raw_of<std::uint16_t>({5, 7}), {5, 7});
  check_type("U8", raw_of<std::uint8_t>({5, 7}), {5, 7});
  check_type("BOOL", raw_of<std::uint8_t>({0, 1}), {0, 1});
}

TEST_CASE("tensors are found by name, whatever order their data have, and metadata is no tensor") {
  const auto source = opened(safetensors_file(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},)"
      R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
      R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[8,8]}}   )",
      raw_of<float>({1, 2})));
  CHECK(source->tensors().size() == 3);
  CHECK(read_tensor(*source, "a").data[0] == 1);
  CHECK(read_tensor(*source, "a").shape.empty());
  CHECK(read_tensor(*source, "b").data[0] == 2);
  CHECK(read_tensor(*source, "none").shape == Shape{0, 3});
}

TEST_CASE("a header longer than the file is refused before anything is allocated") {
  CHECK(open_error(test::little_endian(std::uint64_t{1} << 60) + "{}") ==
        "the safetensors header is cut short; expected 1152921504606846976 bytes, got 2");
  CHECK(open_error(test::little_endian(~std::uint64_t{0}) + "{}")
            .starts_with("the safetensors header is cut short"));
  CHECK(open_error("1234567") == "too short for safetensors; expected at least 8 bytes, got 7");
  CHECK(open_error("") == "too short for safetensors; expected at least 8 bytes, got 0");
}

TEST_CASE("a header that is no JSON object says so") {
  CHECK(error_of_header("{\"x\":", 0) ==
        "safetensors header: 1:6: not valid JSON: unexpected end of input; "
        "expected '[', '{', or a literal");
  CHECK(error_of_header("[1,2]", 0) == "the safetensors header is not an object");
  CHECK(error_of_header("{\"x\": 3}") == "tensor 'x': is not described by an object");
  CHECK(error_of_header(R"({"x":{"shape":[2],"data_offsets":[0,8]}})") ==
        "tensor 'x': has no dtype");
  CHECK(error_of_header(R"({"x":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})") ==
        "tensor 'x': dtype 'F8_E4M3' is not supported");
  CHECK(error_of_header(R"({"x":{"dtype":"F32","data_offsets":[0,8]}})") ==
        "tensor 'x': shape is not a list of numbers");
  CHECK(error_of_header(R"({"x":{"dtype":"F32","shape":[2]}})") ==
        "tensor 'x': data_offsets is not a list of numbers");
}

TEST_CASE("a name given twice is refused") {
  CHECK(error_of_header(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                        R"("x":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})") ==
        "safetensors header: /x: field 'x' is given twice");
}

TEST_CASE("data ranges that overlap, leave a gap or leave the file are refused") {
  const auto two = [](const std::string& a, const std::string& b) {
    return error_of_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":)" + a +
                           R"(},"b":{"dtype":"F32","shape":[1],"data_offsets":)" + b + "}}");
  };
  CHECK(two("[0,4]", "[4,8]") == "no error");
  CHECK(two("[0,4]", "[2,6]") ==
        "tensor 'b': data overlap those of another tensor; expected to begin at 4, got 2");
  CHECK(two("[0,4]", "[0,4]") ==
        "tensor 'b': data overlap those of another tensor; expected to begin at 4, got 0");
  CHECK(two("[4,8]", "[4,8]") == "tensor 'a': data leave a gap; expected to begin at 0, got 4");
  CHECK(two("[0,4]", "[8,12]") ==
        "tensor 'b': data_offsets do not lie within the file; expected two numbers up to 8, "
        "got [8, 12]");
  CHECK(two("[4,0]", "[4,8]") ==
        "tensor 'a': data_offsets do not lie within the file; expected two numbers up to 8, "
        "got [4, 0]");
  CHECK(two("[0]", "[4,8]") ==
        "tensor 'a': data_offsets do not lie within the file; expected two numbers up to 8, "
        "got [0]");
}

TEST_CASE("sizes that are no sizes are refused") {
  const auto with_shape = [](const std::string& shape) {
    return error_of_header(R"({"x":{"dtype":"F32","shape":)" + shape +
                           R"(,"data_offsets":[0,8]}})");
  };
  CHECK(with_shape("[2.5]") == "tensor 'x': shape holds the number 2.5; expected a size");
  CHECK(with_shape("[-2]") == "tensor 'x': shape holds the number -2; expected a size");
  CHECK(with_shape("[\"2\"]") == "tensor 'x': shape holds a string; expected a size");
  CHECK(with_shape("[1e300]") == "tensor 'x': shape holds the number 1e+300; expected a size");
  CHECK(with_shape("2") == "tensor 'x': shape is not a list of numbers");
  CHECK(with_shape("[4294967296,4294967296]") == "tensor 'x': size is too large for this machine");
  CHECK(with_shape("[3]") ==
        "tensor 'x': shape and data_offsets differ; expected 12 bytes for 3 of F32, got 8");
}

TEST_CASE("sizes above 2^24 are kept exactly") {
  const std::string message =
      error_of_header(R"({"x":{"dtype":"F32","shape":[16777217],"data_offsets":[0,8]}})");
  CHECK(message ==
        "tensor 'x': shape and data_offsets differ; expected 67108868 bytes for "
        "16777217 of F32, got 8");
}

TEST_CASE("a file cut by a byte or with a byte too many is refused") {
  const std::string whole = safetensors_file(
      R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", raw_of<float>({1, 2}));
  CHECK(open_error(whole) == "no error");
  CHECK(open_error(whole.substr(0, whole.size() - 1)) ==
        "tensor 'x': data_offsets do not lie within the file; expected two numbers up to 7, "
        "got [0, 8]");
  CHECK(open_error(whole + "z") == "data after the last tensor; expected 8 bytes of data, got 9");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(open_error(whole.substr(0, size)) != "no error");
  }
}

TEST_CASE("our header is read back, with aligned data") {
  const std::vector<TensorInfo> infos = {{"attention.L0", DType::kF32, {2, 2}},
                                         {"a \"quoted\" name", DType::kF32, {1}},
                                         {"empty", DType::kF32, {0, 5}}};
  const std::string header = safetensors_header(infos);
  CHECK(header.size() % 8 == 0);
  const auto source = opened(header + raw_of<float>({1, 2, 3, 4, 5}));
  REQUIRE(source->tensors().size() == 3);
  CHECK(read_tensor(*source, "attention.L0").shape == Shape{2, 2});
  CHECK(read_tensor(*source, "attention.L0").data[3] == 4);
  CHECK(read_tensor(*source, "a \"quoted\" name").data[0] == 5);
  CHECK(opened(safetensors_header({}))->tensors().empty());
}

TEST_CASE("safetensors are recognised by their length and brace") {
  const auto looks = [](const std::string& content) {
    return looks_like_safetensors(FileBytes::open(folder().write("y", content), SIZE_MAX).bytes());
  };
  CHECK(looks(safetensors_file("{}", "")));
  CHECK_FALSE(looks("{\"tokens\": [\"a\"]}"));
  CHECK_FALSE(looks(""));
  CHECK_FALSE(looks(test::little_endian(std::uint64_t{1} << 60) + "{}"));
}

}  // namespace
}  // namespace mha
