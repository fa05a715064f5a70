// Every family against the values of another engine: trained models, and small random checkpoints
// in which each bias and norm matters.
#include "mha/io/tensor_files.hpp"
#include "mha/model/transformer.hpp"

#include "support/catch.hpp"
#include "support/model_runs.hpp"
#include "support/shared_data.hpp"

namespace mha {
namespace {

using test::compute;
using test::Computed;
using test::has;
using test::integers;
using test::largest_difference;
using test::open_model;
using test::values;

std::shared_ptr<const TensorSource> expected_of(const std::string& folder) {
  return open_tensor_path(folder + "/expected.safetensors", SIZE_MAX);
}

double largest_of(const std::vector<float>& numbers) {
  double largest = 0;
  for (const float x : numbers) largest = std::max(largest, std::fabs(static_cast<double>(x)));
  return largest;
}

void check_hidden(const Matrix& got, const Tensor& expected) {
  const std::vector<float> numbers(expected.data.begin(), expected.data.end());
  const double difference = largest_difference(values(got), numbers) / largest_of(numbers);
  INFO("hidden states differ by " << difference << " of the largest");
  CHECK(difference < 1e-4);
}

void check_attention(const Computed& got, const Tensor& expected, double tolerance) {
  const double difference = largest_difference(got.weights, expected.data);
  INFO("attention differs by " << difference);
  CHECK(difference < tolerance);
}

// Rows of padding count as Hugging Face computes them: nothing is left out.
void check_examples(const std::string& folder) {
  const auto model = open_model(folder);
  const auto expected = expected_of(folder);
  for (const std::string example : {"ex0", "ex1"}) {
    if (!has(*expected, example + ".ids")) continue;
    INFO(folder << " " << example);
    ModelInput input;
    input.ids = integers<std::uint32_t>(*expected, example + ".ids");
    input.token_types = integers<std::uint8_t>(*expected, example + ".token_type_ids");
    if (model->config().n_token_types <= 1) input.token_types.clear();
    input.valid_keys = integers<std::uint8_t>(*expected, example + ".attention_mask");
    const Computed got = compute(TransformerRows(model, input));
    check_attention(got, read_tensor(*expected, example + ".attentions"), 5e-5);
    check_hidden(got.hidden.back(), read_tensor(*expected, example + ".last_hidden_state"));
  }
}

void check_tiny(const std::string& family) {
  if (const auto folder = test::shared_folder("hf-tiny")) check_examples(*folder + "/" + family);
}

TEST_CASE("BERT gives the attention and hidden states of Hugging Face, padding included") {
  check_tiny("bert");
}

TEST_CASE("RoBERTa counts positions from the padding on") {
  check_tiny("roberta");
}

TEST_CASE("DistilBERT gives the attention and hidden states of Hugging Face") {
  check_tiny("distilbert");
}

TEST_CASE("ELECTRA projects its embeddings") {
  check_tiny("electra");
}

TEST_CASE("ALBERT shares one layer") {
  check_tiny("albert");
}

TEST_CASE("GPT-2 gives the attention and hidden states of Hugging Face") {
  check_tiny("gpt2");
}

// Scores of all words for every row of the last hidden state.
void check_logits(const Transformer& model, const Computed& got, const Tensor& expected) {
  REQUIRE(model.can_predict());
  const Matrix logits = model.logits(got.hidden.back().view(), 0);
  check_hidden(logits, expected);
}

TEST_CASE("a trained GPT-2 that sorts gives the attention of Hugging Face to 2e-5") {
  const auto folder = test::shared_folder("gpt-nano-sort");
  if (!folder) return;
  const auto model = open_model(*folder + "/hf-gpt2");
  const auto expected = expected_of(*folder + "/hf-gpt2");
  const ModelInput input{integers<std::uint32_t>(*expected, "ids"), {}, {}};
  check_attention(compute(TransformerRows(model, input)), read_tensor(*expected, "attention"),
                  2e-5);
}

TEST_CASE("a trained Llama that tells stories gives attention and predictions to 2e-5") {
  const auto folder = test::shared_folder("stories260K");
  if (!folder) return;
  const auto model = open_model(*folder);
  CHECK(model->config().n_kv_heads == 4);
  CHECK(model->unused_tensors().empty());
  const auto expected = expected_of(*folder);
  const ModelInput input{integers<std::uint32_t>(*expected, "ids"), {}, {}};
  const Computed got = compute(TransformerRows(model, input));
  check_attention(got, read_tensor(*expected, "attention"), 2e-5);
  check_logits(*model, got, read_tensor(*expected, "logits"));
}

TEST_CASE("a trained GPT-2 that plans gives attention, hidden states and predictions to 2e-5") {
  const auto folder = test::shared_folder("capp-gpt");
  if (!folder) return;
  const auto model = open_model(*folder);
  const auto expected = expected_of(*folder);
  for (const std::string prompt : {"p0", "p1"}) {
    INFO(prompt);
    const ModelInput input{integers<std::uint32_t>(*expected, prompt + ".ids"), {}, {}};
    const Computed got = compute(TransformerRows(model, input));
    check_attention(got, read_tensor(*expected, prompt + ".attention"), 2e-5);
    check_hidden(got.hidden.back(), read_tensor(*expected, prompt + ".last_hidden_state"));
    check_logits(*model, got, read_tensor(*expected, prompt + ".logits"));
  }
}

}  // namespace
}  // namespace mha
