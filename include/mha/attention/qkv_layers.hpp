// Queries, keys and values that are known, layer by layer, as a source of rows.
#pragma once

#include <vector>

#include "mha/attention/attend.hpp"
#include "mha/attention/stack.hpp"
#include "mha/tensor/storage.hpp"

namespace mha {

// One layer's Q, K and V where they stand; each view lies within its storage.
struct QkvLayer {
  HeadLayout layout;
  AttentionShape shape;
  AttentionRule rule;  // RoPE in it is applied here: leave it out for vectors already rotated
  FloatStorage q_data, k_data, v_data;
  HeadViews q, k, v;        // v.data is null where V is not known: then there is no output
  Projection o;             // maps the concatenated heads; empty: the output is the concatenation
  bool is_rotated = false;  // Q and K were rotated here, as the rule asked
};

class QkvLayers : public RowSource {
 public:
  // Throws Error(kInput) when shapes and rules do not fit, naming the layer.
  explicit QkvLayers(std::vector<QkvLayer> layers);

  const std::vector<LayerInfo>& layers() const override { return infos_; }
  // `options.outputs` gets an output for each layer, or stays empty where some layer has no V.
  void stream(RowSink& sink, const StreamOptions& options) const override;

  const std::vector<QkvLayer>& data() const { return data_; }
  bool has_outputs() const;

 private:
  std::vector<QkvLayer> data_;
  std::vector<LayerInfo> infos_;
};

}  // namespace mha
