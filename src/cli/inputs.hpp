// The inputs that a command line names, one document after another.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mha/base/error.hpp"
#include "mha/source/source.hpp"

#include "options.hpp"

namespace mha::cli {

// One document and what to call it.
struct InputDocument {
  std::string place;   // for messages: "a.json", "b.ndjson:12", "standard input"
  std::string folder;  // name of its own folder when there are several: "a", "b/000012"
  std::string_view text;
  std::string base;           // files named in the document are relative to this
  bool has_siblings = false;  // there are or may be other documents: results go to `folder`
};

// A file that could not be read at all.
struct FailedInput {
  std::string folder;
  Error error;
};

// Reads the INPUTs of the options one by one and calls `use` for each document, `fail` for each
// file that cannot be read. The texts live until the call returns. Throws Error(kUsage) when the
// options name no input.
void for_each_document(const InputOptions& options, std::size_t max_bytes,
                       const std::function<void(const InputDocument&)>& use,
                       const std::function<void(const FailedInput&)>& fail);

// Opens a document; errors get its place in front.
OpenedInput open_input(const InputDocument& document, const InputOptions& options,
                       std::size_t max_bytes);

}  // namespace mha::cli
