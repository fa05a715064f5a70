#include "input_run.hpp"

#include <algorithm>
#include <ostream>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "score_report.hpp"

namespace mha::cli {

InputRun::InputRun(const OpenedInput& input, const RunOptions& options, bool to_stdout)
    : input_(input),
      options_(options),
      to_stdout_(to_stdout),
      heads_(select_heads(input, options.selection)),
      set_(parse_analyses(options.analysis)),
      analysis_(*input.rows, heads_.slots, select_queries(input, options.selection)),
      window_(map_window(options.picture, options.selection, analysis_)),
      draws_(!to_stdout && !options.no_png) {
  const bool is_part = !options.selection.query_range.empty();
  if (is_part && !options.weights.empty() && options.weights != "none") {
    fail_usage("--weights writes whole matrices; leave out --query-range");
  }
  const bool has_extra = set_.similarity || set_.map || set_.contribution || set_.rollout;
  if (to_stdout && has_extra) {
    fail_usage("-o - prints the scores alone; --analysis " + options.analysis + " needs a folder",
               "name a folder with -o");
  }
  const bool is_document =
      options.weights.empty() || options.weights == "json" || options.weights == "none";
  if (to_stdout && !is_document) {
    fail_usage("-o - prints one JSON document; --weights " + options.weights + " needs a folder",
               "use --weights json, or name a folder with -o");
  }
  // On stdout the weights come only when asked for.
  if (!is_part && (!to_stdout || options.weights == "json")) {
    weights_ = choose_weights(options, analysis_);
  }
  const bool keeps_weights = weights_.format != WeightsFormat::kNone;
  keeps_outputs_ = !to_stdout && input.has_outputs && !is_part && !options.no_output;
  blocks_ = plan_memory(input, analysis_,
                        {.keeps_weights = keeps_weights,
                         .keeps_outputs = keeps_outputs_,
                         .draws = draws_,
                         .top_k = options.top_k,
                         .window = window_,
                         .style = picture_style(options.picture)},
                        options.resources);
  if (set_.scores) {
    traits_ = make_traits(input);
    scores_ = std::make_unique<HeadScoresAccumulator>(heads_.slots.size(), &traits_);
  }
  if (options.top_k > 0) edges_ = std::make_unique<TopEdges>(analysis_, options.top_k);
  if (keeps_weights) dense_ = std::make_unique<DenseWeights>(analysis_);
  if (draws_) maps_ = std::make_unique<CellMapsAccumulator>(analysis_, window_);
  request_ = std::make_unique<AnalysisRequest>(
      AnalysisRequest{.input = input,
                      .heads = heads_,
                      .groups_at = options.extra.groups_at,
                      .follow = parse_tokens("--follow", options.extra.follow, input.tokens.size()),
                      .is_part = selects_part(options.selection),
                      .similarity = {},
                      .stream = {}});
  if (!options.extra.norm_map) return;
  if (!input.has_outputs)
    fail_input("--map norm needs the values V, which this input does not have");
  norms_ = std::make_unique<ValueNorms>(options.resources.threads);
  norm_maps_ = std::make_unique<CellMapsAccumulator>(analysis_, window_);
  scaled_ = std::make_unique<ScaledRows>(analysis_, *norms_, norm_maps_.get());
}

void InputRun::begin(OutputFolder& folder, const std::string& prefix) {
  if (!dense_) return;
  const auto header = raw_weights_header(weights_data(), weights_.format);
  if (!header) return;
  stream_ = std::make_unique<WeightsStream>(folder.open(prefix + weights_name()), *header,
                                            dense_.get(), heads_.slots.size());
}

void InputRun::compute(Console& console) {
  std::uint64_t total_rows = 0;
  for (std::size_t s = 0; s < heads_.slots.size(); ++s) total_rows += analysis_.n_queries_of(s);
  ProgressBar progress(console, total_rows);
  if (scores_) analysis_.attach(scores_.get());
  if (edges_) analysis_.attach(edges_.get());
  if (dense_) analysis_.attach(dense_.get());
  if (maps_) analysis_.attach(maps_.get());
  if (console.shows_progress()) analysis_.attach(&progress);
  StreamOptions stream;
  stream.n_threads = blocks_.n_threads;
  stream.block_rows = blocks_.block_rows;
  if (keeps_outputs_) stream.outputs = &outputs_;
  if (scaled_) {
    analysis_.attach(scaled_.get());
    stream.observers.push_back(norms_.get());
  }
  analysis_.run(stream);
  request_->stream.n_threads = request_->similarity.n_threads = blocks_.n_threads;
  request_->stream.block_rows = blocks_.block_rows;
  request_->similarity.queries = analysis_.queries();
  extra_ = std::make_unique<ExtraAnalyses>(set_, *request_);
  if (options_.predict > 0) {
    predictions_ = predict(input_, options_.predict, options_.resources.threads);
  }
  check_mapped_files();
}

std::vector<std::string> InputRun::warnings() const {
  if (!scores_) return {};
  return number_warnings(*scores_, input_, heads_.slots.size());
}

std::vector<std::string> InputRun::notes() const {
  std::vector<std::string> out;
  if (!weights_.note.empty()) out.push_back(weights_.note);
  for (const std::string& line : prediction_lines(input_, predictions_)) out.push_back(line);
  out.insert(out.end(), extra_->notes().begin(), extra_->notes().end());
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> pairs = extra_->redundant();
  if (pairs.empty()) return out;
  const std::size_t n_more = pairs.size() - std::min(kNamed, pairs.size());
  pairs.resize(pairs.size() - n_more);
  out.push_back("nearly copies: " + join(pairs, "; ") +
                (n_more > 0 ? concat("; and ", n_more, " more in summary.json") : ""));
  return out;
}

void InputRun::write(OutputFolder& folder, const std::string& prefix,
                     render::Typesetter* typesetter) {
  if (typesetter != nullptr && maps_) write_pictures(folder, prefix, *typesetter);
  const std::vector<std::string> more =
      extra_->write(folder, prefix, head_labels(), options_.picture, typesetter);
  files_.insert(files_.end(), more.begin(), more.end());
  if (dense_) write_weights_file(folder, prefix);
  if (edges_) {
    const std::unique_ptr<OutputFile> file = folder.open(prefix + "edges.csv");
    write_edges(file.get());
    file->commit();
    files_.emplace_back("edges.csv");
  }
  if (!outputs_.empty() && are_outputs_large(outputs_)) {
    const std::unique_ptr<OutputFile> file = folder.open(prefix + "output.npy");
    write_outputs_npy(outputs_, file.get());
    file->commit();
    files_.emplace_back("output.npy");
  } else if (!outputs_.empty()) {
    folder.write_json(prefix + "output.json",
                      [this](JsonWriter* writer) { write_outputs(input_, outputs_, writer); });
    files_.emplace_back("output.json");
  }
  if (!predictions_.empty()) {
    folder.write_json(prefix + "predictions.json", [this](JsonWriter* writer) {
      writer->begin_object();
      writer->member("format", "mha-viz predictions 1");
      write_predictions(input_, predictions_, writer);
      writer->end_object();
      writer->finish();
    });
    files_.emplace_back("predictions.json");
  }
  folder.write_json(prefix + "summary.json",
                    [this](JsonWriter* writer) { write_summary(summary_data(&files_), writer); });
}

void InputRun::write_weights_file(OutputFolder& folder, const std::string& prefix) {
  if (stream_) {
    stream_->finish();
  } else {
    const std::unique_ptr<OutputFile> file = folder.open(prefix + weights_name());
    write_weights(weights_data(), weights_.format, options_.min_weight, file.get());
    file->commit();
  }
  files_.push_back(weights_name());
}

// What colours each head in the map.
std::vector<std::string> InputRun::head_labels() const {
  const std::size_t n_heads = heads_.slots.size();
  return scores_ ? label_texts(input_, *scores_, n_heads) : std::vector<std::string>(n_heads);
}

void InputRun::print(std::ostream& out, bool compact) const {
  JsonWriter writer([&out](std::string_view text) { out << text; }, compact);
  writer.begin_object();
  write_summary_members(summary_data(nullptr), &writer);
  if (!predictions_.empty()) write_predictions(input_, predictions_, &writer);
  if (dense_) write_weight_members(weights_data(), &writer);
  writer.end_object();
  writer.finish();
}

void InputRun::write_pictures(OutputFolder& folder, const std::string& prefix,
                              render::Typesetter& typesetter) {
  const std::string ending = picture_ending(options_.picture);
  write_heads(*maps_, {prefix, "heads/", "overview" + ending, false}, &folder, &typesetter);
  if (norm_maps_) {
    // The same heads with each weight times the length of what it carries.
    write_heads(*norm_maps_, {prefix, "norm/", "norm/overview" + ending, true}, &folder,
                &typesetter);
    write_layer_maps(folder, prefix, typesetter);
  }
  if (input_.relations.empty() || !scores_) return;
  const ScoreTotals totals = totals_of(input_, heads_, *scores_);
  if (best_heads(totals).empty()) return;  // the mask hides every right key
  const std::string name = "relations" + ending;
  folder.write(prefix + name, relations_picture(totals, options_.picture, typesetter));
  files_.push_back(name);
}

void InputRun::write_heads(CellMapsAccumulator& cells, const HeadFiles& to, OutputFolder* folder,
                           render::Typesetter* typesetter) {
  std::vector<CellMap> maps;
  for (std::size_t s = 0; s < heads_.slots.size(); ++s) maps.push_back(cells.take(s));
  const HeadFigures figures(
      {input_, heads_, scores_.get(), std::move(maps), window_, analysis_.queries(), to.is_norm},
      options_.picture, *typesetter);
  const HeadFigures::Pictures pictures = figures.all_pictures(blocks_.n_drawing_threads);
  for (std::size_t s = 0; s < pictures.heads.size(); ++s) {
    const std::string name =
        to.folder + padded_head_name(heads_.ids[s]) + picture_ending(options_.picture);
    folder->write(to.prefix + name, pictures.heads[s]);
    files_.push_back(name);
  }
  folder->write(to.prefix + to.overview, pictures.overview);
  files_.push_back(to.overview);
}

// All heads of a layer together, where their weights may be held at once.
void InputRun::write_layer_maps(OutputFolder& folder, const std::string& prefix,
                                render::Typesetter& typesetter) {
  const std::size_t n_layers = input_.rows->layers().size();
  std::vector<Matrix> layer_inputs;  // of the layers so far: none is computed twice
  StreamOptions stream;
  stream.n_threads = blocks_.n_threads;
  stream.inputs = &layer_inputs;
  for (std::size_t l = 0; l < n_layers; ++l) {
    const bool is_selected =
        std::ranges::any_of(heads_.slots, [l](const HeadSlot& slot) { return slot.layer == l; });
    const LayerInfo& layer = input_.rows->layers()[l];
    const std::size_t weights = layer.n_heads * layer.shape.n_query * layer.shape.n_key;
    if (!is_selected || weights > kLayerMapWeights) continue;
    const std::vector<Matrix> maps = layer_maps(*input_.rows, {l}, stream);
    const std::size_t number = input_.head_names[l][0].layer;
    const std::string name =
        concat("norm/L", number < 10 ? "0" : "", number, picture_ending(options_.picture));
    folder.write(prefix + name,
                 layer_map_picture(input_, number, maps[0], options_.picture, typesetter));
    files_.push_back(name);
  }
}

// A long table: layer, head, query, key, weight, the largest weights of a row first.
void InputRun::write_edges(OutputFile* file) const {
  file->write("layer,head,query,key,weight\n");
  for (std::size_t s = 0; s < heads_.slots.size(); ++s) {
    const std::string& name = heads_.names[s];
    const std::string head =
        heads_.slots[s].is_mean() ? "mean" : name.substr(name.find_first_of("Hm") + 1);
    const std::string prefix = concat(heads_.layer_numbers[s], ",", head, ",");
    const std::size_t first = edges_->first_query();
    for (std::size_t q = first; q < first + edges_->n_queries(s); ++q) {
      for (const Edge& edge : edges_->edges(s, q)) {
        file->write(concat(prefix, q, ",", edge.key, ",", number_text(edge.weight), "\n"));
      }
    }
  }
}

SummaryData InputRun::summary_data(const std::vector<std::string>* files) const {
  SummaryData data{
      input_, heads_,     scores_.get(), options_, weights_format_name(weights_.format),
      {},     warnings(), files,         draws_,   {}};
  data.notes = notes();
  data.redundant = extra_->redundant();
  return data;
}

}  // namespace mha::cli
