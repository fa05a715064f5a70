// The rotary part of config.json: rope_theta with rope_scaling, or rope_parameters with both.
#pragma once

#include "mha/io/json.hpp"
#include "mha/model/rope_scaling.hpp"

namespace mha {

// `max_positions` is the trained length where the file names no other.
RopeConfig read_rope(const JsonNode& root, double max_positions);

}  // namespace mha
