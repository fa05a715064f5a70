#include "page.hpp"

#include <algorithm>

namespace mha::render {
namespace {

constexpr double kReadableWidth = 440;

}  // namespace

Page::Page(const PictureText& text, const std::vector<LegendEntry>& entries, int body_width,
           int indent, const PictureStyle& style, Typesetter& type)
    : sizes_(style), legend_x_(sizes_.margin() + indent), name_(text.title) {
  int width = std::max(body_width, sizes_.px(kReadableWidth));
  if (style.text_width > 0) width = std::max(body_width, std::min(width, style.text_width));
  title_ = set_block(text.title, sizes_.title(), width, type);
  caption_ = set_block(text.caption, sizes_.caption(), width, type);
  for (const std::string& note : text.notes) {
    notes_.push_back(set_block(note, sizes_.note(), width, type));
  }
  legend_ = make_legend(entries, sizes_, width - indent, type);
}

PageBoxes Page::boxes(int body_bottom) const {
  PageBoxes out;
  int y = sizes_.margin() - sizes_.px(5);
  out.title = block_box(title_, sizes_.margin(), y);
  y += title_.height() + (title_.lines.empty() ? 0 : sizes_.px(2));
  out.caption = block_box(caption_, sizes_.margin(), y);
  y = body_bottom + sizes_.px(12);
  out.legend = legend_boxes(legend_, legend_x_, y);
  if (legend_.height > 0) y += legend_.height + sizes_.px(8);
  for (const TextBlock& note : notes_) {
    out.notes.push_back(block_box(note, sizes_.margin(), y));
    y = out.notes.back().bottom();
  }
  return out;
}

int Page::body_top() const {
  const PageBoxes all = boxes(0);
  if (!caption_.lines.empty()) return all.caption.bottom() + sizes_.px(16);
  return title_.lines.empty() ? sizes_.margin() : all.title.bottom() + sizes_.px(12);
}

int Page::width(int body_right) const {
  int right = std::max({body_right, sizes_.margin() + title_.width,
                        sizes_.margin() + caption_.width, legend_x_ + legend_.width});
  for (const TextBlock& note : notes_) right = std::max(right, sizes_.margin() + note.width);
  return right + sizes_.margin();
}

int Page::height(int body_bottom) const {
  const PageBoxes all = boxes(body_bottom);
  int bottom = body_bottom;
  for (const Rect& box : all.legend) bottom = std::max(bottom, box.bottom());
  for (const Rect& box : all.notes) bottom = std::max(bottom, box.bottom());
  return bottom + sizes_.margin() - sizes_.px(4);
}

void Page::draw(Canvas* canvas, int body_bottom, const Theme& theme) const {
  const PageBoxes all = boxes(body_bottom);
  canvas->name(name_);
  draw_block(canvas, title_, all.title.x, all.title.y, theme.foreground);
  draw_block(canvas, caption_, all.caption.x, all.caption.y, theme.muted);
  draw_legend(canvas, legend_, legend_x_, body_bottom + sizes_.px(12), theme);
  for (std::size_t i = 0; i < notes_.size(); ++i) {
    draw_block(canvas, notes_[i], all.notes[i].x, all.notes[i].y, theme.muted);
  }
}

}  // namespace mha::render
