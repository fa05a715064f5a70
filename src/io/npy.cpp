#include "mha/io/npy.hpp"

#include <algorithm>
#include <string_view>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "npy_header.hpp"

namespace mha {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

class NpySource : public TensorSource {
 public:
  explicit NpySource(const FileBytes& file)
      : file_(file), header_(read_npy_header(file.bytes(), file.bytes().size())) {
    infos_.push_back({"", header_.dtype, header_.shape});
  }

  const std::vector<TensorInfo>& tensors() const override { return infos_; }

  Tensor read(std::size_t) const override {
    file_.check_length();
    FloatVector data(header_.count);
    convert_npy(header_, raw(), data.size(), data.data());
    file_.check_length();
    return {header_.shape, in_row_order(header_, std::move(data))};
  }

  std::span<const float> floats(std::size_t) const override {
    file_.check_length();
    const bool in_order = !header_.fortran_order || header_.shape.size() <= 1;
    if (header_.dtype != DType::kF32 || header_.swap_bytes || !in_order) return {};
    return floats_in_place(raw(), header_.count);
  }

  const FloatCopier* copier(std::size_t) const override { return file_.copier(); }

 private:
  const unsigned char* raw() const { return file_.bytes().data() + header_.data_offset; }

  FileBytes file_;
  NpyHeader header_;
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
