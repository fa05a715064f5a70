#include "score_report.hpp"

#include <algorithm>
#include <ostream>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/version.hpp"

#include "console.hpp"
#include "score_table.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kMostNotes = 8;

std::string hash_text(std::uint64_t hash) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "sum64:";
  for (int shift = 60; shift >= 0; shift -= 4) out += kHex[hash >> shift & 15];
  return out;
}

double positional_share(const HeadScores& scores) {
  std::uint64_t rows = 0;
  for (const auto& [offset, count] : scores.argmax_offsets) rows += count;
  return static_cast<double>(largest_offset(scores.argmax_offsets).rows) /
         static_cast<double>(rows);
}

std::optional<RelationKey> relation_named(const HeadScores& scores, const std::string& name) {
  for (const auto& [key, score] : scores.relations) {
    if (key.text() == name) return key;
  }
  return std::nullopt;
}

// All names that --by takes for these heads.
std::vector<std::string> sortable_names(const ScoreRun& run) {
  std::vector<std::string> names{"label", "head"};
  for (std::string& name : score_names()) names.push_back(std::move(name));
  for (const BestHead& best : best_heads(run.totals)) names.push_back(best.relation.text());
  return names;
}

double sort_value(const ScoredHead& head, const std::string& by) {
  constexpr double kLast = -1e300;
  if (by == "head") return 0;
  if (by != "label") return score_value(head.scores, by).value_or(kLast);
  return head.label.name.empty() ? kLast : head.label.best.excess();
}

void write_best_heads(const ScoreRun& run, JsonWriter* w) {
  const std::vector<BestHead> best = best_heads(run.totals);
  if (best.empty()) return;
  w->key("relations");
  w->begin_array();
  for (const BestHead& found : best) {
    w->begin_object();
    w->member("name", found.relation.name);
    w->member("reversed", found.relation.reversed);
    w->member("best_head", head_text(found.head));
    write_relation_score(found.score, w);
    w->end_object();
  }
  w->end_array();
  const std::optional<Coverage> coverage = coverage_of(run.totals);
  if (!coverage) return;
  w->key("coverage");
  w->begin_object();
  w->member("relations", static_cast<std::uint64_t>(coverage->relations));
  w->member("best_single_head", head_text(coverage->best));
  w->member("one_head", coverage->one_head);
  w->member("many_heads", coverage->many_heads);
  w->member("difference", coverage->many_heads - coverage->one_head);
  w->end_object();
}

// A field of CSV, quoted where it must be (RFC 4180).
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_number(const std::optional<double>& value) {
  return value ? number_text(*value) : "";
}

}  // namespace

void ScoreRun::add_note(const std::string& note) {
  notes.insert(note);
  if (notes.size() > kMostNotes) notes.erase(std::prev(notes.end()));
}

void ScoreRun::add_words_of(const OpenedInput& input) {
  for (const std::string& note : input.notes) add_note(note);
  if (const auto echo = model_echo(input)) model = echo;
  tokens.reset();
  if (totals.inputs != 1 || !input.text_model) return;
  const std::vector<std::uint32_t>& ids = input.model_input.ids;
  tokens = InputTokens{input.tokens, {ids.begin(), ids.end()}};
}

void ScoreRun::merge(const ScoreRun& other) {
  totals.merge(other.totals);
  if (other.model) model = other.model;
  if (!tokens) tokens = other.tokens;
  if (totals.inputs != 1) tokens.reset();
  for (const std::string& note : other.notes) add_note(note);
}

std::uint64_t rows_of(const ScoreTotals& totals) {
  std::uint64_t rows = 0;
  for (const auto& [id, head] : totals.heads) rows = std::max(rows, head.pooled.rows);
  return rows;
}

std::string head_text(const HeadId& id) {
  return HeadName{id.layer, id.head, id.is_mean}.text();
}

