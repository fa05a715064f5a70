// `steps --cost`: what one layer costs when the same width is split over more and more heads.
#pragma once

#include "console.hpp"
#include "options.hpp"
#include "selection.hpp"

namespace mha::cli {

// Prints multiply-adds by stage for 1, 2, 4 and 8 heads (and the layer's own number) on stdout, and
// how long each took here on stderr. Throws Error(kInput) where no layer is computed from X.
void print_cost(const OpenedInput& input, const StepsOptions& options, Console& console);

}  // namespace mha::cli
