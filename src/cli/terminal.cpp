#include "terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

#include "mha/base/text.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kMostColumns = 2000;
constexpr auto kPatience = std::chrono::milliseconds(700);

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : static_cast<char>(c);
  });
  return text;
}

bool is_one_of(const std::string& text, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* name) { return text == name; });
}

// Terminals that show what they do not know, or are no real ones, are not asked.
bool may_be_asked() {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1) return false;
  if (::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return false;  // in the background
  const std::string term = variable("TERM");
  return !term.empty() && !is_one_of(term, {"dumb", "linux"}) &&
         variable("TERM_PROGRAM") != "Apple_Terminal";
}

// Numbers between `begin` and `end`, split at semicolons: "62;4;6".
std::vector<std::size_t> numbers_of(std::string_view text) {
  std::vector<std::size_t> out;
  for (const std::string& part : split(std::string(text), ';')) {
    std::size_t number = 0;
    if (!parse_whole(part, &number)) return {};
    out.push_back(number);
  }
  return out;
}

// The parameters of the first control sequence ESC [ PREFIX ... FINAL.
std::optional<std::vector<std::size_t>> sequence(std::string_view text, std::string_view prefix,
                                                 char final) {
  const std::string begin = "\033[" + std::string(prefix);
  for (std::size_t at = text.find(begin); at != std::string_view::npos;
       at = text.find(begin, at + 1)) {
    const std::size_t first = at + begin.size();
    const std::size_t end = text.find_first_not_of("0123456789;", first);
    if (end == std::string_view::npos) return std::nullopt;
    if (text[end] == final) return numbers_of(text.substr(first, end - first));
  }
  return std::nullopt;
}

// "rgb:1414/1616/1a1a": each channel of 1 to 4 hexadecimal digits.
std::optional<bool> is_dark_color(std::string_view text) {
  constexpr std::string_view kPrefix = "\033]11;rgb:";
  const std::size_t at = text.find(kPrefix);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kPrefix.size());
  double sum = 0;
  for (const double weight : {0.30, 0.59, 0.11}) {
    const std::size_t digits =
        std::min(text.find_first_not_of("0123456789abcdefABCDEF"), text.size());
    if (digits == 0 || digits > 4) return std::nullopt;
    const double value = std::strtod(("0x" + std::string(text.substr(0, digits))).c_str(), nullptr);
    sum += weight * value / (std::pow(16.0, static_cast<double>(digits)) - 1);
    text.remove_prefix(std::min(digits + 1, text.size()));
  }
  return sum < 0.5;
}

}  // namespace

TerminalSize terminal_size() {
  TerminalSize size;
  winsize window{};
  const bool is_known = ::isatty(STDOUT_FILENO) == 1 &&
                        ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 &&
                        window.ws_row > 0;
  if (is_known) return {window.ws_col, window.ws_row, window.ws_xpixel, window.ws_ypixel};
  std::size_t number = 0;
  if (parse_whole(variable("COLUMNS"), &number) && number > 0) {
    size.columns = std::min(number, kMostColumns);
  }
  if (parse_whole(variable("LINES"), &number) && number > 0) {
    size.lines = std::min(number, kMostColumns);
  }
  return size;
}

bool is_utf8_locale(bool unset) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = lower(variable(name));
    if (value.empty()) continue;
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return unset;
}

render::TerminalColors terminal_colors() {
  using render::TerminalColors;
  const std::string term = variable("TERM");
  if (!variable("NO_COLOR").empty() || !is_utf8_locale(false)) return TerminalColors::kNone;
  if (term.empty() || term == "dumb" || term.starts_with("vt")) return TerminalColors::kNone;
  if (is_one_of(variable("COLORTERM"), {"truecolor", "24bit"})) return TerminalColors::kTrue;
  // Over ssh COLORTERM is lost, and the name of the terminal is not.
  const bool is_known =
      is_one_of(term, {"xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour"});
  if (is_known || term.ends_with("-direct")) return TerminalColors::kTrue;
  return TerminalColors::k256;
}

TerminalAnswer parse_terminal_answer(std::string_view text) {
  TerminalAnswer answer;
  answer.has_kitty = text.find("\033_Gi=31;OK\033\\") != std::string_view::npos;
  if (const auto attributes = sequence(text, "?", 'c')) {
    constexpr std::size_t kSixel = 4;
    answer.has_sixel = std::ranges::find(*attributes, kSixel) != attributes->end();
  }
  answer.is_dark = is_dark_color(text);
  const auto area = sequence(text, "4;", 't');
  if (area && area->size() == 2) {
    answer.height_px = (*area)[0];
    answer.width_px = (*area)[1];
  }
  return answer;
}

TerminalAnswer ask_terminal() {
  if (!may_be_asked()) return {};
  const QuietInput quiet;
  // Can it draw in kitty's protocol? Its background? Its size in pixels? What is it? All terminals
  // know the last question, so that no answer to it is worth waiting for beyond a moment.
  write_terminal("\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\\033]11;?\033\\\033[14t\033[c");
  std::string text;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!sequence(text, "?", 'c')) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) break;
    text += read_typed(static_cast<int>(left.count()));
  }
  return parse_terminal_answer(text);
}

bool write_terminal(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

QuietInput::QuietInput() {
  termios now{};
  if (::isatty(STDIN_FILENO) != 1 || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp() ||
      ::tcgetattr(STDIN_FILENO, &now) != 0) {
    return;
  }
  saved_ = now;
  now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  now.c_cc[VMIN] = 0;
  now.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

QuietInput::~QuietInput() {
  if (saved_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*saved_);
}

std::string read_typed(int milliseconds) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, milliseconds) <= 0) return "";
  char buffer[512];
  const ssize_t n = ::read(STDIN_FILENO, buffer, sizeof buffer);
  return n > 0 ? std::string(buffer, static_cast<std::size_t>(n)) : "";
}

}  // namespace mha::cli
