#include "svg_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

namespace mha::render {
namespace {

// XML 1.0, production [2].
bool is_xml_char(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xD || (c >= 0x20 && c <= 0xD7FF) ||
         (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

void append_attribute(std::string_view name, const std::string& value, std::string* out) {
  out->append(" ").append(name).append("=\"").append(value).append("\"");
}

// What all elements of a line share.
std::string shared_attributes(const SetText& text, const TextOp& op) {
  std::string out;
  if (text.angle != 0) {
    append_attribute("transform", concat("rotate(", -text.angle, " ", op.x, " ", op.y, ")"), &out);
  }
  if (text.bold) append_attribute("font-weight", "bold", &out);
  append_attribute("fill", hex_text(op.color), &out);
  return out;
}

// Scaled to the length that the layout gave it, so that another font does no harm.
std::string run_element(const SetRun& run, double x, double y, const std::string& shared) {
  std::string out = "<text";
  append_attribute("x", svg_number(x), &out);
  append_attribute("y", svg_number(y), &out);
  append_attribute("font-size", svg_number(run.size), &out);
  if (run.font && !run.font->family.empty() && run.font->family != "DejaVu Sans") {
    append_attribute("font-family",
                     concat("'", xml_escaped(run.font->family), "', 'DejaVu Sans', sans-serif"),
                     &out);
  }
  // From right to left, a text begins at its right end; anchored at its end it lies where it
  // should.
  if (run.rtl) out += " direction=\"rtl\" text-anchor=\"end\"";
  if (run.advance > 0) {
    append_attribute("textLength", svg_number(run.advance), &out);
    out += " lengthAdjust=\"spacingAndGlyphs\"";
  }
  return out + shared + ">" + xml_escaped(run.text) + "</text>\n";
}

std::string box_element(const MissingBox& box, const SetText& text, const TextOp& op) {
  const double stroke = std::max(1.0, std::round(text.px / 15));
  std::string out = "<rect";
  append_attribute("x", svg_number(op.x + box.x0 + stroke / 2), &out);
  append_attribute("y", svg_number(op.y - kBoxTop * text.px + stroke / 2), &out);
  append_attribute("width", svg_number(box.x1 - box.x0 - stroke), &out);
  append_attribute("height", svg_number((kBoxTop - kBoxBottom) * text.px - stroke), &out);
  append_attribute("fill", "none", &out);
  append_attribute("stroke", hex_text(op.color), &out);
  append_attribute("stroke-width", svg_number(stroke), &out);
  if (text.angle != 0) {
    append_attribute("transform", concat("rotate(", -text.angle, " ", op.x, " ", op.y, ")"), &out);
  }
  return out + "/>\n";
}

}  // namespace

std::string svg_number(double value) {
  std::string text = fixed(value, 2);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string xml_escaped(std::string_view utf8) {
  std::string out;
  for (std::size_t i = 0; i < utf8.size();) {
    const char32_t c = next_code_point(utf8, &i);
    switch (c) {
      case U'&':
        out += "&amp;";
        break;
      case U'<':
        out += "&lt;";
        break;
      case U'>':
        out += "&gt;";
        break;
      case U'"':
        out += "&quot;";
        break;
      case U'\'':
        out += "&#39;";
        break;
      default:
        append_code_point(c != kBadUtf8 && is_xml_char(c) ? c : 0xFFFD, &out);
    }
  }
  return out;
}

std::string svg_text(const TextOp& op) {
  if (!op.text.set) return {};
  const SetText& text = *op.text.set;
  const std::string shared = shared_attributes(text, op);
  std::string out;
  for (const SetRun& run : text.runs) {
    const bool is_blank = run.text.find_first_not_of(' ') == std::string::npos;
    if (!is_blank) out += run_element(run, op.x + run.x, op.y - run.y, shared);
  }
  for (const MissingBox& box : text.boxes) out += box_element(box, text, op);
  return out;
}

std::string svg_cell_number(const NumbersOp::Number& number, const NumberGlyphs& glyphs) {
  const std::string_view text = number.text.data();
  double advance = 0;
  for (char c : text) advance += glyphs.of(c).advance;
  const SetText* set = glyphs.of(text.front()).set.get();
  if (set == nullptr || set->runs.empty()) return {};
  SetRun run = set->runs.front();
  run.text = text;
  run.advance = advance;
  std::string shared;
  append_attribute("fill", hex_text(number.color), &shared);
  return run_element(run, number.x, number.y, shared);
}

}  // namespace mha::render
