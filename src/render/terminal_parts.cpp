#include "terminal_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "mha/base/text.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/terminal_text.hpp"

#include "cell_painter.hpp"

namespace mha::render {
namespace {

// From nothing to the largest value, by ink.
constexpr std::string_view kRamp = ".,:;-=+*#%@";
constexpr std::string_view kDivergingRamp = "@#+=-.-=+#@";
constexpr char kMaskedMark = ' ';
constexpr char kFullyMaskedMark = '/';
constexpr char kNonFiniteMark = '!';
constexpr char kMissingMark = '?';
constexpr std::size_t kBarColumns = 12;
constexpr std::size_t kLeastNumberWidth = 4;

char mark_of(float value, CellState state, const ValueScale& scale, std::string_view ramp) {
  if (state == CellState::kMissing) return kMissingMark;
  if (state == CellState::kFullyMasked) return kFullyMaskedMark;
  if (state == CellState::kMasked) return kMaskedMark;
  if (!std::isfinite(value)) return kNonFiniteMark;
  const double steps = static_cast<double>(ramp.size()) - 1;
  return ramp[static_cast<std::size_t>(scale.position(value) * steps + 0.5)];
}

std::string_view ramp_of(const ColorScale& colors) {
  return is_diverging(colors) ? kDivergingRamp : kRamp;
}

// Cells that are fully masked are hatched in pictures; here every second unit is darker.
Rgb painted_color(Rgb color, CellState state, std::size_t column, std::size_t unit,
                  const Theme& theme) {
  if (state != CellState::kFullyMasked) return color;
  return (column + unit) % 3 == 0 ? theme.hatch : color;
}

class CellBrush {
 public:
  CellBrush(const CellGrid& cells, const ColorScale& colors, const Theme& theme)
      : cells_(cells),
        colors_(colors),
        theme_(theme),
        map_(colormap_named(colors.colormap, theme.dark)),
        shared_(colors) {}

  ValueScale scale_of(std::size_t row) const {
    if (colors_.kind != ScaleKind::kRow) return shared_;
    const std::span<const float> values(&cells_.values[row * cells_.cols], cells_.cols);
    if (cells_.states.empty()) return row_scale(values, {});
    return row_scale(values, {&cells_.states[row * cells_.cols], cells_.cols});
  }
  Rgb color(std::size_t i, const ValueScale& scale) const {
    return cell_color(cells_.values[i], cells_.state(i), scale, map_, theme_);
  }

