#include "option_groups.hpp"

#include <cmath>
#include <limits>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/figure_file.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kDefaultMemory = std::size_t{4} << 30;

// Refuses what is not a finite number above 0, at most `most`.
CLI::Validator above_zero(double most = std::numeric_limits<double>::max()) {
  const auto problem = [most](const std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value > 0 && value <= most) return "";
    const bool is_open = most == std::numeric_limits<double>::max();
    return concat("expected a number above 0", is_open ? "" : concat(" and at most ", most),
                  ", got '", text, "'");
  };
  return {problem, ""};
}

}  // namespace

CLI::Validator count_from(std::size_t least) {
  return CLI::Range(least, std::size_t{1} << 40);
}

void add_tensor_options(CLI::App& app, InputOptions& o) {
  constexpr const char* kGroup = "Tensor files";
  app.add_option("--input", o.reading, "what they hold: weights, scores, qk, qkv or mha (by names)")
      ->check(CLI::IsMember({"weights", "scores", "qk", "qkv", "mha"}))
      ->type_name("KIND")
      ->group(kGroup);
  app.add_option("--axes", o.axes,
                 "axes of the arrays, e.g. lbhqk or nhd: layer batch head query key token d")
      ->type_name("LETTERS")
      ->group(kGroup);
  app.add_option_function<std::size_t>(
         "--batch-index", [&o](std::size_t i) { o.batch_index = i; }, "item of a batch (0)")
      ->check(count_from(0))
      ->type_name("N")
      ->group(kGroup);
  app.add_option("--tensor", o.tensor, "only tensors whose name contains this")
      ->type_name("NAME")
      ->group(kGroup);
  app.add_option("--tokens", o.tokens_file, "labels: a JSON array, or one a line")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_option_function<std::size_t>(
         "--n-heads", [&o](std::size_t n) { o.n_heads = n; }, "heads of nn.MultiheadAttention")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N")
      ->group(kGroup);
  app.add_option("--embeddings", o.embeddings_file,
                 "X for nn.MultiheadAttention: (tokens, d_model)")
      ->type_name("FILE")
      ->group(kGroup);
}

void add_rule_options(CLI::App& app, InputOptions& o) {
  constexpr const char* kGroup = "Attention rule where the input gives none";
  app.add_flag_callback(
         "--causal", [&o] { o.rule.causal = true; }, "keys up to the query only")
      ->group(kGroup);
  app.add_option_function<std::size_t>(
         "--window", [&o](std::size_t w) { o.rule.window = w; }, "keys nearer than W only")
      ->check(count_from(1))
      ->type_name("W")
      ->group(kGroup);
  app.add_option_function<double>(
         "--attention-scale", [&o](double x) { o.rule.scale = x; },
         "factor of Q K^T (1/sqrt(d_head))")
      ->check(above_zero())
      ->type_name("X")
      ->group(kGroup);
  app.add_option_function<double>(
         "--softcap", [&o](double x) { o.rule.softcap = x; }, "s = C tanh(s / C)")
      ->check(above_zero())
      ->type_name("C")
      ->group(kGroup);
  CLI::Option* rope = app.add_flag_callback(
                             "--rope", [&o] { o.rule.position = PositionKind::kRope; },
                             "rotary position embeddings")
                          ->group(kGroup);
  app.add_option("--rope-theta", o.rule.rope.theta, "base of the angles (10000)")
      ->check(above_zero())
      ->needs(rope)
      ->group(kGroup);
  app.add_option_function<std::string>(
         "--rope-pairing",
         [&o](const std::string& name) {
           o.rule.rope.pairing = name == "half" ? RopePairing::kHalf : RopePairing::kInterleaved;
         },
         "half (default) or interleaved")
      ->check(CLI::IsMember({"half", "interleaved"}))
      ->needs(rope)
      ->group(kGroup);
  app.add_option("--rope-fraction", o.rule.rope.fraction, "part of each head that turns (1)")
      ->check(above_zero(1))
      ->needs(rope)
      ->group(kGroup);
  app.add_flag_callback(
         "--alibi", [&o] { o.rule.position = PositionKind::kAlibi; }, "linear distance penalties")
      ->excludes(rope)
      ->group(kGroup);
}

void add_words_options(CLI::App& app, InputOptions& o, const std::string& pair_flag) {
  // Each takes its own value alone: what follows is an INPUT.
  const auto add = [&app](const std::string& flag, auto& values, const char* text) {
    return app.add_option(flag, values, text)->allow_extra_args(false)->group("Input");
  };
  add("--text", o.texts, "a sentence as an input");
  add(pair_flag, o.text_pairs, "two texts as one input: a question and its context")
      ->type_name("A B");
  add("--text-file", o.text_files, "a file with one sentence a line; - is stdin");
  add("--ids", o.id_lists, "token ids as an input: 1,2,3");
}

