#include <algorithm>
#include <cmath>

#include "mha/attention/rope.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/json.hpp"
#include "mha/model/text_model.hpp"
#include "mha/source/source.hpp"
#include "mha/text/tokens.hpp"

#include "arrays.hpp"
#include "attention_fields.hpp"
#include "fields.hpp"
#include "labels.hpp"
#include "model_document.hpp"
#include "precomputed_document.hpp"
#include "random.hpp"
#include "weight_fields.hpp"

namespace mha {
namespace {

constexpr std::size_t kToyWidth = 64;  // d_model of seeded embeddings

// Reads one document, field after field, into an OpenedInput.
class DocumentReader {
 public:
  DocumentReader(JsonNode root, const OpenOptions& options)
      : root_(std::move(root)),
        options_(options),
        fields_(root_, "", "document"),
        arrays_(options.folder, options.max_bytes) {}

  OpenedInput read();

 private:
  void check_no_weights_fields() const;
  void check_model_fields() const;
  void read_tokens();
  void check_token_types();
  std::optional<std::vector<std::string>> token_field(const Fields& fields) const;
  void read_model_rows();
  void read_stack();
  Matrix read_embeddings(JsonNode* node, const std::string& pointer,
                         std::optional<std::vector<std::string>>* tokens);
  std::optional<Matrix> read_context();
  void read_layers(AttentionStack::Input* input, const AttentionShape& shape);
  void read_relations();

