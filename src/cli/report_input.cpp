#include "report_input.hpp"

#include <algorithm>

#include "mha/base/base64.hpp"
#include "mha/base/deflate.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "figures.hpp"
#include "layer_sizes.hpp"
#include "memory_check.hpp"
#include "report_page.hpp"
#include "score_output.hpp"
#include "steps_json.hpp"
#include "summary.hpp"
#include "walked.hpp"

namespace mha::cli {
namespace {

// Cells that distances between all pairs of heads may take before they have to be asked for.
constexpr double kCheapDistances = 2e8;
constexpr std::size_t kMostStepNumbers = 100'000;  // of all heads: about 1 MB of text
constexpr int kPictureSide = 900;

double distance_cells(const Analysis& analysis) {
  const auto n = static_cast<double>(analysis.slots().size());
  const AttentionShape& shape = analysis.layer_of(0).shape;
  return n * (n - 1) / 2 * static_cast<double>(shape.n_query) * static_cast<double>(shape.n_key);
}

// What the page shows: rollout and flow are pictures of their own.
AnalysisSet analyses_named(const std::string& names) {
  AnalysisSet set = parse_analyses(names);
  if (set.rollout && !set.is_all) {
    fail_usage("--analysis rollout: a report has no view of it",
               "mha-viz draw --figure rollout draws it");
  }
  set.rollout = false;
  return set;
}

AnalysisSet analyses_for(const ReportOptions& options, const Analysis& analysis,
                         std::vector<std::string>* notes) {
  if (!options.analysis.empty()) return analyses_named(options.analysis);
  if (distance_cells(analysis) <= kCheapDistances) return analyses_named("all");
  notes->emplace_back(
      "scores alone were worked out, as the input is long; --analysis all adds the rest");
  return analyses_named("scores");
}

// The numbers of all steps of one head, roughly: matrices of queries x keys, and of queries x the
// widths that the layer knows.
std::size_t step_numbers(const OpenedInput& input) {
  const std::size_t n = std::max(input.tokens.size(), input.key_tokens.size());
  const std::vector<LayerSizes> sizes = layer_sizes(input);
  if (sizes.empty()) return 5 * n * n;
  const std::size_t d_head = sizes[0].heads.d_head;
  const std::size_t concatenated = sizes[0].heads.n_heads * sizes[0].heads.d_value;
  return n * (5 * n + 2 * sizes[0].d_model + 4 * d_head + concatenated);
}

// The walkthrough of as many heads as a page has room for; nothing where the input has no steps.
std::optional<ReportSteps> make_steps(const OpenedInput& input, const SelectedHeads& heads,
                                      const ReportOptions& options, ScratchFile* file) {
  constexpr int kLevel = 6;
  StepsOptions steps;
  std::vector<std::string> names;
  std::size_t numbers = 0;
  for (std::size_t s = 0; s < heads.slots.size(); ++s) {
    if (heads.slots[s].is_mean()) continue;
    numbers += step_numbers(input);
    if (numbers > kMostStepNumbers) break;
    names.push_back(heads.names[s]);
  }
  if (names.empty()) return std::nullopt;
  steps.selection.heads = join(names, ",");
  steps.resources = options.resources;
  try {
    std::string text;
    JsonWriter writer([&text](std::string_view part) { text += part; }, true);
    write_steps(walk_input(input, steps), FormulaForm::kParts, &writer);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    const std::vector<std::uint8_t> packed = zlib_compress({bytes, text.size()}, kLevel);
    return ReportSteps{std::move(names), file->append(base64(packed))};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    return std::nullopt;  // weights that are known already have no steps
  }
}

std::string pooling_note(const PackPlan& plan) {
  if (plan.pool == 1) return "";
  return concat("each cell shows the maximum of ", plan.pool, " x ", plan.pool,
                " weights; sharp are queries ", plan.sharp_queries.first, " to ",
                plan.sharp_queries.end - 1, " on keys ", plan.sharp_keys.first, " to ",
                plan.sharp_keys.end - 1, " (--sharp chooses)");
}

QueryRange sharp_range(const ReportOptions& options, const Analysis& analysis) {
  if (options.sharp.empty()) return {};
  return parse_range_option("--sharp", options.sharp, analysis.layer_of(0).shape.n_key);
}

}  // namespace

void LabelKinds::add(const std::string& text) {
  if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
}

std::string block_id(std::size_t input, std::size_t head, bool is_sharp) {
  return concat(is_sharp ? "s" : "h", input, "-", head);
}

std::string steps_block_id(std::size_t input) {
  return concat("t", input);
}

namespace {

// Everything between an opened input and its part of the page.
class InputReporter {
 public:
  InputReporter(const OpenedInput& input, const ReportContext& context)
      : input_(input),
        context_(context),
        options_(context.options),
        heads_(select_heads(input, options_.selection)),
        analysis_(*input.rows, heads_.slots),
        set_(analyses_for(options_, analysis_, &notes_)),
        plan_(plan_packing(analysis_, options_.exact, sharp_range(options_, analysis_))),
        traits_(make_traits(input)),
        scores_(heads_.slots.size(), &traits_),
        packer_(analysis_, plan_, context.file) {
    if (context.patches != nullptr) patches_.emplace(*context.patches, input, heads_);
  }

