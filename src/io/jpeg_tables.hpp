// What is checked of a JPEG before the decoder sees it.
#pragma once

#include <string>
#include <string_view>

namespace mha {

// The file without its comments and the data of applications, which no picture needs.
std::string without_extra_segments(std::string_view jpeg);

// Whether every Huffman table has at most 256 codes. stb_image 2.27 writes beyond its arrays for
// more. Tables are looked for wherever a marker could be, not only where the decoder should see
// one.
bool has_sound_tables(std::string_view jpeg);

}  // namespace mha