  JsonNode root_;
  const OpenOptions& options_;
  Fields fields_;
  ArrayLoader arrays_;
  std::optional<std::vector<std::string>> tokens_;
  bool uses_model_ = false;
  std::optional<OwnTokens> own_;  // what relations count, where a tokenizer added others
  OpenedInput out_;
};

OpenedInput DocumentReader::read() {
  out_.id = fields_.string("id").value_or("");
  uses_model_ = options_.model && is_words_alone(root_);
  check_model_fields();
  read_tokens();
  if (fields_.has("attention_weights")) {
    read_precomputed({root_, fields_, arrays_, options_.defaults, tokens_}, &out_);
  } else if (check_no_weights_fields(); uses_model_) {
    read_model_rows();
  } else {
    if (fields_.has("residual") && !fields_.has("layers")) {
      fail_field("/residual", "needs layers", "layers beside it", "none");
    }
    read_stack();
  }
  check_token_types();
  read_relations();
  out_.hash = arrays_.hash().value();
  return std::move(out_);
}

// Fields that only weights that are known already have.
void DocumentReader::check_no_weights_fields() const {
  for (const char* name : {"format", "axes", "selection", "key_tokens"}) {
    if (fields_.has(name)) {
      fail_field(fields_.pointer(name), "needs attention_weights", "attention_weights beside it",
                 "none");
    }
  }
}

// Fields that only a model reads.
void DocumentReader::check_model_fields() const {
  if (fields_.has("text_pair") && !fields_.has("text")) {
    fail_field("/text_pair", "needs text", "text beside it", "none");
  }
  if (uses_model_) return;
  for (const char* name : {"text_pair", "valid_keys"}) {
    if (!fields_.has(name)) continue;
    fail_input(
        concat("/", name, ": is for models; expected no such field in a document that is ",
               "computed without one"),
        std::string_view(name) == "valid_keys" ? "\"attention\": {\"valid_keys\": ...}" : "");
  }
}

// At most one of tokens, text and ids; ids may stand beside tokens and then only must agree in
// number.
void DocumentReader::read_tokens() {
  if (fields_.has("text") && (fields_.has("tokens") || fields_.has("ids"))) {
    fail_field("/text", "text beside tokens or ids", "one of them", "both");
  }
  tokens_ = token_field(fields_);
  if (const auto text = fields_.string("text"); text && !uses_model_) tokens_ = split_words(*text);
  if (fields_.has("ids")) {
    const std::vector<std::size_t> ids = count_list(*fields_.find("ids"), "/ids");
    if (tokens_ && tokens_->size() != ids.size()) {
      fail_field("/ids", "wrong number of ids", std::to_string(tokens_->size()),
                 std::to_string(ids.size()));
    }
    if (!tokens_ && !uses_model_) {
      tokens_.emplace();
      for (std::size_t id : ids) tokens_->push_back(std::to_string(id));
    }
  }
  if (tokens_ && tokens_->empty()) {
    fail_field(fields_.has("text")  ? "/text"
               : fields_.has("ids") ? "/ids"
                                    : "/tokens",
               "no tokens", "at least one", "none");
  }
}

std::optional<std::vector<std::string>> DocumentReader::token_field(const Fields& fields) const {
  const JsonNode* node = fields.find("tokens");
  if (node == nullptr) return std::nullopt;
  return string_list(*node, fields.pointer("tokens"));
}

void DocumentReader::check_token_types() {
  const JsonNode* node = fields_.find("token_types");
  if (node == nullptr || own_) return;  // a model has read them
  const std::size_t count = count_list(*node, "/token_types").size();
  if (count != out_.tokens.size()) {
    fail_field("/token_types", "wrong number of entries", std::to_string(out_.tokens.size()),
               std::to_string(count));
  }
  out_.warnings.emplace_back("token_types are used by models alone and change nothing here");
}

void DocumentReader::read_model_rows() {
  if (options_.defaults.any()) {
    fail_usage("the attention rule is the model's own; the flags for it do not apply here",
               "leave them out, or give embeddings or an attention field in the document");
  }
  const std::shared_ptr<const TextModel> model = options_.model();
  own_ = read_with_model(fields_, tokens_, model, options_, &out_);
  arrays_.hash().add(&model->hash, sizeof model->hash);
  if (options_.add_special == SpecialTokens::kAuto) return;
  arrays_.hash().add(&options_.add_special, sizeof options_.add_special);
}

void DocumentReader::read_stack() {
  JsonNode* embeddings = root_.find("embeddings");
  const bool is_toy = embeddings == nullptr;
  if (is_toy && !tokens_) {
    fail_field("", "nothing to attend to",
               "one of tokens, text, ids, embeddings or attention_weights", "none of them");
  }
  AttentionStack::Input input;
  input.x = read_embeddings(embeddings, "/embeddings", &tokens_);
  input.context = read_context();
  if (is_toy) {
    out_.notes.push_back(concat("no embeddings given: each token has a random one of width ",
                                kToyWidth, " (the same for the same token)"));
  }
  const std::optional<std::size_t> positions = fields_.choice("positions", {"none", "sinusoidal"});
  if (positions ? *positions == 1 : is_toy) {
    add_sinusoidal_positions(input.x.view());
    if (input.context) add_sinusoidal_positions(input.context->view());
    if (is_toy) out_.notes.back() += ", plus sinusoidal positions";
  }
  input.residual = fields_.boolean("residual").value_or(false);

  out_.tokens = *tokens_;
  if (!input.context) out_.key_tokens = out_.tokens;
  out_.is_cross = input.context.has_value();
  const std::size_t n_query = input.x.rows();
  const AttentionShape shape{n_query, input.context ? input.context->rows() : n_query,
                             out_.is_cross};
  read_layers(&input, shape);
  std::unique_ptr<AttentionStack> stack;
  try {
    stack = std::make_unique<AttentionStack>(std::move(input));
  } catch (const Error& error) {
    throw error.at(fields_.has("layers") ? "/layers" : "/attention");
  }
  out_.stack = stack.get();
  out_.has_outputs = true;
  out_.rows = std::move(stack);
  name_heads({}, &out_);
}

// Embeddings from the document, or seeded ones for its tokens.
Matrix DocumentReader::read_embeddings(JsonNode* node, const std::string& pointer,
                                       std::optional<std::vector<std::string>>* tokens) {
  if (node == nullptr) return token_embeddings(**tokens, kToyWidth);
  Tensor tensor = arrays_.load(*node, pointer, ArrayLoader::Allow::kNumbers);
  if (tensor.data.empty()) fail_field(pointer, "no embeddings", "at least one row", "none");
  check_rank(tensor, 2, "[token][d_model]", pointer);
  const std::size_t rows = tensor.shape[0];
  if (!tokens->has_value()) *tokens = index_labels(rows);
  if ((*tokens)->size() != rows) {
    fail_field(pointer, "the number of rows is not the number of tokens",
               concat((*tokens)->size(), " rows"), std::to_string(rows));
  }
  return {rows, tensor.shape[1], std::move(tensor.data)};
}

std::optional<Matrix> DocumentReader::read_context() {
  JsonNode* node = root_.find("context");
  if (node == nullptr) return std::nullopt;
  const Fields fields(*node, "/context", "context");
  std::optional<std::vector<std::string>> tokens = token_field(fields);
  if (tokens && tokens->empty()) fail_field("/context/tokens", "no tokens", "at least one", "none");
  JsonNode* embeddings = node->find("embeddings");
  if (embeddings == nullptr && !tokens) {
    fail_field("/context", "nothing to attend to", "tokens or embeddings", "neither");
  }
  if ((embeddings == nullptr) != !fields_.has("embeddings")) {
    fail_field("/context", "embeddings on one side only",
               "embeddings for tokens and context, or for neither", "one of them");
  }
  Matrix context = read_embeddings(embeddings, "/context/embeddings", &tokens);
  out_.key_tokens = *tokens;
  return context;
}

void DocumentReader::read_layers(AttentionStack::Input* input, const AttentionShape& shape) {
  JsonNode empty;
  empty.kind = JsonNode::Kind::kObject;
  JsonNode* top_attention = root_.find("attention");
  const AttentionFields top =
      with_defaults(read_attention(top_attention ? *top_attention : empty, "/attention", arrays_),
                    from_defaults(options_.defaults));
  std::optional<WeightFields> top_weights;
  if (JsonNode* node = root_.find("weights")) {
    top_weights = read_weights(*node, "/weights", arrays_);
  }
  JsonNode* layers = root_.find("layers");
  if (layers != nullptr && !layers->is(JsonNode::Kind::kArray)) {
    fail_field("/layers", "wrong type", "an array of at least one layer", layers->description());
  }
  const std::size_t n_layers = layers == nullptr ? 1 : layers->items.size();
  LayerWidths widths;
  widths.d_model = input->x.cols();
  widths.max_bytes = options_.max_bytes;
  if (input->context) widths.d_context = input->context->cols();
  std::vector<std::string> random_seeds;
  for (std::size_t l = 0; l < n_layers; ++l) {
    AttentionFields attention = top;
    std::optional<WeightFields> weights = top_weights;
    if (layers != nullptr) {
      const std::string pointer = concat("/layers/", l);
      JsonNode& layer = layers->items[l];
      const Fields fields(layer, pointer, "layer");
      if (JsonNode* node = layer.find("attention")) {
        attention = with_defaults(read_attention(*node, pointer + "/attention", arrays_), top);
      }
      if (JsonNode* node = layer.find("weights")) {
        weights = read_weights(*node, pointer + "/weights", arrays_);
      }
    }
    if (!weights) {
      weights.emplace();
      weights->random_seed = l;
    }
    if (weights->random_seed) random_seeds.push_back(std::to_string(*weights->random_seed));
    input->layers.push_back(make_layer(attention, *weights, shape, widths));
    widths.d_model = input->layers.back().d_out();
    widths.of_model = "the width of the output of the layer before";
  }
  if (random_seeds.empty()) return;
  out_.notes.push_back(concat("random weights, ", random_seeds.size() > 1 ? "seeds " : "seed ",
                              join(random_seeds, ", "), ": the heads differ but mean nothing"));
}

void DocumentReader::read_relations() {
  const JsonNode* node = fields_.find("relations");
  if (node == nullptr || node->is_empty_array()) return;
  if (!node->is(JsonNode::Kind::kArray)) {
    fail_field("/relations", "wrong type", "an array of relations", node->description());
  }
  for (std::size_t r = 0; r < node->items.size(); ++r) {
    const std::string place = concat("/relations/", r);
    const Fields fields(node->items[r], place, "relation");
    Relation relation;
    const std::optional<std::string> name = fields.string("name");
    if (!name || name->empty()) fail_field(place, "no name", "a name", "none");
    relation.name = *name;
    const JsonNode* pairs = fields.find("pairs");
    if (pairs == nullptr) fail_field(place, "no pairs", "[[query, key], ...]", "none");
    const bool is_list = pairs->is(JsonNode::Kind::kNumbers) &&
                         (pairs->is_empty_array() ||
                          (pairs->tensor.shape.size() == 2 && pairs->tensor.shape[1] == 2));
    if (!is_list) {
      fail_field(place + "/pairs", "wrong shape", "[[query, key], ...]", pairs->description());
    }
    const OwnTokens queries = own_.value_or(OwnTokens{0, out_.tokens.size()});
    const OwnTokens keys = own_.value_or(OwnTokens{0, out_.key_tokens.size()});
    for (std::size_t i = 0; i + 1 < pairs->tensor.data.size(); i += 2) {
      const std::string pair = concat(place, "/pairs/", i / 2);
      const FloatVector& data = pairs->tensor.data;
      relation.pairs.emplace_back(
          queries.first + checked_index(data[i], queries.count, pair + "/0"),
          keys.first + checked_index(data[i + 1], keys.count, pair + "/1"));
    }
    out_.relations.push_back(std::move(relation));
  }
}

}  // namespace

std::string HeadName::text() const {
  return is_mean ? concat("L", layer, "mean") : concat("L", layer, "H", head);
}

std::vector<std::string> index_labels(std::size_t count) {
  std::vector<std::string> labels;
  labels.reserve(count);
  for (std::size_t i = 0; i < count; ++i) labels.push_back(std::to_string(i));
  return labels;
}

OpenedInput open_document(std::string_view text, const OpenOptions& options) {
  DocumentReader reader(parse_json(text), options);
  OpenedInput out = reader.read();
  ContentHash whole;
  whole.add(text.data(), text.size());
  whole.add(&out.hash, sizeof out.hash);
  out.hash = whole.value();
  return out;
}

}  // namespace mha
