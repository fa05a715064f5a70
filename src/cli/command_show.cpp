// `mha-viz show`: a head, or the contact sheet of all heads, in the terminal.
#include <ostream>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "commands.hpp"
#include "inputs.hpp"
#include "model_option.hpp"
#include "show_picture.hpp"
#include "show_watch.hpp"

namespace mha::cli {
namespace {

class Show {
 public:
  Show(const ShowOptions& options, Console& console)
      : options_(options),
        console_(console),
        picture_(options, console),
        view_(choose_view(options)) {
    if (count_inputs(options.input) > 0) {
      model_ = open_chosen_model(options.input, options.resources.memory);
    }
  }

  int once() {
    // A line is left for the prompt.
    const std::size_t lines = view_.size.lines > 2 ? view_.size.lines - 1 : 1;
    for_each([&](const InputItem& item) {
      const OpenedInput input = item.open();
      report_warnings(input.warnings, item.place, options_.resources.strict, console_);
      for (const std::string& text : input.remarks) console_.note(item.place + ": " + text);
      const std::string text = picture_.draw(input, view_, lines);
      report_warnings(picture_.warnings(), item.place, options_.resources.strict, console_);
      console_.print(text);
    });
    if (picture_.missing_glyphs() > 0) {
      console_.warning(concat(picture_.missing_glyphs(),
                              " characters are in no font here and are drawn as boxes"));
    }
    return 0;
  }

  int watching() {
    const std::vector<std::string> files = watched_files(options_.input);
    if (!view_.is_terminal) {
      fail_usage("--watch: stdout is no terminal", "without it the text is printed once");
    }
    return watch(files, [&](const TerminalSize& size) { return redraw(size); });
  }

 private:
  void for_each(const std::function<void(const InputItem&)>& use) const {
    const auto checked = [&](const InputItem& item) {
      if (item.has_siblings) {
        fail_usage("show takes one input, and there are several",
                   "pick a line (sed -n 3p FILE | mha-viz show -), or an array (--tensor NAME)");
      }
      use(item);
    };
    for_each_input(options_.input, InputContext{options_.resources.memory, model_}, checked,
                   [](const FailedInput& failed) { throw failed.error; });
  }

  WatchedPicture redraw(const TerminalSize& size) {
    WatchedPicture out;
    view_.size = size;
    out.is_picture = view_.graphics == Graphics::kKitty || view_.graphics == Graphics::kSixel;
    const std::size_t lines = size.lines > 3 ? size.lines - 2 : 1;
    for_each([&](const InputItem& item) {
      const OpenedInput input = item.open();
      out.text = picture_.draw(input, view_, lines);
      out.remarks = input.warnings;
      for (const std::string& text : picture_.warnings()) out.remarks.push_back(text);
    });
    constexpr std::size_t kMostRemarks = 3;
    if (out.remarks.size() > kMostRemarks) out.remarks.resize(kMostRemarks);
    return out;
  }

  const ShowOptions& options_;
  Console& console_;
  ShowPicture picture_;
  TerminalView view_;
  std::shared_ptr<const TextModel> model_;
};

}  // namespace

int command_show(const ShowOptions& options, Console& console) {
  Show show(options, console);
  return options.watch ? show.watching() : show.once();
}

}  // namespace mha::cli
