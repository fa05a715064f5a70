// What the terminal on stdout can do: its size, its colours, its pictures.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <termios.h>

#include "mha/render/terminal.hpp"

namespace mha::cli {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t lines = 24;
  std::size_t width_px = 0;  // of the whole window; 0: the terminal does not say
  std::size_t height_px = 0;

  bool operator==(const TerminalSize&) const = default;
};

// By the terminal itself, else $COLUMNS and $LINES, else 80 x 24.
TerminalSize terminal_size();

// Whether the locale's characters are UTF-8, by LC_ALL, LC_CTYPE and LANG; `unset` where none of
// them is set.
bool is_utf8_locale(bool unset);

// By NO_COLOR, TERM, COLORTERM and the locale.
render::TerminalColors terminal_colors();

// What a terminal answered to being asked.
struct TerminalAnswer {
  bool has_kitty = false;  // graphics protocol
  bool has_sixel = false;
  std::optional<bool> is_dark;  // its background
  std::size_t width_px = 0;     // of the text area; 0: it does not say
  std::size_t height_px = 0;
};

// Reads a terminal's answers; `text` may hold other input as well.
TerminalAnswer parse_terminal_answer(std::string_view text);

// Asks the terminal, where stdin and stdout are one and this process may read from it. Waits for
// its answer for a short time only; a terminal that says nothing can do nothing.
TerminalAnswer ask_terminal();

// Writes to stdout at once; false when that fails.
bool write_terminal(std::string_view text);

// stdin without echo and line by line while this exists; nothing where it is no terminal.
class QuietInput {
 public:
  QuietInput();
  ~QuietInput();
  QuietInput(const QuietInput&) = delete;
  QuietInput& operator=(const QuietInput&) = delete;

  bool is_terminal() const { return saved_.has_value(); }

 private:
  std::optional<termios> saved_;
};

// Waits up to `milliseconds` for input on stdin and returns what there is; also returns when a
// signal comes.
std::string read_typed(int milliseconds);

}  // namespace mha::cli
