#include "console.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

namespace mha::cli {
namespace {

constexpr const char* kRed = "\033[31m";
constexpr const char* kYellow = "\033[33m";
constexpr const char* kBlue = "\033[34m";
constexpr const char* kReset = "\033[0m";

bool no_color_wanted() {
  const char* value = std::getenv("NO_COLOR");  // no-color.org: present and not empty
  return value != nullptr && *value != '\0';
}

}  // namespace

// Messages quote the user's data: control codes in it must not reach the terminal, neither as bytes
// nor as the characters U+0080 to U+009F, which some terminals obey as well.
std::string printable(const std::string& text) {
  std::string out;
  std::size_t offset = 0;
  while (offset < text.size()) {
    const std::size_t start = offset;
    const char32_t code = next_code_point(text, &offset);
    const auto byte = static_cast<unsigned char>(text[start]);
    if (code == kBadUtf8 || code < 0x20 || (code >= 0x7F && code < 0xA0)) {
      static constexpr char kHex[] = "0123456789ABCDEF";
      const unsigned value = code == kBadUtf8 ? byte : static_cast<unsigned>(code);
      out += {'\\', 'x', kHex[value >> 4], kHex[value & 15]};
    } else {
      out.append(text, start, offset - start);
    }
  }
  return out;
}

Console::Console(std::ostream& out, std::ostream& err)
    : out_(out),
      err_(err),
      is_terminal_(&err == &std::cerr && ::isatty(STDERR_FILENO) == 1),
      uses_color_(is_terminal_ && !no_color_wanted()),
      colors_stdout_(&out == &std::cout && ::isatty(STDOUT_FILENO) == 1 && !no_color_wanted()) {}

void Console::print(std::string_view text) {
  out_.write(text.data(), static_cast<std::streamsize>(text.size()));
  out_.flush();
  if (!out_) fail_output("standard output: cannot be written");
}

void Console::error(const Error& error) {
  line(kRed, "error: ", error.what());
  if (!error.hint().empty()) err_ << "  hint: " << printable(error.hint()) << '\n';
}

void Console::warning(const std::string& text) {
  if (!quiet_) line(kYellow, "warning: ", text);
}

void Console::note(const std::string& text) {
  if (!quiet_) line(kBlue, "note: ", text);
}

void Console::say(const std::string& text) {
  if (quiet_) return;
  progress("");
  err_ << printable(text) << '\n';
}

void Console::line(const char* color, const char* prefix, const std::string& text) {
  progress("");
  err_ << "mha-viz: ";
  if (uses_color_) err_ << color;
  err_ << prefix;
  if (uses_color_) err_ << kReset;
  err_ << printable(text) << '\n';
}

void Console::progress(const std::string& text) {
  if (text.empty() && !has_progress_) return;
  err_ << "\r\033[K" << text << std::flush;
  has_progress_ = !text.empty();
}

void report_warnings(const std::vector<std::string>& warnings, const std::string& place,
                     bool strict, Console& console) {
  if (strict && !warnings.empty()) {
    fail_input(place + ": " + warnings.front(), "without --strict this is a warning");
  }
  for (const std::string& warning : warnings) console.warning(place + ": " + warning);
}

ProgressBar::ProgressBar(Console& console, std::uint64_t total_rows)
    : console_(console),
      total_(total_rows),
      start_(std::chrono::steady_clock::now()),
      last_(start_) {}

ProgressBar::~ProgressBar() {
  console_.progress("");
}

void ProgressBar::add(std::size_t, const RowBlock& block) {
  advance(block.weights.rows);
}

void ProgressBar::add_pooled(std::size_t, const PooledBlock& block) {
  advance(block.values.rows);
}

void ProgressBar::advance(std::uint64_t rows) {
  const std::uint64_t done = done_.fetch_add(rows) + rows;
  if (!console_.shows_progress()) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const auto now = std::chrono::steady_clock::now();
  using Seconds = std::chrono::duration<double>;
  const double elapsed = Seconds(now - start_).count();
  if (elapsed < 1 || Seconds(now - last_).count() < 0.1) return;
  last_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  constexpr std::size_t kWidth = 30;
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const double left = elapsed / share - elapsed;
  console_.progress(concat("[", std::string(filled, '#'), std::string(kWidth - filled, '.'), "] ",
                           fixed(100 * share, 0), "%  ",
                           fixed(static_cast<double>(done) / elapsed, 0), " rows/s  ",
                           fixed(left, 0), " s left"));
}

void InputCounter::count(Console& console) {
  ++n_;
  if (!console.shows_progress()) return;
  using Seconds = std::chrono::duration<double>;
  const auto now = std::chrono::steady_clock::now();
  const double elapsed = Seconds(now - start_).count();
  if (elapsed < 1 || Seconds(now - last_).count() < 0.1) return;
  last_ = now;
  console.progress(
      concat(n_, " inputs  ", fixed(static_cast<double>(n_) / elapsed, 0), " a second"));
}

bool stdout_is_terminal() {
  return ::isatty(STDOUT_FILENO) == 1;
}

std::size_t stdout_columns() {
  constexpr std::size_t kUsual = 100;
  constexpr std::size_t kLeast = 40;
  constexpr std::size_t kMost = 400;
  winsize window{};
  std::size_t columns = 0;
  if (stdout_is_terminal() && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
    columns = window.ws_col;
  } else if (const char* wanted = std::getenv("COLUMNS")) {
    parse_whole(wanted, &columns);
  }
  return columns == 0 ? kUsual : std::clamp(columns, kLeast, kMost);
}

}  // namespace mha::cli