std::string padded_head_name(const HeadId& id) {
  const auto padded = [](std::size_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  return "L" + padded(id.layer) + (id.is_mean ? "mean" : "H" + padded(id.head));
}

std::optional<double> score_value(const HeadScores& scores, const std::string& name) {
  if (const auto mean = mean_score_named(name)) {
    if (scores[*mean].rows == 0) return std::nullopt;
    return scores[*mean].mean();
  }
  if (name == "positional") {
    if (scores.argmax_offsets.empty()) return std::nullopt;
    return positional_share(scores);
  }
  if (name == "sink") {
    const std::vector<Sink> sinks = scores.sinks(1);
    return sinks.empty() ? std::nullopt : std::optional(sinks[0].share);
  }
  if (name == "tl_duplicate" || name == "tl_induction") {
    const RatioSum& ratio = name == "tl_duplicate" ? scores.tl_duplicate : scores.tl_induction;
    if (!ratio.is_defined()) return std::nullopt;
    return ratio.ratio();
  }
  const std::optional<RelationKey> relation = relation_named(scores, name);
  if (!relation) return std::nullopt;
  return scores.relations.at(*relation).rate();
}

std::vector<ScoredHead> ordered_heads(const ScoreRun& run, const ScoreView& view) {
  const std::vector<std::string> names = sortable_names(run);
  if (std::ranges::find(names, view.by) == names.end()) {
    fail_usage("--by: there is no score '" + view.by + "'", spelling_hint(view.by, names));
  }
  const auto describe = [&](const HeadId& id) {
    const HeadTotals& totals = run.totals.heads.at(id);
    return ScoredHead{head_text(id), totals.pooled,
                      label_head(totals.pooled, view.thresholds, totals.first_is_special()),
                      remarked_relations(totals.pooled, view.thresholds),
                      run.totals.inputs > 1 ? &totals.spread : nullptr};
  };
  std::vector<std::pair<double, HeadId>> order;
  for (const auto& [id, totals] : run.totals.heads) {
    order.emplace_back(sort_value(describe(id), view.by), id);
  }
  std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<ScoredHead> out;
  for (const auto& [value, id] : order) {
    if (view.top > 0 && out.size() == view.top) break;
    out.push_back(describe(id));
  }
  return out;
}

void write_score_json(const ScoreRun& run, const ScoreView& view, JsonWriter* w) {
  w->begin_object();
  w->member("format", "mha-viz scores 1");
  w->member("version", kVersion);
  w->member("inputs", run.totals.inputs);
  w->member("failed_inputs", run.totals.failed);
  w->member("rows", rows_of(run.totals));
  w->member("hash", hash_text(run.totals.hash));
  w->key("options");
  w->begin_object();
  write_settings(run.settings, w);
  w->end_object();
  if (run.model) write_model(*run.model, w);
  if (run.tokens) {
    w->key("tokens");
    w->strings(run.tokens->tokens);
    w->key("ids");
    w->indices(run.tokens->ids);
  }
  w->key("notes");
  w->begin_array();
  for (const std::string& note : run.notes) w->value(note);
  w->end_array();
  write_score_formulas(view.thresholds, w);
  w->key("heads");
  w->begin_array();
  for (const ScoredHead& head : ordered_heads(run, view)) {
    w->begin_object();
    write_head_members(head, w);
    w->end_object();
  }
  w->end_array();
  write_best_heads(run, w);
  w->end_object();
  w->finish();
}

void print_score_ndjson(const ScoreRun& run, const ScoreView& view, std::ostream& out) {
  for (const ScoredHead& head : ordered_heads(run, view)) {
    JsonWriter w([&out](std::string_view text) { out << text; }, true);
    w.begin_object();
    w.member("inputs", run.totals.inputs);
    w.member("rows", head.scores.rows);
    write_head_members(head, &w);
    w.end_object();
    w.finish();
  }
}

void print_score_csv(const ScoreRun& run, const ScoreView& view, std::ostream& out) {
  const std::vector<BestHead> relations = best_heads(run.totals);
  out << "head,label,label_score,threshold,runner_up,runner_up_score,inputs,rows";
  for (const std::string& name : score_names()) out << ',' << name;
  for (const ScoreInfo& info : mean_score_infos()) out << ',' << info.name << "_rows";
  for (const BestHead& best : relations) {
    out << ',' << csv_field(best.relation.text()) << ','
        << csv_field(best.relation.text() + " rows");
  }
  out << '\n';
  for (const ScoredHead& head : ordered_heads(run, view)) {
    const HeadLabel& label = head.label;
    out << head.name << ',' << csv_field(label.name) << ',';
    if (!label.name.empty()) {
      out << number_text(label.best.score) << ',' << number_text(label.best.threshold);
    } else {
      out << ',';
    }
    out << ',' << csv_field(label.runner_up.name) << ',';
    if (!label.runner_up.name.empty()) out << number_text(label.runner_up.score);
    out << ',' << run.totals.inputs << ',' << head.scores.rows;
    for (const std::string& name : score_names()) {
      out << ',' << csv_number(score_value(head.scores, name));
    }
    for (const RowSum& sum : head.scores.means) out << ',' << sum.rows;
    for (const BestHead& best : relations) {
      const auto score = head.scores.relations.find(best.relation);
      out << ',' << csv_number(score_value(head.scores, best.relation.text())) << ','
          << (score == head.scores.relations.end() ? 0 : score->second.rows);
    }
    out << '\n';
  }
}

void print_score_table(const ScoreRun& run, const ScoreView& view, std::ostream& out) {
  const std::uint64_t n = run.totals.inputs;
  out << "on " << count_text(n, "input") << ", " << count_text(rows_of(run.totals), "row");
  if (run.totals.failed > 0) {
    out << " (" << count_text(run.totals.failed, "input") << " could not be read)";
  }
  out << '\n';
  for (const std::string& note : run.notes) out << printable(note) << '\n';
  out << '\n' << head_table(ordered_heads(run, view), view);
  const std::vector<BestHead> relations = best_heads(run.totals);
  if (!relations.empty()) out << '\n' << relation_table(relations);
  if (const std::optional<Coverage> coverage = coverage_of(run.totals)) {
    out << '\n' << coverage_text(*coverage) << '\n';
  }
}

}  // namespace mha::cli
