#include "options.hpp"

#include <cmath>
#include <limits>

#include <CLI/CLI.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/render/colormap.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kDefaultMemory = std::size_t{4} << 30;

// A flag whose value goes into an optional.
template <typename T>
void add_optional(CLI::App& app, const std::string& name, std::optional<T>& to,
                  const std::string& help) {
  app.add_option_function<T>(
      name, [&to](const T& value) { to = value; }, help);
}

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

void add_input_options(CLI::App& app, InputOptions& o) {
  app.add_option("INPUT", o.inputs,
                 "mha-viz JSON or NDJSON, .npy, .npz, .safetensors, or a folder; - is stdin")
      ->group("Input");
  app.add_option("--text", o.texts, "a sentence as an input, split into words")->group("Input");
  app.add_option("--text-file", o.text_files, "a file with one sentence a line")->group("Input");
  app.add_option("--ids", o.id_lists, "token ids as an input: 1,2,3")->group("Input");
  add_tensor_options(app, o);
  add_rule_options(app, o);
}

void add_selection_options(CLI::App& app, SelectionOptions& o) {
  app.add_option("--layers", o.layers, "layers to show: 0-3,7")
      ->type_name("LIST")
      ->group("Selection");
  app.add_option("--heads", o.heads, "heads to show: L0H3,L1H*; L0mean is the mean over layer 0")
      ->type_name("LIST")
      ->group("Selection");
  app.add_option("--query-range", o.query_range, "these queries alone: 100-199")
      ->type_name("A-B")
      ->group("Selection");
  app.add_option("--key-range", o.key_range, "draw these keys alone")
      ->type_name("A-B")
      ->group("Selection");
}

void add_picture_options(CLI::App& app, PictureOptions& o) {
  constexpr const char* kGroup = "Pictures";
  app.add_option("--color-scale", o.color_scale,
                 "linear, sqrt, log, or row (each row by its maximum)")
      ->check(CLI::IsMember(render::scale_names()))
      ->group(kGroup);
  app.add_option("--range", o.range, "colours span shared (all heads), head, or LOW..HIGH")
      ->group(kGroup);
  app.add_option("--colormap", o.colormap, "viridis, cividis, magma, blues (default) or greys")
      ->check(CLI::IsMember(render::colormap_names()))
      ->group(kGroup);
  app.add_option("--theme", o.theme, "light or dark")
      ->check(CLI::IsMember(render::theme_names()))
      ->group(kGroup);
  app.add_option("--title", o.title, "put in front of the title")->group(kGroup);
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
  app.add_option("--pool", o.pool, "how weights share a cell: max or mean")
      ->check(CLI::IsMember({"max", "mean"}))
      ->group(kGroup);
  app.add_option("--dpi", o.dpi, "written into the PNG; above 144 text and lines grow with it")
      ->check(CLI::Range(1, 1200))
      ->type_name("N")
      ->group(kGroup);
  app.add_flag("--drop-first", o.drop_first,
               "leave out the first key, where many heads park attention")
      ->group(kGroup);
  app.add_option("--font", o.font, "a font file instead of the built-in DejaVu Sans")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_flag("--no-system-fonts", o.no_system_fonts, "use no other font for missing characters")
      ->group(kGroup);
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
  app.add_option("--threshold", o.thresholds, "from which score on a name labels a head")
      ->type_name("NAME=X")
      ->group(kGroup);
  app.add_flag("--list-thresholds", o.list_thresholds, "print the thresholds and stop")
      ->group(kGroup);
  app.add_option("--fail-if", o.fail_if, "exit with 6 if it holds for a head: 'previous<0.5@L4H11'")
      ->type_name("COND")
      ->group(kGroup);
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

}  // namespace

