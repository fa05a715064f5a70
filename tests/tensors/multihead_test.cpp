// torch.nn.MultiheadAttention and TransformerEncoder against what PyTorch computes
// (tests/goldens/multihead, made by scripts/make_multihead_goldens.py).
#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "mha/io/safetensors.hpp"
#include "mha/source/tensor_input.hpp"

#include "support/catch.hpp"
#include "tensors/dump.hpp"

namespace mha {
namespace {

TEST_CASE("every golden of nn.MultiheadAttention and TransformerEncoder is met") {
  const std::filesystem::path folder = std::string(MHA_SOURCE_DIR) + "/tests/goldens/multihead";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    DYNAMIC_SECTION(entry.path().stem().string()) {
      std::ifstream text(entry.path());
      const nlohmann::json facts = nlohmann::json::parse(text);
      std::filesystem::path data = entry.path();
      const std::shared_ptr<const TensorSource> file =
          open_safetensors(FileBytes::open(data.replace_extension(".safetensors"), SIZE_MAX));
      TensorOptions options;
      options.reading = TensorReading::kMultihead;
      options.n_heads = facts["n_heads"].get<std::size_t>();
      options.rule.causal = facts["causal"].get<bool>();
      std::vector<NamedInput> inputs = open_tensors(file, options);
      REQUIRE(inputs.size() == 1);
      const test::Dump got = test::dump(inputs[0].input);
      for (std::size_t l = 0; l < got.layers.size(); ++l) {
        const bool is_encoder = got.layers.size() > 1;
        const std::string name =
            "expected.attention" + (is_encoder ? "." + std::to_string(l) : std::string());
        CHECK(test::largest_difference(got.layers[l], read_tensor(*file, name).data) < 1e-5);
      }
      const FloatVector output = read_tensor(*file, "expected.output").data;
      CHECK(test::largest_difference(got.outputs.back(), output) < 2e-5);
    }
  }
  CHECK(count >= 7);
}

TEST_CASE("parameters of nn.MultiheadAttention ask for the number of heads and for X") {
  const std::string folder = std::string(MHA_SOURCE_DIR) + "/tests/goldens/multihead/";
  const std::shared_ptr<const TensorSource> file =
      open_safetensors(FileBytes::open(folder + "plain.safetensors", SIZE_MAX));
  TensorOptions options;
  options.reading = TensorReading::kMultihead;
  CHECK_THROWS_WITH(open_tensors(file, options),
                    "parameters of nn.MultiheadAttention do not say how many heads there are");
  options.n_heads = 5;
  CHECK_THROWS_WITH(open_tensors(file, options),
                    "--n-heads: does not divide d_model; expected a divisor of 16, got 5");
}

}  // namespace
}  // namespace mha
