// Calls the observers of a stream.
#pragma once

#include <algorithm>
#include <vector>

#include "mha/attention/layer_observer.hpp"

namespace mha {

// The observers of one layer: none where it was not asked for.
class Observers {
 public:
  Observers(const StreamOptions& options, std::size_t layer) {
    if (options.layers.contains(layer)) all_ = options.observers;
  }
  bool want_heads() const {
    return std::ranges::any_of(all_, [](const LayerObserver* one) { return one->wants_heads(); });
  }
  void before_rows(const LayerValues& values) const {
    for (LayerObserver* observer : all_) observer->before_rows(values);
  }
  void after_rows(const LayerValues& values, ConstMatrix heads) const {
    for (LayerObserver* observer : all_) observer->after_rows(values, heads);
  }

 private:
  std::vector<LayerObserver*> all_;
};

}  // namespace mha
