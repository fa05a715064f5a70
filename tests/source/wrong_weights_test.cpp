// Wrong embeddings and weights that stand in the document itself.
#include "support/documents.hpp"

namespace mha {
namespace {

TEST_CASE("a ragged embedding row names the row and both lengths") {
  const test::WrongInputs inputs{R"({"embeddings": )", R"(})"};
  inputs.check({
      {R"([[1,2],[3,4,5],[6,7]])",
       "/embeddings/1: uneven array; expected an array of 2 numbers as in the entries before it, "
       "got an array of 3 numbers"},
      {R"([[1,2],[3,4],[5]])",
       "/embeddings/2: uneven array; expected an array of 2 numbers as in the entries before it, "
       "got an array of 1 numbers"},
      {R"([[1,2],[]])",
       "/embeddings/1: uneven array; expected an array of 2 numbers as in the entries before it, "
       "got an empty array"},
      {R"([[1,2],3])",
       "/embeddings/1: uneven array; expected an array of 2 numbers as in the entries before it, "
       "got the number 3"},
  });
}

TEST_CASE("an entry that is no number is named") {
  const test::WrongInputs inputs{R"({"embeddings": )", R"(})"};
  inputs.check({
      {R"([[1,2],[3,null]])", "/embeddings/1/1: missing entry; expected a finite number, got null"},
      {R"([[1,2],[3,"4"]])", "/embeddings/1/1: wrong type; expected a number, got a string"},
      {R"([[1,2],"x"])", "/embeddings/1: wrong type; expected a number, got a string"},
      {R"([[true,false]])",
       "/embeddings: wrong type; expected an array of numbers, got an array of 1x2 booleans"},
      {R"([[1,2],[true,false]])",
       "/embeddings/1: wrong type; expected a number, got an array of 2 booleans"},
      {R"([[1,2],[1,3.5e38]])",
       "/embeddings/1/1: number out of range; expected at most 3.4e38 (float32), got 3.5e+38"},
      {R"([[1,2],[1,{}]])", "/embeddings/1/1: wrong type; expected a number, got an object"},
  });
}

TEST_CASE("embeddings of the wrong rank, and none at all") {
  const test::WrongInputs inputs{R"({"embeddings": )", R"(})"};
  inputs.check({
      {R"([1,2])", "/embeddings: wrong number of axes; expected 2 [token][d_model], got 1 (2)"},
      {R"([[[1,2]]])",
       "/embeddings: wrong number of axes; expected 2 [token][d_model], got 3 (1x1x2)"},
      {R"([])", "/embeddings: no embeddings; expected at least one row, got none"},
      {R"([[],[]])", "/embeddings: no embeddings; expected at least one row, got none"},
      {R"(5)", "/embeddings: wrong type; expected an array of numbers, got the number 5"},
      {R"("x")", "/embeddings: wrong type; expected an array of numbers, got a string"},
  });
}

TEST_CASE("one of the three projections is missing") {
  const test::WrongInputs inputs{
      R"({"embeddings": [[1,2]], "attention": {"n_heads": 1}, "weights": {)", R"(}})"};
  inputs.check({
      {R"("W_Q": [[1,2],[3,4]], "W_V": [[1,2],[3,4]])",
       "/weights: no W_K; expected W_Q, W_K and W_V, a file, or random, got an object without it"},
      {R"("W_O": [[1,2],[3,4]])",
       "/weights: no W_Q; expected W_Q, W_K and W_V, a file, or random, got an object without it"},
      {R"()",
       "/weights: no W_Q; expected W_Q, W_K and W_V, a file, or random, got an object without it"},
  });
}

TEST_CASE("random and given weights exclude each other") {
  const test::WrongInputs inputs{
      R"({"embeddings": [[1,2]], "attention": {"n_heads": 1}, "weights": {)", R"(}})"};
  inputs.check({
      {R"("random": {"seed": 1}, "W_Q": [[1]])",
       "/weights: both random and given weights; expected one of them, got random and W_Q"},
      {R"("random": {"seed": 1}, "file": "w.safetensors")",
       "/weights: both random and stored weights; expected one of them, got random and file"},
      {R"("random": {"seed": -1})",
       "/weights/random/seed: number out of range; expected a whole number from 0, got -1"},
      {R"("random": 7)", "/weights/random: wrong type; expected an object, got the number 7"},
  });
}

TEST_CASE("a projection that does not fit the embeddings") {
  const test::WrongInputs inputs{
      R"({"embeddings": [[1,2]], "attention": {"n_heads": 1}, "weights": {)",
      R"(, "W_K": [[1,2],[3,4]], "W_V": [[1,2],[3,4]]}})"};
  inputs.check({
      {R"("W_Q": [[1,2]])",
       "/weights/W_Q: wrong number of inputs; expected 2, which is the width of the embeddings, "
       "got 1"},
      {R"("W_Q": [[1],[2],[3]])",
       "/weights/W_Q: wrong number of inputs; expected 2, which is the width of the embeddings, "
       "got 3"},
      {R"("W_Q": [1,2])",
       "/weights/W_Q: wrong number of axes; expected 2 [d_model][n_heads*d_head] or 3 "
       "[n_heads][d_model][d_head], got 1 (2)"},
      {R"("W_Q": [[[[1]]]])",
       "/weights/W_Q: wrong number of axes; expected 2 [d_model][n_heads*d_head] or 3 "
       "[n_heads][d_model][d_head], got 4 (1x1x1x1)"},
      {R"("W_Q": [[1],[2,3]])",
       "/weights/W_Q/1: uneven array; expected an array of 1 numbers as in the entries before it, "
       "got an array of 2 numbers"},
      {R"("W_Q": [[1,null],[3,4]])",
       "/weights/W_Q/0/1: missing entry; expected a finite number, got null"},
      {R"("W_Q": [])", "/weights/W_Q: no numbers; expected at least one, got 0"},
  });
}

TEST_CASE("heads that do not fit the projections") {
  const test::WrongInputs inputs{
      R"({"embeddings": [[1,2]], "attention": {)",
      R"(}, "weights": {"W_Q": [[1,2],[3,4]], "W_K": [[1,2],[3,4]], "W_V": [[1,2],[3,4]]}})"};
  inputs.check({
      {R"()",
       "/attention: no n_heads; expected a number of heads, as W_Q is one matrix for all of them, "
       "got none"},
      {R"("n_heads": 3)",
       "/attention/n_heads: n_heads does not divide the width of W_Q; expected a divisor of 2, got "
       "3"},
      {R"("n_heads": 2, "n_kv_heads": 1)",
       "/weights/W_K: wrong width of a head; expected 1, as in W_Q, got 2"},
      {R"("n_heads": 2, "d_head": 2)",
       "/attention/d_head: wrong d_head; expected 1, the width of a head in W_Q, got 2"},
      {R"("n_heads": 1, "n_kv_heads": 2)",
       "/attention/n_kv_heads: n_kv_heads does not divide n_heads; expected a divisor of 1, got 2"},
  });
}

TEST_CASE("projections given per head must agree on the number of heads") {
  const test::WrongInputs inputs{R"({"embeddings": [[1,2]], )", R"(})"};
  inputs.check({
      {R"("attention": {"n_heads": 2}, "weights": {"W_Q": [[[1],[2]]], "W_K": [[[1],[2]]], "W_V": [[[1],[2]]]})",
       "/attention/n_heads: wrong n_heads; expected 1, as W_Q has, got 2"},
      {R"("weights": {"W_Q": [[[1],[2]],[[1],[2]],[[1],[2]]], "W_K": [[[1],[2]],[[1],[2]]], "W_V": [[1],[2]]})",
       "/attention/n_kv_heads: n_kv_heads does not divide n_heads; expected a divisor of 3, got 2"},
      {R"("weights": {"W_Q": [[[1],[2]],[[1],[2]]], "W_K": [[[1],[2]],[[1],[2]]], "W_V": [[[1],[2]]]})",
       "/weights/W_V: wrong number of heads; expected 2, as W_K has, got 1"},
      {R"("weights": {"W_Q": [[[1],[2]]], "W_K": [[[1,2],[3,4]]], "W_V": [[[1],[2]]]})",
       "/weights/W_K: wrong width of a head; expected 1, as in W_Q, got 2"},
  });
}

TEST_CASE("biases and the output projection must fit") {
  const test::WrongInputs inputs{
      R"({"embeddings": [[1,2]], "attention": {"n_heads": 1}, "weights": {"W_Q": [[1,2],[3,4]], "W_K": [[1,2],[3,4]], "W_V": [[1,2],[3,4]], )",
      R"(}})"};
  inputs.check({
      {R"("b_Q": [1,2,3])", "/weights/b_Q: wrong number of entries; expected 2, got 3"},
      {R"("b_K": [1])", "/weights/b_K: wrong number of entries; expected 2, got 1"},
      {R"("b_O": [1,2])", "/weights/b_O: b_O without W_O; expected W_O beside it, got none"},
      {R"("W_O": [[1,2],[3,4]], "b_O": [1])",
       "/weights/b_O: wrong number of entries; expected 2, got 1"},
      {R"("W_O": [[1,2],[3,4],[5,6]])",
       "/weights/W_O: wrong number of inputs; expected 2, the width of all heads together, got 3"},
      {R"("W_O": [1,2])",
       "/weights/W_O: wrong number of axes; expected 2 [n_heads*d_head][d_model] or 3 "
       "[n_heads][d_head][d_model], got 1 (2)"},
      {R"("layout": "out_in", "W_O": [[[1,2],[3,4]]])",
       "/weights/W_O: layout \"out_in\" needs one matrix for all heads; expected "
       "[d_model][n_heads*d_head], got 1x2x2"},
  });
}

TEST_CASE("keys come from the context, and so does the width they expect") {
  const test::WrongInputs inputs{
      R"({"embeddings": [[1,2]], "context": {"embeddings": [[1,2,3]]}, "attention": {"n_heads": 1}, "weights": )",
      R"(})"};
  inputs.check({
      {R"({"W_Q": [[1],[2]], "W_K": [[1],[2]], "W_V": [[1],[2],[3]]})",
       "/weights/W_K: wrong number of inputs; expected 3, which is the width of the context's "
       "embeddings, got 2"},
      {R"({"W_Q": [[1],[2],[3]], "W_K": [[1],[2],[3]], "W_V": [[1],[2],[3]]})",
       "/weights/W_Q: wrong number of inputs; expected 2, which is the width of the embeddings, "
       "got 3"},
  });
}

TEST_CASE("a residual needs outputs as wide as the inputs") {
  const test::WrongInputs inputs{
      R"({"embeddings": [[1,2]], "residual": true, "layers": [{}], "attention": {"n_heads": 1}, "weights": )",
      R"(})"};
  inputs.check({
      {R"({"W_Q": [[1],[2]], "W_K": [[1],[2]], "W_V": [[1],[2]]})",
       "/layers: layer 0: a residual needs an output as wide as the input; expected 2, got 1"},
  });
}

}  // namespace
}  // namespace mha
