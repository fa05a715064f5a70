// Documents whose attention is computed: different ways to say the same give the same.
#include "support/documents.hpp"

namespace mha {
namespace {

using test::open_text;
using test::outputs_of;
using test::weights_of;
using Names = std::vector<std::string>;

const std::string kX = R"({"embeddings": [[1,0,2,1],[0,1,-1,2],[2,-1,0,1]], )";

TEST_CASE("per-head and fused weights are the same") {
  const OpenedInput fused =
      open_text(kX + R"("attention": {"n_heads": 2}, "weights": {)"
                     R"("W_Q": [[1,2],[3,4],[5,6],[7,8]], "W_K": [[1,0],[0,1],[1,1],[0,2]],)"
                     R"("W_V": [[1,2],[0,1],[1,0],[2,2]], "W_O": [[1,2,3,4],[5,6,7,8]]}})");
  const OpenedInput per_head = open_text(
      kX +
      R"("weights": {)"
      R"("W_Q": [[[1],[3],[5],[7]],[[2],[4],[6],[8]]], "W_K": [[[1],[0],[1],[0]],[[0],[1],[1],[2]]],)"
      R"("W_V": [[[1],[0],[1],[2]],[[2],[1],[0],[2]]], "W_O": [[[1,2,3,4]],[[5,6,7,8]]]}})");
  CHECK(weights_of(fused) == weights_of(per_head));
  CHECK(outputs_of(fused) == outputs_of(per_head));
  CHECK(per_head.head_names[0].size() == 2);
}

TEST_CASE("one key head serves several query heads") {
  const OpenedInput shared = open_text(
      kX +
      R"("attention": {"n_heads": 2, "n_kv_heads": 1}, "weights": {)"
      R"("W_Q": [[1,2],[3,4],[5,6],[7,8]], "W_K": [[1],[0],[1],[0]], "W_V": [[1],[0],[1],[2]]}})");
  const OpenedInput repeated =
      open_text(kX + R"("attention": {"n_heads": 2}, "weights": {)"
                     R"("W_Q": [[1,2],[3,4],[5,6],[7,8]], "W_K": [[1,1],[0,0],[1,1],[0,0]],)"
                     R"("W_V": [[1,1],[0,0],[1,1],[2,2]]}})");
  CHECK(weights_of(shared) == weights_of(repeated));
  CHECK(outputs_of(shared) == outputs_of(repeated));
}

TEST_CASE("random weights are said to be random and are the same every time") {
  const std::string seed_7 = kX + R"("weights": {"random": {"seed": 7}}})";
  const OpenedInput input = open_text(seed_7);
  CHECK(weights_of(input) == weights_of(open_text(seed_7)));
  CHECK(input.notes == Names{"random weights, seed 7: the heads differ but mean nothing"});
  CHECK(weights_of(input) != weights_of(open_text(kX + R"("weights": {"random": {"seed": 8}}})")));
  CHECK(weights_of(open_text(kX + R"("weights": {"random": {}}})")) ==
        weights_of(open_text(kX + R"("attention": {}})")));  // seed 0 where none is given
  CHECK(input.head_names[0].size() == 4);
  // A seed may be any date or time.
  CHECK_NOTHROW(open_text(kX + R"("weights": {"random": {"seed": 20240131120000}}})"));
}

TEST_CASE("the numbers drawn from a seed are those that another program draws") {
  const std::vector<float> weights =
      weights_of(open_text(R"({"tokens": ["the", "cat"], "attention": {"n_heads": 1}})"));
  REQUIRE(weights.size() == 4);
  CHECK(weights[0] == Approx(0.9886252427).epsilon(1e-5));
  CHECK(weights[2] == Approx(0.8502145135).epsilon(1e-5));
}

TEST_CASE("a text is split into words, which get seeded embeddings, and the output says so") {
  const OpenedInput input = open_text(R"({"text": "the cat, the dog"})");
  CHECK(input.tokens == Names{"the", "cat", ",", "the", "dog"});
  CHECK(input.key_tokens == input.tokens);
  REQUIRE(input.notes.size() == 2);
  CHECK(input.notes[0] ==
        "no embeddings given: each token has a random one of width 64 (the same for the same "
        "token), plus sinusoidal positions");
  const OpenedInput same = open_text(R"({"tokens": ["the", "cat", ",", "the", "dog"]})");
  CHECK(weights_of(input) == weights_of(same));
}

TEST_CASE("without positions the same token attends in the same way") {
  const std::vector<float> w = weights_of(
      open_text(R"({"text": "a b a", "positions": "none", "attention": {"n_heads": 1}})"));
  CHECK(w[0] == w[6]);  // rows 0 and 2
  CHECK(w[1] == w[7]);
  const std::vector<float> placed =
      weights_of(open_text(R"({"text": "a b a", "attention": {"n_heads": 1}})"));
  CHECK(placed[0] != placed[6]);
}

TEST_CASE("ids stand for tokens, or beside them") {
  CHECK(open_text(R"({"ids": [464, 3797]})").tokens == Names{"464", "3797"});
  CHECK(open_text(R"({"ids": [464, 3797], "tokens": ["the", "cat"]})").tokens ==
        Names{"the", "cat"});
}

TEST_CASE("embeddings without tokens are labelled by their index") {
  CHECK(open_text(kX + R"("id": "x"})").tokens == Names{"0", "1", "2"});
}

TEST_CASE("token types are accepted and said to change nothing") {
  const OpenedInput input = open_text(R"({"tokens": ["a", "b"], "token_types": [0, 1]})");
  CHECK(input.warnings == Names{"token_types are used by models alone and change nothing here"});
}

TEST_CASE("a context gives keys and values") {
  const OpenedInput input =
      open_text(R"({"tokens": ["q"], "embeddings": [[1,2]], "attention": {"n_heads": 1},)"
                R"( "context": {"tokens": ["a","b","c"], "embeddings": [[1,0,0],[0,1,0],[0,0,1]]},)"
                R"( "weights": {"W_Q": [[1],[0]], "W_K": [[0],[0],[0]], "W_V": [[3],[6],[9]]},)"
                R"( "relations": [{"name": "r", "pairs": [[0, 2]]}]})");
  CHECK(input.is_cross);
  CHECK(input.tokens == Names{"q"});
  CHECK(input.key_tokens == Names{"a", "b", "c"});
  for (float w : weights_of(input)) CHECK(static_cast<double>(w) == Approx(1.0 / 3));
  CHECK(static_cast<double>(outputs_of(input)[0]) == Approx(6));
  CHECK(input.relations[0].pairs[0] == std::pair<std::size_t, std::size_t>(0, 2));
}

TEST_CASE("layers inherit the attention of the document field by field") {
  const OpenedInput inherited =
      open_text(kX + R"("attention": {"n_heads": 2, "causal": true, "scale": 0.5}, "layers": [)"
                     R"({}, {"attention": {"causal": false}}, {"attention": {"n_heads": 4}}]})");
  const OpenedInput spelt_out =
      open_text(kX + R"("layers": [{"attention": {"n_heads": 2, "causal": true, "scale": 0.5}},)"
                     R"( {"attention": {"n_heads": 2, "causal": false, "scale": 0.5}},)"
                     R"( {"attention": {"n_heads": 4, "causal": true, "scale": 0.5}}]})");
  CHECK(weights_of(inherited) == weights_of(spelt_out));
  CHECK(inherited.head_names.size() == 3);
  CHECK(inherited.head_names[2][3].text() == "L2H3");
  CHECK(inherited.notes ==
        Names{"random weights, seeds 0, 1, 2: the heads differ but mean nothing"});
}

TEST_CASE("a rope of the document holds in its layers with all of its numbers") {
  const OpenedInput inherited = open_text(
      kX + R"("attention": {"n_heads": 1, "position": {"kind": "rope", "theta": 10, "pairing": )"
           R"("interleaved"}}, "layers": [{}, {"attention": {"causal": true}}]})");
  const OpenedInput spelt_out = open_text(
      kX +
      R"("attention": {"n_heads": 1}, "layers": [)"
      R"({"attention": {"position": {"kind": "rope", "theta": 10, "pairing": "interleaved"}}},)"
      R"( {"attention": {"causal": true, "position": )"
      R"({"kind": "rope", "theta": 10, "pairing": "interleaved"}}}]})");
  CHECK(weights_of(inherited) == weights_of(spelt_out));
}

TEST_CASE("flags hold where the document is silent") {
  RuleDefaults flags;
  flags.causal = true;
  flags.scale = 3;
  const auto open_with_flags = [&](const std::string& document) {
    return open_document(document, {flags, ".", SIZE_MAX});
  };
  CHECK(weights_of(open_with_flags(kX + R"("attention": {"n_heads": 1}})")) ==
        weights_of(open_text(kX + R"("attention": {"n_heads": 1, "causal": true, "scale": 3}})")));
  CHECK(weights_of(
            open_with_flags(kX + R"("attention": {"n_heads": 1, "causal": false, "scale": 1}})")) ==
        weights_of(open_text(kX + R"("attention": {"n_heads": 1, "scale": 1}})")));
}

TEST_CASE("a null in a bias hides the cell") {
  const OpenedInput hidden =
      open_text(kX + R"("attention": {"bias": [[0,null,0],[0,0,0],[null,null,null]]}})");
  const OpenedInput masked = open_text(
      kX + R"("attention": {"mask": [[true,false,true],[true,true,true],[false,false,false]]}})");
  CHECK(weights_of(hidden) == weights_of(masked));
  CHECK(weights_of(hidden)[1] == 0);
}

TEST_CASE("any number of threads gives the same weights") {
  const OpenedInput input = open_text(R"({"text": "one two three four five six seven eight"})");
  CHECK(weights_of(input, 1) == weights_of(input, 4));
}

}  // namespace
}  // namespace mha
