#include "score_output.hpp"

#include "mha/base/text.hpp"
#include "mha/text/token_kinds.hpp"
#include "mha/text/tokens.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kSinks = 3;

void write_null(const char* member, std::string_view reason, JsonWriter* w) {
  w->key(member);
  w->null();
  w->member("reason", reason);
}

constexpr const char* kNoPositions = "queries and keys of cross-attention share no positions";

// Why no row applied. Rows that count but have no positions are those of cross-attention.
std::string_view reason_for(MeanScore score, const HeadScores& scores) {
  const bool is_positional = (score >= MeanScore::kDistance && score <= MeanScore::kFirstToken) ||
                             score >= MeanScore::kDuplicate;
  const bool is_cross = scores.rows > 0 && scores.argmax_offsets.empty();
  return is_positional && is_cross ? kNoPositions : info_of(score).reason;
}

void write_mean(MeanScore score, const ScoredHead& head, JsonWriter* w) {
  const ScoreInfo& info = info_of(score);
  const RowSum& sum = head.scores[score];
  w->key(info.name);
  w->begin_object();
  if (sum.rows > 0) {
    w->member("value", sum.mean());
  } else {
    write_null("value", reason_for(score, head.scores), w);
  }
  w->member("rows", sum.rows);
  if (head.spread != nullptr && sum.rows > 0) {
    const Spread& spread = (*head.spread)[static_cast<std::size_t>(score)];
    w->key("spread");
    w->begin_object();
    w->member("inputs", spread.inputs);
    w->member("deviation", spread.deviation());
    w->member("low", spread.low);
    w->member("high", spread.high);
    w->end_object();
  }
  w->end_object();
}

void write_positional(const HeadScores& scores, JsonWriter* w) {
  std::uint64_t rows = 0;
  for (const auto& [offset, count] : scores.argmax_offsets) rows += count;
  w->key("positional");
  w->begin_object();
  if (rows > 0) {
    const OffsetShare best = largest_offset(scores.argmax_offsets);
    w->member("value", static_cast<double>(best.rows) / static_cast<double>(rows));
    w->member("offset", static_cast<double>(best.offset));
  } else {
    write_null("value", scores.rows > 0 ? kNoPositions : other_score_infos()[0].reason, w);
  }
  w->member("rows", rows);
  w->end_object();
}

void write_sinks(const HeadScores& scores, JsonWriter* w) {
  w->key("sink");
  w->begin_object();
  const std::vector<Sink> sinks = scores.sinks(kSinks);
  if (sinks.empty()) {
    write_null("value", other_score_infos()[1].reason, w);
  } else {
    w->member("value", sinks[0].share);
  }
  w->key("keys");
  w->begin_array();
  for (const Sink& sink : sinks) {
    w->begin_object();
    w->member("key", static_cast<std::uint64_t>(sink.key));
    w->member("share", sink.share);
    w->member("rows", sink.rows);
    w->end_object();
  }
  w->end_array();
  w->end_object();
}

void write_ratio(const char* name, const RatioSum& ratio, JsonWriter* w) {
  w->key(name);
  w->begin_object();
  if (ratio.is_defined()) {
    w->member("value", ratio.ratio());
  } else {
    write_null("value", "no token repeats", w);
  }
  w->member("rows", ratio.rows);
  w->end_object();
}

void write_rates(const HeadScores& scores, JsonWriter* w) {
  if (scores.relations.empty()) return;
  w->key("relations");
  w->begin_array();
  for (const auto& [key, score] : scores.relations) {
    w->begin_object();
    w->member("name", key.name);
    w->member("reversed", key.reversed);
    write_relation_score(score, w);
    if (!score.has_baseline()) write_null("baseline", kNoPositions, w);
    w->end_object();
  }
  w->end_array();
}

void write_candidate(const LabelCandidate& candidate, JsonWriter* w) {
  w->member("score", candidate.score);
  w->member("threshold", candidate.threshold);
}

void write_label(const ScoredHead& head, JsonWriter* w) {
  w->key("label");
  if (head.label.name.empty()) {
    w->null();
    return;
  }
  w->begin_object();
  w->member("name", head.label.name);
  if (head.label.is_clear()) {
    write_candidate(head.label.best, w);
  } else {
    w->key("nearest");
    w->begin_object();
    w->member("name", head.label.best.name);
    write_candidate(head.label.best, w);
    w->end_object();
  }
  if (!head.label.runner_up.name.empty()) {
    w->key("runner_up");
    w->begin_object();
    w->member("name", head.label.runner_up.name);
    write_candidate(head.label.runner_up, w);
    w->end_object();
  }
  w->end_object();
  const std::vector<std::string> remarks = remark_texts(head);
  if (remarks.empty()) return;
  w->key("remarks");
  w->strings(remarks);
}

}  // namespace

