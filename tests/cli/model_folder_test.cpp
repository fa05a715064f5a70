// --model: every command on a model from a folder.
#include "program.hpp"
#include "support/model_folders.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::ProcessResult;
using test::Program;
using Names = std::vector<std::string>;

// A program with the folders "tiny" and "other" in its own: the same sizes, other weights.
class ModelProgram : public Program {
 public:
  ModelProgram() {
    for (const std::string name : {"tiny", "other"}) {
      write(name + "/config.json", test::tiny_bert_config().dump());
      write(name + "/vocab.txt", test::tiny_bert_vocabulary());
      write(name + "/model.safetensors",
            test::random_safetensors(test::tiny_bert_tensors(), name == "tiny" ? 1 : 2));
    }
  }
  nlohmann::json printed(const Names& arguments) const {
    const ProcessResult result = run(arguments);
    INFO(result.err);
    REQUIRE(result.code == 0);
    return nlohmann::json::parse(result.out);
  }
};

const Names kTokens{"[CLS]", "the", "cat", "sat", "[SEP]"};

void check_echo(const json& echo) {
  CHECK(echo["tokens"] == json(kTokens));
  CHECK(echo["ids"] == json({2, 5, 6, 7, 3}));
}

void check_model(const json& model) {
  CHECK(model["description"] == "tiny (BERT, 2 layers of 2 heads)");
  CHECK(model["family"] == "bert");
  CHECK(model["tokenizer"] == "WordPiece");
}

TEST_CASE("a text runs through a model on disk, and the output says what was read by what") {
  const ModelProgram program;
  const ProcessResult result =
      program.run({"--model", "tiny", "--text", "the cat sat", "-o", "out"});
  REQUIRE(result.code == 0);
  CHECK(result.err.find("note: --text: attention of tiny (BERT, 2 layers of 2 heads)") !=
        std::string::npos);
  CHECK(program.has("out/heads/L01H01.png"));
  for (const char* file : {"out/summary.json", "out/output.json"}) {
    const json document = program.json(file);
    check_echo(document);
    check_model(document["model"]);
  }
  const json printed =
      program.printed({"run", "--model", "tiny", "--text", "the cat sat", "-o", "-"});
  check_echo(printed);
  check_model(printed["model"]);
  CHECK(printed["input"]["hash"] == program.json("out/summary.json")["input"]["hash"]);
}

TEST_CASE("draw, steps and score take the model, too") {
  const ModelProgram program;
  const Names words{"--model", "tiny", "--text", "the cat sat"};
  const auto with = [&](Names front, const Names& back) {
    front.insert(front.end(), words.begin(), words.end());
    front.insert(front.end(), back.begin(), back.end());
    return front;
  };
  program.must_run(with({"draw"}, {"--heads", "L1H0", "-o", "head.png"}));
  CHECK(program.has("head.png"));
  const json walk = program.printed(with({"steps"}, {"--heads", "L1H0", "-o", "-"}));
  check_echo(walk["input"]);
  check_model(walk["input"]["model"]);
  const json scores = program.printed(with({"score"}, {"--format", "json"}));
  check_echo(scores);
  check_model(scores["model"]);
  program.write("texts.txt", "the cat sat\nthe dog ran\n");
  const json many =
      program.printed({"score", "--model", "tiny", "--text-file", "texts.txt", "--format", "json"});
  CHECK(many["inputs"] == 2);
  check_model(many["model"]);
  CHECK_FALSE(many.contains("ids"));
}

