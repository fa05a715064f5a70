#include "step_texts.hpp"

#include <array>

#include "mha/base/text.hpp"

#include "step_names.hpp"

namespace mha::cli {
namespace {

struct NamePair {
  const char* slug;
  const char* title;
};

// In the order of StepKind.
constexpr std::array<NamePair, 26> kNames = {{
    {"input", "Input"},
    {"context", "Context"},
    {"kv-heads", "Which key-value head"},
    {"query-weights", "Query weights"},
    {"key-weights", "Key weights"},
    {"value-weights", "Value weights"},
    {"queries", "Queries"},
    {"keys", "Keys"},
    {"values", "Values"},
    {"normed-queries", "Queries, normed"},
    {"normed-keys", "Keys, normed"},
    {"rotated-queries", "Queries, rotated"},
    {"rotated-keys", "Keys, rotated"},
    {"scores", "Scores"},
    {"scaled", "Scaled scores"},
    {"softcap", "Soft cap"},
    {"alibi", "Distance penalty (ALiBi)"},
    {"bias", "Bias"},
    {"temperature", "Temperature"},
    {"masked", "Mask"},
    {"weights", "Attention weights"},
    {"head-output", "Output of the head"},
    {"concat", "All heads side by side"},
    {"output-weights", "Output weights"},
    {"output", "Output of the attention"},
    {"residual", "Residual"},
}};
static_assert(kNames.size() == static_cast<std::size_t>(StepKind::kResidual) + 1);

using Dim = StepDim;

Dim queries(const WalkedHead& head) {
  const AttentionShape& shape = head.walk.shape;
  const bool same = !shape.is_cross && shape.n_query == shape.n_key;
  return {Dim::Kind::kQueries, same ? "n" : "n_query", shape.n_query};
}

Dim keys(const WalkedHead& head) {
  const AttentionShape& shape = head.walk.shape;
  const bool same = !shape.is_cross && shape.n_query == shape.n_key;
  return {Dim::Kind::kKeys, same ? "n" : "n_key", shape.n_key};
}

Dim numbers(std::string name, std::size_t size) {
  return {Dim::Kind::kNumbers, std::move(name), size};
}

std::string value_width(const WalkedHead& head) {
  return head.walk.layout.d_value == head.walk.layout.d_head ? "d_head" : "d_value";
}

// "d_model" where the output is as wide as the input (or nothing else is known).
std::string output_width(const WalkedHead& head, std::size_t width) {
  const Step* input = head.walk.find(StepKind::kInput);
  return input == nullptr || input->values.cols() == width ? "d_model" : "d_out";
}

void set_weight_dims(const WalkedHead& head, const Step& step, StepText* text) {
  const bool is_cross = head.walk.shape.is_cross && step.kind != StepKind::kQueryWeight;
  text->rows = numbers(is_cross ? "d_context" : "d_model", step.values.rows());
  text->cols = numbers(step.kind == StepKind::kValueWeight ? value_width(head) : "d_head",
                       step.values.cols());
}

void set_output_dims(const WalkedHead& head, const Step& step, StepText* text) {
  const std::size_t cols = step.values.cols();
  text->rows = queries(head);
  const std::string all = "n_heads·" + value_width(head);
  if (step.kind == StepKind::kConcat) {
    text->cols = numbers(all, cols);
  } else if (step.kind == StepKind::kOutputWeight) {
    text->rows = numbers(all, step.values.rows());
    text->cols = numbers(output_width(head, cols), cols);
  } else {
    text->cols = numbers(output_width(head, cols), cols);
  }
}

void set_dims(const WalkedHead& head, const Step& step, StepText* text) {
  const std::size_t cols = step.values.cols();
  switch (step.kind) {
    case StepKind::kInput:
      text->rows = queries(head);
      text->cols = numbers("d_model", cols);
      return;
    case StepKind::kContext:
      text->rows = keys(head);
      text->cols = numbers("d_context", cols);
      return;
    case StepKind::kKvHeads:
      text->rows = numbers("n_heads", step.values.rows());
      text->cols = numbers("n_kv_heads", cols);
      return;
    case StepKind::kQueryWeight:
    case StepKind::kKeyWeight:
    case StepKind::kValueWeight:
      return set_weight_dims(head, step, text);
    case StepKind::kQueries:
    case StepKind::kNormedQueries:
    case StepKind::kRotatedQueries:
      text->rows = queries(head);
      text->cols = numbers("d_head", cols);
      return;
    case StepKind::kKeys:
    case StepKind::kNormedKeys:
    case StepKind::kRotatedKeys:
      text->rows = keys(head);
      text->cols = numbers("d_head", cols);
      return;
    case StepKind::kValues:
      text->rows = keys(head);
      text->cols = numbers(value_width(head), cols);
      return;
    case StepKind::kHeadOutput:
      text->rows = queries(head);
      text->cols = numbers(value_width(head), cols);
      return;
    default:
      break;
  }
  if (step.kind > StepKind::kWeights) return set_output_dims(head, step, text);
  text->rows = queries(head);
  text->cols = keys(head);
}

}  // namespace

StepText step_text(const WalkedInput& input, const WalkedHead& head, const Step& step) {
  StepText text;
  const NamePair name = kNames[static_cast<std::size_t>(step.kind)];
  text.slug = name.slug;
  text.title = name.title;
  set_dims(head, step, &text);
  text.formula = step_formula(head, step);
  text.sentence = step_sentence(input, head, step);
  return text;
}

std::string step_shape(const StepText& text) {
  return concat(text.rows.name, " × ", text.cols.name, " = ", text.rows.size, " × ",
                text.cols.size);
}

}  // namespace mha::cli
