// What a terminal would show for some text: characters and colours, place by place.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

namespace mha::test {

struct TerminalCell {
  std::string text = " ";
  std::string color;  // "2;255;0;0", "5;196"; "" is the terminal's own
  std::string background;
  bool operator==(const TerminalCell&) const = default;
};

// Understands SGR colours and CHA (go to a column) alone; throws for any other control code.
class TerminalGrid {
 public:
  explicit TerminalGrid(const std::string& output) {
    lines_.emplace_back();
    for (std::size_t at = 0; at < output.size();) {
      if (output[at] == '\033') {
        obey(output, &at);
      } else if (output[at] == '\n') {
        lines_.emplace_back();
        column_ = 0;
        ++at;
      } else {
        put(output, &at);
      }
    }
    for (auto& line : lines_) {
      while (!line.empty() && line.back() == TerminalCell{}) line.pop_back();
    }
    while (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
  }

  bool operator==(const TerminalGrid& other) const { return lines_ == other.lines_; }
  std::size_t lines() const { return lines_.size(); }
  std::size_t width(std::size_t line) const { return lines_[line].size(); }
  TerminalCell at(std::size_t column, std::size_t line) const {
    if (line >= lines_.size() || column >= lines_[line].size()) return {};
    return lines_[line][column];
  }
  // The colours of the two halves of a place: "" is the terminal's own.
  std::string upper(std::size_t column, std::size_t line) const {
    const TerminalCell cell = at(column, line);
    return cell.text == "\u2580" ? cell.color : cell.background;
  }
  std::string lower(std::size_t column, std::size_t line) const {
    const TerminalCell cell = at(column, line);
    return cell.text == "\u2584" ? cell.color : cell.background;
  }
  // Without colours; half blocks are spaces. The second place of a wide character is empty.
  std::string text(std::size_t line) const {
    std::string out;
    if (line >= lines_.size()) return out;
    for (const TerminalCell& cell : lines_[line]) {
      out += cell.text == "\u2580" || cell.text == "\u2584" ? " " : cell.text;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  }
  std::string text() const {
    std::string out;
    for (std::size_t line = 0; line < lines(); ++line) out += text(line) + "\n";
    return out;
  }

 private:
  static std::size_t width_of(char32_t code) {
    if ((code >= 0x300 && code < 0x370) || code == 0x200D || code == 0xFE0F) return 0;
    const bool is_wide = (code >= 0x1100 && code < 0x1160) || (code >= 0x2E80 && code < 0xA4D0) ||
                         (code >= 0xAC00 && code < 0xD7A4) || (code >= 0xFF00 && code < 0xFF61) ||
                         code >= 0x1F300;
    return is_wide ? 2 : 1;
  }

  void put(const std::string& output, std::size_t* at) {
    const std::size_t start = *at;
    const char32_t code = next_code_point(output, at);
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) throw std::runtime_error("a control code");
    const std::string text = output.substr(start, *at - start);
    auto& line = lines_.back();
    const std::size_t width = width_of(code);
    if (width == 0) {
      if (column_ > 0) line[column_ - 1].text += text;
      return;
    }
    if (line.size() < column_ + width) line.resize(column_ + width);
    line[column_] = {text, color_, background_};
    for (std::size_t i = 1; i < width; ++i) line[column_ + i] = {"", color_, background_};
    column_ += width;
  }

  void obey(const std::string& output, std::size_t* at) {
    const std::size_t end = output.find_first_not_of("0123456789;", *at + 2);
    if (output[*at + 1] != '[' || end == std::string::npos) throw std::runtime_error("an escape");
    const std::string codes = output.substr(*at + 2, end - *at - 2);
    *at = end + 1;
    if (output[end] == 'G') {
      column_ = std::stoul(codes) - 1;
    } else if (output[end] == 'm') {
      set_colors(split(codes, ';'));
    } else {
      throw std::runtime_error("control sequence " + codes + output[end]);
    }
  }

  void set_colors(const std::vector<std::string>& codes) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const std::string& code = codes[i];
      if (code.empty() || code == "0") color_ = background_ = "";
      if (code == "39") color_ = "";
      if (code == "49") background_ = "";
      if (code != "38" && code != "48") continue;
      const std::size_t n = codes.at(i + 1) == "2" ? 4 : 2;
      std::string color;
      for (std::size_t k = 1; k <= n; ++k) color += (k > 1 ? ";" : "") + codes.at(i + k);
      (code == "38" ? color_ : background_) = color;
      i += n;
    }
  }

  std::vector<std::vector<TerminalCell>> lines_;
  std::size_t column_ = 0;
  std::string color_;
  std::string background_;
};

}  // namespace mha::test
