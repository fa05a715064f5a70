#include "mha/io/npy.hpp"

#include <cstdint>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/raw_files.hpp"
#include "support/scratch.hpp"

namespace mha {
namespace {

using Floats = std::vector<float>;
using test::npy_file;
using test::npy_of;
using test::raw_of;
using test::swapped;

const test::ScratchFolder& npy_folder() {
  static const test::ScratchFolder kFolder;
  return kFolder;
}

FileBytes file_of(const std::string& content) {
  return FileBytes::open(npy_folder().write("x.npy", content), SIZE_MAX);
}

Tensor read_npy(const std::string& content) {
  return open_npy(file_of(content))->read(0);
}

Floats floats(const std::string& content) {
  const Tensor tensor = read_npy(content);
  return {tensor.data.begin(), tensor.data.end()};
}

std::string npy_error(const std::string& content) {
  return test::error_of([&] { read_npy(content); });
}

// The same numbers in both byte orders.
template <typename T>
void check_type(const std::string& code, const std::vector<T>& values, const Floats& expected) {
  INFO(code);
  const std::string shape = "(" + std::to_string(values.size()) + ",)";
  CHECK(floats(npy_of("<" + code, shape, raw_of(values))) == expected);
  CHECK(floats(npy_of("=" + code, shape, raw_of(values))) == expected);
  CHECK(floats(npy_of(">" + code, shape, swapped(raw_of(values), sizeof(T)))) == expected);
}

TEST_CASE("every element type is read in both byte orders") {
  check_type<double>("f8", {0.1, -2}, {0.1F, -2});
  check_type<float>("f4", {0.1F, -2}, {0.1F, -2});
  check_type<std::uint16_t>("f2", {0x3C00, 0xC000}, {1, -2});
  check_type<std::int64_t>("i8", {-5, 1ll << 40}, {-5, 0x1p40F});
  check_type<std::int32_t>("i4", {-5, 70000}, {-5, 70000});
  check_type<std::int16_t>("i2", {-5, 300}, {-5, 300});
  check_type<std::int8_t>("i1", {-5, 7}, {-5, 7});
  check_type<std::uint64_t>("u8", {5, 1ull << 63}, {5, 0x1p63F});
  check_type<std::uint32_t>("u4", {5, 4000000000u}, {5, 4e9F});
  check_type<std::uint16_t>("u2", {5, 65535}, {5, 65535});
  check_type<std::uint8_t>("u1", {5, 255}, {5, 255});
  CHECK(floats(npy_of("|b1", "(2,)", std::string("\1\0", 2))) == Floats{1, 0});
  CHECK(floats(npy_of("|i1", "(1,)", "\xFB")) == Floats{-5});
}

TEST_CASE("arrays keep their shape, from a scalar to four axes") {
  CHECK(read_npy(npy_of("<f4", "()", raw_of<float>({5}))).shape.empty());
  CHECK(read_npy(npy_of("<f4", "(2, 3)", raw_of<float>({1, 2, 3, 4, 5, 6}))).shape == Shape{2, 3});
  CHECK(read_npy(npy_of("<f4", "(2,1,1,2)", raw_of<float>({1, 2, 3, 4}))).shape ==
        Shape{2, 1, 1, 2});
  CHECK(read_npy(npy_of("<f4", "(0, 3)", "")).shape == Shape{0, 3});
}

TEST_CASE("Fortran order is turned into rows") {
  CHECK(floats(npy_of("<f4", "(2, 3)", raw_of<float>({1, 4, 2, 5, 3, 6}), true)) ==
        Floats{1, 2, 3, 4, 5, 6});
  // Element (i, j, k) of a 2x3x2 array stands at i + 2 j + 6 k.
  std::vector<float> columns(12);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 2; ++k) {
        columns[i + 2 * j + 6 * k] = static_cast<float>(100 * i + 10 * j + k);
      }
    }
  }
  CHECK(floats(npy_of("<f4", "(2, 3, 2)", raw_of(columns), true)) ==
        Floats{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121});
  CHECK(floats(npy_of("<f4", "(0, 3)", "", true)).empty());
}

