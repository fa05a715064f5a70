// What the engine yields and every analysis sees: complete softmax rows of one head.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mha/attention/mask.hpp"
#include "mha/tensor/matrix.hpp"

namespace mha {

// Rows [first_query, first_query + weights.rows) of one head. weights is (rows, n_key); masked
// cells are 0, a fully masked row is all 0, a row with non-finite scores is NaN where allowed.
// All views are valid only during the call that hands the block over.
struct RowBlock {
  std::size_t layer = 0;
  std::size_t head = 0;
  std::size_t first_query = 0;
  ConstMatrix weights;
  std::span<const RowMask> masks;  // one a row
  const AttentionShape* shape = nullptr;
};

// How keys share the cells of a picture: cell c covers keys [first_key + c * pool, ... + pool).
struct ColumnPool {
  enum class Kind { kMax, kSum };
  std::size_t first_key = 0;
  std::size_t pool = 1;
  Kind kind = Kind::kMax;

  bool operator==(const ColumnPool&) const = default;
};

// Rows of one head pooled along the keys: values is (rows, cells), the largest weight or the sum of
// the weights of each cell; NaN where a row is not finite. Only the cells that touch the keys
// [begin, end) of a row's mask are set; 0 there where no key is allowed.
struct PooledBlock {
  std::size_t layer = 0;
  std::size_t head = 0;
  std::size_t first_query = 0;
  ConstMatrix values;
  std::span<const RowMask> masks;  // one a row
  const AttentionShape* shape = nullptr;
};

// Receives blocks. add() is called by several threads at once, for different blocks, in any order:
// an implementation whose state blocks share must lock it, and must not depend on the order.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void add(const RowBlock& block) = 0;

  // Memory (rows, n_key) that the engine should write these rows to, when the sink keeps them
  // anyway; the block handed to add() is then a view of it. The engine reads it again after add(),
  // for the products with V: it must stay until a row of a later layer is asked for.
  virtual std::optional<MatrixView> place_for(std::size_t layer, std::size_t head,
                                              std::size_t first_query, std::size_t rows) {
    (void)layer, (void)head, (void)first_query, (void)rows;
    return std::nullopt;
  }

  // A sink that needs no single weights, only these pooled ones, may get add_pooled() instead of
  // add(): the engine then never holds a row. Sources that have whole rows anyway call add().
  virtual std::optional<ColumnPool> column_pool() const { return std::nullopt; }
  virtual void add_pooled(const PooledBlock& block) { (void)block; }
};

// For those who want outputs or observers alone, and for layers that nobody asked for.
class NoRows : public RowSink {
 public:
  void add(const RowBlock& block) override { (void)block; }
};

// One layer as a source of rows knows it.
struct LayerInfo {
  std::size_t n_heads = 0;
  AttentionShape shape;
  const MaskRule* mask = nullptr;  // never null in a source's answer
};

// Queries [first, end).
struct QueryRange {
  std::size_t first = 0;
  std::size_t end = static_cast<std::size_t>(-1);  // beyond the last query: to the end

  std::size_t end_of(std::size_t n_query) const { return end < n_query ? end : n_query; }
  std::size_t count_of(std::size_t n_query) const {
    return end_of(n_query) > first ? end_of(n_query) - first : 0;
  }
};

// Layers [first, end).
struct LayerRange {
  std::size_t first = 0;
  std::size_t end = static_cast<std::size_t>(-1);  // beyond the last layer: to the end

  bool contains(std::size_t layer) const { return layer >= first && layer < end; }
};

class LayerObserver;

struct StreamOptions {
  std::size_t n_threads = 0;   // 0 = all cores; never changes a result
  std::size_t block_rows = 0;  // 0 = from the shapes
  // Rows outside may be left out where nothing else needs them; a source may also stream them.
  QueryRange queries;
  // Rows, outputs and observers of other layers are left out.
  LayerRange layers;
  std::vector<Matrix>* outputs = nullptr;  // gets Y (n_query, d_model) of each layer where known
  // Stacks keep X of the layers after the first here, and start from what is here already: a
  // caller that streams single layers passes the same vector each time.
  std::vector<Matrix>* inputs = nullptr;
  std::vector<LayerObserver*> observers;  // called by sources that know V: stacks of layers
};

// Anything that can yield attention rows: a stack of layers to compute, or weights already known.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual const std::vector<LayerInfo>& layers() const = 0;
  // Hands every row of every head to the sink, one layer after another. May be called again; the
  // rows are the same.
  virtual void stream(RowSink& sink, const StreamOptions& options) const = 0;
};

// Number of rows in one block of a head: from the shapes alone.
std::size_t default_block_rows(const AttentionShape& shape);

}  // namespace mha
