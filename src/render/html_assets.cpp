// The joined script and style sheet (cmake/JoinPage.cmake) as part of the program: the assembler
// copies the files into the read-only data.
#include "mha/render/html_assets.hpp"

#include "page_hash.inc"

#define MHA_COPY_FILE(name, file)     \
  asm(".section .rodata\n"            \
      ".balign 16\n"                  \
      ".globl " name                  \
      "_begin\n"                      \
      ".hidden " name "_begin\n" name \
      "_begin:\n"                     \
      ".incbin \"" file               \
      "\"\n"                          \
      ".globl " name                  \
      "_end\n"                        \
      ".hidden " name "_end\n" name   \
      "_end:\n"                       \
      ".byte 0\n"                     \
      ".previous\n")

MHA_COPY_FILE("mha_page_script", MHA_PAGE_FOLDER "/page.js");
MHA_COPY_FILE("mha_page_style", MHA_PAGE_FOLDER "/page.css");

extern "C" {
extern const char mha_page_script_begin[];
extern const char mha_page_script_end[];
extern const char mha_page_style_begin[];
extern const char mha_page_style_end[];
}

namespace mha::render {

std::string_view page_script() {
  return {mha_page_script_begin, mha_page_script_end};
}

std::string_view page_style() {
  return {mha_page_style_begin, mha_page_style_end};
}

std::string_view page_script_hash() {
  return MHA_PAGE_SCRIPT_HASH;
}

}  // namespace mha::render
