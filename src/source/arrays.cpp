#include "arrays.hpp"

#include <algorithm>
#include <cmath>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/npy.hpp"
#include "mha/io/safetensors.hpp"

#include "fields.hpp"

namespace mha {
namespace {

using Kind = JsonNode::Kind;

// Finds the entry of a mixed or uneven array that makes it so: one of another type, or the first
// whose shape is not that of the entries before it.
[[noreturn]] void fail_uneven(const JsonNode& node, const std::string& pointer,
                              bool wants_booleans) {
  const Kind scalar = wants_booleans ? Kind::kBoolean : Kind::kNumber;
  const Kind array = wants_booleans ? Kind::kBooleans : Kind::kNumbers;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const JsonNode& item = node.items[i];
    const std::string place = concat(pointer, "/", i);
    if (item.is(Kind::kArray)) fail_uneven(item, place, wants_booleans);
    const bool fits =
        item.is(scalar) || item.is(array) || item.is(Kind::kNull) || item.is_empty_array();
    if (!fits) {
      fail_field(place, "wrong type", wants_booleans ? "true or false" : "a number",
                 item.description());
    }
  }
  for (std::size_t i = 1; i < node.items.size(); ++i) {
    const JsonNode& first = node.items[0];
    const JsonNode& item = node.items[i];
    if (item.tensor.shape == first.tensor.shape) continue;
    fail_field(concat(pointer, "/", i), "uneven array",
               first.description() + " as in the entries before it", item.description());
  }
  fail_field(pointer, "wrong type", wants_booleans ? "an array of booleans" : "an array of numbers",
             node.description());
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
  if (node.is(Kind::kArray)) fail_uneven(node, pointer, wants_booleans);
  const Kind kind = wants_booleans ? Kind::kBooleans : Kind::kNumbers;
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

// Opens an array file as what its content says; a damaged one as what its name says.
std::unique_ptr<TensorSource> open_array_file(const FileBytes& file, const std::string& path) {
  const std::span<const unsigned char> bytes = file.bytes();
  if (looks_like_npy(bytes) || path.ends_with(".npy")) return open_npy(file);
  if (looks_like_safetensors(bytes) || path.ends_with(".safetensors")) {
    return open_safetensors(file);
  }
  fail_input("is neither an npy nor a safetensors file");
}

}  // namespace

Tensor ArrayLoader::load(JsonNode& node, const std::string& pointer, Allow allow) {
  if (!node.is(Kind::kObject)) {
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
      slot = open_array_file(bytes, path);
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
    if (!name.empty() && source.tensors().size() == 1 && source.tensors()[0].name.empty()) {
      fail_input("an npy file has one array without a name", "leave 'name' out");
    }
    Tensor tensor = take_only ? source.read(0) : read_tensor(source, name);
    hash_.add(tensor.data.data(), tensor.data.size() * sizeof(float));
    return tensor;
  } catch (const Error& error) {
    throw error.at(concat(pointer, ": ", file));
  }
}

std::string axes_text(const Shape& shape) {
  return concat(shape.size(), " (", shape_text(shape), ")");
}

void check_rank(const Tensor& tensor, std::size_t rank, const char* shape,
                const std::string& pointer) {
  if (tensor.shape.size() == rank) return;
  fail_field(pointer, "wrong number of axes", concat(rank, " ", shape), axes_text(tensor.shape));
}

}  // namespace mha
