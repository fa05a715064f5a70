// Wrong attention rules, masks, contexts and layers.
#include "support/documents.hpp"

namespace mha {
namespace {

TEST_CASE("numbers of a rule that are out of range") {
  const test::WrongInputs inputs{R"({"embeddings": [[1,2],[3,4]], "attention": )", R"(})"};
  inputs.check({
      {R"({"n_heads": 0})",
       "/attention/n_heads: number out of range; expected a whole number from 1, got 0"},
      {R"({"n_heads": 1.5})",
       "/attention/n_heads: number out of range; expected a whole number from 1, got 1.5"},
      {R"({"n_heads": 1e30})",
       "/attention/n_heads: number out of range; expected a whole number from 1 to "
       "9007199254740991, got 1e+30"},
      {R"({"n_heads": "4"})", "/attention/n_heads: wrong type; expected a number, got a string"},
      {R"({"window": 0})",
       "/attention/window: number out of range; expected a whole number from 1, got 0"},
      {R"({"scale": 0})",
       "/attention/scale: number out of range; expected a number above 0, got 0"},
      {R"({"scale": 1e39})",
       "/attention/scale: number out of range; expected at most 3.4e38 (float32), got 1e+39"},
      {R"({"temperature": -1})",
       "/attention/temperature: number out of range; expected a number above 0, got -1"},
      {R"({"softcap": 0})",
       "/attention/softcap: number out of range; expected a number above 0, got 0"},
      {R"({"causal": 1})",
       "/attention/causal: wrong type; expected true or false, got the number 1"},
  });
}

TEST_CASE("wrong rules of position") {
  const test::WrongInputs inputs{R"({"embeddings": [[1,2],[3,4]], "attention": )", R"(})"};
  inputs.check({
      {R"({"position": {"theta": 3}})",
       "/attention/position: no 'kind'; expected \"rope\" or \"alibi\", got an object"},
      {R"({"position": "rope"})",
       "/attention/position: wrong type; expected an object, got a string"},
      {R"({"position": {"kind": "rope", "theta": 0}})",
       "/attention/position/theta: number out of range; expected a number above 0, got 0"},
      {R"({"position": {"kind": "rope", "fraction": 1.5}})",
       "/attention/position/fraction: number out of range; expected above 0 and at most 1, got "
       "1.5"},
      {R"({"position": {"kind": "rope", "pairing": "halves"}})",
       "/attention/position/pairing: unknown value; expected one of half, interleaved, got "
       "'halves'"},
      {R"({"position": {"kind": "alibi", "theta": 3}})",
       "/attention/position/theta: not a field of alibi; expected only 'kind', got theta"},
  });
}

TEST_CASE("numbers of heads that do not divide name both numbers") {
  const test::WrongInputs inputs{R"({"embeddings": [[1,2],[3,4]], "attention": )", R"(})"};
  inputs.check({
      {R"({"n_heads": 3})",
       "/attention/n_heads: n_heads does not divide d_model; expected a divisor of 2, got 3"},
      {R"({"n_heads": 6, "n_kv_heads": 4, "d_head": 1})",
       "/attention/n_kv_heads: n_kv_heads does not divide n_heads; expected a divisor of 6, got 4"},
      {R"({"n_heads": 2, "n_kv_heads": 3})",
       "/attention/n_kv_heads: n_kv_heads does not divide n_heads; expected a divisor of 2, got 3"},
  });
}

TEST_CASE("random weights larger than the memory allowed are refused") {
  const test::WrongInputs inputs{R"({"embeddings": [[1,2],[3,4]], "attention": )", R"(})"};
  inputs.check({
      {R"({"n_heads": 100000, "d_head": 100000})",
       "/attention: random weights larger than the memory allowed; expected at most 256.0 MiB, got "
       "298.0 GiB"},
  });
}

TEST_CASE("masks and biases of the wrong shape") {
  const test::WrongInputs inputs{R"({"embeddings": [[1,2],[3,4]], "attention": )", R"(})"};
  inputs.check({
      {R"({"mask": [[true,true]]})",
       "/attention/mask: wrong shape; expected 2x2 [query][key], got 1x2"},
      {R"({"mask": [[true,true],[false]]})",
       "/attention/mask/1: uneven array; expected an array of 2 booleans as in the entries before "
       "it, got an array of 1 booleans"},
      {R"({"mask": [[1,1],[1,1]]})",
       "/attention/mask: wrong type; expected an array of booleans, got an array of 2x2 numbers"},
      {R"({"mask": [[true,null],[true,true]]})",
       "/attention/mask/0/1: missing entry; expected true or false, got null"},
      {R"({"mask": true})", "/attention/mask: wrong type; expected an array of booleans, got true"},
      {R"({"valid_keys": [true]})", "/attention/valid_keys: wrong shape; expected 2 [key], got 1"},
      {R"({"valid_keys": [[true,true]]})",
       "/attention/valid_keys: wrong shape; expected 2 [key], got 1x2"},
      {R"({"valid_keys": []})", "/attention/valid_keys: wrong shape; expected 2 [key], got 0"},
      {R"({"bias": [[1,2]]})", "/attention/bias: wrong shape; expected 2x2 [query][key], got 1x2"},
      {R"({"bias": [1,2]})", "/attention/bias: wrong shape; expected 2x2 [query][key], got 2"},
      {R"({"n_heads": 2, "bias": [[[1,2],[3,4]],[[1,2],[3,4]],[[1,2],[3,4]]]})",
       "/attention/bias: wrong shape; expected 2x2x2 [head][query][key], got 3x2x2"},
      {R"({"bias": [[1,"x"],[3,4]]})",
       "/attention/bias/0/1: wrong type; expected a number, got a string"},
  });
}

TEST_CASE("a field that a layer inherits is named where it stands") {
  const test::WrongInputs inputs{R"({"embeddings": [[1,2]], "attention": )",
                                 R"(, "layers": [{"attention": {"causal": true}}]})"};
  inputs.check({
      {R"({"mask": [[true,true]]})",
       "/attention/mask: wrong shape; expected 1x1 [query][key], got 1x2"},
      {R"({"n_heads": 3})",
       "/attention/n_heads: n_heads does not divide d_model; expected a divisor of 2, got 3"},
  });
}

TEST_CASE("a field of a layer is named there") {
  const test::WrongInputs inputs{R"({"embeddings": [[1,2]], "layers": [{}, )", R"(]})"};
  inputs.check({
      {R"({"attention": {"mask": [[true,true]]}})",
       "/layers/1/attention/mask: wrong shape; expected 1x1 [query][key], got 1x2"},
      {R"({"attention": {"n_heads": 3}})",
       "/layers/1/attention/n_heads: n_heads does not divide d_model; expected a divisor of 2, got "
       "3"},
      {R"({"weights": {"W_Q": [[1]], "W_K": [[1]], "W_V": [[1]]}})",
       "/layers/1/weights/W_Q: wrong number of inputs; expected 2, which is the width of the "
       "output of the layer before, got 1"},
  });
}

TEST_CASE("rules of position have no meaning beside a context") {
  const test::WrongInputs inputs{
      R"({"tokens": ["a"], "context": {"tokens": ["b", "c"]}, "attention": )", R"(})"};
  inputs.check({
      {R"({"causal": true})",
       "/attention/causal: causal needs positions, and queries and keys of cross-attention share "
       "none\nhint: use mask or valid_keys instead"},
      {R"({"window": 2})",
       "/attention/window: window needs positions, and queries and keys of cross-attention share "
       "none\nhint: use mask or valid_keys instead"},
      {R"({"position": {"kind": "alibi"}})",
       "/attention/position: alibi needs positions, and queries and keys of cross-attention share "
       "none\nhint: use mask or valid_keys instead"},
      {R"({"position": {"kind": "rope"}})",
       "/attention/position: rope needs positions, and queries and keys of cross-attention share "
       "none\nhint: use mask or valid_keys instead"},
  });
}

TEST_CASE("a context is given like the tokens") {
  const test::WrongInputs inputs{R"({"context": )", R"(})"};
  inputs.check({
      {R"({"tokens": ["b"]}, "embeddings": [[1,2]])",
       "/context: embeddings on one side only; expected embeddings for tokens and context, or for "
       "neither, got one of them"},
      {R"({"embeddings": [[1,2]]}, "tokens": ["a"])",
       "/context: embeddings on one side only; expected embeddings for tokens and context, or for "
       "neither, got one of them"},
      {R"({}, "tokens": ["a"])",
       "/context: nothing to attend to; expected tokens or embeddings, got neither"},
      {R"({"tokens": ["b"], "embeddings": [[1,2],[3,4]]}, "embeddings": [[1,2]])",
       "/context/embeddings: the number of rows is not the number of tokens; expected 1 rows, got "
       "2"},
      {R"({"embeddings": []}, "embeddings": [[1,2]])",
       "/context/embeddings: no embeddings; expected at least one row, got none"},
  });
}

}  // namespace
}  // namespace mha
