// Names beside points, where there is room.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "mha/render/canvas.hpp"

namespace mha::render {

// The room that a name takes.
struct NameSize {
  int width = 0;
  int height = 0;
};

// For each point the box of its name, or nullopt where all eight places around it are taken. No
// name covers another name or any point, and all lie in `area`. Points far from their nearest
// neighbour choose first. `points` are the boxes of the points' markers, one for each size; an
// empty name (width 0) gets no place. `gap` is the distance to the point, and between names side by
// side.
std::vector<std::optional<Rect>> place_names(const std::vector<Rect>& points,
                                             const std::vector<NameSize>& sizes, const Rect& area,
                                             int gap);

}  // namespace mha::render
