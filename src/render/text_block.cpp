#include "text_block.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace mha::render {
namespace {

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = text.find_first_not_of(" \n\t", i);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(" \n\t", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    i = end;
  }
  return words;
}

}  // namespace

TextBlock set_block(std::string_view text, TextStyle style, double max_width, Typesetter& type) {
  TextBlock block;
  const LineMetrics metrics = type.metrics(style.px);
  block.ascent = static_cast<int>(std::ceil(metrics.ascent));
  block.line_height = block.ascent + static_cast<int>(std::ceil(metrics.descent));
  style.max_width = max_width;
  std::string line;
  double line_width = 0;
  const double space = type.width(" ", style);
  const auto end_line = [&] {
    if (line.empty()) return;
    block.lines.push_back(type.set(line, style));
    block.width = std::max(block.width, static_cast<int>(std::ceil(block.lines.back().advance)));
    line.clear();
    line_width = 0;
  };
  for (std::string_view word : words_of(text)) {
    const double width = type.width(word, style);
    if (!line.empty() && line_width + space + width > max_width) end_line();
    line_width += width + (line.empty() ? 0 : space);
    if (!line.empty()) line += ' ';
    line += word;
  }
  end_line();
  return block;
}

void draw_block(Canvas* canvas, const TextBlock& block, int x, int y, Rgb color) {
  for (const TextBitmap& line : block.lines) {
    canvas->text(line, x, y + block.ascent, color);
    y += block.line_height;
  }
}

Rect block_box(const TextBlock& block, int x, int y) {
  return {x, y, block.width, block.height()};
}

}  // namespace mha::render
