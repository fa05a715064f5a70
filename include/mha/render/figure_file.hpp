// A drawing as the bytes of a file, in any of the formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mha/render/drawing.hpp"

namespace mha::render {

enum class FigureFormat { kPng, kSvg, kPdf };

// "png", "svg", "pdf".
const std::vector<std::string>& figure_format_names();
std::string_view figure_format_name(FigureFormat format);
// Throws Error(kUsage) with a suggestion for another name.
FigureFormat figure_format_named(std::string_view name);

// The same drawing gives the same bytes.
std::vector<std::uint8_t> encode_figure(const Drawing& drawing, FigureFormat format);

// Pages of 72 points an inch: how many points a pixel of the drawing has.
double points_per_pixel(const Drawing& drawing);

// Matrices with more cells than this (all of a drawing together) are pictures in a vector file, a
// pixel a cell, and their numbers are left out.
inline constexpr std::size_t kMostVectorCells = 40000;
bool has_too_many_cells(const Drawing& drawing);

// A pixel a cell.
Image cells_image(const CellsOp& cells);

}  // namespace mha::render
