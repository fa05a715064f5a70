#include "mha/render/sheet.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"

#include "page.hpp"
#include "sheet_panel.hpp"

namespace mha::render {
namespace {

constexpr double kColumnGap = 40;
constexpr double kRowGap = 30;
constexpr double kHeadingPx = 22;
constexpr double kNarrowestPanel = 300;  // fewer share a row where they would be narrower

// Everything set and measured, before anything is drawn.
class Sheet {
 public:
  Sheet(const SheetFigure& figure, const PictureStyle& style, Typesetter& type);

  Drawing draw() const;
  SheetLayout layout() const;

 private:
  struct Row {
    TextBlock heading;
    std::vector<std::unique_ptr<SheetPanelBox>> panels;
    int panel_width = 0;
    int head_height = 0;
    int height = 0;  // of the panels
  };

  void add_row(const SheetRow& row, Typesetter& type);
  void add_row(const std::string& heading, std::span<const SheetPanel> panels, Typesetter& type);
  int body_width() const {
    return sizes_.px(style_.area * static_cast<double>(width_)) - 2 * sizes_.margin();
  }
  int heading_height(const Row& row) const;
  int panel_x(const Row& row, std::size_t panel) const;
  // Of the rows, and of pictures that do not fit into them.
  int body_right() const;
  // Tops of the rows, and at the end where the body ends.
  std::vector<int> tops() const;

  const PictureStyle& style_;
  Sizes sizes_;
  std::size_t width_;
  std::vector<Row> rows_;
  CellKinds kinds_;
  std::unique_ptr<Page> page_;
};

Sheet::Sheet(const SheetFigure& figure, const PictureStyle& style, Typesetter& type)
    : style_(style), sizes_(style), width_(figure.width) {
  for (const SheetRow& row : figure.rows) add_row(row, type);
  page_ = std::make_unique<Page>(figure.text, entries_for(kinds_, style.theme), body_width(), 0,
                                 style, type);
}

// A row, or in a narrow sheet as many as its panels need.
void Sheet::add_row(const SheetRow& from, Typesetter& type) {
  if (from.panels.empty()) throw Error(ErrorKind::kInternal, "a row of a sheet without panels");
  const int gap = sizes_.px(kColumnGap);
  const int side_by_side = (body_width() + gap) / (sizes_.px(kNarrowestPanel) + gap);
  const std::size_t n = from.panels.size();
  const auto most =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(side_by_side, 1)), 1, n);
  const std::size_t n_rows = ceil_div(n, most);
  const std::span<const SheetPanel> panels(from.panels);
  for (std::size_t r = 0; r < n_rows; ++r) {
    const std::size_t first = r * n / n_rows;
    const std::size_t end = (r + 1) * n / n_rows;
    add_row(r == 0 ? from.heading : "", panels.subspan(first, end - first), type);
  }
}

void Sheet::add_row(const std::string& heading, std::span<const SheetPanel> panels,
                    Typesetter& type) {
  Row row;
  const int gap = sizes_.px(kColumnGap);
  const auto n = static_cast<int>(panels.size());
  row.panel_width = (body_width() - (n - 1) * gap) / n;
  row.heading =
      set_block(heading, {.px = kHeadingPx * sizes_.scale, .bold = true}, body_width(), type);
  for (const SheetPanel& panel : panels) {
    kinds_.add(panel.picture.cells);
    row.panels.push_back(
        std::make_unique<SheetPanelBox>(panel, row.panel_width, panels.size(), style_, type));
    row.head_height = std::max(row.head_height, row.panels.back()->head_height());
  }
  for (const auto& panel : row.panels) {
    row.height = std::max(row.height, panel->height(row.head_height));
  }
  rows_.push_back(std::move(row));
}

int Sheet::heading_height(const Row& row) const {
  return row.heading.lines.empty() ? 0 : row.heading.height() + sizes_.px(14);
}

int Sheet::panel_x(const Row& row, std::size_t panel) const {
  return sizes_.margin() + static_cast<int>(panel) * (row.panel_width + sizes_.px(kColumnGap));
}

int Sheet::body_right() const {
  int right = sizes_.margin() + body_width();
  for (const Row& row : rows_) {
    for (std::size_t p = 0; p < row.panels.size(); ++p) {
      right = std::max(right, panel_x(row, p) + row.panels[p]->least_width());
    }
  }
  return right;
}

std::vector<int> Sheet::tops() const {
  std::vector<int> out{page_->body_top()};
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const int gap = r + 1 < rows_.size() ? sizes_.px(kRowGap) : 0;
    out.push_back(out.back() + heading_height(rows_[r]) + rows_[r].height + gap);
  }
  return out;
}

Drawing Sheet::draw() const {
  const std::vector<int> top = tops();
  Canvas canvas(page_->width(body_right()), page_->height(top.back()), style_);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    const int y = top[r] + heading_height(row);
    if (r > 0) {
      const int line = top[r] - sizes_.px(kRowGap) / 2;
      canvas.fill({sizes_.margin(), line, body_width(), sizes_.stroke()}, style_.theme.line);
    }
    draw_block(&canvas, row.heading, sizes_.margin(), top[r], style_.theme.foreground);
    for (std::size_t p = 0; p < row.panels.size(); ++p) {
      row.panels[p]->draw(&canvas, panel_x(row, p), y, row.head_height);
    }
  }
  page_->draw(&canvas, top.back(), style_.theme);
  return canvas.take();
}

SheetLayout Sheet::layout() const {
  const std::vector<int> top = tops();
  const PageBoxes around = page_->boxes(top.back());
  SheetLayout out;
  out.width = page_->width(body_right());
  out.height = page_->height(top.back());
  out.title = around.title;
  out.caption = around.caption;
  out.notes = around.notes;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    if (!row.heading.lines.empty()) {
      out.headings.push_back(block_box(row.heading, sizes_.margin(), top[r]));
    }
    std::vector<SheetPanelLayout> panels;
    for (std::size_t p = 0; p < row.panels.size(); ++p) {
      panels.push_back(
          row.panels[p]->layout(panel_x(row, p), top[r] + heading_height(row), row.head_height));
    }
    out.rows.push_back(std::move(panels));
  }
  return out;
}

}  // namespace

Drawing draw_sheet(const SheetFigure& figure, const PictureStyle& style, Typesetter& typesetter) {
  const PictureStyle fitted = fit_width(style, [&](const PictureStyle& tried) {
    return Sheet(figure, tried, typesetter).layout().width;
  });
  return Sheet(figure, fitted, typesetter).draw();
}

SheetLayout layout_sheet(const SheetFigure& figure, const PictureStyle& style,
                         Typesetter& typesetter) {
  return Sheet(figure, style, typesetter).layout();
}

}  // namespace mha::render
