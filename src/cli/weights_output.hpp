// The attention weights as files: attention.json, .npy, .safetensors or .csv.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mha/analysis/dense_weights.hpp"
#include "mha/io/file.hpp"
#include "mha/report/json_writer.hpp"

#include "options.hpp"
#include "selection.hpp"

namespace mha::cli {

enum class WeightsFormat { kNone, kJson, kNpy, kSafetensors, kCsv };

struct WeightsChoice {
  WeightsFormat format = WeightsFormat::kNone;
  std::string note;  // why nothing is written, when the size decided
};

// Applies --weights, or the rule by size: json up to 1 million numbers, npy up to 256 MiB, else
// none with a note. Throws Error(kInput) when a format was asked for and the weights need more than
// the memory allowed, Error(kUsage) when it cannot hold layers with different numbers of heads.
WeightsChoice choose_weights(const RunOptions& options, const Analysis& analysis);

std::string weights_format_name(WeightsFormat format);

struct WeightsData {
  const OpenedInput& input;
  const SelectedHeads& heads;
  const Analysis& analysis;
  const DenseWeights& weights;
};

// Of formats that are a header and then the weights of all heads as they lie in memory: the header.
std::optional<std::string> raw_weights_header(const WeightsData& data, WeightsFormat format);

// Writes the whole file in one of the other formats (not kNone).
void write_weights(const WeightsData& data, WeightsFormat format, double min_weight,
                   OutputFile* file);

// Members "axes", "selection" and "attention_weights" (layer, head, query, key).
void write_weight_members(const WeightsData& data, JsonWriter* writer);

// The outputs of the layers follow the same rule: beyond 1 million numbers they are written as one
// array (layer, query, d_model) instead of JSON, where all are equally wide.
bool are_outputs_large(const std::vector<Matrix>& outputs);
void write_outputs_npy(const std::vector<Matrix>& outputs, OutputFile* file);

}  // namespace mha::cli
