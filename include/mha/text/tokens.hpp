// Splitting a toy sentence into words, and the form in which a token is shown to people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mha {

// Splits at white space; each punctuation mark of ASCII becomes a token of its own, except an
// apostrophe or hyphen between letters ("don't", "well-known").
std::vector<std::string> split_words(std::string_view text);

// A token as a label shows it; the raw piece stays in JSON. The space marks of byte-level BPE and
// SentencePiece (U+0120 and U+2581 in front) and plain leading spaces become a middle dot, newline
// and tab a visible sign, "<0xE7>" the byte "<E7>", other control characters "\x1B"; ill-formed
// UTF-8 is shown byte by byte, never as U+FFFD. An empty token becomes the sign for "empty".
std::string display_token(std::string_view token);

}  // namespace mha
