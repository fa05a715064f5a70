// What a model predicts for an input: `run --predict K`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mha/model/predictions.hpp"
#include "mha/report/json_writer.hpp"
#include "mha/source/source.hpp"

namespace mha::cli {

// The k most probable tokens: in causal models of what follows each token; in the others in the
// place of each mask token, or of every token where there is no mask. Throws Error(kInput) for an
// input that no model computes, and for a checkpoint without a part that predicts.
std::vector<Prediction> predict(const OpenedInput& input, std::size_t k, std::size_t n_threads);

// The member "predictions".
void write_predictions(const OpenedInput& input, const std::vector<Prediction>& predictions,
                       JsonWriter* w);

// Lines for people: what follows the whole input, or what stands in the place of each mask.
std::vector<std::string> prediction_lines(const OpenedInput& input,
                                          const std::vector<Prediction>& predictions);

}  // namespace mha::cli
