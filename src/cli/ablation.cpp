#include "ablation.hpp"

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "head_pattern.hpp"

namespace mha::cli {

AblatedHeads parse_ablation(const std::string& list, const ModelConfig& config) {
  if (list.empty()) return {};
  std::vector<HeadPattern> patterns = parse_head_patterns("--ablate", list);
  AblatedHeads out(config.n_layers);
  for (std::size_t l = 0; l < config.n_layers; ++l) {
    for (std::size_t h = 0; h < config.n_heads; ++h) {
      bool is_named = false;
      for (HeadPattern& pattern : patterns) {
        if (!pattern.covers({l, h, false})) continue;
        is_named = pattern.used = true;
      }
      if (is_named) out[l].push_back(h);
    }
  }
  for (const HeadPattern& pattern : patterns) {
    if (pattern.is_mean) {
      fail_usage("--ablate: " + pattern.text + " is a mean; expected heads like L3H1 or L4H*");
    }
    if (!pattern.used) {
      fail_usage(
          "--ablate: there is no head " + pattern.text,
          concat("the model has heads L0H0 to L", config.n_layers - 1, "H", config.n_heads - 1));
    }
  }
  return out;
}

}  // namespace mha::cli
