#include "model_option.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/model/model_folder.hpp"

namespace mha::cli {
namespace {

void write_numbers(const char* name, const auto& numbers, JsonWriter* w) {
  w->key(name);
  w->indices(std::vector<std::size_t>(numbers.begin(), numbers.end()));
}

}  // namespace

std::shared_ptr<const TextModel> open_chosen_model(const InputOptions& options,
                                                   std::size_t max_bytes) {
  if (options.models.empty()) return nullptr;
  if (options.models.size() > 1) {
    fail_usage("--model: expected one model, got " + std::to_string(options.models.size()),
               "compare shows one input under two models");
  }
  return open_text_model(options.models.front(), max_bytes);
}

SpecialTokens special_tokens(const InputOptions& options) {
  if (options.bos == "yes") return SpecialTokens::kYes;
  return options.bos == "no" ? SpecialTokens::kNo : SpecialTokens::kAuto;
}

std::optional<ModelEcho> model_echo(const OpenedInput& input) {
  if (!input.text_model) return std::nullopt;
  const TextModel& model = *input.text_model;
  const std::string kind(model.tokenizer ? model.tokenizer->kind() : "");
  return ModelEcho{model.description, model.transformer->config().model_type, kind, input.ablated};
}

void write_model(const ModelEcho& model, JsonWriter* w) {
  w->key("model");
  w->begin_object();
  w->member("description", model.description);
  w->member("family", model.family);
  if (!model.tokenizer.empty()) w->member("tokenizer", model.tokenizer);
  w->end_object();
  if (model.ablated.empty()) return;
  w->key("ablated");
  w->strings(model.ablated);
}

void write_ids(const OpenedInput& input, JsonWriter* w) {
  if (!input.text_model) return;
  const ModelInput& read = input.model_input;
  write_numbers("ids", read.ids, w);
  if (!read.token_types.empty()) write_numbers("token_types", read.token_types, w);
  if (read.valid_keys.empty()) return;
  w->key("valid_keys");
  w->begin_array();
  for (const std::uint8_t is_valid : read.valid_keys) w->value(is_valid != 0);
  w->end_array();
}

void write_model_members(const OpenedInput& input, JsonWriter* w) {
  if (const std::optional<ModelEcho> model = model_echo(input)) write_model(*model, w);
  write_ids(input, w);
}

}  // namespace mha::cli
