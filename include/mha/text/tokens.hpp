// Splitting a toy sentence into words, and the form in which a token is shown to people.
#pragma once

#include <optional>
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
// Where byte-level BPE spells characters beyond ASCII, these are shown: "caf\u00C3\u00A9" is
// "caf\u00E9".
std::string display_token(std::string_view token);

// The same for the tokens of one input. Where they are byte-level BPE's as a whole (each spells
// bytes, and one starts with its space mark), parts of a character are shown as bytes: "<F0>".
std::vector<std::string> display_tokens(const std::vector<std::string>& tokens);

// Whether a token stands for no text but for a mark of the model: "[CLS]" (capitals, digits, "_",
// or one of bos, eos, cls, sep, pad, unk, mask),
// "<s>", "</s>", "<extra_id_0>", "<|endoftext|>" (names that start with a letter). A byte token
// such as "<0xE7>" is text.
bool is_special_token(std::string_view token);

// The byte that a token such as "<0xE7>" stands for, as SentencePiece writes it.
std::optional<unsigned char> byte_token(std::string_view token);

// The bytes of a token of byte-level BPE, which writes each byte as one printable character
// ("\u0120caf\u00C3\u00A9" is " caf\u00E9"); nothing where a character stands for no byte.
std::optional<std::string> byte_level_text(std::string_view token);

}  // namespace mha