TEST_CASE("versions 1 to 3 are read, and keys may stand in any order with any spacing") {
  const std::string header = "{ 'shape':(2,),\"fortran_order\" : False , 'descr': '<f4' }   \n";
  const std::string data = raw_of<float>({1, 2});
  for (int version : {1, 2, 3}) CHECK(floats(npy_file(header, data, version)) == Floats{1, 2});
  CHECK(npy_error(npy_file(header, data, 4)) ==
        "npy version 4 is not supported; expected 1, 2 or 3");
}

TEST_CASE("a malformed header names what is wrong") {
  const std::string data = raw_of<float>({1, 2});
  const auto header_error = [&](const std::string& header) {
    return npy_error(npy_file(header, data));
  };
  CHECK(header_error("") == "malformed npy header at byte 0: expected '{'");
  CHECK(header_error("{'descr': '<f4'}") ==
        "malformed npy header at byte 16: expected the keys descr, fortran_order and shape");
  CHECK(header_error("{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}") ==
        "malformed npy header at byte 34: expected True or False");
  CHECK(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}") ==
        "malformed npy header at byte 51: expected a number of at least 0 in shape");
  CHECK(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': [2]}") ==
        "malformed npy header at byte 50: expected '('");
  CHECK(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)") ==
        "malformed npy header at byte 54: expected '}'");
  CHECK(header_error("{'descr': '<f4', 'shape': (2,), 'shape': (3,)}") ==
        "malformed npy header at byte 40: key 'shape' is given twice");
  CHECK(header_error("{'colour': 'red'}") ==
        "malformed npy header at byte 10: unknown key 'colour'");
  CHECK(header_error("{'descr") == "malformed npy header at byte 1: a quoted name does not end");
  CHECK(header_error("{'descr': 3}") == "malformed npy header at byte 10: expected a quoted name");
  CHECK(header_error("{'descr': [('x', '<f4')]}")
            .starts_with("element type '[...]' is not supported\nhint: "));
}

TEST_CASE("element types without a meaning here get a remedy") {
  const std::string hint =
      "\nhint: save the array as float32, for example with array.astype('<f4')";
  for (const char* descr : {"<c8", "<U3", "|O", "<f16", "f4", "", "<"}) {
    CHECK(npy_error(npy_of(descr, "(2,)", "12345678")) ==
          "element type '" + std::string(descr) + "' is not supported" + hint);
  }
}

TEST_CASE("a file that is cut or too long says how many bytes it should have") {
  const std::string whole = npy_of("<f4", "(2, 3)", raw_of<float>({1, 2, 3, 4, 5, 6}));
  CHECK(npy_error(whole.substr(0, whole.size() - 1)) ==
        "the array has the wrong number of bytes; expected 24 for shape 2x3 of F32, got 23");
  CHECK(npy_error(whole + "x") ==
        "the array has the wrong number of bytes; expected 24 for shape 2x3 of F32, got 25");
  CHECK(npy_error(whole.substr(0, 20)).starts_with("the npy header is cut short; expected "));
  CHECK(npy_error(whole.substr(0, 9)) == "not an npy file");
  CHECK(npy_error("") == "not an npy file");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK(npy_error(whole.substr(0, size)) != "no error");
  }
}

TEST_CASE("shapes too large for any file are refused before memory is asked for") {
  CHECK(npy_error(npy_of("<f4", "(4294967296, 4294967296)", "12345678")) ==
        "size is too large for this machine");
  CHECK(npy_error(npy_of("<f4", "(99999999999999999999999,)", "12345678")) ==
        "size is too large for this machine");
  CHECK(npy_error(npy_of("<f8", "(1152921504606846976,)", "12345678"))
            .starts_with("the array has the wrong number of bytes; expected 9223372036854775808"));
}

TEST_CASE("our header is read back and ends on a multiple of 64 bytes") {
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{2, 3, 4, 5}, Shape{0, 7}}) {
    const std::string header = npy_header(shape);
    CHECK(header.size() % 64 == 0);
    CHECK(header.back() == '\n');
    std::size_t count = 1;
    for (std::size_t n : shape) count *= n;
    const Tensor back = read_npy(header + raw_of(std::vector<float>(count, 2.5F)));
    CHECK(back.shape == shape);
    CHECK(back.data.size() == count);
  }
  CHECK(looks_like_npy(file_of(npy_header({1}) + "1234").bytes()));
  CHECK_FALSE(looks_like_npy(file_of("{}").bytes()));
}

}  // namespace
}  // namespace mha
