#include "sheet_panel.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "mha/base/text.hpp"

namespace mha::render {
namespace {

constexpr double kTitlePx = 19;
constexpr double kFormulaPx = 21;
constexpr double kSentencePx = 15.5;
constexpr double kWorkedPx = 15;
constexpr double kTextShare = 0.32;  // of the width, for the texts beside a picture
constexpr double kBesideFrom = 600;  // a narrower panel has its texts above and below
constexpr double kHighest = 330;     // of a picture that shares its row with two others
constexpr double kHighestWide = 430;
constexpr double kBetween = 28;  // texts and a picture beside them
constexpr double kTint = 0.08;

std::string pool_text(const SheetPictureBox& picture) {
  if (picture.row_pool() == 1 && picture.col_pool() == 1) return "";
  return concat("; each dot shows the largest of ", picture.row_pool(), " × ", picture.col_pool());
}

}  // namespace

SheetPanelBox::SheetPanelBox(const SheetPanel& panel, int width, std::size_t n_in_row,
                             const PictureStyle& style, Typesetter& type)
    : style_(style),
      sizes_(style),
      width_(width),
      beside_(n_in_row == 1 && width >= sizes_.px(kBesideFrom)),
      picture_(panel.picture, beside_ ? width - text_width(width) - sizes_.px(kBetween) : width,
               sizes_.px(n_in_row < 3 ? kHighestWide : kHighest), style, type) {
  const double scale = sizes_.scale;
  const int text = text_width(width);
  number_ = type.set(panel.number, {.px = kTitlePx * scale, .bold = true});
  const int indent = number_.empty() ? 0 : advance_px(number_) + sizes_.px(10);
  title_ = set_block(panel.title, {.px = kTitlePx * scale, .bold = true}, text - indent, type);
  formula_ = set_formula(panel.formula, kFormulaPx * scale, text, type);
  shape_ = set_block(panel.shape + pool_text(picture_), sizes_.tick(), text, type);
  sentence_ = set_block(panel.sentence, {.px = kSentencePx * scale}, text, type);
  for (const std::string& line : panel.worked) {
    worked_.push_back(set_block(line, {.px = kWorkedPx * scale}, text - sizes_.px(20), type));
  }
}

int SheetPanelBox::text_width(int width) const {
  return beside_ ? static_cast<int>(kTextShare * width) : width;
}

int SheetPanelBox::head_height() const {
  int height = title_.height();
  if (formula_.width > 0) height += sizes_.px(3) + formula_.height;
  if (!shape_.lines.empty()) height += sizes_.px(2) + shape_.height();
  return height + sizes_.px(10);
}

SheetPanelLayout SheetPanelBox::layout(int x, int y, int head_height) const {
  SheetPanelLayout out;
  const int indent = number_.empty() ? 0 : advance_px(number_) + sizes_.px(10);
  out.title = {x, y, indent + title_.width, title_.height()};
  int line = y + title_.height();
  if (formula_.width > 0) {
    out.formula = {x, line + sizes_.px(3), formula_.width, formula_.height};
    line = out.formula.bottom();
  }
  out.shape = block_box(shape_, x, line + sizes_.px(2));
  const int below_head = y + head_height;
  const int picture_x = beside_ ? x + text_width(width_) + sizes_.px(kBetween) : x;
  const int picture_y = beside_ ? y : below_head;
  out.picture = {picture_x, picture_y, picture_.width(), picture_.height()};
  SheetPictureParts parts = picture_.parts_at(picture_x, picture_y);
  out.cells = parts.cells;
  out.color_bar = parts.color_bar;
  out.row_title = parts.row_title;
  out.col_title = parts.col_title;
  out.frames = std::move(parts.frames);
  out.row_pool = picture_.row_pool();
  out.col_pool = picture_.col_pool();
  const int text_y = beside_ ? below_head : out.picture.bottom() + sizes_.px(8);
  out.sentence = block_box(sentence_, x, text_y);
  const int gap = sentence_.lines.empty() ? 0 : sizes_.px(8);
  out.worked = worked_box(x, out.sentence.bottom() + gap);
  return out;
}

Rect SheetPanelBox::worked_box(int x, int y) const {
  if (worked_.empty()) return {x, y, 0, 0};
  int height = 0;
  for (const TextBlock& block : worked_) height += block.height() + sizes_.px(3);
  return {x, y, text_width(width_), height + sizes_.px(11)};
}

int SheetPanelBox::least_width() const {
  const SheetPanelLayout all = layout(0, 0, head_height());
  return std::max(all.picture.right(), all.formula.right());
}

int SheetPanelBox::height(int head_height) const {
  const SheetPanelLayout all = layout(0, 0, head_height);
  return std::max({all.picture.bottom(), all.sentence.bottom(), all.worked.bottom()});
}

void SheetPanelBox::draw(Canvas* canvas, int x, int y, int head_height) const {
  const Theme& theme = style_.theme;
  const SheetPanelLayout all = layout(x, y, head_height);
  const int indent = number_.empty() ? 0 : advance_px(number_) + sizes_.px(10);
  canvas->text(number_, x, y + title_.ascent, theme.accent);
  draw_block(canvas, title_, x + indent, y, theme.foreground);
  draw_formula(canvas, formula_, all.formula.x, all.formula.y, theme.foreground);
  draw_block(canvas, shape_, all.shape.x, all.shape.y, theme.muted);
  picture_.draw(canvas, all.picture.x, all.picture.y);
  draw_block(canvas, sentence_, all.sentence.x, all.sentence.y, theme.foreground);
  if (!worked_.empty()) draw_worked(canvas, all.worked);
}

void SheetPanelBox::draw_worked(Canvas* canvas, const Rect& box) const {
  const Theme& theme = style_.theme;
  canvas->fill(box, mix(theme.background, theme.accent, kTint));
  canvas->fill({box.x, box.y, sizes_.px(3), box.height}, theme.accent);
  int y = box.y + sizes_.px(6);
  for (const TextBlock& block : worked_) {
    draw_block(canvas, block, box.x + sizes_.px(12), y, theme.foreground);
    y += block.height() + sizes_.px(3);
  }
}

}  // namespace mha::render
