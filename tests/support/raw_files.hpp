// Files of numbers built byte by byte, right ones and broken ones.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace mha::test {

// `value` as its bytes, lowest first.
template <typename T>
std::string little_endian(T value) {
  std::string out(sizeof(T), '\0');
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

template <typename T>
std::string raw_of(const std::vector<T>& values) {
  std::string out;
  for (const T value : values) out += little_endian(value);
  return out;
}

// Exchanges the bytes of each element of this width.
inline std::string swapped(std::string raw, std::size_t width) {
  for (std::size_t i = 0; i + width <= raw.size(); i += width) {
    raw.replace(i, width,
                std::string(raw.rbegin() + static_cast<std::ptrdiff_t>(raw.size() - i - width),
                            raw.rend() - static_cast<std::ptrdiff_t>(i)));
  }
  return raw;
}

// An npy file with this header text; version 1 has a 2-byte length, 2 and 3 a 4-byte one.
inline std::string npy_file(const std::string& header, const std::string& data, int version = 1) {
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  out += version == 1 ? little_endian(static_cast<std::uint16_t>(header.size()))
                      : little_endian(static_cast<std::uint32_t>(header.size()));
  return out + header + data;
}

inline std::string npy_of(const std::string& descr, const std::string& shape,
                          const std::string& data, bool fortran_order = false) {
  return npy_file("{'descr': '" + descr + "', 'fortran_order': " +
                      (fortran_order ? "True" : "False") + ", 'shape': " + shape + ", }\n",
                  data);
}

inline std::string safetensors_file(const std::string& header, const std::string& data) {
  return little_endian(static_cast<std::uint64_t>(header.size())) + header + data;
}

}  // namespace mha::test
