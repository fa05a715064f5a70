#include "mha/render/colormap.hpp"

#include <cmath>
#include <limits>

#include "mha/base/error.hpp"
#include "mha/render/style.hpp"

#include "support/catch.hpp"

using namespace mha::render;

TEST_CASE("the published maps end at their published colours") {
  CHECK(colormap_named("viridis", false).front() == Rgb{68, 1, 84});
  CHECK(colormap_named("viridis", false)[128] == Rgb{33, 145, 140});
  CHECK(colormap_named("viridis", false).back() == Rgb{253, 231, 37});
  CHECK(colormap_named("cividis", false).front() == Rgb{0, 34, 78});
  CHECK(colormap_named("cividis", false).back() == Rgb{254, 232, 56});
  CHECK(colormap_named("magma", false).front() == Rgb{0, 0, 4});
  CHECK(colormap_named("magma", false).back() == Rgb{252, 253, 191});
}

TEST_CASE("every map gets steadily lighter or steadily darker") {
  for (const std::string& name : colormap_names()) {
    CAPTURE(name);
    const Colormap& map = colormap_named(name, false);
    const double direction = luminance(map.back()) > luminance(map.front()) ? 1 : -1;
    for (std::size_t i = 4; i < map.size(); i += 4) {
      CHECK(direction * (luminance(map[i]) - luminance(map[i - 4])) > 0);
    }
  }
}

TEST_CASE("zero is close to the paper in the default maps of both themes") {
  const auto distance = [](Rgb a, Rgb b) {
    return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b);
  };
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    const Colormap& map = colormap_named("", theme.dark);
    CHECK(distance(map.front(), theme.background) < 70);
    CHECK(distance(map.back(), theme.background) > 500);
  }
  CHECK(luminance(colormap_named("blues", true).front()) < 0.05);
  CHECK(luminance(colormap_named("greys", true).front()) < 0.05);
}

TEST_CASE("masked, missing and non-finite colours are in no map") {
  for (const Theme& theme : {light_theme(), dark_theme()}) {
    for (const std::string& name : colormap_names()) {
      for (const Rgb& c : colormap_named(name, theme.dark)) {
        const auto distance = [&](Rgb o) {
          return std::abs(c.r - o.r) + std::abs(c.g - o.g) + std::abs(c.b - o.b);
        };
        CHECK(distance(theme.non_finite) > 60);
        CHECK(distance(theme.missing) > 10);
        if (name != "greys") CHECK(distance(theme.masked) > 10);
      }
    }
  }
}

TEST_CASE("an unknown map, scale or theme is refused with a suggestion") {
  try {
    colormap_named("virdis", false);
    FAIL("accepted");
  } catch (const mha::Error& error) {
    CHECK(error.kind() == mha::ErrorKind::kUsage);
    CHECK(error.hint().find("viridis") != std::string::npos);
  }
  CHECK_THROWS_AS(scale_named("cube"), mha::Error);
  CHECK_THROWS_AS(theme_named("drak"), mha::Error);
  CHECK(scale_named("log") == ScaleKind::kLog);
  CHECK(scale_name(ScaleKind::kRow) == "row");
}

TEST_CASE("a linear scale maps its ends to 0 and 1 and clamps beyond") {
  const ValueScale scale({.colormap = {}, .kind = ScaleKind::kLinear, .low = -1, .high = 3});
  CHECK(scale.position(-1) == 0);
  CHECK(scale.position(1) == Approx(0.5));
  CHECK(scale.position(3) == 1);
  CHECK(scale.position(-7) == 0);
  CHECK(scale.position(9) == 1);
  CHECK(scale.value(0.25) == Approx(0));
}

TEST_CASE("a sqrt scale lifts small values") {
  const ValueScale scale({.colormap = {}, .kind = ScaleKind::kSqrt, .low = 0, .high = 1});
  CHECK(scale.position(0.25) == Approx(0.5));
  CHECK(scale.position(0.01) == Approx(0.1));
  CHECK(scale.value(0.5) == Approx(0.25));
}

TEST_CASE("a log scale starts at a ten-thousandth of the largest value") {
  const ValueScale scale({.colormap = {}, .kind = ScaleKind::kLog, .low = 0, .high = 1});
  CHECK(scale.low() == Approx(1e-4));
  CHECK(scale.position(1e-2) == Approx(0.5));
  CHECK(scale.position(1e-9) == 0);
  CHECK(scale.position(0) == 0);
  const ValueScale narrow({.colormap = {}, .kind = ScaleKind::kLog, .low = 0.1, .high = 10});
  CHECK(narrow.position(1) == Approx(0.5));
}

