// Files that become shorter while they are mapped, and tensors that are used in place.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

#include "mha/io/npy.hpp"
#include "mha/io/safetensors.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/raw_files.hpp"
#include "support/scratch.hpp"

namespace mha {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

constexpr std::size_t kCount = 1000000;  // floats: large enough to be mapped

std::string npy_of_zeros() {
  return npy_header({kCount}) + std::string(kCount * sizeof(float), '\0');
}

struct ChildEnd {
  int status = 0;
  std::string err;
};

// Runs `action` in a child process with its stderr in a file.
template <typename Action>
ChildEnd in_child(const ScratchFolder& folder, Action action) {
  const std::string err = folder.file("stderr");
  const pid_t pid = ::fork();
  if (pid == 0) {
    if (std::freopen(err.c_str(), "w", stderr) == nullptr) ::_exit(99);
    action();
    ::_exit(0);
  }
  ChildEnd end;
  REQUIRE(::waitpid(pid, &end.status, 0) == pid);
  end.err = test::read_text(err);
  return end;
}

float sum(std::span<const float> values) {
  float total = 0;
  for (float value : values) total += value;
  return total;
}

TEST_CASE("aligned float32 in row order are used in place") {
  const ScratchFolder folder;
  const auto npy = open_npy(FileBytes::open(folder.write("x.npy", npy_of_zeros()), SIZE_MAX));
  CHECK(npy->floats(0).size() == kCount);
  CHECK(sum(npy->floats(0)) == 0);
  const auto small = open_npy(FileBytes::open(
      folder.write("y.npy", npy_header({2}) + test::raw_of<float>({1, 2})), SIZE_MAX));
  CHECK(small->floats(0)[1] == 2);
}

TEST_CASE("other types, orders and unaligned data are not offered in place") {
  const ScratchFolder folder;
  const auto in_place = [&](const std::string& content) {
    return !open_npy(FileBytes::open(folder.write("x.npy", content), SIZE_MAX))->floats(0).empty();
  };
  const std::string data(24, '\0');
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }";
  CHECK(in_place(test::npy_file(header + std::string(6, ' ') + "\n", data)) ==
        ((10 + header.size() + 7) % 4 == 0));
  CHECK_FALSE(in_place(
      test::npy_file(header + std::string((5 - (10 + header.size()) % 4) % 4 + 4, ' '), data)));
  const auto padded = [&](const std::string& descr, bool fortran_order) {
    std::string text = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                       ", 'shape': (2, 3), }";
    text.resize(128 - 10, ' ');
    return test::npy_file(text, data);
  };
  CHECK(in_place(padded("<f4", false)));
  CHECK_FALSE(in_place(padded("<f4", true)));
  CHECK_FALSE(in_place(padded(">f4", false)));
  CHECK_FALSE(in_place(padded("<i4", false)));
}

TEST_CASE("safetensors offer float32 in place, and only these") {
  const ScratchFolder folder;
  std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                       R"("b":{"dtype":"BF16","shape":[1],"data_offsets":[8,10]},)"
                       R"("c":{"dtype":"F32","shape":[1],"data_offsets":[10,14]}})";
  header.resize(256, ' ');
  const auto source = open_safetensors(FileBytes::open(
      folder.write("x", test::safetensors_file(header, test::raw_of<float>({1, 2}) + "bbcccc")),
      SIZE_MAX));
  CHECK(source->floats(0).size() == 2);
  CHECK(source->floats(0)[1] == 2);
  CHECK(source->floats(1).empty());
  CHECK(source->floats(2).empty());  // not aligned
}

TEST_CASE("a mapped file that became shorter is an input error when it is read") {
  const ScratchFolder folder;
  const std::string path = folder.write("x.npy", npy_of_zeros());
  const auto source = open_npy(FileBytes::open(path, SIZE_MAX));
  CHECK(test::error_of([] { check_mapped_files(); }) == "no error");
  const auto size = fs::file_size(path);
  fs::resize_file(path, size - 1);  // within the last page: the byte would read as zero
  const std::string message = "the file became shorter while it was read; expected " +
                              std::to_string(size) + " bytes, got " + std::to_string(size - 1);
  CHECK(test::error_of([&] { source->read(0); }) == message);
  CHECK(test::error_of([&] { source->floats(0); }) == message);
  CHECK(test::error_of([] { check_mapped_files(); }) == path + ": " + message);
}

TEST_CASE("a mapped file that is replaced or removed stays as it was") {
  const ScratchFolder folder;
  const std::string path = folder.write("x.npy", npy_of_zeros());
  const auto source = open_npy(FileBytes::open(path, SIZE_MAX));
  fs::remove(path);
  folder.write("x.npy", "short");
  CHECK(source->read(0).data.size() == kCount);
  CHECK(test::error_of([] { check_mapped_files(); }) == "no error");
}

TEST_CASE("touching what a file lost ends the program with one message and exit code 3") {
  const ScratchFolder folder;
  const std::string path = folder.write("x.npy", npy_of_zeros());
  const ChildEnd end = in_child(folder, [&] {
    install_mapped_file_guard();
    const auto source = open_npy(FileBytes::open(path, SIZE_MAX));
    OutputFile output(folder.file("out"));
    output.write("half");
    const std::span<const float> floats = source->floats(0);
    fs::resize_file(path, 5000);
    volatile const float total = sum(floats);
    (void)total;
  });
  REQUIRE(WIFEXITED(end.status));
  CHECK(WEXITSTATUS(end.status) == 3);
  CHECK(end.err == "mha-viz: error: " + path + ": the file became shorter while it was read\n");
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    left.push_back(entry.path().filename().string());
  }
  std::ranges::sort(left);
  CHECK(left == std::vector<std::string>{"stderr", "x.npy"});  // no temporary output
}

TEST_CASE("a bus error that is none of ours ends the program as it would without the guard") {
  const ScratchFolder folder;
  const ChildEnd end = in_child(folder, [&] {
    install_mapped_file_guard();
    ::raise(SIGBUS);
    ::raise(SIGBUS);
  });
  CHECK(WIFSIGNALED(end.status));
  CHECK(WTERMSIG(end.status) == SIGBUS);
}

}  // namespace
}  // namespace mha
