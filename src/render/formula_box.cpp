#include "formula_box.hpp"

#include <algorithm>
#include <cmath>

namespace mha::render {
namespace {

// Of the size of the line they belong to.
constexpr double kSmaller = 0.7;
constexpr double kDrop = 0.2;
constexpr double kRaise = 0.4;
constexpr double kBarThickness = 0.065;
constexpr double kSmallestShrink = 0.55;

int nearest_px(double x) {
  return static_cast<int>(std::lround(x));
}

class Setter {
 public:
  Setter(FormulaBox* box, Typesetter& type) : box_(box), type_(type) {}

  // Sets the parts from x on, on a baseline `y` below the line's; returns where they end.
  double set(std::string_view markup, double px, double x, double y) {
    const std::vector<FormulaPart> parts = parse_formula(markup);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool has_twin = i + 1 < parts.size() && is_script(parts[i].kind) &&
                            is_script(parts[i + 1].kind) && parts[i].kind != parts[i + 1].kind;
      const double begin = x;
      x = set_part(parts[i], px, begin, y);
      if (has_twin) x = std::max(x, set_part(parts[++i], px, begin, y));
    }
    return x;
  }

 private:
  static bool is_script(FormulaPart::Kind kind) {
    return kind == FormulaPart::Kind::kLowered || kind == FormulaPart::Kind::kRaised;
  }

  double set_part(const FormulaPart& part, double px, double x, double y) {
    switch (part.kind) {
      case FormulaPart::Kind::kLowered:
        return set(part.text, kSmaller * px, x, y + kDrop * px) + 0.04 * px;
      case FormulaPart::Kind::kRaised:
        return set(part.text, kSmaller * px, x, y - kRaise * px) + 0.04 * px;
      case FormulaPart::Kind::kRoot:
        return set_root(part.text, px, x, y);
      case FormulaPart::Kind::kText:
        break;
    }
    return set_text(part.text, px, x, y);
  }

  double set_text(std::string_view text, double px, double x, double y) {
    TextBitmap bitmap = type_.set(text, {.px = px});
    const double end = x + bitmap.advance;
    box_->pieces.push_back({std::move(bitmap), nearest_px(x), nearest_px(y)});
    return end;
  }

  double set_root(std::string_view inner, double px, double x, double y) {
    const double begin = set_text("√", px, x, y);
    const FormulaBox::Piece& root = box_->pieces.back();
    const int top = root.y - root.text.pen_y;
    const int right = root.x - root.text.pen_x + root.text.width;
    const double end = set(inner, px, begin, y);
    const int thickness = std::max(1, nearest_px(kBarThickness * px));
    box_->bars.push_back({right - 1, top, nearest_px(end) - right + 1, thickness});
    return end + 0.06 * px;
  }

  FormulaBox* box_;
  Typesetter& type_;
};

FormulaBox set_at(std::string_view markup, double px, Typesetter& type) {
  FormulaBox box;
  const LineMetrics metrics = type.metrics(px);
  box.width = static_cast<int>(std::ceil(Setter(&box, type).set(markup, px, 0, 0)));
  box.ascent = static_cast<int>(std::ceil(metrics.ascent + 0.1 * px));
  box.height = box.ascent + static_cast<int>(std::ceil(metrics.descent + 0.1 * px));
  return box;
}

}  // namespace

FormulaBox set_formula(std::string_view markup, double px, int max_width, Typesetter& type) {
  FormulaBox box = set_at(markup, px, type);
  if (box.width <= max_width) return box;
  const double shrink = 0.98 * static_cast<double>(max_width) / static_cast<double>(box.width);
  return set_at(markup, px * std::max(kSmallestShrink, shrink), type);
}

void draw_formula(Canvas* canvas, const FormulaBox& box, int x, int y, Rgb color) {
  for (const FormulaBox::Piece& piece : box.pieces) {
    canvas->text(piece.text, x + piece.x, y + box.ascent + piece.y, color);
  }
  for (const Rect& bar : box.bars) {
    canvas->fill({x + bar.x, y + box.ascent + bar.y, bar.width, bar.height}, color);
  }
}

}  // namespace mha::render
