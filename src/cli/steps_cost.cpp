#include "steps_cost.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "mha/analysis/cost.hpp"
#include "mha/attention/attend.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "layer_sizes.hpp"
#include "text_table.hpp"

namespace mha::cli {
namespace {

LayerSizes sizes_of(const OpenedInput& input, std::size_t layer) {
  const std::vector<LayerSizes> sizes = layer_sizes(input);
  if (sizes.empty())
    fail_input("--cost needs a layer that is computed from embeddings and weights");
  return sizes[layer];
}

// The width of all heads together, split evenly; keys and values as many as queries.
std::vector<HeadLayout> splits_of(const LayerSizes& sizes) {
  const HeadLayout whole = full_width_head(sizes.heads);
  std::vector<HeadLayout> out;
  for (std::size_t n : std::set<std::size_t>{1, 2, 4, 8, sizes.heads.n_heads}) {
    if (whole.d_head % n != 0 || whole.d_value % n != 0) continue;
    out.push_back({n, n, whole.d_head / n, whole.d_value / n});
  }
  return out;
}

std::vector<StageCost> cost_of(const LayerSizes& sizes, const HeadLayout& layout) {
  return layer_cost(layout, sizes.shape, sizes.d_model, sizes.d_context, sizes.d_out);
}

std::uint64_t total_of(const std::vector<StageCost>& stages) {
  std::uint64_t total = 0;
  for (const StageCost& stage : stages) total += stage.multiply_adds;
  return total;
}

std::string cost_table(const LayerSizes& sizes, const std::vector<HeadLayout>& splits) {
  TextTable table(std::vector<bool>(8, true));
  std::vector<std::string> head_line = {"heads", "d_head"};
  for (const StageCost& stage : cost_of(sizes, splits[0])) head_line.push_back(stage.stage);
  head_line.emplace_back("total");
  table.add(head_line);
  for (const HeadLayout& layout : splits) {
    const std::vector<StageCost> stages = cost_of(sizes, layout);
    std::vector<std::string> line = {std::to_string(layout.n_heads), std::to_string(layout.d_head)};
    for (const StageCost& stage : stages) line.push_back(std::to_string(stage.multiply_adds));
    line.push_back(std::to_string(total_of(stages)));
    table.add(line);
  }
  return table.text();
}

std::string cost_remark(const LayerSizes& sizes, const std::vector<HeadLayout>& splits) {
  const std::uint64_t cells = sizes.shape.n_query * sizes.shape.n_key;
  const HeadLayout& most = splits.back();
  const std::uint64_t softmax = cells * most.n_heads;
  const double share =
      100 * static_cast<double>(softmax) / static_cast<double>(total_of(cost_of(sizes, most)));
  std::string out =
      "The products cost the same however the width is split. What grows is the softmax:\n";
  out += concat("n_heads x n_query x n_key cells, ", cells, " with one head, ", softmax, " with ",
                most.n_heads, " (", fixed(share, 1), "% of its total).\n");
  if (sizes.heads.n_kv_heads == sizes.heads.n_heads) return out;
  return out +
         concat("The input's own ", sizes.heads.n_heads, " heads share ", sizes.heads.n_kv_heads,
                " key-value heads and project less:\n") +
         concat(total_of(cost_of(sizes, sizes.heads)), " multiply-adds in all.\n");
}

Matrix filled(std::size_t rows, std::size_t cols) {
  Matrix out(rows, cols);
  // Any small numbers will do; these differ from cell to cell.
  for (std::size_t i = 0; i < rows * cols; ++i) {
    out.data()[i] = 0.1F * (static_cast<float>(i * 2654435761U % 1000) / 1000 - 0.5F);
  }
  return out;
}

AttentionStack timed_stack(const LayerSizes& sizes, const HeadLayout& heads) {
  const std::size_t q_width = heads.n_heads * heads.d_head;
  const std::size_t v_width = heads.n_heads * heads.d_value;
  AttentionStack::Input input;
  AttentionLayer layer;
  layer.layout = heads;
  input.x = filled(sizes.shape.n_query, sizes.d_model);
  if (sizes.shape.is_cross) {
    input.context = filled(sizes.shape.n_key, sizes.d_context);
    layer.weights.q.weight = filled(sizes.d_model, q_width);
    layer.weights.kv.weight = filled(sizes.d_context, q_width + v_width);
  } else {
    layer.weights.qkv.weight = filled(sizes.d_model, 2 * q_width + v_width);
  }
  layer.weights.o.weight = filled(v_width, sizes.d_out);
  input.layers.push_back(std::move(layer));
  return AttentionStack(std::move(input));
}

double seconds_of(const AttentionStack& stack) {
  NoRows sink;
  std::vector<Matrix> outputs;
  StreamOptions options;
  options.n_threads = 1;
  options.outputs = &outputs;
  const auto start = std::chrono::steady_clock::now();
  stack.stream(sink, options);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The shortest of many runs for each split, in turns, so that all see the same machine.
std::vector<double> measure(const LayerSizes& sizes, const std::vector<HeadLayout>& splits) {
  constexpr double kEnough = 0.4;  // seconds
  constexpr int kLeastRounds = 3;
  constexpr int kMostRounds = 300;
  std::vector<AttentionStack> stacks;
  for (const HeadLayout& layout : splits) stacks.push_back(timed_stack(sizes, layout));
  std::vector<double> best(splits.size(), std::numeric_limits<double>::infinity());
  double spent = 0;
  for (int round = 0; round < kMostRounds && (round < kLeastRounds || spent < kEnough); ++round) {
    for (std::size_t s = 0; s < stacks.size(); ++s) {
      const double seconds = seconds_of(stacks[s]);
      best[s] = std::min(best[s], seconds);
      spent += seconds;
    }
  }
  return best;
}

std::string times_text(const LayerSizes& sizes, const std::vector<HeadLayout>& splits) {
  const std::vector<double> times = measure(sizes, splits);
  std::vector<std::string> parts;
  for (std::size_t s = 0; s < splits.size(); ++s) {
    parts.push_back(
        concat(count_text(splits[s].n_heads, "head"), " ", fixed(1000 * times[s], 3), " ms"));
  }
  return join(parts, ", ");
}

// Times depend on the machine, so they stay out of results.
void say_times(const LayerSizes& sizes, const std::vector<HeadLayout>& splits, Console& console) {
  constexpr std::uint64_t kMost = 100'000'000'000;  // multiply-adds: some seconds
  if (total_of(cost_of(sizes, splits[0])) > kMost) {
    console.note("not timed: it would take too long");
    return;
  }
  console.say("measured here on one thread: " + times_text(sizes, splits));
  constexpr std::uint64_t kSmall = 20'000'000;
  if (total_of(cost_of(sizes, splits[0])) > kSmall) return;
  LayerSizes larger;
  larger.shape = {128, 128, false};
  larger.heads = {1, 1, 512, 512};
  larger.d_model = larger.d_context = larger.d_out = 512;
  console.say("(in a layer as small as this one the fixed cost of a head shows)");
  console.say("128 tokens of width 512: " + times_text(larger, splits_of(larger)));
}

}  // namespace

void print_cost(const OpenedInput& input, const StepsOptions& options, Console& console) {
  const std::size_t layer = select_heads(input, options.selection).slots[0].layer;
  const LayerSizes sizes = sizes_of(input, layer);
  const std::vector<HeadLayout> splits = splits_of(sizes);
  console.print(concat("multiply-adds of L", input.head_names[layer][0].layer,
                       ", d_model = ", sizes.d_model, ", n_query = ", sizes.shape.n_query,
                       ", n_key = ", sizes.shape.n_key, "\n\n", cost_table(sizes, splits), "\n",
                       cost_remark(sizes, splits)));
  say_times(sizes, splits, console);
}

}  // namespace mha::cli
