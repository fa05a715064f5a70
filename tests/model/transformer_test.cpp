// The forward pass against other engines, and the bundled model against double precision.
#include "mha/model/transformer.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "mha/io/safetensors.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/model/text_model.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"
#include "support/errors.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::error_of;

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::shared_ptr<const Transformer> open_model(const std::string& folder) {
  return Transformer::open(read_text(folder + "/config.json"),
                           open_tensor_path(folder + "/model.safetensors", SIZE_MAX));
}

struct Computed {
  std::vector<float> weights;  // (layer, head, query, key)
  std::vector<Matrix> hidden;  // a layer
};

Computed compute(const TransformerRows& rows, std::size_t n_threads = 0) {
  Computed out;
  for (std::size_t l = 0; l < rows.layers().size(); ++l) {
    test::Collect sink(rows.layers()[l].n_heads, rows.layers()[l].shape);
    StreamOptions options;
    options.n_threads = n_threads;
    options.layers = {l, l + 1};
    std::vector<Matrix> outputs;
    options.outputs = &outputs;
    rows.stream(sink, options);
    out.weights.insert(out.weights.end(), sink.weights.begin(), sink.weights.end());
    REQUIRE(outputs.size() == 1);
    out.hidden.push_back(std::move(outputs.front()));
  }
  return out;
}

template <typename A, typename B>
double largest_difference(const A& a, const B& b) {
  REQUIRE(std::size(a) == std::size(b));
  double largest = 0;
  for (std::size_t i = 0; i < std::size(a); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  }
  return largest;
}

std::vector<float> values(const Matrix& m) {
  std::vector<float> out;
  for (std::size_t i = 0; i < m.rows(); ++i) {
    out.insert(out.end(), m.view().row(i).begin(), m.view().row(i).end());
  }
  return out;
}

bool has(const TensorSource& source, const std::string& name) {
  for (const TensorInfo& info : source.tensors()) {
    if (info.name == name) return true;
  }
  return false;
}

template <typename T>
std::vector<T> integers(const TensorSource& source, const std::string& name) {
  if (!has(source, name)) return {};
  const Tensor tensor = read_tensor(source, name);
  return {tensor.data.begin(), tensor.data.end()};
}

// Rows of padding count as HF computes them: nothing is left out.
void check_examples(const std::string& folder) {
  const auto model = open_model(folder);
  const auto expected = open_tensor_path(folder + "/expected.safetensors", SIZE_MAX);
  for (const std::string example : {"ex0", "ex1"}) {
    if (!has(*expected, example + ".ids")) continue;
    INFO(folder << " " << example);
    ModelInput input;
    input.ids = integers<std::uint32_t>(*expected, example + ".ids");
    input.token_types = integers<std::uint8_t>(*expected, example + ".token_type_ids");
    input.valid_keys = integers<std::uint8_t>(*expected, example + ".attention_mask");
    const Computed got = compute(TransformerRows(model, input));
    CHECK(largest_difference(got.weights, read_tensor(*expected, example + ".attentions").data) <
          5e-5);
    CHECK(largest_difference(values(got.hidden.back()),
                             read_tensor(*expected, example + ".last_hidden_state").data) < 1e-4);
  }
}

TEST_CASE("BERT gives the attention and hidden states of Hugging Face, padding included") {
  if (const auto folder = test::shared_folder("hf-tiny")) check_examples(*folder + "/bert");
}

TEST_CASE("GPT-2 gives the attention and hidden states of Hugging Face") {
  if (const auto folder = test::shared_folder("hf-tiny")) check_examples(*folder + "/gpt2");
}

TEST_CASE("a trained GPT-2 gives the attention of Hugging Face to 2e-5") {
  const auto folder = test::shared_folder("gpt-nano-sort");
  if (!folder) return;
  const auto model = open_model(*folder + "/hf-gpt2");
  const auto expected = open_tensor_path(*folder + "/hf-gpt2/expected.safetensors", SIZE_MAX);
  const ModelInput input{integers<std::uint32_t>(*expected, "ids"), {}, {}};
  const Computed got = compute(TransformerRows(model, input));
  CHECK(largest_difference(got.weights, read_tensor(*expected, "attention").data) < 2e-5);
}

void flatten(const json& node, std::vector<double>* out) {
  if (!node.is_array()) {
    out->push_back(node.get<double>());
    return;
  }
  for (const json& item : node) flatten(item, out);
}

json golden() {
  return json::parse(read_text(MHA_SOURCE_DIR "/data/models/toy/golden.json"));
}

