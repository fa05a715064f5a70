// Writes the weights of heads to a file while those of later layers are still being computed, so
// that they need not all be in memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mha/analysis/dense_weights.hpp"
#include "mha/io/file.hpp"

namespace mha::cli {

// The file is `header` and then the weights of every slot, in order. Each head is written by the
// thread that completes it, while it is in that core's cache, and its memory serves others. The
// file appears by finish(); what is destroyed before leaves no file. What cannot be written ends
// the run: Error(kOutput).
class WeightsStream {
 public:
  WeightsStream(std::unique_ptr<OutputFile> file, const std::string& header, DenseWeights* weights,
                std::size_t n_slots);
  WeightsStream(const WeightsStream&) = delete;
  WeightsStream& operator=(const WeightsStream&) = delete;

  // To be called when all weights are there.
  void finish();

 private:
  void write_head(std::size_t slot, std::span<const float> head);

  std::unique_ptr<OutputFile> file_;
  std::vector<std::uint64_t> offsets_;  // in the file, one a slot
  std::atomic<std::size_t> n_missing_;  // heads
};

}  // namespace mha::cli
