// The part of a plane that a scatter plot shows: one scale for both axes.
#pragma once

#include <limits>

#include "mha/render/figure.hpp"
#include "mha/render/style.hpp"

namespace mha::render {

// Empty (high < low) until a value is added.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value);
  double size() const { return high - low; }
  // Grows on both sides alike.
  void widen_to(double wanted);
};

// What the axes show, and how many pixels a unit has: the same on both.
struct Plane {
  Range x;
  Range y;
  double unit = 1;
  int width = 0;
  int height = 0;
};

// Both coordinates are finite.
bool has_place(const ScatterPoint& point);

// Room for all points that have a place, and some around them; larger for hundreds of points.
Plane choose_plane(const ScatterFigure& figure, const PictureStyle& style);

}  // namespace mha::render