TEST_CASE("the bundled model gives the attention and hidden states of double precision") {
  const auto model = bundled_model();
  const json examples = golden();
  for (const json& example : examples["cases"]) {
    INFO(example["text"]);
    const TokenizedText text = model->tokenizer->encode(example["text"].get<std::string>());
    CHECK(text.tokens == example["tokens"].get<std::vector<std::string>>());
    CHECK(text.ids == example["ids"].get<std::vector<std::uint32_t>>());
    const Computed got = compute(TransformerRows(model->transformer, {text.ids, {}, {}}));
    std::vector<double> attention;
    flatten(example["attention"], &attention);
    CHECK(largest_difference(got.weights, attention) < 2e-5);
    std::vector<double> hidden;
    flatten(example["hidden"], &hidden);
    CHECK(largest_difference(values(got.hidden.back()), hidden) < 1e-4);
  }
}

TEST_CASE("a layer computed from its own input gives the rows of the whole pass") {
  const auto model = bundled_model();
  const TokenizedText text = model->tokenizer->encode("the dog chased the cat");
  const TransformerRows rows(model->transformer, {text.ids, {}, {}});
  const Computed whole = compute(rows);
  const std::size_t a_layer = whole.weights.size() / rows.layers().size();
  for (std::size_t l = 0; l < rows.layers().size(); ++l) {
    AttentionStack::Input input;
    LayerInput part_of_model = rows.input_of(l);
    input.x = std::move(part_of_model.x);
    input.layers = {std::move(part_of_model.layer)};
    const AttentionStack stack(std::move(input));
    test::Collect sink(8, rows.layers()[l].shape);
    stack.stream(sink, {});
    const std::vector<float> part(
        whole.weights.begin() + static_cast<std::ptrdiff_t>(l * a_layer),
        whole.weights.begin() + static_cast<std::ptrdiff_t>((l + 1) * a_layer));
    CHECK(largest_difference(sink.weights, part) == 0);
  }
}

TEST_CASE("a model gives the same bits with any number of threads, in one pass or layer by layer") {
  const auto model = bundled_model();
  const TokenizedText text = model->tokenizer->encode("the dog chased the cat near the old river");
  const TransformerRows rows(model->transformer, {text.ids, {}, {}});
  const Computed one = compute(rows, 1);
  CHECK(compute(rows, 3).weights == one.weights);
  std::vector<Matrix> inputs;
  for (std::size_t l = 0; l < rows.layers().size(); ++l) {
    test::Collect sink(8, rows.layers()[l].shape);
    StreamOptions options;
    options.layers = {l, l + 1};
    options.inputs = &inputs;
    rows.stream(sink, options);
    const std::size_t size = sink.weights.size();
    const auto from = one.weights.begin() + static_cast<std::ptrdiff_t>(l * size);
    CHECK(std::equal(sink.weights.begin(), sink.weights.end(), from));
  }
  CHECK(inputs.size() == rows.layers().size() - 1);
}

TEST_CASE("ids and lengths that the model does not have are refused") {
  const auto model = bundled_model()->transformer;
  const std::size_t n_words = model->config().vocab_size;
  const auto error = [&](ModelInput input) {
    return error_of([&] { TransformerRows(model, std::move(input)); });
  };
  CHECK(error({{3, static_cast<std::uint32_t>(n_words)}, {}, {}}) ==
        "token 1: not in the vocabulary of the model; expected an id below " +
            std::to_string(n_words) + ", got " + std::to_string(n_words));
  CHECK(error({std::vector<std::uint32_t>(33, 4), {}, {}}) ==
        "too many tokens for the model; expected at most 32, got 33");
  CHECK(error({{}, {}, {}}) == "no tokens; expected at least one");
  CHECK(error({{3, 4}, {0, 2}, {}}) ==
        "token 1: a token type that the model does not have; expected below 2, got 2");
}

// The toy model with one tensor renamed or cut.
std::string broken(const std::string& from, const std::string& to) {
  std::string bytes = read_text(MHA_SOURCE_DIR "/data/models/toy/model.safetensors");
  const std::size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(from.size() == to.size());
  bytes.replace(at, from.size(), to);
  return error_of([&] {
    Transformer::open(read_text(MHA_SOURCE_DIR "/data/models/toy/config.json"),
                      open_safetensors(FileBytes::copy(bytes)));
  });
}

TEST_CASE("a tensor that is missing is named") {
  CHECK(broken("encoder.layer.1.output.dense.bias", "encoder.layer.1.output.dense.bios")
            .starts_with("tensor 'bert.encoder.layer.1.output.dense.bias': missing\nhint: "));
}

TEST_CASE("a tensor of another shape is named with both shapes") {
  std::string config = read_text(MHA_SOURCE_DIR "/data/models/toy/config.json");
  const std::string from = "\"intermediate_size\": 128";
  config.replace(config.find(from), from.size(), "\"intermediate_size\": 129");
  const auto weights =
      open_tensor_path(MHA_SOURCE_DIR "/data/models/toy/model.safetensors", SIZE_MAX);
  CHECK(error_of([&] { Transformer::open(config, weights); }) ==
        "tensor 'bert.encoder.layer.0.intermediate.dense.weight': wrong shape; expected 129x64, "
        "got 128x64");
}

}  // namespace
}  // namespace mha
