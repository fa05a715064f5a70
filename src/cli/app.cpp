#include "mha/cli/app.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
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

// An empty value is a slip (an unset variable of a shell), not a wish for the default. A title may
// be empty, and so may a text: its message is that of 0 tokens.
void refuse_empty_values(CLI::App* command) {
  for (CLI::Option* option : command->get_options()) {
    const std::string name = option->get_name();
    const bool may_be_empty = name == "--title" || name == "--text";
    if (option->get_positional() || option->get_type_size() == 0 || may_be_empty) continue;
    const std::string wanted = name == "--output" ? "the name of a file or folder" : "a value";
    const auto problem = [wanted](const std::string& text) {
      return text.empty() ? "expected " + wanted + ", got ''" : std::string();
    };
    option->check({problem, ""});
  }
}

// The commands, each with its flags, and the one that was called.
class Commands {
 public:
  explicit Commands(CLI::App& app) : app_(app) {}

  template <typename Options>
  CLI::App* add(const char* name, const char* about, void (*add_options)(CLI::App&, Options&),
                int (*function)(const Options&, Console&)) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app_.add_subcommand(name, about);
    add_options(*command, *options);
    refuse_empty_values(command);
    runs_.emplace_back(command, [options, function](Console& console) {
      console.set_quiet(options->resources.quiet);
      limit_threads(options->resources.threads);
      return function(*options, console);
    });
    return command;
  }

  int run(Console& console) const {
    for (const auto& [command, call] : runs_) {
      if (command->parsed()) return call(console);
    }
    return exit_code(ErrorKind::kUsage);
  }

 private:
  CLI::App& app_;
  std::vector<std::pair<CLI::App*, std::function<int(Console&)>>> runs_;
};

void add_commands(Commands* commands, CLI::App* app) {
  CLI::App* run = commands->add("run", "heatmaps, overview, summary.json and weights of every head",
                                add_run_options, command_run);
  commands->add("draw", "one figure to a file or to stdout", add_draw_options, command_draw);
  commands->add("show", "a head, or all of them, in the terminal", add_show_options, command_show);
  commands->add("inspect", "what is in a file, and how run would read it", add_inspect_options,
                command_inspect);
  commands->add("score", "what each head does: scores, labels and relations as a table",
                add_score_options, command_score);
  commands->add("compare", "two inputs: what changed in each head, and where", add_compare_options,
                command_compare);
  commands->add("steps", "one head step by step: every matrix, formula and number",
                add_steps_options, command_steps);
  commands->add("report", "one interactive HTML file with every head", add_report_options,
                command_report);
  commands->add("merge", "joins the partial results of score --shard", add_merge_options,
                command_merge);
  app->footer(run->get_footer() + "\n\nmha-viz COMMAND --help lists the flags of a command.");
}

int dispatch(const std::vector<std::string>& arguments, Console& console) {
  CLI::App app(kAbout, "mha-viz");
  app.set_version_flag("--version", std::string("mha-viz ") + kVersion);
  app.require_subcommand(1);
  Commands commands(app);
  add_commands(&commands, &app);
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
  return commands.run(console);
}

}  // namespace

const std::vector<std::string>& command_names() {
  static const std::vector<std::string> kNames = {"run",     "draw",   "show",  "score",  "steps",
                                                  "compare", "report", "merge", "inspect"};
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
