#include "mha/cli/app.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <new>
#include <set>

#include <CLI/CLI.hpp>

#include "mha/base/error.hpp"
#include "mha/base/parallel.hpp"
#include "mha/base/text.hpp"
#include "mha/base/version.hpp"
#include "mha/tensor/gemm.hpp"

#include "commands.hpp"

namespace mha::cli {
namespace {

constexpr const char* kAbout =
    "mha-viz computes multi-head attention from JSON and draws what each head attends to.\n"
    "Without a command it runs `run`: mha-viz INPUT -o DIR";

// A first word that is no file and is spelt almost like a command is a misspelt command.
void check_spelling(const std::string& word) {
  if (word.starts_with('-') || word.find_first_of("./") != std::string::npos) return;
  const std::string hint = spelling_hint(word, command_names());
  if (hint.empty() || std::filesystem::exists(word)) return;
  fail_usage("there is no command and no file '" + word + "'", hint);
}

// "mha-viz in.json" means "mha-viz run in.json".
std::vector<std::string> with_command(int argc, const char* const* argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  static const std::set<std::string> kOwn = {"-h", "--help", "--version"};
  const bool is_bare = arguments.empty() || kOwn.contains(arguments[0]);
  if (is_bare || std::ranges::find(command_names(), arguments[0]) != command_names().end()) {
    return arguments;
  }
  check_spelling(arguments[0]);
  arguments.insert(arguments.begin(), "run");
  return arguments;
}

// Names of all flags of the command that was given, for spelling hints.
std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error,
                  const std::vector<std::string>& arguments) {
  std::string message = error.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::string hint;
  const std::vector<std::string> known = flag_names(app);
  for (const std::string& argument : arguments) {
    const std::string flag = argument.substr(0, argument.find('='));
    const bool is_unknown = flag.starts_with("--") && std::ranges::find(known, flag) == known.end();
    if (is_unknown) {
      message = "unknown flag " + flag;
      hint = spelling_hint(flag, known);
      break;
    }
  }
  if (hint.empty()) {
    hint = "see mha-viz " + (arguments.empty() ? "" : arguments[0] + " ") + "--help";
  }
  return Error(ErrorKind::kUsage, message, hint);
}

int dispatch(const std::vector<std::string>& arguments, Console& console) {
  CLI::App app(kAbout, "mha-viz");
  app.set_version_flag("--version", std::string("mha-viz ") + kVersion);
  app.require_subcommand(1);
  RunOptions run_options;
  DrawOptions draw_options;
  CLI::App* run_command =
      app.add_subcommand("run", "heatmaps, overview, summary.json and weights of every head");
  CLI::App* draw_command = app.add_subcommand("draw", "one figure to a file or to stdout");
  InspectOptions inspect_options;
  CLI::App* inspect_command =
      app.add_subcommand("inspect", "what is in a file, and how run would read it");
  add_inspect_options(*inspect_command, inspect_options);
  add_run_options(*run_command, run_options);
  add_draw_options(*draw_command, draw_options);
  ScoreCommandOptions score_options;
  CLI::App* score_command =
      app.add_subcommand("score", "what each head does: scores, labels and relations as a table");
  add_score_options(*score_command, score_options);
  CompareOptions compare_options;
  CLI::App* compare_command =
      app.add_subcommand("compare", "two inputs: what changed in each head, and where");
  add_compare_options(*compare_command, compare_options);
  StepsOptions steps_options;
  CLI::App* steps_command =
      app.add_subcommand("steps", "one head step by step: every matrix, formula and number");
  add_steps_options(*steps_command, steps_options);
  MergeOptions merge_options;
  CLI::App* merge_command =
      app.add_subcommand("merge", "joins the partial results of score --shard");
  add_merge_options(*merge_command, merge_options);
  app.footer(run_command->get_footer() +
             "\n\nmha-viz COMMAND --help lists the flags of a command.");

  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::CallForVersion&) {
    console.out() << "mha-viz " << kVersion << '\n';
    return 0;
  } catch (const CLI::CallForHelp&) {
    const std::vector<CLI::App*> given = app.get_subcommands();
    console.out() << (given.empty() ? app.help() : given[0]->help());
    return 0;
  } catch (const CLI::ParseError& error) {
    if (arguments.empty()) {
      console.out() << app.help();
      return exit_code(ErrorKind::kUsage);
    }
    throw usage_error(app, error, arguments);
  }
  const auto apply = [&console](const ResourceOptions& resources) {
    console.set_quiet(resources.quiet);
    limit_threads(resources.threads);
  };
  if (run_command->parsed()) {
    apply(run_options.resources);
    return command_run(run_options, console);
  }
  if (score_command->parsed()) {
    apply(score_options.resources);
    return command_score(score_options, console);
  }
  if (compare_command->parsed()) {
    apply(compare_options.resources);
    return command_compare(compare_options, console);
  }
  if (merge_command->parsed()) {
    apply(merge_options.resources);
    return command_merge(merge_options, console);
  }
  if (steps_command->parsed()) {
    apply(steps_options.resources);
    return command_steps(steps_options, console);
  }
  if (inspect_command->parsed()) {
    apply(inspect_options.resources);
    return command_inspect(inspect_options, console);
  }
  apply(draw_options.resources);
  return command_draw(draw_options, console);
}

}  // namespace

const std::vector<std::string>& command_names() {
  static const std::vector<std::string> kNames = {"run",     "draw",  "score",  "steps",
                                                  "compare", "merge", "inspect"};
  return kNames;
}

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  use_single_threaded_blas();
  Console console(out, err);
  try {
    return dispatch(with_command(argc, argv), console);
  } catch (const Error& error) {
    console.error(error);
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    console.error(Error(ErrorKind::kInput, "the machine has not enough memory for this input"));
    return exit_code(ErrorKind::kInput);
  } catch (const std::exception& error) {
    console.error(Error(ErrorKind::kInternal, concat("internal error: ", error.what()),
                        "please report this with the command line"));
    return exit_code(ErrorKind::kInternal);
  }
}

}  // namespace mha::cli
