#include "mha/render/formula.hpp"

#include <optional>

namespace mha::render {
namespace {

constexpr std::string_view kRoot = "√";

// The end of what stands in the braces that open at `open`; npos without a matching brace.
std::size_t matching_brace(std::string_view text, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

struct Opening {
  FormulaPart::Kind kind;
  std::size_t length;  // of the sign before the brace
};

std::optional<Opening> opening_at(std::string_view text, std::size_t i) {
  const std::string_view rest = text.substr(i);
  if (rest.starts_with("_{")) return Opening{FormulaPart::Kind::kLowered, 1};
  if (rest.starts_with("^{")) return Opening{FormulaPart::Kind::kRaised, 1};
  if (rest.starts_with(kRoot) && rest.substr(kRoot.size()).starts_with('{')) {
    return Opening{FormulaPart::Kind::kRoot, kRoot.size()};
  }
  return std::nullopt;
}

bool is_one_word(const std::string& text) {
  return text.find_first_of(" +/") == std::string::npos;
}

}  // namespace

std::vector<FormulaPart> parse_formula(std::string_view markup) {
  std::vector<FormulaPart> parts;
  std::size_t begin = 0;  // of the text that is not yet a part
  for (std::size_t i = 0; i < markup.size();) {
    const std::optional<Opening> opening = opening_at(markup, i);
    const std::size_t open = opening ? i + opening->length : 0;
    const std::size_t close = opening ? matching_brace(markup, open) : std::string_view::npos;
    if (close == std::string_view::npos) {
      ++i;
      continue;
    }
    if (i > begin) parts.push_back({FormulaPart::Kind::kText, markup.substr(begin, i - begin)});
    parts.push_back({opening->kind, markup.substr(open + 1, close - open - 1)});
    begin = i = close + 1;
  }
  if (begin < markup.size()) parts.push_back({FormulaPart::Kind::kText, markup.substr(begin)});
  return parts;
}

std::string plain_formula(std::string_view markup) {
  std::string out;
  for (const FormulaPart& part : parse_formula(markup)) {
    if (part.kind == FormulaPart::Kind::kText) {
      out += part.text;
      continue;
    }
    const std::string inner = plain_formula(part.text);
    if (part.kind == FormulaPart::Kind::kRaised && inner == "T") {
      out += "ᵀ";
      continue;
    }
    out += part.kind == FormulaPart::Kind::kLowered  ? "_"
           : part.kind == FormulaPart::Kind::kRaised ? "^"
                                                     : kRoot;
    out += is_one_word(inner) ? inner : "(" + inner + ")";
  }
  return out;
}

}  // namespace mha::render
