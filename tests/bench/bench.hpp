// Timing pairs of workloads in turns, so that their ratio holds on a noisy machine. Google
// Benchmark times one workload after another; a ratio of two such numbers drifts with the machine's
// clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace mha::bench {

// As the program does at its start (src/cli/main.cpp): fresh pages for each buffer would be timed
// otherwise.
inline void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Processor time of all threads, which other work on the machine changes less than the clock does.
inline double processor_seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Pair {
  double ours = 0;       // median seconds
  double reference = 0;  // median seconds
  double ratio = 0;      // median of reference / ours over the rounds
};

// Runs both in turns, `rounds` times after one round that warms up.
inline Pair compare(int rounds, const std::function<void()>& ours,
                    const std::function<void()>& reference) {
  std::vector<double> a, b, ratios;
  for (int i = 0; i <= rounds; ++i) {
    const double t_ours = seconds(ours);
    const double t_reference = seconds(reference);
    if (i == 0) continue;
    a.push_back(t_ours);
    b.push_back(t_reference);
    ratios.push_back(t_reference / t_ours);
  }
  return {median(a), median(b), median(ratios)};
}

}  // namespace mha::bench
