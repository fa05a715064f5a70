// Attention weights that are already known, as a source of rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mha/attention/row_block.hpp"
#include "mha/tensor/storage.hpp"

namespace mha {

// The weights of one layer; layers may differ in their number of heads.
struct PrecomputedLayer {
  std::size_t n_heads = 0;
  AttentionShape shape;
  FloatStorage weights;               // (n_heads, n_query, n_key); NaN allowed
  std::vector<std::uint8_t> missing;  // same shape, 1 = the cell does not exist; or empty
  MaskRule mask;                      // what the input declares about the mask
};

// "2 weights are not finite numbers; they are drawn in their own colour".
std::string non_finite_text(std::uint64_t n_weights);

class PrecomputedAttention : public RowSource {
 public:
  // Rows must sum to 1 within kRowSumTolerance, or within the rounding of four decimals (noted); a
  // row of zeros counts as fully masked. Tiny negative weights become 0 (noted). Where a weight
  // that the declared mask forbids is not zero, a warning names the largest and the mask is not
  // applied to that layer. Throws Error(kInput) naming the worst row.
  static constexpr double kRowSumTolerance = 1e-3;
  explicit PrecomputedAttention(std::vector<PrecomputedLayer> layers);

  // What a row was found to be when it was checked.
  enum class RowKind : std::uint8_t { kPlain, kZero, kNonFinite };

  const std::vector<LayerInfo>& layers() const override { return infos_; }
  void stream(RowSink& sink, const StreamOptions& options) const override;

  // What was noticed while checking, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<PrecomputedLayer> data_;
  std::vector<std::vector<RowKind>> kinds_;  // [layer][head * n_query + query]
  std::vector<LayerInfo> infos_;
  std::vector<std::string> notes_;
};

}  // namespace mha
