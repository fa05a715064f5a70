#include <algorithm>
#include <array>
#include <cmath>

#include "mha/base/text.hpp"
#include "mha/render/terminal_graphics.hpp"

#include "palette.hpp"

namespace mha::render {
namespace {

constexpr int kBand = 6;             // pixel rows of a line of sixels
constexpr int kSixelTolerance = 48;  // of 255, before colours are merged

// Few enough colours for any image: 4 bits a channel.
Image coarse(const Image& image) {
  Image out = image;
  for (std::uint8_t& channel : out.rgb) {
    channel = static_cast<std::uint8_t>((channel >> 4) * 17);
  }
  return out;
}

IndexedImage indexed(const Image& image) {
  if (auto exact = to_indexed(image, kSixelTolerance)) return *std::move(exact);
  return to_indexed(coarse(image), 255).value();
}

int percent(std::uint8_t channel) {
  return static_cast<int>(std::lround(channel * 100 / 255.0));
}

// One character for six pixels of a column, repeated.
void append_run(int bits, int count, std::string* out) {
  const char sixel = static_cast<char>('?' + bits);
  if (count > 3) {
    *out += concat("!", count, sixel);
  } else {
    out->append(static_cast<std::size_t>(count), sixel);
  }
}

class SixelWriter {
 public:
  SixelWriter(const Image& image, std::string* out)
      : width_(image.width), height_(image.height), image_(indexed(image)), out_(out) {}

  void write() {
    *out_ += concat("\033P0;1;0q\"1;1;", width_, ";", height_);
    for (std::size_t i = 0; i < image_.palette.size(); ++i) {
      const Rgb color = image_.palette[i];
      *out_ +=
          concat("#", i, ";2;", percent(color.r), ";", percent(color.g), ";", percent(color.b));
    }
    for (int y = 0; y < height_; y += kBand) {
      write_band(y);
      *out_ += '-';
    }
    *out_ += "\033\\";
  }

 private:
  std::uint8_t index(int x, int y) const {
    return image_.indices[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                          static_cast<std::size_t>(x)];
  }

  void write_band(int y) {
    const int rows = std::min(kBand, height_ - y);
    std::array<bool, 256> is_used{};
    for (int r = 0; r < rows; ++r) {
      for (int x = 0; x < width_; ++x) is_used[index(x, y + r)] = true;
    }
    bool is_first = true;
    for (std::size_t color = 0; color < is_used.size(); ++color) {
      if (!is_used[color]) continue;
      if (!is_first) *out_ += '$';  // back to the begin of the band
      is_first = false;
      *out_ += concat("#", color);
      write_color(static_cast<std::uint8_t>(color), y, rows);
    }
  }

  void write_color(std::uint8_t color, int y, int rows) {
    int run = 0;
    int last = 0;
    for (int x = 0; x < width_; ++x) {
      int bits = 0;
      for (int r = 0; r < rows; ++r) bits |= (index(x, y + r) == color ? 1 : 0) << r;
      if (run > 0 && bits != last) {
        append_run(last, run, out_);
        run = 0;
      }
      last = bits;
      ++run;
    }
    if (last != 0) append_run(last, run, out_);
  }

  const int width_;
  const int height_;
  const IndexedImage image_;
  std::string* out_;
};

}  // namespace

std::string encode_sixel(const Image& image) {
  std::string out;
  SixelWriter(image, &out).write();
  return out;
}

}  // namespace mha::render
