// Inputs that cannot be used: exit code 3 and a message that names the file and the place.
#include "program.hpp"

namespace mha {
namespace {

using test::example;
using test::Program;
using Names = std::vector<std::string>;

TEST_CASE("a directory, a missing file and an empty one are input errors") {
  const Program program;
  program.write("empty.json", "");
  const test::ProcessResult folder = program.run({program.path()});
  CHECK(folder.code == 3);
  CHECK(folder.err == "mha-viz: error: " + program.path() +
                          "/empty.json:1:1: the document is empty; expected a JSON object\n");
  const test::ProcessResult missing = program.run({"none.json"});
  CHECK(missing.code == 3);
  CHECK(missing.err == "mha-viz: error: none.json: cannot be opened: No such file or directory\n");
  const test::ProcessResult empty = program.run({"empty.json"});
  CHECK(empty.code == 3);
  CHECK(empty.err ==
        "mha-viz: error: empty.json:1:1: the document is empty; expected a JSON object\n");
  CHECK(program.files() == std::vector<std::string>{"empty.json"});
}

TEST_CASE("a syntax error joins the path as path:line:column, a wrong field follows as a pointer") {
  const Program program;
  program.write("cut.json", "{\n \"text\": ");
  program.write("field.json", R"({"tokens": ["a"], "attention": {"n_head": 2}})");
  CHECK(program.run({"cut.json"}).err ==
        "mha-viz: error: cut.json:2:10: not valid JSON: unexpected end of input; "
        "expected '[', '{', or a literal\n");
  CHECK(program.run({"field.json"}).err ==
        "mha-viz: error: field.json: /attention/n_head: unknown field 'n_head' in attention\n"
        "  hint: did you mean 'n_heads'?\n");
}

TEST_CASE("files named in a document are looked for beside it") {
  const Program program;
  program.write("sub/in.json", R"({"embeddings": {"file": "x.npy"}})");
  CHECK(program.run({"sub/in.json"}).err ==
        "mha-viz: error: sub/in.json: /embeddings: sub/x.npy: cannot be opened: "
        "No such file or directory\n");
}

TEST_CASE("more memory than allowed is refused before the work") {
  const Program program;
  const test::ProcessResult result = program.run({example("creature.json"), "--memory", "1K"});
  CHECK(result.code == 3);
  CHECK(result.err == "mha-viz: error: " + example("creature.json") +
                          ": is larger than the memory allowed; expected at most 1.0 KiB\n"
                          "  hint: raise --memory, or put large arrays into .safetensors or .npy "
                          "files\n");
  program.write("wide.json", R"({"text": "a", "attention": {"n_heads": 1000, "d_head": 1000}})");
  const test::ProcessResult wide = program.run({"wide.json", "--memory", "100M"});
  CHECK(wide.code == 3);
  CHECK(wide.err ==
        "mha-viz: error: wide.json: /attention: random weights larger than the memory allowed; "
        "expected at most 100.0 MiB, got 976.6 MiB\n");
  CHECK(program.files() == std::vector<std::string>{"wide.json"});
}

TEST_CASE("a file of parameters alone is refused with what it holds") {
  const Program program;
  const test::ProcessResult result = program.run({example("creature-heads.safetensors")});
  CHECK(result.code == 3);
  CHECK(result.err.find("nothing here looks like attention; expected weights, scores, queries and "
                        "keys, or nn.MultiheadAttention parameters, got 'W_Q'") !=
        std::string::npos);
  CHECK(result.err.find("hint: mha-viz inspect lists what is there") != std::string::npos);
}

TEST_CASE("standard input is an input, with files relative to the working folder") {
  const Program program;
  const test::ProcessResult result =
      program.run_with_input({"-", "-o", "out", "--no-png"}, R"({"text": "a dog"})");
  CHECK(result.code == 0);
  CHECK(program.json("out/summary.json")["tokens"] == nlohmann::json({"[bos]", "a", "dog"}));
  const test::ProcessResult bad = program.run_with_input({"-"}, "{");
  CHECK(bad.code == 3);
  CHECK(bad.err.starts_with("mha-viz: error: standard input:1:2: not valid JSON: "));
  const test::ProcessResult file =
      program.run_with_input({"-"}, R"({"embeddings": {"file": "x.npy"}})");
  CHECK(file.err.find("./x.npy: cannot be opened") != std::string::npos);
}

TEST_CASE("escape codes in the data do not reach the terminal through messages") {
  const Program program;
  program.write("bad.json", "{\"text\": \"a\", \"\\u001b[31m\\n\": 1}");
  const test::ProcessResult result = program.run({"bad.json"});
  CHECK(result.err.find('\033') == std::string::npos);
  CHECK(result.err.find("\\x1B[31m\\x0A") != std::string::npos);
}

TEST_CASE("messages have no colours when stderr is no terminal") {
  const Program program;
  for (const char* setting : {"NO_COLOR=1", "NO_COLOR=", "TERM=xterm-256color"}) {
    const test::ProcessResult result = program.run_with_environment({"none.json"}, {setting});
    CHECK(result.err.find('\033') == std::string::npos);
  }
  const test::ProcessResult good = program.run({example("text.json"), "-o", "out"});
  CHECK(good.code == 0);
  CHECK(good.err.find('\033') == std::string::npos);
  CHECK(good.err.find('\r') == std::string::npos);  // no progress bar either
}

TEST_CASE("text and ids on the command line stand for an input") {
  const Program program;
  program.must_run({"--text", "the cat ate", "-o", "text", "--no-png"});
  CHECK(program.json("text/summary.json")["tokens"] ==
        nlohmann::json({"[bos]", "the", "cat", "ate"}));
  program.must_run({"--ids", "3,2", "-o", "ids", "--no-png"});
  CHECK(program.json("ids/summary.json")["tokens"] == nlohmann::json({"[bos]", "[mask]"}));
  program.write("lines.txt", "the dog\r\n\nthree\n");
  program.must_run({"--text-file", "lines.txt", "-o", "lines", "--no-png"});
  CHECK(program.json("lines/000001/summary.json")["tokens"] ==
        nlohmann::json({"[bos]", "the", "dog"}));
  CHECK(program.json("lines/000003/summary.json")["tokens"] == nlohmann::json({"[bos]", "three"}));
  program.must_run({"--text", "a \"quoted\" \\ word\t\x01", "-o", "odd", "--no-png"});
}

TEST_CASE("warnings are errors under --strict") {
  const Program program;
  program.write("in.json",
                R"({"tokens": ["a"], "residual": false, "layers": [{}], "token_types": [0]})");
  CHECK(program.run({"in.json", "-o", "out", "--no-png"}).code == 0);
  const test::ProcessResult strict = program.run({"in.json", "-o", "strict", "--strict"});
  CHECK(strict.code == 3);
  CHECK(
      strict.err.ends_with("token_types are used by models alone and change nothing here\n"
                           "  hint: without --strict this is a warning\n"));
  CHECK_FALSE(program.has("strict"));
}

TEST_CASE("a warning that --strict makes an error names its input") {
  const Program program;
  program.write("in.json",
                R"({"tokens": ["a"], "residual": false, "layers": [{}], "token_types": [0]})");
  CHECK(program.run({"in.json", "-o", "strict", "--strict"})
            .err.starts_with("mha-viz: error: in.json: token_types"));
}

TEST_CASE("numbers that look wrong stop draw, too, when --strict is given") {
  const Program program;
  program.write("in.json",
                R"({"tokens": ["a", "b"], "attention": {"mask": [[true, true], [false, false]]}})");
  const Names draw{"draw", "in.json", "--heads", "L0H0", "-o", "x.png"};
  CHECK(program.run(draw).err.find("warning: in.json: ") != std::string::npos);
  CHECK(program.has("x.png"));
  const Program strict;
  strict.write("in.json", program.read("in.json"));
  const test::ProcessResult result =
      strict.run({"draw", "in.json", "--heads", "L0H0", "-o", "x.png", "--strict", "-q"});
  CHECK(result.code == 3);
  CHECK(result.err.starts_with("mha-viz: error: in.json: "));
  CHECK_FALSE(strict.has("x.png"));
}

TEST_CASE("an error in a rule names its place in the document") {
  const Program program;
  program.write("in.json", R"({"text": "a b", "residual": true, "layers": [{"attention": )"
                           R"({"position": {"kind": "rope", "fraction": 0.01}}}]})");
  CHECK(program.run({"in.json", "-o", "-", "-q"})
            .err.starts_with("mha-viz: error: in.json: /layers: layer 0: "));
}

TEST_CASE("control characters of the input do not reach the terminal") {
  const Program program;
  program.write("in.json", "{\"text\": \"a\", \"x\xC2\x9B\": 1}");
  const std::string err = program.run({"in.json", "-o", "-"}).err;
  CHECK(err.find("\xC2\x9B") == std::string::npos);
  CHECK(err.find("\\x9B") != std::string::npos);
}

TEST_CASE("a picture that does not fit into the memory is refused before the work") {
  const Program program;
  const test::ProcessResult result = program.run({example("creature.json"), "-o", "out", "--cell",
                                                  "400", "--max-size", "5000", "--memory", "50M"});
  CHECK(result.code == 3);
  CHECK(result.err.find("--no-png") != std::string::npos);
  CHECK_FALSE(program.has("out"));
}

TEST_CASE("the flag --quiet keeps notes and warnings to itself, not errors") {
  const Program program;
  CHECK(program.run({example("text.json"), "-o", "out", "--quiet"}).err.empty());
  CHECK_FALSE(program.run({"none.json", "--quiet"}).err.empty());
}

}  // namespace
}  // namespace mha
