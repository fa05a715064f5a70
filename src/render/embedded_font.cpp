// DejaVu Sans as part of the program: the assembler copies the file MHA_FONT_FILE into the
// read-only data, so that labels can be drawn where no font is installed.
#include "mha/render/font.hpp"

#ifdef __APPLE__
#error "only ELF targets are supported"
#endif

asm(".section .rodata\n"
    ".balign 16\n"
    ".globl mha_font_begin\n"
    ".hidden mha_font_begin\n"
    "mha_font_begin:\n"
    ".incbin \"" MHA_FONT_FILE
    "\"\n"
    ".globl mha_font_end\n"
    ".hidden mha_font_end\n"
    "mha_font_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const std::uint8_t mha_font_begin[];
extern const std::uint8_t mha_font_end[];
}

namespace mha::render {

FontData embedded_font() {
  return {.owner = nullptr, .bytes = {mha_font_begin, mha_font_end}, .face_index = 0};
}

}  // namespace mha::render
