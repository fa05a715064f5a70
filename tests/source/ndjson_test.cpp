// Which texts are several documents, one a line.
#include "support/documents.hpp"

namespace mha {
namespace {

TEST_CASE("two or more whole objects, one a line, are as many documents") {
  const auto documents = split_documents("{\"text\": \"a\"}\n\n  {\"text\": \"b}\"}\r\n{broken\n");
  REQUIRE(documents.size() == 3);
  CHECK(documents[0].text == "{\"text\": \"a\"}");
  CHECK(documents[0].line == 1);
  CHECK(documents[1].text == "{\"text\": \"b}\"}");
  CHECK(documents[1].line == 3);
  CHECK(documents[2].text == "{broken");
  CHECK(documents[2].line == 4);
}

TEST_CASE("one object is one document, however many lines it takes") {
  for (const char* text : {"{\"text\": \"a\"}", "\n{\"text\": \"a\"}\n\n", "{\n\"text\": \"a\"\n}",
                           "{\"text\":\n\"a\"}", "[1,\n2]", "", " \n ", "junk\njunk"}) {
    const auto documents = split_documents(text);
    REQUIRE(documents.size() == 1);
    CHECK(documents[0].text == text);
    CHECK(documents[0].line == 0);
  }
}

TEST_CASE("braces and quotes inside of strings do not end an object") {
  const auto documents =
      split_documents("{\"tokens\": [\"}\", \"\\\"{\", \"\\\\\"]}\n{\"text\": \"b\"}");
  CHECK(documents.size() == 2);
}

TEST_CASE("a byte order mark in front is no part of the first document") {
  const auto documents = split_documents("\xEF\xBB\xBF{\"text\": \"a\"}\n{\"text\": \"b\"}\n");
  REQUIRE(documents.size() == 2);
  CHECK(documents[0].text == "{\"text\": \"a\"}");
}

}  // namespace
}  // namespace mha
