// `mha-viz report`: one self-contained HTML file with every head.
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "mha/analysis/score_info.hpp"
#include "mha/base/base64.hpp"
#include "mha/base/deflate.hpp"
#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"
#include "mha/render/html_text.hpp"
#include "mha/text/tokens.hpp"

#include "commands.hpp"
#include "figure_parts.hpp"
#include "inputs.hpp"
#include "live_payload.hpp"
#include "model_option.hpp"
#include "report_input.hpp"
#include "report_page.hpp"
#include "side_source.hpp"

namespace mha::cli {
namespace {

namespace fs = std::filesystem;

// A file that an earlier run wrote says so near its start.
bool is_earlier_report(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(256, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find("<meta name=\"generator\" content=\"mha-viz ") != std::string::npos;
}

void check_not_input(const ReportOptions& options) {
  for (const auto* paths : {&options.input.inputs, &options.input.text_files}) {
    for (const std::string& path : *paths) {
      std::error_code error;
      if (path != "-" && fs::equivalent(path, options.output, error)) {
        fail_usage(options.output + ": would overwrite an input");
      }
    }
  }
}

void check_output(const ReportOptions& options) {
  if (options.output == "-") {
    if (stdout_is_terminal()) {
      fail_usage("a page does not go to a terminal", "name a file with -o, or pipe the output");
    }
    return;
  }
  check_not_input(options);
  std::error_code error;
  const bool is_file = fs::is_regular_file(options.output, error);
  const bool has_content = is_file && fs::file_size(options.output, error) > 0;
  if (has_content && !options.resources.force && !is_earlier_report(options.output)) {
    fail_output(options.output + ": exists and was not written by mha-viz report",
                "choose another name, or add --force to overwrite it");
  }
  OutputFile probe(options.output);  // found out now, not after the work; leaves nothing behind
}

// The bundled model, which the page runs by itself.
std::vector<ReportPage::Block> live_blocks() {
  constexpr int kSmallest = 12;
  const LivePayload payload = live_payload(default_thresholds());
  return {{"mha-live", "application/json", render::script_json(payload.facts)},
          {"mha-live-tensors", "text/plain", base64(zlib_compress(payload.tensors, kSmallest))}};
}

// The inputs of the command line, or one input under each of two models.
std::vector<SideSource> sources_of(const InputOptions& input, std::size_t max_bytes) {
  if (input.models.size() == 2) return sides_of(input, max_bytes, "report");
  return {{input, open_chosen_model(input, max_bytes), "", "", ""}};
}

class Reporter {
 public:
  Reporter(const ReportOptions& options, Console& console)
      : options_(options),
        console_(console),
        typesetter_(make_typesetter(options.picture)),
        patches_(read_report_patches(options.patches, options.resources.memory)) {}

  void read_inputs();
  void write();

 private:
  void read(const InputItem& item, const SideSource& source);
  std::string name_of(const OpenedInput& input, const InputItem& item,
                      const SideSource& source) const;
  std::string title() const;

  const ReportOptions& options_;
  Console& console_;
  std::unique_ptr<render::Typesetter> typesetter_;
  const std::optional<ReportPatches> patches_;
  ScratchFile file_;
  LabelKinds kinds_;
  std::vector<std::string> names_;
  std::vector<ReportedInput> inputs_;
  bool is_live_ = false;  // the reader may type another sentence
};

void Reporter::read_inputs() {
  for (const SideSource& source : sources_of(options_.input, options_.resources.memory)) {
    for_each_input(
        source.input, InputContext{options_.resources.memory, source.model},
        [&](const InputItem& item) { read(item, source); },
        [](const FailedInput& failed) { throw failed.error; });
  }
}

void Reporter::read(const InputItem& item, const SideSource& source) {
  check_interrupt();
  const OpenedInput input = item.open();
  report_warnings(input.warnings, item.place, options_.resources.strict, console_);
  for (const auto* notes : {&input.notes, &input.remarks}) {
    for (const std::string& note : *notes) console_.note(item.place + ": " + note);
  }
  const std::string name = name_of(input, item, source);
  try {
    inputs_.push_back(report_input(
        input, name, inputs_.size(),
        {options_, *typesetter_, &file_, &kinds_, console_, patches_ ? &*patches_ : nullptr}));
  } catch (const Error& error) {
    throw error_at(item, error);
  }
  names_.push_back(name);
  is_live_ = is_live_ || is_live(input);
}

std::string Reporter::name_of(const OpenedInput& input, const InputItem& item,
                              const SideSource& source) const {
  if (!source.title.empty()) return source.title;
  if (!input.id.empty()) return input.id;
  if (!input.text.empty()) return input.text;
  return fs::path(item.place).filename().string();
}

std::string Reporter::title() const {
  if (!options_.picture.title.empty()) return options_.picture.title;
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> names;
  for (const std::string& name : names_) names.push_back(display_token(name));
  if (names.size() > kMostNamed) {
    return concat("Attention in ", names.size(), " inputs");
  }
  return "Attention: " + join(names, " and ");
}

void Reporter::write() {
  ReportPage page{title(), inputs_, kinds_, patches_ ? patches_json(*patches_) : "", {}};
  if (is_live_) page.blocks = live_blocks();
  if (options_.output == "-") {
    write_report_page(page, &file_, [this](std::string_view text) { console_.print(text); });
    return;
  }
  OutputFile file(options_.output);
  write_report_page(page, &file_, [&file](std::string_view text) { file.write(text); });
  file.commit();
  console_.say("wrote " + options_.output);
}

}  // namespace

int command_report(const ReportOptions& options, Console& console) {
  picture_style(options.picture);
  check_output(options);
  Reporter reporter(options, console);
  reporter.read_inputs();
  reporter.write();
  return 0;
}

}  // namespace mha::cli
