#include "glyph_mask.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mha::render {
namespace {

constexpr int kSamples = 6;  // a side, for each pixel of a shrunk colour glyph

struct Box {
  double x0, y0, x1, y1;
};

Box mapped_box(const GlyphImage& source, const Affine& m) {
  Box box{HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int corner = 0; corner < 4; ++corner) {
    const double x = corner % 2 == 0 ? 0 : source.width;
    const double y = corner / 2 == 0 ? 0 : source.height;
    const double tx = m.xx * x + m.xy * y + m.dx;
    const double ty = m.yx * x + m.yy * y + m.dy;
    box = {std::min(box.x0, tx), std::min(box.y0, ty), std::max(box.x1, tx), std::max(box.y1, ty)};
  }
  return box;
}

Affine inverse(const Affine& m) {
  const double det = m.xx * m.yy - m.xy * m.yx;
  Affine inv{m.yy / det, -m.xy / det, -m.yx / det, m.xx / det, 0, 0};
  inv.dx = -(inv.xx * m.dx + inv.xy * m.dy);
  inv.dy = -(inv.yx * m.dx + inv.yy * m.dy);
  return inv;
}

// Mean of the source under the pixel at (x, y) of the text.
std::array<std::uint8_t, 4> sample(const GlyphImage& source, const Affine& back, int x, int y) {
  std::array<unsigned, 4> sum{};
  const auto add = [&](double px, double py) {
    const int sx = static_cast<int>(std::floor(back.xx * px + back.xy * py + back.dx));
    const int sy = static_cast<int>(std::floor(back.yx * px + back.yy * py + back.dy));
    if (sx < 0 || sy < 0 || sx >= source.width || sy >= source.height) return;
    const std::size_t i = 4 * (static_cast<std::size_t>(sy) * source.width + sx);
    for (std::size_t c = 0; c < 4; ++c) sum[c] += source.color[i + c];
  };
  for (int i = 0; i < kSamples; ++i) {
    for (int j = 0; j < kSamples; ++j) {
      add(x + (j + 0.5) / kSamples, y + (i + 0.5) / kSamples);
    }
  }
  std::array<std::uint8_t, 4> mean{};
  for (std::size_t c = 0; c < 4; ++c) {
    mean[c] = static_cast<std::uint8_t>(sum[c] / (kSamples * kSamples));
  }
  return mean;
}

// Paints `glyph` over the pixels of `out`.
void add_glyph(const GlyphImage& glyph, TextBitmap* out) {
  for (int y = 0; y < glyph.height; ++y) {
    const int row = y + glyph.top + out->pen_y;
    for (int x = 0; x < glyph.width; ++x) {
      const std::size_t from = static_cast<std::size_t>(y) * glyph.width + x;
      const std::size_t to =
          static_cast<std::size_t>(row) * out->width + (x + glyph.left + out->pen_x);
      if (!glyph.coverage.empty()) {
        const unsigned rest = 255U - out->coverage[to];
        out->coverage[to] =
            static_cast<std::uint8_t>(out->coverage[to] + rest * glyph.coverage[from] / 255);
      } else {
        std::copy_n(&glyph.color[4 * from], 4, &out->color[4 * to]);
      }
    }
  }
}

}  // namespace

GlyphImage warp_color(const GlyphImage& source, const Affine& map) {
  const Box box = mapped_box(source, map);
  const Affine back = inverse(map);
  GlyphImage out;
  out.left = static_cast<int>(std::floor(box.x0));
  out.top = static_cast<int>(std::floor(box.y0));
  out.width = static_cast<int>(std::ceil(box.x1)) - out.left;
  out.height = static_cast<int>(std::ceil(box.y1)) - out.top;
  out.color.resize(4 * static_cast<std::size_t>(out.width) * out.height);
  std::size_t i = 0;
  for (int y = 0; y < out.height; ++y) {
    for (int x = 0; x < out.width; ++x, i += 4) {
      const auto pixel = sample(source, back, x + out.left, y + out.top);
      std::copy(pixel.begin(), pixel.end(), out.color.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  return out;
}

TextBitmap join_glyphs(const std::vector<GlyphImage>& glyphs, double advance) {
  TextBitmap out;
  out.advance = advance;
  int left = 0, top = 0, right = 0, bottom = 0;
  bool first = true;
  bool colored = false;
  for (const GlyphImage& g : glyphs) {
    if (g.width == 0 || g.height == 0) continue;
    left = first ? g.left : std::min(left, g.left);
    top = first ? g.top : std::min(top, g.top);
    right = first ? g.left + g.width : std::max(right, g.left + g.width);
    bottom = first ? g.top + g.height : std::max(bottom, g.top + g.height);
    first = false;
    colored = colored || !g.color.empty();
  }
  out.width = right - left;
  out.height = bottom - top;
  out.pen_x = -left;
  out.pen_y = -top;
  const std::size_t n = static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height);
  out.coverage.assign(n, 0);
  if (colored) out.color.assign(4 * n, 0);
  for (const GlyphImage& g : glyphs) add_glyph(g, &out);
  for (std::uint8_t& c : out.coverage) c = static_cast<std::uint8_t>((c + 8) / 17 * 17);
  return out;
}

TextBitmap turned_up(const TextBitmap& text) {
  TextBitmap out;
  out.advance = text.advance;
  out.width = text.height;
  out.height = text.width;
  out.pen_x = text.pen_y;
  out.pen_y = text.width - text.pen_x;
  out.coverage.resize(text.coverage.size());
  out.color.resize(text.color.size());
  for (int y = 0; y < text.height; ++y) {
    for (int x = 0; x < text.width; ++x) {
      const std::size_t from = static_cast<std::size_t>(y) * text.width + x;
      const std::size_t to = static_cast<std::size_t>(text.width - 1 - x) * out.width + y;
      out.coverage[to] = text.coverage[from];
      if (!text.color.empty()) std::copy_n(&text.color[4 * from], 4, &out.color[4 * to]);
    }
  }
  return out;
}

}  // namespace mha::render
