#include <csignal>
#include <iostream>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "mha/base/parallel.hpp"
#include "mha/cli/app.hpp"
#include "mha/io/file.hpp"

namespace {

// Pictures are a few megabytes each: fresh pages for every one of them cost more than drawing it,
// so freed memory is kept for the next.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargest = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, 4 * kLargest);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  mha::install_mapped_file_guard();
  std::signal(SIGINT, [](int) { mha::request_interrupt(); });
  std::signal(SIGTERM, [](int) { mha::request_interrupt(); });
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe becomes an output error, not a silent death
  return mha::cli::run(argc, argv, std::cout, std::cerr);
}