TEST_CASE("a scale without width or with infinite ends still maps") {
  const ValueScale constant({.colormap = {}, .kind = ScaleKind::kLinear, .low = 0.2, .high = 0.2});
  CHECK(constant.position(0.2) == 1);
  CHECK(constant.position(0) == 0);
  const ValueScale zero({.colormap = {}, .kind = ScaleKind::kLog, .low = 0, .high = 0});
  CHECK(zero.position(0) == 0);
  const double infinite = std::numeric_limits<double>::infinity();
  const ValueScale broken({.colormap = {}, .kind = ScaleKind::kSqrt, .low = 0, .high = infinite});
  CHECK(broken.position(1) == 1);
}

TEST_CASE("the row scale looks at finite, unmasked values only") {
  const std::vector<float> values = {0.1F, 0.4F, 9.0F, std::nanf(""), 0.0F};
  const std::vector<CellState> states = {CellState::kValue, CellState::kValue, CellState::kMasked,
                                         CellState::kValue, CellState::kValue};
  CHECK(row_scale(values, states).high() == Approx(0.4));
  CHECK(row_scale(values, states).position(0.1) == Approx(0.25));
  CHECK(row_scale(std::vector<float>{0, 0}, {}).position(0) == 0);
}

TEST_CASE("ticks of the colour bar are round and apart") {
  const auto texts = [](ScaleKind kind, double low, double high) {
    std::string out;
    for (const Tick& t : round_ticks({.colormap = {}, .kind = kind, .low = low, .high = high}, 6)) {
      out += t.text + " ";
    }
    return out;
  };
  CHECK(texts(ScaleKind::kLinear, 0, 1) == "0 0.2 0.4 0.6 0.8 1 ");
  CHECK(texts(ScaleKind::kLinear, 0, 0.0837) == "0 0.02 0.04 0.06 0.08 ");
  CHECK(texts(ScaleKind::kLinear, -3, 7) == "\u22122 0 2 4 6 ");
  CHECK(texts(ScaleKind::kRow, 0, 0.3) == "0 0.2 0.4 0.6 0.8 1 ");
  CHECK(texts(ScaleKind::kLog, 0, 1) == "≤ 0.0001 0.001 0.01 0.1 1 ");
  CHECK(texts(ScaleKind::kSqrt, 0, 1).starts_with("0 "));
  CHECK(texts(ScaleKind::kSqrt, 0, 1).ends_with(" 1 "));
}

TEST_CASE("ticks lie where their number says, whatever the scale") {
  for (ScaleKind kind : {ScaleKind::kLinear, ScaleKind::kSqrt, ScaleKind::kLog}) {
    for (double high : {1.0, 0.37, 0.0042, 250.0, 1e-7}) {
      CAPTURE(static_cast<int>(kind), high);
      const ColorScale colors{.colormap = {}, .kind = kind, .low = 0, .high = high};
      const std::vector<Tick> ticks = round_ticks(colors, 5);
      REQUIRE(ticks.size() >= 2);
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        std::string text = ticks[i].text;
        if (const std::size_t minus = text.find("\u2212"); minus != std::string::npos) {
          text.replace(minus, std::string_view("\u2212").size(), "-");
        }
        const double value = std::stod(text.starts_with("≤ ") ? text.substr(4) : text);
        CHECK(ValueScale(colors).position(value) == Approx(ticks[i].position).margin(1e-6));
        if (i > 0) CHECK(ticks[i].position > ticks[i - 1].position + 0.09);
      }
    }
  }
}

TEST_CASE("the colour bar's title names every scale but the linear one") {
  const auto title = [](ScaleKind kind) { return scale_title("attention weight", {"", kind}); };
  CHECK(title(ScaleKind::kLinear) == "attention weight");
  CHECK(title(ScaleKind::kSqrt) == "attention weight, sqrt scale");
  CHECK(title(ScaleKind::kLog) == "attention weight, log scale");
  CHECK(title(ScaleKind::kRow) == "attention weight / row maximum");
}

TEST_CASE("cells are large for few tokens and one pixel for many") {
  const PictureStyle style;
  CHECK(cell_size(5, 5, style) >= 60);
  CHECK(cell_size(12, 12, style) >= 40);
  CHECK(cell_size(512, 512, style) == 1);
  CHECK(cell_size(1600, 3, style) == 1);
  CHECK(pool_factor(1600, style) == 1);
  CHECK(pool_factor(1601, style) == 2);
  CHECK(pool_factor(0, style) == 1);
  PictureStyle fixed;
  fixed.cell_px = 10;
  CHECK(cell_size(4, 4, fixed) == 10);
  CHECK(pool_factor(161, fixed) == 2);
}
