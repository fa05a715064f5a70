// Regular expressions of tokenizer files: Oniguruma's syntax, run by PCRE2.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mha::tok {

// The pattern in PCRE2's syntax with the classes \w \s \d as Oniguruma defines them on Unicode.
// Throws an input error for syntax that means something else there.
std::string pcre_pattern(std::string_view oniguruma);

class Regex {
 public:
  enum class Syntax { kOniguruma, kPcre };
  explicit Regex(std::string_view pattern, Syntax syntax = Syntax::kOniguruma);

  // Calls found(begin, end) for every match in well-formed UTF-8, from left to right; an empty
  // match right behind the one before is none. Throws an input error when matching takes too long.
  void for_each_match(std::string_view text,
                      const std::function<void(std::size_t, std::size_t)>& found) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace mha::tok
