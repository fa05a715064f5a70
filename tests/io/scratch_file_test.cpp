#include "mha/io/scratch_file.hpp"

#include <string>

#include "support/catch.hpp"

namespace mha {

TEST_CASE("pieces of a scratch file are read in any order, also between writes") {
  ScratchFile file;
  const auto text_of = [&file](const ScratchPiece& piece) {
    std::string out;
    file.read(piece, [&out](std::string_view part) { out += part; });
    return out;
  };
  const std::string large(3'000'000, 'x');
  const ScratchPiece first = file.append("first");
  const ScratchPiece second = file.append(large);
  CHECK(text_of(second) == large);
  CHECK(text_of(first) == "first");
  const ScratchPiece third = file.append("third");
  CHECK(text_of(third) == "third");
  CHECK(text_of(file.append("")).empty());
  CHECK(text_of(second) == large);
}

}  // namespace mha
