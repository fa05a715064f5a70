#include "mha/render/lines.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "mha/base/error.hpp"

#include "page.hpp"

namespace mha::render {
namespace {

constexpr double kPitch = 24;        // of lines of tokens
constexpr double kColumns = 320;     // px between the two columns
constexpr double kWordGap = 18;      // between words under arcs
constexpr double kSteepest = 0.42;   // height of an arc, of its span
constexpr double kHighestArc = 300;  // px
constexpr double kWidest = 3.2;      // px, of the strongest line
constexpr double kThinnest = 0.7;
constexpr double kFaintest = 0.12;

struct Strength {
  double width = 1;
  double opacity = 1;
};

Strength strength_of(double weight, double largest, const Sizes& sizes) {
  const double part = largest > 0 ? std::clamp(weight / largest, 0.0, 1.0) : 0;
  return {sizes.scale * (kThinnest + (kWidest - kThinnest) * part),
          kFaintest + (1 - kFaintest) * part};
}

// Weak lines first, so that strong ones lie on top; the same order for equal weights on every run.
std::vector<LinesFigure::Line> weak_first(std::vector<LinesFigure::Line> lines) {
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.weight < b.weight; });
  return lines;
}

std::vector<TextBitmap> set_labels(const Axis& axis, const Sizes& sizes, Typesetter& type) {
  TextStyle text = sizes.label();
  text.max_width = sizes.longest_label();
  std::vector<TextBitmap> out;
  for (const std::string& label : axis.labels) out.push_back(type.set(label, text));
  return out;
}

int widest(const std::vector<TextBitmap>& labels) {
  int width = 0;
  for (const TextBitmap& label : labels) width = std::max(width, advance_px(label));
  return width;
}

// Queries on the left, keys on the right.
class Columns {
 public:
  Columns(const LinesFigure& figure, const PictureStyle& style, Typesetter& type)
      : figure_(figure),
        style_(style),
        type_(type),
        sizes_(style),
        queries_(set_labels(figure.queries, sizes_, type)),
        keys_(set_labels(figure.keys, sizes_, type)),
        query_title_(type.set(figure.queries.title, sizes_.axis_title(0))),
        key_title_(type.set(figure.keys.title, sizes_.axis_title(0))),
        pitch_(sizes_.px(kPitch)),
        left_(sizes_.margin() + std::max(widest(queries_), advance_px(query_title_))),
        right_(left_ + std::max(sizes_.px(24), sizes_.px(style.area * kColumns))) {}

  Drawing draw() const;

 private:
  // The middle of a token's line, below the first one's top. The shorter column is centred.
  double middle(std::size_t token, std::size_t n) const {
    const auto most = static_cast<double>(std::max(queries_.size(), keys_.size()));
    return pitch_ * (static_cast<double>(token) + 0.5 + (most - static_cast<double>(n)) / 2);
  }
  void draw_lines(Canvas* canvas, int top) const;
  void draw_tokens(Canvas* canvas, int top) const;

  const LinesFigure& figure_;
  const PictureStyle& style_;
  Typesetter& type_;
  Sizes sizes_;
  std::vector<TextBitmap> queries_;
  std::vector<TextBitmap> keys_;
  TextBitmap query_title_;
  TextBitmap key_title_;
  int pitch_;
  int left_;   // where lines begin ...
  int right_;  // ... and end, less a gap each
};

Drawing Columns::draw() const {
  const int end = right_ + std::max(widest(keys_), advance_px(key_title_));
  const Page page(figure_.text, {}, end - sizes_.margin(), 0, style_, type_);
  const int top = page.body_top() + sizes_.px(26);
  const auto n = static_cast<int>(std::max(queries_.size(), keys_.size()));
  const int bottom = top + n * pitch_;
  Canvas canvas(page.width(end), page.height(bottom), style_);
  const int titles = top - sizes_.px(10);
  canvas.text(query_title_, left_ - advance_px(query_title_), titles, style_.theme.muted);
  canvas.text(key_title_, right_, titles, style_.theme.muted);
  draw_lines(&canvas, top);
  draw_tokens(&canvas, top);
  page.draw(&canvas, bottom, style_.theme);
  return canvas.take();
}

void Columns::draw_lines(Canvas* canvas, int top) const {
  const double x0 = left_ + sizes_.px(6), x1 = right_ - sizes_.px(6);
  const double third = (x1 - x0) / 3;
  for (const LinesFigure::Line& line : weak_first(figure_.lines)) {
    const double y0 = top + middle(line.query, queries_.size());
    const double y1 = top + middle(line.key, keys_.size());
    const double rise = (y1 - y0) / 3;
    const Strength strength = strength_of(line.weight, figure_.largest, sizes_);
    canvas->curve({{{{x0, y0}, {x0 + third, y0 + rise}, {x1 - third, y1 - rise}, {x1, y1}}},
                   strength.width,
                   strength.opacity,
                   style_.theme.accent});
  }
}

