#include "mha/io/npz.hpp"

#include <cstdint>
#include <thread>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"
#include "support/zip_files.hpp"

namespace mha {
namespace {

using Floats = std::vector<float>;
using test::npy_of;
using test::raw_of;
using test::zip_file;
using test::ZipMember;

const test::ScratchFolder& npz_folder() {
  static const test::ScratchFolder kFolder;
  return kFolder;
}

std::unique_ptr<TensorSource> opened_npz(const std::string& content) {
  return open_npz(FileBytes::open(npz_folder().write("x.npz", content), SIZE_MAX));
}

// The first complaint of opening the archive and reading all of it.
std::string npz_error(const std::string& content) {
  return test::error_of([&] {
    const auto source = opened_npz(content);
    for (std::size_t i = 0; i < source->tensors().size(); ++i) source->read(i);
  });
}

Floats floats(const TensorSource& source, const std::string& name) {
  const Tensor tensor = read_tensor(source, name);
  return {tensor.data.begin(), tensor.data.end()};
}

const std::string kThree = npy_of("<f4", "(3,)", raw_of<float>({1, 2, 3}));
const std::string kDamagedHint = "\nhint: was the file cut, or is it still being written?";

TEST_CASE("stored and deflated members are tensors under their names without .npy") {
  const std::string matrix = npy_of("<f8", "(2, 2)", raw_of<double>({1, 2, 3, 4}));
  const auto source =
      opened_npz(zip_file({{"a.npy", kThree}, {"layers/0.attn.npy", matrix, true}}));
  REQUIRE(source->tensors().size() == 2);
  CHECK(source->tensors()[1].name == "layers/0.attn");
  CHECK(source->tensors()[1].dtype == DType::kF64);
  CHECK(source->tensors()[1].shape == Shape{2, 2});
  CHECK(floats(*source, "a") == Floats{1, 2, 3});
  CHECK(floats(*source, "layers/0.attn") == Floats{1, 2, 3, 4});
  CHECK(floats(*source, "a") == Floats{1, 2, 3});  // a second time
  CHECK(source->notes().empty());
}

TEST_CASE("members in Fortran order and big-endian are turned around") {
  const std::string data = test::swapped(raw_of<float>({1, 4, 2, 5, 3, 6}), 4);
  const auto source = opened_npz(zip_file({{"x.npy", npy_of(">f4", "(2, 3)", data, true), true}}));
  CHECK(floats(*source, "x") == Floats{1, 2, 3, 4, 5, 6});
}

TEST_CASE("a member of several chunks is decoded whole, by several threads at once") {
  std::vector<double> values(100003);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 977);
  const std::string member = npy_of("<f8", "(100003,)", raw_of(values));
  const auto source = opened_npz(zip_file({{"x.npy", member, true}, {"y.npy", member}}));
  std::vector<Floats> results(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] { results[t] = floats(*source, t % 2 == 0 ? "x" : "y"); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Floats& result : results) CHECK(result == Floats(values.begin(), values.end()));
}

TEST_CASE("members that are no arrays are left out with a note") {
  const auto source = opened_npz(zip_file({{"readme.txt", "hello"}, {"a.npy", kThree}}));
  CHECK(source->tensors().size() == 1);
  CHECK(source->notes() ==
        std::vector<std::string>{"member 'readme.txt' is no .npy file and was left out"});
  CHECK(npz_error(zip_file({{"readme.txt", "hello"}})) ==
        "is a zip archive without .npy members; expected an .npz file");
  CHECK(opened_npz(zip_file({}))->tensors().empty());
}

TEST_CASE("a wrong checksum is found when the member is read") {
  ZipMember stored("x.npy", kThree);
  stored.checksum ^= 1;
  const std::string message =
      "tensor 'x': the checksum (CRC-32) does not match: the data are damaged";
  CHECK(npz_error(zip_file({stored})) == message);
  CHECK(test::error_of([&] { opened_npz(zip_file({stored})); }) == "no error");
  ZipMember changed("x.npy", kThree);
  changed.content.back() ^= 1;
  CHECK(npz_error(zip_file({changed})) == message);
}

TEST_CASE("sizes that the compressed bytes cannot hold are refused before memory is asked for") {
  ZipMember bomb("x.npy", npy_of("<f4", "(1000000000,)", ""), true);
  bomb.size = 4000000000u;
  CHECK(npz_error(zip_file({bomb}))
            .starts_with("tensor 'x': the sizes in the zip directory cannot be; it claims "
                         "4000000000 bytes from "));
  ZipMember stored("x.npy", kThree);
  stored.size += 4;
  CHECK(npz_error(zip_file({stored})).starts_with("tensor 'x': the sizes in the zip directory"));
}

TEST_CASE("a member's array has the size that its header says") {
  CHECK(npz_error(zip_file({{"x.npy", npy_of("<f4", "(4,)", raw_of<float>({1, 2, 3}))}})) ==
        "tensor 'x': the array has the wrong number of bytes; expected 16 for shape 4 of F32, "
        "got 12");
  CHECK(npz_error(zip_file({{"x.npy", "hello, I am no array"}})) == "tensor 'x': not an npy file");
  CHECK(npz_error(zip_file({{"x.npy", ""}})) == "tensor 'x': not an npy file");
  ZipMember shorter("x.npy", kThree + "1234", true);  // more data than the directory says
  shorter.size -= 4;
  CHECK(npz_error(zip_file({shorter})) != "no error");
  ZipMember longer("x.npy", npy_of("<f4", "(4,)", raw_of<float>({1, 2, 3})), true);
  longer.size += 4;
  CHECK(npz_error(zip_file({longer})) != "no error");
}

TEST_CASE("names given twice, passwords and other compressions are refused in words") {
  CHECK(npz_error(zip_file({{"a.npy", kThree}, {"a.npy", kThree}})) ==
        "the zip archive holds two members named 'a.npy'");
  ZipMember encrypted("x.npy", kThree);
  encrypted.flags = 1;
  CHECK(npz_error(zip_file({encrypted})) ==
        "tensor 'x': is encrypted; expected an archive without a password");
  const std::string hint = "\nhint: numpy.savez and numpy.savez_compressed write what is read here";
  for (const auto& [method, name] : {std::pair(12, "bzip2"), std::pair(14, "lzma"),
                                     std::pair(93, "zstd"), std::pair(98, "method 98")}) {
    ZipMember member("x.npy", kThree);
    member.method = static_cast<std::uint16_t>(method);
    CHECK(npz_error(zip_file({member})) == "tensor 'x': is compressed by " + std::string(name) +
                                               "; expected stored or deflated" + hint);
  }
}

TEST_CASE("compressed data that are none, and an archive cut anywhere, are refused") {
  ZipMember garbled("x.npy", kThree, true);
  garbled.content.assign(garbled.content.size(), '\xFF');
  CHECK(
      npz_error(zip_file({garbled})).starts_with("tensor 'x': the compressed data are damaged: "));
  const std::string whole = zip_file({{"a.npy", kThree}, {"b.npy", kThree, true}});
  CHECK(npz_error(whole) == "no error");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK(npz_error(whole.substr(0, size)) != "no error");
  }
  CHECK(npz_error(whole.substr(0, whole.size() - 1)) ==
        "the zip archive is damaged: Not a zip archive" + kDamagedHint);
}

