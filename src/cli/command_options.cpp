// The flags of each command, and the examples of its help.
#include "option_groups.hpp"

namespace mha::cli {

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
  app.add_flag("--no-output", o.no_output,
               "no output.json: the pass ends with the weights of the last layer asked for")
      ->group(kGroup);
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
  app.add_option("--predict", o.predict,
                 "also write the K most probable tokens: the next ones, or those behind masks")
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
      "  mha-viz --model DIR --text \"the cat sat\" -o out  under a model on disk\n"
      "  mha-viz --model DIR --pair \"who sat?\" \"the cat sat\" --layers 0-3 -o out\n"
      "  mha-viz in.json -o - | jq '.heads[0].entropy'   numbers in a pipeline\n"
      "  mha-viz a.json b.json -o out --weights npy      a folder for each input\n"
      "  mha-viz in.json --heads 'L0H*' --color-scale sqrt --theme dark\n"
      "  mha-viz --model DIR --text \"the cat\" --predict 5 -o out   what comes next\n"
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
  app.add_option("--view", o.view,
                 "a head as matrix (default), lines between two columns, or arcs over a sentence")
      ->check(CLI::IsMember({"matrix", "lines", "arcs"}))
      ->group(kGroup);
  app.add_option("--top-k", o.top_k, "lines and arcs: the K largest weights of each query")
      ->check(CLI::Range(1, 1000))
      ->type_name("K")
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--min-weight", o.min_weight, "lines and arcs: leave out smaller weights")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("X")
      ->capture_default_str()
      ->group(kGroup);
  add_analysis_options(app, o.extra);
  app.add_option("--query", o.query,
                 "one token's row as bars: its index, or its text; with --grid "
                 "also ROW,COL, and several with ; between them")
      ->type_name("TOKEN")
      ->group(kGroup);
  add_patch_options(app, o.patches);
  add_selection_options(app, o.selection);
  add_picture_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz draw data/examples/creature.json --heads L0H3 -o head.png\n"
      "  mha-viz draw data/examples/creature.json --heads L0H3 --query it -o it.png\n"
      "  mha-viz draw data/examples/creature.json --heads L0mean -o - > mean.png\n"
      "  mha-viz draw in.json --figure overview --color-scale sqrt -o overview.png\n"
      "  mha-viz draw --model DIR --text \"the cat sat\" --heads L4H11 -o head.png\n"
      "  mha-viz draw in.json --figure similarity -o alike.pdf\n"
      "  mha-viz draw in.json --heads L0H3 --view arcs -o arcs.svg\n"
      "  mha-viz draw in.json --heads L0H3 --width 85mm --font-size 8pt -o column.pdf\n"
      "  mha-viz draw vit.npy --grid 14x14 --prefix 1 --image cat.jpg --heads L11H3 -o cat.png\n"
      "  mha-viz draw vit.npy --grid 14x14 --prefix 1 --query \"3,5;10,2\" -o patches.png");
}

void add_show_options(CLI::App& app, ShowOptions& o) {
  add_input_options(app, o.input);
  constexpr const char* kGroup = "Output";
  app.add_option("--graphics", o.graphics,
                 "auto (what the terminal can do), kitty, sixel, blocks (two cells a character) or "
                 "ascii")
      ->check(CLI::IsMember({"auto", "kitty", "sixel", "blocks", "ascii"}))
      ->group(kGroup);
  app.add_flag("--watch", o.watch, "draw again when the input changes; q or Ctrl-C ends")
      ->group(kGroup);
  app.add_flag("--no-table", o.no_table, "several heads without their table")->group(kGroup);
  add_selection_options(app, o.selection);
  add_cell_color_options(app, o.picture);  // the window decides the sizes
  add_look_options(app, o.picture);
  o.picture.theme = "auto";
  app.get_option("--theme")->description("light or dark (as the terminal is, if it says so)");
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz show --text \"the creature ate the berry\"    all heads and what they do\n"
      "  mha-viz show in.json --heads L0H3                     one head, as large as it fits\n"
      "  mha-viz show in.json --layers 0-3 --no-table          heads of four layers\n"
      "  mha-viz show --model DIR --text \"the cat sat\" --heads 'L4H*' --color-scale sqrt\n"
      "  mha-viz show in.json --watch                          draws again when in.json changes\n"
      "  mha-viz show in.json --graphics sixel                 the figure of draw, in the window\n"
      "  mha-viz show in.json > heads.txt                      plain text, no colours\n"
      "Exit codes: 0 ok, 2 usage, 3 input, 4 output, 130 interrupted.");
}

