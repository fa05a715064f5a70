#include "npy_header.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "mha/base/checked.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/npy.hpp"

namespace mha {
namespace {

// Reads the Python dictionary in a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3,)}.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  NpyHeader parse() {
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
    skip_space();
    if (at_ != text_.size()) fail("text after the dictionary");
    if (!has_descr_ || !has_order_ || !has_shape_) {
      fail("expected the keys descr, fortran_order and shape");
    }
    return header_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    fail_input(concat("malformed npy header at byte ", at_, ": ", what));
  }

  [[noreturn]] static void fail_type(const std::string& descr) {
    fail_input(concat("element type '", descr, "' is not supported"),
               "save the array as float32, for example with array.astype('<f4')");
  }

  void read_value(const std::string& key) {
    if (key == "descr") {
      take_first(&has_descr_, key);
      if (accept('[')) fail_type("[...]");
      read_descr(quoted());
    } else if (key == "fortran_order") {
      take_first(&has_order_, key);
      header_.fortran_order = boolean();
    } else if (key == "shape") {
      take_first(&has_shape_, key);
      read_shape();
    } else {
      fail("unknown key '" + key + "'");
    }
  }

  void take_first(bool* seen, const std::string& key) const {
    if (*seen) fail("key '" + key + "' is given twice");
    *seen = true;
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
      fail_type(descr);
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
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

// Checks that the data after the header are as many as it says.
void check_size(const NpyHeader& header, std::size_t file_size) {
  const std::size_t size = checked_mul(header.count, dtype_size(header.dtype));
  const std::size_t present = file_size - header.data_offset;
  if (size != present) {
    fail_input(concat("the array has the wrong number of bytes; expected ", size, " for shape ",
                      shape_text(header.shape), " of ", dtype_name(header.dtype), ", got ",
                      present));
  }
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

}  // namespace

NpyHeader read_npy_header(std::span<const unsigned char> start, std::size_t file_size) {
  constexpr std::size_t kPrefix = 8;  // magic and version
  if (!looks_like_npy(start) || start.size() < kPrefix + 2) fail_input("not an npy file");
  const unsigned major = start[6];
  if (major < 1 || major > 3) {
    fail_input(concat("npy version ", major, " is not supported; expected 1, 2 or 3"));
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = kPrefix + length_bytes;
  if (start.size() < begin) fail_input("the npy header is cut short");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | start[kPrefix + i];
  if (length > file_size - begin) {
    fail_input(concat("the npy header is cut short; expected ", length, " bytes, got ",
                      file_size - begin));
  }
  if (length > start.size() - begin || length > kLongestNpyHeader - begin) {
    fail_input(concat("the npy header is too long; expected at most ", kLongestNpyHeader - begin,
                      " bytes, got ", length));
  }
  const std::string_view text(reinterpret_cast<const char*>(start.data()) + begin, length);
  NpyHeader header = HeaderParser(text).parse();
  header.data_offset = begin + length;
  header.count = element_count(header.shape);
  check_size(header, file_size);
  return header;
}

void convert_npy(const NpyHeader& header, const unsigned char* bytes, std::size_t count,
                 float* out) {
  if (!header.swap_bytes) return convert_to_float(header.dtype, bytes, count, out);
  const std::size_t width = dtype_size(header.dtype);
  std::array<unsigned char, 4096> swapped;  // a multiple of every width
  for (std::size_t done = 0; done < count;) {
    const std::size_t part = std::min(count - done, swapped.size() / width);
    std::memcpy(swapped.data(), bytes + done * width, part * width);
    for (std::size_t i = 0; i < part * width; i += width) {
      std::reverse(&swapped[i], &swapped[i] + width);
    }
    convert_to_float(header.dtype, swapped.data(), part, out + done);
    done += part;
  }
}

FloatVector in_row_order(const NpyHeader& header, FloatVector data) {
  if (!header.fortran_order) return data;
  return from_fortran_order(header.shape, data);
}

}  // namespace mha
