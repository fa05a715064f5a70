// Wrong references to array files, and documents that are no documents.
#include "mha/base/text.hpp"

#include "support/documents.hpp"
#include "support/raw_files.hpp"
#include "support/scratch.hpp"

namespace mha {
namespace {

// Four 2x2 tensors under the names of a checkpoint.
std::string checkpoint() {
  std::string header = "{";
  const char* const names[] = {"q.weight", "k.weight", "v.weight", "o.weight"};
  for (int i = 0; i < 4; ++i) {
    header += concat(i > 0 ? "," : "", "\"", names[i],
                     R"(":{"dtype":"F32","shape":[2,2],"data_offsets":[)", 16 * i, ",", 16 * i + 16,
                     "]}");
  }
  return test::safetensors_file(header + "}", std::string(64, '\0'));
}

void write_files(const test::ScratchFolder& folder) {
  const std::string whole = checkpoint();
  folder.write("w.safetensors", whole);
  folder.write("cut.safetensors", whole.substr(0, whole.size() - 3));
  folder.write(
      "empty.safetensors",
      test::safetensors_file(R"({"W_Q":{"dtype":"F32","shape":[0,2,2],"data_offsets":[0,0]},)"
                             R"("W_K":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                             R"("W_V":{"dtype":"F32","shape":[2,2],"data_offsets":[16,32]}})",
                             std::string(32, '\0')));
  folder.write("x.npy", test::npy_of("<f4", "(2, 2)", std::string(16, '\0')));
  folder.write("empty.npy", test::npy_of("<f4", "(0, 2, 2)", ""));
  folder.write("junk.txt", "hello this is text");
  folder.write("junk.npy", "not numbers\n");
}

TEST_CASE("arrays in files: what is wrong with file or name") {
  const test::ScratchFolder folder;
  write_files(folder);
  const test::WrongInputs inputs{R"({"embeddings": )", R"(})", folder.path()};
  inputs.check({
      {R"({"name": "x"})",
       "/embeddings: no 'file'; expected {\"file\": ..., \"name\": ...}, got an object"},
      {R"({"file": 3})", "/embeddings/file: wrong type; expected a string, got the number 3"},
      {R"({"file": "none.npy"})",
       "/embeddings: DIR/none.npy: cannot be opened: No such file or directory"},
      {R"({"file": "."})", "/embeddings: DIR/.: is a directory; expected a file"},
      {R"({"file": "junk.txt"})",
       "/embeddings: DIR/junk.txt: is neither an npy nor a safetensors file"},
      {R"({"file": "junk.npy"})", "/embeddings: DIR/junk.npy: not an npy file"},
      {R"({"file": "cut.safetensors", "name": "q.weight"})",
       "/embeddings: DIR/cut.safetensors: tensor 'o.weight': data_offsets do not lie within the "
       "file; expected two numbers up to 61, got [48, 64]"},
      {R"({"file": "w.safetensors"})",
       "/embeddings: w.safetensors: holds several tensors, and no name says which\nhint: it has "
       "q.weight, k.weight, v.weight, o.weight"},
      {R"({"file": "w.safetensors", "name": "q.wieght"})",
       "/embeddings: w.safetensors: no tensor named 'q.wieght'\nhint: did you mean 'q.weight'?"},
      {R"({"file": "x.npy", "name": "x"})",
       "/embeddings: x.npy: an npy file has one array without a name\nhint: leave 'name' out"},
      {R"({"file": "x.npy", "nmae": "x"})",
       "/embeddings/nmae: unknown field 'nmae' in array\nhint: did you mean 'name'?"},
      {R"({"file": "empty.npy"})",
       "/embeddings: no embeddings; expected at least one row, got none"},
  });
}

TEST_CASE("weights in files: what is wrong with names and shapes") {
  const test::ScratchFolder folder;
  write_files(folder);
  const test::WrongInputs inputs{
      R"({"embeddings": [[1,2]], "attention": {"n_heads": 1}, "weights": )", R"(})", folder.path()};
  inputs.check({
      {R"({"file": "w.safetensors"})",
       "/weights/W_Q: w.safetensors: no tensor named 'W_Q'\nhint: it has q.weight, k.weight, "
       "v.weight, o.weight"},
      {R"({"file": "none.safetensors"})",
       "/weights/file: DIR/none.safetensors: cannot be opened: No such file or directory"},
      {R"({"file": "w.safetensors", "names": {"W_Q": "q.weight", "W_K": "k.weight", "W_V": "v.wieght"}})",
       "/weights/W_V: w.safetensors: no tensor named 'v.wieght'\nhint: did you mean 'v.weight'?"},
      {R"({"file": "w.safetensors", "names": {"W_q": "q.weight"}})",
       "/weights/names/W_q: unknown field 'W_q' in names\nhint: did you mean 'W_Q'?"},
      {R"({"file": "w.safetensors", "names": {"W_Q": 1}})",
       "/weights/names/W_Q: wrong type; expected a string, got the number 1"},
      {R"({"file": "empty.safetensors"})",
       "/weights/W_Q: no numbers; expected at least one, got 0x2x2"},
  });
}

TEST_CASE("a document that is cut short, empty or no text names line and column") {
  const test::WrongInputs inputs{"", ""};
  inputs.check({
      {"", "1:1: the document is empty; expected a JSON object"},
      {" \n ", "1:1: the document is empty; expected a JSON object"},
      {"{\"embeddings\": [[1,2]", "1:22: not valid JSON: unexpected end of input; expected ']'"},
      {"{\"tokens\":\n [\"a\xFF\"]}",
       "2:5: not valid JSON: invalid string: ill-formed UTF-8 byte; last read: '\"a<FF>'\n"
       "hint: save the file as UTF-8"},
      {"{\"embeddings\": [[1,NaN]]}",
       "1:20: not valid JSON: invalid literal; last read: '1,N'\n"
       "hint: JSON has no NaN and no infinity; null marks a missing cell"},
      {"{\"text\": \"a\", \"text\": \"b\"}", "/text: field 'text' is given twice"},
  });
}

TEST_CASE("an array file larger than the memory allowed is refused") {
  const test::ScratchFolder folder;
  folder.write("big.npy", test::npy_of("<f4", "(500, 2)", std::string(4000, '\0')));
  const auto open = [&] {
    open_document(R"({"embeddings": {"file": "big.npy"}})", {{}, folder.path(), 1000});
  };
  CHECK(test::error_of(open) ==
        "/embeddings: " + folder.file("big.npy") +
            ": is larger than the memory allowed; expected at most 1000 bytes\n"
            "hint: raise --memory, or put large arrays into .safetensors or .npy files");
}

}  // namespace
}  // namespace mha
