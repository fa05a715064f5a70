#include "model.hpp"

#include <map>

#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "pattern_config.hpp"

namespace mha::tok {
namespace {

void require_pieces_with_ids(const ConfigFields& fields, const ModelData& data) {
  if (!data.has_vocabulary || !data.scores.empty()) {
    fail_config(fields.place("vocab"), "wrong vocabulary", "an object of pieces and ids",
                data.has_vocabulary ? "an array" : "none");
  }
}

std::unique_ptr<Model> read_word_level(const ConfigFields& fields, ModelData data) {
  require_pieces_with_ids(fields, data);
  return make_word_level(std::move(data.vocabulary),
                         fields.optional_string("unk_token").value_or(""));
}

std::unique_ptr<Model> read_word_piece(const ConfigFields& fields, ModelData data) {
  require_pieces_with_ids(fields, data);
  WordPieceRules rules;
  rules.unk = fields.optional_string("unk_token").value_or(rules.unk);
  rules.prefix = fields.optional_string("continuing_subword_prefix").value_or(rules.prefix);
  if (fields.find("max_input_chars_per_word") != nullptr) {
    rules.longest_word = fields.whole_number("max_input_chars_per_word", kLargestId);
  }
  return make_word_piece(std::move(data.vocabulary), rules);
}

std::unique_ptr<Model> read_bpe(const ConfigFields& fields, ModelData data) {
  require_pieces_with_ids(fields, data);
  if (!data.has_merges) fail_input(fields.place("merges") + ": missing");
  const Json* dropout = fields.find("dropout");
  if (dropout != nullptr && !(dropout->is_number() && dropout->get<double>() == 0)) {
    fail_input(fields.place("dropout") + ": dropout of merges is not implemented");
  }
  BpeRules rules;
  rules.unk = fields.optional_string("unk_token").value_or("");
  rules.prefix = fields.optional_string("continuing_subword_prefix").value_or("");
  rules.suffix = fields.optional_string("end_of_word_suffix").value_or("");
  rules.fuse_unk = fields.boolean("fuse_unk", false);
  rules.byte_fallback = fields.boolean("byte_fallback", false);
  rules.ignore_merges = fields.boolean("ignore_merges", false);
  return make_bpe(std::move(data.vocabulary), data.merges, rules);
}

std::unique_ptr<Model> read_unigram(const ConfigFields& fields, ModelData data) {
  if (data.scores.size() != data.vocabulary.size() || !data.has_vocabulary) {
    fail_config(fields.place("vocab"), "wrong vocabulary", "an array of pieces and scores",
                data.has_vocabulary ? "an object" : "none");
  }
  UnigramRules rules;
  rules.byte_fallback = fields.boolean("byte_fallback", false);
  if (fields.find("unk_id") != nullptr) {
    rules.unk = fields.whole_number("unk_id", kLargestId);
    if (rules.unk >= data.vocabulary.size()) {
      fail_config(fields.place("unk_id"), "no such piece", concat("below ", data.vocabulary.size()),
                  std::to_string(rules.unk));
    }
  }
  return make_unigram(std::move(data.vocabulary), std::move(data.scores), rules);
}

struct ModelKind {
  std::vector<std::string> fields;
  std::unique_ptr<Model> (*read)(const ConfigFields&, ModelData);
};

const std::map<std::string, ModelKind>& model_kinds() {
  static const std::map<std::string, ModelKind> kKinds = {
      {"BPE",
       {{"vocab", "merges", "dropout", "unk_token", "continuing_subword_prefix",
         "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges"},
        read_bpe}},
      {"Unigram", {{"vocab", "unk_id", "byte_fallback"}, read_unigram}},
      {"WordLevel", {{"vocab", "unk_token"}, read_word_level}},
      {"WordPiece",
       {{"vocab", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word"},
        read_word_piece}},
  };
  return kKinds;
}

// Old files leave the type out; only some members tell.
std::string type_of_untyped(const Json& config, const ModelData& data) {
  if (data.has_merges) return "BPE";
  if (!data.scores.empty()) return "Unigram";
  return config.contains("continuing_subword_prefix") ? "WordPiece" : "WordLevel";
}

}  // namespace

Model::Model(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {
  if (vocabulary_.size() == 0) fail_input("the vocabulary is empty");
  if (const auto twice = vocabulary_.index_ids()) {
    fail_input(concat("the pieces '", shortened(vocabulary_.piece(twice->first)), "' and '",
                      shortened(vocabulary_.piece(twice->second)), "' have the same id ",
                      vocabulary_.id(twice->first)));
  }
}

std::unique_ptr<Model> read_model(const Json& config, const std::string& place, ModelData data) {
  if (config.is_object() && !config.contains("type")) {
    Json typed = config;
    typed["type"] = type_of_untyped(config, data);
    return read_model(typed, place, std::move(data));
  }
  const auto kind = find_kind(model_kinds(), config, place, "model");
  const ConfigFields fields(config, place, kind->second.fields);
  if (kind->first != "BPE" && data.has_merges) {
    fail_input(place + "/merges: a " + kind->first + " model has no merges");
  }
  return kind->second.read(fields, std::move(data));
}

}  // namespace mha::tok
