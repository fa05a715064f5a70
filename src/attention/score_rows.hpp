// The rule of one layer as it applies to pieces of score rows, shared by the engine's passes.
#pragma once

#include <span>
#include <vector>

#include "mha/attention/attend.hpp"

namespace mha {

class ScoreRows {
 public:
  // `problem` must outlive this object.
  explicit ScoreRows(const AttentionProblem& problem);

  // Factor of Q K^T.
  float scale() const { return scale_; }

  // Bias of head `head` from query `query` on, or null: (rows, n_key).
  const float* bias_rows(std::size_t head, std::size_t query) const;

  // Keys [begin, end) of one row: a piece holds their scaled dot products.
  struct Piece {
    std::size_t head;
    std::size_t query;
    std::size_t begin;
    std::span<float> scores;
  };
  // Applies softcap, ALiBi, bias and temperature, in this order, and sets masked cells to minus
  // infinity. The piece must lie within the range of the mask.
  void finish(const Piece& piece, const RowMask& mask) const;

 private:
  void cap(const Piece& piece) const;
  void add_distance_penalty(const Piece& piece) const;

  const AttentionProblem& problem_;
  const AttentionRule& rule_;
  std::vector<double> slopes_;  // ALiBi, one a head; or empty
  float scale_;
};

}  // namespace mha
