#include <algorithm>
#include <cmath>

#include "mha/render/terminal_graphics.hpp"

namespace mha::render {
namespace {

// The share of source pixels [first, end) that falls to pixel `to` of a side that shrinks from
// `from` to `count`.
struct Span {
  double first;
  double end;
};
Span span_of(int to, int count, int from) {
  const double step = static_cast<double>(from) / count;
  return {to * step, (to + 1) * step};
}

Rgb mean_color(const Image& image, const Span& across, const Span& down) {
  double sum[3] = {0, 0, 0};
  double total = 0;
  for (int y = static_cast<int>(down.first); y < std::min<double>(down.end, image.height); ++y) {
    const double high = std::min<double>(y + 1, down.end) - std::max<double>(y, down.first);
    for (int x = static_cast<int>(across.first); x < std::min<double>(across.end, image.width);
         ++x) {
      const double wide = std::min<double>(x + 1, across.end) - std::max<double>(x, across.first);
      const std::uint8_t* pixel = image.at(x, y);
      for (int c = 0; c < 3; ++c) sum[c] += high * wide * pixel[c];
      total += high * wide;
    }
  }
  const auto channel = [&](int c) {
    return static_cast<std::uint8_t>(std::lround(sum[c] / total));
  };
  return {channel(0), channel(1), channel(2)};
}

}  // namespace

Image shrunk_to_fit(Image image, int max_width, int max_height) {
  const double scale = std::min(static_cast<double>(max_width) / image.width,
                                static_cast<double>(max_height) / image.height);
  if (scale >= 1) return image;
  const int width = std::max(1, static_cast<int>(image.width * scale));
  const int height = std::max(1, static_cast<int>(image.height * scale));
  Image out;
  out.width = width;
  out.height = height;
  out.rgb.resize(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Rgb color =
          mean_color(image, span_of(x, width, image.width), span_of(y, height, image.height));
      std::uint8_t* pixel = out.at(x, y);
      pixel[0] = color.r;
      pixel[1] = color.g;
      pixel[2] = color.b;
    }
  }
  return out;
}

}  // namespace mha::render
