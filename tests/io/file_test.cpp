#include "mha/io/file.hpp"

#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <unistd.h>

#include "mha/base/error.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"

namespace mha {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::ScratchFolder;

std::size_t count_files(const ScratchFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST_CASE("a file's bytes are read whole, whether it is small, mapped or empty") {
  const ScratchFolder folder;
  for (std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{300000}, (std::size_t{1} << 20) - 1,
        std::size_t{1} << 20, std::size_t{3000001}}) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7 + i / 251);
    const FileBytes bytes = FileBytes::open(folder.write("x", content), SIZE_MAX);
    CHECK(bytes.text() == content);
  }
}

TEST_CASE("bytes stay valid when the object that opened them is copied and gone") {
  const ScratchFolder folder;
  FileBytes copy;
  {
    const FileBytes first = FileBytes::open(folder.write("x", std::string(2000000, 'a')), SIZE_MAX);
    copy = first;
  }
  fs::remove(folder.file("x"));
  CHECK(copy.text() == std::string(2000000, 'a'));
}

TEST_CASE("a directory, a missing file and one over the limit are refused by name") {
  const ScratchFolder folder;
  CHECK(error_of([&] { FileBytes::open(folder.path(), SIZE_MAX); }) ==
        folder.path() + ": is a directory; expected a file");
  CHECK(error_of([&] { FileBytes::open(folder.file("none"), SIZE_MAX); }) ==
        folder.file("none") + ": cannot be opened: No such file or directory");
  const std::string hint =
      "\nhint: raise --memory, or put large arrays into .safetensors or .npy files";
  for (std::size_t size : {std::size_t{2000}, std::size_t{2000000}}) {
    const std::string path = folder.write("x", std::string(size, 'a'));
    CHECK(error_of([&] { FileBytes::open(path, size); }) == "no error");
    CHECK(error_of([&] { FileBytes::open(path, 1024); }) ==
          path + ": is larger than the memory allowed; expected at most 1.0 KiB" + hint);
  }
}

TEST_CASE("a pipe is read to its end and held to the limit") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "hello", 5) == 5);
  ::close(ends[1]);
  CHECK(FileBytes::read_all(ends[0], "standard input", 100).text() == "hello");
  ::close(ends[0]);
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "hello", 5) == 5);
  ::close(ends[1]);
  CHECK(error_of([&] {
          FileBytes::read_all(ends[0], "standard input", 4);
        }).starts_with("standard input: is larger than the memory allowed"));
  ::close(ends[0]);
}

TEST_CASE("an output file appears at commit, whole") {
  const ScratchFolder folder;
  const std::string path = folder.file("out");
  {
    OutputFile file(path);
    file.write("hello ");
    file.write(std::string(1000000, 'x'));  // more than the buffer
    file.write(" end");
    CHECK_FALSE(fs::exists(path));
    file.commit();
  }
  CHECK(test::read_text(path) == "hello " + std::string(1000000, 'x') + " end");
  CHECK(count_files(folder) == 1);
}

TEST_CASE("parts of an output file come in any order") {
  const ScratchFolder folder;
  const std::string path = folder.file("out");
  const std::string big(1000000, 'y');
  const auto bytes = [](const std::string& text) {
    return std::span(reinterpret_cast<const unsigned char*>(text.data()), text.size());
  };
  OutputFile file(path);
  file.write("head");
  file.write_at(4 + big.size(), bytes("last"));
  file.write_at(4, bytes(big));
  CHECK_FALSE(fs::exists(path));
  file.commit();
  CHECK(test::read_text(path) == "head" + big + "last");
}

TEST_CASE("without commit nothing remains and an older file is untouched") {
  const ScratchFolder folder;
  { OutputFile(folder.file("new")).write("half"); }
  CHECK(count_files(folder) == 0);
  folder.write("old", "as it was");
  {
    OutputFile file(folder.file("old"));
    file.write(std::string(1000000, 'x'));
  }
  CHECK(test::read_text(folder.file("old")) == "as it was");
  CHECK(count_files(folder) == 1);
}

TEST_CASE("commit replaces an older file") {
  const ScratchFolder folder;
  const std::string path = folder.write("old", std::string(1000, 'o'));
  const std::string text = "new";
  write_file(path, {reinterpret_cast<const unsigned char*>(text.data()), text.size()});
  CHECK(test::read_text(path) == "new");
  CHECK(count_files(folder) == 1);
}

TEST_CASE("targets that cannot be written are refused at once") {
  const ScratchFolder folder;
  CHECK(error_of([&] { OutputFile file(folder.path()); }) ==
        folder.path() + ": is a directory; expected a file");
  CHECK(error_of([&] { OutputFile file(folder.file("no/such/folder")); }) ==
        folder.file("no/such/folder") + ": cannot be written: No such file or directory");
  folder.write("file", "x");
  CHECK(error_of([&] { OutputFile file(folder.file("file/below")); }) ==
        folder.file("file/below") + ": cannot be written: Not a directory");
  try {
    OutputFile file(folder.path());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kOutput);
  }
}

TEST_CASE("a folder without write permission is refused") {
  const ScratchFolder folder;
  fs::create_directory(folder.file("locked"));
  fs::permissions(folder.file("locked"), fs::perms::owner_read | fs::perms::owner_exec);
  if (::access(folder.file("locked").c_str(), W_OK) == 0) {
    std::cout << "SKIPPED: this user may write everywhere\n";
    return;
  }
  CHECK(error_of([&] { OutputFile file(folder.file("locked/x")); }) ==
        folder.file("locked/x") + ": cannot be written: Permission denied");
}

TEST_CASE("devices are written directly, and a full one is an error") {
  OutputFile null("/dev/null");
  null.write(std::string(1000000, 'x'));
  null.commit();
  CHECK(fs::is_character_file("/dev/null"));
  if (!fs::exists("/dev/full")) return;
  CHECK(error_of([] {
          OutputFile full("/dev/full");
          full.write("x");
          full.commit();
        }) == "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace mha
