// The script and the style sheet of the interactive page, which are part of the program.
#pragma once

#include <string_view>

namespace mha::render {

std::string_view page_script();
std::string_view page_style();
// "sha256-...": what a Content-Security-Policy allows this script by.
std::string_view page_script_hash();

}  // namespace mha::render
