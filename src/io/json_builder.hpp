// Builds a JsonNode from parser events, keeping arrays of numbers as floats from the start.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "mha/io/json.hpp"

namespace mha {

// A stack of floats in blocks of equal size: growing beyond the first block never copies, and
// taking a long stretch from the top frees each block as it goes, so that little more than the
// result is held.
class FloatStack {
 public:
  std::size_t size() const { return size_; }
  void push(float value);
  // Removes the floats from `start` to the top and returns them.
  FloatVector take_from(std::size_t start);

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 18;
  std::vector<FloatVector> blocks_;
  std::size_t size_ = 0;
};

class JsonBuilder {
 public:
  explicit JsonBuilder(JsonArrays arrays) : arrays_(arrays) {}

  void add_null();
  void add_boolean(bool value);
  // `rounded` is the float nearest to the text, which is not always the one nearest to `value`.
  void add_number(double value, float rounded);
  void add_string(std::string value);
  void add_key(std::string name);
  void open_object();
  void open_array();
  void close();
  JsonNode take_root() { return std::move(root_); }

 private:
  // What the entries of an array are so far. As long as they are all numbers, or all arrays of
  // numbers of one shape, their floats lie one after another on the float stack.
  struct Frame {
    bool is_object = false;
    bool is_flat = true;                    // arrays: entries are on the float stack
    bool has_boolean = false;               // flat arrays
    bool has_number = false;                // flat arrays
    bool has_null = false;                  // flat arrays
    std::size_t start = 0;                  // flat arrays: first float
    std::size_t n_entries = 0;              // arrays
    Shape entry_shape;                      // flat arrays: shape of each entry; empty for scalars
    std::string key;                        // objects: the member being read
    std::unordered_set<std::string> names;  // objects: the members so far
    JsonNode node;                          // objects, and arrays that are not flat
  };

  void push_scalar(float value, JsonNode scalar);
  bool fits_flat(const Frame& frame, const Shape& shape, JsonNode::Kind kind, bool is_null) const;
  void attach(JsonNode node);
  void close_flat_array();
  void unflatten(Frame* frame);
  JsonNode flat_node(const Frame& frame, Shape shape, FloatVector data) const;
  void open(bool is_object);
  std::string pointer() const;

  const JsonArrays arrays_;
  std::vector<Frame> frames_;
  FloatStack floats_;
  JsonNode root_;
};

}  // namespace mha
