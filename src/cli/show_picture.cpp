#include "show_picture.hpp"

#include <algorithm>
#include <cstdlib>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"
#include "mha/render/grid.hpp"
#include "mha/render/heatmap.hpp"
#include "mha/render/png.hpp"
#include "mha/render/terminal_graphics.hpp"

#include "figures.hpp"
#include "memory_check.hpp"
#include "score_output.hpp"
#include "score_report.hpp"
#include "score_table.hpp"
#include "selection.hpp"
#include "summary.hpp"

namespace mha::cli {
namespace {

// What a character measures in pixels where the terminal does not say.
constexpr std::size_t kCharacterWidth = 8;
constexpr std::size_t kCharacterHeight = 16;
// Columns of score_table that a narrow window does without, the last of these first.
constexpr const char* kRanked[] = {
    "", "entropy", "previous", "self", "next", "first_token", "distance", "runner-up", "from"};

Graphics graphics_named(const std::string& name) {
  if (name == "kitty") return Graphics::kKitty;
  if (name == "sixel") return Graphics::kSixel;
  return name == "blocks" ? Graphics::kBlocks : Graphics::kAscii;
}

// "15;0" of terminals that set COLORFGBG: the last number is the background.
bool is_dark_by_variable() {
  const char* value = std::getenv("COLORFGBG");
  if (value == nullptr) return true;
  const std::string last = split(value, ';').back();
  return last != "7" && last != "15";
}

int rank_of(const std::string& column) {
  const auto* const found = std::ranges::find(kRanked, column);
  return found == std::end(kRanked) ? 0 : static_cast<int>(found - std::begin(kRanked)) + 1;
}

render::TerminalTable make_table(const ScoreRun& run, const std::vector<std::string>& kinds,
                                 bool unicode) {
  ScoreView view;
  view.thresholds = default_thresholds();
  render::TerminalTable table;
  for (const std::string& name : head_columns(view)) {
    const bool is_text = name == "head" || name == "label" || name.empty() || name == "runner-up";
    const bool is_colored = name == "label" || name.empty();
    const int rank = name == "score" ? 0 : rank_of(name);
    table.columns.push_back({name, !is_text, is_colored, rank});
  }
  for (const ScoredHead& head : ordered_heads(run, view)) {
    render::TerminalTable::Row row{head_cells(head, view, unicode)};
    const auto kind = std::ranges::find(kinds, label_text(head.label.name));
    if (head.label.is_clear() && kind != kinds.end()) {
      row.kind = static_cast<int>(kind - kinds.begin());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::size_t width_px(const TerminalView& view) {
  if (view.size.width_px > 0) return view.size.width_px;
  return view.answer.width_px > 0 ? view.answer.width_px : view.size.columns * kCharacterWidth;
}

std::size_t height_px(const TerminalView& view) {
  if (view.size.height_px > 0) return view.size.height_px;
  return view.answer.height_px > 0 ? view.answer.height_px : view.size.lines * kCharacterHeight;
}

}  // namespace

TerminalView choose_view(const ShowOptions& options) {
  TerminalView view;
  view.is_terminal = stdout_is_terminal();
  view.size = terminal_size();
  const std::string& wanted = options.graphics;
  if (!view.is_terminal) {
    if (wanted != "auto" && wanted != "ascii") {
      fail_usage("--graphics " + wanted + ": stdout is no terminal",
                 "without it text is printed; draw -o FILE.png writes a picture");
    }
    return view;
  }
  const bool has_colors = terminal_colors() != render::TerminalColors::kNone;
  const bool asks_graphics =
      wanted == "kitty" || wanted == "sixel" || (wanted == "auto" && has_colors);
  const bool asks_theme = wanted != "ascii" && options.picture.theme == "auto" && has_colors;
  if (asks_graphics || asks_theme) view.answer = ask_terminal();
  view.is_dark = view.answer.is_dark.value_or(is_dark_by_variable());
  if (wanted != "auto") {
    view.graphics = graphics_named(wanted);
  } else {
    view.graphics = !has_colors             ? Graphics::kAscii
                    : view.answer.has_kitty ? Graphics::kKitty
                    : view.answer.has_sixel ? Graphics::kSixel
                                            : Graphics::kBlocks;
  }
  return view;
}

// One input on its way to a picture.
class ShowPicture::Drawing {
 public:
  Drawing(const OpenedInput& input, const ShowOptions& options, const TerminalView& view,
          std::size_t lines, render::Typesetter& typesetter)
      : input_(input),
        options_(options),
        view_(view),
        lines_(lines),
        typesetter_(typesetter),
        picture_(options.picture),
        heads_(select_heads(input, options.selection)),
        analysis_(*input.rows, heads_.slots, select_queries(input, options.selection)),
        traits_(make_traits(input)),
        scores_(heads_.slots.size(), &traits_) {
    if (picture_.theme == "auto") picture_.theme = view.is_dark ? "dark" : "light";
    style_.columns = view.size.columns;
    style_.lines = view.is_terminal ? lines : 0;
    style_.is_strict = options.watch;
    style_.theme = render::theme_named(picture_.theme);
    style_.unicode = view.is_terminal ? is_utf8_locale(false) : is_utf8_locale(true);
    if (view.graphics == Graphics::kBlocks) {
      style_.unicode = true;
      style_.colors = terminal_colors();
      // Asked for by name: then there are colours, whatever the terminal says of itself.
      if (style_.colors == render::TerminalColors::kNone) {
        style_.colors = render::TerminalColors::k256;
      }
    }
  }

  std::string draw(Console& console, bool has_progress) {
    return is_picture() ? draw_picture(console, has_progress) : draw_text(console, has_progress);
  }
  std::vector<std::string> warnings() const {
    return number_warnings(scores_, input_, heads_.slots.size());
  }

 private:
  bool is_picture() const {
    return view_.graphics == Graphics::kKitty || view_.graphics == Graphics::kSixel;
  }
  bool is_one() const { return heads_.slots.size() == 1; }
  std::string draw_text(Console& console, bool has_progress);
  std::string draw_picture(Console& console, bool has_progress);
  render::Image image_within(int width, int height, Console& console, bool has_progress);
  HeadFigures figures(std::vector<CellMap> maps, const MapWindow& window,
                      const HeadScoresAccumulator* scores);
  HeadFigures run(const MapWindow& window, Console& console, bool has_progress);
  std::size_t find_pool(MapWindow window);

  const OpenedInput& input_;
  const ShowOptions& options_;
  const TerminalView& view_;
  const std::size_t lines_;
  render::Typesetter& typesetter_;
  PictureOptions picture_;
  const SelectedHeads heads_;
  Analysis analysis_;
  const TokenTraits traits_;
  HeadScoresAccumulator scores_;
  render::TerminalStyle style_;
};

HeadFigures ShowPicture::Drawing::figures(std::vector<CellMap> maps, const MapWindow& window,
                                          const HeadScoresAccumulator* scores) {
  return {{input_, heads_, scores, std::move(maps), window, analysis_.queries()},
          picture_,
          typesetter_};
}

// The pooling that the window asks for, found with cells that have sizes and no values yet.
std::size_t ShowPicture::Drawing::find_pool(MapWindow window) {
  window.pool = 1;
  const std::size_t n_key = input_.key_tokens.size();
  std::vector<CellMap> maps(heads_.slots.size());
  for (std::size_t s = 0; s < maps.size(); ++s) {
    maps[s].rows = analysis_.n_queries_of(s);
    maps[s].cols = window.end_of(n_key) - window.first_key;
  }
  const HeadFigures sizes = figures(std::move(maps), window, nullptr);
  return is_one() ? render::terminal_pool(sizes.head_figure(), style_)
                  : render::terminal_pool(sizes.overview_figure(), style_);
}

HeadFigures ShowPicture::Drawing::run(const MapWindow& window, Console& console,
                                      bool has_progress) {
  MemoryPlan plan;
  plan.draws = true;
  plan.window = window;
  plan.style = picture_style(picture_);
  const BlockPlan blocks = plan_memory(input_, analysis_, plan, options_.resources);
  CellMapsAccumulator maps(analysis_, window);
  analysis_.attach(&scores_);
  analysis_.attach(&maps);
  std::uint64_t total_rows = 0;
  for (std::size_t s = 0; s < heads_.slots.size(); ++s) total_rows += analysis_.n_queries_of(s);
  ProgressBar progress(console, total_rows);
  if (has_progress && console.shows_progress()) analysis_.attach(&progress);
  StreamOptions stream;
  stream.n_threads = blocks.n_threads;
  stream.block_rows = blocks.block_rows;
  analysis_.run(stream);
  check_mapped_files();
  std::vector<CellMap> cells;
  for (std::size_t s = 0; s < heads_.slots.size(); ++s) cells.push_back(maps.take(s));
  return figures(std::move(cells), window, &scores_);
}

std::string ShowPicture::Drawing::draw_text(Console& console, bool has_progress) {
  MapWindow window = map_window(picture_, options_.selection, analysis_);
  window.pool = find_pool(window);
  const HeadFigures found = run(window, console, has_progress);
  if (is_one()) return render::draw_terminal(found.head_figure(), style_);
  const render::GridFigure figure = found.overview_figure();
  render::TerminalTable table;
  if (!options_.no_table) {
    ScoreRun scored;
    scored.totals = totals_of(input_, heads_, scores_);
    table = make_table(scored, figure.kinds, style_.unicode);
  }
  return render::draw_terminal(figure, table, style_);
}

render::Image ShowPicture::Drawing::image_within(int width, int height, Console& console,
                                                 bool has_progress) {
  // Labels, titles and the colour bar stand around the cells.
  const int cells = std::max(64, std::min(width, height) * 3 / 4);
  picture_.max_size = static_cast<std::size_t>(cells);
  const HeadFigures found =
      run(map_window(picture_, options_.selection, analysis_), console, has_progress);
  const render::PictureStyle style = picture_style(picture_);
  const render::Drawing drawing =
      is_one() ? render::draw_heatmap(found.head_figure(), style, typesetter_)
               : render::draw_grid(found.overview_figure(), style, typesetter_);
  return render::shrunk_to_fit(render::rasterize(drawing), width, height);
}

std::string ShowPicture::Drawing::draw_picture(Console& console, bool has_progress) {
  const std::size_t line = height_px(view_) / view_.size.lines;
  const auto height = static_cast<int>(std::max<std::size_t>(line * lines_, 32));
  const auto width = static_cast<int>(std::max<std::size_t>(width_px(view_), 32));
  const render::Image image = image_within(width, height, console, has_progress);
  if (view_.graphics == Graphics::kSixel) return render::encode_sixel(image) + "\n";
  return render::encode_kitty(render::encode_png(image)) + "\n";
}

ShowPicture::ShowPicture(const ShowOptions& options, Console& console)
    : options_(options), console_(console), typesetter_(make_typesetter(options.picture)) {
  PictureOptions checked = options.picture;
  if (checked.theme == "auto") checked.theme = "dark";
  picture_style(checked);
  parse_range(checked.range);
}

std::string ShowPicture::draw(const OpenedInput& input, const TerminalView& view,
                              std::size_t lines) {
  Drawing drawing(input, options_, view, lines, *typesetter_);
  std::string out = drawing.draw(console_, !options_.watch);
  warnings_ = drawing.warnings();
  return out;
}

}  // namespace mha::cli
