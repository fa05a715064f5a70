#include "arrays.hpp"

#include <algorithm>
#include <cmath>

#include "fields.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/npy.hpp"
#include "mha/io/safetensors.hpp"

namespace mha {
namespace {

// The first entry of an uneven array that does not look like its neighbours, for the message.
[[noreturn]] void fail_uneven(const JsonNode& node, const std::string& pointer,
                              const char* expected) {
  for (std::size_t i = 1; i < node.items.size(); ++i) {
    const JsonNode& first = node.items[0];
    const JsonNode& item = node.items[i];
    const std::string place = concat(pointer, "/", i);
    if (item.is(JsonNode::Kind::kArray) && first.is(item.kind)) fail_uneven(item, place, expected);
    const bool same_shape = item.kind == first.kind && item.tensor.shape == first.tensor.shape;
    if (!same_shape) {
      fail_field(place, "uneven array", first.description() + " as in the entries before it",
                 item.description());
    }
  }
  if (!node.items.empty() && node.items[0].is(JsonNode::Kind::kArray)) {
    fail_uneven(node.items[0], pointer + "/0", expected);
  }
  fail_field(pointer, "wrong type", expected, node.description());
}

// "/embeddings/3/7" for the element at a flat index.
std::string element_pointer(const std::string& pointer, const Shape& shape, std::size_t index) {
  std::string out;
  for (std::size_t a = shape.size(); a-- > 0;) {
    out = concat("/", index % shape[a]) + out;
    index /= shape[a];
  }
  return pointer + out;
}

void check_entries(const JsonNode& node, const std::string& pointer, ArrayLoader::Allow allow) {
  const bool wants_booleans = allow == ArrayLoader::Allow::kBooleans;
  const char* expected = wants_booleans ? "an array of booleans" : "an array of numbers";
  if (node.is(JsonNode::Kind::kArray)) fail_uneven(node, pointer, expected);
  const auto kind = wants_booleans ? JsonNode::Kind::kBooleans : JsonNode::Kind::kNumbers;
  if (!node.is(kind) && !node.is_empty_array()) {
    fail_field(pointer, "wrong type", expected, node.description());
  }
  if (!node.has_null || allow == ArrayLoader::Allow::kNumbersAndNull) return;
  const FloatVector& data = node.tensor.data;
  const auto found = std::ranges::find_if(data, [](float x) { return std::isnan(x); });
  const auto index = static_cast<std::size_t>(found - data.begin());
  fail_field(element_pointer(pointer, node.tensor.shape, index), "missing entry",
             wants_booleans ? "true or false" : "a finite number", "null");
}

}  // namespace

void ContentHash::add(const void* bytes, std::size_t size) {
  const auto* data = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ data[i]) * 1099511628211u;
}

Tensor ArrayLoader::load(JsonNode& node, const std::string& pointer, Allow allow) {
  if (!node.is(JsonNode::Kind::kObject)) {
    check_entries(node, pointer, allow);
    return std::move(node.tensor);
  }
  const Fields fields(node, pointer, "array");
  const std::optional<std::string> file = fields.string("file");
  if (!file) fail_field(pointer, "no 'file'", "{\"file\": ..., \"name\": ...}", "an object");
  return read(*file, fields.string("name").value_or(""), pointer);
}

const TensorSource& ArrayLoader::open(const std::string& file, const std::string& pointer) {
  std::unique_ptr<TensorSource>& slot = open_files_[file];
  if (slot) return *slot;
  const std::string path = file.starts_with('/') ? file : folder_ + "/" + file;
  try {
    const FileBytes bytes = FileBytes::open(path, max_bytes_);
    try {
      slot = looks_like_npy(bytes.bytes()) ? open_npy(bytes) : open_safetensors(bytes);
    } catch (const Error& error) {
      throw error.at(path);
    }
  } catch (const Error& error) {
    throw error.at(pointer);
  }
  return *slot;
}

Tensor ArrayLoader::read(const std::string& file, const std::string& name,
                         const std::string& pointer) {
  const TensorSource& source = open(file, pointer);
  // A file with one array needs no name.
  const bool take_only = name.empty() && source.tensors().size() == 1;
  try {
    Tensor tensor = take_only ? source.read(0) : read_tensor(source, name);
    hash_.add(tensor.data.data(), tensor.data.size() * sizeof(float));
    return tensor;
  } catch (const Error& error) {
    throw error.at(concat(pointer, ": ", file));
  }
}

void check_rank(const Tensor& tensor, std::size_t rank, const char* shape,
                const std::string& pointer) {
  if (tensor.shape.size() == rank) return;
  fail_field(pointer, "wrong number of axes", shape, shape_text(tensor.shape));
}

}  // namespace mha
