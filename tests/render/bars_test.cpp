#include "mha/render/bars.hpp"

#include <cmath>

#include "mha/base/error.hpp"

#include "figures.hpp"
#include "support/catch.hpp"

using namespace mha::render;

namespace {

BarsFigure make_bars(std::size_t n) {
  BarsFigure figure;
  figure.text = {"L0H0, query 3", "caption", {}};
  figure.keys = {"key (attends to)", make_labels(n), 1, 0};
  figure.values.assign(n, 0.0F);
  return figure;
}

// Length of the longest run of the accent colour in each pixel row that has one.
std::vector<int> bar_lengths(const Image& image) {
  std::vector<int> lengths;
  bool inside = false;
  for (int y = 0; y < image.height; ++y) {
    int n = 0;
    for (int x = 0; x < image.width; ++x) n += image.pixel(x, y) == light_theme().accent;
    if (n > 3 && !inside) lengths.push_back(n);
    inside = n > 3;
  }
  return lengths;
}

}  // namespace

TEST_CASE("bars have lengths in proportion to their values") {
  Typesetter type;
  BarsFigure figure = make_bars(4);
  figure.values = {0.8F, 0.4F, 0.2F, 0.6F};
  const std::vector<int> lengths = bar_lengths(rasterize(draw_bars(figure, {}, type)));
  REQUIRE(lengths.size() == 4);
  CHECK(lengths[0] == Approx(460).margin(3));  // 0.8 is the end of the value axis
  CHECK(lengths[1] == Approx(lengths[0] / 2.0).margin(2));
  CHECK(lengths[2] == Approx(lengths[0] / 4.0).margin(2));
  CHECK(lengths[3] == Approx(lengths[0] * 0.75).margin(2));
}

TEST_CASE("masked keys have no bar but a mark") {
  Typesetter type;
  BarsFigure figure = make_bars(3);
  figure.values = {0.5F, 0.5F, 0.5F};
  figure.states = {CellState::kValue, CellState::kMasked, CellState::kValue};
  const Image image = rasterize(draw_bars(figure, {}, type));
  CHECK(bar_lengths(image).size() == 2);
  const Rgb band = mix(light_theme().background, light_theme().masked, 0.7);
  CHECK(count_pixels(image, {0, 0, image.width, image.height}, band) > 2000);
}

TEST_CASE("thousands of keys are bounded in size and keep the highest bar") {
  Typesetter type;
  BarsFigure figure = make_bars(50000);
  figure.values.assign(50000, 0.001F);
  figure.values[31234] = 1.0F;
  const Image image = rasterize(draw_bars(figure, {}, type));
  CHECK(image.width < 1800);
  CHECK(image.height < 700);
  int tallest = 0;
  for (int x = 0; x < image.width; ++x) {
    int n = 0;
    for (int y = 0; y < image.height; ++y) n += image.pixel(x, y) == light_theme().accent;
    tallest = std::max(tallest, n);
  }
  CHECK(tallest >= 290);
}

TEST_CASE("odd rows of bars draw: one key, zeros, negative, NaN, missing") {
  Typesetter type;
  for (std::size_t n : {1, 2, 60, 61, 200}) {
    CAPTURE(n);
    BarsFigure figure = make_bars(n);
    CHECK_NOTHROW(draw_bars(figure, {}, type));
    figure.values[0] = -3.0F;
    CHECK_NOTHROW(draw_bars(figure, {}, type));
    figure.values[n - 1] = std::nanf("");
    figure.states.assign(n, CellState::kMissing);
    CHECK_NOTHROW(draw_bars(figure, {}, type));
    figure.keys.labels.clear();
    figure.highlight = n - 1;
    CHECK_NOTHROW(draw_bars(figure, {}, type));
  }
  CHECK_THROWS_AS(draw_bars(make_bars(0), {}, type), mha::Error);
}