void add_run_options(CLI::App& app, RunOptions& o) {
  add_input_options(app, o.input);
  constexpr const char* kGroup = "Output";
  app.add_option("-o,--output", o.output, "folder to write to; - prints one JSON document instead")
      ->type_name("DIR")
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--weights", o.weights,
                 "json, npy, safetensors, csv or none (json up to 1M numbers, npy up to 256 MiB)")
      ->check(CLI::IsMember({"json", "npy", "safetensors", "csv", "none"}))
      ->type_name("FORMAT")
      ->group(kGroup);
  app.add_option("--min-weight", o.min_weight, "csv: leave out smaller weights")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("X")
      ->group(kGroup);
  app.add_flag("--no-png", o.no_png, "numbers only, no pictures")->group(kGroup);
  app.add_option("--analysis", o.analysis,
                 "scores (default), similarity, map, contribution, rollout; all; or none, the "
                 "fastest")
      ->type_name("NAMES")
      ->group(kGroup);
  add_analysis_options(app, o.extra);
  app.add_option("--top-k", o.top_k, "also write the K largest weights of each row to edges.csv")
      ->check(CLI::Range(1, 1000))
      ->type_name("K")
      ->group(kGroup);
  add_selection_options(app, o.selection);
  add_picture_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz data/examples/creature.json -o out      heatmaps, overview and numbers\n"
      "  mha-viz --text \"the cat sat\" -o out             a sentence of your own\n"
      "  mha-viz in.json -o - | jq '.heads[0].entropy'   numbers in a pipeline\n"
      "  mha-viz a.json b.json -o out --weights npy      a folder for each input\n"
      "  mha-viz in.json --heads 'L0H*' --color-scale sqrt --theme dark\n"
      "  mha-viz attentions.npz --tokens tokens.json -o out   weights from another program\n"
      "  mha-viz qk.safetensors --causal -o out          a long sequence from its Q and K\n"
      "Exit codes: 0 ok, 2 usage, 3 input, 4 output, 5 some of several inputs failed.");
}

void add_draw_options(CLI::App& app, DrawOptions& o) {
  add_input_options(app, o.input);
  constexpr const char* kGroup = "Output";
  app.add_option("-o,--output", o.output, "file to write; - is stdout")
      ->type_name("FILE")
      ->required()
      ->group(kGroup);
  app.add_option("--figure", o.figure,
                 "head (default), overview, similarity, map, relations, contribution, rollout or "
                 "flow")
      ->check(CLI::IsMember({"head", "overview", "similarity", "map", "relations", "contribution",
                             "rollout", "flow"}))
      ->group(kGroup);
  app.add_option("--figure-format", o.figure_format, "png (the only one so far)")
      ->check(CLI::IsMember({"png"}))
      ->group(kGroup);
  add_analysis_options(app, o.extra);
  app.add_option("--query", o.query, "one token's row as bars: its index, or its text")
      ->type_name("TOKEN")
      ->group(kGroup);
  add_selection_options(app, o.selection);
  add_picture_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz draw data/examples/creature.json --heads L0H3 -o head.png\n"
      "  mha-viz draw data/examples/creature.json --heads L0H3 --query it -o it.png\n"
      "  mha-viz draw data/examples/creature.json --heads L0mean -o - > mean.png\n"
      "  mha-viz draw in.json --figure overview --color-scale sqrt -o overview.png\n"
      "  mha-viz draw in.json --figure similarity -o alike.png");
}

void add_score_options(CLI::App& app, ScoreCommandOptions& o) {
  add_input_options(app, o.input);
  app.add_option("--conllu", o.treebank,
                 "a treebank whose sentences the inputs follow in order; gives words and relations")
      ->type_name("FILE")
      ->group("Input");
  app.add_option("--shard", o.shard, "every N-th input from the I-th on; writes a partial result")
      ->type_name("I/N")
      ->group("Input");
  add_score_view_options(app, o.view);
  app.add_option("--figure", o.figure, "also draw relations x heads into this PNG")
      ->type_name("FILE")
      ->group("Output");
  add_variant_options(app, o.variant);
  app.add_option("--layers", o.selection.layers, "layers to score: 0-3,7")
      ->type_name("LIST")
      ->group("Selection");
  app.add_option("--heads", o.selection.heads, "heads to score: L0H3,L1H*; L0mean")
      ->type_name("LIST")
      ->group("Selection");
  add_picture_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz score data/examples/creatures.ndjson             who does what, on 20 sentences\n"
      "  mha-viz score in.json --by previous --top 5              the five that look back most\n"
      "  mha-viz score in.ndjson --format json | jq '.coverage'   one head against many\n"
      "  mha-viz score attn.npz --tokens t.json --fail-if 'previous<0.9@L4H11'\n"
      "  mha-viz score big.ndjson --shard 2/8 -o part2.json       one of eight machines\n"
      "Exit codes: 0 ok, 2 usage, 3 input, 4 output, 5 some inputs failed, 6 --fail-if held.");
}

