#include "analyses.hpp"

#include <functional>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha::cli {
namespace {

struct NamedAnalysis {
  const char* name;
  bool AnalysisSet::*member;
};
constexpr NamedAnalysis kAnalyses[] = {{"scores", &AnalysisSet::scores},
                                       {"similarity", &AnalysisSet::similarity},
                                       {"map", &AnalysisSet::map},
                                       {"contribution", &AnalysisSet::contribution},
                                       {"rollout", &AnalysisSet::rollout}};

// A comma at the end, or an empty list, adds nothing.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts = split(text, ',');
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

}  // namespace

std::vector<std::string> analysis_names() {
  std::vector<std::string> names;
  for (const NamedAnalysis& analysis : kAnalyses) names.emplace_back(analysis.name);
  return names;
}

AnalysisSet parse_analyses(const std::string& text) {
  AnalysisSet set;
  if (text == "none") return set;
  std::vector<std::string> known = analysis_names();
  set.is_all = text == "all";
  for (const std::string& name : set.is_all ? known : split_list(text)) {
    if (name == "none" || name == "all") {
      fail_usage("--analysis: all and none stand alone, got '" + text + "'");
    }
    bool is_known = false;
    for (const NamedAnalysis& analysis : kAnalyses) {
      if (name != analysis.name) continue;
      set.*analysis.member = is_known = true;
    }
    if (is_known) continue;
    known.insert(known.end(), {"all", "none"});
    fail_usage("--analysis: there is no analysis '" + name + "'; expected all, none or some of " +
                   join(analysis_names(), ","),
               spelling_hint(name, known));
  }
  return set;
}

std::vector<std::size_t> parse_tokens(const std::string& flag, const std::string& text,
                                      std::size_t count) {
  std::vector<std::size_t> out;
  for (const std::string& part : split_list(text)) {
    std::size_t token = 0;
    if (!parse_whole(part, &token) || token >= count) {
      fail_usage(
          concat(flag, ": expected indices from 0 to ", count - 1, " like 0,5, got '", text, "'"));
    }
    out.push_back(token);
  }
  return out;
}

ExtraAnalyses::ExtraAnalyses(const AnalysisSet& set, const AnalysisRequest& request)
    : set_(set), request_(request) {
  const OpenedInput& input = request.input;
  if (set.similarity || set.map) {
    likeness_ = std::make_unique<HeadLikeness>(
        find_likeness(input, request.heads, request.similarity, request.groups_at));
  }
  if (applies(set.contribution, no_contribution_reason(input))) {
    contributions_ = std::make_unique<HeadContributions>(
        find_contributions(input, request.heads, request.stream));
  }
  if (applies(set.rollout, no_rollout_reason(input, request.is_part))) follow();
}

void ExtraAnalyses::follow() {
  try {
    layers_ = std::make_unique<LayersTogether>(
        follow_layers(request_.input, request_.follow, request_.stream.n_threads));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput || !set_.is_all) throw;
    notes_.push_back(std::string("rollout is left out: ") + error.what());
    return;
  }
  if (!layers_->no_flow.empty()) notes_.push_back(layers_->no_flow);
}

bool ExtraAnalyses::applies(bool wanted, const std::string& reason) {
  if (!wanted || reason.empty()) return wanted;
  if (!set_.is_all) fail_input(reason);
  notes_.push_back(reason);
  return false;
}

std::vector<std::string> ExtraAnalyses::redundant() const {
  return likeness_ ? redundant_pairs(*likeness_) : std::vector<std::string>();
}

std::vector<std::string> ExtraAnalyses::write(OutputFolder& folder, const std::string& prefix,
                                              const std::vector<std::string>& labels,
                                              const PictureOptions& options,
                                              render::Typesetter* typesetter) const {
  std::vector<std::string> files;
  const auto add_json = [&](const char* name, const std::function<void(JsonWriter*)>& fill) {
    folder.write_json(prefix + name, fill);
    files.emplace_back(name);
  };
  const auto add_picture = [&](const char* stem, const std::vector<std::uint8_t>& picture) {
    files.push_back(stem + picture_ending(options));
    folder.write(prefix + files.back(), picture);
  };
  if (likeness_) {
    add_json("similarity.json", [&](JsonWriter* w) { write_likeness(*likeness_, w); });
    if (typesetter != nullptr) {
      const LikenessPictures pictures{*likeness_, labels, options, *typesetter};
      if (set_.similarity) add_picture("similarity", pictures.similarity_picture());
      if (set_.map) add_picture("heads-map", pictures.map_picture());
    }
  }
  const OpenedInput& input = request_.input;
  if (contributions_) {
    add_json("contribution.json",
             [&](JsonWriter* w) { write_contributions(input, *contributions_, w); });
    if (typesetter != nullptr) {
      add_picture("contribution",
                  contribution_picture(input, *contributions_, options, *typesetter));
    }
  }
  if (layers_) {
    add_json("rollout.json", [&](JsonWriter* w) { write_layers_together(input, *layers_, w); });
    if (typesetter != nullptr) {
      add_picture("rollout", rollout_picture(input, *layers_, options, *typesetter));
      if (layers_->no_flow.empty()) {
        add_picture("flow", flow_picture(input, *layers_, options, *typesetter));
      }
    }
  }
  return files;
}

}  // namespace mha::cli
