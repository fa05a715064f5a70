// What people read on stderr: errors, warnings, notes, progress.
#pragma once

#include <atomic>
#include <chrono>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mha/analysis/accumulator.hpp"
#include "mha/base/error.hpp"

namespace mha::cli {

// Text that may hold the user's data, for a terminal: control codes in it are shown, not obeyed.
std::string printable(const std::string& text);

class Console {
 public:
  // Colours and progress only where `err` is the terminal's stderr; colours obey NO_COLOR.
  Console(std::ostream& out, std::ostream& err);

  std::ostream& out() { return out_; }
  // Writes to stdout at once. Throws Error(kOutput) when that fails, as for a closed pipe.
  void print(std::string_view text);
  void set_quiet(bool quiet) { quiet_ = quiet; }

  void error(const Error& error);
  void warning(const std::string& text);
  void note(const std::string& text);
  // A line without a prefix, for example what was written.
  void say(const std::string& text);

  // Whether text on stdout may have colours.
  bool colors_stdout() const { return colors_stdout_; }
  bool shows_progress() const { return !quiet_ && is_terminal_; }
  // Replaces the progress line; "" removes it.
  void progress(const std::string& text);

 private:
  void line(const char* color, const char* prefix, const std::string& text);

  std::ostream& out_;
  std::ostream& err_;
  bool is_terminal_ = false;
  bool uses_color_ = false;
  bool colors_stdout_ = false;
  bool quiet_ = false;
  bool has_progress_ = false;
};

// Prints the warnings about one input; with --strict the first of them becomes an Error(kInput).
void report_warnings(const std::vector<std::string>& warnings, const std::string& place,
                     bool strict, Console& console);

// Counts rows as they stream by and shows a bar once the work has lasted a second.
class ProgressBar : public Accumulator {
 public:
  ProgressBar(Console& console, std::uint64_t total_rows);
  ~ProgressBar() override;

  void add(std::size_t slot, const RowBlock& block) override;
  Needs needs() const override { return Needs::kNothing; }
  void add_pooled(std::size_t slot, const PooledBlock& block) override;

 private:
  void advance(std::uint64_t rows);

  Console& console_;
  const std::uint64_t total_;
  std::atomic<std::uint64_t> done_{0};
  std::mutex mutex_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

// Counts inputs and shows the number and rate once they have taken a second.
class InputCounter {
 public:
  void count(Console& console);

 private:
  std::uint64_t n_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = start_;
};

// Whether standard output is a terminal, which binary data must not reach.
bool stdout_is_terminal();

// Columns of the window that stdout goes to; where it is no terminal, $COLUMNS or 100.
std::size_t stdout_columns();

}  // namespace mha::cli
