#include "score_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/tensor/gemm.hpp"

namespace mha {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// A step that makes each score s of (query i, key j) into f(s, i, j), in double precision.
template <typename Function>
void add_step(StepKind kind, Walkthrough* walk, const Function& f) {
  Matrix next = walk->steps.back().values;
  for (std::size_t i = 0; i < next.rows(); ++i) {
    for (std::size_t j = 0; j < next.cols(); ++j) {
      next(i, j) = static_cast<float>(f(static_cast<double>(next(i, j)), i, j));
    }
  }
  walk->steps.push_back({kind, std::move(next)});
}

void add_rule_steps(Walkthrough* walk) {
  const AttentionRule& rule = walk->rule;
  if (rule.softcap) {
    add_step(StepKind::kCapped, walk, [c = *rule.softcap](double s, std::size_t, std::size_t) {
      return c * std::tanh(s / c);
    });
  }
  if (rule.position == PositionKind::kAlibi) {
    const auto offset = static_cast<double>(walk->shape.position_offset());
    add_step(StepKind::kAlibi, walk, [&](double s, std::size_t i, std::size_t j) {
      return s - walk->slope * std::fabs(static_cast<double>(i) + offset - static_cast<double>(j));
    });
  }
  if (!walk->bias.empty()) {
    add_step(StepKind::kBias, walk, [&](double s, std::size_t i, std::size_t j) {
      return s + static_cast<double>(walk->bias[i * walk->shape.n_key + j]);
    });
  }
  if (rule.temperature != 1) {
    add_step(StepKind::kTemperature, walk,
             [&](double s, std::size_t, std::size_t) { return s / rule.temperature; });
  }
}

// `hiding` (n_query, n_key) or null: its minus infinities hide cells as well.
void find_allowed(const float* hiding, Walkthrough* walk) {
  const AttentionShape& shape = walk->shape;
  RowMasker masker(walk->rule.mask, shape);
  walk->allowed.resize(shape.n_query * shape.n_key);
  const std::vector<RowMask>& rows = masker.rows(0, shape.n_query, {hiding, nullptr});
  for (std::size_t i = 0; i < shape.n_query; ++i) {
    for (std::size_t j = 0; j < shape.n_key; ++j) {
      walk->allowed[i * shape.n_key + j] = rows[i].allows(j) ? 1 : 0;
    }
  }
}

void add_masked(Walkthrough* walk) {
  const bool hides = std::ranges::find(walk->allowed, 0) != walk->allowed.end();
  if (!hides && walk->rule.mask.empty()) return;
  add_step(StepKind::kMasked, walk, [walk](double s, std::size_t i, std::size_t j) {
    return walk->allows(i, j) ? s : static_cast<double>(kMinusInfinity);
  });
}

// Softmax of the allowed scores of one row; the same special cases as the engine: no finite score
// gives zeros, a score that is NaN or plus infinity makes every allowed weight NaN.
void softmax_row_of(const Walkthrough& walk, std::size_t i, std::span<float> row) {
  double largest = static_cast<double>(kMinusInfinity);
  bool is_finite = true;
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (!walk.allows(i, j)) continue;
    const auto score = static_cast<double>(row[j]);
    is_finite = is_finite && !std::isnan(score) && score < -static_cast<double>(kMinusInfinity);
    largest = std::max(largest, score);
  }
  double sum = 0;
  std::vector<double> powers(row.size(), 0.0);
  for (std::size_t j = 0; j < row.size() && std::isfinite(largest); ++j) {
    if (walk.allows(i, j)) powers[j] = std::exp(static_cast<double>(row[j]) - largest);
    sum += powers[j];
  }
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = sum > 0 ? static_cast<float>(powers[j] / sum) : 0.0F;
    if (!is_finite && walk.allows(i, j)) row[j] = std::numeric_limits<float>::quiet_NaN();
  }
}

void add_masked_and_weights(Walkthrough* walk) {
  add_masked(walk);
  Matrix weights = walk->steps.back().values;
  for (std::size_t i = 0; i < weights.rows(); ++i) {
    softmax_row_of(*walk, i, weights.view().row(i));
  }
  walk->steps.push_back({StepKind::kWeights, std::move(weights)});
}

}  // namespace

void add_score_steps(ConstMatrix q, ConstMatrix k, Walkthrough* walk) {
  Matrix scores(q.rows, k.rows);
  gemm_transposed_b(1, q, k, 0, scores.view());
  walk->steps.push_back({StepKind::kScores, std::move(scores)});
  const double scale = walk->rule.scale_for(walk->layout.d_head);
  add_step(StepKind::kScaled, walk,
           [scale](double s, std::size_t, std::size_t) { return scale * s; });
  add_rule_steps(walk);
  find_allowed(walk->bias.empty() ? nullptr : walk->bias.data(), walk);
  add_masked_and_weights(walk);
}

void add_known_scores(const Matrix& scores, Walkthrough* walk) {
  walk->steps.push_back({StepKind::kScores, scores});
  find_allowed(scores.data(), walk);
  add_masked_and_weights(walk);
}

}  // namespace mha
