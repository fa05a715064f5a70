#include "mha/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "mha/base/error.hpp"

namespace mha {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<std::size_t> thread_limit{0};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores to this flag");

// State that the threads of one parallel_for share.
class Crew {
 public:
  using Work = std::function<void(std::size_t, std::size_t)>;

  Crew(std::size_t n_items, const Work& work) : n_items_(n_items), work_(work) {}

  void run(std::size_t worker) {
    try {
      while (!failed_.load()) {
        const std::size_t item = next_.fetch_add(1);
        if (item >= n_items_) return;
        check_interrupt();
        work_(item, worker);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!first_error_) first_error_ = std::current_exception();
      failed_.store(true);
    }
  }

  void rethrow() const {
    if (first_error_) std::rethrow_exception(first_error_);
  }

 private:
  const std::size_t n_items_;
  const Work& work_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr first_error_;
};

}  // namespace

void parallel_for(std::size_t n_items, std::size_t n_threads,
                  const std::function<void(std::size_t, std::size_t)>& work) {
  Crew crew(n_items, work);
  const std::size_t n_workers = std::min(effective_threads(n_threads), n_items);
  std::vector<std::thread> threads;
  try {
    for (std::size_t worker = 1; worker < n_workers; ++worker) {
      threads.emplace_back([&crew, worker] { crew.run(worker); });
    }
  } catch (const std::system_error&) {
    // The system has no more threads: those that run do all the work.
  }
  crew.run(0);
  for (std::thread& thread : threads) thread.join();
  crew.rethrow();
}

std::size_t effective_threads(std::size_t n_threads) {
  if (n_threads > 0) return n_threads;
  if (const std::size_t limit = thread_limit.load(); limit > 0) return limit;
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void limit_threads(std::size_t n_threads) {
  thread_limit.store(n_threads);
}

void request_interrupt() noexcept {
  interrupted.store(true);
}

bool interrupt_requested() noexcept {
  return interrupted.load();
}

void check_interrupt() {
  if (interrupt_requested()) throw Error(ErrorKind::kInterrupted, "interrupted");
}

}  // namespace mha
