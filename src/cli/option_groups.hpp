// Flags that several commands share, one function a group. How CLI11 fills in options.hpp.
#pragma once

#include <cstddef>
#include <string>

#include <CLI/CLI.hpp>

#include "options.hpp"

namespace mha::cli {

// Whole numbers from `least` on.
CLI::Validator count_from(std::size_t least);

void add_tensor_options(CLI::App& app, InputOptions& o);
void add_rule_options(CLI::App& app, InputOptions& o);
// What stands for an INPUT on the command line; `pair_flag` is what a pair of texts is called.
void add_words_options(CLI::App& app, InputOptions& o, const std::string& pair_flag = "--pair");
void add_model_options(CLI::App& app, InputOptions& o, int n_models = 1);
void add_ablation_option(CLI::App& app, InputOptions& o);
// All of the above: what may stand beside files, and how these are read.
void add_input_forms(CLI::App& app, InputOptions& o, int n_models,
                     const std::string& pair_flag = "--pair");
void add_input_options(CLI::App& app, InputOptions& o, const std::string& pair_flag = "--pair");
void add_head_options(CLI::App& app, SelectionOptions& o);
void add_selection_options(CLI::App& app, SelectionOptions& o);
void add_look_options(CLI::App& app, PictureOptions& o);
void add_print_options(CLI::App& app, PictureOptions& o);
void add_cell_color_options(CLI::App& app, PictureOptions& o);
void add_picture_options(CLI::App& app, PictureOptions& o);
void add_resource_options(CLI::App& app, ResourceOptions& o);
void add_analysis_options(CLI::App& app, AnalysisOptions& o);
void add_patch_options(CLI::App& app, PatchOptions& o);
void add_gate_options(CLI::App& app, GateOptions& o, const std::string& examples);
void add_relations_figure(CLI::App& app, std::string& path);
void add_score_view_options(CLI::App& app, ScoreViewOptions& o);
void add_variant_options(CLI::App& app, ScoreOptions& o);

}  // namespace mha::cli
