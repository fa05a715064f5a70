// Attention through documents: against PyTorch (tests/goldens, made by scripts/make_goldens.py) and
// against other engines' values for real models.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "mha/attention/attend.hpp"
#include "mha/attention/precomputed.hpp"
#include "mha/attention/rope.hpp"
#include "mha/attention/row_kernels.hpp"
#include "mha/io/safetensors.hpp"
#include "mha/source/source.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

using nlohmann::json;

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Flattens nested JSON arrays of numbers.
void flatten(const json& node, std::vector<double>* out) {
  if (!node.is_array()) {
    out->push_back(node.get<double>());
    return;
  }
  for (const json& item : node) flatten(item, out);
}

std::vector<double> flat(const json& node) {
  std::vector<double> out;
  flatten(node, &out);
  return out;
}

double largest_difference(const std::vector<float>& got, const std::vector<double>& expected) {
  REQUIRE(got.size() == expected.size());
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = std::fabs(static_cast<double>(got[i]) - expected[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

// Rows of all layers one after another, layers may differ in size.
class CollectLayers : public RowSink {
 public:
  explicit CollectLayers(const RowSource& source) {
    for (const LayerInfo& layer : source.layers()) layers_.emplace_back(layer.n_heads, layer.shape);
  }
  void add(const RowBlock& block) override { layers_[block.layer].add(block); }
  std::vector<float> weights() const {
    std::vector<float> out;
    for (const test::Collect& layer : layers_) {
      out.insert(out.end(), layer.weights.begin(), layer.weights.end());
    }
    return out;
  }

 private:
  std::vector<test::Collect> layers_;
};

struct Streamed {
  std::vector<float> weights;
  std::vector<float> outputs;
};

Streamed stream(const OpenedInput& input) {
  CollectLayers sink(*input.rows);
  std::vector<Matrix> outputs;
  StreamOptions options;
  options.outputs = &outputs;
  input.rows->stream(sink, options);
  Streamed out{sink.weights(), {}};
  for (const Matrix& y : outputs) {
    out.outputs.insert(out.outputs.end(), y.data(), y.data() + y.rows() * y.cols());
  }
  return out;
}

TEST_CASE("every golden of PyTorch is met") {
  const std::filesystem::path folder = std::string(MHA_SOURCE_DIR) + "/tests/goldens";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    DYNAMIC_SECTION(entry.path().stem().string()) {
      const json golden = json::parse(read_text(entry.path()));
      const OpenedInput input = open_document(golden["input"].dump(), {});
      const Streamed got = stream(input);
      // float32 through up to three layers; outputs relative to their size.
      const std::vector<double> output = flat(golden["expected"]["output"]);
      double size = 1;
      for (double y : output) size = std::max(size, std::fabs(y));
      CHECK(largest_difference(got.weights, flat(golden["expected"]["attention"])) < 1e-5);
      CHECK(largest_difference(got.outputs, output) < 2e-6 * size);
    }
  }
  CHECK(count >= 40);
}

TEST_CASE("the trained sorting model gives its published attention in all three layers") {
  const auto folder = test::shared_folder("gpt-nano-sort");
  if (!folder) return;
  const json expected = json::parse(read_text(*folder + "/layer0.expected.json"));
  const OpenedInput layer0 = open_document(read_text(*folder + "/layer0.json"), {});
  const Streamed got = stream(layer0);
  CHECK(largest_difference(got.weights, flat(expected["expected"]["attention"])) < 1e-6);

  const FileBytes file = FileBytes::open(*folder + "/golden.safetensors", SIZE_MAX);
  const auto golden = open_safetensors(file);
  for (int l = 0; l < 3; ++l) {
    const std::string n = std::to_string(l);
    json document = {{"embeddings", {{"file", "golden.safetensors"}, {"name", "x" + n}}},
                     {"attention", {{"n_heads", 3}, {"causal", true}}},
                     {"weights", {{"file", "golden.safetensors"}, {"names", json::object()}}}};
    for (const char* name : {"W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O"}) {
      document["weights"]["names"][name] = name + n;
    }
    OpenOptions options;
    options.folder = *folder;
    const Streamed layer = stream(open_document(document.dump(), options));
    const Tensor attention = read_tensor(*golden, "attention" + n);
    const Tensor y = read_tensor(*golden, "y" + n);
    CHECK(largest_difference(layer.weights, {attention.data.begin(), attention.data.end()}) < 1e-6);
    CHECK(largest_difference(layer.outputs, {y.data.begin(), y.data.end()}) < 1e-5);
  }
}

// (H, n, d) to (n, H * d).
Matrix heads_to_columns(const Tensor& tensor) {
  const std::size_t n_heads = tensor.shape[0];
  const std::size_t n = tensor.shape[1];
  const std::size_t d = tensor.shape[2];
  Matrix out(n, n_heads * d);
  for (std::size_t h = 0; h < n_heads; ++h) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < d; ++c) out(i, h * d + c) = tensor.data[(h * n + i) * d + c];
    }
  }
  return out;
}

