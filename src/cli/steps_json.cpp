#include "steps_json.hpp"

#include <cmath>

#include "mha/base/version.hpp"
#include "mha/render/formula.hpp"

#include "model_option.hpp"
#include "step_arithmetic.hpp"
#include "step_texts.hpp"
#include "summary.hpp"

namespace mha::cli {
namespace {

void write_number(const char* name, double value, JsonWriter* w) {
  w->key(name);
  if (std::isfinite(value)) {
    w->value(value);
  } else {
    w->null();
  }
}

void write_count(const char* name, std::size_t count, JsonWriter* w) {
  w->member(name, static_cast<std::uint64_t>(count));
}

// How the places, first and second factors of a sum are called.
struct TermNames {
  const char* index;
  const char* a;
  const char* b;
};

void write_sum(const SumOfProducts& sum, const TermNames& names, JsonWriter* w) {
  write_number("value", sum.total, w);
  write_count("n_terms", sum.n_terms, w);
  w->key("largest_terms");
  w->begin_array();
  for (const Term& term : sum.largest) {
    w->begin_object();
    write_count(names.index, term.index, w);
    write_number(names.a, term.a, w);
    write_number(names.b, term.b, w);
    w->end_object();
  }
  w->end_array();
}

const char* mask_name(MaskPart part) {
  switch (part) {
    case MaskPart::kNone:
      return "";
    case MaskPart::kCausal:
      return "causal";
    case MaskPart::kWindow:
      return "window";
    case MaskPart::kValidKeys:
      return "valid_keys";
    case MaskPart::kMask:
      return "mask";
    case MaskPart::kBias:
      return "bias";
  }
  return "";
}

void write_scores(const WalkedInput& input, const WalkedHead& head, JsonWriter* w) {
  w->key("scores");
  w->begin_array();
  for (const auto& [kind, score] : head.numbers.scores) {
    w->begin_object();
    w->member("step", step_text(input, head, *head.walk.find(kind)).slug);
    write_number("value", score, w);
    w->end_object();
  }
  w->end_array();
}

void write_softmax(const PairNumbers& numbers, JsonWriter* w) {
  if (numbers.masked_by != MaskPart::kNone) w->member("masked_by", mask_name(numbers.masked_by));
  write_number("row_maximum", numbers.row_maximum, w);
  write_number("exponential", numbers.exponential, w);
  write_number("row_sum", numbers.row_sum, w);
  write_number("weight", numbers.weight, w);
}

void write_output(const OutputColumn& output, JsonWriter* w) {
  w->key("output");
  w->begin_object();
  write_count("column", output.column, w);
  write_number("from_head", output.from_head, w);
  write_number("from_other_heads", output.from_others, w);
  write_number("bias", output.bias, w);
  write_number("value", output.total, w);
  if (output.input) write_number("input", *output.input, w);
  w->end_object();
}

void write_pair(const WalkedInput& input, const WalkedHead& head, JsonWriter* w) {
  const PairNumbers& numbers = head.numbers;
  w->key("pair");
  w->begin_object();
  write_count("query", numbers.pair.query, w);
  write_count("key", numbers.pair.key, w);
  w->member("query_token", input.input.tokens[numbers.pair.query]);
  w->member("key_token", input.input.key_tokens[numbers.pair.key]);
  if (numbers.dot) {
    w->key("dot");
    w->begin_object();
    write_sum(*numbers.dot, {"dimension", "q", "k"}, w);
    w->end_object();
  }
  write_scores(input, head, w);
  write_softmax(numbers, w);
  if (numbers.head) {
    w->key("head_output");
    w->begin_object();
    write_count("column", numbers.head->column, w);
    write_sum(numbers.head->sum, {"key", "weight", "v"}, w);
    w->end_object();
  }
  if (numbers.output) write_output(*numbers.output, w);
  w->end_object();
}

void write_shape(const StepText& text, JsonWriter* w) {
  w->key("shape");
  w->begin_object();
  w->member("rows", text.rows.name);
  write_count("n_rows", text.rows.size, w);
  w->member("cols", text.cols.name);
  write_count("n_cols", text.cols.size, w);
  w->end_object();
}

void write_formula_parts(std::string_view markup, JsonWriter* w) {
  using Kind = render::FormulaPart::Kind;
  w->begin_array();
  for (const render::FormulaPart& part : render::parse_formula(markup)) {
    if (part.kind == Kind::kText) {
      w->value(part.text);
      continue;
    }
    w->begin_object();
    w->key(part.kind == Kind::kLowered ? "sub" : part.kind == Kind::kRaised ? "sup" : "root");
    write_formula_parts(part.text, w);
    w->end_object();
  }
  w->end_array();
}

void write_formula(const std::string& markup, FormulaForm form, JsonWriter* w) {
  w->key("formula");
  if (form == FormulaForm::kParts) {
    write_formula_parts(markup, w);
  } else {
    w->value(render::plain_formula(markup));
  }
}

void write_step(const WalkedInput& input, const WalkedHead& head, const Step& step,
                FormulaForm form, JsonWriter* w) {
  const StepText text = step_text(input, head, step);
  w->begin_object();
  w->member("name", text.slug);
  w->member("title", text.title);
  write_formula(text.formula, form, w);
  write_shape(text, w);
  w->member("sentence", text.sentence);
  const std::vector<std::string> worked = worked_lines(input, head, step.kind);
  if (!worked.empty()) {
    w->key("worked");
    w->strings(worked);
  }
  if (!step.bias.empty()) {
    w->key("bias");
    w->numbers(step.bias);
  }
  w->key("values");
  w->begin_array();
  for (std::size_t i = 0; i < step.values.rows(); ++i) w->numbers(step.values.view().row(i));
  w->end_array();
  w->end_object();
}

void write_head(const WalkedInput& input, const WalkedHead& head, FormulaForm form, JsonWriter* w) {
  w->begin_object();
  w->member("head", head.name);
  const HeadLayout& layout = head.walk.layout;
  write_count("n_heads", head.head_names.size(), w);
  if (layout.n_kv_heads != layout.n_heads) {
    write_count("n_kv_heads", layout.n_kv_heads, w);
    write_count("kv_head", head.walk.kv_head(), w);
  }
  write_pair(input, head, w);
  w->key("steps");
  w->begin_array();
  for (const Step& step : head.walk.steps) write_step(input, head, step, form, w);
  w->end_array();
  w->end_object();
}

}  // namespace

void write_steps(const WalkedInput& input, FormulaForm form, JsonWriter* w) {
  w->begin_object();
  w->member("format", "mha-viz steps 1");
  w->member("version", kVersion);
  w->key("input");
  w->begin_object();
  if (!input.input.id.empty()) w->member("id", input.input.id);
  w->member("hash", input_hash_text(input.input.hash));
  w->key("tokens");
  w->strings(input.input.tokens);
  w->key("key_tokens");
  w->strings(input.input.key_tokens);
  write_model_members(input.input, w);
  w->end_object();
  w->key("notes");
  w->strings(input.input.notes);
  w->key("heads");
  w->begin_array();
  for (const WalkedHead& head : input.heads) write_head(input, head, form, w);
  w->end_array();
  w->end_object();
  w->finish();
}

}  // namespace mha::cli
