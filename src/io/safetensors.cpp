#include "mha/io/safetensors.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/json.hpp"

namespace mha {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kLongestHeader = 100'000'000;  // as the format's own library has it

std::uint64_t read_length(std::span<const unsigned char> bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;) length = length << 8 | bytes[i];
  return length;
}

struct Entry {
  TensorInfo info;
  std::size_t begin = 0;  // byte offsets into the data part
  std::size_t end = 0;
};

DType parse_dtype(const JsonNode* node) {
  static constexpr DType kAll[] = {DType::kF64, DType::kF32, DType::kF16, DType::kBF16, DType::kI64,
                                   DType::kI32, DType::kI16, DType::kI8,  DType::kU64,  DType::kU32,
                                   DType::kU16, DType::kU8,  DType::kBool};
  if (node == nullptr) fail_input("has no dtype");
  if (!node->is(JsonNode::Kind::kString)) {
    fail_input("dtype is " + node->description() + "; expected a name such as 'F32'");
  }
  const auto* found =
      std::ranges::find_if(kAll, [&](DType dtype) { return dtype_name(dtype) == node->text; });
  if (found == std::end(kAll)) fail_input("dtype '" + node->text + "' is not supported");
  return *found;
}

// A list of sizes, in double precision: float32 would hold every integer only up to 2^24.
std::vector<std::size_t> whole_numbers(const JsonNode* node, const char* name) {
  if (node == nullptr || !node->is(JsonNode::Kind::kArray)) {
    fail_input(concat(name, " is not a list of numbers"));
  }
  std::vector<std::size_t> out;
  for (const JsonNode& item : node->items) {
    constexpr double kLargest = 9007199254740992.0;  // 2^53: a double holds every integer below
    const bool is_whole = item.is(JsonNode::Kind::kNumber) && item.number >= 0 &&
                          item.number < kLargest && std::floor(item.number) == item.number;
    if (!is_whole) fail_input(concat(name, " holds ", item.description(), "; expected a size"));
    out.push_back(static_cast<std::size_t>(item.number));
  }
  return out;
}

std::string offsets_text(const std::vector<std::size_t>& offsets) {
  std::vector<std::string> parts;
  for (std::size_t offset : offsets) parts.push_back(std::to_string(offset));
  return "[" + join(parts, ", ") + "]";
}

Entry parse_entry(const JsonMember& member, std::size_t data_size) {
  const JsonNode& node = member.value;
  if (!node.is(JsonNode::Kind::kObject)) fail_input("is not described by an object");
  Entry entry;
  entry.info.name = member.name;
  entry.info.dtype = parse_dtype(node.find("dtype"));
  entry.info.shape = whole_numbers(node.find("shape"), "shape");
  const std::vector<std::size_t> offsets = whole_numbers(node.find("data_offsets"), "data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_size) {
    fail_input(concat("data_offsets do not lie within the file; expected two numbers up to ",
                      data_size, ", got ", offsets_text(offsets)));
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  const std::size_t expected =
      checked_mul(element_count(entry.info.shape), dtype_size(entry.info.dtype));
  if (entry.end - entry.begin != expected) {
    fail_input(concat("shape and data_offsets differ; expected ", expected, " bytes for ",
                      shape_text(entry.info.shape), " of ", dtype_name(entry.info.dtype), ", got ",
                      entry.end - entry.begin));
  }
  return entry;
}

std::string quoted_name(const std::string& name) {
  return "tensor '" + name + "'";
}

// Data ranges must follow one another without overlap or gap, as the format says.
void check_ranges(std::vector<Entry> entries, std::size_t data_size) {
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::size_t expected = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != expected) {
      fail_input(concat(quoted_name(entry.info.name), ": data ",
                        entry.begin < expected ? "overlap those of another tensor" : "leave a gap",
                        "; expected to begin at ", expected, ", got ", entry.begin));
    }
    expected = entry.end;
  }
  if (expected != data_size) {
    fail_input(concat("data after the last tensor; expected ", expected, " bytes of data, got ",
                      data_size));
  }
}

