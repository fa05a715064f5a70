// What each head adds to the output of its layer, and what layers make of tokens together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mha/analysis/contribution.hpp"
#include "mha/analysis/flow.hpp"
#include "mha/analysis/rollout.hpp"
#include "mha/report/json_writer.hpp"
#include "mha/source/source.hpp"

#include "figure_parts.hpp"
#include "selection.hpp"

namespace mha::cli {

// Shares and ablation of the selected heads (means of a layer are left out).
struct HeadContributions {
  std::vector<std::string> names;
  Matrix share;     // (head, query)
  Matrix ablation;  // (head, query)
  std::vector<CopyingScore> copying;
};

// Why contributions cannot be had for this input, or "".
std::string no_contribution_reason(const OpenedInput& input);
HeadContributions find_contributions(const OpenedInput& input, const SelectedHeads& heads,
                                     const StreamOptions& options);
void write_contributions(const OpenedInput& input, const HeadContributions& contributions,
                         JsonWriter* writer);
std::vector<std::uint8_t> contribution_picture(const OpenedInput& input,
                                               const HeadContributions& contributions,
                                               const PictureOptions& options,
                                               render::Typesetter& typesetter);

// || sum_h A_h[i,j] f_h(x_j) || of one layer, (query, key).
std::vector<std::uint8_t> layer_map_picture(const OpenedInput& input, std::size_t layer_number,
                                            const Matrix& map, const PictureOptions& options,
                                            render::Typesetter& typesetter);

// Rollout and flow through all layers.
struct LayersTogether {
  Rollout rollout;
  std::vector<std::size_t> flow_tokens;
  Flow flow;  // of flow_tokens; empty with a reason where it is too large
  std::string no_flow;
};

// Why there is no rollout for this input, or "". `is_part`: heads, layers or queries were selected.
std::string no_rollout_reason(const OpenedInput& input, bool is_part);
// `tokens`: queries to follow; none: all up to the sizes where that is dense, else the last one.
LayersTogether follow_layers(const OpenedInput& input, const std::vector<std::size_t>& tokens,
                             std::size_t n_threads);
void write_layers_together(const OpenedInput& input, const LayersTogether& layers,
                           JsonWriter* writer);
std::vector<std::uint8_t> rollout_picture(const OpenedInput& input, const LayersTogether& layers,
                                          const PictureOptions& options,
                                          render::Typesetter& typesetter);
std::vector<std::uint8_t> flow_picture(const OpenedInput& input, const LayersTogether& layers,
                                       const PictureOptions& options,
                                       render::Typesetter& typesetter);

}  // namespace mha::cli