void add_model_options(CLI::App& app, InputOptions& o, int n_models) {
  constexpr const char* kGroup = "Model for text, tokens and ids";
  app.add_option("--model", o.models,
                 n_models > 1 ? "a model's folder (config.json, model.safetensors, tokenizer); "
                                "twice: one input under two models"
                              : "a model's folder: config.json, model.safetensors, tokenizer (the "
                                "bundled toy)")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group(kGroup);
  app.add_option("--bos", o.bos,
                 "special tokens around a text: auto (as the tokenizer says), yes (its first one "
                 "always), no")
      ->check(CLI::IsMember({"auto", "yes", "no"}))
      ->group(kGroup);
}

void add_ablation_option(CLI::App& app, InputOptions& o) {
  app.add_option("--ablate", o.ablate,
                 "heads of the model whose outputs are zero in the forward pass: L3H1,L4H*")
      ->type_name("LIST")
      ->group("Model for text, tokens and ids");
}

void add_input_forms(CLI::App& app, InputOptions& o, int n_models, const std::string& pair_flag) {
  add_words_options(app, o, pair_flag);
  add_model_options(app, o, n_models);
  add_ablation_option(app, o);
  add_tensor_options(app, o);
  add_rule_options(app, o);
}

void add_input_options(CLI::App& app, InputOptions& o, const std::string& pair_flag) {
  app.add_option("INPUT", o.inputs,
                 "mha-viz JSON or NDJSON, .npy, .npz, .safetensors, or a folder; - is stdin")
      ->group("Input");
  add_input_forms(app, o, 1, pair_flag);
}

void add_head_options(CLI::App& app, SelectionOptions& o) {
  app.add_option("--layers", o.layers, "these layers alone: 0-3,7")
      ->type_name("LIST")
      ->group("Selection");
  app.add_option("--heads", o.heads,
                 "these heads alone: L0H3,L1H*; L0mean is the mean over layer 0")
      ->type_name("LIST")
      ->group("Selection");
}

void add_selection_options(CLI::App& app, SelectionOptions& o) {
  add_head_options(app, o);
  app.add_option("--query-range", o.query_range, "these queries alone: 100-199")
      ->type_name("A-B")
      ->group("Selection");
  app.add_option("--key-range", o.key_range, "draw these keys alone")
      ->type_name("A-B")
      ->group("Selection");
}

// How a picture looks, whatever it shows.
void add_look_options(CLI::App& app, PictureOptions& o) {
  constexpr const char* kGroup = "Pictures";
  app.add_option("--colormap", o.colormap, "viridis, cividis, magma, blues (default) or greys")
      ->check(CLI::IsMember(render::colormap_names()))
      ->group(kGroup);
  app.add_option("--theme", o.theme, "light or dark")
      ->check(CLI::IsMember(render::theme_names()))
      ->group(kGroup);
  app.add_option("--title", o.title, "put in front of the title")->group(kGroup);
  app.add_option("--font", o.font, "a font file instead of the built-in DejaVu Sans")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_flag("--no-system-fonts", o.no_system_fonts, "use no other font for missing characters")
      ->group(kGroup);
}

// What kind of file a figure becomes, and its size in print.
void add_print_options(CLI::App& app, PictureOptions& o) {
  constexpr const char* kGroup = "Pictures";
  app.add_option("--figure-format", o.format,
                 "png, svg or pdf (as the name of the file says, else png)")
      ->check(CLI::IsMember(render::figure_format_names()))
      ->type_name("FORMAT")
      ->group(kGroup);
  app.add_option("--width", o.width, "of the printed figure: 85mm, 8.5cm, 3.3in or 240pt")
      ->type_name("LENGTH")
      ->group(kGroup);
  app.add_option("--font-size", o.font_size, "of labels: 8pt (7.5pt)")
      ->type_name("LENGTH")
      ->group(kGroup);
  app.add_option("--dpi", o.dpi,
                 "dots an inch of a PNG (144; 300 with --width); text and lines grow with it")
      ->check(CLI::Range(1, 1200))
      ->type_name("N")
      ->group(kGroup);
}

// Which colours cells have.
void add_cell_color_options(CLI::App& app, PictureOptions& o) {
  constexpr const char* kGroup = "Pictures";
  app.add_option("--color-scale", o.color_scale,
                 "linear, sqrt, log, or row (each row by its maximum)")
      ->check(CLI::IsMember(render::scale_names()))
      ->group(kGroup);
  app.add_option("--range", o.range, "colours span shared (all heads), head, or LOW..HIGH")
      ->group(kGroup);
  app.add_option("--pool", o.pool, "how weights share a cell: max or mean")
      ->check(CLI::IsMember({"max", "mean"}))
      ->group(kGroup);
  app.add_flag("--drop-first", o.drop_first,
               "leave out the first key, where many heads park attention")
      ->group(kGroup);
}

