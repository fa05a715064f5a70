// `mha-viz inspect`: what is in a file, how `run` would read it and why, and what is wrong with it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <unistd.h>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/model/model_folder.hpp"
#include "mha/report/json_writer.hpp"

#include "commands.hpp"
#include "inputs.hpp"
#include "inspect_model.hpp"
#include "model_option.hpp"

namespace mha::cli {
namespace {

struct TensorFacts {
  TensorInfo info;
  float smallest = std::numeric_limits<float>::infinity();
  float largest = -std::numeric_limits<float>::infinity();
  std::size_t n_non_finite = 0;
  bool has_range() const { return smallest <= largest; }
};

// How an input would be read: its size, heads and remarks.
struct InputFacts {
  std::string place;
  std::string what;  // "2 layers of 3 heads, 12 queries on 12 keys, self-attention"
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

struct FileFacts {
  std::string path;
  std::optional<InspectedModel> model;  // where the path is a model's folder
  std::vector<TensorFacts> tensors;
  std::string reading;  // "weights", "scores", ...; "" for a document
  std::string why;
  std::vector<InputFacts> inputs;
  std::string problem;  // why it cannot be read
  std::string hint;

  // The first warning, with its place; "" without any.
  std::string first_warning() const {
    if (model && model->model && !model->model->warnings.empty()) {
      return path + ": " + model->model->warnings.front();
    }
    for (const InputFacts& input : inputs) {
      if (!input.warnings.empty()) return input.place + ": " + input.warnings.front();
    }
    return "";
  }
};

TensorFacts facts_of(const TensorSource& source, std::size_t index) {
  TensorFacts facts;
  facts.info = source.tensors()[index];
  Tensor tensor;
  std::span<const float> data = source.floats(index);
  if (data.empty()) {
    tensor = source.read(index);
    data = tensor.data;
  }
  for (float x : data) {
    if (!std::isfinite(x)) {
      ++facts.n_non_finite;
      continue;
    }
    facts.smallest = std::min(facts.smallest, x);
    facts.largest = std::max(facts.largest, x);
  }
  return facts;
}

std::string describe(const OpenedInput& input) {
  const std::vector<LayerInfo>& layers = input.rows->layers();
  std::size_t fewest = layers[0].n_heads;
  std::size_t most = layers[0].n_heads;
  for (const LayerInfo& layer : layers) {
    fewest = std::min(fewest, layer.n_heads);
    most = std::max(most, layer.n_heads);
  }
  const auto plural = [](std::size_t n, const char* one) {
    return concat(n, " ", one, n == 1 ? "" : "s");
  };
  std::string text =
      plural(layers.size(), "layer") + " of " +
      (fewest == most ? plural(most, "head") : concat(fewest, " to ", most, " heads"));
  text += concat(", ", input.tokens.size(), " queries on ", input.key_tokens.size(), " keys, ",
                 input.is_cross ? "cross-attention" : "self-attention");
  const MaskRule& mask = *layers[0].mask;
  if (mask.causal) text += ", causal";
  if (mask.window) text += concat(", window ", *mask.window);
  return text;
}

// Looks at one path after another; the model for documents is opened once.
class Inspector {
 public:
  explicit Inspector(const InspectOptions& options) : options_(options) {}

  FileFacts inspect(const std::string& path, bool is_model);

 private:
  std::size_t memory() const { return options_.resources.memory; }
  void list_tensors(const TensorSource& source, FileFacts* facts) const;
  void look_at_model(const std::string& path, FileFacts* facts) const;
  void look_at_input(const std::string& path, FileFacts* facts);
  void open_inputs(const std::string& path, FileFacts* facts);

