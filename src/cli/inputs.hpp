// The inputs that a command line names, one document after another.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mha/base/error.hpp"
#include "mha/model/text_model.hpp"
#include "mha/source/source.hpp"
#include "mha/source/tensor_input.hpp"

#include "options.hpp"

namespace mha::cli {

// One input and what to call it.
struct InputItem {
  std::string place;          // for messages: "a.json", "b.ndjson:12", "standard input"
  std::string folder;         // name of its own folder when there are several: "a", "b/000012"
  bool has_siblings = false;  // there are or may be others: results go to `folder`
  std::function<OpenedInput()> open;  // errors have the place in front
};

// An error of work on an item, with its place in front where the message needs it: always when the
// input is wrong, and when a flag does not fit one of several inputs.
Error error_at(const InputItem& item, const Error& error);

// A file that could not be read at all.
struct FailedInput {
  std::string folder;
  Error error;
};

// Reads the INPUTs of the options one by one and calls `use` for each input in them, `fail` for
// each file that cannot be read. An item may be opened until `use` returns. Throws Error(kUsage)
// when the options name no input, or flags that do not fit it.
void for_each_input(const InputOptions& options, std::size_t max_bytes,
                    const std::function<void(const InputItem&)>& use,
                    const std::function<void(const FailedInput&)>& fail);

// The same with a model that is open already, in place of --model; null: the bundled one.
struct InputContext {
  std::size_t max_bytes = 0;
  std::shared_ptr<const TextModel> model;
};
void for_each_input(const InputOptions& options, const InputContext& context,
                    const std::function<void(const InputItem&)>& use,
                    const std::function<void(const FailedInput&)>& fail);

// The same for texts that come one by one from elsewhere, with --model (or the bundled one) and
// --bos of the options.
struct TextInput {
  std::string place;  // for messages
  std::string text;
};
void for_each_text(const InputOptions& options, const InputContext& context,
                   const std::function<std::optional<TextInput>()>& next,
                   const std::function<void(const InputItem&)>& use);

// How many inputs the options name; a file counts as one, whatever it holds.
std::size_t count_inputs(const InputOptions& options);

// What --input, --axes, --tokens and their like say about tensor files.
TensorOptions tensor_options(const InputOptions& options, std::size_t max_bytes);

}  // namespace mha::cli
