#include "mha/analysis/word_rows.hpp"

#include <cmath>
#include <limits>

#include "mha/analysis/head_scores.hpp"
#include "mha/attention/precomputed.hpp"

#include "support/catch.hpp"
#include "support/errors.hpp"

namespace mha {
namespace {

constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kNone = WordRows::kNoWord;

// What an accumulator was given, of one block a slot.
class Keep : public Accumulator {
 public:
  void add(std::size_t slot, const RowBlock& block) override {
    slots.push_back(slot);
    layer = block.layer;
    head = block.head;
    shape = *block.shape;
    CHECK(block.first_query == 0);
    for (std::size_t r = 0; r < block.weights.rows; ++r) {
      const auto row = block.weights.row(r);
      weights.emplace_back(row.begin(), row.end());
      masks.push_back(block.masks[r]);
      masks.back().cells = nullptr;
      std::string text;
      for (std::size_t j = 0; j < row.size(); ++j) {
        text += block.masks[r].allows(j) ? 'x' : block.masks[r].is_missing(j) ? '?' : '.';
      }
      cells.push_back(text);
    }
  }

  std::vector<std::size_t> slots;
  std::size_t layer = 0;
  std::size_t head = 0;
  AttentionShape shape;
  std::vector<std::vector<float>> weights;
  std::vector<RowMask> masks;
  std::vector<std::string> cells;
};

using WordWeights = std::vector<std::vector<float>>;

// WordWeights of one head, to be handed over block by block.
class TokenRows {
 public:
  TokenRows(const AttentionShape& shape, std::vector<float> weights)
      : shape_(shape), weights_(std::move(weights)), masks_(shape.n_query) {
    for (RowMask& mask : masks_) mask = {0, shape.n_key, nullptr, shape.n_key, false, false};
  }

  RowMask& mask(std::size_t query) { return masks_[query]; }
  void give(std::size_t first, std::size_t n_rows, WordRows* to) const {
    const ConstMatrix all{weights_.data(), shape_.n_query, shape_.n_key, shape_.n_key};
    to->add(0, {2, 3, first, all.row_range(first, n_rows), std::span(masks_).subspan(first, n_rows),
                &shape_});
  }

 private:
  AttentionShape shape_;
  std::vector<float> weights_;
  std::vector<RowMask> masks_;
};

// [CLS] snooz ##ing owls
const std::vector<std::size_t> kWords = {kNone, 0, 0, 1};

TokenRows snoozing() {
  return {{4, 4, false},
          {1, 0, 0, 0,                   //
           0.5F, 0.25F, 0.125F, 0.125F,  //
           0, 0.25F, 0.25F, 0.5F,        //
           0.25F, 0.25F, 0.5F, 0}};
}

Keep words_of(const TokenRows& rows, std::size_t n_query) {
  Keep keep;
  WordRows words(1, kWords, 2, &keep);
  rows.give(0, n_query, &words);
  words.finish();
  return keep;
}

TEST_CASE("attention to a word is the sum over its tokens, from a word the mean over them") {
  const Keep keep = words_of(snoozing(), 4);
  CHECK(keep.slots == std::vector<std::size_t>{0});
  CHECK(keep.layer == 2);
  CHECK(keep.head == 3);
  CHECK(keep.shape.n_query == 3);
  CHECK(keep.shape.n_key == 3);
  CHECK(keep.shape.position_offset() == 0);
  CHECK(keep.weights == WordWeights{{0.4375F, 0.3125F, 0.25F}, {0.75F, 0, 0.25F}, {0, 0, 0}});
  CHECK(keep.cells == std::vector<std::string>{"xxx", "xxx", "..."});
  CHECK(keep.masks[0].n_allowed == 3);
  CHECK(keep.masks[2].is_fully_masked());
}

TEST_CASE("the order and the size of blocks do not change a bit") {
  std::vector<float> weights;
  for (std::size_t i = 0; i < 16; ++i) weights.push_back(1.0F / static_cast<float>(3 * i + 7));
  const TokenRows rows({4, 4, false}, weights);
  const Keep whole = words_of(rows, 4);
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}}) {
    Keep keep;
    WordRows words(1, kWords, 2, &keep);
    for (const std::size_t query : order) rows.give(query, 1, &words);
    words.finish();
    CHECK(keep.weights == whole.weights);
    CHECK(keep.cells == whole.cells);
  }
}

TEST_CASE("queries are the last tokens of the keys") {
  const TokenRows rows({2, 4, false}, {0, 0.25F, 0.25F, 0.5F, 0.25F, 0.25F, 0.5F, 0});
  const Keep keep = words_of(rows, 2);
  CHECK(keep.weights == WordWeights{{0.5F, 0.5F, 0}, {0.75F, 0, 0.25F}, {0, 0, 0}});
}

