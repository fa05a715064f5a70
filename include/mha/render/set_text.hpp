// A line of text as glyphs of fonts: what a vector file needs to know of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mha::render {

// A font file in memory. `owner` keeps the bytes alive; it may be null for static data.
struct FontData {
  std::shared_ptr<const void> owner;
  std::span<const std::uint8_t> bytes;
  int face_index = 0;
};

// A font that text was set in.
struct SetFont {
  FontData data;
  std::string family;     // "DejaVu Sans"; may be empty
  bool is_color = false;  // has coloured glyphs: emoji
};

// Characters next to each other, of one font and one direction. Lengths are in pixels along the
// baseline, from the begin of the line; y grows upwards.
struct SetRun {
  struct Glyph {
    unsigned id = 0;
    double x = 0;
    double y = 0;
  };
  // `bytes` of the text and `glyphs` that belong together.
  struct Cluster {
    int bytes = 0;
    int glyphs = 0;
  };

  std::shared_ptr<const SetFont> font;
  std::string text;  // UTF-8 in reading order, without controls of direction
  bool rtl = false;
  double size = 0;  // of the em
  double x = 0;
  double y = 0;
  double advance = 0;
  std::vector<Glyph> glyphs;      // from left to right
  std::vector<Cluster> clusters;  // in reading order
};

// The frame around the code of a character that no font has, from x0 to x1.
struct MissingBox {
  double x0 = 0;
  double x1 = 0;
};

struct SetText {
  double px = 0;  // of the em
  bool bold = false;
  int angle = 0;  // degrees counter-clockwise
  std::vector<SetRun> runs;
  std::vector<MissingBox> boxes;
};

// The box of MissingBox above and below the baseline, em.
inline constexpr double kBoxBottom = -0.2;
inline constexpr double kBoxTop = 0.82;

}  // namespace mha::render
