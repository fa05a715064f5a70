#include "mha/analysis/rollout.hpp"

#include <algorithm>
#include <numeric>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/tensor/gemm.hpp"

#include "layer_mixer.hpp"
#include "token_rollout.hpp"

namespace mha {
namespace {

Matrix chosen_rows(const Matrix& all, const std::vector<std::size_t>& tokens) {
  Matrix out(tokens.size(), all.cols());
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    std::ranges::copy(all.view().row(tokens[t]), out.view().row(t).begin());
  }
  return out;
}

void dense_rollout(const RowSource& source, std::size_t n_threads, Rollout* out) {
  const std::size_t n = source.layers().front().shape.n_query;
  LayerMixer mixer(source, n_threads);
  Matrix below;  // R_(l-1)
  for (std::size_t l = 0; l < source.layers().size(); ++l) {
    Matrix abar(n, n);
    mixer.rows(l, [&](std::size_t query, std::span<const double> row) {
      std::ranges::transform(row, abar.view().row(query).begin(),
                             [](double weight) { return static_cast<float>(weight); });
    });
    if (l == 0) {
      below = std::move(abar);
      continue;
    }
    out->below.push_back(chosen_rows(below, out->tokens));
    Matrix product(n, n);
    parallel_gemm(std::as_const(abar).view(), std::as_const(below).view(), {}, product.view(),
                  n_threads);
    below = std::move(product);
  }
  out->last = chosen_rows(below, out->tokens);
}

}  // namespace

Rollout rollout(const RowSource& source, const RolloutOptions& options) {
  const std::size_t n = common_tokens(source);
  check_tokens(options.tokens, n);
  Rollout out;
  out.tokens = options.tokens;
  if (n > options.dense_limit) {
    if (options.tokens.empty()) {
      fail_input(concat("the rollout of all tokens is for at most ", options.dense_limit,
                        " tokens, got ", n),
                 "choose the tokens to roll out");
    }
    out.last = token_rollout(source, options.tokens, options.n_threads);
    return out;
  }
  if (out.tokens.empty()) {
    out.tokens.resize(n);
    std::iota(out.tokens.begin(), out.tokens.end(), std::size_t{0});
  }
  dense_rollout(source, options.n_threads, &out);
  return out;
}

}  // namespace mha
