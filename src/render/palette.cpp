#include "palette.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace mha::render {
namespace {

constexpr std::size_t kSlots = 1 << 14;
constexpr std::size_t kMostColors = 6000;
constexpr std::size_t kPaletteSize = 256;
constexpr std::size_t kSureColors = 200;
constexpr std::uint32_t kEmpty = 0xFFFFFFFF;

std::uint32_t key_of(const std::uint8_t* pixel) {
  return static_cast<std::uint32_t>(pixel[0]) << 16 | static_cast<std::uint32_t>(pixel[1]) << 8 |
         pixel[2];
}

Rgb color_of(std::uint32_t key) {
  return rgb(key);
}

// How much each colour matters, then which index it gets: an open-addressing hash table.
class ColorTable {
 public:
  ColorTable() : keys_(kSlots, kEmpty), counts_(kSlots, 0), indices_(kSlots, 0) {}

  std::size_t slot(std::uint32_t key) const {
    std::size_t i = (key * 2654435761U) >> 18;
    while (keys_[i] != key && keys_[i] != kEmpty) i = (i + 1) % kSlots;
    return i;
  }
  void count(std::uint32_t key, std::size_t weight) {
    const std::size_t i = slot(key);
    if (keys_[i] == kEmpty) {
      keys_[i] = key;
      used_.push_back(key);
    }
    counts_[i] += weight;
  }
  std::size_t size() const { return used_.size(); }
  std::uint8_t index_of(std::uint32_t key) const { return indices_[slot(key)]; }
  void set_index(std::uint32_t key, std::uint8_t index) { indices_[slot(key)] = index; }

  // All colours, the heaviest first.
  std::vector<std::uint32_t> by_weight() const {
    std::vector<std::pair<std::size_t, std::uint32_t>> ranked;
    for (std::uint32_t key : used_) ranked.emplace_back(counts_[slot(key)], ~key);
    std::sort(ranked.rbegin(), ranked.rend());
    std::vector<std::uint32_t> keys;
    keys.reserve(ranked.size());
    for (const auto& [weight, inverse] : ranked) keys.push_back(~inverse);
    return keys;
  }

 private:
  std::vector<std::uint32_t> keys_;
  std::vector<std::size_t> counts_;
  std::vector<std::uint8_t> indices_;
  std::vector<std::uint32_t> used_;
};

std::size_t row_bytes(const Image& image) {
  return 3 * static_cast<std::size_t>(image.width);
}

// Most rows of a heatmap repeat the row above.
bool repeats_above(const Image& image, int y) {
  return y > 0 && std::memcmp(image.at(0, y), image.at(0, y - 1), row_bytes(image)) == 0;
}

// First pixel after `x` that differs from it: each byte of a run equals the one 3 before it.
int run_end(const std::uint8_t* row, int x, int width) {
  std::size_t i = 3 * static_cast<std::size_t>(x) + 3;
  const std::size_t end = 3 * static_cast<std::size_t>(width);
  const auto word = [row](std::size_t at) {
    std::uint64_t bytes;
    std::memcpy(&bytes, row + at, sizeof bytes);
    return bytes;
  };
  while (i + 8 <= end && word(i) == word(i - 3)) i += 8;
  while (i < end && row[i] == row[i - 3]) ++i;
  return static_cast<int>(i / 3);
}

// Calls use(key, first, count) for each run of one colour in row y.
template <typename Use>
void for_runs(const Image& image, int y, const Use& use) {
  const std::uint8_t* row = image.at(0, y);
  for (int x = 0; x < image.width;) {
    const int end = run_end(row, x, image.width);
    use(key_of(row + 3 * x), x, end - x);
    x = end;
  }
}

// How much each colour matters: the squares of the lengths of its runs, so that an area or a colour
// bar counts for more than as many scattered pixels of soft edges. False when there are too many.
bool count_colors(const Image& image, ColorTable* table) {
  for (int y = 0; y < image.height;) {
    int end = y + 1;
    while (end < image.height && repeats_above(image, end)) ++end;
    for_runs(image, y, [&](std::uint32_t key, int, int n) {
      const auto length = static_cast<std::size_t>(n);
      table->count(key, length * length * static_cast<std::size_t>(end - y));
    });
    if (table->size() > kMostColors) return false;
    y = end;
  }
  return true;
}

int square(int x) {
  return x * x;
}

int distance(Rgb a, Rgb b) {
  return square(a.r - b.r) + square(a.g - b.g) + square(a.b - b.b);
}

int largest_difference(Rgb a, Rgb b) {
  return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

// A colour that is not (yet) in the palette, and the nearest one that is.
struct Leftover {
  std::uint32_t key;
  std::size_t nearest = 0;
  int distance = 1 << 30;

  void consider(const std::vector<Rgb>& palette, std::size_t index) {
    const int d = render::distance(palette[index], color_of(key));
    if (d < distance) nearest = index, distance = d;
  }
};

// Fills the palette: first the heaviest colours, then always the one that is worst off.
// Returns the others.
std::vector<Leftover> choose_palette(const std::vector<std::uint32_t>& by_weight,
                                     std::vector<Rgb>* palette) {
  const std::size_t n = by_weight.size();
  const std::size_t sure = n <= kPaletteSize ? n : kSureColors;
  for (std::size_t i = 0; i < sure; ++i) palette->push_back(color_of(by_weight[i]));
  std::vector<Leftover> others;
  for (std::size_t i = sure; i < n; ++i) {
    others.push_back({by_weight[i]});
    for (std::size_t p = 0; p < sure; ++p) others.back().consider(*palette, p);
  }
  while (!others.empty() && palette->size() < kPaletteSize) {
    const auto worst = std::max_element(
        others.begin(), others.end(),
        [](const Leftover& a, const Leftover& b) { return a.distance < b.distance; });
    palette->push_back(color_of(worst->key));
    for (Leftover& other : others) other.consider(*palette, palette->size() - 1);
  }
  return others;
}

}  // namespace

std::optional<IndexedImage> to_indexed(const Image& image, int tolerance) {
  ColorTable table;
  if (!count_colors(image, &table)) return std::nullopt;
  IndexedImage out;
  const std::vector<std::uint32_t> keys = table.by_weight();
  for (const Leftover& other : choose_palette(keys, &out.palette)) {
    const Rgb substitute = out.palette[other.nearest];
    if (largest_difference(substitute, color_of(other.key)) > tolerance) return std::nullopt;
    table.set_index(other.key, static_cast<std::uint8_t>(other.nearest));
  }
  for (std::size_t i = 0; i < keys.size() && i < out.palette.size(); ++i) {
    const bool is_sure = keys.size() <= kPaletteSize || i < kSureColors;
    if (is_sure) table.set_index(keys[i], static_cast<std::uint8_t>(i));
  }
  const auto width = static_cast<std::size_t>(image.width);
  out.indices.resize(width * static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* row = &out.indices[static_cast<std::size_t>(y) * width];
    if (repeats_above(image, y)) {
      std::memcpy(row, row - width, width);
      continue;
    }
    for_runs(image, y, [&](std::uint32_t key, int x, int n) {
      std::memset(row + x, table.index_of(key), static_cast<std::size_t>(n));
    });
  }
  return out;
}

}  // namespace mha::render