void add_score_options(CLI::App& app, ScoreCommandOptions& o) {
  add_input_options(app, o.input);
  app.add_option("--conllu", o.treebank,
                 "a treebank; gives words and relations to inputs that follow its sentences in "
                 "order; without an INPUT the model reads its sentences")
      ->type_name("FILE")
      ->group("Input");
  app.add_option("--shard", o.shard, "every N-th input from the I-th on; writes a partial result")
      ->type_name("I/N")
      ->group("Input");
  add_score_view_options(app, o.view);
  app.add_flag("--importance", o.importance,
               "what ablating each head in turn changes in the model's output, in place of scores")
      ->group("Output");
  add_relations_figure(app, o.figure);
  add_variant_options(app, o.variant);
  add_head_options(app, o.selection);
  add_picture_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz score data/examples/creatures.ndjson             who does what, on 20 sentences\n"
      "  mha-viz score in.json --by previous --top 5              the five that look back most\n"
      "  mha-viz score --model DIR --text-file texts.txt          a model on disk, a text a line\n"
      "  mha-viz score --model DIR --text \"the cat sat\" --importance --heads 'L4H*'\n"
      "  mha-viz score --model DIR --conllu en.conllu             the sentences of a treebank\n"
      "  mha-viz score in.ndjson --format json | jq '.coverage'   one head against many\n"
      "  mha-viz score attn.npz --tokens t.json --fail-if 'previous<0.9@L4H11'\n"
      "  mha-viz score big.ndjson --shard 2/8 -o part2.json       one of eight machines\n"
      "Exit codes: 0 ok, 2 usage, 3 input, 4 output, 5 some inputs failed, 6 --fail-if held.");
}

void add_compare_options(CLI::App& app, CompareOptions& o) {
  app.add_option("A_B", o.input.inputs, "two inputs; each may hold several documents")
      ->type_name("A B")
      ->group("Input");
  add_input_forms(app, o.input, 2);
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
  add_gate_options(app, o.gates,
                   "label-changed, 'js>0.1', 'previous<0.5@L4H11' (of B), 'delta.previous<-0.1'");
  add_variant_options(app, o.variant);
  add_head_options(app, o.selection);
  add_picture_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz compare before.json after.json                  what changed, largest first\n"
      "  mha-viz compare before.json after.json -o out           difference maps of every head\n"
      "  mha-viz compare a.json b.json --fail-if label-changed   a check for CI\n"
      "  mha-viz compare --text \"it was hungry\" --text \"it was ripe\" --model DIR\n"
      "  mha-viz compare --text \"the cat sat\" --model BEFORE --model AFTER -o out\n"
      "  mha-viz compare --text \"the cat sat\" --model DIR --ablate L3H1   without and with it\n"
      "Exit codes: 0 ok, 2 usage, 3 input, 4 output, 6 --fail-if held.");
}

void add_report_options(CLI::App& app, ReportOptions& o) {
  app.add_option("INPUT", o.input.inputs,
                 "mha-viz JSON or NDJSON, .npy, .npz, .safetensors, or a folder; - is stdin; with "
                 "two of them the page compares")
      ->group("Input");
  add_input_forms(app, o.input, 2);
  constexpr const char* kGroup = "Output";
  app.add_option("-o,--output", o.output, "file to write; - is stdout")
      ->type_name("FILE.html")
      ->required()
      ->group(kGroup);
  app.add_flag("--exact", o.exact, "weights as 32-bit floats; 8 bits each without it")
      ->group(kGroup);
  app.add_option("--sharp", o.sharp,
                 "of long inputs: tokens kept weight by weight, others are pooled (the last ones)")
      ->type_name("A-B")
      ->group(kGroup);
  app.add_option("--analysis", o.analysis,
                 "scores, similarity, map, contribution; all (default for short inputs); or none")
      ->type_name("NAMES")
      ->group(kGroup);
  app.add_option("--groups-at", o.groups_at,
                 "distance where the tree of heads is cut (half of the largest)")
      ->check(CLI::Range(0.0, 1.0))
      ->type_name("X")
      ->group(kGroup);
  add_patch_options(app, o.patches);
  add_head_options(app, o.selection);
  add_look_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz report data/examples/creature.json -o report.html   one file, opened in a "
      "browser\n"
      "  mha-viz report --text \"the cat sat\" -o cat.html            a sentence of your own\n"
      "  mha-viz report --model DIR --text \"the cat sat\" -o cat.html --exact\n"
      "  mha-viz report before.json after.json -o both.html          two inputs, compared\n"
      "  mha-viz report --text \"the cat sat\" --model A --model B -o both.html\n"
      "  mha-viz report qk.safetensors --causal --sharp 1000-1255 -o long.html\n"
      "  mha-viz report vit.npy --grid 14x14 --prefix 1 --image cat.jpg -o cat.html\n"
      "  mha-viz report in.json -o - | ssh host 'cat > report.html'\n"
      "Exit codes: 0 ok, 2 usage, 3 input, 4 output.");
}

