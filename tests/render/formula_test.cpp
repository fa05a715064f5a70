#include "mha/render/formula.hpp"

#include "render/formula_box.hpp"
#include "support/catch.hpp"

using namespace mha::render;

namespace {

TEST_CASE("a formula as plain text keeps its signs and loses its braces") {
  CHECK(plain_formula("A = softmax(Q K^{T} / √{d_{k}})") == "A = softmax(Q Kᵀ / √d_k)");
  CHECK(plain_formula("W_{2}^{Q} ∈ ℝ^{d_{model} × d_{k}}") == "W_2^Q ∈ ℝ^(d_model × d_k)");
  CHECK(plain_formula("no markup at all") == "no markup at all");
}

TEST_CASE("braces that do not match are text") {
  CHECK(plain_formula("a_{b") == "a_{b");
  CHECK(plain_formula("{a} √ {b}") == "{a} √ {b}");
  CHECK(plain_formula("") == "");
}

int y_of(const FormulaBox& box, std::size_t piece) {
  return box.pieces.at(piece).y;
}

TEST_CASE("lowered parts stand below the line, raised ones above, twins above each other") {
  Typesetter type;
  const FormulaBox box = set_formula("W_{2}^{Q} X", 20, 1000, type);
  REQUIRE(box.pieces.size() == 4);  // W, 2, Q, X
  CHECK(y_of(box, 0) == 0);
  CHECK(y_of(box, 1) > 0);
  CHECK(y_of(box, 2) < 0);
  CHECK(box.pieces[1].x == box.pieces[2].x);
  CHECK(y_of(box, 3) == 0);
  CHECK(box.pieces[3].x > box.pieces[2].x);
}

TEST_CASE("a root has a bar over what stands under it") {
  Typesetter type;
  const FormulaBox box = set_formula("S / √{d_{k}} + 1", 20, 1000, type);
  REQUIRE(box.bars.size() == 1);
  const Rect& bar = box.bars[0];
  const FormulaBox::Piece& letter = box.pieces.at(2);  // the d
  CHECK(bar.x <= letter.x);
  CHECK(bar.right() >= letter.x + letter.text.width);
  CHECK(bar.bottom() <= letter.y - letter.text.pen_y);
  CHECK(bar.right() <= box.pieces.back().x + 4);
}

TEST_CASE("a formula that is too wide is set smaller, and every sign has a glyph") {
  Typesetter type;
  const char* kLong = "Z_{ij} ← −∞ where ⌊i / 2⌋ ∈ ℝ^{n × d_{model}} · K′^{T} ≤ √{d_{k}} …";
  const FormulaBox usual = set_formula(kLong, 20, 10000, type);
  const FormulaBox narrow = set_formula(kLong, 20, usual.width * 3 / 4, type);
  CHECK(narrow.width <= usual.width * 3 / 4);
  CHECK(narrow.height < usual.height);
  CHECK(type.missing_glyphs() == 0);
}

}  // namespace
