// Work shared among threads. Items are split by the caller from sizes alone, never from the number
// of threads, so results do not depend on how many threads there are.
#pragma once

#include <cstddef>
#include <functional>

namespace mha {

// Calls work(item, worker) once for each item in [0, n_items), on up to n_threads threads
// (0 = all cores); worker is in [0, n_threads). Items start in order but may finish in any order.
// The first exception stops further items and is thrown again here. Throws Error(kInterrupted)
// when an interrupt was requested.
void parallel_for(std::size_t n_items, std::size_t n_threads,
                  const std::function<void(std::size_t item, std::size_t worker)>& work);

// The number of threads that parallel_for uses for this request (0 = all cores, or as many as
// limit_threads allows).
std::size_t effective_threads(std::size_t n_threads);

// What a request for all cores means from now on; 0 lifts the limit. For a program's start: work
// that has no options of its own, such as checking a file, keeps to it as well.
void limit_threads(std::size_t n_threads);

// Asks all running work to stop; safe to call from a signal handler.
void request_interrupt() noexcept;
bool interrupt_requested() noexcept;
// Throws Error(kInterrupted) when an interrupt was requested.
void check_interrupt();

}  // namespace mha
