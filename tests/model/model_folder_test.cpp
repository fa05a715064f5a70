// Models opened from their folders: whole ones, and damaged ones.
#include "mha/model/model_folder.hpp"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "mha/model/model_facts.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/model_folders.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::error_of;
using test::ScratchFolder;
using Ids = std::vector<std::uint32_t>;

std::shared_ptr<const TextModel> open_text_model(const std::string& path) {
  return mha::open_text_model(path, std::size_t{1} << 30);
}

Ids ids_of(const TextModel& model, const std::string& text) {
  return model.tokenizer->encode(text).ids;
}

// The message for a path, in which the name of the folder reads as DIR.
std::string problem_of(const std::string& path, const ScratchFolder& scratch) {
  std::string message = error_of([&] { open_text_model(path); });
  for (std::size_t at; (at = message.find(scratch.path())) != std::string::npos;) {
    message.replace(at, scratch.path().size(), "DIR");
  }
  return message;
}

TEST_CASE("a folder opens by its own path, by its config.json and by its weights") {
  const ScratchFolder scratch;
  const std::string folder = test::write_tiny_bert(scratch, "tiny");
  for (const std::string& path :
       {folder, folder + "/", folder + "/config.json", folder + "/model.safetensors"}) {
    INFO(path);
    const auto model = open_text_model(path);
    CHECK(model->description == "tiny (BERT, 2 layers of 2 heads)");
    CHECK(model->tokenizer_files == "vocab.txt");
    CHECK(model->tokenizer->kind() == "WordPiece");
    CHECK(ids_of(*model, "The cats?") == Ids{2, 5, 6, 10, 12, 3});
    CHECK(model->warnings.empty());
    CHECK(model->transformer->unused_tensors() == std::vector<std::string>{"pooler.dense.weight"});
  }
}

TEST_CASE(
    "tokenizer_config.json says how vocab.txt is used, and special_tokens_map.json the rest") {
  const ScratchFolder scratch;
  const std::string folder = test::write_tiny_bert(scratch, "tiny");
  CHECK(ids_of(*open_text_model(folder), "The cat") == Ids{2, 5, 6, 3});
  scratch.write("tiny/tokenizer_config.json",
                R"({"do_lower_case": false, "strip_accents": null, "model_max_length": 1e30,
                    "cls_token": {"content": "[MASK]", "lstrip": false}})");
  scratch.write("tiny/special_tokens_map.json", R"({"sep_token": "[PAD]", "cls_token": "[SEP]"})");
  const auto model = open_text_model(folder);
  CHECK(ids_of(*model, "The cat") == Ids{4, 1, 6, 0});
  CHECK(model->bos == 4);
  scratch.write("tiny/tokenizer_config.json", R"({"do_lower_case": "no"})");
  CHECK(problem_of(folder, scratch) ==
        "DIR/tiny/tokenizer_config.json: /do_lower_case: expected true or false, got a string");
  scratch.write("tiny/tokenizer_config.json", R"({"cls_token": {"id": 3}})");
  CHECK(problem_of(folder, scratch)
            .starts_with("DIR/tiny/tokenizer_config.json: /cls_token: expected a token, as a "
                         "string or as an object"));
  scratch.write("tiny/tokenizer_config.json", "{");
  CHECK(problem_of(folder, scratch).starts_with("DIR/tiny/tokenizer_config.json:1:2: "));
}

TEST_CASE("vocab.json and merges.txt are byte-level BPE, with RoBERTa's template where it is so") {
  const ScratchFolder scratch;
  const std::string folder = test::write_tiny_bert(scratch, "tiny");
  std::filesystem::remove(folder + "/vocab.txt");
  scratch.write("tiny/vocab.json",
                R"({"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3, "<s>": 4, "</s>": 5, "Ġ": 6,
                    "<pad>": 7, "<unk>": 8, "<mask>": 9})");
  CHECK_FALSE(open_text_model(folder)->tokenizer);
  scratch.write("tiny/merges.txt", "#version: 0.2\na b\n");
  const auto plain = open_text_model(folder);
  CHECK(plain->tokenizer_files == "vocab.json and merges.txt");
  CHECK(ids_of(*plain, "ab") == Ids{2});
  CHECK(ids_of(*plain, "ab<|endoftext|>") == Ids{2, 3});
  scratch.write(
      "tiny/tokenizer_config.json",
      R"({"add_bos_token": true, "bos_token": "<|endoftext|>", "add_prefix_space": true})");
  CHECK(ids_of(*open_text_model(folder), "ab") == Ids{3, 6, 2});
  scratch.write("tiny/tokenizer_config.json", R"({"tokenizer_class": "RobertaTokenizer"})");
  CHECK(ids_of(*open_text_model(folder), "ab") == Ids{4, 2, 5});
  CHECK(open_text_model(folder)->bos == std::nullopt);  // the file does not name it
}

