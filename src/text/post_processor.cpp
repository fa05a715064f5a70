#include "post_processor.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "pattern_config.hpp"

namespace mha::tok {
namespace {

using Piece = TemplatePiece;

// ["[SEP]", 102]
std::uint32_t read_named_id(const ConfigFields& fields, const char* name) {
  const Json& pair = fields.array(name);
  if (pair.size() != 2) {
    fail_config(fields.place(name), "wrong entry", "a token and its id",
                count_text(pair.size(), "value"));
  }
  string_of(pair[0], fields.place(name) + "/0");
  return whole_number_of(pair[1], fields.place(name) + "/1", kLargestId);
}

void add_bert(const ConfigFields& fields, PostProcessor* processor) {
  const std::uint32_t cls = read_named_id(fields, "cls");
  set_bert_template(cls, read_named_id(fields, "sep"), processor);
}

void add_roberta(const ConfigFields& fields, PostProcessor* processor) {
  const bool keep_first_space = fields.boolean("add_prefix_space", true);
  if (fields.boolean("trim_offsets", true)) processor->trims.push_back(keep_first_space);
  const std::uint32_t cls = read_named_id(fields, "cls");
  set_roberta_template(cls, read_named_id(fields, "sep"), processor);
}

void add_trimming(const ConfigFields& fields, PostProcessor* processor) {
  fields.optional_boolean("use_regex");  // matters in a pre-tokenizer
  const bool keep_first_space = fields.boolean("add_prefix_space", true);
  if (fields.boolean("trim_offsets", true)) processor->trims.push_back(keep_first_space);
}

using SpecialIds = std::map<std::string, std::vector<std::uint32_t>>;

SpecialIds read_special_tokens(const ConfigFields& fields) {
  SpecialIds out;
  if (fields.find("special_tokens") == nullptr) return out;
  for (const auto& [name, config] : fields.object("special_tokens").items()) {
    const ConfigFields token(config, fields.place("special_tokens") + "/" + shortened(name),
                             {"id", "ids", "tokens"});
    const Json& ids = token.array("ids");
    const Json& tokens = token.array("tokens");
    if (ids.size() != tokens.size()) {
      fail_config(token.place("ids"), "wrong length",
                  count_text(tokens.size(), "id") + " as in tokens", std::to_string(ids.size()));
    }
    for (std::size_t i = 0; i < ids.size(); ++i) {
      string_of(tokens[i], concat(token.place("tokens"), "/", i));
      out[name].push_back(whole_number_of(ids[i], concat(token.place("ids"), "/", i), kLargestId));
    }
    out[name];  // a token of no ids is known all the same
  }
  return out;
}

// {"Sequence": {"id": "A", "type_id": 0}} or {"SpecialToken": {"id": "[CLS]", "type_id": 0}}
Piece read_piece(const Json& config, const std::string& place, const SpecialIds& special) {
  const ConfigFields one(config, place, {"Sequence", "SpecialToken"});
  if (config.size() != 1) {
    fail_config(place, "wrong entry", "either 'Sequence' or 'SpecialToken'",
                count_text(config.size(), "field"));
  }
  const bool is_text = one.find("Sequence") != nullptr;
  const char* const kind = is_text ? "Sequence" : "SpecialToken";
  const ConfigFields fields(one.object(kind), one.place(kind), {"id", "type_id"});
  const std::string id = fields.string("id");
  Piece piece;
  piece.type = static_cast<std::uint8_t>(fields.whole_number("type_id", 255));
  if (is_text) {
    if (id != "A" && id != "B") {
      fail_config(fields.place("id"), "wrong text", "'A' or 'B'", "'" + shortened(id) + "'");
    }
    piece.kind = id == "A" ? Piece::Kind::kFirst : Piece::Kind::kSecond;
    return piece;
  }
  const auto found = special.find(id);
  if (found == special.end()) {
    fail_input(concat(fields.place("id"), ": '", shortened(id), "' is not in special_tokens"));
  }
  piece.kind = Piece::Kind::kSpecial;
  piece.ids = found->second;
  return piece;
}

Template read_template(const ConfigFields& fields, const char* name, const SpecialIds& special) {
  Template out;
  const Json& list = fields.array(name);
  for (std::size_t i = 0; i < list.size(); ++i) {
    out.push_back(read_piece(list[i], concat(fields.place(name), "/", i), special));
  }
  const auto count = [&](Piece::Kind kind) { return std::ranges::count(out, kind, &Piece::kind); };
  const bool is_pair = std::string_view(name) == "pair";
  if (count(Piece::Kind::kFirst) != 1 || count(Piece::Kind::kSecond) != (is_pair ? 1 : 0)) {
    fail_input(concat(fields.place(name), ": expected the text ",
                      is_pair ? "A and the text B once each" : "A once, and no text B"));
  }
  return out;
}

void add_template(const ConfigFields& fields, PostProcessor* processor) {
  const SpecialIds special = read_special_tokens(fields);
  processor->single = read_template(fields, "single", special);
  processor->pair = read_template(fields, "pair", special);
}

void add_steps(const Json& config, const std::string& place, PostProcessor* processor);

void add_sequence(const ConfigFields& fields, PostProcessor* processor) {
  const Json& list = fields.array("processors");
  std::size_t n_templates = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = concat(fields.place("processors"), "/", i);
    const std::string type = type_of(list[i], place);
    // The reference gives each step the texts of the step before; a second template, or a sequence
    // in a sequence, has no meaning that files rely on.
    if (type == "Sequence") fail_input(place + ": a Sequence in a Sequence is not implemented");
    if (type != "ByteLevel" && ++n_templates > 1) {
      fail_input(place + ": a second template in one Sequence is not implemented");
    }
    add_steps(list[i], place, processor);
  }
}

struct PostProcessorKind {
  std::vector<std::string> fields;
  void (*add)(const ConfigFields&, PostProcessor*);
};

const std::map<std::string, PostProcessorKind>& post_processor_kinds() {
  static const std::map<std::string, PostProcessorKind> kKinds = {
      {"BertProcessing", {{"sep", "cls"}, add_bert}},
      {"ByteLevel", {{"add_prefix_space", "trim_offsets", "use_regex"}, add_trimming}},
      {"RobertaProcessing", {{"sep", "cls", "trim_offsets", "add_prefix_space"}, add_roberta}},
      {"Sequence", {{"processors"}, add_sequence}},
      {"TemplateProcessing", {{"single", "pair", "special_tokens"}, add_template}},
  };
  return kKinds;
}

void add_steps(const Json& config, const std::string& place, PostProcessor* processor) {
  const auto kind = find_kind(post_processor_kinds(), config, place, "post-processor");
  kind->second.add(ConfigFields(config, place, kind->second.fields), processor);
}

Piece special(std::uint32_t id, std::uint8_t type) {
  return {Piece::Kind::kSpecial, type, {id}};
}

}  // namespace

bool PostProcessor::adds_tokens() const {
  return std::ranges::any_of(
      single, [](const Piece& piece) { return piece.kind == Piece::Kind::kSpecial; });
}

PostProcessor read_post_processor(const Json& config, const std::string& place) {
  PostProcessor processor;
  if (!config.is_null()) add_steps(config, place, &processor);
  return processor;
}

void set_bert_template(std::uint32_t cls, std::uint32_t sep, PostProcessor* processor) {
  processor->single = {special(cls, 0), {Piece::Kind::kFirst, 0, {}}, special(sep, 0)};
  processor->pair = processor->single;
  processor->pair.push_back({Piece::Kind::kSecond, 1, {}});
  processor->pair.push_back(special(sep, 1));
}

void set_roberta_template(std::uint32_t cls, std::uint32_t sep, PostProcessor* processor) {
  processor->single = {special(cls, 0), {Piece::Kind::kFirst, 0, {}}, special(sep, 0)};
  processor->pair = processor->single;
  processor->pair.push_back(special(sep, 0));
  processor->pair.push_back({Piece::Kind::kSecond, 0, {}});
  processor->pair.push_back(special(sep, 0));
}

}  // namespace mha::tok
