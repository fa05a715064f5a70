// `mha-viz draw`: one figure to a file or to stdout.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <unistd.h>

#include "mha/analysis/row_capture.hpp"
#include "mha/analysis/value_norms.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"

#include "analyses.hpp"
#include "commands.hpp"
#include "figures.hpp"
#include "grid_overlay.hpp"
#include "inputs.hpp"
#include "lines_figure.hpp"
#include "memory_check.hpp"
#include "score_output.hpp"
#include "selection.hpp"
#include "summary.hpp"

namespace mha::cli {
namespace {

// One input, one figure.
class Drawer {
 public:
  Drawer(const OpenedInput& input, const DrawOptions& options, render::Typesetter& typesetter)
      : input_(input),
        options_(options),
        typesetter_(typesetter),
        heads_(select_heads(input, options.selection)),
        analysis_(*input.rows, heads_.slots, select_queries(input, options.selection)),
        traits_(make_traits(input)),
        scores_(heads_.slots.size(), &traits_) {
    const bool one_head = options.figure == "head";
    if (!options.patches.grid.empty() && !one_head)
      fail_usage("--grid goes with --figure head alone");
    if (one_head && options.patches.grid.empty() && heads_.slots.size() > 1) {
      fail_usage(concat("draw needs one head, and ", heads_.slots.size(), " are selected"),
                 "name one, for example --heads " + input.head_names[0][0].text() +
                     ", or draw all of them with --figure overview");
    }
    if (!options.query.empty() && !one_head) fail_usage("--query goes with --figure head alone");
    if (options.extra.norm_map && !input.has_outputs) {
      fail_input("--map norm needs the values V, which this input does not have");
    }
    if (options.view != "matrix") check_lines(input, options, analysis_.n_queries_of(0));
  }

  std::vector<std::uint8_t> draw(Console& console);
  // What looks wrong with the numbers, known after draw().
  std::vector<std::string> warnings() const {
    return number_warnings(scores_, input_, heads_.slots.size());
  }

 private:
  std::vector<std::uint8_t> draw_maps(Console& console);
  std::vector<std::uint8_t> draw_query(Console& console);
  std::vector<std::uint8_t> draw_lines(Console& console);
  std::vector<std::uint8_t> draw_patches(Console& console);
  std::vector<std::uint8_t> draw_layers();
  std::vector<std::uint8_t> draw_relations();
  std::vector<std::uint8_t> draw_likeness();
  void run_analysis(Console& console);

