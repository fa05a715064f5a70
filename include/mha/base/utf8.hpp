// UTF-8 text: checking it and walking over its code points.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mha {

inline constexpr char32_t kBadUtf8 = 0xFFFFFFFF;

// Reads the code point at `*offset` and moves past it. An ill-formed byte gives kBadUtf8 and moves
// one byte on. Overlong forms, surrogates and values above U+10FFFF are ill-formed (RFC 3629).
char32_t next_code_point(std::string_view text, std::size_t* offset);

// Offset of the first ill-formed byte, or npos when the text is well-formed.
std::size_t find_bad_utf8(std::string_view text);

std::size_t count_code_points(std::string_view text);

// Marks and overrides that turn the direction of the text around them (Unicode's bidi controls).
bool steers_direction(char32_t code_point);

void append_code_point(char32_t code_point, std::string* out);

}  // namespace mha
