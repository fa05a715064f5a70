#include "mha/text/tokenizer.hpp"

#include "fuzz/fuzz.hpp"

namespace {

using mha::fuzz::check;

void check_tokens(const mha::Tokenizer& tokenizer, std::string_view text) {
  const mha::TokenizedText tokens = tokenizer.encode(text);
  const std::size_t n = tokens.ids.size();
  check(tokens.tokens.size() == n && tokens.offsets.size() == n, "a token has text and offsets");
  check(tokens.sequences.size() == n && tokens.is_special.size() == n, "a token has its kind");
  for (std::size_t i = 0; i < n; ++i) {
    const mha::ByteRange& range = tokens.offsets[i];
    check(range.begin <= range.end && range.end <= text.size(), "offsets lie within the text");
    check(tokenizer.token(tokens.ids[i]) == tokens.tokens[i], "an id is that of its token");
    check(tokens.ids[i] <= tokenizer.largest_id(), "no id is above the largest");
  }
  for (const std::size_t position : tokens.unknown) check(position < n, "an unknown token exists");
  mha::code_point_ranges(text, tokens.offsets);
}

}  // namespace

// The input is a tokenizer.json. Encoded are texts of many kinds of characters, and its own begin.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mha;
  const std::string_view json = fuzz::text_of(data, size);
  fuzz::expect_input_error([&] {
    const Tokenizer tokenizer = Tokenizer::from_tokenizer_json(json, "fuzz");
    check(!tokenizer.kind().empty(), "a tokenizer has a kind");
    for (std::string_view text :
         {std::string_view(
              "The caf\u00E9's 12 na\u0131ve <s>[CLS]\tcats\u2014\u732B\U0001F642 e\u0301\n"),
          std::string_view(), std::string_view("\xFF"), json.substr(0, 200)}) {
      fuzz::expect_input_error([&] { check_tokens(tokenizer, text); });
    }
    fuzz::expect_input_error([&] { tokenizer.encode_pair("a b", "b c"); });
  });
  return 0;
}
