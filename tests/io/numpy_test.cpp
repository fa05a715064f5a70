// Our npy files as NumPy sees them, where Python and NumPy are installed.
#include <cstdlib>
#include <iostream>

#include "mha/io/npy.hpp"
#include "mha/io/npz.hpp"

#include "support/catch.hpp"
#include "support/raw_files.hpp"
#include "support/scratch.hpp"

namespace mha {
namespace {

bool python_does(const std::string& code) {
  return std::system(("/usr/bin/python3 -c \"" + code + "\" >/dev/null 2>&1").c_str()) == 0;
}

TEST_CASE("NumPy reads our npy files") {
  if (!python_does("import numpy")) {
    std::cout << "SKIPPED: there is no /usr/bin/python3 with numpy\n";
    return;
  }
  const test::ScratchFolder folder;
  const std::string path =
      folder.write("x.npy", npy_header({2, 1, 3}) + test::raw_of<float>({1, 2, 3, 4, 5, 6.5F}));
  CHECK(python_does("import numpy; a = numpy.load('" + path + "'); assert a.dtype == '<f4'; " +
                    "assert a.tolist() == [[[1,2,3]],[[4,5,6.5]]]"));
  const std::string one = folder.write("one.npy", npy_header({3}) + test::raw_of<float>({1, 2, 3}));
  CHECK(python_does("import numpy; assert numpy.load('" + one + "').shape == (3,)"));
}

TEST_CASE("NumPy reads our npz files, and we read those of NumPy") {
  if (!python_does("import numpy")) {
    std::cout << "SKIPPED: there is no /usr/bin/python3 with numpy\n";
    return;
  }
  const test::ScratchFolder folder;
  const std::vector<float> values = {1, 2, 3, 4, 5, 6.5F};
  const std::string ours = folder.file("ours.npz");
  write_npz(ours, {{"a/b", {2, 1, 3}, values}, {"größe", {6}, values}});
  CHECK(python_does("import numpy; z = numpy.load('" + ours + "'); " +
                    "assert sorted(z.files) == ['a/b', 'größe']; " +
                    "assert z['a/b'].tolist() == [[[1,2,3]],[[4,5,6.5]]]; " +
                    "import zipfile; assert zipfile.ZipFile('" + ours + "').testzip() is None"));
  for (const std::string writer : {"savez", "savez_compressed"}) {
    const std::string path = folder.file(writer + ".npz");
    REQUIRE(
        python_does("import numpy; numpy." + writer + "('" + path + "', " +
                    "x=numpy.arange(6.).reshape(2, 3), y=numpy.asfortranarray([[1,2],[3,4]]), " +
                    "big=numpy.ones((500, 600), '>f4'))"));
    const auto source = open_npz(FileBytes::open(path, SIZE_MAX));
    CHECK(source->notes().empty());
    CHECK(read_tensor(*source, "x").shape == Shape{2, 3});
    CHECK(read_tensor(*source, "x").data[5] == 5);
    CHECK(read_tensor(*source, "y").data[1] == 2);
    CHECK(read_tensor(*source, "big").data.back() == 1);
  }
}

}  // namespace
}  // namespace mha