  const InspectOptions& options_;
  std::shared_ptr<const TextModel> model_;
};

void Inspector::list_tensors(const TensorSource& source, FileFacts* facts) const {
  for (std::size_t i = 0; i < source.tensors().size(); ++i) {
    facts->tensors.push_back(facts_of(source, i));
  }
}

void Inspector::look_at_model(const std::string& path, FileFacts* facts) const {
  facts->model.emplace();
  inspect_model(path, options_.n_tokens, memory(), &*facts->model);
  if (options_.tensors)
    list_tensors(*open_tensor_path(facts->model->weights_path, memory()), facts);
}

void Inspector::look_at_input(const std::string& path, FileFacts* facts) {
  const bool is_tensors =
      std::filesystem::is_directory(path) ||
      tensor_file_kind(FileBytes::open(path, SIZE_MAX), path) != TensorFileKind::kNone;
  if (is_tensors) {
    const std::shared_ptr<const TensorSource> source = open_tensor_path(path, memory());
    list_tensors(*source, facts);
    const Recognition recognition = recognise(*source, tensor_options(options_.input, memory()));
    facts->reading = reading_name(recognition.reading);
    facts->why = recognition.why;
  } else if (!model_) {
    model_ = open_chosen_model(options_.input, memory());
  }
  open_inputs(path, facts);
}

void Inspector::open_inputs(const std::string& path, FileFacts* facts) {
  InputOptions one = options_.input;
  one.inputs = {path};
  const auto keep_problem = [facts](const Error& error) {
    facts->problem = error.what();
    facts->hint = error.hint();
  };
  for_each_input(
      one, InputContext{memory(), model_},
      [&](const InputItem& item) {
        try {
          const OpenedInput input = item.open();
          std::vector<std::string> notes = input.notes;
          notes.insert(notes.end(), input.remarks.begin(), input.remarks.end());
          facts->inputs.push_back({item.place, describe(input), std::move(notes), input.warnings});
        } catch (const Error& error) {
          if (error.kind() != ErrorKind::kInput) throw;
          keep_problem(error);
        }
      },
      [&](const FailedInput& failed) { keep_problem(failed.error); });
}

FileFacts Inspector::inspect(const std::string& path, bool is_model) {
  FileFacts facts;
  facts.path = path;
  try {
    if (is_model || is_model_folder(path)) {
      look_at_model(path, &facts);
    } else {
      look_at_input(path, &facts);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    const std::string message = error.what();
    facts.problem = message.starts_with(path) || is_model ? message : path + ": " + message;
    facts.hint = error.hint();
  }
  return facts;
}

std::vector<std::string> model_warnings(const FileFacts& facts) {
  return facts.model && facts.model->model ? facts.model->model->warnings
                                           : std::vector<std::string>();
}

std::string range_text(const TensorFacts& tensor) {
  if (!tensor.has_range()) return "no finite value";
  return concat(tensor.smallest, " to ", tensor.largest);
}

void print_tensors(const std::vector<TensorFacts>& tensors, std::ostream& out) {
  std::size_t widest = 6;
  std::size_t widest_shape = 5;
  for (const TensorFacts& tensor : tensors) {
    widest = std::max(widest, tensor.info.name.size());
    widest_shape = std::max(widest_shape, shape_text(tensor.info.shape).size());
  }
  for (const TensorFacts& tensor : tensors) {
    const std::string shape = shape_text(tensor.info.shape);
    const std::string& name = tensor.info.name.empty() ? "(array)" : tensor.info.name;
    const auto pad = [](std::size_t width, std::size_t used) {
      return std::string(width > used ? width - used : 0, ' ');
    };
    out << "  " << name << pad(widest, name.size()) << "  " << dtype_name(tensor.info.dtype)
        << pad(4, dtype_name(tensor.info.dtype).size()) << "  " << shape
        << pad(widest_shape, shape.size()) << "  " << range_text(tensor);
    if (tensor.n_non_finite > 0) out << "  " << tensor.n_non_finite << " not finite";
    out << '\n';
  }
}

void print_text(const FileFacts& facts, std::ostream& out) {
  out << facts.path << '\n';
  if (facts.model) {
    print_model(*facts.model, out);
    for (const std::string& text : model_warnings(facts)) out << "  warning: " << text << '\n';
  }
  print_tensors(facts.tensors, out);
  if (!facts.reading.empty()) {
    out << "read as " << facts.reading << ": " << facts.why << '\n';
  }
  for (const InputFacts& input : facts.inputs) {
    out << input.place << ": " << input.what << '\n';
    for (const std::string& text : input.notes) out << "  note: " << text << '\n';
    for (const std::string& text : input.warnings) out << "  warning: " << text << '\n';
  }
}

void write_tensors(const std::vector<TensorFacts>& tensors, JsonWriter* w) {
  w->key("tensors");
  w->begin_array();
  for (const TensorFacts& tensor : tensors) {
    w->begin_object();
    w->member("name", tensor.info.name);
    w->member("dtype", dtype_name(tensor.info.dtype));
    w->key("shape");
    w->begin_array();
    for (std::size_t n : tensor.info.shape) w->value(static_cast<std::uint64_t>(n));
    w->end_array();
    if (tensor.has_range()) {
      w->member("smallest", static_cast<double>(tensor.smallest));
      w->member("largest", static_cast<double>(tensor.largest));
    }
    w->member("non_finite", static_cast<std::uint64_t>(tensor.n_non_finite));
    w->end_object();
  }
  w->end_array();
}

void write_json(const FileFacts& facts, JsonWriter* w) {
  const auto write_lines = [w](const char* name, const std::vector<std::string>& lines) {
    w->key(name);
    w->begin_array();
    for (const std::string& line : lines) w->value(line);
    w->end_array();
  };
  w->begin_object();
  w->member("format", "mha-viz inspection 1");
  w->member("file", facts.path);
  if (facts.model) {
    write_inspected_model(*facts.model, w);
    write_lines("warnings", model_warnings(facts));
  }
  // A model's tensors are listed only on demand.
  if (!facts.model || !facts.tensors.empty()) write_tensors(facts.tensors, w);
  if (!facts.reading.empty()) {
    w->member("reading", facts.reading);
    w->member("why", facts.why);
  }
  w->key("inputs");
  w->begin_array();
  for (const InputFacts& input : facts.inputs) {
    w->begin_object();
    w->member("input", input.place);
    w->member("what", input.what);
    write_lines("notes", input.notes);
    write_lines("warnings", input.warnings);
    w->end_object();
  }
  w->end_array();
  if (!facts.problem.empty()) {
    w->member("problem", facts.problem);
    if (!facts.hint.empty()) w->member("hint", facts.hint);
  }
  w->end_object();
  w->finish();
}

}  // namespace

int command_inspect(const InspectOptions& options, Console& console) {
  const InputOptions& input = options.input;
  const std::size_t n_paths = input.models.size() + input.inputs.size();
  if (n_paths == 0) fail_usage("inspect needs a file or folder", "mha-viz inspect FILE");
  if (std::ranges::count(input.inputs, "-") > 0) {
    fail_usage("inspect reads files, not standard input");
  }
  Inspector inspector(options);
  std::size_t n_failed = 0;
  const auto show = [&](const std::string& path, bool is_model) {
    const FileFacts facts = inspector.inspect(path, is_model);
    if (options.format == "json") {
      JsonWriter writer([&console](std::string_view text) { console.out() << text; }, n_paths > 1);
      write_json(facts, &writer);
    } else {
      print_text(facts, console.out());
    }
    console.out().flush();
    const std::string warning = options.resources.strict ? facts.first_warning() : "";
    if (facts.problem.empty() && warning.empty()) return;
    ++n_failed;
    console.error(facts.problem.empty()
                      ? Error(ErrorKind::kInput, warning, "without --strict this is a warning")
                      : Error(ErrorKind::kInput, facts.problem, facts.hint));
  };
  for (const std::string& path : input.models) show(path, true);
  for (const std::string& path : input.inputs) show(path, false);
  if (n_failed == 0) return 0;
  return n_failed == n_paths ? exit_code(ErrorKind::kInput) : kSomeFailed;
}

}  // namespace mha::cli