void add_compare_options(CLI::App& app, CompareOptions& o) {
  app.add_option("A_B", o.input.inputs, "two inputs; each may hold several documents")
      ->type_name("A B")
      ->group("Input");
  add_tensor_options(app, o.input);
  add_rule_options(app, o.input);
  constexpr const char* kGroup = "Output";
  app.add_option("-o,--output", o.output,
                 "folder for difference maps and numbers; without it a table on stdout")
      ->type_name("DIR")
      ->group(kGroup);
  app.add_option("--format", o.format, "text, json or csv (on stdout)")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->group(kGroup);
  app.add_option("--top", o.top, "the N heads that changed most")
      ->check(count_from(1))
      ->type_name("N")
      ->group(kGroup);
  app.add_option("--threshold", o.thresholds, "from which score on a name labels a head")
      ->type_name("NAME=X")
      ->group(kGroup);
  app.add_option("--fail-if", o.fail_if,
                 "exit with 6 if it holds for a head: label-changed, 'js>0.1', "
                 "'previous<0.5@L4H11' (of B), 'delta.previous<-0.1'")
      ->type_name("COND")
      ->group(kGroup);
  add_variant_options(app, o.variant);
  app.add_option("--layers", o.selection.layers, "layers to compare: 0-3,7")
      ->type_name("LIST")
      ->group("Selection");
  app.add_option("--heads", o.selection.heads, "heads to compare: L0H3,L1H*")
      ->type_name("LIST")
      ->group("Selection");
  add_picture_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz compare before.json after.json                  what changed, largest first\n"
      "  mha-viz compare before.json after.json -o out           difference maps of every head\n"
      "  mha-viz compare a.json b.json --fail-if label-changed   a check for CI\n"
      "Exit codes: 0 ok, 2 usage, 3 input, 4 output, 6 --fail-if held.");
}

void add_merge_options(CLI::App& app, MergeOptions& o) {
  app.add_option("PART", o.parts, "the files of score --shard, all of them, in any order")
      ->group("Input");
  add_score_view_options(app, o.view);
  app.add_option("--figure", o.figure, "also draw relations x heads into this PNG")
      ->type_name("FILE")
      ->group("Output");
  add_picture_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz merge part*.json                       the table of one run over all inputs\n"
      "  mha-viz merge part*.json --format json -o scores.json");
}

void add_inspect_options(CLI::App& app, InspectOptions& o) {
  add_input_options(app, o.input);
  app.add_option("--format", o.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->group("Output");
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz inspect dump.safetensors\n"
      "  mha-viz inspect model/ --format json | jq '.tensors[].name'\n"
      "  mha-viz inspect weights.npy --axes bhqk");
}

std::size_t parse_size(const std::string& text) {
  std::size_t used = 0;
  double number = -1;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  std::string unit = text.substr(used);
  if (!unit.empty() && (unit.back() == 'B' || unit.back() == 'b')) unit.pop_back();
  if (!unit.empty() && unit.back() == 'i') unit.pop_back();
  constexpr std::string_view kUnits = "KMGT";
  double factor = 1;
  if (unit.size() == 1) {
    const std::size_t at = kUnits.find(static_cast<char>(std::toupper(unit[0])));
    factor = at == std::string_view::npos ? -1 : std::pow(1024.0, static_cast<double>(at + 1));
  } else if (!unit.empty()) {
    factor = -1;
  }
  const double bytes = number * factor;
  if (used == 0 || !(bytes >= 1) || bytes > 0x1p62) {
    fail_usage("--memory: not a size; expected a number like 500M or 2G, got '" + text + "'");
  }
  return static_cast<std::size_t>(bytes);
}

render::PictureStyle picture_style(const PictureOptions& options) {
  render::PictureStyle style;
  style.cell_px = options.cell;
  style.max_size = options.max_size;
  style.labels = options.labels == "all"    ? render::LabelMode::kAll
                 : options.labels == "none" ? render::LabelMode::kNone
                                            : render::LabelMode::kAuto;
  style.dpi = options.dpi;
  style.theme = render::theme_named(options.theme);
  return style;
}

RangeChoice parse_range(const std::string& text) {
  if (text == "shared") return {};
  if (text == "head") return {RangeChoice::Kind::kHead, 0, 1};
  const std::size_t dots = text.find("..");
  try {
    if (dots != std::string::npos) {
      std::size_t used_low = 0;
      std::size_t used_high = 0;
      const std::string high_text = text.substr(dots + 2);
      const double low = std::stod(text.substr(0, dots), &used_low);
      const double high = std::stod(high_text, &used_high);
      if (used_low == dots && used_high == high_text.size() && std::isfinite(low) &&
          std::isfinite(high) && low < high) {
        return {RangeChoice::Kind::kFixed, low, high};
      }
    }
  } catch (const std::exception&) {
    // falls through to the message below
  }
  fail_usage("--range: expected shared, head or LOW..HIGH like 0..1, got '" + text + "'",
             spelling_hint(text, {"shared", "head"}));
}

}  // namespace mha::cli
