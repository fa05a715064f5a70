#include "render/text_runs.hpp"

#include "support/catch.hpp"

using namespace mha::render;

namespace {

// Letters of script 1 (Latin), 2 (Arabic, right to left), 0 for the rest.
std::vector<CharInfo> describe(std::u32string_view text) {
  std::vector<CharInfo> out;
  for (char32_t c : text) {
    const bool latin = (c >= 'a' && c <= 'z');
    out.push_back({.code = c,
                   .script = latin       ? 1U
                             : is_rtl(c) ? 2U
                                         : 0U,
                   .joins_before = is_joining(c) || (c >= 0x300 && c < 0x370),
                   .invisible = is_joining(c)});
  }
  return out;
}

}  // namespace

TEST_CASE("clusters keep marks, joiners, modifiers and flags together") {
  using Starts = std::vector<std::size_t>;
  CHECK(cluster_starts(describe(U"ab")) == Starts{0, 1, 2});
  CHECK(cluster_starts(describe(U"e\u0301x")) == Starts{0, 2, 3});
  CHECK(cluster_starts(describe(U"\U0001F469\u200D\U0001F467x")) == Starts{0, 3, 4});
  CHECK(cluster_starts(describe(U"\U0001F44D\U0001F3FD")) == Starts{0, 2});
  CHECK(cluster_starts(describe(U"\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7")) == Starts{0, 2, 4});
  CHECK(cluster_starts({}) == Starts{0});
}

TEST_CASE("runs break where the font changes and nowhere else") {
  const std::vector<CharInfo> text = describe(U"ab!cd");
  const FontChoice fonts{
      [&](std::size_t begin, std::size_t) { return text[begin].code == U'!' ? 1 : 0; }};
  const std::vector<TextRun> runs = choose_runs(text, fonts);
  REQUIRE(runs.size() == 3);
  CHECK(runs[1].begin == 2);
  CHECK(runs[1].end == 3);
  CHECK(runs[1].font == 1);
  const FontChoice one{[](std::size_t, std::size_t) { return 0; }};
  CHECK(choose_runs(text, one).size() == 1);
}

TEST_CASE("a word that only another font has whole is not split between fonts") {
  const std::vector<CharInfo> text = describe(U"abc");
  // Font 0 has a and c, font 1 has all three.
  const FontChoice fonts{[&](std::size_t begin, std::size_t end) {
    return end - begin == 3 ? 1 : text[begin].code == U'b' ? 1 : 0;
  }};
  const std::vector<TextRun> runs = choose_runs(text, fonts);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].font == 1);
}

TEST_CASE("the visual order follows the first strong character") {
  const auto order = [](std::u32string_view string) {
    const std::vector<CharInfo> text = describe(string);
    std::vector<std::pair<std::size_t, bool>> out;
    for (const TextRun& run : visual_order(text, {{0, text.size(), 0, false}})) {
      out.emplace_back(run.begin, run.rtl);
    }
    return out;
  };
  using Order = std::vector<std::pair<std::size_t, bool>>;
  CHECK(order(U"abc") == Order{{0, false}});
  CHECK(order(U"\u0628\u0628") == Order{{0, true}});
  CHECK(order(U"\u0628 12") == Order{{2, false}, {0, true}});
  CHECK(order(U"ab \u0628\u0628") == Order{{0, false}, {3, true}});
  CHECK(order(U"\u0628 ab") == Order{{2, false}, {0, true}});
}

TEST_CASE("ill-formed and control bytes become drawable characters") {
  CHECK(drawable_text("a\xC3\xA9") == std::vector<char32_t>{U'a', U'\u00E9'});
  CHECK(drawable_text("\xFF\t\x7F") == std::vector<char32_t>{0xFFFD, U' ', U' '});
}
