// What `inspect` says about a model: its sizes and parts, what is missing or unread, what it costs.
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mha/model/config.hpp"
#include "mha/model/text_model.hpp"
#include "mha/report/json_writer.hpp"

namespace mha::cli {

// Tensors of one element type in the file.
struct DTypeShare {
  std::string dtype;
  std::size_t n_tensors = 0;
  std::uint64_t bytes = 0;
};

struct InspectedModel {
  std::string name;
  std::string weights_path;
  std::optional<ModelConfig> config;  // where config.json could be read
  std::vector<DTypeShare> weights;
  std::shared_ptr<const TextModel> model;  // where all of it could be opened
  std::size_t n_tokens = 0;                // that the costs are for
};

// Fills in what can be read before something is wrong, and throws that as Error(kInput). n_tokens
// of 0: 512, or as many as the model has positions.
void inspect_model(const std::string& path, std::size_t n_tokens, std::size_t max_bytes,
                   InspectedModel* out);

void print_model(const InspectedModel& model, std::ostream& out);
// As the member "model".
void write_inspected_model(const InspectedModel& model, JsonWriter* w);

}  // namespace mha::cli
