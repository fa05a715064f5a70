// What a token is by its text alone: special, punctuation.
#pragma once

#include <string_view>

namespace mha {

// Tokens that stand for no text: "[CLS]", "<s>", "</s>", "<|endoftext|>", "<pad>". Not the byte
// tokens of SentencePiece ("<0xE7>"), and not a bracket alone.
bool is_special_token(std::string_view token);

// Tokens of nothing but punctuation (Unicode categories P*), with or without a space mark in front
// or a "##" that continues a word.
bool is_punctuation_token(std::string_view token);

}  // namespace mha