TEST_CASE("what is written is read back, and the same arrays give the same bytes") {
  const Floats matrix = {1, 2, 3, 4, 5, 6};
  const Floats none;
  const std::vector<NamedArray> arrays = {
      {"attention.L0", {2, 3}, matrix}, {"größe", {6}, matrix}, {"none", {0, 4}, none}};
  write_npz(npz_folder().file("w.npz"), arrays);
  write_npz(npz_folder().file("again.npz"), arrays);
  CHECK(test::read_text(npz_folder().file("w.npz")) ==
        test::read_text(npz_folder().file("again.npz")));
  const auto source = open_npz(FileBytes::open(npz_folder().file("w.npz"), SIZE_MAX));
  REQUIRE(source->tensors().size() == 3);
  CHECK(source->tensors()[0].shape == Shape{2, 3});
  CHECK(floats(*source, "attention.L0") == matrix);
  CHECK(floats(*source, "größe") == matrix);
  CHECK(source->tensors()[2].shape == Shape{0, 4});
  CHECK(floats(*source, "none").empty());
  write_npz(npz_folder().file("empty.npz"), {});
  CHECK(open_npz(FileBytes::open(npz_folder().file("empty.npz"), SIZE_MAX))->tensors().empty());
}

}  // namespace
}  // namespace mha
