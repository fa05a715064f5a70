#include "mha/render/html_text.hpp"

#include <string>

#include "mha/render/html_assets.hpp"

#include "support/catch.hpp"

namespace mha::render {

TEST_CASE("text for HTML holds no markup, control or direction character") {
  CHECK(html_text("<b a=\"1\" c='2'>&amp;") == "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
  CHECK(html_text(std::string("\0\x1b\x7f", 3)) == "U+0000U+001BU+007F");
  CHECK(html_text("a\xE2\x80\xAE\xE2\x80\xA8") == "aU+202EU+2028");
  CHECK(html_text("caf\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80\n\t") ==
        "caf\xC3\xA9 \xE4\xB8\xAD \xF0\x9F\x98\x80\n\t");
}

TEST_CASE("JSON in a script block holds nothing that HTML could take for its own") {
  CHECK(script_json("\"</script><!--&\"") == "\"\\u003c/script\\u003e\\u003c!--\\u0026\"");
  CHECK(script_json("\"\xE2\x80\xA8\xE2\x80\xA9\xE2\x81\xA6\"") == "\"\\u2028\\u2029\\u2066\"");
  CHECK(script_json("{\"a\":[1,\"b\\\"\"]}") == "{\"a\":[1,\"b\\\"\"]}");
}

TEST_CASE("a text that is cut within a character stays as it is") {
  CHECK(html_text("a\xE2\x80") == "a\xE2\x80");
  CHECK(script_json("\xF0\x9F") == "\xF0\x9F");
}

TEST_CASE("characters that turn the direction of a token are spelt out") {
  CHECK(spell_direction_marks("a\xE2\x80\xAE"
                              "b<") == "a<U+202E>b<");
}

TEST_CASE("the page's script cannot end its own block") {
  CHECK(page_script().find("</script") == std::string_view::npos);
  CHECK(page_script().find("startPage();") != std::string_view::npos);
  CHECK(page_script_hash().starts_with("sha256-"));
  CHECK(page_style().find("</style") == std::string_view::npos);
}

}  // namespace mha::render