TEST_CASE("shards of a score under a model are merged to the same bytes") {
  const ModelProgram program;
  program.write("texts.txt", "the cat sat\nthe dog ran\nwho sat?\n");
  const Names score{"score", "--model", "tiny", "--text-file", "texts.txt"};
  const auto run = [&](const Names& more) {
    Names arguments = score;
    arguments.insert(arguments.end(), more.begin(), more.end());
    program.must_run(arguments);
  };
  run({"--format", "json", "-o", "whole.json"});
  for (const std::string shard : {"1/4", "2/4", "3/4", "4/4"}) {
    run({"--shard", shard, "-o", std::string("part") + shard[0] + ".json"});
  }
  program.must_run({"merge", "part1.json", "part2.json", "part3.json", "part4.json", "--format",
                    "json", "-o", "merged.json"});
  CHECK(program.read("merged.json") == program.read("whole.json"));
  program.must_run({"score", "--model", "other", "--text-file", "texts.txt", "--shard", "2/4", "-o",
                    "part2.json"});
  CHECK(program.run({"merge", "part1.json", "part2.json", "part3.json", "part4.json"}).code == 3);
}

TEST_CASE("two models are compared on one text, and two texts under one model") {
  const ModelProgram program;
  const json models = program.printed({"compare", "--model", "tiny", "--model", "other", "--text",
                                       "the cat sat", "--format", "json"});
  check_model(models["a"]["model"]);
  check_echo(models["a"]);
  CHECK(models["b"]["model"]["description"] == "other (BERT, 2 layers of 2 heads)");
  CHECK(models["cells_compared"] == true);
  CHECK(models["differing_tokens"].empty());
  CHECK(models["heads"][0]["js"] > 0.0);
  const json texts = program.printed({"compare", "--model", "tiny", "--text", "the cat sat",
                                      "--text", "the dog sat", "--format", "json"});
  CHECK(texts["differing_tokens"] == json({2}));
  check_model(texts["b"]["model"]);
  program.write("a.json", R"({"id": "cat", "text": "the cat sat"})");
  program.write("b.json", R"({"id": "dog", "text": "the dog sat"})");
  const json files =
      program.printed({"compare", "--model", "tiny", "a.json", "b.json", "--format", "json"});
  CHECK(files["heads"] == texts["heads"]);
  program.must_run({"compare", "--model", "tiny", "--model", "other", "a.json", "-o", "diff"});
  CHECK(program.has("diff/overview.png"));
}

TEST_CASE("compare says what it takes when the numbers of inputs and models do not fit") {
  const ModelProgram program;
  const Names two{"compare", "--text", "the",     "--text", "cat",
                  "--model", "tiny",   "--model", "other"};
  const ProcessResult result = program.run(two);
  CHECK(result.code == 2);
  CHECK(result.err.find("compare takes two inputs, or one with two models; got 2 inputs and 2 "
                        "models") != std::string::npos);
  CHECK(program.run({"compare", "--text", "the", "--model", "tiny"}).code == 2);
  const ProcessResult run =
      program.run({"--text", "the", "--model", "tiny", "--model", "other", "-o", "out"});
  CHECK(run.code == 2);
  CHECK(run.err.find("--model: expected one model, got 2") != std::string::npos);
}

TEST_CASE("a question and its context are one input, with token types") {
  const ModelProgram program;
  const json pair =
      program.printed({"--model", "tiny", "--pair", "who sat?", "the cat", "-o", "-"});
  CHECK(pair["tokens"] == json({"[CLS]", "who", "sat", "?", "[SEP]", "the", "cat", "[SEP]"}));
  CHECK(pair["token_types"] == json({0, 0, 0, 0, 0, 1, 1, 1}));
  const json document =
      json::parse(program
                      .run_with_input({"--model", "tiny", "-o", "-", "-"},
                                      R"({"text": "who sat?", "text_pair": "the cat"})")
                      .out);
  CHECK(document["ids"] == pair["ids"]);
  const json steps = program.printed({"steps", "--model", "tiny", "--text-pair", "who sat?",
                                      "the cat", "--pair", "0,1", "--heads", "L0H0", "-o", "-"});
  CHECK(steps["input"]["token_types"] == pair["token_types"]);
}