TokenTraits make_traits(const OpenedInput& input) {
  TokenTraits::Input in;
  in.key_tokens = input.key_tokens;
  for (const std::string& token : input.key_tokens) {
    in.is_special.push_back(is_special_token(token) ? 1 : 0);
    in.is_punctuation.push_back(is_punctuation_token(token) ? 1 : 0);
  }
  for (const Relation& relation : input.relations) {
    in.relations.push_back({relation.name, relation.pairs});
  }
  in.n_query = input.tokens.size();
  in.is_cross = input.is_cross;
  return TokenTraits(in);
}

bool first_is_special(const OpenedInput& input) {
  return !input.key_tokens.empty() && is_special_token(input.key_tokens[0]);
}

ScoredHead scored_head(const OpenedInput& input, const std::string& name,
                       const HeadScores& scores) {
  return {name, scores, label_head(scores, default_thresholds(), first_is_special(input)),
          remarked_relations(scores, default_thresholds())};
}

std::vector<std::string> label_texts(const OpenedInput& input, const HeadScoresAccumulator& scores,
                                     std::size_t n_heads) {
  std::vector<std::string> out;
  for (std::size_t s = 0; s < n_heads; ++s) {
    const HeadLabel label =
        label_head(scores.scores(s), default_thresholds(), first_is_special(input));
    out.push_back(label.is_clear() ? label_text(label.name) : "");
  }
  return out;
}

ScoreTotals totals_of(const OpenedInput& input, const SelectedHeads& heads,
                      const HeadScoresAccumulator& scores) {
  ScoreTotals totals;
  totals.add_input(input.hash);
  for (std::size_t s = 0; s < heads.slots.size(); ++s) {
    totals.heads[heads.ids[s]].add(scores.scores(s), first_is_special(input));
  }
  return totals;
}

std::vector<std::string> remark_texts(const ScoredHead& head) {
  std::vector<std::string> out;
  for (const RelationKey& key : head.remarks) {
    const RelationScore& score = head.scores.relations.at(key);
    out.push_back(concat(key.text(), " ", score.right, " of ", score.rows,
                         score.rows == 1 ? " row" : " rows", ", too few to label"));
  }
  return out;
}

void write_head_members(const ScoredHead& head, JsonWriter* w) {
  w->member("head", head.name);
  write_label(head, w);
  for (std::size_t i = 0; i < kMeanScores; ++i) write_mean(static_cast<MeanScore>(i), head, w);
  write_positional(head.scores, w);
  write_sinks(head.scores, w);
  write_ratio("tl_duplicate", head.scores.tl_duplicate, w);
  write_ratio("tl_induction", head.scores.tl_induction, w);
  write_rates(head.scores, w);
  w->member("masked_cells", head.scores.masked_cells);
  w->member("missing_cells", head.scores.missing_cells);
  w->member("non_finite_cells", head.scores.non_finite_cells);
  w->member("fully_masked_rows", head.scores.fully_masked_rows);
  w->member("padding_rows", head.scores.padding_rows);
}

void write_relation_score(const RelationScore& score, JsonWriter* w) {
  w->member("rate", score.rate());
  w->member("right", score.right);
  w->member("rows", score.rows);
  if (!score.has_baseline()) return;
  w->member("baseline", score.baseline());
  w->member("baseline_offset", static_cast<double>(largest_offset(score.offsets).offset));
  w->member("gain", score.gain());
}

void write_score_formulas(const std::vector<Threshold>& thresholds, JsonWriter* w) {
  const auto write_info = [w](const ScoreInfo& info) {
    w->key(info.name);
    w->begin_object();
    w->member("formula", info.formula);
    if (!info.source.empty()) w->member("source", info.source);
    if (!info.unit.empty()) w->member("unit", info.unit);
    w->end_object();
  };
  w->key("formulas");
  w->begin_object();
  for (const ScoreInfo& info : mean_score_infos()) write_info(info);
  for (const ScoreInfo& info : other_score_infos()) write_info(info);
  w->end_object();
  w->key("thresholds");
  w->begin_object();
  for (const Threshold& threshold : thresholds) w->member(threshold.name, threshold.value);
  w->end_object();
}

}  // namespace mha::cli
