// Writes what the interactive page gets of the bundled model: FOLDER/facts.json, FOLDER/tensors.
#include <fstream>
#include <iostream>

#include "cli/live_payload.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: write_live_payload FOLDER\n";
    return 2;
  }
  const std::string folder = argv[1];
  const mha::cli::LivePayload payload = mha::cli::live_payload(mha::default_thresholds());
  std::ofstream(folder + "/facts.json") << payload.facts;
  std::ofstream(folder + "/tensors", std::ios::binary)
      .write(reinterpret_cast<const char*>(payload.tensors.data()),
             static_cast<std::streamsize>(payload.tensors.size()));
  return 0;
}
