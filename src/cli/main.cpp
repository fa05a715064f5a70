#include <csignal>
#include <iostream>

#include "mha/base/parallel.hpp"
#include "mha/cli/app.hpp"

int main(int argc, char** argv) {
  std::signal(SIGINT, [](int) { mha::request_interrupt(); });
  std::signal(SIGTERM, [](int) { mha::request_interrupt(); });
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe becomes an output error, not a silent death
  return mha::cli::run(argc, argv, std::cout, std::cerr);
}
