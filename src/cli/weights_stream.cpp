#include "weights_stream.hpp"

#include <algorithm>
#include <utility>

#include "mha/base/error.hpp"

namespace mha::cli {
namespace {

// So much is handed to the system at once: a run that is given up ends soon.
constexpr std::size_t kFloatsAtOnce = std::size_t{1} << 22;

std::string_view raw_text(std::span<const float> floats) {
  return {reinterpret_cast<const char*>(floats.data()), floats.size_bytes()};
}

}  // namespace

WeightsStream::WeightsStream(std::unique_ptr<OutputFile> file, const std::string& header,
                             DenseWeights* weights, std::size_t n_slots)
    : file_(std::move(file)), is_complete_(n_slots) {
  file_->write(header);
  weights->when_complete([this](std::size_t slot) {
    const std::lock_guard lock(mutex_);
    is_complete_[slot] = true;
    changed_.notify_one();
  });
  thread_ = std::thread([this, weights] {
    try {
      write_heads(weights);
    } catch (...) {
      error_ = std::current_exception();
    }
  });
}

WeightsStream::~WeightsStream() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

void WeightsStream::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::ranges::all_of(is_complete_, std::identity{})) {
      throw Error(ErrorKind::kInternal, "weights are missing at the end of the run");
    }
  }
  thread_.join();
  if (error_) std::rethrow_exception(error_);
  file_->commit();
}

void WeightsStream::write_heads(DenseWeights* weights) {
  for (std::size_t slot = 0; slot < is_complete_.size() && wait_for(slot); ++slot) {
    const ConstMatrix head = weights->head(slot);
    write_head({head.data, head.rows * head.cols});
    weights->release(slot);
  }
}

void WeightsStream::write_head(std::span<const float> head) {
  while (!head.empty() && !is_stopped()) {
    const std::size_t count = std::min(head.size(), kFloatsAtOnce);
    file_->write(raw_text(head.first(count)));
    head = head.subspan(count);
  }
}

// Whether the slot is complete; not when the work was given up.
bool WeightsStream::wait_for(std::size_t slot) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_complete_[slot] || is_stopped_; });
  return !is_stopped_;
}

bool WeightsStream::is_stopped() {
  const std::lock_guard lock(mutex_);
  return is_stopped_;
}

}  // namespace mha::cli
