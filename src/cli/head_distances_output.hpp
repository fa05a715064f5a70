// How alike the selected heads are: distances, tree, groups, map, as files and pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mha/analysis/clustering.hpp"
#include "mha/analysis/mds.hpp"
#include "mha/analysis/similarity.hpp"
#include "mha/report/json_writer.hpp"
#include "mha/source/source.hpp"

#include "figure_parts.hpp"
#include "selection.hpp"

namespace mha::cli {

struct HeadLikeness {
  std::vector<std::string> names;
  std::vector<std::size_t> places;    // of these heads in the selection
  std::vector<std::string> left_out;  // heads without a row that counts
  HeadDistances distances;
  std::vector<Merge> merges;
  std::vector<std::size_t> order;   // heads as the leaves of the tree from left to right
  std::vector<std::size_t> groups;  // of each head
  double cut = 0;                   // where the tree was cut into groups
  PlaneMap map;
};

// `groups_at`: the cut; below 0: half of the largest merge distance.
HeadLikeness find_likeness(const OpenedInput& input, const SelectedHeads& heads,
                           const SimilarityOptions& options, double groups_at);

// The pairs of heads that are nearly copies of each other, nearest first: "L3H2 and L3H7: 0.02
// apart".
std::vector<std::string> redundant_pairs(const HeadLikeness& likeness);

void write_likeness(const HeadLikeness& likeness, JsonWriter* writer);

struct LikenessPictures {
  const HeadLikeness& likeness;
  std::vector<std::string> labels;  // of each selected head, "" where it has none
  const PictureOptions& options;
  render::Typesetter& typesetter;

  std::vector<std::uint8_t> similarity_picture() const;
  std::vector<std::uint8_t> map_picture() const;
};

}  // namespace mha::cli
