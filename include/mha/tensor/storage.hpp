// Floats that somebody keeps alive: a vector of our own, or a stretch of a mapped file.
#pragma once

#include <cassert>
#include <memory>
#include <span>
#include <utility>

#include "mha/tensor/matrix.hpp"

namespace mha {

class FloatStorage {
 public:
  FloatStorage() = default;
  // Takes over a vector.
  explicit FloatStorage(FloatVector data) {
    auto owned = std::make_shared<const FloatVector>(std::move(data));
    data_ = *owned;
    owner_ = std::move(owned);
  }
  // A view of memory that `owner` keeps.
  FloatStorage(std::span<const float> data, std::shared_ptr<const void> owner)
      : data_(data), owner_(std::move(owner)) {}

  const float* data() const { return data_.data(); }
  std::size_t size() const { return data_.size(); }
  bool empty() const { return data_.empty(); }
  std::span<const float> span() const { return data_; }
  FloatStorage part(std::size_t offset, std::size_t count) const {
    assert(offset + count <= data_.size());
    return {data_.subspan(offset, count), owner_};
  }

 private:
  std::span<const float> data_;
  std::shared_ptr<const void> owner_;
};

}  // namespace mha