std::vector<std::uint8_t> flags(const Tensor& tensor) {
  std::vector<std::uint8_t> out;
  for (float x : tensor.data) out.push_back(x != 0 ? 1 : 0);
  return out;
}

AttentionRule rule_of(const json& options, const TensorSource& file, std::size_t d_head) {
  AttentionRule rule;
  rule.scale = options["scale"].get<double>();
  rule.mask.causal = options["causal"].get<bool>();
  if (!options["window"].is_null()) rule.mask.window = options["window"].get<std::size_t>();
  if (!options["softcap"].is_null()) rule.softcap = options["softcap"].get<double>();
  rule.temperature = options["temperature"].get<double>();
  if (!options["alibi_slopes"].is_null()) rule.position = PositionKind::kAlibi;
  if (!options["rope"].is_null()) {
    const json& rope = options["rope"];
    rule.position = PositionKind::kRope;
    rule.rope.theta = rope["theta"].get<double>();
    rule.rope.pairing = rope["style"] == "half" ? RopePairing::kHalf : RopePairing::kInterleaved;
    rule.rope.fraction = rope["rotary_dim"].get<double>() / static_cast<double>(d_head);
  }
  for (const json& name : options["optional_tensors"]) {
    const Tensor tensor = read_tensor(file, name.get<std::string>());
    if (name == "key_mask") rule.mask.valid_keys = flags(tensor);
    if (name == "mask") rule.mask.mask = flags(tensor);
    if (name == "bias") {
      rule.bias.assign(tensor.data.begin(), tensor.data.end());
      rule.bias_heads = tensor.shape.size() == 3 ? tensor.shape[0] : 1;
    }
  }
  return rule;
}

TEST_CASE("every attention variant of the reference collection is met") {
  const auto folder = test::shared_folder("attention-variants");
  if (!folder) return;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder)) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    DYNAMIC_SECTION(entry.path().stem().string()) {
      const json options = json::parse(read_text(entry.path()));
      std::filesystem::path data = entry.path();
      const FileBytes bytes = FileBytes::open(data.replace_extension(".safetensors"), SIZE_MAX);
      const auto file = open_safetensors(bytes);
      const HeadLayout layout{
          options["n_heads"].get<std::size_t>(), options["n_kv_heads"].get<std::size_t>(),
          options["d_head"].get<std::size_t>(), options["d_v"].get<std::size_t>()};
      const AttentionShape shape{options["n_q"].get<std::size_t>(),
                                 options["n_k"].get<std::size_t>(), false};
      const AttentionRule rule = rule_of(options, *file, layout.d_head);
      check_rule(rule, layout, shape);
      Matrix q = heads_to_columns(read_tensor(*file, "q"));
      Matrix k = heads_to_columns(read_tensor(*file, "k"));
      const Matrix v = heads_to_columns(read_tensor(*file, "v"));
      if (rule.position == PositionKind::kRope) {
        apply_rope(rule.rope, shape.position_offset(), layout.d_head, q.view(), 1);
        apply_rope(rule.rope, 0, layout.d_head, k.view(), 1);
      }
      test::Collect rows(layout.n_heads, shape);
      Matrix outputs(shape.n_query, layout.n_heads * layout.d_value);
      attend(
          {0, shape, layout, &rule, heads_in_columns(q.view(), layout.d_head),
           heads_in_columns(k.view(), layout.d_head), heads_in_columns(v.view(), layout.d_value)},
          rows, outputs.view(), {});

      const Tensor attention = read_tensor(*file, "attention");
      CHECK(largest_difference(rows.weights, {attention.data.begin(), attention.data.end()}) <
            1e-5);
      const Matrix expected = heads_to_columns(read_tensor(*file, "output"));
      const std::size_t size = expected.rows() * expected.cols();
      CHECK(largest_difference({outputs.data(), outputs.data() + size},
                               {expected.data(), expected.data() + size}) < 1e-5);
      const auto zero_rows = std::count(rows.n_allowed.begin(), rows.n_allowed.end(), 0u);
      CHECK(zero_rows == options["zero_rows"].get<int>());
    }
  }
  CHECK(count == 28);
}

TEST_CASE("softmax of GPT-2's captured scores gives its captured weights") {
  const auto folder = test::shared_folder("gpt2-small-captured");
  if (!folder) return;
  for (const char* example : {"ex0", "ex1", "ex2"}) {
    const FileBytes bytes =
        FileBytes::open(*folder + "/" + example + "/captured.safetensors", SIZE_MAX);
    const auto file = open_safetensors(bytes);
    Tensor scores = read_tensor(*file, "scores");
    const Tensor attention = read_tensor(*file, "attention");
    const std::size_t n = scores.shape.back();
    for (std::size_t row = 0; row < scores.data.size(); row += n) {
      REQUIRE(softmax_row(scores.data.data() + row, n) == SoftmaxOutcome::kOk);
    }
    CHECK(largest_difference({scores.data.begin(), scores.data.end()},
                             {attention.data.begin(), attention.data.end()}) < 1e-6);
  }
}

}  // namespace
}  // namespace mha
