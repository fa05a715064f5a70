#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "regex.hpp"

namespace mha::tok {
namespace {

constexpr std::string_view kWord = R"(\p{L}\p{M}\p{Nd}\p{Pc})";

// Walks over a pattern and writes it anew.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : in_(pattern) {}

  std::string run() {
    while (at_ < in_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = in_[at_];
    if (c == '\\') return escape();
    if (in_class_) return class_member(c);
    if (c == '[') return open_class();
    if (rest().starts_with("{,")) {  // {,3} is {0,3}
      out_ += "{0";
      ++at_;
      return;
    }
    if (c == '(') check_group();
    copy(1);
  }

  std::string_view rest() const { return in_.substr(at_); }
  void copy(std::size_t count) {
    out_ += in_.substr(at_, count);
    at_ += count;
  }
  void replace(std::size_t count, std::string_view with) {
    out_ += with;
    at_ += count;
  }
  [[noreturn]] void refuse(std::string_view what) const {
    fail_input(
        concat("'", what, "' in a regular expression is not implemented (at byte ", at_, ")"));
  }

  void open_class() {
    in_class_ = true;
    copy(1);
    if (rest().starts_with('^')) copy(1);
    if (rest().starts_with(']')) replace(1, "\\]");  // a bracket that comes first is itself
  }

  void class_member(char c) {
    if (rest().starts_with("[:")) {
      const std::size_t end = in_.find(":]", at_);
      if (end != std::string_view::npos) return copy(end + 2 - at_);
    }
    if (c == '[') refuse("[ within [ ]");
    if (rest().starts_with("&&")) refuse("&& within [ ]");
    if (c == ']') in_class_ = false;
    copy(1);
  }

  void escape() {
    const char c = at_ + 1 < in_.size() ? in_[at_ + 1] : '\0';
    switch (c) {
      case 'w':
        return replace(2, in_class_ ? std::string(kWord) : concat("[", kWord, "]"));
      case 'W':
        if (in_class_) refuse("\\W within [ ]");
        return replace(2, concat("[^", kWord, "]"));
      case 's':
        return replace(2, R"(\p{White_Space})");
      case 'S':
        return replace(2, R"(\P{White_Space})");
      case 'h':  // a hexadecimal digit there, a space here
      case 'H':
      case 'b':  // word boundaries follow from \w
      case 'B':
      case 'y':
      case 'Y':
      case 'O':
      case 'C':
        refuse(in_.substr(at_, 2));
      default:
        return copy(at_ + 1 < in_.size() ? 2 : 1);
    }
  }

  // (?m) lets a dot match newlines there; here it is about ^ and $.
  void check_group() const {
    std::string_view flags = rest().substr(1);
    if (!flags.starts_with('?')) return;
    flags = flags.substr(1, flags.find_first_not_of("imx-", 1) - 1);
    if (flags.find('m') != std::string_view::npos) refuse("(?m");
  }

  std::string_view in_;
  std::size_t at_ = 0;
  bool in_class_ = false;
  std::string out_;
};

}  // namespace

std::string pcre_pattern(std::string_view oniguruma) {
  return Translator(oniguruma).run();
}

}  // namespace mha::tok
