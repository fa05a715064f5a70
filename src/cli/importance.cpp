#include "importance.hpp"

#include <chrono>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"

#include "commands.hpp"
#include "inputs.hpp"
#include "memory_check.hpp"
#include "selection.hpp"

namespace mha::cli {
namespace {

// One input that waits for its passes: the number of them is to be said before the first.
struct WaitingInput {
  std::string place;
  OpenedInput input;
};

class ImportanceCommand {
 public:
  ImportanceCommand(const ScoreCommandOptions& options, const Settings& settings, Console& console)
      : options_(options), console_(console) {
    run_.settings = settings;
    run_.settings.emplace_back("importance", "true");
  }

  // Opens all inputs, then runs each of them.
  void measure_all();
  const ImportanceRun& run() const { return run_; }
  int inputs_code() const {
    if (run_.failed == 0) return 0;
    return run_.effects.inputs == 0 ? exit_code(ErrorKind::kInput) : kSomeFailed;
  }

 private:
  void open(const InputItem& item);
  void take_heads(const OpenedInput& input);
  void check_memory(const OpenedInput& input) const;
  void say_passes() const;
  void show_progress();
  void fail(const Error& error);

  const ScoreCommandOptions& options_;
  Console& console_;
  ImportanceRun run_;
  std::vector<LayerHead> heads_;
  std::vector<WaitingInput> waiting_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

void ImportanceCommand::measure_all() {
  for_each_input(
      options_.input, options_.resources.memory, [this](const InputItem& item) { open(item); },
      [this](const FailedInput& failed) { fail(failed.error); });
  if (waiting_.empty()) return;
  say_passes();
  start_ = last_ = std::chrono::steady_clock::now();
  AblationOptions options;
  options.n_threads = options_.resources.threads;
  options.on_pass = [this] { show_progress(); };
  for (const WaitingInput& waiting : waiting_) {
    run_.effects.add(ablate_each(*waiting.input.model, heads_, options));
    check_mapped_files();
  }
  console_.progress("");
}

void ImportanceCommand::open(const InputItem& item) {
  check_interrupt();
  try {
    OpenedInput input = item.open();
    report_warnings(input.warnings, item.place, options_.resources.strict, console_);
    try {
      if (input.model == nullptr) {
        fail_input(
            "is not computed by a model; expected text, tokens or ids, as heads are to be "
            "ablated",
            "--importance ablates each head of a model in turn");
      }
      check_memory(input);
    } catch (const Error& error) {
      throw error.at(item.place);
    }
    if (heads_.empty()) take_heads(input);
    waiting_.push_back({item.place, std::move(input)});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    fail(error);
  }
}

// All inputs run through one model, so the heads of the first are those of all.
void ImportanceCommand::take_heads(const OpenedInput& input) {
  const SelectedHeads selected = select_heads(input, options_.selection);
  for (std::size_t s = 0; s < selected.slots.size(); ++s) {
    if (selected.slots[s].is_mean()) {
      fail_usage("--heads: " + selected.names[s] + " is a mean and cannot be ablated");
    }
    heads_.push_back({selected.slots[s].layer, selected.slots[s].head});
  }
  run_.heads = selected.ids;
  run_.model = model_echo(input);
  run_.measure = prediction_measure(input.model->model());
  run_.notes.push_back("attention of " + input.text_model->description);
  if (!input.ablated.empty()) {
    run_.notes.push_back("ablated in every pass: " + join(input.ablated, ", "));
  }
}

void ImportanceCommand::check_memory(const OpenedInput& input) const {
  const Transformer& model = input.model->model();
  const std::size_t n = input.tokens.size();
  const double bytes = model_bytes(model.config(), n, false) + ablation_bytes(model, n);
  if (bytes <= static_cast<double>(options_.resources.memory)) return;
  fail_input(concat("needs about ", bytes_text(bytes), " of memory; expected at most ",
                    bytes_text(static_cast<double>(options_.resources.memory))),
             "raise --memory, or take shorter texts");
}

void ImportanceCommand::say_passes() const {
  console_.note(concat("importance: ", count_text(waiting_.size(), "input"), " x (",
                       count_text(heads_.size(), "head"),
                       " + 1) = ", waiting_.size() * (heads_.size() + 1),
                       " forward passes, each from the ablated layer on"));
}

void ImportanceCommand::show_progress() {
  check_interrupt();
  ++run_.passes;
  if (!console_.shows_progress()) return;
  using std::chrono::milliseconds;
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < milliseconds(1000) || now - last_ < milliseconds(100)) return;
  last_ = now;
  const std::size_t total = waiting_.size() * (heads_.size() + 1);
  console_.progress(concat(run_.passes, " of ", total, " forward passes"));
}

void ImportanceCommand::fail(const Error& error) {
  if (options_.resources.strict) throw error;
  console_.error(error);
  ++run_.failed;
}

}  // namespace

void check_importance_flags(const ScoreCommandOptions& o) {
  const ScoreOptions& v = o.variant;
  const std::pair<bool, const char*> refused[] = {{!o.treebank.empty(), "--conllu"},
                                                  {!o.shard.empty(), "--shard"},
                                                  {!o.figure.empty(), "--figure"},
                                                  {!o.view.gates.fail_if.empty(), "--fail-if"},
                                                  {!o.view.gates.thresholds.empty(), "--threshold"},
                                                  {v.clark, "--clark"},
                                                  {v.skip_special, "--skip-special"},
                                                  {v.skip_first, "--skip-first"},
                                                  {v.tl_exclude_bos, "--tl-exclude-bos"},
                                                  {v.tl_exclude_current, "--tl-exclude-current"}};
  for (const auto& [is_given, flag] : refused) {
    if (is_given) {
      fail_usage(concat(flag, " is about scores of attention; --importance measures the output"),
                 "leave one of them out");
    }
  }
}

int score_importance(const ScoreCommandOptions& options, const Settings& settings,
                     const ScorePresenter& presenter, Console& console) {
  ImportanceCommand command(options, settings, console);
  command.measure_all();
  if (command.run().effects.inputs == 0) return command.inputs_code();
  presenter.write(importance_text(command.run(), options.view));
  return command.inputs_code();
}

}  // namespace mha::cli
