// The flags of every command as plain data, and how CLI11 fills them in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mha/analysis/head_scores.hpp"
#include "mha/render/figure.hpp"
#include "mha/render/style.hpp"
#include "mha/source/source.hpp"

namespace CLI {
class App;
}

namespace mha::cli {

struct InputOptions {
  std::vector<std::string> inputs;  // files; "-" is standard input
  std::vector<std::string> texts;
  std::vector<std::pair<std::string, std::string>> text_pairs;
  std::vector<std::string> text_files;
  std::vector<std::string> id_lists;
  std::vector<std::string> models;  // --model: one, or the two that compare takes; else bundled
  std::string bos = "auto";
  std::string ablate;  // heads of the model, as in --heads
  RuleDefaults rule;
  // Tensor files.
  std::string reading;  // --input
  std::string axes;
  std::optional<std::size_t> batch_index;
  std::string tensor;
  std::string tokens_file;
  std::optional<std::size_t> n_heads;
  std::string embeddings_file;
};

struct PictureOptions {
  std::string color_scale = "linear";
  std::string range = "shared";
  std::string colormap;
  std::string theme = "light";
  std::string title;
  std::string font;
  bool no_system_fonts = false;
  bool drop_first = false;
  std::size_t cell = 0;
  std::size_t max_size = 1600;
  std::string labels = "auto";
  std::string pool = "max";
  int dpi = 0;
  std::string format;     // of figures: png, svg or pdf; "" is png
  std::string width;      // of the printed figure: 85mm; "": as it comes
  std::string font_size;  // of labels: 8pt; "": 7.5pt
};

struct ResourceOptions {
  std::size_t threads = 0;
  std::size_t memory = 0;  // bytes
  bool quiet = false;
  bool strict = false;
  bool force = false;
};

struct SelectionOptions {
  std::string layers;
  std::string heads;
  std::string query_range;  // FIRST-LAST
  std::string key_range;
};

// What analyses beside the scores take.
struct AnalysisOptions {
  double groups_at = -1;  // cut of the tree of heads; below 0: half of the largest merge distance
  std::string follow;     // tokens of rollout and flow
  bool norm_map = false;  // --map norm
};

struct RunOptions {
  InputOptions input;
  SelectionOptions selection;
  PictureOptions picture;
  ResourceOptions resources;
  std::string output = "mha-viz-out";
  std::string weights;  // "" = decide by size
  double min_weight = 0;
  bool no_png = false;
  bool no_output = false;           // of the layers
  std::string analysis = "scores";  // names, "all" or "none"
  AnalysisOptions extra;
  std::size_t top_k = 0;    // edges a row; 0: none
  std::size_t predict = 0;  // most probable tokens a position; 0: none
};

// Keys that are patches of a picture.
struct PatchOptions {
  std::string grid;        // ROWSxCOLS; empty: keys are no patches
  std::size_t prefix = 0;  // tokens in front of the patches
  std::string image;       // the picture, or empty
};

struct DrawOptions {
  InputOptions input;
  SelectionOptions selection;
  PictureOptions picture;
  ResourceOptions resources;
  std::string output;
  std::string figure = "head";
  std::string view = "matrix";  // of a head
  std::size_t top_k = 5;        // lines a query
  double min_weight = 0.05;     // of a line
  std::string query;
  PatchOptions patches;
  AnalysisOptions extra;
};

struct GateOptions {
  std::vector<std::string> thresholds;  // NAME=X
  std::vector<std::string> fail_if;
};

// How a table of scores is made and shown.
struct ScoreViewOptions {
  std::string format = "text";
  std::string output;  // a file; "" or "-": stdout
  std::string by = "label";
  std::size_t top = 0;  // 0: all
  bool list_thresholds = false;
  GateOptions gates;
};

struct ScoreCommandOptions {
  InputOptions input;
  SelectionOptions selection;
  ScoreOptions variant;
  ScoreViewOptions view;
  ResourceOptions resources;
  std::string shard;     // I/N
  std::string treebank;  // --conllu
  bool importance = false;
  std::string figure;  // relations x heads
  PictureOptions picture;
};

struct CompareOptions {
  InputOptions input;  // A and B
  SelectionOptions selection;
  ScoreOptions variant;
  ResourceOptions resources;
  PictureOptions picture;
  std::string output;  // a folder; "" or "-": a table on stdout
  std::string format = "text";
  std::size_t top = 0;
  GateOptions gates;
};

struct ReportOptions {
  InputOptions input;
  SelectionOptions selection;
  PictureOptions picture;
  ResourceOptions resources;
  std::string output;
  std::string analysis;   // names, "all" or "none"; "" = all of them for short inputs
  double groups_at = -1;  // cut of the tree of heads; below 0: half of the largest merge distance
  bool exact = false;
  std::string sharp;  // FIRST-LAST
  PatchOptions patches;
};

struct MergeOptions {
  std::vector<std::string> parts;
  ScoreViewOptions view;
  ResourceOptions resources;
  std::string figure;
  PictureOptions picture;
};

struct StepsOptions {
  InputOptions input;
  SelectionOptions selection;
  PictureOptions picture;
  ResourceOptions resources;
  std::string output;  // a folder, a .png, .svg or .pdf file, "-" for JSON, "" by where stdout goes
  std::string pair;    // QUERY,KEY
  bool terminal = false;
  bool cost = false;
};

struct ShowOptions {
  InputOptions input;
  SelectionOptions selection;
  PictureOptions picture;
  ResourceOptions resources;
  std::string graphics = "auto";  // kitty, sixel, blocks, ascii
  bool watch = false;
  bool no_table = false;
};

struct InspectOptions {
  InputOptions input;
  ResourceOptions resources;
  std::string format = "text";
  bool tensors = false;      // of a model, too
  std::size_t n_tokens = 0;  // that costs are for; 0: 512, or as many as the model has positions
};

// Each adds its flags to a command.
void add_run_options(CLI::App& app, RunOptions& options);
void add_draw_options(CLI::App& app, DrawOptions& options);
void add_score_options(CLI::App& app, ScoreCommandOptions& options);
void add_compare_options(CLI::App& app, CompareOptions& options);
void add_merge_options(CLI::App& app, MergeOptions& options);
void add_report_options(CLI::App& app, ReportOptions& options);
void add_steps_options(CLI::App& app, StepsOptions& options);
void add_show_options(CLI::App& app, ShowOptions& options);
void add_inspect_options(CLI::App& app, InspectOptions& options);

// "500M", "2G", "1024": bytes. Throws Error(kUsage).
std::size_t parse_size(const std::string& text);

// The parts of the picture options that the renderer takes; throws Error(kUsage) for unknown names.
render::PictureStyle picture_style(const PictureOptions& options);

// What --range means for the scale: the largest value of all heads, of each head, or fixed limits.
struct RangeChoice {
  enum class Kind { kShared, kHead, kFixed } kind = Kind::kShared;
  double low = 0;
  double high = 1;
};
RangeChoice parse_range(const std::string& text);

}  // namespace mha::cli
