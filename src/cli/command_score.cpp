// `mha-viz score`: what each head does, on one input or on thousands.
#include <memory>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"

#include "commands.hpp"
#include "inputs.hpp"
#include "memory_check.hpp"
#include "partial_scores.hpp"
#include "score_presenter.hpp"
#include "selection.hpp"
#include "summary.hpp"

namespace mha::cli {
namespace {

// Flags that change results, with their values.
Settings settings_of(const ScoreCommandOptions& o) {
  Settings out;
  const auto add = [&out](bool is_given, const char* name, const std::string& value) {
    if (is_given) out.emplace_back(name, value);
  };
  add(!o.selection.layers.empty(), "layers", o.selection.layers);
  add(!o.selection.heads.empty(), "heads", o.selection.heads);
  add(o.variant.clark, "clark", "true");
  add(o.variant.skip_special, "skip_special", "true");
  add(o.variant.skip_first, "skip_first", "true");
  add(o.variant.tl_exclude_bos, "tl_exclude_bos", "true");
  add(o.variant.tl_exclude_current, "tl_exclude_current", "true");
  for (auto& [name, value] : rule_settings(o.input.rule)) out.emplace_back(name, value);
  return out;
}

// Work that threads would only slow down.
bool is_small(const Analysis& analysis) {
  constexpr double kFewCells = 300000;
  double cells = 0;
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    const AttentionShape& shape = analysis.layer_of(s).shape;
    cells += static_cast<double>(shape.n_query) * static_cast<double>(shape.n_key);
  }
  return cells < kFewCells;
}

// Scores one input after another. Of each input only sums stay.
class Scorer {
 public:
  Scorer(const ScoreCommandOptions& options, Console& console)
      : options_(options), console_(console), shard_(shard_of(options)) {
    run_.settings = settings_of(options);
  }

  // Exit code of the inputs alone.
  int score_all();
  const ScoreRun& run() const { return run_; }
  const Shard& shard() const { return shard_; }

 private:
  static Shard shard_of(const ScoreCommandOptions& options) {
    return options.shard.empty() ? Shard{} : parse_shard(options.shard);
  }
  bool is_ours() { return n_seen_++ % shard_.count == shard_.index - 1; }
  void score_item(const InputItem& item);
  void score_input(const OpenedInput& input, const std::string& place);
  void fail(const Error& error);

  const ScoreCommandOptions& options_;
  Console& console_;
  const Shard shard_;
  ScoreRun run_;
  InputCounter counter_;
  std::size_t n_seen_ = 0;
};

int Scorer::score_all() {
  for_each_input(
      options_.input, options_.resources.memory,
      [this](const InputItem& item) {
        if (is_ours()) score_item(item);
      },
      [this](const FailedInput& failed) {
        if (is_ours()) fail(failed.error);
      });
  console_.progress("");
  if (run_.totals.failed == 0) return 0;
  return run_.totals.inputs == 0 ? exit_code(ErrorKind::kInput) : kSomeFailed;
}

void Scorer::score_item(const InputItem& item) {
  check_interrupt();
  try {
    score_input(item.open(), item.place);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    fail(error);
  }
  counter_.count(console_);
}

void Scorer::score_input(const OpenedInput& input, const std::string& place) {
  report_warnings(input.warnings, place, options_.resources.strict, console_);
  const SelectedHeads heads = select_heads(input, options_.selection);
  Analysis analysis(*input.rows, heads.slots);
  const TokenTraits traits = make_traits(input);
  HeadScoresAccumulator scores(heads.slots.size(), &traits, options_.variant);
  analysis.attach(&scores);
  StreamOptions stream;
  try {
    const BlockPlan blocks = plan_memory(input, analysis, {}, options_.resources);
    stream.block_rows = blocks.block_rows;
    stream.n_threads = is_small(analysis) ? 1 : blocks.n_threads;
  } catch (const Error& error) {
    throw error.at(place);
  }
  analysis.run(stream);
  check_mapped_files();
  report_warnings(number_warnings(scores, heads.slots.size()), place, options_.resources.strict,
                  console_);
  run_.totals.add_input(input.hash);
  for (const std::string& note : input.notes) run_.add_note(note);
  for (std::size_t s = 0; s < heads.slots.size(); ++s) {
    run_.totals.heads[heads.ids[s]].add(scores.scores(s), first_is_special(input));
  }
}

void Scorer::fail(const Error& error) {
  if (options_.resources.strict) throw error;
  console_.error(error);
  ++run_.totals.failed;
}

int write_shard(const Scorer& scorer, const ScorePresenter& presenter) {
  std::string text;
  JsonWriter writer([&text](std::string_view part) { text += part; });
  write_partial({scorer.shard(), scorer.run()}, &writer);
  presenter.write(text);
  return 0;
}

}  // namespace

int command_score(const ScoreCommandOptions& options, Console& console) {
  picture_style(options.picture);
  const ScorePresenter presenter(options.view, options.figure, options.picture, console);
  if (presenter.lists_thresholds()) {
    presenter.print_thresholds();
    return 0;
  }
  if (!options.shard.empty() && (!options.view.fail_if.empty() || !options.figure.empty())) {
    fail_usage("--shard gives a part; --fail-if and --figure go with merge");
  }
  Scorer scorer(options, console);
  const int inputs_code = scorer.score_all();
  const bool is_part = !options.shard.empty();
  if (scorer.run().totals.inputs == 0 && !(is_part && inputs_code == 0)) return inputs_code;
  const int code = is_part ? write_shard(scorer, presenter) : presenter.present(scorer.run());
  return code != 0 ? code : inputs_code;
}

}  // namespace mha::cli
