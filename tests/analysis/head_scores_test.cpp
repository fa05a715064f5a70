// Every score against a direct evaluation in double precision, and cases worked out by hand.
#include "mha/analysis/head_scores.hpp"

#include <cmath>
#include <limits>

#include "mha/analysis/coverage.hpp"
#include "mha/analysis/head_label.hpp"
#include "mha/analysis/score_totals.hpp"
#include "mha/attention/precomputed.hpp"
#include "mha/attention/stack.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"

namespace mha {
namespace {

PrecomputedAttention known(const AttentionShape& shape, std::vector<float> weights,
                           MaskRule mask = {}) {
  PrecomputedLayer layer;
  layer.n_heads = weights.size() / (shape.n_query * shape.n_key);
  layer.shape = shape;
  layer.weights = FloatStorage(FloatVector(weights.begin(), weights.end()));
  layer.mask = std::move(mask);
  std::vector<PrecomputedLayer> layers;
  layers.push_back(std::move(layer));
  return PrecomputedAttention(std::move(layers));
}

HeadScores score(const RowSource& source, const TokenTraits& traits, ScoreOptions options = {},
                 std::size_t head = 0, const StreamOptions& stream = {}) {
  Analysis analysis(source, {{0, head}});
  HeadScoresAccumulator scores(1, &traits, options);
  analysis.attach(&scores);
  analysis.run(stream);
  return scores.scores(0);
}

TokenTraits traits_of(std::vector<std::string> tokens, std::vector<std::uint8_t> special = {},
                      std::vector<TokenTraits::Input::Pairs> relations = {}) {
  TokenTraits::Input input;
  input.n_query = tokens.size();
  special.resize(tokens.size());
  for (const std::string& token : tokens) input.is_punctuation.push_back(token == "." ? 1 : 0);
  input.key_tokens = std::move(tokens);
  input.is_special = std::move(special);
  input.relations = std::move(relations);
  return TokenTraits(input);
}

// One head's weights with what is allowed, scored in the plainest way.
struct Direct {
  std::vector<double> weights;
  std::vector<char> allowed;
  std::vector<std::string> tokens;
  std::vector<std::uint8_t> special;
  std::size_t n_query = 0;
  std::size_t n_key = 0;
  ScoreOptions options;

  double w(std::size_t i, std::size_t j) const { return weights[i * n_key + j]; }
  bool may(std::size_t i, std::size_t j) const { return allowed[i * n_key + j] != 0; }
  std::size_t position(std::size_t i) const { return i + n_key - n_query; }

