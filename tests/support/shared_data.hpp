// Reference data that lies beside the checkout, not in it. Tests that need it are skipped where it
// is absent, unless MHA_REQUIRE_SHARED is set: then its absence fails them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "support/catch.hpp"

namespace mha::test {

// The folder ../shared/real/NAME beside the sources (or $MHA_SHARED/real/NAME), if it is there.
inline std::optional<std::string> shared_folder(const std::string& name) {
  const char* given = std::getenv("MHA_SHARED");
  const std::string root = given != nullptr ? given : std::string(MHA_SOURCE_DIR) + "/../shared";
  const std::string folder = root + "/real/" + name;
  if (std::filesystem::is_directory(folder)) return folder;
  if (std::getenv("MHA_REQUIRE_SHARED") != nullptr) FAIL("there is no " << folder);
  std::cout << "SKIPPED: there is no " << folder << '\n';
  return std::nullopt;
}

}  // namespace mha::test
