// `mha-viz score`: what each head does, on one input or on thousands.
#include <filesystem>
#include <optional>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/io/conllu.hpp"
#include "mha/io/file.hpp"
#include "mha/source/treebank.hpp"

#include "commands.hpp"
#include "importance.hpp"
#include "input_scores.hpp"
#include "inputs.hpp"
#include "model_option.hpp"
#include "partial_scores.hpp"
#include "score_presenter.hpp"
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
  add(!o.treebank.empty(), "conllu", "true");
  add(o.variant.clark, "clark", "true");
  add(o.variant.skip_special, "skip_special", "true");
  add(o.variant.skip_first, "skip_first", "true");
  add(o.variant.tl_exclude_bos, "tl_exclude_bos", "true");
  add(o.variant.tl_exclude_current, "tl_exclude_current", "true");
  add(o.input.bos != "auto", "bos", o.input.bos);
  add(!o.input.ablate.empty(), "ablate", o.input.ablate);
  for (auto& [name, value] : rule_settings(o.input.rule)) out.emplace_back(name, value);
  return out;
}

// Scores one input after another. Of each input only sums stay.
class Scorer {
 public:
  Scorer(const ScoreCommandOptions& options, Console& console)
      : options_(options), console_(console), shard_(shard_of(options)) {
    run_.settings = settings_of(options);
    if (options.treebank.empty()) return;
    treebank_text_ = FileBytes::open(options.treebank, options.resources.memory);
    treebank_.emplace(treebank_text_.text());
  }

  // Exit code of the inputs alone.
  int score_all() { return reads_treebank() ? score_treebank() : score_inputs(); }
  const ScoreRun& run() const { return run_; }
  const Shard& shard() const { return shard_; }
  // Names of the inputs without their folders, which may differ between machines, and their number.
  std::string source() const;

 private:
  // Without an INPUT the sentences of the treebank are the inputs.
  bool reads_treebank() const { return treebank_ && count_inputs(options_.input) == 0; }
  int score_inputs();
  int score_treebank();
  std::optional<ConlluSentence> next_readable(const TextModel& model);
  void tell_of_skipped();
  int code_of_failed() const;
  static Shard shard_of(const ScoreCommandOptions& options) {
    return options.shard.empty() ? Shard{} : parse_shard(options.shard);
  }
  bool is_ours() { return n_seen_++ % shard_.count == shard_.index - 1; }
  void score_item(const InputItem& item, const ConlluSentence* sentence);
  void score_one(const OpenedInput& input, const std::string& place,
                 const ConlluSentence* sentence);
  std::optional<ConlluSentence> read_sentence();
  std::optional<ConlluSentence> next_sentence(const std::string& place);
  void fail(const Error& error);

  const ScoreCommandOptions& options_;
  Console& console_;
  const Shard shard_;
  ScoreRun run_;
  InputCounter counter_;
  FileBytes treebank_text_;
  std::optional<ConlluReader> treebank_;
  std::size_t n_seen_ = 0;
  std::size_t n_skipped_ = 0;  // sentences that the model cannot read whole
};

int Scorer::score_inputs() {
  // Every input takes the next sentence, also one that another shard scores or that fails.
  for_each_input(
      options_.input, options_.resources.memory,
      [this](const InputItem& item) {
        const std::optional<ConlluSentence> sentence = next_sentence(item.place);
        if (is_ours()) score_item(item, sentence ? &*sentence : nullptr);
      },
      [this](const FailedInput& failed) {
        next_sentence(failed.folder);
        if (is_ours()) fail(failed.error);
      });
  console_.progress("");
  if (treebank_ && run_.totals.failed == 0 && treebank_->next()) {
    console_.warning(concat(options_.treebank, ": has more sentences than the ",
                            count_text(n_seen_, "input"), "; the rest is not used"));
  }
  return code_of_failed();
}

int Scorer::score_treebank() {
  std::shared_ptr<const TextModel> given =
      open_chosen_model(options_.input, options_.resources.memory);
  const TextModel& model = given ? *given : *bundled_model();
  if (!model.tokenizer) {
    fail_input(concat("--conllu: the model ", model.description,
                      " has no tokenizer for the sentences (", model.no_tokenizer, ")"));
  }
  std::optional<ConlluSentence> sentence;
  for_each_text(
      options_.input, {options_.resources.memory, std::move(given)},
      [&]() -> std::optional<TextInput> {
        sentence = next_readable(model);
        if (!sentence) return std::nullopt;
        return TextInput{concat(options_.treebank, ":", sentence->line), sentence_text(*sentence)};
      },
      [&](const InputItem& item) { score_item(item, &*sentence); });
  console_.progress("");
  tell_of_skipped();
  return code_of_failed();
}

// The next of our sentences that is not too long.
std::optional<ConlluSentence> Scorer::next_readable(const TextModel& model) {
  while (std::optional<ConlluSentence> sentence = read_sentence()) {
    if (!is_ours()) continue;
    const std::optional<std::string> too_long =
        too_long_for_model(model, sentence_text(*sentence), special_tokens(options_.input));
    if (!too_long) return sentence;
    ++n_skipped_;
    report_warnings({concat(sentence->name(), ": skipped: ", *too_long)}, options_.treebank,
                    options_.resources.strict, console_);
  }
  return std::nullopt;
}

