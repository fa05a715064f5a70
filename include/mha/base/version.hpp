#pragma once

namespace mha {

inline constexpr const char* kVersion = MHA_VERSION;  // set by CMake from project(VERSION)

}  // namespace mha
