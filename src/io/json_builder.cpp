#include "json_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr float kNull = std::numeric_limits<float>::quiet_NaN();

}  // namespace

void FloatStack::push(float value) {
  if (size_ == blocks_.size() * kBlock) {
    blocks_.emplace_back();
    if (blocks_.size() > 1)
      blocks_.back().reserve(kBlock);  // the first grows: most arrays are small
  }
  blocks_[size_ / kBlock].push_back(value);
  ++size_;
}

FloatVector FloatStack::take_from(std::size_t start) {
  FloatVector out(size_ - start);
  auto to = out.begin();
  for (std::size_t b = start / kBlock; b < blocks_.size(); ++b) {
    FloatVector& block = blocks_[b];
    const std::size_t skip = b == start / kBlock ? start % kBlock : 0;
    const auto from = block.begin() + static_cast<std::ptrdiff_t>(skip);
    to = std::copy(from, block.end(), to);
    block.erase(from, block.end());
    if (skip == 0) FloatVector().swap(block);
  }
  blocks_.resize((start + kBlock - 1) / kBlock);
  size_ = start;
  return out;
}

void JsonBuilder::add_null() {
  push_scalar(kNull, JsonNode());
}

void JsonBuilder::add_boolean(bool value) {
  JsonNode scalar;
  scalar.kind = JsonNode::Kind::kBoolean;
  scalar.number = value ? 1 : 0;
  push_scalar(value ? 1.0F : 0.0F, std::move(scalar));
}

void JsonBuilder::add_number(double value, float rounded) {
  JsonNode scalar;
  scalar.kind = JsonNode::Kind::kNumber;
  scalar.number = value;
  const bool in_array = !frames_.empty() && !frames_.back().is_object;
  if (in_array && arrays_ == JsonArrays::kAsFloats && std::isinf(rounded)) {
    fail_input(concat(pointer(), ": number out of range; expected at most 3.4e38 (float32), got ",
                      number_text(value)));
  }
  push_scalar(rounded, std::move(scalar));
}

void JsonBuilder::add_string(std::string value) {
  JsonNode node;
  node.kind = JsonNode::Kind::kString;
  node.text = std::move(value);
  attach(std::move(node));
}

void JsonBuilder::add_key(std::string name) {
  Frame& frame = frames_.back();
  frame.key = std::move(name);
  if (!frame.names.insert(frame.key).second) {
    fail_input(concat(pointer(), ": field '", frame.key, "' is given twice"));
  }
}

void JsonBuilder::open_object() {
  open(true);
}

void JsonBuilder::open_array() {
  open(false);
}

void JsonBuilder::open(bool is_object) {
  if (frames_.size() >= kDeepest) {
    fail_input(concat(pointer(), ": nested too deeply; expected at most ", kDeepest, " levels"));
  }
  Frame frame;
  frame.is_object = is_object;
  frame.start = floats_.size();
  frame.is_flat = arrays_ == JsonArrays::kAsFloats;
  frame.node.kind = is_object ? JsonNode::Kind::kObject : JsonNode::Kind::kArray;
  frames_.push_back(std::move(frame));
}

void JsonBuilder::close() {
  if (!frames_.back().is_object && frames_.back().is_flat) {
    close_flat_array();
    return;
  }
  JsonNode node = std::move(frames_.back().node);
  frames_.pop_back();
  attach(std::move(node));
}

// A null fits numbers and booleans alike.
bool JsonBuilder::fits_flat(const Frame& frame, const Shape& shape, JsonNode::Kind kind,
                            bool is_null) const {
  if (frame.is_object || !frame.is_flat) return false;
  if (frame.n_entries > 0 && frame.entry_shape != shape) return false;
  if (is_null) return true;
  return kind == JsonNode::Kind::kBoolean ? !frame.has_number : !frame.has_boolean;
}

void JsonBuilder::push_scalar(float value, JsonNode scalar) {
  const bool is_null = scalar.is(JsonNode::Kind::kNull);
  if (frames_.empty() || !fits_flat(frames_.back(), {}, scalar.kind, is_null)) {
    attach(std::move(scalar));
    return;
  }
  Frame& frame = frames_.back();
  frame.has_null = frame.has_null || is_null;
  frame.has_boolean = frame.has_boolean || scalar.is(JsonNode::Kind::kBoolean);
  frame.has_number = frame.has_number || scalar.is(JsonNode::Kind::kNumber);
  ++frame.n_entries;
  floats_.push(value);
}

// The array just read is flat: its floats stay where they are when the array around it is flat too.
void JsonBuilder::close_flat_array() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  Shape shape{frame.n_entries};
  shape.insert(shape.end(), frame.entry_shape.begin(), frame.entry_shape.end());
  const auto kind = frame.has_boolean ? JsonNode::Kind::kBoolean : JsonNode::Kind::kNumber;
  const bool only_null = !frame.has_boolean && !frame.has_number;
  if (!frames_.empty() && fits_flat(frames_.back(), shape, kind, only_null)) {
    Frame& parent = frames_.back();
    parent.entry_shape = std::move(shape);
    parent.has_null = parent.has_null || frame.has_null;
    parent.has_boolean = parent.has_boolean || frame.has_boolean;
    parent.has_number = parent.has_number || frame.has_number;
    ++parent.n_entries;
    return;
  }
  FloatVector data = floats_.take_from(frame.start);
  attach(flat_node(frame, std::move(shape), std::move(data)));
}

JsonNode JsonBuilder::flat_node(const Frame& frame, Shape shape, FloatVector data) const {
  JsonNode node;
  node.kind = frame.has_boolean ? JsonNode::Kind::kBooleans : JsonNode::Kind::kNumbers;
  node.has_null = std::ranges::any_of(data, [](float x) { return std::isnan(x); });
  node.tensor = {std::move(shape), std::move(data)};
  return node;
}

// Puts a finished value where it belongs: into the object or array around it, or at the root.
void JsonBuilder::attach(JsonNode node) {
  if (frames_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& frame = frames_.back();
  if (frame.is_object) {
    frame.node.members.push_back({std::move(frame.key), std::move(node)});
    return;
  }
  if (frame.is_flat) unflatten(&frame);
  frame.node.items.push_back(std::move(node));
  ++frame.n_entries;
}

// An entry came that does not fit: the entries so far become values of their own.
void JsonBuilder::unflatten(Frame* frame) {
  frame->is_flat = false;
  const FloatVector all = floats_.take_from(frame->start);
  if (frame->n_entries == 0) return;
  const std::size_t size = all.size() / frame->n_entries;
  for (std::size_t i = 0; i < frame->n_entries; ++i) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(i * size);
    FloatVector data(from, from + static_cast<std::ptrdiff_t>(size));
    if (!frame->entry_shape.empty()) {
      frame->node.items.push_back(flat_node(*frame, frame->entry_shape, std::move(data)));
      continue;
    }
    JsonNode scalar;
    const bool is_null = std::isnan(data[0]);
    scalar.kind = is_null              ? JsonNode::Kind::kNull
                  : frame->has_boolean ? JsonNode::Kind::kBoolean
                                       : JsonNode::Kind::kNumber;
    scalar.number = is_null ? 0 : static_cast<double>(data[0]);
    frame->node.items.push_back(std::move(scalar));
  }
}

std::string JsonBuilder::pointer() const {
  std::string out;
  for (const Frame& frame : frames_) {
    out += '/';
    if (!frame.is_object) {
      out += std::to_string(frame.n_entries);
      continue;
    }
    for (char c : frame.key) out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return out;
}

}  // namespace mha
