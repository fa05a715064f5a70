// Floats that somebody keeps alive: a vector of our own, or a stretch of a mapped file.
#pragma once

#include <cassert>
#include <memory>
#include <span>
#include <utility>

#include "mha/tensor/matrix.hpp"

namespace mha {

// Who can copy floats that stand in a mapped file into memory that is in use already: from the page
// cache that takes a fraction of the time that mapping the file's pages takes.
class FloatCopier {
 public:
  virtual ~FloatCopier() = default;
  // `from` is where the floats stand in memory.
  virtual void copy(const float* from, std::span<float> to) const = 0;
};

class FloatStorage {
 public:
  FloatStorage() = default;
  // Takes over a vector.
  explicit FloatStorage(FloatVector data) {
    auto owned = std::make_shared<const FloatVector>(std::move(data));
    data_ = *owned;
    owner_ = std::move(owned);
  }
  // A view of memory that `owner` keeps, together with the copier, if any.
  FloatStorage(std::span<const float> data, std::shared_ptr<const void> owner,
               const FloatCopier* copier = nullptr)
      : data_(data), owner_(std::move(owner)), copier_(copier) {}

  const float* data() const { return data_.data(); }
  std::size_t size() const { return data_.size(); }
  bool empty() const { return data_.empty(); }
  std::span<const float> span() const { return data_; }
  FloatStorage part(std::size_t offset, std::size_t count) const {
    assert(offset + count <= data_.size());
    return {data_.subspan(offset, count), owner_, copier_};
  }
  // Floats [offset, offset + count), for those who pass over all of the data once: where they
  // stand, or copied to `buffer` where that is faster. Valid until the next use of the buffer.
  std::span<const float> stretch(std::size_t offset, std::size_t count, FloatVector* buffer) const {
    assert(offset + count <= data_.size());
    if (copier_ == nullptr) return data_.subspan(offset, count);
    buffer->resize(count);
    copier_->copy(data_.data() + offset, *buffer);
    return *buffer;
  }
  // The same floats for those who pass over them more than once or in no order: where they stand,
  // or copied where that is faster.
  FloatStorage in_memory(std::size_t n_threads) const;

 private:
  std::span<const float> data_;
  std::shared_ptr<const void> owner_;
  const FloatCopier* copier_ = nullptr;
};

}  // namespace mha