TEST_CASE("a model without a tokenizer opens, and says what was looked for") {
  const ScratchFolder scratch;
  const std::string folder = test::write_tiny_bert(scratch, "tiny");
  std::filesystem::remove(folder + "/vocab.txt");
  scratch.write("tiny/tokenizer.model", "sentencepiece");
  const auto model = open_text_model(folder);
  CHECK_FALSE(model->tokenizer);
  CHECK(model->no_tokenizer ==
        "looked for tokenizer.json, vocab.txt, or vocab.json with merges.txt in " + folder +
            "; tokenizer.model is not read: save the tokenizer as tokenizer.json");
}

TEST_CASE("a tokenizer with more ids than the model has is said, with both numbers") {
  const ScratchFolder scratch;
  const std::string folder = test::write_tiny_bert(scratch, "tiny");
  scratch.write("tiny/vocab.txt", test::tiny_bert_vocabulary() + "more\nwords\n");
  CHECK(open_text_model(folder)->warnings ==
        std::vector<std::string>{"the tokenizer has ids up to 17, and the vocabulary of the model "
                                 "ends at 15: a text with such an id is refused"});
}

TEST_CASE("what is missing or damaged has one message each") {
  const ScratchFolder scratch;
  const std::string folder = test::write_tiny_bert(scratch, "tiny");
  const std::string expected =
      "expected a folder with config.json and model.safetensors, as Hugging Face's libraries save "
      "a model";
  CHECK(problem_of(scratch.file("none"), scratch) ==
        "DIR/none: there is no such file or folder; " + expected);
  CHECK(problem_of(folder + "/vocab.txt", scratch) ==
        "DIR/tiny/vocab.txt: is not a model; " + expected);
  scratch.write("empty/README.md", "none");
  CHECK(problem_of(scratch.file("empty"), scratch) ==
        "DIR/empty: holds no config.json; " + expected);

  json config = test::tiny_bert_config();
  scratch.write("tiny/config.json", "{\"model_type\": \"bert\",,}");
  CHECK(problem_of(folder, scratch).starts_with("DIR/tiny/config.json:1:"));
  config["num_attention_heads"] = 3;
  scratch.write("tiny/config.json", config.dump());
  CHECK(problem_of(folder, scratch).starts_with("DIR/tiny/config.json: /num_attention_heads: "));
  config["model_type"] = "perceiver";
  scratch.write("tiny/config.json", config.dump());
  CHECK(problem_of(folder, scratch)
            .starts_with("DIR/tiny/config.json: /model_type: a family that is not implemented"));
}

TEST_CASE("a missing tensor, a missing shard and the config of another family differ") {
  const ScratchFolder scratch;
  const std::string folder = test::write_tiny_bert(scratch, "tiny");
  test::TensorShapes tensors = test::tiny_bert_tensors();
  tensors.erase(tensors.begin() + 5);
  scratch.write("tiny/model.safetensors", test::random_safetensors(tensors));
  CHECK(problem_of(folder, scratch)
            .starts_with("DIR/tiny/model.safetensors: tensor "
                         "'encoder.layer.0.attention.self.query.weight': missing"));
  tensors = test::tiny_bert_tensors();
  tensors[5].second = {8, 4};
  scratch.write("tiny/model.safetensors", test::random_safetensors(tensors));
  CHECK(problem_of(folder, scratch) ==
        "DIR/tiny/model.safetensors: tensor 'encoder.layer.0.attention.self.query.weight': wrong "
        "shape; expected 8x8, got 8x4");

  scratch.write("tiny/model.safetensors",
                test::random_safetensors({{"transformer.wte.weight", {16, 8}}}));
  CHECK(problem_of(folder, scratch) ==
        "DIR/tiny/config.json: /model_type: names another family than the tensors of "
        "DIR/tiny/model.safetensors; expected gpt2, got 'bert'\n"
        "hint: use the config.json that was saved with the weights");

  const std::string whole = test::random_safetensors(test::tiny_bert_tensors());
  scratch.write("tiny/model.safetensors", whole.substr(0, whole.size() - 100));
  CHECK(problem_of(folder, scratch).starts_with("DIR/tiny/model.safetensors: "));
}

