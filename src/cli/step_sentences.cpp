// What happens in each step, in one sentence.
#include <algorithm>
#include <cmath>

#include "mha/base/text.hpp"

#include "step_names.hpp"

namespace mha::cli {
namespace {

std::string columns_text(std::size_t index, std::size_t width) {
  return concat(index * width, " to ", (index + 1) * width - 1);
}

std::string input_sentence(const WalkedInput& input, const WalkedHead& head, const Step& step) {
  const std::size_t cols = step.values.cols();
  const std::string what = concat("one row of ", cols, " numbers for each token");
  if (step.kind == StepKind::kContext) {
    return "What is attended to: " + what + "; keys and values are made from it.";
  }
  if (input.input.model != nullptr) {
    return "The hidden state, as the attention of this layer reads it: " + what + ".";
  }
  return head.id.layer == 0 ? "Everything starts here: " + what + "."
                            : "What the layers below hand on: " + what + ".";
}

std::string kv_heads_sentence(const WalkedHead& head) {
  const HeadLayout& layout = head.walk.layout;
  return concat(layout.n_heads, " query heads share ",
                count_text(layout.n_kv_heads, "key-value head"), ": head ", head.id.head,
                " reads number ", head.walk.kv_head(), ".");
}

std::string weight_sentence(const WalkedHead& head, const Step& step) {
  const HeadLayout& layout = head.walk.layout;
  const std::size_t g = head.walk.kv_head();
  const bool is_grouped = layout.n_kv_heads != layout.n_heads;
  const std::string owner =
      is_grouped ? concat("Key-value head ", g) : concat("Head ", head.id.head);
  switch (step.kind) {
    case StepKind::kQueryWeight:
      return concat("Head ", head.id.head, " owns columns ",
                    columns_text(head.walk.head, layout.d_head), " of W_Q: what a token asks for.");
    case StepKind::kKeyWeight:
      return concat(owner, " owns columns ", columns_text(g, layout.d_head),
                    " of W_K: what a token can be found by.");
    default:
      return concat(owner, " owns columns ", columns_text(g, layout.d_value),
                    " of W_V: what a token passes on.");
  }
}

std::string vector_sentence(const WalkedHead& head, const Step& step) {
  const std::size_t width = step.values.cols();
  const Step* input = head.walk.find(head.walk.shape.is_cross && step.kind != StepKind::kQueries
                                         ? StepKind::kContext
                                         : StepKind::kInput);
  const std::string size = input == nullptr
                               ? concat(width, " numbers a token; X is not known here")
                               : concat(width, " numbers made from ", input->values.cols());
  const char* rotated = head.walk.is_rotated && step.kind != StepKind::kValues
                            ? " Positions are rotated in already."
                            : "";
  if (step.kind == StepKind::kQueries) return "Each token asks a question: " + size + "." + rotated;
  if (step.kind == StepKind::kKeys) {
    return "Each token shows what it answers to: " + size + "." + rotated;
  }
  return "Each token holds ready what it would pass on: " + size + ".";
}

std::string normed_sentence(const Step& step) {
  const char* what = step.kind == StepKind::kNormedQueries ? "query" : "key";
  return concat("Each ", what,
                " of the head is brought to one length (RMS norm), then its numbers are weighted.");
}

std::string rotated_sentence(const WalkedHead& head, const Step& step) {
  const std::size_t turned = rotated_dims(head.walk.rule.rope, head.walk.layout.d_head);
  const char* what = step.kind == StepKind::kRotatedQueries ? "query" : "key";
  return concat("Each pair of numbers of a ", what,
                " turns by an angle that grows with its position (RoPE, ", turned, " of ",
                head.walk.layout.d_head, " numbers): products then depend on distance.");
}

std::string scores_sentence(const WalkedHead& head) {
  const AttentionShape& shape = head.walk.shape;
  if (head.walk.find(StepKind::kQueries) == nullptr) {
    return "The walk starts at finished scores: X, Q and K are not known here.";
  }
  return concat("Every query meets every key, ", shape.n_query, " × ", shape.n_key,
                " dot products: large where question and answer agree.");
}

std::string scaled_sentence(const WalkedHead& head) {
  const AttentionRule& rule = head.walk.rule;
  if (rule.scale) return "All scores are multiplied by the scale that the input asks for.";
  const std::size_t d = head.walk.layout.d_head;
  return concat("Divided by √", d, " = ", step_number(std::round(100 * std::sqrt(d)) / 100),
                ", so that scores do not grow with the width of the head.");
}

std::string masked_sentence(const WalkedHead& head) {
  const auto n_hidden = std::ranges::count(head.walk.allowed, 0);
  const MaskRule& mask = head.walk.rule.mask;
  std::vector<std::string> why;
  if (mask.causal) why.emplace_back("keys after their query");
  if (mask.window) why.push_back(concat("keys ", *mask.window, " or more away"));
  if (!mask.valid_keys.empty()) why.emplace_back("padding");
  if (!mask.mask.empty()) why.emplace_back("the mask of the input");
  if (why.empty()) why.emplace_back("a score of −∞");
  return concat(n_hidden, " of ", head.walk.allowed.size(), " cells are hidden (", join(why, ", "),
                ") and take no part in the softmax.");
}

std::string rule_sentence(const WalkedHead& head, const Step& step) {
  const AttentionRule& rule = head.walk.rule;
  switch (step.kind) {
    case StepKind::kCapped:
      return concat("tanh bends every score into −", step_number(*rule.softcap), " to ",
                    step_number(*rule.softcap), ".");
    case StepKind::kAlibi:
      return concat("Far keys lose: ", step_number(head.walk.slope),
                    " for each token in between, the slope of head ", head.id.head, ".");
    case StepKind::kBias:
      return "The bias of the input is added to the scores.";
    case StepKind::kTemperature:
      return rule.temperature < 1 ? "A temperature below 1 makes the softmax sharper."
                                  : "A temperature above 1 makes the softmax softer.";
    default:
      return masked_sentence(head);
  }
}

std::string residual_sentence(const WalkedHead& head) {
  return concat("The input is added: the next layer reads what was there and what ",
                head.head_names.size() == 1 ? "the head found." : "the heads found.");
}

std::string late_sentence(const WalkedInput& input, const WalkedHead& head, const Step& step) {
  const HeadLayout& layout = head.walk.layout;
  const std::string& query = input.queries[head.numbers.pair.query];
  const std::string place = columns_text(head.walk.head, layout.d_value);
  const bool is_alone = layout.n_heads == 1;
  const std::string all = is_alone ? "the one head" : count_text(layout.n_heads, "head");
  switch (step.kind) {
    case StepKind::kWeights:
      return "Each row becomes positive and sums to 1: how \"" + query +
             "\" and every other token share out their attention.";
    case StepKind::kHeadOutput:
      return "Each token gets the mean of all values, weighted by its row of A.";
    case StepKind::kConcat:
      if (is_alone) return "There is one head alone: its output is the whole.";
      return concat("The outputs of ", all, " stand side by side; head ", head.id.head,
                    " fills columns ", place, ".");
    case StepKind::kOutputWeight:
      return concat("W_O mixes the heads: rows ", place, " say where head ", head.id.head,
                    " writes.");
    case StepKind::kOutput:
      return concat("What ", all, " found, mixed into one row of ", step.values.cols(),
                    " numbers a token.");
    default:
      return residual_sentence(head);
  }
}

}  // namespace

std::string step_sentence(const WalkedInput& input, const WalkedHead& head, const Step& step) {
  switch (step.kind) {
    case StepKind::kInput:
    case StepKind::kContext:
      return input_sentence(input, head, step);
    case StepKind::kKvHeads:
      return kv_heads_sentence(head);
    case StepKind::kQueryWeight:
    case StepKind::kKeyWeight:
    case StepKind::kValueWeight:
      return weight_sentence(head, step);
    case StepKind::kQueries:
    case StepKind::kKeys:
    case StepKind::kValues:
      return vector_sentence(head, step);
    case StepKind::kNormedQueries:
    case StepKind::kNormedKeys:
      return normed_sentence(step);
    case StepKind::kRotatedQueries:
    case StepKind::kRotatedKeys:
      return rotated_sentence(head, step);
    case StepKind::kScores:
      return scores_sentence(head);
    case StepKind::kScaled:
      return scaled_sentence(head);
    default:
      break;
  }
  return step.kind < StepKind::kWeights ? rule_sentence(head, step)
                                        : late_sentence(input, head, step);
}

}  // namespace mha::cli
