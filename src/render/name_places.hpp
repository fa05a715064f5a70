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

// A thin line from a point's marker to its name.
struct NameLeader {
  PointF from;
  PointF to;
};

struct NamePlace {
  Rect box;
  std::optional<NameLeader> leader;  // for a name that does not stand beside its point
};

// For each point the place of its name, or nullopt where there is none. A name stands beside its
// point where no other point is near enough to be read with it; otherwise, where it finds room
// farther away, a leader shows whose it is. No name covers a name or a point, no leader crosses
// one, and all lie in `area`. Points far from their nearest neighbour choose first. `points` are
// the boxes of the points' markers, one for each size; an empty name (width 0) gets no place. `gap`
// is the distance to the point, and between names side by side.
std::vector<std::optional<NamePlace>> place_names(const std::vector<Rect>& points,
                                                  const std::vector<NameSize>& sizes,
                                                  const Rect& area, int gap);

}  // namespace mha::render
