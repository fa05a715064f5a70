// A file of known weights, 12 layers x 12 heads x 512 x 512: reading, checking, row statistics and
// pooling, in bytes of weights a second.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "mha/analysis/cell_maps.hpp"
#include "mha/analysis/head_scores.hpp"
#include "mha/base/parallel.hpp"
#include "mha/io/npy.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/source/tensor_input.hpp"

#include "bench/bench.hpp"

namespace mha::bench {
namespace {

constexpr std::size_t kLayers = 12, kHeads = 12, kTokens = 512;

// Causal rows that fall off with distance; head h of layer l looks back more or less far.
void write_weights(const std::string& path) {
  OutputFile file(path);
  file.write(npy_header({kLayers, kHeads, kTokens, kTokens}));
  std::vector<float> row(kTokens);
  for (std::size_t head = 0; head < kLayers * kHeads; ++head) {
    for (std::size_t i = 0; i < kTokens; ++i) {
      float sum = 0;
      for (std::size_t j = 0; j < kTokens; ++j) {
        row[j] = j > i ? 0 : 1.0F / static_cast<float>(1 + (i - j) * (head % 7 + 1));
        sum += row[j];
      }
      for (float& w : row) w /= sum;
      file.write(
          std::string_view(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float)));
    }
  }
  file.commit();
}

std::shared_ptr<const TensorSource> open(const std::string& path) {
  return open_tensor_path(path, SIZE_MAX);
}

// Seconds from a source to results; without one the file is mapped and unmapped as well.
double run(const std::string& path, const std::shared_ptr<const TensorSource>& mapped) {
  double previous = 0;
  const double time = seconds([&] {
    std::vector<NamedInput> inputs = open_tensors(mapped ? mapped : open(path), {});
    std::vector<HeadSlot> slots;
    for (std::size_t h = 0; h < kLayers * kHeads; ++h) slots.push_back({h / kHeads, h % kHeads});
    Analysis analysis(*inputs[0].input.rows, slots);
    HeadScoresAccumulator stats(slots.size());
    CellMapsAccumulator maps(analysis, {4, 0, PoolKind::kMax});
    analysis.attach(&stats);
    analysis.attach(&maps);
    analysis.run({});
    previous = stats.scores(0)[MeanScore::kPrevious].mean();
  });
  // Head 0 weighs keys by 1 / (1 + distance).
  double expected = 0;
  double harmonic = 1;
  for (std::size_t i = 1; i < kTokens; ++i) {
    harmonic += 1.0 / static_cast<double>(i + 1);
    expected += 0.5 / harmonic / (kTokens - 1);
  }
  if (std::abs(previous - expected) < 1e-5) return time;
  std::fprintf(stderr, "previous is %g, expected %g\n", previous, expected);
  std::exit(1);
}

}  // namespace
}  // namespace mha::bench

int main() {
  using namespace mha::bench;
  const std::string path =
      (std::filesystem::temp_directory_path() / "mha-bench-weights.npy").string();
  write_weights(path);
  std::vector<double> whole;
  std::vector<double> resident;
  {
    const auto mapped = open(path);
    for (int i = 0; i < 9; ++i) {
      whole.push_back(run(path, nullptr));
      resident.push_back(run(path, mapped));
    }
  }
  std::filesystem::remove(path);
  resident.erase(resident.begin());  // it maps the pages
  const double bytes = 4.0 * kLayers * kHeads * kTokens * kTokens;
  const std::size_t cores = mha::effective_threads(0);
  const auto print = [&](const char* what, double time) {
    std::printf("%-44s %4.0f ms, %.2f GB/s, %.2f GB/s a core on %zu cores\n", what, time * 1e3,
                bytes / time * 1e-9, bytes / time * 1e-9 / static_cast<double>(cores), cores);
  };
  std::printf("144 heads of 512 x 512, %.0f MB: checked, row statistics, pooled\n", bytes * 1e-6);
  print("with mapping and unmapping the cached file", median(whole));
  print("its pages mapped already", median(resident));
  return 0;
}
