// Llama, Mistral, Qwen2 and Qwen3 against a double-precision forward pass in NumPy, beyond every
// threshold of windows and scaled positions (tests/goldens/models/README.md).
#include <algorithm>
#include <filesystem>

#include "mha/base/error.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/model/transformer.hpp"

#include "support/catch.hpp"
#include "support/model_runs.hpp"

namespace mha {
namespace {

using test::compute;
using test::Computed;
using test::has;
using test::integers;
using test::largest_difference;
using test::values;

const std::string kFolder = MHA_SOURCE_DIR "/tests/goldens/models";

std::vector<std::string> golden_models() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.is_directory()) out.push_back(entry.path().string());
  }
  std::ranges::sort(out);
  return out;
}

std::shared_ptr<const Transformer> open_golden(const std::string& folder) {
  const std::string index = folder + "/model.safetensors.index.json";
  const bool has_shards = std::filesystem::exists(index);
  return Transformer::open(
      test::read_text(folder + "/config.json"),
      open_tensor_path(has_shards ? index : folder + "/model.safetensors", SIZE_MAX));
}

// Difference relative to the largest value there is.
double relative_difference(const std::vector<float>& got, std::span<const float> expected) {
  double largest = 0;
  for (const float x : expected) largest = std::max(largest, std::fabs(static_cast<double>(x)));
  return largest_difference(got, std::vector<float>(expected.begin(), expected.end())) / largest;
}

void check_example(const std::shared_ptr<const Transformer>& model, const TensorSource& expected,
                   const std::string& prefix) {
  INFO("example '" << prefix << "'");
  ModelInput input;
  input.ids = integers<std::uint32_t>(expected, prefix + "ids");
  input.valid_keys = integers<std::uint8_t>(expected, prefix + "valid_keys");
  const Computed got = compute(TransformerRows(model, input));
  CHECK(largest_difference(got.weights, read_tensor(expected, prefix + "attention").data) < 2e-5);

  const Tensor hidden = read_tensor(expected, prefix + "hidden");
  const std::size_t n_layers = got.hidden.size();
  const std::size_t layer_size = hidden.data.size() / n_layers;
  for (std::size_t l = 0; l + 1 < n_layers; ++l) {  // the last is read after the final norm
    const std::span<const float> layer(hidden.data.data() + l * layer_size, layer_size);
    CHECK(relative_difference(values(got.hidden[l]), layer) < 1e-5);
  }
  const Tensor last = read_tensor(expected, prefix + "last_hidden_state");
  CHECK(relative_difference(values(got.hidden.back()), last.data) < 1e-5);
  REQUIRE(model->can_predict());
  const Matrix logits = model->logits(got.hidden.back().view(), 0);
  CHECK(relative_difference(values(logits), read_tensor(expected, prefix + "logits").data) < 1e-5);
}

TEST_CASE("every kind of decoder gives the values of a pass in double precision") {
  const std::vector<std::string> folders = golden_models();
  REQUIRE(folders.size() == 14);
  for (const std::string& folder : folders) {
    INFO(folder);
    const auto model = open_golden(folder);
    CHECK(model->unused_tensors().empty());
    const auto expected = open_tensor_path(folder + "/expected.safetensors", SIZE_MAX);
    for (const std::string prefix : {"", "short.", "padded."}) {
      if (has(*expected, prefix + "ids")) check_example(model, *expected, prefix);
    }
  }
}

TEST_CASE("a decoder gives the same bits with any number of threads") {
  const std::string folder = kFolder + "/qwen3-yarn";
  const auto model = open_golden(folder);
  const auto expected = open_tensor_path(folder + "/expected.safetensors", SIZE_MAX);
  const TransformerRows rows(model, {integers<std::uint32_t>(*expected, "ids"), {}, {}});
  const Computed one = compute(rows, 1);
  const Computed three = compute(rows, 3);
  CHECK(one.weights == three.weights);
  CHECK(values(one.hidden.back()) == values(three.hidden.back()));
}

TEST_CASE("an ablated head gives nothing to what comes after it, and no other head changes below") {
  const std::string folder = kFolder + "/qwen3";
  const auto model = open_golden(folder);
  const auto expected = open_tensor_path(folder + "/expected.safetensors", SIZE_MAX);
  const ModelInput input{integers<std::uint32_t>(*expected, "ids"), {}, {}};
  const Computed whole = compute(TransformerRows(model, input));
  const Computed without = compute(TransformerRows(model, input, {{1}}));
  const std::size_t layer_size = whole.weights.size() / model->config().n_layers;
  const auto same = [&](std::size_t layer) {
    const auto first = static_cast<std::ptrdiff_t>(layer * layer_size);
    return std::equal(whole.weights.begin() + first,
                      whole.weights.begin() + first + static_cast<std::ptrdiff_t>(layer_size),
                      without.weights.begin() + first);
  };
  CHECK(same(0));  // weights of the ablated head itself are those it has
  CHECK_FALSE(same(1));
  // All heads gone: what the attention adds is the bias of its output alone, here nothing.
  const Computed silent = compute(TransformerRows(model, input, {{0, 1, 2, 3}}));
  CHECK(values(silent.hidden[0]) != values(whole.hidden[0]));
  CHECK_THROWS_AS(TransformerRows(model, input, {{4}}), Error);
}

}  // namespace
}  // namespace mha