// The tensors of the tiny model in two shards.
void write_shards(const ScratchFolder& scratch) {
  const test::TensorShapes tensors = test::tiny_bert_tensors();
  const test::TensorShapes first(tensors.begin(), tensors.begin() + 7);
  const test::TensorShapes second(tensors.begin() + 7, tensors.end());
  json map = json::object();
  for (const auto& [name, shape] : first) map[name] = "model-1-of-2.safetensors";
  for (const auto& [name, shape] : second) map[name] = "model-2-of-2.safetensors";
  scratch.write("tiny/model-1-of-2.safetensors", test::random_safetensors(first));
  scratch.write("tiny/model-2-of-2.safetensors", test::random_safetensors(second, 2));
  scratch.write("tiny/model.safetensors.index.json", json{{"weight_map", map}}.dump());
}

TEST_CASE("shards are opened by their index, which is preferred, and a missing one is named") {
  const ScratchFolder scratch;
  const std::string folder = test::write_tiny_bert(scratch, "tiny");
  const std::uint64_t before = open_text_model(folder)->hash;
  write_shards(scratch);
  scratch.write("tiny/model.safetensors", "not looked at");
  CHECK(open_text_model(folder)->hash != before);
  std::filesystem::remove(folder + "/model-2-of-2.safetensors");
  CHECK(problem_of(folder, scratch) ==
        "DIR/tiny/model.safetensors.index.json: the index names 'model-2-of-2.safetensors', which "
        "is missing; expected it at DIR/tiny/model-2-of-2.safetensors");
}

TEST_CASE("pickles and GGUF files are refused as what they are") {
  const ScratchFolder scratch;
  const std::string folder = test::write_tiny_bert(scratch, "tiny");
  std::filesystem::remove(folder + "/model.safetensors");
  scratch.write("tiny/pytorch_model.bin", "\x80\x02}q\x00.");
  const std::string pickle = problem_of(folder, scratch);
  CHECK(pickle.starts_with("DIR/tiny/pytorch_model.bin: is a pickle, which can run code"));
  CHECK(pickle.find("save_file(torch.load(") != std::string::npos);
  std::filesystem::remove(folder + "/pytorch_model.bin");
  CHECK(problem_of(folder, scratch).starts_with("DIR/tiny: holds no tensor file; "));
  const std::string gguf = scratch.write("alone/tiny.gguf", "GGUF\x03");
  CHECK(problem_of(gguf, scratch)
            .starts_with("DIR/alone/tiny.gguf: is a GGUF file, which is not read yet"));
}

TEST_CASE("models of one shape with other weights have another hash, copies the same one") {
  const ScratchFolder scratch;
  const auto hash = [&](const std::string& name, std::uint32_t seed) {
    return open_text_model(test::write_tiny_bert(scratch, name, seed))->hash;
  };
  const std::uint64_t one = hash("one", 1);
  CHECK(hash("copy", 1) == one);
  CHECK(hash("two", 2) != one);
}

TEST_CASE("a configuration is described in words and counted") {
  const ScratchFolder scratch;
  const ModelConfig config =
      read_config_file(find_model_folder(test::write_tiny_bert(scratch, "tiny")));
  const ModelFacts facts = describe_model(config);
  CHECK(facts.family == "BERT");
  CHECK(facts.attention == "bidirectional");
  CHECK(facts.positions == "learned, up to 12 tokens");
  CHECK(facts.norm == "layer norm after attention and feed-forward, epsilon 1e-12");
  CHECK(facts.mlp == "16 wide, GELU");
  CHECK(config.d_head == 4);
  const ModelWork work = model_work(config, 3);
  CHECK(work.projections == 2 * 3 * 4 * 8 * 8);
  CHECK(work.attention == 2 * 2 * 3 * 3 * 8);
  CHECK(work.feed_forward == 2 * 3 * 2 * 8 * 16);
}

TEST_CASE("a trained model on disk opens with its tokenizer") {
  const auto folder = test::shared_folder("capp-gpt");
  if (!folder) return;
  const auto model = open_text_model(*folder);
  CHECK(model->description == "capp-gpt (GPT-2, 4 layers of 4 heads)");
  CHECK(model->tokenizer->kind() == "WordLevel");
  CHECK(model->transformer->unused_tensors().empty());
  CHECK(model->bos == std::nullopt);  // config.json has that of another vocabulary
}

}  // namespace
}  // namespace mha
