#include "regex.hpp"

#include <array>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

#include "config_fields.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace mha::tok {
namespace {

constexpr std::size_t kLongestPattern = 65536;
// Backtracking points for one start position: patterns in use need a few for each character.
constexpr std::uint32_t kMatchLimit = 1000000;

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Code = std::unique_ptr<pcre2_code, Freer<pcre2_code_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Freer<pcre2_match_data_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Freer<pcre2_match_context_free>>;
using CompileContext = std::unique_ptr<pcre2_compile_context, Freer<pcre2_compile_context_free>>;

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

Code compile(const std::string& pattern, std::string_view shown) {
  const CompileContext context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context.get(), 100);
  int error = 0;
  PCRE2_SIZE offset = 0;
  // ^ and $ stand for lines, as in Oniguruma's Ruby syntax.
  Code code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                          PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error,
                          &offset, context.get()));
  if (code == nullptr) {
    fail_input(concat("invalid regular expression '", shortened(shown), "': ", message_of(error),
                      " (at byte ", offset, ")"));
  }
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);  // where there is none, it runs without
  return code;
}

// One search through one text.
class Search {
 public:
  Search(const pcre2_code* code, std::string_view text)
      : code_(code),
        text_(text),
        data_(pcre2_match_data_create(1, nullptr)),
        context_(pcre2_match_context_create(nullptr)) {
    pcre2_set_match_limit(context_.get(), kMatchLimit);
  }

  // The next match from `start` on; false when there is none.
  bool next(std::size_t start) {
    int result = match(start, PCRE2_NO_UTF_CHECK);
    // Compiled code has a small stack of its own; the interpreter uses the heap.
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
      result = match(start, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT);
    }
    if (result == PCRE2_ERROR_NOMATCH) return false;
    if (result < 0) {
      fail_input("a regular expression of the tokenizer failed: " + message_of(result),
                 "it may backtrack without end on this text");
    }
    return true;
  }
  std::size_t begin() const { return pcre2_get_ovector_pointer(data_.get())[0]; }
  std::size_t end() const { return pcre2_get_ovector_pointer(data_.get())[1]; }

 private:
  int match(std::size_t start, std::uint32_t options) {
    return pcre2_match(code_, reinterpret_cast<PCRE2_SPTR>(text_.data()), text_.size(), start,
                       options, data_.get(), context_.get());
  }

  const pcre2_code* code_;
  std::string_view text_;
  MatchData data_;
  MatchContext context_;
};

}  // namespace

struct Regex::Compiled {
  Code code;
};

Regex::Regex(std::string_view pattern, Syntax syntax) {
  if (pattern.size() > kLongestPattern) {
    fail_input(concat("regular expression too long; expected at most ", kLongestPattern,
                      " bytes, got ", pattern.size()));
  }
  const bool translate = syntax == Syntax::kOniguruma;
  compiled_ = std::make_shared<const Compiled>(
      Compiled{compile(translate ? pcre_pattern(pattern) : std::string(pattern), pattern)});
}

void Regex::for_each_match(std::string_view text,
                           const std::function<void(std::size_t, std::size_t)>& found) const {
  Search search(compiled_->code.get(), text);
  std::size_t start = 0;
  std::size_t last_end = std::string_view::npos;
  while (start <= text.size() && search.next(start)) {
    const std::size_t begin = search.begin();
    const std::size_t end = search.end();
    if (begin >= end && end == last_end) {  // \K can put the begin behind the end
      if (end == text.size()) return;
      next_code_point(text, &(start = end));
      continue;
    }
    if (begin <= end && (last_end == std::string_view::npos || begin >= last_end))
      found(begin, end);
    start = last_end = end;
  }
}

}  // namespace mha::tok
