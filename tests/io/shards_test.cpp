// Checkpoints in several files, opened by their index as a person names it.
#include <filesystem>

#include "mha/io/safetensors.hpp"
#include "mha/io/tensor_files.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/raw_files.hpp"
#include "support/scratch.hpp"

namespace mha {
namespace {

using test::raw_of;
using test::ScratchFolder;

// Two shards: "a" in the first, "b" and "c" in the second.
class Shards {
 public:
  Shards() {
    shard("one.safetensors", {{"a", DType::kF32, {2}}}, raw_of<float>({1, 2}));
    shard("two.safetensors", {{"b", DType::kF32, {1}}, {"c", DType::kF32, {1}}},
          raw_of<float>({3, 4}));
  }

  void shard(const std::string& name, const std::vector<TensorInfo>& infos,
             const std::string& data) const {
    folder_.write(name, safetensors_header(infos) + data);
  }
  std::string index(const std::string& map) const {
    return folder_.write("model.safetensors.index.json",
                         R"({"metadata": {"total_size": 16}, "weight_map": )" + map + "}");
  }
  // The complaint about an index with this map, without the folder's name.
  std::string error(const std::string& map) const {
    const std::string path = index(map);
    std::string message = test::error_of([&] { open_tensor_path(path, SIZE_MAX); });
    for (std::size_t at; (at = message.find(folder_.path())) != std::string::npos;) {
      message.replace(at, folder_.path().size(), "DIR");
    }
    return message;
  }
  std::string path() const { return folder_.path(); }

 private:
  ScratchFolder folder_;
};

const std::string kAll = R"({"c": "two.safetensors", "a": "one.safetensors",
                             "b": "two.safetensors"})";

TEST_CASE("an index opens the tensors of its shards in its own order") {
  const Shards shards;
  const auto source = open_tensor_path(shards.index(kAll), SIZE_MAX);
  REQUIRE(source->tensors().size() == 3);
  CHECK(source->tensors()[0].name == "c");
  CHECK(read_tensor(*source, "a").data[1] == 2);
  CHECK(read_tensor(*source, "b").data[0] == 3);
  CHECK(read_tensor(*source, "c").data[0] == 4);
  CHECK(source->floats(1).size() == 2);
  CHECK(source->floats(1)[0] == 1);
  CHECK(source->notes().empty());
}

TEST_CASE("files that the index does not name are not looked at") {
  const Shards shards;
  test::write_text(shards.path() + "/three.safetensors", "no shard at all");
  CHECK(shards.error(kAll) == "no error");
}

TEST_CASE("a missing shard is named") {
  const Shards shards;
  std::filesystem::remove(shards.path() + "/two.safetensors");
  CHECK(shards.error(kAll) ==
        "DIR/model.safetensors.index.json: the index names 'two.safetensors', which is missing; "
        "expected it at DIR/two.safetensors");
}

TEST_CASE("a tensor that its shard lacks is an error, one that the index lacks a note") {
  const Shards shards;
  CHECK(shards.error(R"({"a": "two.safetensors"})") ==
        "DIR/model.safetensors.index.json: the index says that tensor 'a' is in "
        "'two.safetensors', which does not hold it");
  const auto source = open_tensor_path(shards.index(R"({"b": "two.safetensors"})"), SIZE_MAX);
  CHECK(source->tensors().size() == 1);
  CHECK(source->notes() ==
        std::vector<std::string>{"left out of 'two.safetensors', as the index does not place them "
                                 "there: c"});
}

TEST_CASE("a tensor in two shards is read from the one that the index names") {
  const Shards shards;
  shards.shard("one.safetensors", {{"a", DType::kF32, {2}}, {"b", DType::kF32, {1}}},
               raw_of<float>({1, 2, 9}));
  const auto source = open_tensor_path(shards.index(kAll), SIZE_MAX);
  CHECK(read_tensor(*source, "b").data[0] == 3);
  CHECK(source->notes() ==
        std::vector<std::string>{"left out of 'one.safetensors', as the index does not place them "
                                 "there: b"});
}

TEST_CASE("no shard may lie outside the folder of the index") {
  const Shards shards;
  for (const std::string file : {"../one.safetensors", "/one.safetensors", "x/../../y", "..", ""}) {
    CHECK(shards.error("{\"a\": \"" + file + "\"}") ==
          "DIR/model.safetensors.index.json: /weight_map: tensor 'a' is in '" + file +
              "'; expected a file in the folder of the index");
  }
  std::filesystem::create_directory(shards.path() + "/sub");
  shards.shard("sub/x.safetensors", {{"a", DType::kF32, {1}}}, raw_of<float>({7}));
  const auto source = open_tensor_path(shards.index(R"({"a": "sub/x.safetensors"})"), SIZE_MAX);
  CHECK(read_tensor(*source, "a").data[0] == 7);
}

TEST_CASE("an index that is none says what is wrong with it") {
  const Shards shards;
  const std::string place = "DIR/model.safetensors.index.json: ";
  CHECK(shards.error("[]") == place +
                                  "/weight_map: is an array of 0 strings; expected an object of "
                                  "tensor names and files");
  CHECK(shards.error("{}") == place + "/weight_map: names no tensor");
  CHECK(shards.error(R"({"a": 3})") ==
        place + "/weight_map: tensor 'a' has the number 3; expected the name of a file");
  CHECK(shards.error(R"({"a": "one.safetensors", "a": "two.safetensors"})") ==
        place + "/weight_map/a: field 'a' is given twice");
  test::write_text(shards.path() + "/one.safetensors", "broken");
  CHECK(shards.error(R"({"a": "one.safetensors"})") ==
        place +
            "shard 'one.safetensors': too short for safetensors; expected at least 8 bytes, got 6");
}

}  // namespace
}  // namespace mha
