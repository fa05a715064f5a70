// One head of one layer, step by step: every matrix between the input and the output, in the order
// of docs/formulas.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "mha/attention/known_scores.hpp"
#include "mha/attention/qkv_layers.hpp"
#include "mha/attention/stack.hpp"

namespace mha {

// In the order in which they happen. A walkthrough has only those that its rule and input have.
enum class StepKind : std::uint8_t {
  kInput,        // X (n_query, d_model)
  kContext,      // cross-attention: what keys and values are made from (n_key, d_context)
  kKvHeads,      // grouped queries: (n_heads, n_kv_heads), 1 where a head reads a key-value head
  kQueryWeight,  // the slice of W_Q that the head has (d_model, d_head); its bias beside it
  kKeyWeight,
  kValueWeight,
  kQueries,        // Q (n_query, d_head)
  kKeys,           // K (n_key, d_head)
  kValues,         // V (n_key, d_value)
  kNormedQueries,  // each divided by its root mean square, times the norm's weight
  kNormedKeys,
  kRotatedQueries,
  kRotatedKeys,
  kScores,  // Q K^T (n_query, n_key), as all steps down to the weights
  kScaled,
  kCapped,
  kAlibi,
  kBias,
  kTemperature,
  kMasked,        // minus infinity where the query may not look
  kWeights,       // A: rows sum to 1, or to 0 where everything is masked
  kHeadOutput,    // A V (n_query, d_value)
  kConcat,        // the outputs of all heads (n_query, n_heads d_value)
  kOutputWeight,  // W_O (n_heads d_value, d_out); its bias beside it
  kOutput,        // (n_query, d_out)
  kResidual,      // the output plus X
};

struct Step {
  StepKind kind;
  Matrix values;
  std::vector<float> bias = {};  // of a weight step: added to each row of its product; or empty
};

struct Walkthrough {
  std::size_t head = 0;
  HeadLayout layout;
  AttentionShape shape;
  AttentionRule rule;       // without its bias, which stands here:
  std::vector<float> bias;  // of this head (n_query, n_key), or empty
  double slope = 0;         // ALiBi's of this head
  bool is_rotated = false;  // Q and K come from elsewhere and carry their positions already
  std::vector<std::uint8_t> allowed;  // (n_query, n_key): 1 = takes part in the softmax
  std::vector<Step> steps;

  std::size_t kv_head() const { return layout.kv_head(head); }
  bool allows(std::size_t query, std::size_t key) const {
    return allowed[query * shape.n_key + key] != 0;
  }
  // Null where the walkthrough has no such step.
  const Step* find(StepKind kind) const;
};

// One layer, ready to be walked through head by head. Holds queries x keys of all steps of one
// head: for inputs of some hundred tokens.
class LayerWalk {
 public:
  // From the embeddings on. The parts must fit together, as AttentionStack checks.
  explicit LayerWalk(LayerInput input, std::size_t n_threads = 0);
  // From Q, K and (where they are known) V on.
  explicit LayerWalk(const QkvLayer& layer, std::size_t n_threads = 0);
  // From the finished scores on.
  explicit LayerWalk(const ScoreLayer& layer);

  const HeadLayout& layout() const { return layout_; }
  const AttentionShape& shape() const { return shape_; }

  Walkthrough head(std::size_t head) const;

 private:
  void project(std::size_t n_threads);
  void join_heads(std::size_t n_threads);
  Walkthrough begin(std::size_t head) const;
  void add_scores(Walkthrough* walk) const;
  void add_inputs(Walkthrough* walk) const;
  void add_weights(Walkthrough* walk) const;
  void add_vectors(Walkthrough* walk) const;
  void add_outputs(Walkthrough* walk) const;

  HeadLayout layout_;
  AttentionShape shape_;
  AttentionRule rule_;
  std::optional<LayerInput> input_;
  Projection o_;
  bool is_rotated_ = false;
  Matrix q_, k_, v_;                  // all heads side by side, as projected
  Matrix normed_q_, normed_k_;        // with norms of heads
  Matrix rotated_q_, rotated_k_;      // with RoPE
  std::vector<Matrix> known_scores_;  // one a head
  Matrix concat_, output_;            // where V is known
};

}  // namespace mha
