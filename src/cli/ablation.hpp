// --ablate: heads of a model whose outputs are zero in the forward pass.
#pragma once

#include <string>

#include "mha/model/config.hpp"
#include "mha/model/transformer.hpp"

namespace mha::cli {

// The heads that "L3H1,L4H*" names in a model; "": none. Throws Error(kUsage) for a head that the
// model does not have.
AblatedHeads parse_ablation(const std::string& list, const ModelConfig& config);

}  // namespace mha::cli
