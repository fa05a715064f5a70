// `mha-viz compare A B`: two inputs, or the same input under two models or without some heads.
#include <algorithm>
#include <memory>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "commands.hpp"
#include "comparison.hpp"
#include "difference_figures.hpp"
#include "fail_if.hpp"
#include "input_scores.hpp"
#include "inputs.hpp"
#include "model_option.hpp"
#include "output_folder.hpp"
#include "score_presenter.hpp"
#include "score_report.hpp"
#include "side_source.hpp"

namespace mha::cli {
namespace {

ComparedSide open_side(const SideSource& source, const CompareOptions& options, Console& console) {
  ComparedSide side;
  side.name = source.name;
  side.title = source.title;
  const bool is_by_model = options.input.models.size() == 2;
  for_each_input(
      source.input, InputContext{options.resources.memory, source.model},
      [&](const InputItem& item) {
        OpenedInput input = item.open();
        report_warnings(input.warnings, item.place, options.resources.strict, console);
        const InputScores scores =
            score_input(input, {options.selection, options.variant, options.resources, item.place});
        report_warnings(scores.warnings, item.place, options.resources.strict, console);
        scores.add_to(&side.totals);
        side.heads = scores.heads;
        if (const auto echo = model_echo(input)) side.model = echo;
        if (side.totals.inputs == 1) {
          if (!input.id.empty() && !is_by_model) side.title = input.id;
          side.input = std::move(input);
        } else {
          side.input.reset();
        }
      },
      [](const FailedInput& failed) { throw failed.error; });
  side.title += source.added_title;
  return side;
}

std::vector<std::string> known_metrics(const Comparison& comparison) {
  std::vector<std::string> names{"label-changed", "js"};
  for (const HeadChange& head : comparison.heads) {
    for (const ScoreChange& change : head.changes) {
      if (std::ranges::find(names, change.name) != names.end()) continue;
      names.push_back(change.name);
      names.push_back("delta." + change.name);
    }
  }
  return names;
}

// A bare score is B's.
std::optional<double> metric_of(const HeadChange& head, const Condition& condition) {
  if (condition.sign == 0) return head.label_changed() ? 1.0 : 0.0;
  if (condition.metric == "js") {
    return head.js && head.js->rows > 0 ? std::optional(head.js->js) : std::nullopt;
  }
  for (const ScoreChange& change : head.changes) {
    if (change.name == condition.metric) return condition.is_delta ? change.delta() : change.b;
  }
  return std::nullopt;
}

// A head that one side does not have has no label there: label-changed holds for it.
bool lost_heads(const Comparison& comparison, const std::vector<Condition>& conditions,
                Console& console) {
  const auto asks = [&](const std::string& head) {
    return std::ranges::any_of(conditions, [&](const Condition& condition) {
      return condition.sign == 0 && (condition.head.empty() || condition.head == head);
    });
  };
  bool any = false;
  for (const auto* heads : {&comparison.only_in_a, &comparison.only_in_b}) {
    for (const std::string& head : *heads) {
      if (!asks(head)) continue;
      any = true;
      console.warning("--fail-if label-changed: " + head + " is on one side alone");
    }
  }
  return any;
}

int check_conditions(const Comparison& comparison, const std::vector<Condition>& conditions,
                     Console& console) {
  std::vector<std::string> heads;
  for (const HeadChange& head : comparison.heads) heads.push_back(head_text(head.id));
  const auto held =
      conditions_that_hold(conditions, heads, [&](const Condition& condition, std::size_t h) {
        return metric_of(comparison.heads[h], condition);
      });
  for (const std::string& text : held) console.warning("--fail-if " + text);
  return held.empty() && !lost_heads(comparison, conditions, console) ? 0 : kConditionHeld;
}

// Difference maps of every head, an overview and the numbers.
void write_folder(const ComparedSide& a, const ComparedSide& b, const Comparison& comparison,
                  const CompareOptions& options, OutputFolder* folder) {
  if (comparison.same_shape) {
    const DifferencePictures pictures =
        draw_differences(a, b, comparison, options.picture, options.resources);
    const std::string ending = picture_ending(options.picture);
    for (std::size_t i = 0; i < pictures.ids.size(); ++i) {
      folder->write("heads/" + padded_head_name(pictures.ids[i]) + ending, pictures.heads[i]);
    }
    if (!pictures.ids.empty()) folder->write("overview" + ending, pictures.overview);
  }
  const std::vector<std::string> files = folder->files();
  folder->write_json("summary.json", [&](JsonWriter* writer) {
    writer->begin_object();
    write_comparison(a, b, comparison, writer);
    writer->key("files");
    writer->begin_array();
    for (const std::string& name : files) writer->value(name);
    writer->end_array();
    writer->end_object();
    writer->finish();
  });
  folder->keep();
}

std::string printed(const ComparedSide& a, const ComparedSide& b, const Comparison& comparison,
                    const CompareOptions& options) {
  if (options.format == "csv") return comparison_csv(comparison);
  if (options.format == "text") return comparison_table(a, b, comparison, options.top);
  std::string text;
  JsonWriter writer([&text](std::string_view part) { text += part; });
  writer.begin_object();
  write_comparison(a, b, comparison, &writer);
  writer.end_object();
  writer.finish();
  return text;
}

}  // namespace

int command_compare(const CompareOptions& options, Console& console) {
  picture_style(options.picture);
  const std::vector<Threshold> thresholds = parse_thresholds(options.gates.thresholds);
  if (std::ranges::count(options.input.inputs, "-") > 1) {
    fail_usage("only one of the two inputs can be standard input");
  }
  const std::vector<SideSource> sides =
      sides_of(options.input, options.resources.memory, "compare");
  std::unique_ptr<OutputFolder> folder;
  if (!options.output.empty() && options.output != "-") {
    folder = std::make_unique<OutputFolder>(options.output, options.resources.force);
    folder->prepare();
  }
  if (folder && options.format != "text") {
    fail_usage("--format is for the table on stdout; -o writes pictures and summary.json");
  }
  const ComparedSide a = open_side(sides[0], options, console);
  const ComparedSide b = open_side(sides[1], options, console);
  const Comparison comparison = compare_sides(a, b, thresholds);
  std::vector<Condition> conditions;
  for (const std::string& text : options.gates.fail_if) {
    conditions.push_back(parse_condition(text, known_metrics(comparison)));
  }
  if (folder) {
    write_folder(a, b, comparison, options, folder.get());
    console.say(concat("wrote ", folder->files().size(), " files to ", folder->path()));
  } else {
    console.print(printed(a, b, comparison, options));
  }
  return check_conditions(comparison, conditions, console);
}

}  // namespace mha::cli
