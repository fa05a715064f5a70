// `mha-viz steps`: one head from its input to its output, step by step.
#include <memory>
#include <optional>
#include <ostream>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/base/version.hpp"
#include "mha/io/file.hpp"

#include "commands.hpp"
#include "figure_parts.hpp"
#include "inputs.hpp"
#include "output_folder.hpp"
#include "score_report.hpp"
#include "step_texts.hpp"
#include "steps_cost.hpp"
#include "steps_figure.hpp"
#include "steps_json.hpp"
#include "steps_text.hpp"
#include "summary.hpp"
#include "walked.hpp"

namespace mha::cli {
namespace {

enum class Target { kNone, kText, kJson, kFigure, kFolder };

Target target_of(const StepsOptions& options) {
  if (options.terminal) return Target::kText;
  if (options.output == "-") {
    if (options.cost) {
      fail_usage("--cost prints a table, and -o - is one JSON document", "leave one of them out");
    }
    return Target::kJson;
  }
  if (options.output.empty()) {
    return options.cost ? Target::kNone : stdout_is_terminal() ? Target::kText : Target::kFolder;
  }
  for (const char* ending : {".jpg", ".jpeg", ".gif", ".webp"}) {
    if (options.output.ends_with(ending)) {
      fail_usage(concat("figures are drawn as png, svg or pdf; the name asks for ", ending + 1),
                 "end the name in one of these, or name a folder");
    }
  }
  if (options.output.ends_with(".json")) {
    fail_usage("steps writes JSON to stdout or into a folder; the name asks for a file",
               "-o - > " + options.output + " writes it");
  }
  return names_picture(options.output) ? Target::kFigure : Target::kFolder;
}

// "01-input" of a head's folder, without an ending.
std::string step_stem(const WalkedInput& input, const WalkedHead& head, std::size_t step) {
  return concat(padded_head_name(head.id), "/", step + 1 < 10 ? "0" : "", step + 1, "-",
                step_text(input, head, head.walk.steps[step]).slug);
}

// Does `work`; its input errors get the place in front.
template <typename Work>
auto at_place(const std::string& place, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kInput) throw error.at(place);
    throw;
  }
}

// One input, shown in one way.
class StepsShow {
 public:
  StepsShow(const StepsOptions& options, Console& console);
  void show(const InputItem& item);

 private:
  void show_walk(const WalkedInput& walked);
  void write_figure(const WalkedInput& walked);
  void write_folder(const WalkedInput& walked);
  void write_pictures(const WalkedInput& walked, const WalkedHead& head);
  void write_summary_file(const WalkedInput& walked);
  void print_json(const WalkedInput& walked);

  const StepsOptions& options_;
  Console& console_;
  const Target target_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<render::Typesetter> typesetter_;
};

StepsShow::StepsShow(const StepsOptions& options, Console& console)
    : options_(options), console_(console), target_(target_of(options)) {
  picture_style(options.picture);
  if (target_ == Target::kFigure) {
    OutputFile probe(options.output);  // found out now, not after the work; leaves nothing behind
  }
  if (target_ == Target::kFolder) {
    const std::string path = options.output.empty() ? "mha-viz-steps" : options.output;
    folder_ = std::make_unique<OutputFolder>(path, options.resources.force);
    folder_->prepare();
  }
  if (target_ == Target::kFigure || target_ == Target::kFolder) {
    typesetter_ = make_typesetter(options.picture);
  }
}

void StepsShow::show(const InputItem& item) {
  if (item.has_siblings) {
    fail_usage("steps takes one input, and there are several",
               "pick a line (sed -n 3p FILE | mha-viz steps -), or an array (--tensor NAME)");
  }
  const OpenedInput input = item.open();
  report_warnings(input.warnings, item.place, options_.resources.strict, console_);
  for (const std::string& note : input.notes) console_.note(item.place + ": " + note);
  for (const std::string& remark : input.remarks) console_.note(item.place + ": " + remark);
  if (target_ != Target::kNone) {
    const WalkedInput walked = at_place(item.place, [&] { return walk_input(input, options_); });
    report_warnings(walked.warnings, item.place, options_.resources.strict, console_);
    for (const std::string& remark : walked.remarks) console_.note(item.place + ": " + remark);
    show_walk(walked);
  }
  if (options_.cost) at_place(item.place, [&] { print_cost(input, options_, console_); });
  if (typesetter_ && typesetter_->missing_glyphs() > 0) {
    console_.warning(concat(typesetter_->missing_glyphs(),
                            " characters are in no font here and are drawn as boxes"));
  }
}

