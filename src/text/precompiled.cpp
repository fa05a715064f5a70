#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utf8proc.h>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "normalizer.hpp"

namespace mha::tok {
namespace {

constexpr std::uint8_t kNoDigit = 255;

std::array<std::uint8_t, 256> base64_digits() {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}

std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  static const std::array<std::uint8_t, 256> kDigits = base64_digits();
  std::string out;
  std::uint32_t bits = 0;
  int n_bits = 0;
  for (const char c : text) {
    const std::uint8_t digit = kDigits[static_cast<unsigned char>(c)];
    if (digit == kNoDigit) return std::nullopt;
    bits = (bits << 6 | digit) & 0xFFFFFF;
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    out += static_cast<char>(bits >> n_bits & 0xFF);
  }
  return out;
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// SentencePiece's compiled map: the size of a double-array trie, the trie, and the replacements,
// each ended by a zero byte. A leaf of the trie holds the place of its replacement.
class CharacterMap {
 public:
  CharacterMap(std::string_view blob, const std::string& place) {
    const std::size_t size = blob.size() < 4 ? 0 : little_endian(blob);
    if (size == 0 || size % 4 != 0 || size > blob.size() - 4) {
      fail_config(place, "damaged character map", "a trie within the data",
                  concat(size, " of ", bytes_text(static_cast<double>(blob.size()))));
    }
    for (std::size_t i = 4; i < 4 + size; i += 4) units_.push_back(little_endian(blob.substr(i)));
    replacements_ = blob.substr(4 + size);
    if (find_bad_utf8(replacements_) != std::string::npos) {
      fail_input(place + ": damaged character map: its replacements are not UTF-8");
    }
  }

  // What replaces the shortest key that `text` begins with.
  std::optional<std::string_view> find(std::string_view text) const {
    std::size_t node = offset(units_[0]);
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte == 0) return std::nullopt;
      node ^= byte;
      if (node >= units_.size() || label(units_[node]) != byte) return std::nullopt;
      const std::uint32_t unit = units_[node];
      node ^= offset(unit);
      if ((unit >> 8 & 1) != 0) return replacement(node);
    }
    return std::nullopt;
  }

 private:
  // The bits of a unit, as in Darts-clone.
  static std::size_t offset(std::uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }
  static std::uint32_t label(std::uint32_t unit) { return unit & (0x80000000U | 0xFF); }

  std::optional<std::string_view> replacement(std::size_t node) const {
    if (node >= units_.size()) return std::nullopt;
    const std::size_t begin = units_[node] & 0x7FFFFFFF;
    if (begin >= replacements_.size()) return std::nullopt;
    const std::string_view rest = std::string_view(replacements_).substr(begin);
    const std::string_view found = rest.substr(0, rest.find('\0'));
    // A place in the middle of a character: the map is damaged.
    return find_bad_utf8(found) == std::string_view::npos ? std::optional(found) : std::nullopt;
  }

  std::vector<std::uint32_t> units_;
  std::string replacements_;
};

// Ends of the grapheme clusters (Unicode Annex 29).
std::vector<std::size_t> cluster_ends(const AlignedText& text) {
  std::vector<std::size_t> ends;
  utf8proc_int32_t state = 0;
  utf8proc_int32_t last = -1;
  text.for_each([&](Character c) {
    const auto code = static_cast<utf8proc_int32_t>(c.code);
    if (last >= 0 && utf8proc_grapheme_break_stateful(last, code, &state)) ends.push_back(c.begin);
    last = code;
  });
  if (!text.empty()) ends.push_back(text.text().size());
  return ends;
}

// The characters of `with` in place of `n_replaced` characters, as changes for rewrite().
void append_replacement(std::string_view with, std::size_t n_replaced,
                        std::vector<Rewritten>* out) {
  const std::size_t first = out->size();
  for (std::size_t offset = 0; offset < with.size();) {
    out->push_back({next_code_point(with, &offset), 0});
  }
  const std::size_t n_new = out->size() - first;
  for (std::size_t i = n_replaced; i < n_new; ++i) (*out)[first + i].change = 1;
  if (n_new < n_replaced && !out->empty()) {
    out->back().change -= static_cast<int>(n_replaced - n_new);
  }
}

AlignedText mapped(const AlignedText& text, const CharacterMap& map) {
  constexpr std::size_t kLongestCluster = 5;  // in bytes; longer ones go character by character
  std::vector<Rewritten> changes;
  std::size_t begin = 0;
  for (const std::size_t end : cluster_ends(text)) {
    const std::string_view cluster = std::string_view(text.text()).substr(begin, end - begin);
    begin = end;
    check_growth(text.text().size(), changes.size());
    const auto whole = cluster.size() <= kLongestCluster ? map.find(cluster) : std::nullopt;
    if (whole) {
      append_replacement(*whole, count_code_points(cluster), &changes);
      continue;
    }
    for (std::size_t next = 0; next < cluster.size();) {
      const std::size_t at = next;
      const char32_t code = next_code_point(cluster, &next);
      const auto one = map.find(cluster.substr(at, next - at));
      one ? append_replacement(*one, 1, &changes) : changes.push_back({code, 0});
    }
  }
  return rewrite(text, changes);
}

}  // namespace

Normalizer::Step precompiled_normalizer(const std::string& base64, const std::string& place) {
  const std::optional<std::string> blob = decode_base64(base64);
  if (!blob) fail_input(place + ": not base64");
  auto map = std::make_shared<const CharacterMap>(*blob, place);
  return [map](const AlignedText& text) { return mapped(text, *map); };
}

}  // namespace mha::tok
