// The front door: turns an INPUT into tokens and a source of attention rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mha/attention/row_block.hpp"
#include "mha/attention/stack.hpp"
#include "mha/model/transformer.hpp"
#include "mha/text/tokenizer.hpp"

namespace mha {

struct TextModel;

// Pairs (query, key) that stand in one relation, for example each verb and its subject.
struct Relation {
  std::string name;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
};

// What a head is called: "L4H11". Inputs that hold a selection of heads keep the original numbers.
struct HeadName {
  std::size_t layer = 0;
  std::size_t head = 0;
  bool is_mean = false;  // "L4mean", the mean over the heads of a layer, read from a file
  std::string text() const;
};

// Parts of the attention rule that flags give; they hold where the input is silent.
struct RuleDefaults {
  std::optional<bool> causal;
  std::optional<std::size_t> window;
  std::optional<double> scale;
  std::optional<double> softcap;
  std::optional<PositionKind> position;
  Rope rope;  // with position = kRope

  bool any() const { return causal || window || scale || softcap || position; }
};

struct OpenOptions {
  RuleDefaults defaults;
  std::string folder = ".";          // files named in the document are relative to it
  std::size_t max_bytes = SIZE_MAX;  // --memory
  // Gives the model for documents of words alone; without it they get seeded embeddings and random
  // weights.
  std::function<std::shared_ptr<const TextModel>()> model = nullptr;
  // Whether the model's tokenizer puts its special tokens around text and tokens.
  SpecialTokens add_special = SpecialTokens::kAuto;
  // Heads of the model whose outputs are zero in the forward pass.
  AblatedHeads ablated = {};
};

// One input, ready to run.
struct OpenedInput {
  std::string id;                       // "" when the document has none
  std::vector<std::string> tokens;      // (n_query) as given
  std::vector<std::string> key_tokens;  // (n_key); the same list in plain self-attention
  bool is_cross = false;
  std::unique_ptr<RowSource> rows;
  const AttentionStack* stack = nullptr;        // rows, when they are computed from embeddings
  const TransformerRows* model = nullptr;       // rows, when a trained model computes them
  std::shared_ptr<const TextModel> text_model;  // that model with its tokenizer, ...
  ModelInput model_input;                       // ... and what it reads: an id for each token
  // The one text that the model's tokenizer read, and where in it each token stands; none for the
  // tokens that the tokenizer put around it. Empty where there was no such text.
  std::string text;
  std::vector<std::optional<ByteRange>> token_ranges;
  std::vector<std::string> ablated;  // heads that were ablated in it: "L3H1", "L4H*"
  bool has_given_weights = false;    // rows are weights of the input; warnings name the odd ones
  bool has_outputs = false;          // rows can give the output of each layer
  std::size_t held_bytes = 0;        // memory of the input's own arrays
  std::vector<std::vector<HeadName>> head_names;  // [layer][head] of rows
  std::vector<Relation> relations;
  std::vector<std::string> notes;     // what the output must say: "random weights, seed 0: ..."
  std::vector<std::string> remarks;   // how the input was read, where it could be read otherwise
  std::vector<std::string> warnings;  // what looks wrong but can be drawn
  std::uint64_t hash = 0;             // FNV-1a of the document and of every array file it names
};

// Reads one mha-viz JSON document (docs/input.md, data/schema/input.schema.json). Throws
// Error(kInput) whose message starts with a JSON pointer or LINE:COLUMN.
OpenedInput open_document(std::string_view text, const OpenOptions& options);

// What a message says of a text with more tokens than the model has positions for ("too many tokens
// ..."); nothing for a text that fits. The model must have a tokenizer.
std::optional<std::string> too_long_for_model(const TextModel& model, const std::string& text,
                                              SpecialTokens add_special);

// The documents of a file: the whole text, or its non-empty lines when it is NDJSON (one JSON
// object a line). Recognised by content: two or more lines, the first or second of which is a whole
// object.
struct DocumentText {
  std::string_view text;
  std::size_t line = 0;  // 1-based in NDJSON, 0 for a single document
};
std::vector<DocumentText> split_documents(std::string_view text);

// The name that an array without labels gives its rows: "0", "1", ...
std::vector<std::string> index_labels(std::size_t count);

// Every field that the reader knows, by the kind of object it belongs to ("document", "attention",
// "position", "weights", "layer", "context", "relation", "array", "random"); the tests hold the
// JSON Schema against it.
const std::vector<std::pair<std::string, std::vector<std::string>>>& known_fields();

}  // namespace mha
