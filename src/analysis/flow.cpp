#include "mha/analysis/flow.hpp"

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"

#include "layer_mixer.hpp"
#include "max_flow.hpp"

namespace mha {
namespace {

void check_cells(std::size_t n_layers, std::size_t n, std::size_t limit) {
  const std::size_t cells = checked_mul(n_layers, checked_mul(n, n));
  if (cells <= limit) return;
  fail_input(concat("attention flow is for at most ", limit, " cells in all layers, got ", n_layers,
                    "x", n, "x", n, " = ", cells),
             "use a shorter input, or the rollout");
}

// Node (l, i) is l * n + i: input tokens at l = 0, the last layer's at l = n_layers.
FlowGraph layered_graph(const RowSource& source, std::size_t n, std::size_t n_threads) {
  const std::size_t n_layers = source.layers().size();
  FlowGraph graph((n_layers + 1) * n);
  LayerMixer mixer(source, n_threads);
  for (std::size_t l = 0; l < n_layers; ++l) {
    mixer.rows(l, [&](std::size_t query, std::span<const double> row) {
      for (std::size_t j = 0; j < n; ++j) {
        if (row[j] > 0) graph.add_edge((l + 1) * n + query, l * n + j, row[j]);
      }
    });
  }
  return graph;
}

Matrix normalised_rows(const Matrix& raw) {
  Matrix out(raw.rows(), raw.cols());
  for (std::size_t t = 0; t < raw.rows(); ++t) {
    double sum = 0;
    for (float flow : raw.view().row(t)) sum += static_cast<double>(flow);
    for (std::size_t j = 0; j < raw.cols(); ++j) {
      out(t, j) = static_cast<float>(static_cast<double>(raw(t, j)) / sum);
    }
  }
  return out;
}

}  // namespace

Flow attention_flow(const RowSource& source, const FlowOptions& options) {
  const std::size_t n = common_tokens(source);
  const std::size_t n_layers = source.layers().size();
  check_tokens(options.tokens, n);
  check_cells(n_layers, n, options.cell_limit);
  const FlowGraph graph = layered_graph(source, n, options.n_threads);
  std::vector<MaxFlow> workers(effective_threads(options.n_threads), MaxFlow(graph));
  Flow out;
  out.raw = Matrix(options.tokens.size(), n);
  parallel_for(
      options.tokens.size() * n, options.n_threads, [&](std::size_t item, std::size_t worker) {
        const std::size_t top = n_layers * n + options.tokens[item / n];
        out.raw(item / n, item % n) = static_cast<float>(workers[worker].run(top, item % n));
      });
  // A token always reaches its own input, so that no row is zero.
  out.normalised = normalised_rows(out.raw);
  return out;
}

}  // namespace mha