TEST_CASE("ids, padding and special tokens as asked") {
  const ModelProgram program;
  CHECK(program.printed({"--model", "tiny", "--ids", "5,6", "-o", "-"})["tokens"] ==
        json({"the", "cat"}));
  const json bare =
      program.printed({"--model", "tiny", "--text", "the cat", "--bos", "no", "-o", "-"});
  CHECK(bare["ids"] == json({5, 6}));
  CHECK(bare["options"]["bos"] == "no");
  program.write("in.ndjson",
                "{\"ids\": [5, 6, 0], \"valid_keys\": [true, true, false]}\n{\"ids\": [5]}\n");
  program.must_run({"--model", "tiny", "in.ndjson", "--no-png", "-o", "out"});
  const json padded = program.json("out/000001/summary.json");
  CHECK(padded["valid_keys"] == json({true, true, false}));
  CHECK(padded["heads"][0]["padding_rows"] == 1);
}

TEST_CASE("an input longer than a model with rotary positions was trained for is said to be") {
  const Program program;
  const std::string model = MHA_SOURCE_DIR "/tests/goldens/models/llama-dynamic";
  const std::string ids = "1,2,3,4,5,6,7,8,9,10,11,12,13";
  const ProcessResult result = program.run({"--model", model, "--ids", ids, "-o", "out"});
  CHECK(result.code == 0);
  CHECK(result.err.find("13 tokens: longer than the 12 that the model was trained for") !=
        std::string::npos);
}

TEST_CASE("an input that says itself how to compute does not use the model, and that is said") {
  const ModelProgram program;
  program.write("own.json", R"({"tokens": ["a", "b"], "embeddings": [[1, 0], [0, 1]]})");
  const Names run{"--model", "tiny", "own.json", "--no-png", "--force", "-o", "out"};
  const ProcessResult result = program.run(run);
  CHECK(result.code == 0);
  CHECK(result.err.find("warning: own.json: --model is not used: ") != std::string::npos);
  CHECK_FALSE(program.json("out/summary.json").contains("model"));
  Names strict = run;
  strict.push_back("--strict");
  CHECK(program.run(strict).code == 3);
  const ProcessResult rule =
      program.run({"--model", "tiny", "--text", "the cat", "--causal", "-o", "rule"});
  CHECK(rule.code == 2);
  CHECK(rule.err.find("the attention rule is the model's own") != std::string::npos);
}

TEST_CASE("a model that cannot be opened is one error, however many inputs there are") {
  const ModelProgram program;
  std::filesystem::remove(program.file("tiny/model.safetensors"));
  program.write("texts.txt", "the cat sat\nthe dog ran\n");
  for (const std::string command : {"run", "score"}) {
    const ProcessResult result =
        program.run({command, "--model", "tiny", "--text-file", "texts.txt", "-o", "out"});
    CHECK(result.code == 3);
    CHECK(result.err ==
          "mha-viz: error: tiny: holds no tensor file; expected .safetensors, .npz or .npy, got "
          "config.json, vocab.txt\n");
  }
  CHECK_FALSE(program.has("out"));
}

TEST_CASE("what follows the text of a flag is an input of its own") {
  const ModelProgram program;
  program.write("b.json", R"({"text": "the dog sat"})");
  program.must_run({"--model", "tiny", "--text", "the cat", "b.json", "--ids", "5", "b.json",
                    "--no-png", "-o", "out"});
  CHECK(program.json("out/summary.json")["inputs"].size() == 4);
}

TEST_CASE("a model's folder as an input is a hint to --model") {
  const ModelProgram program;
  const ProcessResult result = program.run({"tiny", "-o", "out"});
  CHECK(result.code == 3);
  CHECK(result.err.find("hint: it is a model: --model tiny --text \"a sentence\"") !=
        std::string::npos);
}

TEST_CASE("plain text in the place of JSON is a hint to --text-file") {
  const Program program;
  program.write("words.txt", "the cat sat\n");
  const ProcessResult file = program.run({"words.txt", "-o", "out"});
  CHECK(file.code == 3);
  CHECK(file.err.find("hint: plain text is read with --text-file words.txt") != std::string::npos);
  const ProcessResult stdin_text = program.run_with_input({"-", "-o", "out"}, "the cat sat\n");
  CHECK(stdin_text.code == 3);
  CHECK(stdin_text.err.find("hint: plain text is read with --text-file - ") != std::string::npos);
  CHECK(program.run_with_input({"--text-file", "-", "--no-png", "-o", "out"}, "the cat\n").code ==
        0);
  program.write("broken.json", "{\"text\": \"the cat\",,}");
  CHECK(program.run({"broken.json", "-o", "out2"}).err.find("hint: plain text") ==
        std::string::npos);
}

