// Wrong fields, types, tokens and relations: each gets one message with place, expected and got.
#include "support/documents.hpp"

namespace mha {
namespace {

TEST_CASE("a document that is no object or holds nothing says what it needs") {
  const test::WrongInputs inputs{"", ""};
  inputs.check({
      {R"([1,2])", "/: wrong type; expected an object, got an array of 2 numbers"},
      {R"("text")", "/: wrong type; expected an object, got a string"},
      {R"({})",
       "/: nothing to attend to; expected one of tokens, text, ids, embeddings or "
       "attention_weights, got none of them"},
      {R"({"id": "x"})",
       "/: nothing to attend to; expected one of tokens, text, ids, embeddings or "
       "attention_weights, got none of them"},
  });
}

TEST_CASE("no tokens is an error, whatever they come from") {
  const test::WrongInputs inputs{"", ""};
  inputs.check({
      {R"({"tokens": []})", "/tokens: no tokens; expected at least one, got none"},
      {R"({"text": "  "})", "/text: no tokens; expected at least one, got none"},
      {R"({"ids": []})", "/ids: no tokens; expected at least one, got none"},
      {R"({"context": {"tokens": []}, "tokens": ["a"]})",
       "/context/tokens: no tokens; expected at least one, got none"},
  });
}

TEST_CASE("tokens of the wrong type name the entry") {
  const test::WrongInputs inputs{"", ""};
  inputs.check({
      {R"({"tokens": "the cat"})",
       "/tokens: wrong type; expected an array of strings, got a string"},
      {R"({"tokens": ["a", 1]})", "/tokens/1: wrong type; expected a string, got the number 1"},
      {R"({"tokens": ["a", null]})", "/tokens/1: wrong type; expected a string, got null"},
      {R"({"tokens": [1, 2]})",
       "/tokens: wrong type; expected an array of strings, got an array of 2 numbers"},
      {R"({"text": ["a"]})", "/text: wrong type; expected a string, got an array of 1 strings"},
  });
}

TEST_CASE("tokens may be given in one way only, and counts must agree") {
  const test::WrongInputs inputs{"", ""};
  inputs.check({
      {R"({"tokens": ["a"], "text": "a"})",
       "/text: text beside tokens or ids; expected one of them, got both"},
      {R"({"text": "a", "ids": [1]})",
       "/text: text beside tokens or ids; expected one of them, got both"},
      {R"({"tokens": ["a"], "ids": [1, 2]})", "/ids: wrong number of ids; expected 1, got 2"},
      {R"({"tokens": ["a"], "token_types": [0, 1]})",
       "/token_types: wrong number of entries; expected 1, got 2"},
      {R"({"tokens": ["a"], "embeddings": [[1], [2]]})",
       "/embeddings: the number of rows is not the number of tokens; expected 1 rows, got 2"},
  });
}

TEST_CASE("ids are whole numbers that float32 holds") {
  const test::WrongInputs inputs{R"({"ids": )", R"(})"};
  inputs.check({
      {R"([1.5])",
       "/ids/0: number out of range; expected a whole number from 0 to 16777215, got 1.5"},
      {R"([-1])",
       "/ids/0: number out of range; expected a whole number from 0 to 16777215, got -1"},
      {R"([16777216])",
       "/ids/0: number out of range; expected a whole number from 0 to 16777215, got 16777216"},
      {R"([1, null])",
       "/ids/1: number out of range; expected a whole number from 0 to 16777215, got null"},
      {R"("1,2")", "/ids: wrong type; expected an array of numbers, got a string"},
      {R"([[1]])", "/ids: wrong type; expected an array of numbers, got an array of 1x1 numbers"},
  });
}

TEST_CASE("an unknown field gets a spelling suggestion, at the top and inside") {
  const test::WrongInputs inputs{R"({"tokens": ["a"], )", R"(})"};
  inputs.check({
      {R"("embedings": [[1]])",
       "/embedings: unknown field 'embedings' in document\nhint: did you mean 'embeddings'?"},
      {R"("Attention": {})",
       "/Attention: unknown field 'Attention' in document\nhint: did you mean 'attention'?"},
      {R"("attention": {"n_head": 2})",
       "/attention/n_head: unknown field 'n_head' in attention\nhint: did you mean 'n_heads'?"},
      {R"("attention": {"position": {"kind": "rope", "thetta": 3}})",
       "/attention/position/thetta: unknown field 'thetta' in position\nhint: did you mean "
       "'theta'?"},
      {R"("layers": [{"atention": {}}])",
       "/layers/0/atention: unknown field 'atention' in layer\nhint: did you mean 'attention'?"},
      {R"("relations": [{"nam": "x", "pairs": []}])",
       "/relations/0/nam: unknown field 'nam' in relation\nhint: did you mean 'name'?"},
      {R"("weights": {"w_q": [[1]]})",
       "/weights/w_q: unknown field 'w_q' in weights\nhint: did you mean 'W_Q'?"},
      {R"("weights": {"random": {"sed": 1}})",
       "/weights/random/sed: unknown field 'sed' in random\nhint: did you mean 'seed'?"},
      {R"("context": {"token": ["b"]})",
       "/context/token: unknown field 'token' in context\nhint: did you mean 'tokens'?"},
  });
}

TEST_CASE("an unknown field that is like no other gets the list of known ones") {
  const test::WrongInputs inputs{R"({"tokens": ["a"], )", R"(})"};
  inputs.check({
      {R"("layers": [{"colour": 1}])",
       "/layers/0/colour: unknown field 'colour' in layer\nhint: known fields: attention, weights"},
      {R"("weights": {"random": {"colour": 1}})",
       "/weights/random/colour: unknown field 'colour' in random\nhint: known fields: seed"},
  });
}

TEST_CASE("a field of the wrong type says what it is and what it should be") {
  const test::WrongInputs inputs{R"({"tokens": ["a"], )", R"(})"};
  inputs.check({
      {R"("id": 3)", "/id: wrong type; expected a string, got the number 3"},
      {R"("positions": 1)", "/positions: wrong type; expected a string, got the number 1"},
      {R"("residual": "yes", "layers": [{}])",
       "/residual: wrong type; expected true or false, got a string"},
      {R"("attention": [])", "/attention: wrong type; expected an object, got an empty array"},
      {R"("weights": "random")", "/weights: wrong type; expected an object, got a string"},
      {R"("layers": {})",
       "/layers: wrong type; expected an array of at least one layer, got an object"},
      {R"("layers": [])",
       "/layers: wrong type; expected an array of at least one layer, got an empty array"},
      {R"("layers": [{}, 3])", "/layers/1: wrong type; expected an object, got the number 3"},
      {R"("relations": {"r": []})",
       "/relations: wrong type; expected an array of relations, got an object"},
  });
}

TEST_CASE("a wrong word gets the list of right ones") {
  const test::WrongInputs inputs{R"({"tokens": ["a"], )", R"(})"};
  inputs.check({
      {R"("positions": "sinusodial")",
       "/positions: unknown value; expected one of none, sinusoidal, got 'sinusodial'\nhint: did "
       "you mean 'sinusoidal'?"},
      {R"("attention": {"position": {"kind": "ropes"}})",
       "/attention/position/kind: unknown value; expected one of rope, alibi, got 'ropes'\nhint: "
       "did you mean 'rope'?"},
      {R"("weights": {"layout": "in-out"})",
       "/weights/layout: unknown value; expected one of in_out, out_in, got 'in-out'\nhint: did "
       "you mean 'in_out'?"},
  });
}

TEST_CASE("fields that need others say so") {
  const test::WrongInputs inputs{R"({"tokens": ["a"], )", R"(})"};
  inputs.check({
      {R"("residual": true)", "/residual: needs layers; expected layers beside it, got none"},
      {R"("selection": ["L0H0"])",
       "/selection: needs attention_weights; expected attention_weights beside it, got none"},
      {R"("key_tokens": ["a"])",
       "/key_tokens: needs attention_weights; expected attention_weights beside it, got none"},
      {R"("format": "mha-viz attention 1")",
       "/format: needs attention_weights; expected attention_weights beside it, got none"},
      {R"("axes": ["layer", "head", "query", "key"])",
       "/axes: needs attention_weights; expected attention_weights beside it, got none"},
  });
}

TEST_CASE("relations are checked down to the index") {
  const test::WrongInputs inputs{R"({"tokens": ["a", "b"], "relations": [)", R"(] })"};
  inputs.check({
      {R"({"name": "r", "pairs": [[0, 2]]})",
       "/relations/0/pairs/0/1: index out of range; expected a whole number from 0 to 1, got 2"},
      {R"({"name": "r", "pairs": [[0, 0], [1.5, 0]]})",
       "/relations/0/pairs/1/0: index out of range; expected a whole number from 0 to 1, got 1.5"},
      {R"({"name": "r", "pairs": [[-1, 0]]})",
       "/relations/0/pairs/0/0: index out of range; expected a whole number from 0 to 1, got -1"},
      {R"({"name": "r", "pairs": [[0, 0, 0]]})",
       "/relations/0/pairs: wrong shape; expected [[query, key], ...], got an array of 1x3 "
       "numbers"},
      {R"({"name": "r", "pairs": [0, 1]})",
       "/relations/0/pairs: wrong shape; expected [[query, key], ...], got an array of 2 numbers"},
      {R"({"name": "", "pairs": []})", "/relations/0: no name; expected a name, got none"},
      {R"({"pairs": []})", "/relations/0: no name; expected a name, got none"},
      {R"({"name": "r"})", "/relations/0: no pairs; expected [[query, key], ...], got none"},
      {R"(3)", "/relations: wrong type; expected an array of relations, got an array of 1 numbers"},
  });
}

TEST_CASE("keys of a relation count in the context where there is one") {
  const test::WrongInputs inputs{
      R"({"tokens": ["a"], "context": {"tokens": ["b", "c"]}, "relations": [)", R"(] })"};
  inputs.check({
      {R"({"name": "r", "pairs": [[0, 2]]})",
       "/relations/0/pairs/0/1: index out of range; expected a whole number from 0 to 1, got 2"},
      {R"({"name": "r", "pairs": [[1, 0]]})",
       "/relations/0/pairs/0/0: index out of range; expected a whole number from 0 to 0, got 1"},
  });
}

}  // namespace
}  // namespace mha