void add_merge_options(CLI::App& app, MergeOptions& o) {
  app.add_option("PART", o.parts, "the files of score --shard, all of them, in any order")
      ->group("Input");
  add_score_view_options(app, o.view);
  add_relations_figure(app, o.figure);
  add_picture_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz merge part*.json                       the table of one run over all inputs\n"
      "  mha-viz merge part*.json --format json -o scores.json");
}

void add_steps_options(CLI::App& app, StepsOptions& o) {
  add_input_options(app, o.input, "--text-pair");  // --pair names the two tokens here
  constexpr const char* kGroup = "Output";
  CLI::Option* output =
      app.add_option(
             "-o,--output", o.output,
             "FILE.png, .svg or .pdf: one tall figure; a folder: the figure, a picture a step, "
             "steps.json; -: "
             "JSON; without it text in a terminal, else the folder mha-viz-steps")
          ->type_name("PATH")
          ->group(kGroup);
  app.add_flag("--terminal", o.terminal, "text on stdout, as wide as the window")
      ->excludes(output)
      ->group(kGroup);
  app.add_flag("--cost", o.cost, "what the layer costs with 1, 2, 4 and 8 heads of one d_model")
      ->group(kGroup);
  app.add_option("--pair", o.pair,
                 "the tokens to calculate with, by text or index: it,creature or 9,2 (the largest "
                 "weight)")
      ->type_name("QUERY,KEY")
      ->group("Selection");
  add_head_options(app, o.selection);
  add_look_options(app, o.picture);
  add_print_options(app, o.picture);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz steps data/examples/creature.json --heads L0H3 --pair it,creature -o it.png\n"
      "  mha-viz steps data/examples/gqa.json --heads L0H2 --terminal\n"
      "  mha-viz steps in.json --heads L0H0,L0H3 -o out           a folder\n"
      "  mha-viz steps --model DIR --text \"the cat sat\" --heads L4H11 -o head.png\n"
      "  mha-viz steps in.json --heads L0H3 -o - | jq '.heads[0].pair'\n"
      "  mha-viz steps data/examples/creature.json --cost         why 8 heads cost what 1 does\n"
      "Exit codes: 0 ok, 2 usage, 3 input, 4 output.");
}

void add_inspect_options(CLI::App& app, InspectOptions& o) {
  app.add_option("INPUT", o.input.inputs,
                 "mha-viz JSON or NDJSON, .npy, .npz, .safetensors, or a folder: of tensors, or of "
                 "a model")
      ->group("Input");
  app.add_option("--model", o.input.models, "the same for a model; documents run through it")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group("Input");
  app.add_flag("--tensors", o.tensors, "list the tensors of a model, too")->group("Output");
  app.add_option("--tokens-count", o.n_tokens,
                 "costs of a model are for N tokens (512, or as many as it has positions)")
      ->check(count_from(1))
      ->type_name("N")
      ->group("Output");
  app.add_option("--format", o.format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->group("Output");
  add_tensor_options(app, o.input);
  add_rule_options(app, o.input);
  add_resource_options(app, o.resources);
  app.footer(
      "Examples:\n"
      "  mha-viz inspect dump.safetensors\n"
      "  mha-viz inspect DIR                             a model: sizes, tokenizer, costs\n"
      "  mha-viz inspect DIR --format json | jq '.model.unread'\n"
      "  mha-viz inspect weights.npy --axes bhqk\n"
      "Exit codes: 0 ok, 2 usage, 3 input, 5 some of several inputs failed.");
}

}  // namespace mha::cli
