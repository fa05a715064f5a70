#include "head_distances_output.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/text.hpp"
#include "mha/render/scatter.hpp"
#include "mha/render/tree_matrix.hpp"

namespace mha::cli {
namespace {

constexpr double kRedundant = 0.05;  // nats: heads nearer than this are nearly copies
constexpr std::size_t kMostPairs = 50;

struct NearPair {
  std::size_t a = 0;
  std::size_t b = 0;
  double distance = 0;
};

std::vector<NearPair> near_pairs(const HeadLikeness& likeness) {
  std::vector<NearPair> pairs;
  for (std::size_t a = 0; a < likeness.names.size(); ++a) {
    for (std::size_t b = a + 1; b < likeness.names.size(); ++b) {
      const double distance = likeness.distances(a, b);
      if (distance <= kRedundant) pairs.push_back({a, b, distance});
    }
  }
  std::ranges::stable_sort(pairs, {}, &NearPair::distance);
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
  return pairs;
}

std::vector<std::vector<std::string>> group_names(const HeadLikeness& likeness) {
  std::vector<std::vector<std::string>> out;
  for (std::size_t head : likeness.order) {
    out.resize(std::max(out.size(), likeness.groups[head] + 1));
    out[likeness.groups[head]].push_back(likeness.names[head]);
  }
  return out;
}

// The matrix in the order of the leaves.
render::CellGrid ordered_cells(const HeadLikeness& likeness) {
  render::CellGrid cells;
  cells.rows = cells.cols = likeness.names.size();
  for (std::size_t a : likeness.order) {
    for (std::size_t b : likeness.order) {
      const double distance = likeness.distances(a, b);
      cells.values.push_back(std::isnan(distance) ? 0.0F : static_cast<float>(distance));
      cells.states.push_back(std::isnan(distance) ? render::CellState::kMissing
                                                  : render::CellState::kValue);
    }
  }
  return cells;
}

void add_left_out_note(const HeadLikeness& likeness, render::PictureText* text) {
  if (likeness.left_out.empty()) return;
  text->notes.push_back("left out, as no row counts: " + join(likeness.left_out, ", "));
}

}  // namespace

HeadLikeness find_likeness(const OpenedInput& input, const SelectedHeads& heads,
                           const SimilarityOptions& options, double groups_at) {
  HeadLikeness out;
  HeadDistances all = head_distances(*input.rows, heads.slots, options);
  // A head without a row that counts is like none: it is left out of tree and map.
  for (std::size_t s = 0; s < heads.names.size(); ++s) {
    if (all.rows[s * all.n + s] == 0) {
      out.left_out.push_back(heads.names[s]);
    } else {
      out.places.push_back(s);
      out.names.push_back(heads.names[s]);
    }
  }
  const std::size_t n = out.names.size();
  out.distances.n = n;
  for (std::size_t a : out.places) {
    for (std::size_t b : out.places) {
      out.distances.js.push_back(all.js[a * all.n + b]);
      out.distances.rows.push_back(all.rows[a * all.n + b]);
    }
  }
  out.merges = average_linkage(n, out.distances.js);
  out.order = leaf_order(out.merges, n);
  out.cut = groups_at >= 0 ? groups_at : out.merges.empty() ? 0 : out.merges.back().distance / 2;
  out.groups = groups(out.merges, n, out.cut);
  out.map = classical_mds(n, out.distances.js);
  return out;
}

std::vector<std::string> redundant_pairs(const HeadLikeness& likeness) {
  std::vector<std::string> out;
  for (const NearPair& pair : near_pairs(likeness)) {
    out.push_back(concat(likeness.names[pair.a], " and ", likeness.names[pair.b], ": ",
                         fixed(pair.distance, 4), " apart"));
  }
  return out;
}

void write_likeness(const HeadLikeness& likeness, JsonWriter* w) {
  w->begin_object();
  w->member("format", "mha-viz similarity 1");
  w->member("distance", "mean over rows of the Jensen-Shannon divergence, nats");
  w->key("heads");
  w->strings(likeness.names);
  if (!likeness.left_out.empty()) {
    w->key("left_out");
    w->strings(likeness.left_out);
    w->member("left_out_reason", "no row of these heads counts");
  }
  w->key("distances");
  w->begin_array();
  const std::size_t n = likeness.names.size();
  for (std::size_t a = 0; a < n; ++a) {
    std::vector<float> row;
    for (std::size_t b = 0; b < n; ++b) row.push_back(static_cast<float>(likeness.distances(a, b)));
    w->numbers(row);
  }
  w->end_array();
  w->key("merges");
  w->begin_array();
  for (const Merge& merge : likeness.merges) {
    w->begin_object();
    w->key("clusters");
    w->indices(std::vector<std::size_t>{merge.a, merge.b});
    w->member("distance", merge.distance);
    w->member("size", static_cast<std::uint64_t>(merge.size));
    w->end_object();
  }
  w->end_array();
  w->member("groups_at", likeness.cut);
  w->key("groups");
  w->begin_array();
  for (const auto& names : group_names(likeness)) w->strings(names);
  w->end_array();
  w->key("redundant");
  w->begin_array();
  for (const NearPair& pair : near_pairs(likeness)) {
    w->begin_object();
    w->member("a", likeness.names[pair.a]);
    w->member("b", likeness.names[pair.b]);
    w->member("distance", pair.distance);
    w->end_object();
  }
  w->end_array();
  w->key("map");
  w->begin_array();
  for (std::size_t h = 0; h < n; ++h) {
    w->begin_object();
    w->member("head", likeness.names[h]);
    w->member("x", likeness.map.points[h][0]);
    w->member("y", likeness.map.points[h][1]);
    w->end_object();
  }
  w->end_array();
  w->member("map_share", likeness.map.share);
  w->end_object();
  w->finish();
}

std::vector<std::uint8_t> LikenessPictures::similarity_picture() const {
  render::TreeMatrixFigure figure;
  figure.cells = ordered_cells(likeness);
  for (std::size_t head : likeness.order) {
    figure.names.push_back(likeness.names[head]);
    figure.groups.push_back(static_cast<int>(likeness.groups[head]));
  }
  // Merges count heads; the figure counts leaves.
  std::vector<std::size_t> leaf_of(likeness.order.size());
  for (std::size_t i = 0; i < likeness.order.size(); ++i) leaf_of[likeness.order[i]] = i;
  const auto place = [&](std::size_t cluster) {
    return cluster < leaf_of.size() ? leaf_of[cluster] : cluster;
  };
  for (const Merge& merge : likeness.merges) {
    figure.merges.push_back({place(merge.a), place(merge.b), merge.distance});
  }
  figure.colors.colormap = options.colormap;
  figure.colors.high = largest_value(figure.cells);
  figure.cut = likeness.cut;
  figure.value_name = "Jensen-Shannon distance, nats";
  figure.text.title = options.title.empty() ? "How alike heads attend" : options.title;
  const std::vector<std::string> pairs = redundant_pairs(likeness);
  figure.text.caption =
      concat(group_names(likeness).size(), " groups",
             pairs.empty() ? "" : "; nearest: ", pairs.empty() ? "" : pairs.front());
  const render::PictureStyle style = picture_style(options);
  return picture_file(render::draw_tree_matrix(figure, style, typesetter), options);
}

std::vector<std::uint8_t> LikenessPictures::map_picture() const {
  render::ScatterFigure figure;
  for (std::size_t h = 0; h < likeness.names.size(); ++h) {
    int kind = -1;
    if (const std::string& label = labels[likeness.places[h]]; !label.empty()) {
      const auto known = std::ranges::find(figure.kinds, label);
      kind = static_cast<int>(known - figure.kinds.begin());
      if (known == figure.kinds.end()) figure.kinds.push_back(label);
    }
    figure.points.push_back(
        {likeness.map.points[h][0], likeness.map.points[h][1], likeness.names[h], kind});
  }
  figure.x_title = "first dimension";
  figure.y_title = "second dimension";
  figure.text.title = options.title.empty() ? "Map of heads" : options.title;
  figure.text.caption = concat("near heads attend alike; two dimensions hold ",
                               fixed(100 * likeness.map.share, 0), "% of the spread");
  add_left_out_note(likeness, &figure.text);
  const render::PictureStyle style = picture_style(options);
  return picture_file(render::draw_scatter(figure, style, typesetter), options);
}

}  // namespace mha::cli
