#include <algorithm>
#include <cmath>

#include "mha/analysis/contribution.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"

#include "head_images.hpp"

namespace mha {
namespace {

// Keeps the weights of one layer after another and turns them into its map.
class LayerMapper : public RowSink, public LayerObserver {
 public:
  LayerMapper(const std::vector<std::size_t>& layers, std::size_t n_threads)
      : layers_(layers), n_threads_(n_threads), maps_(layers.size()) {}

  void before_rows(const LayerValues& values) override {
    is_chosen_ = std::ranges::find(layers_, values.layer) != layers_.end();
    shape_ = values.shape;
    n_heads_ = values.layout.n_heads;
    if (is_chosen_) weights_.resize(n_heads_ * shape_.n_query * shape_.n_key);
  }

  std::optional<MatrixView> place_for(std::size_t layer, std::size_t head, std::size_t first_query,
                                      std::size_t rows) override {
    (void)layer;
    if (!is_chosen_) return std::nullopt;
    float* place = weights_.data() + (head * shape_.n_query + first_query) * shape_.n_key;
    return MatrixView{place, rows, shape_.n_key, shape_.n_key};
  }

  // The rows are where place_for() put them.
  void add(const RowBlock& block) override { (void)block; }

  void after_rows(const LayerValues& values, ConstMatrix heads) override;

  std::vector<Matrix> take() { return std::move(maps_); }

 private:
  void fill_columns(const HeadImages& images, std::size_t first_key, std::size_t n_keys,
                    Matrix* map) const;
  double norm_of_sum(const std::vector<double>& gram, std::size_t query, std::size_t key) const;

  const std::vector<std::size_t>& layers_;
  const std::size_t n_threads_;
  std::vector<Matrix> maps_;
  bool is_chosen_ = false;
  AttentionShape shape_;
  std::size_t n_heads_ = 0;
  FloatVector weights_;  // (head, query, key) of the current layer
};

void LayerMapper::after_rows(const LayerValues& values, ConstMatrix heads) {
  (void)heads;
  if (!is_chosen_) return;
  Matrix map(shape_.n_query, shape_.n_key);
  const std::size_t tile = HeadImages::tile_rows(values);
  std::vector<HeadImages> images(effective_threads(n_threads_), HeadImages(values));
  parallel_for(ceil_div(shape_.n_key, tile), n_threads_, [&](std::size_t item, std::size_t worker) {
    const std::size_t first = item * tile;
    const std::size_t n_keys = std::min(tile, shape_.n_key - first);
    images[worker].load_values(first, n_keys);
    fill_columns(images[worker], first, n_keys, &map);
  });
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (layers_[i] == values.layer) maps_[i] = map;
  }
}

void LayerMapper::fill_columns(const HeadImages& images, std::size_t first_key, std::size_t n_keys,
                               Matrix* map) const {
  std::vector<double> gram(n_heads_ * n_heads_);
  for (std::size_t k = 0; k < n_keys; ++k) {
    for (std::size_t h = 0; h < n_heads_; ++h) {
      for (std::size_t other = 0; other <= h; ++other) {
        gram[h * n_heads_ + other] = gram[other * n_heads_ + h] = images.product(h, other, k);
      }
    }
    for (std::size_t i = 0; i < shape_.n_query; ++i) {
      (*map)(i, first_key + k) = static_cast<float>(norm_of_sum(gram, i, first_key + k));
    }
  }
}

// sqrt(a^T G a) for the weights a_h = A_h[query, key]; G is (n_heads, n_heads).
double LayerMapper::norm_of_sum(const std::vector<double>& gram, std::size_t query,
                                std::size_t key) const {
  const std::size_t n_cells = shape_.n_query * shape_.n_key;
  const float* cell = weights_.data() + query * shape_.n_key + key;
  double squared = 0;
  for (std::size_t h = 0; h < n_heads_; ++h) {
    const auto a = static_cast<double>(cell[h * n_cells]);
    if (a == 0) continue;  // a masked key counts nothing, even where its value is not finite
    for (std::size_t other = 0; other < n_heads_; ++other) {
      const auto b = static_cast<double>(cell[other * n_cells]);
      if (b != 0) squared += a * b * gram[h * n_heads_ + other];
    }
  }
  return squared < 0 ? 0 : std::sqrt(squared);  // below zero by rounding alone
}

void check_size(const LayerInfo& info, std::size_t layer) {
  const std::size_t cells = checked_mul(info.shape.n_query, info.shape.n_key);
  const std::size_t weights = checked_mul(info.n_heads, cells);
  if (weights <= kLayerMapWeights) return;
  fail_input(concat("layer ", layer,
                    ": the norm of the sum over heads needs all weights at once; expected at most ",
                    kLayerMapWeights, ", got ", info.n_heads, "x", info.shape.n_query, "x",
                    info.shape.n_key, " = ", weights),
             "use a shorter input, or the norm-based maps of single heads");
}

}  // namespace

std::vector<Matrix> layer_maps(const RowSource& source, const std::vector<std::size_t>& layers,
                               const StreamOptions& options) {
  if (layers.empty()) return {};
  for (std::size_t layer : layers) {
    if (layer >= source.layers().size()) fail_usage(concat("there is no layer ", layer));
    check_size(source.layers()[layer], layer);
  }
  LayerMapper mapper(layers, options.n_threads);
  StreamOptions own = options;
  own.queries = {};
  own.layers = {std::ranges::min(layers), std::ranges::max(layers) + 1};
  own.observers.push_back(&mapper);
  source.stream(mapper, own);
  std::vector<Matrix> maps = mapper.take();
  if (std::ranges::any_of(maps, [](const Matrix& map) { return map.empty(); })) {
    fail_input("the norm of the sum over heads needs V, which this input does not have");
  }
  return maps;
}

}  // namespace mha
