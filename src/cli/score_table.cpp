#include "score_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mha/base/text.hpp"

#include "text_table.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kBarWidth = 10;

// Eighths of a character block, or whole number signs.
std::string bar_of(double share, bool unicode) {
  const double part = std::clamp(share, 0.0, 1.0);
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(part * kBarWidth)), '#');
  static constexpr std::array<const char*, 8> kParts = {"",       "\u258F", "\u258E", "\u258D",
                                                        "\u258C", "\u258B", "\u258A", "\u2589"};
  const auto eighths = static_cast<std::size_t>(std::lround(part * kBarWidth * 8));
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += "\u2588";
  return bar + kParts[eighths % 8];
}

// A colour for each name, the same wherever it appears.
std::string color_of(const HeadLabel& label) {
  static constexpr std::array<const char*, 6> kColors = {"\033[33m", "\033[32m", "\033[31m",
                                                         "\033[36m", "\033[35m", "\033[34m"};
  if (!label.is_clear()) return "\033[90m";
  const auto& thresholds = default_thresholds();
  const auto known = std::ranges::find(thresholds, label.name, &Threshold::name);
  // Relations have no place in the table: their letters choose.
  std::size_t index = static_cast<std::size_t>(known - thresholds.begin());
  if (known == thresholds.end()) {
    for (const char c : label.name) index += static_cast<unsigned char>(c);
  }
  return kColors[index % kColors.size()];
}

std::string score_number(const std::optional<double>& value) {
  return value ? fixed(*value, 2) : "-";
}

std::string runner_up_text(const HeadLabel& label) {
  if (label.runner_up.name.empty()) return "";
  return label_text(label.runner_up.name) + " " + fixed(label.runner_up.score, 2);
}

constexpr std::size_t kBarColumn = 3;

// Takes columns from the right out of the table until it is no wider than `window`, but not head,
// label and score, nor the remarks behind the named columns. Returns their names.
std::string fit(const std::vector<std::string>& names, std::size_t window, TextTable* table) {
  std::vector<std::string> removed;
  for (std::size_t c = names.size(); c > kBarColumn && window > 0 && table->width() > window; --c) {
    table->remove_column(c - 1);
    if (!names[c - 1].empty()) removed.insert(removed.begin(), names[c - 1]);
  }
  return join(removed, ", ");
}

// Columns after the label: the usual scores, and the one that the table is sorted by.
std::vector<std::string> score_columns(const ScoreView& view) {
  std::vector<std::string> columns{"entropy", "previous",    "self",
                                   "next",    "first_token", "distance"};
  const bool is_extra = view.by != "label" && view.by != "head" &&
                        std::ranges::find(columns, view.by) == columns.end();
  if (is_extra) columns.insert(columns.begin(), view.by);
  return columns;
}

}  // namespace

std::vector<std::string> head_columns(const ScoreView& view) {
  std::vector<std::string> names{"head", "label", "score", "", "from", "runner-up"};
  const std::vector<std::string> columns = score_columns(view);
  names.insert(names.end(), columns.begin(), columns.end());
  return names;
}

std::vector<std::string> head_cells(const ScoredHead& head, const ScoreView& view, bool unicode) {
  const HeadLabel& label = head.label;
  const bool is_known = !label.name.empty();
  const std::string shown = !is_known          ? "-"
                            : label.is_clear() ? label_text(label.name)
                                               : "mixed (" + label_text(label.best.name) + ")";
  std::vector<std::string> cells{head.name,
                                 shown,
                                 is_known ? fixed(label.best.score, 2) : "-",
                                 is_known ? bar_of(label.best.score, unicode) : "",
                                 is_known ? fixed(label.best.threshold, 2) : "-",
                                 runner_up_text(label)};
  for (const std::string& name : score_columns(view)) {
    cells.push_back(score_number(score_value(head.scores, name)));
  }
  return cells;
}

std::string head_table(const std::vector<ScoredHead>& heads, const ScoreView& view) {
  const std::vector<std::string> names = head_columns(view);
  std::vector<bool> is_number{false, false, true, false, true, false};
  is_number.resize(names.size(), true);
  is_number.push_back(false);
  TextTable table(is_number, kBarColumn);
  table.add(names);
  for (const ScoredHead& head : heads) {
    std::vector<std::string> cells = head_cells(head, view);
    cells.push_back(join(remark_texts(head), "; "));
    table.add(cells, view.colors ? color_of(head.label) : "");
  }
  const std::string left_out = fit(names, view.window, &table);
  const std::string text = table.text();
  return left_out.empty()
             ? text
             : text + "\nNot shown in this window: " + left_out + " (| less -S shows all)\n";
}

std::string relation_table(const std::vector<BestHead>& relations) {
  TextTable table({false, false, true, true, true, true, true});
  table.add({"relation", "best head", "rate", "right/rows", "baseline", "at offset", "gain"});
  for (const BestHead& best : relations) {
    const RelationScore& score = best.score;
    const bool has_baseline = score.has_baseline();
    table.add({best.relation.text(), head_text(best.head), fixed(score.rate(), 2),
               concat(score.right, "/", score.rows),
               has_baseline ? fixed(score.baseline(), 2) : "-",
               has_baseline ? std::to_string(largest_offset(score.offsets).offset) : "-",
               has_baseline ? fixed(score.gain(), 2) : "-"});
  }
  return table.text();
}

std::string coverage_text(const Coverage& coverage) {
  return concat("One head against many, mean rate over ",
                count_text(coverage.relations, "relation"), ": ", fixed(100 * coverage.one_head, 0),
                "% for the best single head (", head_text(coverage.best), "), ",
                fixed(100 * coverage.many_heads, 0), "% with the best head for each.");
}

}  // namespace mha::cli
