// A whole checkpoint: opening it, and the attention of all its layers, beside sgemm alone.
//
//   bench_model FOLDER [n_tokens] [n_threads]
//
// FOLDER as scripts/bench_torch_model.py --write makes it, or any model in the Hugging Face layout.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "mha/base/parallel.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/model/transformer.hpp"
#include "mha/tensor/gemm.hpp"

#include "bench/bench.hpp"
#include "support/collect.hpp"

namespace mha::bench {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::uint32_t> made_up_ids(std::size_t n, std::size_t vocab_size) {
  std::vector<std::uint32_t> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = static_cast<std::uint32_t>((i * 7919 + 13) % vocab_size);
  }
  return out;
}

// Multiply-adds of the products with weights alone: projections and feed-forward.
double multiply_adds(const ModelConfig& config, std::size_t n) {
  const auto d = static_cast<double>(config.d_model);
  const auto heads = static_cast<double>(2 * (config.n_heads + config.n_kv_heads) * config.d_head);
  const double n_wide = config.mlp == MlpKind::kGated ? 3 : 2;
  return static_cast<double>(n * config.n_layers) * d *
         (heads + n_wide * static_cast<double>(config.d_inner));
}

int run(const std::string& folder, std::size_t n, std::size_t n_threads) {
  std::shared_ptr<const Transformer> model;
  const auto open = [&] {
    model = Transformer::open(read_text(folder + "/config.json"),
                              open_tensor_path(folder + "/model.safetensors", SIZE_MAX));
  };
  open();
  const double opening = seconds(open);
  const ModelConfig& config = model->config();
  const TransformerRows rows(model, {made_up_ids(n, config.vocab_size), {}, {}});
  StreamOptions options;
  options.n_threads = n_threads;
  NoRows sink;
  // The reference: one product of the size of a feed-forward part, again and again.
  const Matrix x = test::random_matrix(n, config.d_model, 1);
  const Matrix w = test::random_matrix(config.d_model, config.d_inner, 2);
  Matrix y(n, config.d_inner);
  constexpr int kProducts = 16;
  const auto gemms = [&] {
    for (int i = 0; i < kProducts; ++i) {
      parallel_gemm(x.view(), w.view(), {}, y.view(), n_threads);
    }
  };
  const Pair pair = compare(
      5, [&] { rows.stream(sink, options); }, gemms);
  const double gemm_adds = kProducts * static_cast<double>(n * config.d_model * config.d_inner);
  const double share = multiply_adds(config, n) / gemm_adds * pair.ratio;
  std::printf("%s: %zu layers, %zu heads, d_model %zu, n %zu, %zu threads\n",
              config.model_type.c_str(), config.n_layers, config.n_heads, config.d_model, n,
              effective_threads(n_threads));
  std::printf("open                     %8.1f ms\n", 1e3 * opening);
  std::printf("attention of all layers  %8.1f ms\n", 1e3 * pair.ours);
  std::printf("sgemm                    %8.1f GFLOP/s\n", 2e-9 * gemm_adds / pair.reference);
  std::printf("products with weights at that rate: %.2f of the pass\n", share);
  return 0;
}

}  // namespace
}  // namespace mha::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_model FOLDER [n_tokens] [n_threads]\n");
    return 2;
  }
  mha::bench::keep_freed_memory();
  const std::size_t n = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 512;
  const std::size_t n_threads = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0;
  return mha::bench::run(argv[1], n, n_threads);
}
