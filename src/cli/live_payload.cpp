#include "live_payload.hpp"

#include <nlohmann/json.hpp>

#include "mha/analysis/head_label.hpp"
#include "mha/model/text_model.hpp"
#include "mha/text/tokens.hpp"

namespace mha::cli {

LivePayload live_payload(const std::vector<Threshold>& thresholds) {
  const BundledFiles files = bundled_files();
  nlohmann::ordered_json facts;
  facts["model"] = nlohmann::ordered_json::parse(files.config);
  facts["tokenizer"] = nlohmann::ordered_json::parse(files.tokenizer);
  // Which tokens are special is decided here, so that the page cannot decide otherwise.
  facts["special"] = nlohmann::ordered_json::array();
  const Tokenizer& tokenizer = *bundled_model()->tokenizer;
  for (std::uint32_t id = 0; id <= tokenizer.largest_id(); ++id) {
    const std::optional<std::string> token = tokenizer.token(id);
    if (token && is_special_token(*token)) facts["special"].push_back(*token);
  }
  facts["thresholds"] = nlohmann::ordered_json::array();
  facts["labelTexts"] = nlohmann::ordered_json::object();
  for (const Threshold& threshold : thresholds) {
    facts["thresholds"].push_back({threshold.name, threshold.value});
    facts["labelTexts"][threshold.name] = label_text(threshold.name);
  }
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(files.weights.data());
  return {facts.dump(), {bytes, files.weights.size()}};
}

bool is_live(const OpenedInput& input) {
  return input.text_model == bundled_model() && input.ablated.empty() && !input.tokens.empty() &&
         is_special_token(input.tokens.front());
}

}  // namespace mha::cli