  // Mean over rows of value(i); rows where it is NaN do not apply.
  template <typename Value>
  std::pair<double, std::uint64_t> mean(const Value& value) const {
    double sum = 0;
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < n_query; ++i) {
      const double x = value(i);
      if (std::isnan(x)) continue;
      sum += x;
      ++rows;
    }
    return {sum / static_cast<double>(rows), rows};
  }
  template <typename Term>
  double over_keys(std::size_t i, const Term& term) const {
    double sum = 0;
    for (std::size_t j = 0; j < n_key; ++j) sum += term(i, j);
    return sum;
  }
  double entropy(std::size_t i) const {
    return over_keys(i, [&](std::size_t, std::size_t j) {
      return w(i, j) > 0 ? -w(i, j) * std::log(w(i, j)) : 0.0;
    });
  }
  // The share on keys that match, NaN when the row may see none of them.
  template <typename Match>
  double share(std::size_t i, const Match& match) const {
    double sum = 0;
    bool any = false;
    for (std::size_t j = 0; j < n_key; ++j) {
      if (!match(j) || !may(i, j)) continue;
      any = true;
      sum += w(i, j);
    }
    return any ? sum : std::numeric_limits<double>::quiet_NaN();
  }
  double at(std::size_t i, std::ptrdiff_t offset) const {
    const auto key = static_cast<std::ptrdiff_t>(position(i)) + offset;
    return share(i, [key](std::size_t j) { return static_cast<std::ptrdiff_t>(j) == key; });
  }
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void check_mean(const HeadScores& got, MeanScore score, std::pair<double, std::uint64_t> expected) {
  INFO(info_of(score).name);
  CHECK(got[score].rows == expected.second);
  if (expected.second > 0) CHECK(std::fabs(got[score].mean() - expected.first) < 2e-6);
}

void check_all(const HeadScores& got, const Direct& d) {
  const auto n_allowed = [&](std::size_t i) {
    return d.over_keys(i, [&](std::size_t, std::size_t j) { return d.may(i, j) ? 1.0 : 0.0; });
  };
  const auto signed_distance = [&](std::size_t i, std::size_t j) {
    return static_cast<double>(d.position(i)) - static_cast<double>(j);
  };
  check_mean(got, MeanScore::kEntropy, d.mean([&](std::size_t i) { return d.entropy(i); }));
  check_mean(got, MeanScore::kEffectiveKeys,
             d.mean([&](std::size_t i) { return std::exp(d.entropy(i)); }));
  check_mean(got, MeanScore::kNormalisedEntropy, d.mean([&](std::size_t i) {
    return n_allowed(i) >= 2 ? d.entropy(i) / std::log(n_allowed(i)) : kNone;
  }));
  check_mean(got, MeanScore::kConfidence, d.mean([&](std::size_t i) {
    double largest = 0;
    for (std::size_t j = 0; j < d.n_key; ++j) largest = std::max(largest, d.w(i, j));
    return largest;
  }));
  check_mean(got, MeanScore::kDistance, d.mean([&](std::size_t i) {
    return d.over_keys(i, [&](std::size_t, std::size_t j) {
      return d.w(i, j) * std::fabs(signed_distance(i, j));
    });
  }));
  check_mean(got, MeanScore::kSignedDistance, d.mean([&](std::size_t i) {
    return d.over_keys(
        i, [&](std::size_t, std::size_t j) { return d.w(i, j) * signed_distance(i, j); });
  }));
  check_mean(got, MeanScore::kPrevious, d.mean([&](std::size_t i) { return d.at(i, -1); }));
  check_mean(got, MeanScore::kSelf, d.mean([&](std::size_t i) { return d.at(i, 0); }));
  check_mean(got, MeanScore::kNext, d.mean([&](std::size_t i) { return d.at(i, 1); }));
  check_mean(got, MeanScore::kFirstToken, d.mean([&](std::size_t i) {
    return d.position(i) == 0 ? kNone : d.share(i, [](std::size_t j) { return j == 0; });
  }));
  check_mean(got, MeanScore::kSpecial, d.mean([&](std::size_t i) {
    return d.share(i, [&](std::size_t j) { return d.special[j] != 0; });
  }));
  check_mean(got, MeanScore::kPunctuation, d.mean([&](std::size_t i) {
    return d.share(i, [&](std::size_t j) { return d.tokens[j] == "."; });
  }));
  check_mean(got, MeanScore::kDuplicate, d.mean([&](std::size_t i) {
    return d.share(i, [&](std::size_t j) {
      return j < d.position(i) && d.tokens[j] == d.tokens[d.position(i)];
    });
  }));
  check_mean(got, MeanScore::kInduction, d.mean([&](std::size_t i) {
    return d.share(i, [&](std::size_t j) {
      return j >= 1 && j - 1 < d.position(i) && d.tokens[j - 1] == d.tokens[d.position(i)];
    });
  }));
}

Direct direct_of(const AttentionStack& stack, const std::vector<std::string>& tokens,
                 const std::vector<std::uint8_t>& special, std::size_t head) {
  const AttentionShape& shape = stack.layers()[0].shape;
  test::Collect all(stack.layers()[0].n_heads, shape);
  stack.stream(all, {});
  Direct d;
  d.n_query = shape.n_query;
  d.n_key = shape.n_key;
  d.tokens = tokens;
  d.special = special;
  const std::size_t start = head * shape.n_query * shape.n_key;
  for (std::size_t i = 0; i < shape.n_query * shape.n_key; ++i) {
    d.weights.push_back(static_cast<double>(all.weights[start + i]));
    d.allowed.push_back(static_cast<char>(all.allowed[start + i]));
  }
  return d;
}

AttentionStack random_stack(std::size_t n, const MaskRule& mask) {
  AttentionStack::Input input;
  input.x = test::random_matrix(n, 16, 3);
  AttentionLayer layer;
  layer.layout = {2, 2, 8, 8};
  layer.weights.qkv.weight = test::random_matrix(16, 48, 4);
  layer.rule.mask = mask;
  input.layers.push_back(std::move(layer));
  return AttentionStack(std::move(input));
}

TEST_CASE("every mean score equals its direct evaluation, for every kind of mask") {
  constexpr std::size_t n = 61;
  std::vector<std::string> tokens;
  std::vector<std::uint8_t> special(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    tokens.push_back(i % 11 == 7 ? "." : std::string(1, static_cast<char>('a' + i * i % 13)));
  }
  special[0] = special[n - 1] = 1;
  std::vector<MaskRule> masks(3);
  masks[1].causal = true;
  masks[2].causal = true;
  masks[2].window = 9;
  for (const MaskRule& mask : masks) {
    const AttentionStack stack = random_stack(n, mask);
    const TokenTraits traits = traits_of(tokens, special);
    for (std::size_t head : {0, 1}) {
      check_all(score(stack, traits, {}, head), direct_of(stack, tokens, special, head));
    }
  }
}

TEST_CASE("all scores have the same bits for every number of threads and block size") {
  const AttentionStack stack = random_stack(150, {});
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < 150; ++i) tokens.emplace_back(1, static_cast<char>('a' + i % 5));
  const TokenTraits traits = traits_of(tokens);
  const auto run = [&](std::size_t threads) {
    StreamOptions stream;
    stream.n_threads = threads;
    stream.block_rows = 13;
    return score(stack, traits, {}, 1, stream);
  };
  const HeadScores one = run(1);
  const HeadScores four = run(4);
  for (std::size_t i = 0; i < kMeanScores; ++i) {
    CHECK(one.means[i].sum == four.means[i].sum);
    CHECK(one.means[i].rows == four.means[i].rows);
  }
  CHECK(one.tl_duplicate.part == four.tl_duplicate.part);
  CHECK(one.argmax_offsets == four.argmax_offsets);
  REQUIRE(one.keys.size() == four.keys.size());
  for (std::size_t j = 0; j < one.keys.size(); ++j) CHECK(one.keys[j].units == four.keys[j].units);
}

TEST_CASE("sinks are the keys that get most from the rows that may see them") {
  MaskRule causal;
  causal.causal = true;
  const auto source = known({3, 3, false}, {1, 0, 0, 0.75F, 0.25F, 0, 0.5F, 0, 0.5F}, causal);
  const std::vector<Sink> sinks = score(source, {}).sinks(3);
  REQUIRE(sinks.size() == 3);
  CHECK(sinks[0].key == 0);
  CHECK(sinks[0].share == Approx(0.75));
  CHECK(sinks[0].rows == 3);
  CHECK(sinks[1].key == 2);
  CHECK(sinks[1].share == Approx(0.5));
  CHECK(sinks[1].rows == 1);
  CHECK(sinks[2].share == Approx(0.125));
}

TEST_CASE("the positional score is the offset of most arguments of the maximum") {
  const auto source = known({4, 4, false}, {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0});
  const HeadScores scores = score(source, {});
  const OffsetShare best = largest_offset(scores.argmax_offsets);
  CHECK(best.offset == 1);
  CHECK(best.rows == 3);
}

TEST_CASE("duplicate, induction and their TransformerLens forms on a b a b") {
  // Row 2 (a) looks half at the earlier a and half at what followed it; row 3 (b) likewise.
  const auto source = known({4, 4, false}, {1, 0, 0, 0,        //
                                            0.5F, 0.5F, 0, 0,  //
                                            0.5F, 0.5F, 0, 0,  //
                                            0, 0.25F, 0.75F, 0});
  const TokenTraits traits = traits_of({"a", "b", "a", "b"});
  const HeadScores scores = score(source, traits);
  CHECK(scores[MeanScore::kDuplicate].rows == 2);
  CHECK(scores[MeanScore::kDuplicate].mean() == Approx(0.375));
  CHECK(scores[MeanScore::kInduction].mean() == Approx(0.625));
  CHECK(scores.tl_duplicate.ratio() == Approx(0.75 / 4));
  CHECK(scores.tl_induction.ratio() == Approx(1.25 / 4));
  // Without key 0 and without each row's own key: row 0 has nothing left.
  const HeadScores some =
      score(source, traits, {.tl_exclude_bos = true, .tl_exclude_current = true});
  CHECK(some.tl_duplicate.whole.value() == Approx(0 + 0 + 0.5 + 1));
  CHECK(some.tl_duplicate.part.value() == Approx(0.25));
  CHECK(score(source, traits_of({"a", "b", "c", "d"}))[MeanScore::kDuplicate].rows == 0);
}

TEST_CASE("the variants of papers change what they say they change") {
  const auto source = known({3, 3, false}, {1, 0, 0, 0.5F, 0, 0.5F, 0, 0.25F, 0.75F});
  const TokenTraits traits = traits_of({"[CLS]", "a", "b"}, {1, 0, 0});
  const HeadScores clark = score(source, traits, {.clark = true});
  CHECK(clark[MeanScore::kPrevious].rows == 3);  // row 0 counts as 0
  CHECK(clark[MeanScore::kPrevious].mean() == Approx((0.5 + 0.25) / 3));
  const auto smoothed = [](std::vector<double> row) {
    double entropy = 0;
    for (double w : row) {
      const double s = 0.9999 * w + 0.0001 / 3;
      entropy -= s * std::log(s);
    }
    return entropy;
  };
  const double entropy =
      (smoothed({1, 0, 0}) + smoothed({0.5, 0, 0.5}) + smoothed({0, 0.25, 0.75})) / 3;
  CHECK(clark[MeanScore::kEntropy].mean() == Approx(entropy).epsilon(1e-9));
  const HeadScores plain = score(source, traits, {.skip_special = true, .skip_first = true});
  CHECK(plain[MeanScore::kConfidence].rows == 2);  // not the row of [CLS]
  CHECK(plain[MeanScore::kConfidence].mean() == Approx((0.5 + 0.75) / 2));
  CHECK(plain[MeanScore::kDistance].rows == 2);  // row 0 sees nothing but the first token
  CHECK(plain[MeanScore::kDistance].mean() == Approx((1 + 0.25) / 2));
}

TEST_CASE("a relation counts rows whose largest weight is right, self and special left out") {
  // Query 2 should find key 1 or 3, query 3 should find key 0.
  const auto source = known({4, 4, false}, {1, 0, 0, 0,                //
                                            1, 0, 0, 0,                //
                                            0.3F, 0.25F, 0.4F, 0.05F,  //
                                            0.2F, 0.5F, 0.3F, 0});
  const TokenTraits traits =
      traits_of({"[CLS]", "a", "b", "c"}, {1, 0, 0, 0}, {{"r", {{2, 3}, {2, 1}, {3, 1}}}});
  const HeadScores scores = score(source, traits);
  const RelationScore& forward = scores.relations.at({"r", false});
  CHECK(forward.rows == 2);
  CHECK(forward.right == 2);  // self (0.4) and [CLS] (0.3) do not count
  CHECK(forward.baseline() == Approx(0.5));
  CHECK(forward.gain() == Approx(0.5));
  const RelationScore& backward = scores.relations.at({"r", true});
  CHECK(backward.rows == 2);  // keys 1 and 3 look for their queries
}

TEST_CASE("a row that may see none of its right keys does not count in a relation") {
  MaskRule causal;
  causal.causal = true;
  const auto source = known({2, 2, false}, {1, 0, 0.5F, 0.5F}, causal);
  const HeadScores scores = score(source, traits_of({"a", "b"}, {}, {{"r", {{0, 1}}}}));
  CHECK_FALSE(scores.relations.contains({"r", false}));
  CHECK(scores.relations.at({"r", true}).rows == 1);
}

TEST_CASE("labels name the score furthest above its threshold") {
  HeadScores scores;
  const auto set = [&](MeanScore score, double value) {
    scores[score] = {};
    scores[score].add(value);
  };
  const std::vector<Threshold>& thresholds = default_thresholds();
  CHECK(label_head(scores, thresholds, false).name.empty());
  set(MeanScore::kPrevious, 0.4);
  CHECK(label_head(scores, thresholds, false).name == "mixed");
  set(MeanScore::kPrevious, 0.7);
  set(MeanScore::kDuplicate, 0.65);
  const HeadLabel label = label_head(scores, thresholds, false);
  CHECK(label.name == "duplicate");  // (0.65 - 0.4) / 0.6 beats (0.7 - 0.5) / 0.5
  CHECK(label.runner_up.name == "previous");
  set(MeanScore::kSpecial, 0.95);
  set(MeanScore::kFirstToken, 0.9);
  CHECK(label_head(scores, thresholds, false).name == "special");
  CHECK(label_head(scores, thresholds, true).name == "first_token");
}

TEST_CASE("a relation labels a head only with enough rows and gain") {
  HeadScores scores;
  RelationScore& relation = scores.relations[{"subject-verb", false}];
  relation = {4, 4, {{-1, 1}}};
  const std::vector<Threshold>& thresholds = default_thresholds();
  CHECK(label_head(scores, thresholds, false).name.empty());
  CHECK(remarked_relations(scores, thresholds).size() == 1);
  relation = {10, 9, {{-1, 3}}};
  CHECK(label_head(scores, thresholds, false).name == "subject-verb");
  CHECK(remarked_relations(scores, thresholds).empty());
  relation.offsets = {{-1, 9}};  // an offset does as well
  CHECK(label_head(scores, thresholds, false).name.empty());
}

TEST_CASE("totals merge to the same bits in any order, and the spread is over inputs") {
  const auto scores_of = [](double value, std::uint64_t rows) {
    HeadScores scores;
    for (std::uint64_t i = 0; i < rows; ++i) scores[MeanScore::kSelf].add(value);
    return scores;
  };
  ScoreTotals a, b;
  a.add_input(1);
  a.heads[{}].add(scores_of(0.1, 3), true);
  b.add_input(2);
  b.heads[{}].add(scores_of(0.4, 1), false);
  ScoreTotals ab = a;
  ab.merge(b);
  ScoreTotals ba = b;
  ba.merge(a);
  CHECK(ab.hash == ba.hash);
  const HeadTotals& head = ab.heads.at({});
  CHECK(head.pooled[MeanScore::kSelf].sum == ba.heads.at({}).pooled[MeanScore::kSelf].sum);
  CHECK(head.pooled[MeanScore::kSelf].mean() == Approx(0.7 / 4));  // rows pooled
  const Spread& spread = head.spread[static_cast<std::size_t>(MeanScore::kSelf)];
  CHECK(spread.inputs == 2);
  CHECK(spread.deviation() == Approx(0.15));
  CHECK(spread.low == Approx(0.1));
  CHECK(spread.high == Approx(0.4));
  CHECK_FALSE(head.first_is_special());
}

TEST_CASE("coverage compares the best single head with the best head of each relation") {
  ScoreTotals totals;
  const auto add = [&](std::size_t head, const char* relation, std::uint64_t right) {
    totals.heads[{0, false, head}].pooled.relations[{relation, false}] = {10, right, {{-1, 2}}};
  };
  add(0, "r", 10);
  add(0, "s", 2);
  add(1, "r", 3);
  add(1, "s", 8);
  totals.heads[{0, true, 0}].pooled.relations[{"r", false}] = {10, 10, {}};  // a mean is no head
  const std::optional<Coverage> coverage = coverage_of(totals);
  REQUIRE(coverage);
  CHECK(coverage->relations == 2);
  CHECK(coverage->best == HeadId{0, false, 0});
  CHECK(coverage->one_head == Approx(0.6));
  CHECK(coverage->many_heads == Approx(0.9));
  CHECK_FALSE(coverage_of({}));
}

TEST_CASE("queries that are fewer than keys look up their own tokens") {
  const auto source = known({1, 3, false}, {0.9F, 0, 0.1F});
  TokenTraits::Input input;
  input.key_tokens = {"a", "b", "a"};
  input.is_special = input.is_punctuation = {0, 0, 0};
  input.n_query = 1;
  input.relations = {{"r", {{0, 0}}}};
  const HeadScores scores = score(source, TokenTraits(input));
  CHECK(scores[MeanScore::kDuplicate].mean() == Approx(0.9));
  CHECK(scores.relations.at({"r", false}).right == 1);
  CHECK_FALSE(scores.relations.contains({"r", true}));  // key 0 has no query
}

}  // namespace
}  // namespace mha
