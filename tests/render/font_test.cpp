#include "mha/render/font.hpp"

#include <atomic>
#include <string>

#include "mha/base/error.hpp"

#include "support/catch.hpp"

using namespace mha::render;

namespace {

std::size_t ink(const TextBitmap& text) {
  std::size_t n = 0;
  for (std::uint8_t c : text.coverage) n += c > 100;
  return n;
}

// Columns [x0, x0 + width) of a bitmap as a string of coverage bytes, with rows aligned on the pen.
std::string slice(const TextBitmap& text, int x0, int width, int top, int bottom) {
  std::string out;
  for (int y = top; y < bottom; ++y) {
    for (int x = x0; x < x0 + width; ++x) {
      const int row = y + text.pen_y;
      const bool inside = row >= 0 && row < text.height && x >= 0 && x < text.width;
      out += inside
                 ? static_cast<char>(text.coverage[static_cast<std::size_t>(row) * text.width + x])
                 : '\0';
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the embedded font is a whole TrueType file") {
  const FontData font = embedded_font();
  REQUIRE(font.bytes.size() > 500000);
  CHECK(font.bytes[0] == 0);
  CHECK(font.bytes[1] == 1);
}

TEST_CASE("text has ink, an advance, and grows with its size") {
  Typesetter type;
  const TextBitmap small = type.set("Hamburg", {.px = 12});
  const TextBitmap large = type.set("Hamburg", {.px = 24});
  CHECK(ink(small) > 50);
  CHECK(large.advance == Approx(2 * small.advance).epsilon(0.01));
  CHECK(type.width("Hamburg", {.px = 12}) == Approx(small.advance));
  CHECK(ink(type.set("Hamburg", {.px = 24, .bold = true})) > 1.1 * ink(large));
}

TEST_CASE("text without glyphs is empty and harmless") {
  Typesetter type;
  CHECK(type.set("", {}).empty());
  CHECK(type.set("   ", {}).empty());
  CHECK(type.set("   ", {}).advance > 0);
}

TEST_CASE("text turned by 90 degrees is the level text on its side") {
  Typesetter type;
  const TextBitmap level = type.set("query", {.px = 15});
  const TextBitmap upright = type.set("query", {.px = 15, .angle = 90});
  CHECK(upright.width == level.height);
  CHECK(upright.height == level.width);
  CHECK(ink(upright) == ink(level));
  // The level text's bottom left pixel is the upright text's bottom right one.
  CHECK(upright.coverage[upright.coverage.size() - 1] ==
        level.coverage[static_cast<std::size_t>(level.height - 1) * level.width]);
}

TEST_CASE("text turned by 45 degrees goes up and to the right") {
  Typesetter type;
  const TextBitmap turned = type.set("a long label", {.px = 15, .angle = 45});
  CHECK(turned.width > 50);
  CHECK(turned.height > 50);
  CHECK(turned.pen_y > turned.height * 2 / 3);
  CHECK(turned.pen_x < turned.width / 3);
}

TEST_CASE("text wider than allowed loses its middle and keeps both ends") {
  Typesetter type;
  const std::string text = "start-of-a-very-long-token-that-never-seems-to-end";
  const TextBitmap whole = type.set(text, {});
  const TextBitmap cut = type.set(text, {.max_width = 150});
  CHECK(cut.advance <= 150);
  CHECK(cut.advance > 125);
  CHECK(slice(cut, cut.pen_x, 20, -10, 2) == slice(whole, whole.pen_x, 20, -10, 2));
  CHECK(type.set("short", {.max_width = 150}).advance == type.set("short", {}).advance);
  CHECK_NOTHROW(type.set(text, {.max_width = 1}));
}

TEST_CASE("Arabic letters join") {
  Typesetter type;
  const double alone = type.width("ب", {.px = 40});
  const double pair = type.width("بب", {.px = 40});
  CHECK(pair < 1.9 * alone);  // an initial and a final form are narrower than two isolated ones
  CHECK(type.missing_glyphs() == 0);
}

TEST_CASE("a right-to-left label starts at the right") {
  Typesetter type;
  const TextBitmap both = type.set("אב", {.px = 40});
  const TextBitmap second = type.set("ב", {.px = 40});
  // The second letter is drawn first: leftmost.
  CHECK(slice(both, both.pen_x, 18, -40, 10) == slice(second, second.pen_x, 18, -40, 10));
  const TextBitmap latin = type.set("ab", {.px = 40});
  const TextBitmap a = type.set("a", {.px = 40});
  CHECK(slice(latin, latin.pen_x, 18, -40, 10) == slice(a, a.pen_x, 18, -40, 10));
}

TEST_CASE("numbers in a right-to-left label keep their digits in order") {
  Typesetter type;
  const TextBitmap label = type.set("א 12", {.px = 40});
  const TextBitmap number = type.set("12", {.px = 40});
  CHECK(slice(label, label.pen_x, 40, -40, 10) == slice(number, number.pen_x, 40, -40, 10));
}

TEST_CASE("a combining mark stays on its letter and adds no width") {
  Typesetter type;
  CHECK(type.width("e\xCC\x81", {}) == Approx(type.width("e", {})).epsilon(0.05));
}

TEST_CASE("a missing glyph becomes a readable box and is counted once") {
  Typesetter type;
  const TextBitmap box = type.set("\xF0\x90\x8C\xB0", {.px = 15});  // U+10330, Gothic
  CHECK(box.advance > 35);
  CHECK(ink(box) > 100);
  CHECK(type.missing_glyphs() == 1);
  type.set("\xF0\x90\x8C\xB0\xF0\x90\x8C\xB0", {});
  CHECK(type.missing_glyphs() == 1);
  type.set("\xF0\x90\x8C\xB1 and text", {});
  CHECK(type.missing_glyphs() == 2);
}

TEST_CASE("the provider is asked once for each missing character and never without need") {
  std::vector<char32_t> asked;
  Typesetter type(std::nullopt, [&](char32_t c) -> std::optional<FontData> {
    asked.push_back(c);
    return std::nullopt;
  });
  type.set("plain, Ünïcödé, кириллица, العربية", {});
  CHECK(asked.empty());
  type.set("猫 and 猫 again", {});
  type.set("猫", {.px = 30});
  CHECK(asked == std::vector<char32_t>{U'猫'});
}

TEST_CASE("a provider that returns rubbish is survived") {
  static const std::vector<std::uint8_t> rubbish(1000, 7);
  Typesetter type(std::nullopt, [](char32_t) -> std::optional<FontData> {
    return FontData{nullptr, rubbish, 0};
  });
  CHECK_NOTHROW(type.set("猫", {}));
  CHECK(type.missing_glyphs() == 1);
}

TEST_CASE("a primary font that is no font is refused") {
  static const std::vector<std::uint8_t> rubbish(1000, 7);
  CHECK_THROWS_AS(Typesetter(FontData{nullptr, rubbish, 0}), mha::Error);
}

TEST_CASE("garbage UTF-8 and control characters draw without harm") {
  Typesetter type;
  CHECK(type.width("a\nb", {}) == Approx(type.width("a b", {})));
  CHECK(type.width(std::string_view("a\0b", 3), {}) == Approx(type.width("a b", {})));
  CHECK(type.width("a\xFF", {}) == Approx(type.width("a\xEF\xBF\xBD", {})));
  std::string all;
  for (int seed = 1; seed < 4000; ++seed) all += static_cast<char>(seed * 7919 % 256);
  for (int angle : {0, 45, 90}) CHECK_NOTHROW(type.set(all, {.angle = angle}));
  CHECK_NOTHROW(type.set("\xE2\x80\xAE\xE2\x80\x8D\xEF\xB8\x8F", {}));
}

TEST_CASE("a text gives the same pixels whatever was set before") {
  Typesetter fresh;
  Typesetter used;
  used.set("other words, other sizes", {.px = 31, .bold = true, .angle = 45});
  const TextBitmap a = fresh.set("token", {.px = 13.5, .angle = 45});
  const TextBitmap b = used.set("token", {.px = 13.5, .angle = 45});
  CHECK(a.coverage == b.coverage);
  CHECK(a.pen_x == b.pen_x);
}

TEST_CASE("line metrics are those of the font") {
  Typesetter type;
  const LineMetrics m = type.metrics(100);
  CHECK(m.ascent == Approx(92.8).epsilon(0.02));
  CHECK(m.descent == Approx(23.6).epsilon(0.02));
  CHECK(m.x_height == Approx(54.7).epsilon(0.04));
  CHECK(m.cap_height == Approx(72.9).epsilon(0.02));
}