  ReportedInput report(const std::string& name, std::size_t index) {
    compute();
    for (std::size_t s = 0; s < heads_.slots.size(); ++s) packed_.push_back(packer_.take(s));
    AnalysisRequest request{.input = input_,
                            .heads = heads_,
                            .groups_at = options_.groups_at,
                            .follow = {},
                            .is_part = selects_part(options_.selection),
                            .similarity = {},
                            .stream = {}};
    request.stream.n_threads = request.similarity.n_threads = blocks_.n_threads;
    const ExtraAnalyses extra(set_, request);
    if (const std::string note = pooling_note(plan_); !note.empty()) notes_.push_back(note);
    notes_.insert(notes_.end(), extra.notes().begin(), extra.notes().end());
    const ReportResults results{
        input_,  name,      index,
        heads_,  scores_,   set_.scores,
        packed_, extra,     make_steps(input_, heads_, options_, context_.file),
        notes_,  warnings()};
    if (set_.scores) {
      for (const std::string& label : label_texts(input_, scores_, heads_.slots.size())) {
        context_.kinds->add(label);
      }
    }
    ReportedInput reported = report_facts(results);
    const std::string patches =
        patches_ ? patches_->html(options_.picture, context_.typesetter) : std::string();
    reported.section = static_section(results, overview(), patches);
    return reported;
  }

 private:
  void compute() {
    std::uint64_t total_rows = 0;
    for (std::size_t s = 0; s < heads_.slots.size(); ++s) total_rows += analysis_.n_queries_of(s);
    ProgressBar progress(context_.console, total_rows);
    if (set_.scores) analysis_.attach(&scores_);
    analysis_.attach(&packer_);
    if (patches_) analysis_.attach(patches_->rows());
    if (context_.console.shows_progress()) analysis_.attach(&progress);
    MemoryPlan plan;
    if (patches_) plan.further_bytes = patches_->held_bytes();
    blocks_ = plan_memory(input_, analysis_, plan, options_.resources);
    StreamOptions stream;
    stream.n_threads = blocks_.n_threads;
    stream.block_rows = blocks_.block_rows;
    analysis_.run(stream);
    check_mapped_files();
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> out = input_.warnings;
    if (!set_.scores) return out;
    const std::vector<std::string> more = number_warnings(scores_, input_, heads_.slots.size());
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  // A small picture of all heads, from the thumbnails.
  std::vector<std::uint8_t> overview() const {
    PictureOptions picture = options_.picture;
    picture.max_size = kPictureSide;
    std::vector<CellMap> maps;
    for (const PackedHead& head : packed_) maps.push_back(head.thumb);
    MapWindow window;
    window.pool = plan_.pool * plan_.thumb_pool;
    const HeadFigures figures({input_, heads_, set_.scores ? &scores_ : nullptr, std::move(maps),
                               window, QueryRange{}, false},
                              picture, context_.typesetter);
    return figures.overview_picture();
  }

  const OpenedInput& input_;
  const ReportContext& context_;
  const ReportOptions& options_;
  std::vector<std::string> notes_;
  const SelectedHeads heads_;
  Analysis analysis_;
  const AnalysisSet set_;
  const PackPlan plan_;
  const TokenTraits traits_;
  HeadScoresAccumulator scores_;
  HeadPacker packer_;
  std::optional<StaticPatches> patches_;
  BlockPlan blocks_;
  std::vector<PackedHead> packed_;
};

}  // namespace

ReportedInput report_input(const OpenedInput& input, const std::string& name, std::size_t index,
                           const ReportContext& context) {
  return InputReporter(input, context).report(name, index);
}

}  // namespace mha::cli