void Columns::draw_tokens(Canvas* canvas, int top) const {
  const double half = type_.metrics(sizes_.label().px).x_height / 2;
  const auto baseline = [&](std::size_t i, std::size_t n) {
    return top + static_cast<int>(std::lround(middle(i, n) + half));
  };
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    canvas->text(queries_[i], left_ - advance_px(queries_[i]), baseline(i, queries_.size()),
                 style_.theme.foreground);
  }
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    canvas->text(keys_[i], right_, baseline(i, keys_.size()), style_.theme.foreground);
  }
}

// One line of tokens, with arcs above and below.
class Arcs {
 public:
  Arcs(const LinesFigure& figure, const PictureStyle& style, Typesetter& type);
  Drawing draw() const;

 private:
  double height_of(const LinesFigure::Line& line) const;
  CurveOp curve_of(const LinesFigure::Line& line, int baseline) const;

  const LinesFigure& figure_;
  const PictureStyle& style_;
  Typesetter& type_;
  Sizes sizes_;
  std::vector<TextBitmap> tokens_;
  std::vector<int> pens_;
  std::vector<double> centers_;
  int right_ = 0;
  int rise_ = 0;   // from the baseline to where arcs above begin
  int drop_ = 0;   // likewise below
  int above_ = 0;  // height of the arcs
  int below_ = 0;
};

Arcs::Arcs(const LinesFigure& figure, const PictureStyle& style, Typesetter& type)
    : figure_(figure),
      style_(style),
      type_(type),
      sizes_(style),
      tokens_(set_labels(figure.queries, sizes_, type)) {
  const LineMetrics metrics = type.metrics(sizes_.label().px);
  rise_ = static_cast<int>(std::ceil(metrics.cap_height)) + sizes_.px(6);
  drop_ = static_cast<int>(std::ceil(metrics.descent)) + sizes_.px(4);
  int x = sizes_.margin();
  for (const TextBitmap& token : tokens_) {
    pens_.push_back(x);
    centers_.push_back(x + token.advance / 2);
    right_ = x + advance_px(token);
    x = right_ + std::max(sizes_.px(5), sizes_.px(style.area * kWordGap));
  }
  for (const LinesFigure::Line& line : figure.lines) {
    const auto height = static_cast<int>(std::ceil(0.75 * height_of(line)));
    int& side = line.key <= line.query ? above_ : below_;
    side = std::max(side, height + sizes_.px(4));
  }
}

// Of the middle points of the curve, which rises to three quarters of it.
double Arcs::height_of(const LinesFigure::Line& line) const {
  const double most = kHighestArc * sizes_.scale;
  if (line.key == line.query) return 22 * sizes_.scale;
  const double span = std::fabs(centers_[line.key] - centers_[line.query]);
  // Steep at first, then slower: long arcs stay apart, and on the page.
  return most * (1 - std::exp(-kSteepest * 4 / 3 * span / most)) + 10 * sizes_.scale;
}

CurveOp Arcs::curve_of(const LinesFigure::Line& line, int baseline) const {
  const bool up = line.key <= line.query;
  const double y = up ? baseline - rise_ : baseline + drop_;
  const double top = up ? y - height_of(line) : y + height_of(line);
  double x0 = centers_[line.query], x1 = centers_[line.key];
  const double aside = line.query == line.key ? 8 * sizes_.scale : 0;
  const Strength strength = strength_of(line.weight, figure_.largest, sizes_);
  return {{{{x0, y}, {x0 - aside, top}, {x1 + aside, top}, {x1, y}}},
          strength.width,
          strength.opacity,
          style_.theme.accent};
}

Drawing Arcs::draw() const {
  const Page page(figure_.text, {}, right_ - sizes_.margin(), 0, style_, type_);
  const int baseline = page.body_top() + above_ + rise_;
  const int bottom = baseline + drop_ + below_;
  Canvas canvas(page.width(right_), page.height(bottom), style_);
  for (const LinesFigure::Line& line : weak_first(figure_.lines)) {
    canvas.curve(curve_of(line, baseline));
  }
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    canvas.text(tokens_[i], pens_[i], baseline, style_.theme.foreground);
  }
  page.draw(&canvas, bottom, style_.theme);
  return canvas.take();
}

void check(const LinesFigure& figure) {
  const std::size_t n_query = figure.queries.labels.size();
  const std::size_t n_key = figure.arcs ? n_query : figure.keys.labels.size();
  const bool fits = n_query > 0 && n_key > 0 &&
                    std::all_of(figure.lines.begin(), figure.lines.end(), [&](const auto& line) {
                      return line.query < n_query && line.key < n_key;
                    });
  if (!fits) throw Error(ErrorKind::kInternal, "a line between tokens that are not there");
}

}  // namespace

Drawing draw_lines(const LinesFigure& figure, const PictureStyle& style, Typesetter& typesetter) {
  check(figure);
  const auto drawn = [&](const PictureStyle& tried) {
    return figure.arcs ? Arcs(figure, tried, typesetter).draw()
                       : Columns(figure, tried, typesetter).draw();
  };
  return drawn(fit_width(style, [&](const PictureStyle& tried) { return drawn(tried).width; }));
}

}  // namespace mha::render
