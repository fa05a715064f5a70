// The cells of each head, packed for the interactive page while rows stream by: a head that is
// complete is compressed, goes to a temporary file and leaves the memory.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/analysis/cell_maps.hpp"
#include "mha/io/scratch_file.hpp"

namespace mha::cli {

// How the maps of one input are packed.
struct PackPlan {
  bool exact = false;            // 32-bit floats instead of 8-bit codes
  std::size_t pool = 1;          // pool x pool weights share a cell, by maximum
  std::size_t thumb_pool = 1;    // cells of the map that share one of the thumbnail, each way
  QueryRange sharp_queries;      // with pool > 1: the part that is kept weight by weight
  QueryRange sharp_keys;         // ...
  std::size_t map_bytes = 0;     // what one head's map should take when compressed ...
  std::size_t window_bytes = 0;  // ... and its sharp part; fewer levels where it takes more
};

// The plan for the heads of an analysis: whole maps up to a number of cells in all, pooled beyond.
// `sharp`: tokens whose weights upon each other are kept when maps are pooled; all: the last ones.
PackPlan plan_packing(const Analysis& analysis, bool exact, const QueryRange& sharp);

// One map in the temporary file, as base64 text of a zlib stream.
struct PackedMap {
  ScratchPiece piece;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t pool = 1;
  std::size_t first_row = 0;
  std::size_t first_col = 0;
  unsigned levels = 0;  // codes from 0 to levels; 0: exact floats
};

struct PackedHead {
  PackedMap map;
  std::optional<PackedMap> sharp;
  CellMap thumb;
};

class HeadPacker : public Accumulator {
 public:
  HeadPacker(const Analysis& analysis, const PackPlan& plan, ScratchFile* file);
  ~HeadPacker() override;

  void add(std::size_t slot, const RowBlock& block) override;
  // Only when no more rows come; each once.
  PackedHead take(std::size_t slot);

 private:
  struct Slot;

  void open(Slot* slot, const RowBlock& block) const;
  void finish(Slot* slot) const;

  const PackPlan plan_;
  ScratchFile* const file_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace mha::cli
