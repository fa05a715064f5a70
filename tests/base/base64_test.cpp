#include "mha/base/base64.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace mha {

TEST_CASE("base64 as in RFC 4648") {
  const auto of = [](const std::string& text) {
    return base64(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  CHECK(of("").empty());
  CHECK(of("f") == "Zg==");
  CHECK(of("fo") == "Zm8=");
  CHECK(of("foo") == "Zm9v");
  CHECK(of("foobar") == "Zm9vYmFy");
  CHECK(of("\xFF\xFE\xFB") == "//77");
}

}  // namespace mha