TEST_CASE("a word is allowed as a key where any of its tokens is, and missing where none exists") {
  TokenRows rows = snoozing();
  const std::vector<std::uint8_t> one = {kCellMasked, kCellAllowed, kCellMasked, kCellMissing};
  const std::vector<std::uint8_t> two = {kCellMasked, kCellMasked, kCellAllowed, kCellMasked};
  rows.mask(1) = {0, 4, one.data(), 1, false, false};
  rows.mask(2) = {0, 4, two.data(), 1, false, false};
  rows.mask(3) = {2, 4, nullptr, 2, false, false};
  const Keep keep = words_of(rows, 4);
  CHECK(keep.cells == std::vector<std::string>{"x?.", "xx.", "..."});
  CHECK(keep.masks[0].n_allowed == 1);
  CHECK(keep.weights[0] == std::vector<float>{0.25F, 0, 0});
}

TEST_CASE("tokens that are padding or fully masked do not count in the mean") {
  TokenRows rows = snoozing();
  rows.mask(1).is_padding = true;
  rows.mask(3) = {0, 0, nullptr, 0, false, false};
  const Keep keep = words_of(rows, 4);
  CHECK(keep.weights[0] == std::vector<float>{0.5F, 0.5F, 0});
  CHECK_FALSE(keep.masks[0].is_padding);
  CHECK(keep.masks[1].is_fully_masked());
  CHECK(keep.weights[1] == std::vector<float>{0, 0, 0});

  rows.mask(2).is_padding = true;
  const Keep padded = words_of(rows, 4);
  CHECK(padded.masks[0].is_padding);
  CHECK(padded.masks[0].is_fully_masked());
}

TEST_CASE("a token whose row is not finite makes the row of its word NaN") {
  const TokenRows rows({4, 4, false}, {1, 0, 0, 0, kNoNumber, kNoNumber, kNoNumber, kNoNumber, 0,
                                       0.5F, 0.5F, 0, 0, 0, 0, 1});
  const Keep keep = words_of(rows, 4);
  for (const float weight : keep.weights[0]) CHECK(std::isnan(weight));
  CHECK(keep.masks[0].has_non_finite);
  CHECK(keep.masks[0].n_allowed == 3);
  CHECK(keep.weights[1] == std::vector<float>{0, 1, 0});
  CHECK_FALSE(keep.masks[1].has_non_finite);
}

TEST_CASE("a word without tokens is fully masked, and so is one whose rows did not arrive") {
  Keep keep;
  WordRows words(1, {kNone, 0, 0, 2}, 3, &keep);
  snoozing().give(0, 3, &words);
  words.finish();
  CHECK(keep.cells == std::vector<std::string>{"x.xx", "....", "....", "...."});
}

TEST_CASE("slots without rows are left out, and a wrong alignment is an internal error") {
  Keep keep;
  WordRows words(3, kWords, 2, &keep);
  words.finish();
  CHECK(keep.slots.empty());
  CHECK_THROWS_AS(WordRows(1, {0, 2}, 2, &keep), Error);
  WordRows other(1, {0, 1}, 2, &keep);
  CHECK_THROWS_AS(snoozing().give(0, 4, &other), Error);
}

TEST_CASE("statistics over words see the words' positions, with any number of threads") {
  // Every piece attends to the pieces of the word before, the first word to the special token.
  PrecomputedLayer layer;
  layer.n_heads = 1;
  layer.shape = {5, 5, false};
  const FloatVector weights = {1, 0,     0,     0, 0,  //
                               1, 0,     0,     0, 0,  //
                               1, 0,     0,     0, 0,  //
                               0, 0.5F,  0.5F,  0, 0,  //
                               0, 0.25F, 0.75F, 0, 0};
  layer.weights = FloatStorage(FloatVector(weights));
  std::vector<PrecomputedLayer> layers;
  layers.push_back(std::move(layer));
  const PrecomputedAttention source(std::move(layers));
  for (const std::size_t n_threads : {1, 3}) {
    HeadScoresAccumulator stats(1);
    WordRows words(1, {kNone, 0, 0, 1, 1}, 2, &stats);
    Analysis analysis(source, {{0, 0}});
    analysis.attach(&words);
    StreamOptions options;
    options.n_threads = n_threads;
    options.block_rows = 1;
    analysis.run(options);
    words.finish();
    CHECK(stats.scores(0)[MeanScore::kPrevious].mean() == 1.0);
    CHECK(stats.scores(0)[MeanScore::kPrevious].rows == 1);
    CHECK(stats.scores(0).fully_masked_rows == 1);
  }
}

}  // namespace
}  // namespace mha
