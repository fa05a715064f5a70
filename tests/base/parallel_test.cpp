#include "mha/base/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include "mha/base/error.hpp"

#include "support/catch.hpp"

namespace mha {
namespace {

TEST_CASE("each item is done exactly once, by a worker that exists") {
  for (std::size_t n_threads : {1, 2, 3, 16}) {
    std::vector<std::atomic<int>> counts(1000);
    std::atomic<bool> worker_fits{true};
    parallel_for(counts.size(), n_threads, [&](std::size_t item, std::size_t worker) {
      ++counts[item];
      if (worker >= n_threads) worker_fits = false;
    });
    for (const auto& count : counts) REQUIRE(count.load() == 1);
    CHECK(worker_fits);
  }
}

TEST_CASE("no items is no work, and 0 threads means all cores") {
  bool called = false;
  parallel_for(0, 4, [&](std::size_t, std::size_t) { called = true; });
  CHECK_FALSE(called);
  CHECK(effective_threads(0) >= 1);
  CHECK(effective_threads(3) == 3);
  std::atomic<int> count{0};
  parallel_for(10, 0, [&](std::size_t, std::size_t) { ++count; });
  CHECK(count == 10);
}

TEST_CASE("an exception in a worker reaches the caller and stops the rest") {
  for (std::size_t n_threads : {1, 4}) {
    std::atomic<std::size_t> done{0};
    const auto work = [&](std::size_t item, std::size_t) {
      if (item == 5) throw Error(ErrorKind::kInput, "item 5");
      ++done;
    };
    CHECK_THROWS_WITH(parallel_for(1000000, n_threads, work), "item 5");
    CHECK(done < 1000000);
  }
}

TEST_CASE("work may start parallel work of its own") {
  std::atomic<int> count{0};
  parallel_for(4, 2, [&](std::size_t, std::size_t) {
    parallel_for(4, 2, [&](std::size_t, std::size_t) { ++count; });
  });
  CHECK(count == 16);
}

TEST_CASE("a request for thousands of threads is served or cut down, never fatal") {
  std::atomic<std::size_t> count{0};
  parallel_for(3000, 3000, [&](std::size_t, std::size_t) { ++count; });
  CHECK(count == 3000);
}

}  // namespace
}  // namespace mha
