// FNV-1a, 64 bits: tells contents apart; not for security.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mha {

class ContentHash {
 public:
  void add(const void* bytes, std::size_t size) {
    const auto* data = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ data[i]) * 1099511628211U;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037U;
};

inline std::uint64_t content_hash(std::string_view text) {
  ContentHash hash;
  hash.add(text.data(), text.size());
  return hash.value();
}

}  // namespace mha
