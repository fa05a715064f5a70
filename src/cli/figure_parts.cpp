#include "figure_parts.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/error.hpp"
#include "mha/io/file.hpp"
#include "mha/io/system_fonts.hpp"
#include "mha/render/figure_file.hpp"
#include "mha/text/tokens.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kLargestFont = std::size_t{256} << 20;

render::FontData load_font(const std::string& path, int face_index) {
  auto file = std::make_shared<FileBytes>(FileBytes::open(path, kLargestFont));
  return {file, file->bytes(), face_index};
}

std::optional<render::FontData> find_system_font(char32_t code_point) {
  const std::optional<FontLocation> location = find_font_with(code_point);
  if (!location) return std::nullopt;
  try {
    return load_font(location->path, location->face_index);
  } catch (const Error&) {
    return std::nullopt;  // a font that cannot be read is as good as none
  }
}

render::CellState to_state(MapCell cell) {
  switch (cell) {
    case MapCell::kValue:
      return render::CellState::kValue;
    case MapCell::kMasked:
      return render::CellState::kMasked;
    case MapCell::kFullyMasked:
      return render::CellState::kFullyMasked;
    case MapCell::kMissing:
      return render::CellState::kMissing;
  }
  return render::CellState::kMissing;
}

}  // namespace

render::CellGrid to_grid(CellMap map) {
  render::CellGrid grid;
  grid.rows = map.rows;
  grid.cols = map.cols;
  grid.values = std::move(map.values);
  const bool all_values =
      std::ranges::all_of(map.cells, [](MapCell cell) { return cell == MapCell::kValue; });
  if (!all_values) {
    grid.states.reserve(map.cells.size());
    for (MapCell cell : map.cells) grid.states.push_back(to_state(cell));
  }
  return grid;
}

double largest_value(const render::CellGrid& grid) {
  float largest = 0;
  for (std::size_t i = 0; i < grid.values.size(); ++i) {
    const float value = grid.values[i];
    if (grid.state(i) == render::CellState::kValue && std::isfinite(value)) {
      largest = std::max(largest, value);
    }
  }
  return static_cast<double>(largest);
}

render::Axis make_axis(const char* title, const std::vector<std::string>& tokens,
                       std::size_t pool) {
  render::Axis axis{title, {}, pool, 0};
  const std::string& first = tokens.front();
  const auto is_number = [](char c) { return c >= '0' && c <= '9'; };
  constexpr std::size_t kMostDigits = 9;
  if (first.size() <= kMostDigits && std::ranges::all_of(first, is_number)) {
    axis.first = std::stoul(first);
    std::size_t i = 0;
    while (i < tokens.size() && tokens[i] == std::to_string(axis.first + i)) ++i;
    if (i == tokens.size()) return axis;
    axis.first = 0;
  }
  axis.labels = display_tokens(tokens);
  return axis;
}

HeadPlaces head_places(const std::vector<std::size_t>& layers,
                       const std::vector<std::string>& names) {
  HeadPlaces out;
  std::vector<std::size_t> cols;
  std::vector<std::size_t> rows;
  for (std::size_t h = 0; h < names.size(); ++h) {
    const bool is_new = h == 0 || layers[h] != layers[h - 1];
    if (is_new) out.rows.push_back(names[h].substr(0, names[h].find_first_of("Hm")));
    rows.push_back(out.rows.size() - 1);
    cols.push_back(is_new ? 0 : cols.back() + 1);
    out.cols.resize(std::max(out.cols.size(), cols.back() + 1));
  }
  std::vector<bool> agrees(out.cols.size(), true);
  for (std::size_t h = 0; h < names.size(); ++h) {
    const std::string head = names[h].substr(names[h].find_first_of("Hm"));
    std::string& column = out.cols[cols[h]];
    agrees[cols[h]] = agrees[cols[h]] && (column.empty() || column == head);
    column = head;
    out.panels.push_back(rows[h] * out.cols.size() + cols[h]);
  }
  for (std::size_t c = 0; c < agrees.size(); ++c) {
    if (!agrees[c]) out.cols[c].clear();
  }
  return out;
}

std::vector<std::uint8_t> picture_file(const render::Drawing& drawing,
                                       const PictureOptions& options) {
  const auto format = options.format.empty() ? render::FigureFormat::kPng
                                             : render::figure_format_named(options.format);
  return render::encode_figure(drawing, format);
}

std::string picture_ending(const PictureOptions& options) {
  return "." + (options.format.empty() ? "png" : options.format);
}

bool names_picture(const std::string& file) {
  return std::ranges::any_of(render::figure_format_names(), [&](const std::string& format) {
    return file.ends_with("." + format);
  });
}

PictureOptions with_format_of(const std::string& file, PictureOptions options) {
  if (options.format.empty() && names_picture(file)) {
    options.format = file.substr(file.rfind('.') + 1);
  }
  return options;
}

std::unique_ptr<render::Typesetter> make_typesetter(const PictureOptions& options) {
  std::optional<render::FontData> primary;
  render::FontProvider fallback;
  if (!options.no_system_fonts) fallback = find_system_font;
  if (options.font.empty()) return std::make_unique<render::Typesetter>(primary, fallback);
  primary = load_font(options.font, 0);
  try {
    return std::make_unique<render::Typesetter>(primary, fallback);
  } catch (const Error& error) {
    throw error.at(options.font);
  }
}

}  // namespace mha::cli
