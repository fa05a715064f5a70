// Maximum flow in a directed graph, in double precision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mha {

// Edge 2k and edge 2k + 1 are one another's reverse.
class FlowGraph {
 public:
  explicit FlowGraph(std::size_t n_nodes) : out_(n_nodes) {}

  void add_edge(std::size_t from, std::size_t to, double capacity);

  std::size_t n_nodes() const { return out_.size(); }
  const std::vector<std::uint32_t>& out(std::size_t node) const { return out_[node]; }
  std::size_t target(std::uint32_t edge) const { return targets_[edge]; }
  const std::vector<double>& capacities() const { return capacities_; }

 private:
  std::vector<std::vector<std::uint32_t>> out_;  // edges of each node, in the order they came
  std::vector<std::uint32_t> targets_;
  std::vector<double> capacities_;
};

// Dinic's algorithm (1970): shortest augmenting paths, level graph by level graph. Keeps its memory
// from one run to the next; runs do not influence each other.
class MaxFlow {
 public:
  explicit MaxFlow(const FlowGraph& graph) : graph_(graph) {}

  double run(std::size_t source, std::size_t sink);

 private:
  bool find_levels(std::size_t source, std::size_t sink);
  double augment(std::size_t source, std::size_t sink);
  bool advance(std::size_t node);

  const FlowGraph& graph_;
  std::vector<double> residual_;
  std::vector<std::uint32_t> level_;
  std::vector<std::size_t> next_;  // first edge of each node that may still lead on
  std::vector<std::uint32_t> path_;
  std::vector<std::size_t> queue_;
};

}  // namespace mha
