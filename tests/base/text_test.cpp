#include "mha/base/text.hpp"

#include "mha/base/error.hpp"

#include "support/catch.hpp"

namespace mha {
namespace {

const std::vector<std::string> kFields = {"tokens",     "text", "ids", "n_heads",
                                          "n_kv_heads", "W_Q",  "W_K"};

TEST_CASE("a misspelt name gets the nearest one as a suggestion") {
  CHECK(spelling_hint("token", kFields) == "did you mean 'tokens'?");
  CHECK(spelling_hint("toknes", kFields) == "did you mean 'tokens'?");  // two letters exchanged
  CHECK(spelling_hint("n_head", kFields) == "did you mean 'n_heads'?");
  CHECK(spelling_hint("nheads", kFields) == "did you mean 'n_heads'?");
}

TEST_CASE("upper and lower case do not count as a misspelling") {
  CHECK(spelling_hint("w_q", kFields) == "did you mean 'W_Q'?");
  CHECK(spelling_hint("TOKENS", kFields) == "did you mean 'tokens'?");
}

TEST_CASE("a name that is near to nothing gets no suggestion") {
  CHECK(spelling_hint("colour", kFields).empty());
  CHECK(spelling_hint("", kFields).empty());
  CHECK(spelling_hint("x", kFields).empty());
  CHECK(spelling_hint("x", {"y"}).empty());  // nothing of the word would be left
  CHECK(spelling_hint("tokens", {}).empty());
  CHECK(spelling_hint(std::string(1000, 't'), kFields).empty());
}

TEST_CASE("joined parts keep their separators, empty parts too") {
  CHECK(join({}, ", ").empty());
  CHECK(join({"a"}, ", ") == "a");
  CHECK(join({"a", "b", "c"}, ", ") == "a, b, c");
  CHECK(join({"", "b", ""}, ",") == ",b,");
}

TEST_CASE("shapes, sizes and numbers read as people write them") {
  CHECK(shape_text({}) == "scalar");
  CHECK(shape_text({5, 64}) == "5x64");
  CHECK(bytes_text(0) == "0 bytes");
  CHECK(bytes_text(1023) == "1023 bytes");
  CHECK(bytes_text(1024) == "1.0 KiB");
  CHECK(bytes_text(1.5 * 1024 * 1024) == "1.5 MiB");
  CHECK(bytes_text(1024.0 * 1024 - 1) == "1.0 MiB");  // not "1024.0 KiB"
  CHECK(bytes_text(4.0 * 1024 * 1024 * 1024) == "4.0 GiB");
  CHECK(fixed(0.5, 2) == "0.50");
  CHECK(fixed(-1.005, 1) == "-1.0");
  CHECK(fixed(1e300, 0).size() == 301);  // never cut
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(16777217) == "16777217");
  CHECK(number_text(1e30) == "1e+30");
  CHECK(with_minus("-2.5e-07") == "\u22122.5e\u221207");
  CHECK(concat("expected ", 3, ", got ", 4.5) == "expected 3, got 4.5");
}

TEST_CASE("each kind of failure has its exit code, and a place goes in front of the message") {
  CHECK(exit_code(ErrorKind::kInternal) == 1);
  CHECK(exit_code(ErrorKind::kUsage) == 2);
  CHECK(exit_code(ErrorKind::kInput) == 3);
  CHECK(exit_code(ErrorKind::kOutput) == 4);
  CHECK(exit_code(ErrorKind::kInterrupted) == 130);
  const Error error = Error(ErrorKind::kInput, "what", "a remedy").at("place");
  CHECK(std::string(error.what()) == "place: what");
  CHECK(error.hint() == "a remedy");
  CHECK(error.kind() == ErrorKind::kInput);
}

}  // namespace
}  // namespace mha
