#include "max_flow.hpp"

#include <algorithm>
#include <limits>

namespace mha {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

// An edge with less left than this is full: what rounding leaves behind is no path. A cut of m
// edges is off by at most m times this.
constexpr double kFull = 1e-13;

}  // namespace

void FlowGraph::add_edge(std::size_t from, std::size_t to, double capacity) {
  const auto edge = static_cast<std::uint32_t>(targets_.size());
  targets_.push_back(static_cast<std::uint32_t>(to));
  targets_.push_back(static_cast<std::uint32_t>(from));
  capacities_.push_back(capacity);
  capacities_.push_back(0);
  out_[from].push_back(edge);
  out_[to].push_back(edge + 1);
}

double MaxFlow::run(std::size_t source, std::size_t sink) {
  residual_ = graph_.capacities();
  double total = 0;
  while (find_levels(source, sink)) {
    next_.assign(graph_.n_nodes(), 0);
    while (const double pushed = augment(source, sink)) total += pushed;
  }
  return total;
}

// Distances from the source along edges that are not full; whether the sink is reached.
bool MaxFlow::find_levels(std::size_t source, std::size_t sink) {
  level_.assign(graph_.n_nodes(), kUnreached);
  level_[source] = 0;
  queue_.assign(1, source);
  for (std::size_t at = 0; at < queue_.size(); ++at) {
    const std::size_t node = queue_[at];
    for (std::uint32_t edge : graph_.out(node)) {
      const std::size_t to = graph_.target(edge);
      if (residual_[edge] <= kFull || level_[to] != kUnreached) continue;
      level_[to] = level_[node] + 1;
      if (to == sink) return true;
      queue_.push_back(to);
    }
  }
  return false;
}

// Fills one path of the level graph, found depth first without recursion; 0 when there is none.
double MaxFlow::augment(std::size_t source, std::size_t sink) {
  path_.clear();
  std::size_t node = source;
  while (node != sink) {
    if (advance(node)) {
      path_.push_back(graph_.out(node)[next_[node]]);
      node = graph_.target(path_.back());
      continue;
    }
    if (path_.empty()) return 0;
    node = graph_.target(path_.back() ^ 1U);
    path_.pop_back();
    ++next_[node];
  }
  double smallest = std::numeric_limits<double>::infinity();
  for (std::uint32_t edge : path_) smallest = std::min(smallest, residual_[edge]);
  for (std::uint32_t edge : path_) {
    residual_[edge] -= smallest;
    residual_[edge ^ 1U] += smallest;
  }
  return smallest;
}

// Moves next_[node] to an edge that leads one level on; false when there is none left.
bool MaxFlow::advance(std::size_t node) {
  const std::vector<std::uint32_t>& edges = graph_.out(node);
  for (std::size_t& next = next_[node]; next < edges.size(); ++next) {
    const std::uint32_t edge = edges[next];
    if (residual_[edge] > kFull && level_[graph_.target(edge)] == level_[node] + 1) return true;
  }
  return false;
}

}  // namespace mha
