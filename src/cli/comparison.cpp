#include "comparison.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/text.hpp"
#include "mha/base/version.hpp"
#include "mha/text/tokens.hpp"

#include "console.hpp"
#include "score_report.hpp"
#include "text_table.hpp"

namespace mha::cli {
namespace {

// Scores from 0 to 1, which can be compared with each other.
bool is_share(const std::string& name) {
  static const std::vector<std::string> kOthers = {"entropy", "effective_keys", "distance",
                                                   "signed_distance"};
  return std::ranges::find(kOthers, name) == kOthers.end();
}

std::vector<std::string> common_names(const HeadScores& a, const HeadScores& b) {
  std::vector<std::string> names = score_names();
  for (const auto& [key, score] : a.relations) {
    if (b.relations.contains(key)) names.push_back(key.text());
  }
  return names;
}

HeadChange compare_heads(const HeadId& id, const HeadTotals& a, const HeadTotals& b,
                         const std::vector<Threshold>& thresholds) {
  HeadChange out;
  out.id = id;
  out.label_a = label_head(a.pooled, thresholds, a.first_is_special());
  out.label_b = label_head(b.pooled, thresholds, b.first_is_special());
  for (const std::string& name : common_names(a.pooled, b.pooled)) {
    const auto value_a = score_value(a.pooled, name);
    const auto value_b = score_value(b.pooled, name);
    if (value_a && value_b) out.changes.push_back({name, *value_a, *value_b});
  }
  for (std::size_t i = 0; i < out.changes.size(); ++i) {
    if (is_share(out.changes[i].name)) out.by_size.push_back(i);
  }
  std::ranges::stable_sort(out.by_size, [&](std::size_t i, std::size_t j) {
    return std::fabs(out.changes[i].delta()) > std::fabs(out.changes[j].delta());
  });
  return out;
}

// Whether the two single inputs can be compared cell by cell.
bool have_same_shape(const ComparedSide& a, const ComparedSide& b) {
  return a.input && b.input && a.input->tokens.size() == b.input->tokens.size() &&
         a.input->key_tokens.size() == b.input->key_tokens.size() &&
         a.input->is_cross == b.input->is_cross;
}

void add_distances(const ComparedSide& a, const ComparedSide& b, Comparison* comparison) {
  std::vector<HeadSlot> slots_a, slots_b;
  std::vector<HeadId> ids;
  for (std::size_t i = 0; i < a.heads.ids.size(); ++i) {
    const auto same = std::ranges::find(b.heads.ids, a.heads.ids[i]);
    if (same == b.heads.ids.end()) continue;
    ids.push_back(a.heads.ids[i]);
    slots_a.push_back(a.heads.slots[i]);
    slots_b.push_back(b.heads.slots[static_cast<std::size_t>(same - b.heads.ids.begin())]);
  }
  const std::vector<PairDistance> distances =
      matched_distances(*a.input->rows, slots_a, *b.input->rows, slots_b, {});
  for (HeadChange& head : comparison->heads) {
    const auto at = std::ranges::find(ids, head.id);
    if (at != ids.end()) head.js = distances[static_cast<std::size_t>(at - ids.begin())];
  }
}

std::string label_change_text(const HeadChange& head) {
  const auto text = [](const HeadLabel& label) {
    return label.name.empty() ? std::string("-") : label_text(label.name);
  };
  return head.label_changed() ? text(head.label_a) + " -> " + text(head.label_b)
                              : text(head.label_a);
}

std::string signed_text(double value) {
  return (value >= 0 ? "+" : "") + fixed(value, 2);
}

std::string changes_text(const HeadChange& head) {
  constexpr std::size_t kShown = 3;
  constexpr double kWorthSaying = 0.005;
  std::vector<std::string> parts;
  for (std::size_t i : head.by_size) {
    const ScoreChange& change = head.changes[i];
    if (parts.size() == kShown || std::fabs(change.delta()) < kWorthSaying) break;
    parts.push_back(concat(change.name, " ", fixed(change.a, 2), " -> ", fixed(change.b, 2), " (",
                           signed_text(change.delta()), ")"));
  }
  return parts.empty() ? "none above 0.005" : join(parts, ", ");
}

std::string side_text(const char* letter, const ComparedSide& side) {
  return concat(letter, ": ", side.name, " (", count_text(side.totals.inputs, "input"), ", ",
                count_text(rows_of(side.totals), "row"), ")\n");
}

void write_side(const char* member, const ComparedSide& side, JsonWriter* w) {
  w->key(member);
  w->begin_object();
  if (side.input && !side.input->id.empty()) w->member("id", side.input->id);
  w->member("inputs", side.totals.inputs);
  w->member("rows", rows_of(side.totals));
  if (side.model) write_model(*side.model, w);
  if (side.input && side.input->text_model) {
    w->key("tokens");
    w->strings(side.input->tokens);
    write_ids(*side.input, w);
  }
  w->end_object();
}

void write_head(const HeadChange& head, JsonWriter* w) {
  w->begin_object();
  w->member("head", head_text(head.id));
  w->member("label_a", head.label_a.name);
  w->member("label_b", head.label_b.name);
  w->member("label_changed", head.label_changed());
  if (head.js && head.js->rows > 0) {
    w->member("js", head.js->js);
    w->member("js_rows", head.js->rows);
  }
  w->key("scores");
  w->begin_object();
  for (const ScoreChange& change : head.changes) {
    w->key(change.name);
    w->begin_object();
    w->member("a", change.a);
    w->member("b", change.b);
    w->member("delta", change.delta());
    w->end_object();
  }
  w->end_object();
  w->end_object();
}

}  // namespace

double HeadChange::largest() const {
  const double of_scores = by_size.empty() ? 0 : std::fabs(changes[by_size[0]].delta());
  return js && js->rows > 0 ? std::max(of_scores, js->js) : of_scores;
}

Comparison compare_sides(const ComparedSide& a, const ComparedSide& b,
                         const std::vector<Threshold>& thresholds) {
  Comparison out;
  for (const auto& [id, totals] : a.totals.heads) {
    const auto other = b.totals.heads.find(id);
    if (other == b.totals.heads.end()) {
      out.only_in_a.push_back(head_text(id));
    } else {
      out.heads.push_back(compare_heads(id, totals, other->second, thresholds));
    }
  }
  for (const auto& [id, totals] : b.totals.heads) {
    if (!a.totals.heads.contains(id)) out.only_in_b.push_back(head_text(id));
  }
  out.same_shape = have_same_shape(a, b);
  if (out.same_shape) {
    for (std::size_t i = 0; i < a.input->key_tokens.size(); ++i) {
      if (a.input->key_tokens[i] != b.input->key_tokens[i]) out.differing_tokens.push_back(i);
    }
    add_distances(a, b, &out);
  }
  std::ranges::stable_sort(out.heads, [](const HeadChange& x, const HeadChange& y) {
    return x.largest() > y.largest();
  });
  return out;
}

std::string comparison_table(const ComparedSide& a, const ComparedSide& b,
                             const Comparison& comparison, std::size_t top) {
  std::string out = side_text("A", a) + side_text("B", b);
  if (!comparison.same_shape) {
    out += "Cells are not compared: that takes one input on each side, of equal length.\n";
  }
  for (std::size_t i : comparison.differing_tokens) {
    out += concat("token ", i, ": ", printable(display_token(a.input->key_tokens[i])), " -> ",
                  printable(display_token(b.input->key_tokens[i])), "\n");
  }
  TextTable table({false, false, true, false});
  table.add({"head", "label", "JS", "largest changes (A -> B)"});
  std::size_t shown = 0;
  for (const HeadChange& head : comparison.heads) {
    if (top > 0 && shown++ == top) break;
    const bool has_js = head.js && head.js->rows > 0;
    table.add({head_text(head.id), label_change_text(head), has_js ? fixed(head.js->js, 3) : "-",
               changes_text(head)});
  }
  out += "\n" + table.text();
  if (!comparison.only_in_a.empty()) out += "only in A: " + join(comparison.only_in_a, ", ") + "\n";
  if (!comparison.only_in_b.empty()) out += "only in B: " + join(comparison.only_in_b, ", ") + "\n";
  return out;
}

void write_comparison(const ComparedSide& a, const ComparedSide& b, const Comparison& comparison,
                      JsonWriter* w) {
  w->member("format", "mha-viz comparison 1");
  w->member("version", kVersion);
  write_side("a", a, w);
  write_side("b", b, w);
  w->member("cells_compared", comparison.same_shape);
  w->key("differing_tokens");
  w->indices(comparison.differing_tokens);
  w->key("only_in_a");
  w->strings(comparison.only_in_a);
  w->key("only_in_b");
  w->strings(comparison.only_in_b);
  w->key("heads");
  w->begin_array();
  for (const HeadChange& head : comparison.heads) write_head(head, w);
  w->end_array();
}

std::string comparison_csv(const Comparison& comparison) {
  std::string out = "head,score,a,b,delta\n";
  for (const HeadChange& head : comparison.heads) {
    const std::string name = head_text(head.id);
    if (head.js && head.js->rows > 0) out += name + ",js,,," + number_text(head.js->js) + "\n";
    for (const ScoreChange& change : head.changes) {
      out += concat(name, ",", change.name, ",", number_text(change.a), ",", number_text(change.b),
                    ",", number_text(change.delta()), "\n");
    }
  }
  return out;
}

}  // namespace mha::cli