TEST_CASE("inspect describes a model, as text and as JSON") {
  const ModelProgram program;
  for (const Names& arguments : {Names{"inspect", "tiny"}, Names{"inspect", "--model", "tiny"},
                                 Names{"inspect", "tiny/config.json"}}) {
    const ProcessResult text = program.run(arguments);
    CHECK(text.code == 0);
    for (const char* part :
         {"family        bert (BERT)", "heads         2 of width 4, 2 key/value heads",
          "attention     bidirectional", "tokenizer     WordPiece, 16 tokens, from vocab.txt",
          "not read      1: pooler.dense.weight", "12 tokens     "}) {
      INFO(part);
      CHECK(text.out.find(part) != std::string::npos);
    }
    CHECK(text.out.find("embeddings.LayerNorm.bias") == std::string::npos);
  }
  const json inspection =
      program.printed({"inspect", "tiny", "--format", "json", "--tokens-count", "3"});
  const json model = inspection["model"];
  CHECK(model["family"] == "bert");
  CHECK(model["n_layers"] == 2);
  CHECK(model["tokenizer"]["files"] == "vocab.txt");
  CHECK(model["unread"] == json({"pooler.dense.weight"}));
  CHECK(model["weights"][0]["dtype"] == "F32");
  CHECK(model["cost"]["n_tokens"] == 3);
  CHECK(model["cost"]["multiply_adds"]["feed_forward"] == 2 * 3 * 2 * 8 * 16);
  CHECK_FALSE(inspection.contains("tensors"));
  const json listed = program.printed({"inspect", "tiny", "--format", "json", "--tensors"});
  CHECK(listed["tensors"].size() == test::tiny_bert_tensors().size());
}

TEST_CASE("inspect says of a damaged model what can be said, and ends with 3") {
  const ModelProgram program;
  test::TensorShapes tensors = test::tiny_bert_tensors();
  tensors.erase(tensors.begin() + 5);
  program.write("tiny/model.safetensors", test::random_safetensors(tensors));
  const ProcessResult result = program.run({"inspect", "tiny"});
  CHECK(result.code == 3);
  CHECK(result.out.find("family        bert (BERT)") != std::string::npos);
  CHECK(result.err.find("tensor 'encoder.layer.0.attention.self.query.weight': missing") !=
        std::string::npos);
  const json printed = json::parse(program.run({"inspect", "tiny", "--format", "json"}).out);
  CHECK(printed["model"]["n_layers"] == 2);
  CHECK(printed["problem"].get<std::string>().find("missing") != std::string::npos);
}

TEST_CASE("inspect --strict ends with 3 where there are warnings") {
  const ModelProgram program;
  program.write("tiny/vocab.txt", test::tiny_bert_vocabulary() + "more\n");
  const ProcessResult plain = program.run({"inspect", "tiny"});
  CHECK(plain.code == 0);
  CHECK(plain.out.find("warning: the tokenizer has ids up to 16") != std::string::npos);
  CHECK(program.run({"inspect", "tiny", "--strict"}).code == 3);
  program.write("words.json", R"({"text": "the zebra"})");
  CHECK(program.run({"inspect", "words.json"}).code == 0);
  const ProcessResult strict = program.run({"inspect", "words.json", "--strict"});
  CHECK(strict.code == 3);
  CHECK(strict.err.find("read as an unknown word: 'zebra'") != std::string::npos);
}

TEST_CASE("inspect offers only what it takes") {
  const Program program;
  const std::string help = program.run({"inspect", "--help"}).out;
  CHECK(help.find("--model") != std::string::npos);
  CHECK(help.find("--text") == std::string::npos);
  CHECK(help.find("stdin") == std::string::npos);
}

}  // namespace
}  // namespace mha
