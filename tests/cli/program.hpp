// mha-viz in a folder of its own.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/process.hpp"

namespace mha::test {

inline std::string example(const std::string& name) {
  return std::string(MHA_SOURCE_DIR) + "/data/examples/" + name;
}

inline const std::string kCreature = example("creature.json");

class Program {
 public:
  ProcessResult run(const std::vector<std::string>& arguments) const {
    return start(arguments).finish();
  }
  ProcessResult run_with_input(const std::vector<std::string>& arguments,
                               const std::string& input) const {
    const ScratchFolder input_folder;
    return Process(command(arguments), {folder_.path(), input_folder.write("stdin", input), {}})
        .finish();
  }
  ProcessResult run_with_environment(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& environment) const {
    return Process(command(arguments), {folder_.path(), "/dev/null", environment}).finish();
  }
  Process start(const std::vector<std::string>& arguments) const {
    return {command(arguments), {folder_.path(), "/dev/null", {}}};
  }

  // Runs what must succeed.
  void must_run(const std::vector<std::string>& arguments) const {
    const ProcessResult result = run(arguments);
    INFO(result.err);
    REQUIRE(result.code == 0);
  }

  std::string path() const { return folder_.path(); }
  std::string file(const std::string& name) const { return folder_.file(name); }
  std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }
  std::string read(const std::string& name) const { return read_text(folder_.file(name)); }
  nlohmann::json json(const std::string& name) const { return nlohmann::json::parse(read(name)); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder_.file(name)); }

  // Every file below a folder, relative to it, in order.
  std::vector<std::string> files(const std::string& folder = ".") const {
    std::vector<std::string> out;
    if (!has(folder)) return out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(file(folder))) {
      if (entry.is_directory()) continue;
      out.push_back(std::filesystem::relative(entry.path(), file(folder)).string());
    }
    std::ranges::sort(out);
    return out;
  }

 private:
  static std::vector<std::string> command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), MHA_BINARY);
    return arguments;
  }

  ScratchFolder folder_;
};

}  // namespace mha::test