void add_picture_options(CLI::App& app, PictureOptions& o) {
  constexpr const char* kGroup = "Pictures";
  add_cell_color_options(app, o);
  app.add_option("--cell", o.cell, "side of a cell in pixels (from the number of tokens)")
      ->check(CLI::Range(1, 400))
      ->type_name("PX")
      ->group(kGroup);
  app.add_option("--max-size", o.max_size,
                 "longest side of the cell area; beyond it cells are pooled")
      ->check(CLI::Range(16, 30000))
      ->type_name("PX")
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--labels", o.labels, "auto (thinned so that none overlap), all or none")
      ->check(CLI::IsMember({"auto", "all", "none"}))
      ->group(kGroup);
  add_look_options(app, o);
  add_print_options(app, o);
}

void add_resource_options(CLI::App& app, ResourceOptions& o) {
  constexpr const char* kGroup = "Resources and manners";
  o.memory = kDefaultMemory;
  app.add_option("--threads", o.threads, "threads (all cores); never changes a result")
      ->check(CLI::Range(std::size_t{0}, std::size_t{1024}))
      ->type_name("N")
      ->group(kGroup);
  app.add_option_function<std::string>(
         "--memory", [&o](const std::string& text) { o.memory = parse_size(text); },
         "refuse work that needs more, e.g. 500M (4G)")
      ->type_name("SIZE")
      ->group(kGroup);
  app.add_flag("-q,--quiet", o.quiet, "no notes, warnings or progress on stderr")->group(kGroup);
  app.add_flag("--strict", o.strict, "warnings are errors; stop at the first bad input")
      ->group(kGroup);
  app.add_flag("--force", o.force, "write into a folder that holds other files")->group(kGroup);
}

void add_analysis_options(CLI::App& app, AnalysisOptions& o) {
  constexpr const char* kGroup = "Analyses";
  app.add_option_function<std::string>(
         "--map", [&o](const std::string& name) { o.norm_map = name == "norm"; },
         "weights (default), or norm: also weights times the length of what they carry")
      ->check(CLI::IsMember({"weights", "norm"}))
      ->group(kGroup);
  app.add_option("--groups-at", o.groups_at,
                 "distance where the tree of heads is cut (half of the largest)")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("X")
      ->group(kGroup);
  app.add_option("--follow", o.follow, "tokens that rollout and flow follow, by index: 0,5")
      ->type_name("LIST")
      ->group(kGroup);
}

void add_patch_options(CLI::App& app, PatchOptions& o) {
  constexpr const char* kGroup = "Output";
  auto* const grid = app.add_option("--grid", o.grid, "keys are patches of a picture: 14x14")
                         ->type_name("ROWSxCOLS")
                         ->group(kGroup);
  app.add_option("--prefix", o.prefix, "tokens in front of the patches, such as CLS (0)")
      ->needs(grid)
      ->group(kGroup);
  app.add_option("--image", o.image, "the picture that lies under the patches (PNG or JPEG)")
      ->type_name("FILE")
      ->needs(grid)
      ->group(kGroup);
}

void add_gate_options(CLI::App& app, GateOptions& o, const std::string& examples) {
  constexpr const char* kGroup = "Output";
  app.add_option("--threshold", o.thresholds, "from which score on a name labels a head")
      ->type_name("NAME=X")
      ->group(kGroup);
  app.add_option("--fail-if", o.fail_if, "exit with 6 if it holds for a head: " + examples)
      ->type_name("COND")
      ->group(kGroup);
}

void add_relations_figure(CLI::App& app, std::string& path) {
  app.add_option("--figure", path, "also draw relations x heads into this .png, .svg or .pdf")
      ->type_name("FILE")
      ->group("Output");
}

void add_score_view_options(CLI::App& app, ScoreViewOptions& o) {
  constexpr const char* kGroup = "Output";
  app.add_option("-o,--output", o.output, "file to write; stdout without it")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_option("--format", o.format, "text, json, ndjson (a head a line) or csv")
      ->check(CLI::IsMember({"text", "json", "ndjson", "csv"}))
      ->group(kGroup);
  app.add_option("--by", o.by, "sort by a score, a relation, label (default) or head")
      ->type_name("SCORE")
      ->group(kGroup);
  app.add_option("--top", o.top, "the first N heads alone")
      ->check(count_from(1))
      ->type_name("N")
      ->group(kGroup);
  app.add_flag("--list-thresholds", o.list_thresholds, "print the thresholds and stop")
      ->group(kGroup);
  add_gate_options(app, o.gates, "'previous<0.5@L4H11'");
}

void add_variant_options(CLI::App& app, ScoreOptions& o) {
  constexpr const char* kGroup = "Variants of papers and tools";
  app.add_flag("--clark", o.clark, "smoothed entropy; previous, self, next over all rows")
      ->group(kGroup);
  app.add_flag("--skip-special", o.skip_special, "confidence without special tokens")
      ->group(kGroup);
  app.add_flag("--skip-first", o.skip_first, "distances without attention to the first token")
      ->group(kGroup);
  app.add_flag("--tl-exclude-bos", o.tl_exclude_bos, "tl_ scores without the first key")
      ->group(kGroup);
  app.add_flag("--tl-exclude-current", o.tl_exclude_current, "tl_ scores without a row's own key")
      ->group(kGroup);
}

}  // namespace mha::cli
