#include "step_texts.hpp"

#include "mha/base/text.hpp"

#include "step_names.hpp"

namespace mha::cli {
namespace {

struct NamePair {
  const char* slug;
  const char* title;
};

NamePair name_of(StepKind kind) {
  switch (kind) {
    case StepKind::kInput:
      return {"input", "Input"};
    case StepKind::kContext:
      return {"context", "Context"};
    case StepKind::kKvHeads:
      return {"kv-heads", "Which key-value head"};
    case StepKind::kQueryWeight:
      return {"query-weights", "Query weights"};
    case StepKind::kKeyWeight:
      return {"key-weights", "Key weights"};
    case StepKind::kValueWeight:
      return {"value-weights", "Value weights"};
    case StepKind::kQueries:
      return {"queries", "Queries"};
    case StepKind::kKeys:
      return {"keys", "Keys"};
    case StepKind::kValues:
      return {"values", "Values"};
    case StepKind::kRotatedQueries:
      return {"rotated-queries", "Queries, rotated"};
    case StepKind::kRotatedKeys:
      return {"rotated-keys", "Keys, rotated"};
    case StepKind::kScores:
      return {"scores", "Scores"};
    case StepKind::kScaled:
      return {"scaled", "Scaled scores"};
    case StepKind::kCapped:
      return {"softcap", "Soft cap"};
    case StepKind::kAlibi:
      return {"alibi", "Distance penalty (ALiBi)"};
    case StepKind::kBias:
      return {"bias", "Bias"};
    case StepKind::kTemperature:
      return {"temperature", "Temperature"};
    case StepKind::kMasked:
      return {"masked", "Mask"};
    case StepKind::kWeights:
      return {"weights", "Attention weights"};
    case StepKind::kHeadOutput:
      return {"head-output", "Output of the head"};
    case StepKind::kConcat:
      return {"concat", "All heads side by side"};
    case StepKind::kOutputWeight:
      return {"output-weights", "Output weights"};
    case StepKind::kOutput:
      return {"output", "Output of the layer"};
    case StepKind::kResidual:
      return {"residual", "Residual"};
  }
  return {"", ""};
}

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
    case StepKind::kRotatedQueries:
      text->rows = queries(head);
      text->cols = numbers("d_head", cols);
      return;
    case StepKind::kKeys:
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
  const NamePair name = name_of(step.kind);
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
