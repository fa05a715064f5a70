#include "mha/attention/stack.hpp"

#include <algorithm>
#include <string>

#include "mha/attention/layer_observer.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"

namespace mha {
namespace {

constexpr std::size_t kTokens = 9;
constexpr std::size_t kLayers = 3;

AttentionStack residual_stack() {
  AttentionStack::Input input;
  input.x = test::random_matrix(kTokens, 4, 1);
  input.residual = true;
  for (unsigned l = 0; l < kLayers; ++l) {
    AttentionLayer layer;
    layer.layout = {2, 1, 3, 2};
    layer.weights.qkv.weight = test::random_matrix(4, 11, 2 + l);
    layer.weights.o.weight = test::random_matrix(4, 4, 12 + l);
    input.layers.push_back(std::move(layer));
  }
  return AttentionStack(std::move(input));
}

// The rows of every layer, and which layers had rows.
class Layers : public RowSink {
 public:
  Layers() : rows_(kLayers, test::Collect(2, {kTokens, kTokens, false})), seen_(kLayers) {}
  void add(const RowBlock& block) override {
    rows_[block.layer].add(block);
    seen_[block.layer] = true;
  }
  std::vector<test::Collect> rows_;
  std::vector<bool> seen_;
};

// What an observer was told.
class Record : public LayerObserver {
 public:
  explicit Record(bool wants_heads) : wants_heads_(wants_heads) {}
  bool wants_heads() const override { return wants_heads_; }
  void before_rows(const LayerValues& values) override {
    calls_.push_back("before " + std::to_string(values.layer));
  }
  void after_rows(const LayerValues& values, ConstMatrix heads) override {
    calls_.push_back("after " + std::to_string(values.layer));
    has_heads_.push_back(heads.data != nullptr);
  }
  const bool wants_heads_;
  std::vector<std::string> calls_;
  std::vector<bool> has_heads_;
};

TEST_CASE("layers streamed one at a time, in any order, have the rows of a whole run") {
  const AttentionStack stack = residual_stack();
  Layers whole;
  std::vector<Matrix> outputs;
  StreamOptions options;
  options.n_threads = 1;
  options.outputs = &outputs;
  stack.stream(whole, options);
  REQUIRE(outputs.size() == kLayers);
  std::vector<Matrix> inputs;
  for (std::vector<Matrix>* kept : {&inputs, static_cast<std::vector<Matrix>*>(nullptr)}) {
    for (std::size_t l : {1, 2, 0, 1}) {
      Layers one;
      std::vector<Matrix> own_output;
      options.layers = {l, l + 1};
      options.outputs = &own_output;
      options.inputs = kept;
      stack.stream(one, options);
      for (std::size_t other = 0; other < kLayers; ++other) CHECK(one.seen_[other] == (other == l));
      CHECK(one.rows_[l].weights == whole.rows_[l].weights);
      REQUIRE(own_output.size() == 1);
      CHECK(
          std::equal(own_output[0].data(), own_output[0].data() + kTokens * 4, outputs[l].data()));
    }
  }
  REQUIRE(inputs.size() == kLayers - 1);
  for (std::size_t i = 0; i < kTokens * 4; ++i) {
    CHECK(inputs[0].data()[i] == outputs[0].data()[i] + stack.input().x.data()[i]);
    CHECK(inputs[1].data()[i] == outputs[1].data()[i] + inputs[0].data()[i]);
  }
}

TEST_CASE("observers are told of the values and head outputs of the layers that are asked for") {
  const AttentionStack stack = residual_stack();
  Layers rows;
  Record values(false);
  Record heads(true);
  StreamOptions options;
  options.layers = {1, 3};
  options.observers = {&values, &heads};
  stack.stream(rows, options);
  const std::vector<std::string> calls{"before 1", "after 1", "before 2", "after 2"};
  CHECK(values.calls_ == calls);
  CHECK(heads.calls_ == calls);
  CHECK(heads.has_heads_ == std::vector<bool>{true, true});
  options.observers = {&values};
  options.layers = {2, 3};
  stack.stream(rows, options);
  CHECK_FALSE(values.has_heads_.back());  // the last layer's are not computed for nobody
}

TEST_CASE("the value weight of a query head is that of its key-value head") {
  AttentionLayer layer;
  layer.layout = {4, 2, 3, 2};
  layer.weights.qkv.weight = test::random_matrix(5, 22, 3);
  CHECK(layer.value_weight(1)(4, 0) == layer.weights.qkv.weight(4, 18));
  CHECK(layer.value_weight(2)(4, 1) == layer.weights.qkv.weight(4, 21));
  layer.weights.kv.weight = test::random_matrix(6, 10, 4);
  layer.weights.qkv = {};
  CHECK(layer.value_weight(0)(5, 1) == layer.weights.kv.weight(5, 7));
  CHECK(layer.value_weight(3).rows == 6);
  CHECK(layer.value_weight(3)(5, 1) == layer.weights.kv.weight(5, 9));
}

}  // namespace
}  // namespace mha