void Scorer::tell_of_skipped() {
  const std::size_t n_read = run_.totals.inputs + run_.totals.failed + n_skipped_;
  if (n_seen_ == 0) fail_input(options_.treebank + ": holds no sentence");
  if (n_skipped_ == 0) return;
  const std::string text = concat(options_.treebank, ": ", n_skipped_, " of ",
                                  count_text(n_read, "sentence"), " skipped as too long");
  if (n_skipped_ == n_read && options_.shard.empty()) fail_input(text);
  console_.warning(text);
}

int Scorer::code_of_failed() const {
  if (run_.totals.failed == 0) return 0;
  return run_.totals.inputs == 0 ? exit_code(ErrorKind::kInput) : kSomeFailed;
}

void Scorer::score_item(const InputItem& item, const ConlluSentence* sentence) {
  check_interrupt();
  try {
    const OpenedInput input = item.open();
    try {
      score_one(input, item.place, sentence);
    } catch (const Error& error) {
      // Input errors name the place already.
      if (error.kind() == ErrorKind::kUsage) throw error_at(item, error);
      throw;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    fail(error);
  }
  counter_.count(console_);
}

void Scorer::score_one(const OpenedInput& input, const std::string& place,
                       const ConlluSentence* sentence) {
  report_warnings(input.warnings, place, options_.resources.strict, console_);
  const InputScores scores = score_input(
      input, {options_.selection, options_.variant, options_.resources, place, sentence});
  report_warnings(scores.warnings, place, options_.resources.strict, console_);
  scores.add_to(&run_.totals);
  run_.add_words_of(input);
}

std::string Scorer::source() const {
  std::vector<std::string> names;
  const InputOptions& in = options_.input;
  for (const auto* paths : {&in.inputs, &in.text_files}) {
    for (const std::string& path : *paths) {
      names.push_back(std::filesystem::path(path).filename().string());
    }
  }
  if (reads_treebank()) {
    names.push_back(std::filesystem::path(options_.treebank).filename().string());
  }
  for (const auto* texts : {&in.texts, &in.id_lists}) {
    names.insert(names.end(), texts->begin(), texts->end());
  }
  for (const auto& [first, second] : in.text_pairs) names.push_back(first + " | " + second);
  for (const std::string& path : in.models) {
    names.push_back("model " + std::filesystem::path(path).filename().string());
  }
  for (const std::string& part : {in.reading, in.axes, in.tensor, in.tokens_file}) {
    names.push_back(std::filesystem::path(part).filename().string());
  }
  return concat(n_seen_, " inputs: ", join(names, ", "));
}

std::optional<ConlluSentence> Scorer::read_sentence() {
  try {
    return treebank_->next();
  } catch (const Error& error) {
    throw Error(error.kind(), options_.treebank + ":" + error.what(), error.hint());
  }
}

std::optional<ConlluSentence> Scorer::next_sentence(const std::string& place) {
  if (!treebank_) return std::nullopt;
  std::optional<ConlluSentence> sentence = read_sentence();
  if (!sentence) {
    fail_input(
        concat(options_.treebank, ": has only ", n_seen_, " sentences; expected one for ", place),
        "inputs follow the sentences of --conllu in order");
  }
  return sentence;
}

void Scorer::fail(const Error& error) {
  if (options_.resources.strict) throw error;
  console_.error(error);
  ++run_.totals.failed;
}

int write_shard(const Scorer& scorer, const ScorePresenter& presenter) {
  presenter.write(partial_text({scorer.shard(), scorer.source(), scorer.run()}));
  return 0;
}

// A part is for merge, which has these flags, too.
void check_shard_flags(const ScoreCommandOptions& options) {
  const ScoreViewOptions& view = options.view;
  const bool shows = view.format != "text" || view.by != "label" || view.top > 0 ||
                     !view.gates.fail_if.empty() || !view.gates.thresholds.empty() ||
                     !options.figure.empty();
  if (!options.shard.empty() && shows) {
    fail_usage(
        "--shard gives a part; --format, --by, --top, --threshold, --fail-if and --figure go "
        "with merge");
  }
}

}  // namespace

int command_score(const ScoreCommandOptions& options, Console& console) {
  picture_style(options.picture);
  const ScorePresenter presenter(options.view, options.figure, options.picture, console);
  if (presenter.lists_thresholds()) {
    presenter.print_thresholds();
    return 0;
  }
  if (options.importance) check_importance_flags(options);
  check_shard_flags(options);
  for (const auto* paths : {&options.input.inputs, &options.input.text_files}) {
    for (const std::string& path : *paths) presenter.check_not_output(path);
  }
  if (options.importance) {
    return score_importance(options, settings_of(options), presenter, console);
  }
  Scorer scorer(options, console);
  const int inputs_code = scorer.score_all();
  const bool is_part = !options.shard.empty();
  if (scorer.run().totals.inputs == 0 && !is_part) return inputs_code;
  const int code = is_part ? write_shard(scorer, presenter) : presenter.present(scorer.run());
  return code != 0 ? code : inputs_code;
}

}  // namespace mha::cli
