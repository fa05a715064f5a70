// One input as a picture for the terminal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mha/render/font.hpp"
#include "mha/render/terminal.hpp"
#include "mha/source/source.hpp"

#include "console.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace mha::cli {

enum class Graphics { kKitty, kSixel, kBlocks, kAscii };

// How the terminal is drawn upon.
struct TerminalView {
  Graphics graphics = Graphics::kAscii;
  bool is_terminal = false;
  bool is_dark = true;
  TerminalSize size;
  TerminalAnswer answer;
};

// What the options and the terminal agree on. Asks the terminal where that is needed. Throws
// Error(kUsage) for graphics that stdout cannot take.
TerminalView choose_view(const ShowOptions& options);

// Draws inputs for one terminal, whose size may change.
class ShowPicture {
 public:
  ShowPicture(const ShowOptions& options, Console& console);

  // What is printed; lines end in newlines. At most `lines` lines where that can be helped.
  std::string draw(const OpenedInput& input, const TerminalView& view, std::size_t lines);
  // What looks wrong with the numbers of the last one.
  const std::vector<std::string>& warnings() const { return warnings_; }
  std::size_t missing_glyphs() const { return typesetter_->missing_glyphs(); }

 private:
  class Drawing;

  const ShowOptions& options_;
  Console& console_;
  std::unique_ptr<render::Typesetter> typesetter_;
  std::vector<std::string> warnings_;
};

}  // namespace mha::cli