  const OpenedInput& input_;
  const DrawOptions& options_;
  render::Typesetter& typesetter_;
  const SelectedHeads heads_;
  Analysis analysis_;
  const TokenTraits traits_;
  HeadScoresAccumulator scores_;
  BlockPlan blocks_;
  std::vector<LayerObserver*> observers_;
};

std::vector<std::uint8_t> Drawer::draw(Console& console) {
  const std::string& figure = options_.figure;
  if (figure == "contribution" || figure == "rollout" || figure == "flow") return draw_layers();
  analysis_.attach(&scores_);
  if (figure == "similarity" || figure == "map" || figure == "relations") {
    blocks_ = plan_memory(input_, analysis_, {}, options_.resources);
    run_analysis(console);
    return figure == "relations" ? draw_relations() : draw_likeness();
  }
  if (options_.view != "matrix") return draw_lines(console);
  if (!options_.patches.grid.empty()) return draw_patches(console);
  return options_.query.empty() ? draw_maps(console) : draw_query(console);
}

std::vector<std::uint8_t> Drawer::draw_layers() {
  StreamOptions stream;
  stream.n_threads = options_.resources.threads;
  if (options_.figure == "contribution") {
    if (const std::string reason = no_contribution_reason(input_); !reason.empty()) {
      fail_input(reason);
    }
    return contribution_picture(input_, find_contributions(input_, heads_, stream),
                                options_.picture, typesetter_);
  }
  if (const std::string reason = no_rollout_reason(input_, selects_part(options_.selection));
      !reason.empty())
    fail_input(reason);
  const std::vector<std::size_t> tokens =
      parse_tokens("--follow", options_.extra.follow, input_.tokens.size());
  const LayersTogether layers = follow_layers(input_, tokens, stream.n_threads);
  return options_.figure == "rollout"
             ? rollout_picture(input_, layers, options_.picture, typesetter_)
             : flow_picture(input_, layers, options_.picture, typesetter_);
}

std::vector<std::uint8_t> Drawer::draw_relations() {
  return relations_picture(totals_of(input_, heads_, scores_), options_.picture, typesetter_);
}

std::vector<std::uint8_t> Drawer::draw_likeness() {
  SimilarityOptions similarity;
  similarity.n_threads = options_.resources.threads;
  similarity.queries = analysis_.queries();
  const HeadLikeness likeness = find_likeness(input_, heads_, similarity, options_.extra.groups_at);
  const std::vector<std::string> labels = label_texts(input_, scores_, heads_.slots.size());
  const LikenessPictures pictures{likeness, labels, options_.picture, typesetter_};
  return options_.figure == "similarity" ? pictures.similarity_picture() : pictures.map_picture();
}

void Drawer::run_analysis(Console& console) {
  std::uint64_t total_rows = 0;
  for (std::size_t s = 0; s < heads_.slots.size(); ++s) total_rows += analysis_.n_queries_of(s);
  ProgressBar progress(console, total_rows);
  if (console.shows_progress()) analysis_.attach(&progress);
  StreamOptions stream;
  stream.n_threads = blocks_.n_threads;
  stream.block_rows = blocks_.block_rows;
  stream.observers = observers_;
  analysis_.run(stream);
  check_mapped_files();
}

std::vector<std::uint8_t> Drawer::draw_maps(Console& console) {
  const MapWindow window = map_window(options_.picture, options_.selection, analysis_);
  blocks_ = plan_memory(input_, analysis_,
                        {.draws = true, .window = window, .style = picture_style(options_.picture)},
                        options_.resources);
  CellMapsAccumulator maps(analysis_, window);
  const bool is_norm = options_.extra.norm_map;
  ValueNorms norms(options_.resources.threads);
  std::unique_ptr<ScaledRows> scaled;
  if (is_norm) {
    scaled = std::make_unique<ScaledRows>(analysis_, norms, &maps);
    observers_.push_back(&norms);
    analysis_.attach(scaled.get());
  } else {
    analysis_.attach(&maps);
  }
  run_analysis(console);
  std::vector<CellMap> cells;
  for (std::size_t s = 0; s < heads_.slots.size(); ++s) cells.push_back(maps.take(s));
  const HeadFigures figures(
      {input_, heads_, &scores_, std::move(cells), window, analysis_.queries(), is_norm},
      options_.picture, typesetter_);
  if (options_.figure == "overview") return figures.overview_picture();
  return figures.head_picture();
}

std::vector<std::uint8_t> Drawer::draw_query(Console& console) {
  const std::size_t query = find_token("--query", options_.query, input_.tokens);
  blocks_ = plan_memory(input_, analysis_, {}, options_.resources);
  RowCapture capture(1, query);
  analysis_.attach(&capture);
  run_analysis(console);
  return query_picture({input_, heads_, query, capture.row(0)}, options_.picture, typesetter_);
}

std::vector<std::uint8_t> Drawer::draw_lines(Console& console) {
  TopEdges edges(analysis_, options_.top_k);
  blocks_ = plan_memory(input_, analysis_, {}, options_.resources);
  analysis_.attach(&edges);
  run_analysis(console);
  return lines_picture({input_, heads_, scores_, edges, options_}, typesetter_);
}

std::vector<std::uint8_t> Drawer::draw_patches(Console& console) {
  const PatchGrid grid = parse_patch_grid(options_.patches.grid, options_.patches.prefix);
  check_patch_grid(grid, input_.key_tokens.size());
  const std::vector<std::size_t> queries = parse_patch_queries(options_.query, grid, input_);
  check_panel_count(heads_.slots.size(), queries.size());
  // A damaged one is found out before the work.
  render::Image picture = read_patch_picture(options_.patches.image, options_.resources.memory);
  MemoryPlan plan;
  plan.further_bytes = picture.rgb.size() + captured_bytes(heads_.slots.size() * queries.size(),
                                                           input_.key_tokens.size());
  blocks_ = plan_memory(input_, analysis_, plan, options_.resources);
  std::vector<RowCapture> rows;
  rows.reserve(queries.size());
  for (const std::size_t query : queries) {
    rows.emplace_back(heads_.slots.size(), query);
    analysis_.attach(&rows.back());
  }
  run_analysis(console);
  std::vector<std::size_t> slots(heads_.slots.size());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  return overlay_picture({input_, heads_, slots, grid, queries, rows, std::move(picture)},
                         options_.picture, typesetter_);
}

void write_binary(const std::string& path, const std::vector<std::uint8_t>& bytes,
                  Console& console) {
  if (path != "-") {
    write_file(path, bytes);
    return;
  }
  console.print({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void check_output(const DrawOptions& options) {
  if (options.output == "-") {
    if (stdout_is_terminal()) {
      fail_usage("a picture is binary and does not go to a terminal",
                 "name a file with -o, or pipe the output");
    }
    return;
  }
  OutputFile probe(options.output);  // found out now, not after the work; leaves nothing behind
}

}  // namespace

int command_draw(const DrawOptions& asked, Console& console) {
  DrawOptions options = asked;
  options.picture = with_format_of(options.output, options.picture);
  picture_style(options.picture);
  parse_range(options.picture.range);
  check_output(options);
  const std::unique_ptr<render::Typesetter> typesetter = make_typesetter(options.picture);
  for_each_input(
      options.input, options.resources.memory,
      [&](const InputItem& item) {
        if (item.has_siblings) {
          fail_usage("draw takes one input, and there are several",
                     "use run for several, pick a line (sed -n 3p FILE | mha-viz draw -), or an "
                     "array (--tensor NAME)");
        }
        const OpenedInput input = item.open();
        report_warnings(input.warnings, item.place, options.resources.strict, console);
        for (const std::string& text : input.notes) console.note(item.place + ": " + text);
        for (const std::string& text : input.remarks) console.note(item.place + ": " + text);
        Drawer drawer(input, options, *typesetter);
        const std::vector<std::uint8_t> picture = drawer.draw(console);
        report_warnings(drawer.warnings(), item.place, options.resources.strict, console);
        write_binary(options.output, picture, console);
      },
      [](const FailedInput& failed) { throw failed.error; });
  if (typesetter->missing_glyphs() > 0) {
    console.warning(concat(typesetter->missing_glyphs(),
                           " characters are in no font here and are drawn as boxes"));
  }
  return 0;
}

}  // namespace mha::cli
