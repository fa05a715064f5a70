// The forward pass against other engines, and the bundled model against double precision.
#include "mha/model/transformer.hpp"

#include <nlohmann/json.hpp>

#include "mha/io/safetensors.hpp"
#include "mha/model/text_model.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/model_runs.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::compute;
using test::Computed;
using test::error_of;
using test::largest_difference;
using test::values;

void flatten(const json& node, std::vector<double>* out) {
  if (!node.is_array()) {
    out->push_back(node.get<double>());
    return;
  }
  for (const json& item : node) flatten(item, out);
}

json golden() {
  return json::parse(test::read_text(MHA_SOURCE_DIR "/data/models/toy/golden.json"));
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

TEST_CASE("padding in front changes nothing for the tokens behind it") {
  const auto model = bundled_model();
  const TokenizedText text = model->tokenizer->encode("the dog chased the cat");
  const std::size_t n = text.ids.size();
  const Computed plain = compute(TransformerRows(model->transformer, {text.ids, {}, {}}));
  ModelInput padded;
  padded.ids = {0, 0, 0};
  padded.valid_keys = {0, 0, 0};
  padded.ids.insert(padded.ids.end(), text.ids.begin(), text.ids.end());
  padded.valid_keys.resize(n + 3, 1);
  const Computed behind = compute(TransformerRows(model->transformer, padded));
  const std::size_t width = n + 3;
  double largest = 0;
  for (std::size_t map = 0; map < plain.weights.size() / (n * n); ++map) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const float a = plain.weights[(map * n + i) * n + j];
        const float b = behind.weights[(map * width + i + 3) * width + j + 3];
        largest = std::max(largest, std::fabs(static_cast<double>(a - b)));
      }
    }
  }
  CHECK(largest < 1e-5);
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
  std::string bytes = test::read_text(MHA_SOURCE_DIR "/data/models/toy/model.safetensors");
  const std::size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(from.size() == to.size());
  bytes.replace(at, from.size(), to);
  return error_of([&] {
    Transformer::open(test::read_text(MHA_SOURCE_DIR "/data/models/toy/config.json"),
                      open_safetensors(FileBytes::copy(bytes)));
  });
}

TEST_CASE("a tensor that is missing is named") {
  CHECK(broken("encoder.layer.1.output.dense.bias", "encoder.layer.1.output.dense.bios")
            .starts_with("tensor 'bert.encoder.layer.1.output.dense.bias': missing\nhint: "));
}

TEST_CASE("all tensors that are missing are named, twenty at most behind the first") {
  const std::string path = MHA_SOURCE_DIR "/data/models/toy/model.safetensors";
  const std::string config = test::read_text(MHA_SOURCE_DIR "/data/models/toy/config.json");
  const auto without = [&](const std::vector<std::string>& parts) {
    std::string bytes = test::read_text(path);
    for (const std::string& part : parts) {
      for (std::size_t at = bytes.find(part); at != std::string::npos; at = bytes.find(part, at)) {
        bytes[at] = 'X';
      }
    }
    return error_of([&] { Transformer::open(config, open_safetensors(FileBytes::copy(bytes))); });
  };
  CHECK(
      without({"layer.1.output.dense."})
          .starts_with("tensor 'bert.encoder.layer.1.output.dense.weight': missing; also missing: "
                       "bert.encoder.layer.1.output.dense.bias\nhint: "));
  const std::string all = without({"layer.0.", "layer.1.", "LayerNorm", "decoder."});
  CHECK(all.find(" more\n") != std::string::npos);
  const std::string named = all.substr(0, all.find('\n'));
  CHECK(std::ranges::count(named, ',') == 19);
}

TEST_CASE("a tensor of another shape is named with both shapes") {
  std::string config = test::read_text(MHA_SOURCE_DIR "/data/models/toy/config.json");
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
