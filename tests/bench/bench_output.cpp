// Writing: weights as JSON text, and heatmaps as PNG.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "mha/base/parallel.hpp"
#include "mha/render/heatmap.hpp"
#include "mha/render/png.hpp"
#include "mha/report/json_writer.hpp"

#include "bench/bench.hpp"

namespace mha::bench {
namespace {

constexpr std::size_t kTokens = 512;
constexpr std::size_t kHeads = 12;

// Rows like those of a real head: most weights small, a few large, summing to 1.
std::vector<float> softmax_like(unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, 2);
  std::vector<float> out(kTokens * kTokens);
  for (std::size_t i = 0; i < kTokens; ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < kTokens; ++j)
      sum += out[i * kTokens + j] = std::exp(normal(engine));
    for (std::size_t j = 0; j < kTokens; ++j) out[i * kTokens + j] /= sum;
  }
  return out;
}

void bench_json() {
  std::vector<float> weights;
  for (unsigned h = 0; h < kHeads; ++h) {
    const std::vector<float> head = softmax_like(h);
    weights.insert(weights.end(), head.begin(), head.end());
  }
  std::string text;
  text.reserve(std::size_t{64} << 20);
  const auto write = [&] {
    text.clear();
    JsonWriter writer([&text](std::string_view piece) { text += piece; });
    writer.begin_array();
    for (std::size_t r = 0; r < kHeads * kTokens; ++r) {
      writer.numbers({weights.data() + r * kTokens, kTokens});
    }
    writer.end_array();
    writer.finish();
  };
  write();
  // Every number must read back as itself.
  const char* at = text.c_str();
  for (float weight : weights) {
    while (*at != '-' && (*at < '0' || *at > '9')) ++at;
    char* end = nullptr;
    if (std::strtof(at, &end) != weight) {
      std::fprintf(stderr, "a number in the JSON text is wrong\n");
      std::exit(1);
    }
    at = end;
  }
  std::vector<double> times;
  for (int i = 0; i < 15; ++i) times.push_back(seconds(write));
  const double time = median(times);
  std::printf("JSON, %zu weights: %.1f MB in %.1f ms, %.0f MB/s on one core\n", weights.size(),
              static_cast<double>(text.size()) * 1e-6, time * 1e3,
              static_cast<double>(text.size()) * 1e-6 / time);
}

void bench_png() {
  render::Typesetter typesetter;
  render::HeatmapFrame frame;
  frame.rows.title = "query (attends from)";
  frame.cols.title = "key (attends to)";
  for (std::size_t i = 0; i < kTokens; ++i)
    frame.rows.labels.push_back("token" + std::to_string(i));
  frame.cols.labels = frame.rows.labels;
  render::PictureStyle style;
  style.cell_px = 1;
  const render::HeatmapPainter painter(frame, {kTokens, kTokens}, style, typesetter);
  std::vector<render::CellGrid> grids;
  for (unsigned h = 0; h < kHeads; ++h) grids.push_back({kTokens, kTokens, softmax_like(h), {}});
  std::vector<double> paint_times, encode_times;
  std::size_t bytes = 0;
  for (int round = 0; round < 5; ++round) {
    for (const render::CellGrid& grid : grids) {
      render::Image image;
      paint_times.push_back(seconds([&] {
        image = render::rasterize(
            painter.paint({"L0H0", "caption", {}}, grid, {"", render::ScaleKind::kLinear, 0, 0.1}));
      }));
      encode_times.push_back(seconds([&] { bytes = render::encode_png(image).size(); }));
    }
  }
  std::printf("PNG, 512x512 cells of 1 px plus frame: paint %.1f ms, encode %.1f ms, %.0f kB\n",
              median(paint_times) * 1e3, median(encode_times) * 1e3,
              static_cast<double>(bytes) * 1e-3);
}

}  // namespace
}  // namespace mha::bench

int main() {
  mha::bench::bench_json();
  mha::bench::bench_png();
  return 0;
}
