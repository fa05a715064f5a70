#include "mha/render/canvas.hpp"

#include <algorithm>

namespace mha::render {

Canvas::Canvas(int width, int height, const PictureStyle& style) {
  drawing_.width = std::max({width, style.min_width, 1});
  drawing_.height = std::max(height, 1);
  drawing_.dpi = style.dpi;
  drawing_.background = style.theme.background;
}

void Canvas::fill(const Rect& rect, Rgb color) {
  if (rect.width > 0 && rect.height > 0) drawing_.ops.emplace_back(FillOp{rect, color});
}

void Canvas::frame(const Rect& rect, int stroke, Rgb color) {
  drawing_.ops.emplace_back(FrameOp{rect, stroke, color});
}

void Canvas::hatch(const Rect& rect, int spacing, int stroke, Rgb color) {
  drawing_.ops.emplace_back(HatchOp{rect, spacing, stroke, color});
}

void Canvas::text(const TextBitmap& text, int x, int y, Rgb color) {
  if (!text.empty()) drawing_.ops.emplace_back(TextOp{text, x, y, color});
}

void Canvas::cells(CellsOp cells) {
  drawing_.ops.emplace_back(std::move(cells));
}

void Canvas::numbers(NumbersOp numbers) {
  if (!numbers.numbers.empty()) drawing_.ops.emplace_back(std::move(numbers));
}

void Canvas::marker(const Marker& marker, int x, int y) {
  drawing_.ops.emplace_back(MarkerOp{marker, x, y});
}

void Canvas::curve(const CurveOp& curve) {
  drawing_.ops.emplace_back(curve);
}

}  // namespace mha::render
