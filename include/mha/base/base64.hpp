// Bytes as text of the base64 alphabet (RFC 4648), for pages that hold binary data.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace mha {

std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace mha
