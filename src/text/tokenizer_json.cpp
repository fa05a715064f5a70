#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "pipeline.hpp"

namespace mha {
namespace {

const tok::Json& member(const tok::Json& config, const char* name) {
  static const tok::Json kNull;
  const auto found = config.find(name);
  return found == config.end() ? kNull : *found;
}

// Settings of a call, not of the vocabulary: libraries reset them, and so nobody applies them here.
void check_setting(const tok::Json& config, const char* name) {
  const tok::Json& setting = member(config, name);
  if (!setting.is_null() && !setting.is_object()) {
    tok::fail_config(concat("/", name), "wrong type", "an object or null",
                     tok::description(setting));
  }
}

std::string kind_of(const tok::Json& config, const tok::Model& model) {
  const bool byte_level = tok::is_byte_level(member(config, "pre_tokenizer")) ||
                          tok::is_byte_level(member(config, "normalizer"));
  return std::string(model.kind()) + (model.kind() == "BPE" && byte_level ? " (byte level)" : "");
}

std::shared_ptr<Tokenizer::Pipeline> read_pipeline(std::string_view json) {
  tok::TokenizerFile file = tok::read_tokenizer_file(json);
  const tok::Json& config = *file.config;
  const tok::ConfigFields fields(config, "",
                                 {"version", "truncation", "padding", "added_tokens", "normalizer",
                                  "pre_tokenizer", "post_processor", "decoder", "model"});
  if (const auto version = fields.optional_string("version"); version && *version != "1.0") {
    tok::fail_config("/version", "unknown version", "'1.0'", "'" + tok::shortened(*version) + "'");
  }
  check_setting(config, "truncation");
  check_setting(config, "padding");
  auto pipeline = std::make_shared<Tokenizer::Pipeline>();
  pipeline->normalizer = tok::read_normalizer(member(config, "normalizer"), "/normalizer");
  pipeline->pre_tokenizer =
      tok::read_pre_tokenizer(member(config, "pre_tokenizer"), "/pre_tokenizer");
  pipeline->post_processor =
      tok::read_post_processor(member(config, "post_processor"), "/post_processor");
  pipeline->model = tok::read_model(fields.object("model"), "/model", std::move(file.model));
  std::vector<tok::AddedToken> added;
  if (fields.find("added_tokens") != nullptr) {
    added = tok::read_added_tokens(fields.array("added_tokens"), "/added_tokens");
  }
  pipeline->added =
      tok::AddedTokens(std::move(added), pipeline->model->vocabulary(), pipeline->normalizer);
  pipeline->kind = kind_of(config, *pipeline->model);
  pipeline->check_template();
  return pipeline;
}

}  // namespace

Tokenizer Tokenizer::from_tokenizer_json(std::string_view json, const std::string& name) {
  try {
    std::shared_ptr<Pipeline> pipeline = read_pipeline(json);
    pipeline->name = name;
    return Tokenizer(std::move(pipeline));
  } catch (const Error& error) {
    throw error.at(name);
  }
}

}  // namespace mha
