// Not a check: prints by how much each reference model differs, as docs/models.md has it.
//
//   build/release/test_model "[maxima]"
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "mha/io/tensor_files.hpp"
#include "mha/model/transformer.hpp"

#include "support/catch.hpp"
#include "support/model_runs.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

using test::has;
using test::integers;

// What one reference folder calls the tensors of an example.
struct ExampleNames {
  std::string prefix;
  std::string attention;
  std::string token_types;
  std::string valid_keys;
};

struct Maxima {
  double attention = 0;
  double hidden = 0;  // relative to the largest value, as the others below
  double logits = 0;
  bool has_hidden = false;
  bool has_logits = false;
};

double relative(const Matrix& got, const Tensor& expected) {
  double largest = 0;
  for (const float x : expected.data)
    largest = std::max(largest, std::fabs(static_cast<double>(x)));
  const std::vector<float> numbers(expected.data.begin(), expected.data.end());
  return test::largest_difference(test::values(got), numbers) / largest;
}

void measure(const std::shared_ptr<const Transformer>& model, const TensorSource& expected,
             const ExampleNames& names, Maxima* out) {
  if (!has(expected, names.prefix + "ids")) return;
  ModelInput input;
  input.ids = integers<std::uint32_t>(expected, names.prefix + "ids");
  if (model->config().n_token_types > 1) {
    input.token_types = integers<std::uint8_t>(expected, names.prefix + names.token_types);
  }
  input.valid_keys = integers<std::uint8_t>(expected, names.prefix + names.valid_keys);
  const test::Computed got = test::compute(TransformerRows(model, input));
  const Tensor attention = read_tensor(expected, names.prefix + names.attention);
  out->attention = std::max(out->attention, test::largest_difference(got.weights, attention.data));
  const std::string hidden = names.prefix + "last_hidden_state";
  if (has(expected, hidden)) {
    out->has_hidden = true;
    out->hidden = std::max(out->hidden, relative(got.hidden.back(), read_tensor(expected, hidden)));
  }
  if (!has(expected, names.prefix + "logits") || !model->can_predict()) return;
  out->has_logits = true;
  const Matrix logits = model->logits(got.hidden.back().view(), 0);
  out->logits =
      std::max(out->logits, relative(logits, read_tensor(expected, names.prefix + "logits")));
}

std::string number(double value, bool is_there) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  return is_there ? text : "";
}

void print_folder(const std::string& title, const std::string& folder,
                  const std::vector<ExampleNames>& examples) {
  const std::string index = folder + "/model.safetensors.index.json";
  const bool has_shards = std::filesystem::exists(index);
  const auto model = Transformer::open(
      test::read_text(folder + "/config.json"),
      open_tensor_path(has_shards ? index : folder + "/model.safetensors", SIZE_MAX));
  const auto expected = open_tensor_path(folder + "/expected.safetensors", SIZE_MAX);
  Maxima maxima;
  for (const ExampleNames& names : examples) measure(model, *expected, names, &maxima);
  std::printf("| %s | %s | %s | %s | %s |\n", title.c_str(), std::string(model->family()).c_str(),
              number(maxima.attention, true).c_str(),
              number(maxima.hidden, maxima.has_hidden).c_str(),
              number(maxima.logits, maxima.has_logits).c_str());
}

TEST_CASE("largest differences", "[.maxima]") {
  std::printf(
      "| model | family | attention | hidden states | predictions |\n|---|---|---|---|---|\n");
  const ExampleNames plain{"", "attention", "", ""};
  if (const auto folder = test::shared_folder("gpt-nano-sort")) {
    print_folder("gpt-nano-sort", *folder + "/hf-gpt2", {plain});
  }
  if (const auto folder = test::shared_folder("capp-gpt")) {
    print_folder("capp-gpt", *folder, {{"p0.", "attention", "", ""}, {"p1.", "attention", "", ""}});
  }
  if (const auto folder = test::shared_folder("stories260K")) {
    print_folder("stories260K", *folder, {plain});
  }
  if (const auto folder = test::shared_folder("hf-tiny")) {
    for (const std::string name : {"gpt2", "bert", "roberta", "distilbert", "electra", "albert"}) {
      std::vector<ExampleNames> examples;
      for (const std::string example : {"ex0.", "ex1."}) {
        examples.push_back({example, "attentions", "token_type_ids", "attention_mask"});
      }
      print_folder("hf-tiny/" + name, *folder + "/" + name, examples);
    }
  }
  std::vector<std::string> goldens;
  const std::filesystem::path all = MHA_SOURCE_DIR "/tests/goldens/models";
  for (const auto& entry : std::filesystem::directory_iterator(all)) {
    if (entry.is_directory()) goldens.push_back(entry.path().filename().string());
  }
  std::ranges::sort(goldens);
  for (const std::string& name : goldens) {
    print_folder(
        "goldens/" + name, (all / name).string(),
        {plain, {"short.", "attention", "", ""}, {"padded.", "attention", "", "valid_keys"}});
  }
}

}  // namespace
}  // namespace mha