 private:
  const CellGrid& cells_;
  const ColorScale& colors_;
  const Theme& theme_;
  const Colormap& map_;
  const ValueScale shared_;
};

void paint_marks(TerminalScreen* screen, const CellGrid& cells, const ColorScale& colors,
                 const TerminalPlace& place, const CellBrush& brush) {
  for (std::size_t r = 0; r < cells.rows; ++r) {
    const ValueScale scale = brush.scale_of(r);
    for (std::size_t c = 0; c < cells.cols; ++c) {
      const std::size_t i = r * cells.cols + c;
      const char mark = mark_of(cells.values[i], cells.state(i), scale, ramp_of(colors));
      const std::size_t column = place.column + c * place.cell_width;
      for (std::size_t y = 0; y < place.cell_height; ++y) {
        screen->text(column, place.unit + r * place.cell_height + y,
                     std::string(place.cell_width, mark));
      }
    }
  }
}

void paint_pixels(TerminalScreen* screen, const CellGrid& cells, const TerminalPlace& place,
                  const CellBrush& brush, const Theme& theme) {
  for (std::size_t r = 0; r < cells.rows; ++r) {
    const ValueScale scale = brush.scale_of(r);
    for (std::size_t c = 0; c < cells.cols; ++c) {
      const std::size_t i = r * cells.cols + c;
      const Rgb color = brush.color(i, scale);
      for (std::size_t y = 0; y < place.cell_height; ++y) {
        for (std::size_t x = 0; x < place.cell_width; ++x) {
          const std::size_t column = place.column + c * place.cell_width + x;
          const std::size_t unit = place.unit + r * place.cell_height + y;
          screen->pixel(column, unit, painted_color(color, cells.state(i), column, unit, theme));
        }
      }
    }
  }
}

std::string end_text(double value) {
  const bool is_plain = value == 0 || (std::fabs(value) >= 0.01 && std::fabs(value) < 1000);
  std::string text = is_plain ? fixed(value, 2) : number_text(value);
  if (text.find('.') != std::string::npos && is_plain) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text.size() <= 8 ? text : text.substr(0, 8);
}

// A piece of a line.
struct Piece {
  std::string text;
  std::optional<Rgb> color;
  bool is_bar = false;
};

std::size_t pieces_width(const std::vector<Piece>& pieces) {
  std::size_t width = 0;
  for (const Piece& piece : pieces)
    width += piece.is_bar ? kBarColumns : terminal_width(piece.text);
  return width;
}

std::string bar_text(const ColorScale& colors) {
  return is_diverging(colors) ? std::string(kDivergingRamp) : std::string(kRamp);
}

// "0 <bar> 0.97  attention weight  # masked".
std::vector<Piece> scale_pieces(const TerminalHead& head, const TerminalStyle& style,
                                bool has_name) {
  const Rgb muted = style.theme.muted;
  const bool is_row = head.colors.kind == ScaleKind::kRow;
  const ValueScale ends(head.colors);
  const bool is_plain = style.colors == TerminalColors::kNone;
  std::vector<Piece> out;
  out.push_back({(is_row ? "0" : end_text(ends.low())) + " ", muted});
  out.push_back({is_plain ? bar_text(head.colors) : "", std::nullopt, !is_plain});
  out.push_back({" " + (is_row ? "row max" : end_text(ends.high())), muted});
  if (has_name) {
    out.push_back({"  " + scale_title(head.value_name, head.colors), muted});
  } else if (head.colors.kind == ScaleKind::kSqrt || head.colors.kind == ScaleKind::kLog) {
    out.push_back({concat(" (", scale_name(head.colors.kind), ")"), muted});  // never left unsaid
  }
  if (is_plain) {
    if (head.kinds.masked) out.push_back({"  blank: masked", muted});
    if (head.kinds.fully_masked) out.push_back({"  /: fully masked", muted});
    if (head.kinds.non_finite) out.push_back({"  !: not finite", muted});
    if (head.kinds.missing) out.push_back({"  ?: missing", muted});
    return out;
  }
  for (const LegendEntry& entry : entries_for(head.kinds, style.theme)) {
    out.push_back({"  \u2588", entry.hatched ? style.theme.hatch : entry.color});
    out.push_back({" " + entry.text, muted});
  }
  return out;
}

void write_pieces(TerminalScreen* screen, std::size_t column, std::size_t line,
                  const std::vector<Piece>& pieces, const TerminalHead& head,
                  const TerminalStyle& style) {
  const Colormap& map = colormap_named(head.colors.colormap, style.theme.dark);
  for (const Piece& piece : pieces) {
    if (!piece.is_bar) {
      column = screen->text(column, line, piece.text, piece.color);
      continue;
    }
    for (std::size_t i = 0; i < kBarColumns; ++i, ++column) {
      const Rgb color = map[i * (map.size() - 1) / (kBarColumns - 1)];
      screen->pixel(column, 2 * line, color);
      screen->pixel(column, 2 * line + 1, color);
    }
  }
}

std::vector<std::string> wrapped_lines(const std::string& text, std::size_t columns,
                                       const TerminalStyle& style) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split(shown(text, style), ' ')) {
    const std::size_t width = terminal_width(line) + 1 + terminal_width(word);
    if (!line.empty() && width > columns) {
      lines.push_back(std::move(line));
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

// The lines of the head: what stands at the left and at the right of each.
struct HeadLine {
  std::vector<Piece> left;
  std::vector<Piece> right;
};

std::vector<HeadLine> layout_head(const TerminalHead& head, const TerminalStyle& style) {
  constexpr std::size_t kGap = 3;
  const std::string title = cut_to(head.text.title, style.columns, style);
  const std::string caption = cut_to(head.text.caption, style.columns, style);
  const std::vector<Piece> titled{{title, style.theme.foreground}};
  std::vector<Piece> both = titled;
  if (!caption.empty()) both.push_back({"  " + caption, style.theme.muted});
  const std::vector<Piece> captioned{{caption, style.theme.muted}};
  const std::vector<Piece> named = scale_pieces(head, style, true);
  const std::vector<Piece> scale = scale_pieces(head, style, false);
  const auto fits = [&](const std::vector<Piece>& left, const std::vector<Piece>& right) {
    return pieces_width(left) + kGap + pieces_width(right) <= style.columns;
  };
  if (fits(both, named)) return {{both, named}};
  if (fits(both, scale)) return {{both, scale}};
  if (caption.empty()) return {{titled, {}}, {{}, scale}};
  if (fits(titled, named)) return {{titled, named}, {captioned, {}}};
  if (fits(titled, scale)) return {{titled, scale}, {captioned, {}}};
  return {{titled, {}}, {captioned, {}}, {scale, {}}};
}

}  // namespace

std::size_t units_per_line(const TerminalStyle& style) {
  return style.colors == TerminalColors::kNone ? 1 : 2;
}

void paint_terminal_cells(TerminalScreen* screen, const CellGrid& cells, const ColorScale& colors,
                          const TerminalPlace& place, const TerminalStyle& style) {
  const CellBrush brush(cells, colors, style.theme);
  if (style.colors == TerminalColors::kNone) {
    paint_marks(screen, cells, colors, place, brush);
  } else {
    paint_pixels(screen, cells, place, brush, style.theme);
  }
}

void paint_terminal_numbers(TerminalScreen* screen, const CellGrid& cells, const ColorScale& colors,
                            const TerminalPlace& place, const TerminalStyle& style) {
  if (style.colors == TerminalColors::kNone || place.cell_width < kLeastNumberWidth) return;
  const CellBrush brush(cells, colors, style.theme);
  const Rgb zero = zero_color(colors, style.theme.dark);
  const double smallest = worth_writing(cells);
  for (std::size_t i = 0; i < cells.rows * cells.cols; ++i) {
    const std::size_t row = i / cells.cols;
    const std::size_t top = place.unit + row * place.cell_height;
    // The line nearest to the middle whose two halves belong to this cell.
    std::size_t line = (top + (place.cell_height - 1) / 2) / 2;
    if (2 * line < top) ++line;
    if (2 * line + 2 > top + place.cell_height) return;
    if (cells.state(i) != CellState::kValue) continue;
    if (std::fabs(static_cast<double>(cells.values[i])) < smallest) continue;
    const std::string text = cell_number(cells.values[i]);
    if (text.empty() || text.size() + 1 > place.cell_width) continue;
    const std::size_t column =
        place.column + (i % cells.cols) * place.cell_width + (place.cell_width - text.size()) / 2;
    const Rgb under = brush.color(i, brush.scale_of(row));
    screen->text_on(column, line, text, number_color(under, zero), under);
  }
}

std::string shown(const std::string& text, const TerminalStyle& style) {
  return style.unicode ? terminal_safe(text) : to_ascii(text);
}

std::string cut_to(const std::string& text, std::size_t columns, const TerminalStyle& style) {
  return cut_to_columns(shown(text, style), columns, !style.unicode);
}

Rgb kind_ink(int kind, const TerminalStyle& style) {
  if (kind < 0) return style.theme.muted;
  const Rgb color = kind_color(static_cast<std::size_t>(kind));
  return mix(color, style.theme.foreground, style.theme.dark ? 0.15 : 0.35);
}

std::size_t head_lines(const TerminalHead& head, const TerminalStyle& style) {
  return layout_head(head, style).size();
}

std::size_t write_head(TerminalScreen* screen, const TerminalHead& head, std::size_t line,
                       const TerminalStyle& style) {
  for (const HeadLine& part : layout_head(head, style)) {
    screen->reach(line + 1);
    write_pieces(screen, 0, line, part.left, head, style);
    const std::size_t width = pieces_width(part.right);
    const std::size_t column = part.left.empty() ? 0 : style.columns - width;
    if (width > 0) write_pieces(screen, column, line, part.right, head, style);
    ++line;
  }
  return line;
}

std::size_t note_lines(const std::vector<std::string>& notes, const TerminalStyle& style) {
  std::size_t lines = 0;
  for (const std::string& note : notes) lines += wrapped_lines(note, style.columns, style).size();
  return lines;
}

std::size_t write_notes(TerminalScreen* screen, const std::vector<std::string>& notes,
                        std::size_t line, const TerminalStyle& style) {
  for (const std::string& note : notes) {
    for (const std::string& text : wrapped_lines(note, style.columns, style)) {
      screen->text(0, line++, text, style.theme.muted);
    }
  }
  return line;
}

std::string pool_note(std::size_t pool, bool is_pooled_already) {
  return concat(
      is_pooled_already ? "shown here: the maximum of " : "each cell shows the maximum of ", pool,
      " x ", pool, is_pooled_already ? " such cells" : " weights");
}

}  // namespace mha::render
