// `mha-viz run`: heatmaps of every head, an overview, the numbers and the weights.
#include <memory>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"

#include "commands.hpp"
#include "input_run.hpp"
#include "inputs.hpp"

namespace mha::cli {
namespace {

// Runs one input after another and remembers how each went.
class Runner {
 public:
  Runner(const RunOptions& options, Console& console) : options_(options), console_(console) {}

  int run();

 private:
  bool to_stdout() const { return options_.output == "-"; }
  void run_item(const InputItem& item);
  void run_opened(const OpenedInput& input, const InputItem& item);
  void fail(const std::string& folder, const Error& error);
  int finish();

  const RunOptions& options_;
  Console& console_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<render::Typesetter> typesetter_;
  std::vector<InputStatus> statuses_;
  std::vector<std::string> failures_;
  bool has_several_ = false;
};

int Runner::run() {
  // Wrong names and unusable folders are found before any work.
  picture_style(options_.picture);
  parse_range(options_.picture.range);
  if (!to_stdout()) {
    folder_ = std::make_unique<OutputFolder>(options_.output, options_.resources.force);
    if (!options_.no_png) typesetter_ = make_typesetter(options_.picture);
  }
  for_each_input(
      options_.input, options_.resources.memory, [this](const InputItem& item) { run_item(item); },
      [this](const FailedInput& failed) { fail(failed.folder, failed.error); });
  return finish();
}

void Runner::run_item(const InputItem& item) {
  check_interrupt();
  has_several_ = item.has_siblings;
  const std::size_t mark = folder_ ? folder_->mark() : 0;
  try {
    const OpenedInput input = item.open();
    run_opened(input, item);
    statuses_.push_back({item.folder, input.id, true});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    if (folder_) folder_->roll_back(mark);
    fail(item.folder, error);
  }
}

void Runner::run_opened(const OpenedInput& input, const InputItem& item) {
  report_warnings(input.warnings, item.place, options_.resources.strict, console_);
  for (const std::string& note : input.notes) console_.note(item.place + ": " + note);
  for (const std::string& remark : input.remarks) console_.note(item.place + ": " + remark);
  try {
    InputRun run(input, options_, to_stdout());
    const std::string prefix = item.has_siblings ? item.folder + "/" : "";
    if (folder_) {
      folder_->prepare();
      run.begin(*folder_, prefix);
    }
    run.compute(console_);
    report_warnings(run.warnings(), item.place, options_.resources.strict, console_);
    if (to_stdout()) {
      run.print(console_.out(), item.has_siblings);
      console_.print({});
      return;
    }
    for (const std::string& note : run.notes()) console_.note(item.place + ": " + note);
    run.write(*folder_, prefix, typesetter_.get());
  } catch (const Error& error) {
    throw error_at(item, error);
  }
}

void Runner::fail(const std::string& folder, const Error& error) {
  if (options_.resources.strict) throw error;
  console_.error(error);
  failures_.push_back(folder);
  statuses_.push_back({folder, "", false});
}

int Runner::finish() {
  const bool all_failed = failures_.size() == statuses_.size();
  if (typesetter_ && typesetter_->missing_glyphs() > 0) {
    console_.warning(concat(typesetter_->missing_glyphs(),
                            " characters are in no font here and are drawn as boxes; --font FILE "
                            "names one that has them"));
  }
  if (folder_ && !all_failed) {
    if (has_several_) {
      folder_->write_json("summary.json", [this](JsonWriter* writer) {
        write_index(statuses_, folder_->files(), writer);
      });
    }
    folder_->keep();
    console_.say(
        concat("wrote ", count_text(folder_->files().size(), "file"), " to ", folder_->path()));
  }
  if (failures_.empty()) return 0;
  if (statuses_.size() > 1) {
    console_.warning(concat(failures_.size(), " of ", statuses_.size(),
                            " inputs failed: ", join(failures_, ", ")));
  }
  return all_failed ? exit_code(ErrorKind::kInput) : kSomeFailed;
}

}  // namespace

int command_run(const RunOptions& options, Console& console) {
  return Runner(options, console).run();
}

}  // namespace mha::cli
