// The walkthrough as pictures.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mha/render/font.hpp"
#include "mha/render/sheet.hpp"

#include "walked.hpp"

namespace mha::cli {

// All heads in one sheet would grow beyond what people look at (and PNG holds).
inline constexpr std::size_t kMostHeadsInFigure = 8;

// The heads from `first` on, `count` of them, one below the other: one tall figure.
std::vector<std::uint8_t> steps_picture(const WalkedInput& input, std::size_t first,
                                        std::size_t count, const PictureOptions& options,
                                        render::Typesetter& typesetter);

// One step of one head.
std::vector<std::uint8_t> step_picture(const WalkedInput& input, const WalkedHead& head,
                                       std::size_t step, const PictureOptions& options,
                                       render::Typesetter& typesetter);

}  // namespace mha::cli