class SafetensorsSource : public TensorSource {
 public:
  explicit SafetensorsSource(const FileBytes& file) : file_(file) {
    const std::span<const unsigned char> bytes = file_.bytes();
    if (bytes.size() < kLengthBytes) {
      fail_input(
          concat("too short for safetensors; expected at least 8 bytes, got ", bytes.size()));
    }
    const std::uint64_t length = read_length(bytes);
    if (length > bytes.size() - kLengthBytes) {
      if (bytes.size() > kLengthBytes && bytes[kLengthBytes] != '{') {
        fail_input("is not a safetensors file; expected a length of 8 bytes, then '{'");
      }
      fail_input(concat("the safetensors header is cut short; expected ", length, " bytes, got ",
                        bytes.size() - kLengthBytes));
    }
    if (length > kLongestHeader) {
      fail_input(concat("the safetensors header is too long; expected at most ", kLongestHeader,
                        " bytes, got ", length));
    }
    data_ = bytes.subspan(kLengthBytes + length);
    read_header(file_.text().substr(kLengthBytes, length));
  }

  const std::vector<TensorInfo>& tensors() const override { return infos_; }

  Tensor read(std::size_t index) const override {
    const Entry& entry = entries_[index];
    file_.check_length();
    Tensor out{entry.info.shape, FloatVector(element_count(entry.info.shape))};
    read_part(index, 0, out.data.size(), out.data.data());
    return out;
  }

  void read_part(std::size_t index, std::size_t first, std::size_t count,
                 float* out) const override {
    file_.check_length();
    const Entry& entry = entries_[index];
    const std::size_t begin = entry.begin + first * dtype_size(entry.info.dtype);
    convert_to_float(entry.info.dtype, data_.data() + begin, count, out);
    file_.check_length();
  }

  std::span<const float> floats(std::size_t index) const override {
    file_.check_length();
    const Entry& entry = entries_[index];
    if (entry.info.dtype != DType::kF32) return {};
    return floats_in_place(data_.data() + entry.begin, element_count(entry.info.shape));
  }

  const FloatCopier* copier(std::size_t) const override { return file_.copier(); }

 private:
  void read_header(std::string_view text) {
    JsonNode header;
    try {
      header = parse_json(text, JsonArrays::kAsValues);
    } catch (const Error& error) {
      throw error.at("safetensors header");
    }
    if (!header.is(JsonNode::Kind::kObject)) fail_input("the safetensors header is not an object");
    for (const JsonMember& member : header.members) {
      if (member.name == "__metadata__") continue;
      try {
        entries_.push_back(parse_entry(member, data_.size()));
      } catch (const Error& error) {
        fail_input(concat(quoted_name(member.name), ": ", error.what()), error.hint());
      }
    }
    check_ranges(entries_, data_.size());
    for (const Entry& entry : entries_) infos_.push_back(entry.info);
  }

  FileBytes file_;
  std::span<const unsigned char> data_;
  std::vector<Entry> entries_;
  std::vector<TensorInfo> infos_;
};

}  // namespace

std::unique_ptr<TensorSource> open_safetensors(const FileBytes& file) {
  return std::make_unique<SafetensorsSource>(file);
}

bool looks_like_safetensors(std::span<const unsigned char> bytes) {
  return bytes.size() > kLengthBytes && bytes[kLengthBytes] == '{' &&
         read_length(bytes) <= bytes.size() - kLengthBytes;
}

std::string safetensors_header(const std::vector<TensorInfo>& tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::size_t begin = 0;
  for (const TensorInfo& tensor : tensors) {
    const std::size_t size = checked_mul(element_count(tensor.shape), sizeof(float));
    header[tensor.name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, begin + size}}};
    begin = checked_add(begin, size);
  }
  std::string json = header.dump();
  json.append((8 - json.size() % 8) % 8, ' ');  // keeps the data aligned
  std::string out;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    out += static_cast<char>(static_cast<std::uint64_t>(json.size()) >> (8 * i) & 0xFF);
  }
  return out + json;
}

}  // namespace mha
