#include "mha/text/token_kinds.hpp"

#include "support/catch.hpp"

namespace mha {
namespace {

TEST_CASE("punctuation is known in every script, with and without marks of tokenizers") {
  for (const char* token : {".", ",", "...", "?!", "\u2014", "\u00BF", "\u3002", "\u060C", "\u0964",
                            "\u0120,", "\u2581.", " ;", "##.", "\"", "(", "\u201C"}) {
    INFO(token);
    CHECK(is_punctuation_token(token));
  }
  for (const char* token :
       {"", " ", "\u0120", "a", "a.", "don't", "3", "$", "+", "##s", "\u00E9", "\xFF"}) {
    INFO(token);
    CHECK_FALSE(is_punctuation_token(token));
  }
}

}  // namespace
}  // namespace mha
