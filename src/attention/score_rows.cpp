#include "score_rows.hpp"

#include <cmath>
#include <limits>

namespace mha {

ScoreRows::ScoreRows(const AttentionProblem& problem)
    : problem_(problem),
      rule_(*problem.rule),
      scale_(static_cast<float>(rule_.scale_for(problem.layout.d_head))) {
  if (rule_.position == PositionKind::kAlibi) slopes_ = alibi_slopes(problem.layout.n_heads);
}

const float* ScoreRows::bias_rows(std::size_t head, std::size_t query) const {
  if (rule_.bias.empty()) return nullptr;
  const std::size_t bias_head = rule_.bias_heads == 1 ? 0 : head;
  const AttentionShape& shape = problem_.shape;
  return rule_.bias.data() + (bias_head * shape.n_query + query) * shape.n_key;
}

void ScoreRows::finish(const Piece& piece, const RowMask& mask) const {
  if (rule_.softcap) cap(piece);
  if (!slopes_.empty()) add_distance_penalty(piece);
  if (const float* bias = bias_rows(piece.head, piece.query)) {
    for (std::size_t j = 0; j < piece.scores.size(); ++j) piece.scores[j] += bias[piece.begin + j];
  }
  if (rule_.temperature != 1) {
    const auto inverse = static_cast<float>(1.0 / rule_.temperature);
    for (float& score : piece.scores) score *= inverse;
  }
  if (mask.cells == nullptr) return;
  for (std::size_t j = 0; j < piece.scores.size(); ++j) {
    if (mask.cells[piece.begin + j] != kCellAllowed) {
      piece.scores[j] = -std::numeric_limits<float>::infinity();
    }
  }
}

void ScoreRows::cap(const Piece& piece) const {
  const auto limit = static_cast<float>(*rule_.softcap);
  for (float& score : piece.scores) score = limit * std::tanh(score / limit);
}

void ScoreRows::add_distance_penalty(const Piece& piece) const {
  const auto slope = static_cast<float>(slopes_[piece.head]);
  const auto position = static_cast<float>(piece.query + problem_.shape.position_offset());
  for (std::size_t j = 0; j < piece.scores.size(); ++j) {
    piece.scores[j] -= slope * std::fabs(position - static_cast<float>(piece.begin + j));
  }
}

}  // namespace mha
