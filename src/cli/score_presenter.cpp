#include "score_presenter.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"

#include "commands.hpp"
#include "figures.hpp"

namespace mha::cli {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code missing;
  return a == b || std::filesystem::equivalent(a, b, missing);
}

std::vector<std::string> metrics_of(const ScoreRun& run) {
  std::vector<std::string> names = score_names();
  for (const BestHead& best : best_heads(run.totals)) names.push_back(best.relation.text());
  return names;
}

}  // namespace

std::vector<Threshold> parse_thresholds(const std::vector<std::string>& settings) {
  std::vector<Threshold> thresholds = default_thresholds();
  std::vector<std::string> names;
  for (const Threshold& threshold : thresholds) names.push_back(threshold.name);
  for (const std::string& text : settings) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto known = std::ranges::find(thresholds, name, &Threshold::name);
    if (known == thresholds.end()) {
      fail_usage("--threshold: there is no name '" + name + "'", spelling_hint(name, names));
    }
    const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
    char* end = nullptr;
    known->value = std::strtod(number.c_str(), &end);
    const bool is_number = !number.empty() && *end == '\0';
    if (!is_number || !(known->value >= 0) || !(known->value < 1)) {
      fail_usage("--threshold: expected " + name + "=X with X from 0 to below 1, got '" + text +
                 "'");
    }
  }
  return thresholds;
}

ScorePresenter::ScorePresenter(const ScoreViewOptions& view, const std::string& figure,
                               const PictureOptions& picture, Console& console)
    : options_(view),
      figure_(figure),
      picture_(with_format_of(figure, picture)),
      console_(console) {
  view_.thresholds = parse_thresholds(view.gates.thresholds);
  view_.by = view.by;
  view_.top = view.top;
  const bool to_stdout = view.output.empty() || view.output == "-";
  view_.colors = to_stdout && console.colors_stdout();
  if (to_stdout && stdout_is_terminal()) view_.window = stdout_columns();
  if (figure == "-") fail_usage("--figure needs the name of a file; the table goes to stdout");
  if (!figure.empty() && !names_picture(figure)) {
    fail_usage("--figure: expected a name ending in .png, .svg or .pdf, got '" + figure + "'");
  }
  if (!figure.empty() && is_same_file(figure, view.output)) {
    fail_usage("-o and --figure name the same file, " + figure);
  }
  for (const std::string& path : {view.output, figure}) {
    if (!path.empty() && path != "-") OutputFile probe(path);  // found out now, not after the work
  }
}

void ScorePresenter::check_not_output(const std::string& input) const {
  for (const std::string& output : {options_.output, figure_}) {
    if (is_same_file(input, output)) fail_usage(output + ": would overwrite an input");
  }
}

void ScorePresenter::print_thresholds() const {
  std::string text;
  for (const Threshold& threshold : view_.thresholds) {
    text += concat(threshold.name, std::string(14 - threshold.name.size(), ' '),
                   number_text(threshold.value), "\n");
  }
  write(text);
}

int ScorePresenter::present(const ScoreRun& run) const {
  std::vector<Condition> conditions;
  for (const std::string& text : options_.gates.fail_if) {
    conditions.push_back(parse_condition(text, metrics_of(run)));
  }
  write(render(run));
  if (!figure_.empty()) draw_relations(run);
  std::vector<std::string> heads;
  std::vector<const HeadScores*> scores;
  for (const auto& [id, totals] : run.totals.heads) {
    heads.push_back(head_text(id));
    scores.push_back(&totals.pooled);
  }
  const auto held =
      conditions_that_hold(conditions, heads, [&](const Condition& condition, std::size_t h) {
        return score_value(*scores[h], condition.metric);
      });
  for (const std::string& text : held) console_.warning("--fail-if " + text);
  return held.empty() ? 0 : kConditionHeld;
}

std::string ScorePresenter::render(const ScoreRun& run) const {
  std::ostringstream out;
  if (options_.format == "json") {
    JsonWriter writer([&out](std::string_view text) { out << text; });
    write_score_json(run, view_, &writer);
  } else if (options_.format == "ndjson") {
    print_score_ndjson(run, view_, out);
  } else if (options_.format == "csv") {
    print_score_csv(run, view_, out);
  } else {
    print_score_table(run, view_, out);
  }
  return out.str();
}

void ScorePresenter::write(const std::string& text) const {
  if (!options_.output.empty() && options_.output != "-") {
    OutputFile file(options_.output);
    file.write(text);
    file.commit();
    return;
  }
  console_.print(text);
}

void ScorePresenter::draw_relations(const ScoreRun& run) const {
  const std::unique_ptr<render::Typesetter> typesetter = make_typesetter(picture_);
  write_file(figure_, relations_picture(run.totals, picture_, *typesetter));
}

}  // namespace mha::cli
