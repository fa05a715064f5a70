#include "mha/io/npy.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  DType dtype = DType::kF32;
  bool swap_bytes = false;
  bool fortran_order = false;
  Shape shape;
  std::size_t data_offset = 0;
};

// Reads the Python dictionary in a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3,)}.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  Header parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      read_value(key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (!has_descr_ || !has_order_ || !has_shape_) {
      fail("expected the keys descr, fortran_order and shape");
    }
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    fail_input(concat("malformed npy header at byte ", at_, ": ", what));
  }

  void read_value(const std::string& key) {
    if (key == "descr") {
      has_descr_ = true;
      read_descr(quoted());
    } else if (key == "fortran_order") {
      has_order_ = true;
      header_.fortran_order = boolean();
    } else if (key == "shape") {
      has_shape_ = true;
      read_shape();
    } else {
      fail("unknown key '" + key + "'");
    }
  }

  void read_descr(const std::string& descr) {
    static constexpr std::pair<std::string_view, DType> kTypes[] = {
        {"f8", DType::kF64}, {"f4", DType::kF32}, {"f2", DType::kF16}, {"i8", DType::kI64},
        {"i4", DType::kI32}, {"i2", DType::kI16}, {"i1", DType::kI8},  {"u8", DType::kU64},
        {"u4", DType::kU32}, {"u2", DType::kU16}, {"u1", DType::kU8},  {"b1", DType::kBool}};
    const char order = descr.empty() ? '\0' : descr[0];
    const std::string_view code = std::string_view(descr).substr(descr.empty() ? 0 : 1);
    const auto* found =
        std::ranges::find_if(kTypes, [code](const auto& type) { return type.first == code; });
    if (found == std::end(kTypes) || std::string_view("<>|=").find(order) == std::string::npos) {
      fail_input(concat("element type '", descr, "' is not supported"),
                 "save the array as float32, for example with array.astype('<f4')");
    }
    header_.dtype = found->second;
    header_.swap_bytes = order == '>' && dtype_size(header_.dtype) > 1;
  }

  void read_shape() {
    expect('(');
    while (!accept(')')) {
      header_.shape.push_back(integer());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail(concat("expected '", c, "'"));
  }

  std::string quoted() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("expected a quoted name");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a quoted name does not end");
    std::string out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)}) {
      if (text_.substr(at_).starts_with(word)) {
        at_ += std::strlen(word);
        return value;
      }
    }
    fail("expected True or False");
  }

  std::size_t integer() {
    skip_space();
    const std::size_t start = at_;
    std::size_t value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      value = checked_add(checked_mul(value, 10), static_cast<std::size_t>(text_[at_] - '0'));
      ++at_;
    }
    if (at_ == start) fail("expected a number of at least 0 in shape");
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Header header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

Header read_header(std::span<const unsigned char> bytes) {
  constexpr std::size_t kPrefix = 8;  // magic and version
  if (!looks_like_npy(bytes) || bytes.size() < kPrefix + 2) fail_input("not an npy file");
  const unsigned major = bytes[6];
  if (major < 1 || major > 3) {
    fail_input(concat("npy version ", major, " is not supported; expected 1, 2 or 3"));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < kPrefix + length_bytes) fail_input("the npy header is cut short");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | bytes[kPrefix + i];
  const std::size_t start = kPrefix + length_bytes;
  if (length > bytes.size() - start) {
    fail_input(concat("the npy header is cut short; expected ", length, " bytes, got ",
                      bytes.size() - start));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + start, length);
  Header header = HeaderParser(text).parse();
  header.data_offset = start + length;
  return header;
}

// Column-major elements to row-major: walks over the target in order with an odometer.
FloatVector from_fortran_order(const Shape& shape, const FloatVector& data) {
  FloatVector out(data.size());
  std::vector<std::size_t> steps(shape.size(), 1);
  for (std::size_t a = 1; a < shape.size(); ++a) steps[a] = steps[a - 1] * shape[a - 1];
  std::vector<std::size_t> index(shape.size(), 0);
  std::size_t from = 0;
  for (float& value : out) {
    value = data[from];
    for (std::size_t a = shape.size(); a-- > 0;) {
      from += steps[a];
      if (++index[a] < shape[a]) break;
      from -= steps[a] * shape[a];
      index[a] = 0;
    }
  }
  return out;
}

class NpySource : public TensorSource {
 public:
  explicit NpySource(const FileBytes& file) : file_(file), header_(read_header(file.bytes())) {
    const std::size_t size =
        checked_mul(element_count(header_.shape), dtype_size(header_.dtype));
    const std::size_t present = file_.bytes().size() - header_.data_offset;
    if (size != present) {
      fail_input(concat("the array has the wrong number of bytes; expected ", size, " for shape ",
                        shape_text(header_.shape), " of ", dtype_name(header_.dtype), ", got ",
                        present));
    }
    infos_.push_back({"", header_.dtype, header_.shape});
  }

  const std::vector<TensorInfo>& tensors() const override { return infos_; }

  Tensor read(std::size_t) const override {
    Tensor out{header_.shape, FloatVector(element_count(header_.shape))};
    const std::span<const unsigned char> raw = file_.bytes().subspan(header_.data_offset);
    if (header_.swap_bytes) {
      std::vector<unsigned char> swapped(raw.begin(), raw.end());
      const std::size_t width = dtype_size(header_.dtype);
      for (std::size_t i = 0; i < swapped.size(); i += width) {
        std::reverse(&swapped[i], &swapped[i] + width);
      }
      convert_to_float(header_.dtype, swapped.data(), out.data.size(), out.data.data());
    } else {
      convert_to_float(header_.dtype, raw.data(), out.data.size(), out.data.data());
    }
    if (header_.fortran_order) out.data = from_fortran_order(header_.shape, out.data);
    return out;
  }

 private:
  FileBytes file_;
  Header header_;
  std::vector<TensorInfo> infos_;
};

}  // namespace

std::unique_ptr<TensorSource> open_npy(const FileBytes& file) {
  return std::make_unique<NpySource>(file);
}

bool looks_like_npy(std::span<const unsigned char> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::equal(kMagic.begin(), kMagic.end(), bytes.begin(),
                    [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
}

std::string npy_header(const Shape& shape) {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (std::size_t n : shape) text += concat(n, ", ");
  if (shape.size() > 1) text.resize(text.size() - 2);
  if (shape.size() == 1) text.pop_back();
  text += "), }";
  // The format asks for a multiple of 64 bytes before the data, ending in a newline.
  constexpr std::size_t kPrefix = 10;
  text.append(63 - (kPrefix + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace mha
