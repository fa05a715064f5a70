// Writes the weights of heads to a file while those of later layers are still being computed: a
// fifth of the time of `run --model ... --weights npy` is the system taking the bytes.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "mha/analysis/dense_weights.hpp"
#include "mha/io/file.hpp"

namespace mha::cli {

// The file is `header` and then the weights of every slot, in order; the memory of a slot that is
// written serves others. The file appears by finish(); what is destroyed before leaves no file.
class WeightsStream {
 public:
  WeightsStream(std::unique_ptr<OutputFile> file, const std::string& header, DenseWeights* weights,
                std::size_t n_slots);
  WeightsStream(const WeightsStream&) = delete;
  WeightsStream& operator=(const WeightsStream&) = delete;
  ~WeightsStream();

  // To be called when all weights are there. Throws Error(kOutput) when one of them could not be
  // written.
  void finish();

 private:
  void write_heads(DenseWeights* weights);
  void write_head(std::span<const float> head);
  bool wait_for(std::size_t slot);
  bool is_stopped();

  std::unique_ptr<OutputFile> file_;
  std::mutex mutex_;  // of the two below
  std::vector<bool> is_complete_;
  bool is_stopped_ = false;
  std::condition_variable changed_;
  std::exception_ptr error_;  // of the thread
  std::thread thread_;
};

}  // namespace mha::cli
