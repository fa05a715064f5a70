// Text to glyphs and pixels: HarfBuzz shapes, FreeType rasterises, other fonts stand in for missing
// glyphs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>

#include "mha/render/set_text.hpp"
#include "mha/render/text_bitmap.hpp"

namespace mha::render {

// Asked once for each code point that no font so far has; nullopt when there is none.
using FontProvider = std::function<std::optional<FontData>(char32_t)>;

// DejaVu Sans, compiled into the binary.
FontData embedded_font();

struct TextStyle {
  double px = 15;  // size of the em
  bool bold = false;
  int angle = 0;  // degrees counter-clockwise: 90 reads upwards
  double max_width = std::numeric_limits<double>::infinity();  // px along the baseline
};

// Ascent and descent of a line of the primary font, px, both positive; and the height of an "x"
// and of a capital.
struct LineMetrics {
  double ascent = 0;
  double descent = 0;
  double x_height = 0;
  double cap_height = 0;
};

// Thread-safe: calls take turns (FreeType faces are shared); the result for a text does not depend
// on what was set before. Text of one direction, guessed from its first strong character. Garbage
// UTF-8 becomes U+FFFD, control characters a space.
class Typesetter {
 public:
  // `primary` nullopt: the embedded font. Throws Error(kInput) when `primary` is not a font.
  // `fallback` may be null; it is not called while all glyphs are in the primary font.
  explicit Typesetter(std::optional<FontData> primary = std::nullopt, FontProvider fallback = {});
  ~Typesetter();
  Typesetter(const Typesetter&) = delete;
  Typesetter& operator=(const Typesetter&) = delete;

  // Text wider than style.max_width loses its middle to an ellipsis.
  TextBitmap set(std::string_view text, const TextStyle& style);
  // Advance width of `text` at this size, px.
  double width(std::string_view text, const TextStyle& style);
  LineMetrics metrics(double px);

  // Different code points so far that no font could draw; each is shown as a small U+XXXX box.
  std::size_t missing_glyphs() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace mha::render
