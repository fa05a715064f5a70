// The entries of families(), by kind. Names and defaults follow the classes of Hugging Face's
// transformers that write these checkpoints.
#pragma once

#include <vector>

#include "families.hpp"

namespace mha {

std::vector<Family> encoder_families();  // BERT and its relatives
std::vector<Family> decoder_families();  // GPT-2, and Llama and its relatives

}  // namespace mha
