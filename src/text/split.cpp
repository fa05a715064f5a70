#include "split.hpp"

#include <algorithm>

#include "mha/base/utf8.hpp"

#include "regex.hpp"

namespace mha::tok {
namespace {

// Collects matches from left to right and fills the gaps between them.
class Cover {
 public:
  void add_match(std::size_t begin, std::size_t end) {
    add_gap(begin);
    stretches_.push_back({begin, end, true});
    done_ = end;
  }
  std::vector<Stretch> finish(std::size_t size) {
    add_gap(size);
    return std::move(stretches_);
  }

 private:
  void add_gap(std::size_t end) {
    if (done_ < end) stretches_.push_back({done_, end, false});
  }
  std::vector<Stretch> stretches_;
  std::size_t done_ = 0;
};

// A match joins the stretch before it, unless that is a match as well.
std::vector<Stretch> merged_with_previous(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> out;
  bool was_match = false;
  for (const Stretch& stretch : stretches) {
    if (stretch.is_match && !was_match && !out.empty()) {
      out.back().end = stretch.end;
    } else {
      out.push_back(stretch);
    }
    was_match = stretch.is_match;
  }
  return out;
}

std::vector<Stretch> merged_with_next(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> out;
  bool was_match = false;  // of the stretch behind
  for (auto stretch = stretches.rbegin(); stretch != stretches.rend(); ++stretch) {
    if (stretch->is_match && !was_match && !out.empty()) {
      out.back().begin = stretch->begin;
    } else {
      out.push_back(*stretch);
    }
    was_match = stretch->is_match;
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<Stretch> contiguous(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> out;
  for (const Stretch& stretch : stretches) {
    if (!out.empty() && out.back().is_match == stretch.is_match) {
      out.back().end = stretch.end;
    } else {
      out.push_back(stretch);
    }
  }
  return out;
}

}  // namespace

Pattern pattern_of_regex(std::string_view regex) {
  return [compiled = Regex(regex)](std::string_view text) {
    Cover cover;
    compiled.for_each_match(
        text, [&](std::size_t begin, std::size_t end) { cover.add_match(begin, end); });
    return cover.finish(text.size());
  };
}

Pattern pattern_of_string(const std::string& literal) {
  return [literal](std::string_view text) {
    Cover cover;
    std::size_t at = literal.empty() ? std::string_view::npos : text.find(literal);
    while (at != std::string_view::npos) {
      cover.add_match(at, at + literal.size());
      at = text.find(literal, at + literal.size());
    }
    return cover.finish(text.size());
  };
}

Pattern pattern_of_characters(bool (*is_match)(char32_t)) {
  return [is_match](std::string_view text) {
    Cover cover;
    for (std::size_t end = 0; end < text.size();) {
      const std::size_t begin = end;
      if (is_match(next_code_point(text, &end))) cover.add_match(begin, end);
    }
    return cover.finish(text.size());
  };
}

Pattern inverted(Pattern pattern) {
  return [pattern = std::move(pattern)](std::string_view text) {
    std::vector<Stretch> stretches = pattern(text);
    for (Stretch& stretch : stretches) stretch.is_match = !stretch.is_match;
    return stretches;
  };
}

std::vector<Stretch> apply_behavior(Behavior behavior, const std::vector<Stretch>& stretches) {
  std::vector<Stretch> out;
  switch (behavior) {
    case Behavior::kRemoved:
      std::ranges::copy_if(stretches, std::back_inserter(out),
                           [](const Stretch& stretch) { return !stretch.is_match; });
      return out;
    case Behavior::kIsolated:
      return stretches;
    case Behavior::kMergedWithPrevious:
      return merged_with_previous(stretches);
    case Behavior::kMergedWithNext:
      return merged_with_next(stretches);
    case Behavior::kContiguous:
      return contiguous(stretches);
  }
  return out;
}

}  // namespace mha::tok
