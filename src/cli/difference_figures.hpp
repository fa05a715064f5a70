// Pictures of the difference between two inputs' heads, B minus A.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "figure_parts.hpp"

namespace mha::cli {

// One PNG for each head that both have, in the order of A's heads, and an overview. Only where the
// token counts agree.
struct DifferencePictures {
  std::vector<HeadId> ids;
  std::vector<std::vector<std::uint8_t>> heads;
  std::vector<std::uint8_t> overview;
};

DifferencePictures draw_differences(const ComparedSide& a, const ComparedSide& b,
                                    const Comparison& comparison, const PictureOptions& options,
                                    const ResourceOptions& resources);

}  // namespace mha::cli
