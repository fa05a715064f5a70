// One head as lines between tokens.
#pragma once

#include <cstdint>
#include <vector>

#include "mha/analysis/top_edges.hpp"

#include "figure_parts.hpp"
#include "inputs.hpp"
#include "selection.hpp"

namespace mha::cli {

struct HeadLines {
  const OpenedInput& input;
  const SelectedHeads& heads;  // of one head
  const HeadScoresAccumulator& scores;
  const TopEdges& edges;
  const DrawOptions& options;
};

// Refuses what cannot be drawn as lines; before the work.
void check_lines(const OpenedInput& input, const DrawOptions& options, std::size_t n_queries);

std::vector<std::uint8_t> lines_picture(const HeadLines& head, render::Typesetter& typesetter);

}  // namespace mha::cli
