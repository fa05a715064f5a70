// --model and --bos: which model reads text, tokens and ids, and what the output says about it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mha/model/text_model.hpp"
#include "mha/report/json_writer.hpp"
#include "mha/source/source.hpp"

#include "options.hpp"

namespace mha::cli {

// The model that --model names, or null without it. Throws Error(kUsage) when there are several.
std::shared_ptr<const TextModel> open_chosen_model(const InputOptions& options,
                                                   std::size_t max_bytes);

SpecialTokens special_tokens(const InputOptions& options);

// What outputs say about a model.
struct ModelEcho {
  std::string description;
  std::string family;                     // as config.json names it
  std::string tokenizer;                  // its kind; "" without one
  std::vector<std::string> ablated = {};  // heads whose outputs are zero in the forward pass
  bool operator==(const ModelEcho&) const = default;
};

// Of the model that computed an input; nothing where none did.
std::optional<ModelEcho> model_echo(const OpenedInput& input);

// The member "model", and "ablated" where heads are.
void write_model(const ModelEcho& model, JsonWriter* w);

// The member "ids" of an input that a model computed, and "token_types" and "valid_keys" where it
// was given them; nothing for other inputs.
void write_ids(const OpenedInput& input, JsonWriter* w);

// The same with the member "model" in front.
void write_model_members(const OpenedInput& input, JsonWriter* w);

}  // namespace mha::cli
