#include "weights_stream.hpp"

#include <algorithm>
#include <utility>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"

namespace mha::cli {
namespace {

// So much is handed to the system at once: a run that is given up ends soon.
constexpr std::size_t kFloatsAtOnce = std::size_t{1} << 22;

std::span<const unsigned char> head_bytes(std::span<const float> floats) {
  return {reinterpret_cast<const unsigned char*>(floats.data()), floats.size_bytes()};
}

}  // namespace

WeightsStream::WeightsStream(std::unique_ptr<OutputFile> file, const std::string& header,
                             DenseWeights* weights, std::size_t n_slots)
    : file_(std::move(file)), n_missing_(n_slots) {
  file_->write(header);
  std::uint64_t offset = header.size();
  for (std::size_t slot = 0; slot < n_slots; ++slot) {
    offsets_.push_back(offset);
    offset += weights->size(slot) * sizeof(float);
  }
  weights->when_complete([this, weights](std::size_t slot) {
    const ConstMatrix head = weights->head(slot);
    write_head(slot, {head.data, head.rows * head.cols});
    weights->release(slot);
    --n_missing_;
  });
}

void WeightsStream::finish() {
  if (n_missing_ != 0) {
    throw Error(ErrorKind::kInternal, "weights are missing at the end of the run");
  }
  file_->commit();
}

void WeightsStream::write_head(std::size_t slot, std::span<const float> head) {
  std::uint64_t offset = offsets_[slot];
  while (!head.empty()) {
    check_interrupt();
    const std::size_t count = std::min(head.size(), kFloatsAtOnce);
    file_->write_at(offset, head_bytes(head.first(count)));
    head = head.subspan(count);
    offset += count * sizeof(float);
  }
}

}  // namespace mha::cli
