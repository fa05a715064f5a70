// Wrong attention weights from elsewhere.
#include "support/documents.hpp"

namespace mha {
namespace {

TEST_CASE("weights that are empty, of the wrong rank or uneven") {
  const test::WrongInputs inputs{R"({"attention_weights": )", R"(})"};
  inputs.check({
      {R"([])",
       "/attention_weights: no weights; expected at least one for each of "
       "[layer][head][query][key], got 0"},
      {R"([[[[]]]])",
       "/attention_weights: no weights; expected at least one for each of "
       "[layer][head][query][key], got 1x1x1x0"},
      {R"([[[1,0],[0,1]]])",
       "/attention_weights: wrong number of axes; expected 4 [layer][head][query][key], got 3 "
       "(1x2x2)"},
      {R"("x")", "/attention_weights: wrong type; expected an array of numbers, got a string"},
      {R"([[[[1,0],[0,1]]], [[1,0]]])",
       "/attention_weights/1: wrong number of axes; expected 3 [head][query][key], got 2 (1x2)"},
      {R"([[[[1,0],[0,1]]], [[[1]]]])",
       "/attention_weights/1: layers differ in size; expected 2x2, got 1x1"},
      {R"([[[[1,0],[0,1]]], [[[1,0],[1]]]])",
       "/attention_weights/1/0/1: uneven array; expected an array of 2 numbers as in the entries "
       "before it, got an array of 1 numbers"},
      {R"([[[[1,0],["x",1]]]])",
       "/attention_weights/0/0/1/0: wrong type; expected a number, got a string"},
  });
}

TEST_CASE("rows that are no weights name the row") {
  const test::WrongInputs inputs{R"({"attention_weights": )", R"(})"};
  inputs.check({
      {R"([[[[1,0],[0.5,0.6]]]])",
       "/attention_weights: L0H0 query 1 sums to 1.1; expected 1 within 0.001\nhint: "
       "attention_weights are rows after softmax; check the axis order"},
      {R"([[[[0.33,0.33,0.33]]]])",
       "/attention_weights: L0H0 query 0 sums to 0.99; expected 1 within 0.001\nhint: "
       "attention_weights are rows after softmax; check the axis order"},
      {R"([[[[1,0],[3,-2]]]])",
       "/attention_weights: L0H0 query 1 key 0 holds 3; expected a weight from 0 to 1\nhint: "
       "attention_weights are meant after softmax; are these scores?"},
      {R"([[[[1,0],[1.5,-0.5]]], [[[1,0],[0,1]]]])",
       "/attention_weights: L0H0 query 1 key 0 holds 1.5; expected a weight from 0 to 1\nhint: "
       "attention_weights are meant after softmax; are these scores?"},
  });
}

TEST_CASE("labels of a wrong number name both numbers") {
  const test::WrongInputs inputs{R"({"attention_weights": [[[[1,0],[0,1]]]], )", R"(})"};
  inputs.check({
      {R"("tokens": ["a"])",
       "/tokens: wrong number of labels for the query axis; expected 2, got 1"},
      {R"("tokens": ["a", "b", "c"])",
       "/tokens: wrong number of labels for the query axis; expected 2, got 3"},
      {R"("key_tokens": ["a"])",
       "/key_tokens: wrong number of labels for the key axis; expected 2, got 1"},
      {R"("context": {"tokens": ["a"]})",
       "/context/tokens: wrong number of labels for the key axis; expected 2, got 1"},
      {R"("ids": [1, 2, 3])", "/ids: wrong number of labels for the query axis; expected 2, got 3"},
  });
}

TEST_CASE("beside attention_weights nothing is computed") {
  const test::WrongInputs inputs{R"({"attention_weights": [[[[1,0],[0,1]]]], )", R"(})"};
  inputs.check({
      {R"("embeddings": [[1],[2]])",
       "/embeddings: beside attention_weights nothing is computed; expected attention_weights "
       "without it, got embeddings"},
      {R"("weights": {})",
       "/weights: beside attention_weights nothing is computed; expected attention_weights without "
       "it, got weights"},
      {R"("positions": "none")",
       "/positions: beside attention_weights nothing is computed; expected attention_weights "
       "without it, got positions"},
      {R"("residual": true)",
       "/residual: beside attention_weights nothing is computed; expected attention_weights "
       "without it, got residual"},
      {R"("attention": {"scale": 2})",
       "/attention/scale: beside attention_weights nothing is computed; expected only causal, "
       "window, valid_keys and mask, got scale"},
      {R"("attention": {"temperature": 2})",
       "/attention/temperature: beside attention_weights nothing is computed; expected only "
       "causal, window, valid_keys and mask, got temperature"},
      {R"("attention": {"bias": [[1,2],[3,4]]})",
       "/attention/bias: beside attention_weights nothing is computed; expected only causal, "
       "window, valid_keys and mask, got bias"},
      {R"("attention": {"position": {"kind": "alibi"}})",
       "/attention/position: beside attention_weights nothing is computed; expected only causal, "
       "window, valid_keys and mask, got position"},
      {R"("context": {"tokens": ["a", "b"], "embeddings": [[1],[2]]})",
       "/context/embeddings: beside attention_weights nothing is computed; expected "
       "attention_weights without it, got embeddings"},
      {R"("layers": [{"weights": {"random": {}}}])",
       "/layers/0/weights: beside attention_weights nothing is computed; expected "
       "attention_weights without it, got weights"},
  });
}

TEST_CASE("what is declared must fit the weights") {
  const test::WrongInputs inputs{R"({"attention_weights": [[[[1,0],[0,1]]]], )", R"(})"};
  inputs.check({
      {R"("attention": {"n_heads": 2})",
       "/attention/n_heads: wrong n_heads; expected 1 as in attention_weights, got 2"},
      {R"("attention": {"mask": [[true]]})",
       "/attention/mask: wrong shape; expected 2x2 [query][key], got 1x1"},
      {R"("attention": {"valid_keys": [true]})",
       "/attention/valid_keys: wrong shape; expected 2 [key], got 1"},
      {R"("layers": [{}, {}])",
       "/layers: wrong number of layers; expected 1 as in attention_weights, got 2"},
      {R"("layers": 1)",
       "/layers: wrong number of layers; expected 1 as in attention_weights, got the number 1"},
      {R"("relations": [{"name": "r", "pairs": [[0, 5]]}])",
       "/relations/0/pairs/0/1: index out of range; expected a whole number from 0 to 1, got 5"},
  });
}

TEST_CASE("the selection names each head once") {
  const test::WrongInputs inputs{
      R"({"attention_weights": [[[[1,0],[0,1]],[[1,0],[0,1]]]], "selection": )", R"(})"};
  inputs.check({
      {R"(["L0H0"])", "/selection: wrong number of heads; expected 2, got 1"},
      {R"(["L0H0", "L0"])",
       "/selection/1: not the name of a head; expected a name like \"L0H3\", got L0"},
      {R"(["L0H0", "H1"])",
       "/selection/1: not the name of a head; expected a name like \"L0H3\", got H1"},
      {R"(["L0H1", "L0H1"])",
       "/selection/1: a head named twice; expected different names, got L0H1"},
      {R"(["L0H1", "L1H1"])",
       "/selection/1: two layer numbers in one layer of attention_weights; expected a head of "
       "layer 0, got L1H1"},
      {R"(["L0H0", 1])", "/selection/1: wrong type; expected a string, got the number 1"},
      {R"("L0H0")", "/selection: wrong type; expected an array of strings, got a string"},
  });
}

TEST_CASE("another format or other axes are refused") {
  const test::WrongInputs inputs{R"({"attention_weights": [[[[1,0],[0,1]]]], )", R"(})"};
  inputs.check({
      {R"("format": "mha-viz attention 2")",
       "/format: unknown format; expected \"mha-viz attention 1\", got \"mha-viz attention 2\""},
      {R"("format": 1)", "/format: wrong type; expected a string, got the number 1"},
      {R"("axes": ["layer", "query", "head", "key"])",
       "/axes: other axes; expected layer, head, query, key, got layer, query, head, key"},
      {R"("axes": "layer")", "/axes: wrong type; expected an array of strings, got a string"},
  });
}

}  // namespace
}  // namespace mha
