// One step as a panel of a sheet.
#pragma once

#include "mha/render/sheet.hpp"

#include "walked.hpp"

namespace mha::cli {

// `colormap` is that of attention weights.
render::SheetPanel step_panel(const WalkedInput& input, const WalkedHead& head, std::size_t step,
                              const std::string& colormap);

}  // namespace mha::cli
