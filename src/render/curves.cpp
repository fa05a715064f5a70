#include "curves.hpp"

#include <algorithm>
#include <cmath>

namespace mha::render {
namespace {

PointF point_at(const std::array<PointF, 4>& p, double t) {
  const double s = 1 - t;
  const double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
          a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

// Straight pieces, none longer than a few pixels.
std::vector<PointF> flattened(const std::array<PointF, 4>& p) {
  constexpr double kPiece = 4;
  double length = 0;
  for (std::size_t i = 1; i < 4; ++i)
    length += std::hypot(p[i].x - p[i - 1].x, p[i].y - p[i - 1].y);
  const int n = std::clamp(static_cast<int>(length / kPiece), 1, 2000);
  std::vector<PointF> out;
  for (int i = 0; i <= n; ++i) out.push_back(point_at(p, static_cast<double>(i) / n));
  return out;
}

double distance_to(const PointF& a, const PointF& b, double x, double y) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double size = dx * dx + dy * dy;
  const double t = size > 0 ? std::clamp(((x - a.x) * dx + (y - a.y) * dy) / size, 0.0, 1.0) : 0;
  return std::hypot(x - a.x - t * dx, y - a.y - t * dy);
}

// The pixels that may be touched by a stroke that reaches `reach` from these points.
Rect box_of(const std::vector<PointF>& points, std::size_t first, std::size_t end, double reach,
            const Rect& area) {
  double x0 = HUGE_VAL, y0 = HUGE_VAL, x1 = -HUGE_VAL, y1 = -HUGE_VAL;
  for (std::size_t i = first; i < end; ++i) {
    x0 = std::min(x0, points[i].x), x1 = std::max(x1, points[i].x);
    y0 = std::min(y0, points[i].y), y1 = std::max(y1, points[i].y);
  }
  const auto clipped = [](double value, int low, int high) {
    return static_cast<int>(std::clamp(value, static_cast<double>(low), static_cast<double>(high)));
  };
  const int left = clipped(std::floor(x0 - reach), area.x, area.right());
  const int top = clipped(std::floor(y0 - reach), area.y, area.bottom());
  const int right = clipped(std::ceil(x1 + reach), left, area.right());
  const int bottom = clipped(std::ceil(y1 + reach), top, area.bottom());
  return {left, top, right - left, bottom - top};
}

}  // namespace

CurveMask curve_mask(const CurveOp& curve, const Rect& area) {
  const std::vector<PointF> points = flattened(curve.points);
  const double reach = curve.width / 2 + 1;
  CurveMask mask;
  mask.box = box_of(points, 0, points.size(), reach, area);
  mask.coverage.assign(static_cast<std::size_t>(mask.box.width) * mask.box.height, 0.0F);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Rect box = box_of(points, i, i + 2, reach, mask.box);
    for (int y = box.y; y < box.bottom(); ++y) {
      for (int x = box.x; x < box.right(); ++x) {
        const double away = distance_to(points[i], points[i + 1], x + 0.5, y + 0.5);
        // Strokes thinner than a pixel cover less of it.
        const double most = std::min(1.0, curve.width);
        const double part = std::clamp(curve.width / 2 + 0.5 - away, 0.0, most);
        float& pixel = mask.coverage[static_cast<std::size_t>(y - mask.box.y) * mask.box.width +
                                     static_cast<std::size_t>(x - mask.box.x)];
        pixel = std::max(pixel, static_cast<float>(part));
      }
    }
  }
  return mask;
}

}  // namespace mha::render
