// Attention scores that are known from before the softmax, as a source of rows.
#pragma once

#include <vector>

#include "mha/attention/row_block.hpp"
#include "mha/tensor/storage.hpp"

namespace mha {

// The scores of one layer, finished (scaled, biased); minus infinity hides a cell.
struct ScoreLayer {
  std::size_t n_heads = 0;
  AttentionShape shape;
  FloatStorage scores;  // (n_heads, n_query, n_key)
  MaskRule mask;        // applied on top
};

class KnownScores : public RowSource {
 public:
  // Throws Error(kInput) when sizes or masks do not fit.
  explicit KnownScores(std::vector<ScoreLayer> layers);

  const std::vector<LayerInfo>& layers() const override { return infos_; }
  void stream(RowSink& sink, const StreamOptions& options) const override;

  const std::vector<ScoreLayer>& data() const { return data_; }

 private:
  std::vector<ScoreLayer> data_;
  std::vector<LayerInfo> infos_;
};

}  // namespace mha