void StepsShow::show_walk(const WalkedInput& walked) {
  switch (target_) {
    case Target::kNone:
      return;
    case Target::kText:
      return console_.print(steps_text(walked, stdout_columns()));
    case Target::kJson:
      return print_json(walked);
    case Target::kFigure:
      return write_figure(walked);
    case Target::kFolder:
      return write_folder(walked);
  }
}

void StepsShow::print_json(const WalkedInput& walked) {
  JsonWriter writer([this](std::string_view text) { console_.out() << text; });
  write_steps(walked, FormulaForm::kPlain, &writer);
  console_.print({});
}

void StepsShow::write_figure(const WalkedInput& walked) {
  if (walked.heads.size() > kMostHeadsInFigure) {
    fail_usage(concat("one figure shows at most ", kMostHeadsInFigure, " heads, and ",
                      walked.heads.size(), " are selected"),
               "name a folder with -o: it gets a figure for each head");
  }
  const PictureOptions picture = with_format_of(options_.output, options_.picture);
  write_file(options_.output, steps_picture(walked, 0, walked.heads.size(), picture, *typesetter_));
}

void StepsShow::write_pictures(const WalkedInput& walked, const WalkedHead& head) {
  const auto index = static_cast<std::size_t>(&head - walked.heads.data());
  const std::size_t n_steps = head.walk.steps.size();
  std::vector<std::vector<std::uint8_t>> pictures(n_steps + 1);
  // The tall figure takes longest and comes first.
  parallel_for(n_steps + 1, options_.resources.threads, [&](std::size_t item, std::size_t) {
    pictures[item] = item == 0
                         ? steps_picture(walked, index, 1, options_.picture, *typesetter_)
                         : step_picture(walked, head, item - 1, options_.picture, *typesetter_);
  });
  folder_->write(padded_head_name(head.id) + picture_ending(options_.picture), pictures[0]);
  for (std::size_t s = 0; s < n_steps; ++s) {
    folder_->write(step_stem(walked, head, s) + picture_ending(options_.picture), pictures[s + 1]);
  }
}

// What tells a later run that the folder is ours, and which files in it.
void StepsShow::write_summary_file(const WalkedInput& walked) {
  const std::vector<std::string> files = folder_->files();
  folder_->write_json("summary.json", [&](JsonWriter* w) {
    w->begin_object();
    w->member("format", "mha-viz steps summary 1");
    w->member("version", kVersion);
    w->key("input");
    w->begin_object();
    if (!walked.input.id.empty()) w->member("id", walked.input.id);
    w->member("hash", input_hash_text(walked.input.hash));
    w->end_object();
    w->key("heads");
    w->begin_array();
    for (const WalkedHead& head : walked.heads) w->value(head.name);
    w->end_array();
    w->key("files");
    w->begin_array();
    for (const std::string& file : files) w->value(file);
    w->end_array();
    w->end_object();
    w->finish();
  });
}

void StepsShow::write_folder(const WalkedInput& walked) {
  for (const WalkedHead& head : walked.heads) write_pictures(walked, head);
  folder_->write_json(
      "steps.json", [&](JsonWriter* writer) { write_steps(walked, FormulaForm::kPlain, writer); });
  write_summary_file(walked);
  folder_->keep();
  console_.say(
      concat("wrote ", count_text(folder_->files().size(), "file"), " to ", folder_->path()));
}

}  // namespace

int command_steps(const StepsOptions& options, Console& console) {
  StepsShow show(options, console);
  for_each_input(
      options.input, options.resources.memory, [&](const InputItem& item) { show.show(item); },
      [](const FailedInput& failed) { throw failed.error; });
  return 0;
}

}  // namespace mha::cli
