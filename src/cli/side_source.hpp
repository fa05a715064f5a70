// The two sides of a comparison, as the command line names them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mha/model/text_model.hpp"

#include "options.hpp"

namespace mha::cli {

// One of the two: its input alone, and the model that reads it.
struct SideSource {
  InputOptions input;
  std::shared_ptr<const TextModel> model;  // null: the bundled one
  std::string name;
  std::string title;
  std::string added_title = {};  // behind the title, or behind the input's id
};

// Two inputs, or one under two models, or one with heads ablated in B. Throws Error(kUsage) for
// anything else; `command` is what messages call the caller.
std::vector<SideSource> sides_of(const InputOptions& input, std::size_t max_bytes,
                                 const std::string& command);

}  // namespace mha::cli
