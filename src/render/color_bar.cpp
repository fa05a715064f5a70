#include "color_bar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "mha/base/text.hpp"

#include "text_block.hpp"

namespace mha::render {
namespace {

constexpr double kTickDistance = 52;  // px between numbers, about
constexpr double kBarSteps = 127;     // colours of the bar less one: as smooth as 256 to the eye

int line_px(double px) {
  return static_cast<int>(std::ceil(1.2 * px));
}

void measure(ColorBar* bar, const Sizes& sizes) {
  const int text = bar->number_line;
  const int title = bar->title.empty() ? 0 : bar->title_line;
  int widest = 0;
  for (const auto& mark : bar->marks) widest = std::max(widest, advance_px(mark.text));
  const int tick = sizes.px(8);
  const int title_length = bar->title.empty() ? 0 : advance_px(bar->title);
  if (bar->upright) {
    bar->lead = std::max(0, (title_length - bar->length + 1) / 2);
    bar->width = bar->thickness + tick + widest + (title > 0 ? sizes.px(6) + title : 0);
    bar->height = std::max(bar->length, title_length);
  } else {
    const int first = bar->marks.empty() ? 0 : advance_px(bar->marks.front().text);
    const int last = bar->marks.empty() ? 0 : advance_px(bar->marks.back().text);
    bar->lead = bar->marks.empty() ? 0 : std::max(0, first / 2 - bar->marks.front().offset);
    bar->top = title > 0 ? title + sizes.px(3) : 0;
    const int over = bar->marks.empty()
                         ? 0
                         : std::max(0, bar->marks.back().offset + (last + 1) / 2 - bar->length);
    bar->width = std::max(bar->lead + bar->length + over, bar->lead + title_length);
    bar->height = bar->top + bar->thickness + tick / 2 + text;
  }
}

// Round ticks; where one of them alone fits, the ends as they are: a scale needs two numbers.
std::vector<Tick> ticks_of(const ColorScale& colors, std::size_t max_ticks) {
  std::vector<Tick> ticks = round_ticks(colors, max_ticks);
  if (ticks.size() != 1 || colors.kind != ScaleKind::kLinear) return ticks;
  const bool has_signs = is_diverging(colors);
  const auto end_text = [has_signs](double value) {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), has_signs ? "%+.3g" : "%.3g", value);
    return with_minus(text.data());
  };
  if (ticks[0].position < 0.6) ticks.push_back({1, end_text(colors.high)});
  if (ticks[0].position > 0.4) ticks.insert(ticks.begin(), {0, end_text(colors.low)});
  return ticks;
}

}  // namespace

ColorBar make_color_bar(const std::string& value_name, const ColorScale& colors,
                        const PictureStyle& style, int length, bool upright, Typesetter& type) {
  const Sizes sizes(style);
  ColorBar bar;
  bar.upright = upright;
  bar.length = length;
  bar.thickness = sizes.px(16);
  bar.stroke = std::max(1, sizes.stroke());
  bar.map = &colormap_named(colors.colormap, style.theme.dark);
  const auto most = static_cast<std::size_t>(length / (kTickDistance * sizes.scale));
  for (const Tick& tick : ticks_of(colors, std::clamp<std::size_t>(most, 2, 6))) {
    const int offset = static_cast<int>(std::lround(tick.position * (length - 1)));
    bar.marks.push_back({offset, type.set(tick.text, sizes.tick())});
  }
  const std::string title = scale_title(value_name, colors);
  bar.title = type.set(title, sizes.axis_title(upright ? 90 : 0));
  bar.title_line = line_px(sizes.axis_title(0).px);
  bar.number_line = line_px(sizes.tick().px);
  measure(&bar, sizes);
  return bar;
}

ColorBarBoxes color_bar_boxes(const ColorBar& bar, int x, int y) {
  ColorBarBoxes boxes;
  const int length = advance_px(bar.title);
  if (bar.upright) {
    boxes.colors = {x, y + bar.lead, bar.thickness, bar.length};
    for (const auto& mark : bar.marks) {
      const int middle = boxes.colors.bottom() - 1 - mark.offset;
      boxes.marks.push_back(
          text_box(mark.text, x + bar.thickness + bar.thickness / 2, middle + mark.text.pen_y / 2));
    }
    const int baseline = x + bar.width - bar.title_line / 4;
    boxes.title = text_box(bar.title, baseline, y + (bar.height + length) / 2);
    return boxes;
  }
  boxes.colors = {x + bar.lead, y + bar.top, bar.length, bar.thickness};
  const int line = bar.y_of_numbers(y);
  for (const auto& mark : bar.marks) {
    boxes.marks.push_back(
        text_box(mark.text, boxes.colors.x + mark.offset - advance_px(mark.text) / 2, line));
  }
  boxes.title = text_box(bar.title, boxes.colors.x, y + bar.title_line * 3 / 4);
  return boxes;
}

namespace {

// From the low end on, each colour over all that is left of the bar: so no viewer shows a gap
// between two of them.
void draw_colors(Canvas* canvas, const ColorBar& bar, const Rect& box) {
  std::size_t last = bar.map->size();
  for (int i = 0; i < bar.length; ++i) {
    const double position = static_cast<double>(i) / std::max(1, bar.length - 1);
    const double step = std::round(position * kBarSteps) / kBarSteps;
    const auto index = static_cast<std::size_t>(std::lround(255 * step));
    if (index == last) continue;
    last = index;
    const Rect rest = bar.upright ? Rect{box.x, box.y, box.width, bar.length - i}
                                  : Rect{box.x + i, box.y, bar.length - i, box.height};
    canvas->fill(rest, (*bar.map)[index]);
  }
}

}  // namespace

Rect draw_color_bar(Canvas* canvas, const ColorBar& bar, int x, int y, const Theme& theme) {
  const ColorBarBoxes boxes = color_bar_boxes(bar, x, y);
  const Rect& colors = boxes.colors;
  draw_colors(canvas, bar, colors);
  const int s = bar.stroke;
  canvas->frame(colors, s, theme.line);
  for (std::size_t i = 0; i < bar.marks.size(); ++i) {
    const Rect& box = boxes.marks[i];
    const TextBitmap& text = bar.marks[i].text;
    canvas->text(text, box.x + text.pen_x, box.y + text.pen_y, theme.muted);
    const int offset = bar.marks[i].offset;
    canvas->fill(bar.upright ? Rect{colors.right() + s, colors.bottom() - s - offset, 4 * s, s}
                             : Rect{colors.x + offset, colors.bottom() + s, s, 4 * s},
                 theme.muted);
  }
  const TextBitmap& title = bar.title;
  canvas->text(title, boxes.title.x + title.pen_x, boxes.title.y + title.pen_y, theme.muted);
  return colors;
}

}  // namespace mha::render
