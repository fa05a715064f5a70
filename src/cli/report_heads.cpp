#include "report_heads.hpp"

#include <algorithm>
#include <array>

#include "mha/base/base64.hpp"
#include "mha/base/checked.hpp"
#include "mha/base/deflate.hpp"

#include "report_cells.hpp"

namespace mha::cli {
namespace {

// What the file of one input may hold: 144 heads of 512 x 512 cells. Base64 makes 4 bytes of 3, and
// a page of that size stays below 20 MB.
constexpr std::size_t kMostCells = std::size_t{144} * 512 * 512;
constexpr std::size_t kMapBytes = 14'200'000;
constexpr std::size_t kWindowBytes = 5'000'000;
constexpr std::size_t kLongestSide = 1024;  // a larger map would take too long to draw
constexpr std::size_t kMostSharp = std::size_t{144} * 256 * 256;
constexpr std::size_t kLongestSharp = 512;
constexpr std::size_t kThumbSide = 32;
constexpr int kLevel = 3;  // of compression: higher ones hardly gain on weights

struct Sides {
  std::size_t rows = 0;
  std::size_t cols = 0;
};

// The largest matrix among the heads.
Sides largest_sides(const Analysis& analysis) {
  Sides sides;
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    sides.rows = std::max(sides.rows, analysis.n_queries_of(s));
    sides.cols = std::max(sides.cols, analysis.layer_of(s).shape.n_key);
  }
  return sides;
}

std::size_t map_pool(const Sides& sides, std::size_t n_heads) {
  const auto fits = [&](std::size_t pool) {
    const std::size_t rows = ceil_div(sides.rows, pool);
    const std::size_t cols = ceil_div(sides.cols, pool);
    return std::max(rows, cols) <= kLongestSide && rows * cols <= kMostCells / n_heads;
  };
  std::size_t pool = 1;
  while (!fits(pool) && pool < std::max(sides.rows, sides.cols)) ++pool;
  return pool;
}

// The side of a square of sharp weights that every head may have.
std::size_t sharp_side(std::size_t n_heads) {
  std::size_t side = kLongestSharp;
  while (side > 16 && side * side > kMostSharp / n_heads) side /= 2;
  return side;
}

QueryRange last_of(const QueryRange& wanted, std::size_t count, std::size_t side) {
  const std::size_t end = std::min(wanted.end, count);
  const std::size_t first = std::min(wanted.first, end);
  const bool is_chosen = wanted.first > 0 || wanted.end < count;
  if (end - first <= side) return {first, end};
  return is_chosen ? QueryRange{first, first + side} : QueryRange{end - side, end};
}

// Fewer levels until the compressed codes fit: noise over every cell does not compress otherwise.
std::vector<std::uint8_t> compress_within(const PooledCells& cells, std::size_t most,
                                          unsigned* levels) {
  for (*levels = kMostLevels;; *levels = *levels * 3 / 4) {
    std::vector<std::uint8_t> bytes = zlib_compress(quantised_cells(cells, *levels), kLevel);
    if (bytes.size() <= most || *levels < 32) return bytes;
  }
}

PackedMap pack(const PooledCells& cells, bool exact, std::size_t most, ScratchFile* file) {
  PackedMap map;
  map.rows = cells.rows;
  map.cols = cells.cols;
  map.pool = cells.pool;
  map.first_row = cells.first_row;
  map.first_col = cells.first_col;
  const std::vector<std::uint8_t> bytes =
      exact ? zlib_compress(exact_cells(cells), kLevel) : compress_within(cells, most, &map.levels);
  map.piece = file->append(base64(bytes));
  return map;
}

}  // namespace

PackPlan plan_packing(const Analysis& analysis, bool exact, const QueryRange& sharp) {
  const Sides sides = largest_sides(analysis);
  const std::size_t n_heads = std::max<std::size_t>(analysis.slots().size(), 1);
  PackPlan plan;
  plan.exact = exact;
  plan.pool = map_pool(sides, n_heads);
  const std::size_t longest = std::max(sides.rows, sides.cols);
  plan.thumb_pool = std::max<std::size_t>(1, ceil_div(ceil_div(longest, plan.pool), kThumbSide));
  const std::size_t side = sharp_side(n_heads);
  plan.sharp_queries = last_of(sharp, sides.rows, side);
  plan.sharp_keys = last_of(sharp, sides.cols, side);
  plan.map_bytes = kMapBytes / n_heads;
  plan.window_bytes = kWindowBytes / n_heads;
  return plan;
}

struct HeadPacker::Slot {
  std::mutex mutex;
  std::size_t n_rows = 0;  // still to come
  std::unique_ptr<PooledCells> map;
  std::unique_ptr<PooledCells> sharp;
  PackedHead packed;
};

HeadPacker::HeadPacker(const Analysis& analysis, const PackPlan& plan, ScratchFile* file)
    : plan_(plan), file_(file) {
  for (std::size_t s = 0; s < analysis.slots().size(); ++s) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->n_rows = analysis.n_queries_of(s);
  }
}

HeadPacker::~HeadPacker() = default;

void HeadPacker::open(Slot* slot, const RowBlock& block) const {
  const std::size_t n_query = block.shape->n_query;
  const std::size_t n_key = block.shape->n_key;
  slot->map =
      std::make_unique<PooledCells>(QueryRange{0, n_query}, QueryRange{0, n_key}, plan_.pool);
  if (plan_.pool == 1) return;
  const auto within = [](const QueryRange& range, std::size_t count) {
    return QueryRange{std::min(range.first, count), std::min(range.end, count)};
  };
  const QueryRange queries = within(plan_.sharp_queries, n_query);
  const QueryRange keys = within(plan_.sharp_keys, n_key);
  if (queries.first == queries.end || keys.first == keys.end) return;
  slot->sharp = std::make_unique<PooledCells>(queries, keys, 1);
}

void HeadPacker::add(std::size_t index, const RowBlock& block) {
  Slot& slot = *slots_[index];
  {
    const std::lock_guard lock(slot.mutex);
    if (!slot.map) open(&slot, block);
    for (std::size_t i = 0; i < block.weights.rows; ++i) {
      const std::size_t query = block.first_query + i;
      slot.map->add_row(query, block.weights.row(i), block.masks[i]);
      if (slot.sharp) slot.sharp->add_row(query, block.weights.row(i), block.masks[i]);
    }
    slot.n_rows -= block.weights.rows;
    if (slot.n_rows > 0) return;
  }
  finish(&slot);
}

// The last rows came: nobody else touches the slot any more.
void HeadPacker::finish(Slot* slot) const {
  slot->packed.map = pack(*slot->map, plan_.exact, plan_.map_bytes, file_);
  slot->packed.thumb = pooled_map(*slot->map, plan_.thumb_pool);
  if (slot->sharp) {
    slot->packed.sharp = pack(*slot->sharp, plan_.exact, plan_.window_bytes, file_);
  }
  slot->map.reset();
  slot->sharp.reset();
}

PackedHead HeadPacker::take(std::size_t slot) {
  return std::move(slots_[slot]->packed);
}

}  // namespace mha::cli
