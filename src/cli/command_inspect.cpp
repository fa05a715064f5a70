// `mha-viz inspect`: what is in a file, how `run` would read it and why, and what is wrong with it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <ostream>
#include <unistd.h>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/report/json_writer.hpp"

#include "commands.hpp"
#include "inputs.hpp"

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
  std::vector<TensorFacts> tensors;
  std::string reading;  // "weights", "scores", ...; "" for a document
  std::string why;
  std::vector<InputFacts> inputs;
  std::string problem;  // why it cannot be read
  std::string hint;
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

void open_inputs(const std::string& path, const InspectOptions& options, FileFacts* facts) {
  InputOptions one = options.input;
  one.inputs = {path};
  one.texts.clear();
  one.text_files.clear();
  one.id_lists.clear();
  const auto keep_problem = [facts](const Error& error) {
    facts->problem = error.what();
    facts->hint = error.hint();
  };
  for_each_input(
      one, options.resources.memory,
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

FileFacts inspect(const std::string& path, const InspectOptions& options) {
  FileFacts facts;
  facts.path = path;
  const std::size_t memory = options.resources.memory;
  try {
    const bool is_folder = std::filesystem::is_directory(path);
    const bool is_tensors = is_folder || tensor_file_kind(FileBytes::open(path, SIZE_MAX), path) !=
                                             TensorFileKind::kNone;
    if (is_tensors) {
      const std::shared_ptr<const TensorSource> source = open_tensor_path(path, memory);
      for (std::size_t i = 0; i < source->tensors().size(); ++i) {
        facts.tensors.push_back(facts_of(*source, i));
      }
      const Recognition recognition = recognise(*source, tensor_options(options.input, memory));
      facts.reading = reading_name(recognition.reading);
      facts.why = recognition.why;
    }
    open_inputs(path, options, &facts);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    const std::string message = error.what();
    facts.problem = message.starts_with(path) ? message : path + ": " + message;
    facts.hint = error.hint();
  }
  return facts;
}

std::string range_text(const TensorFacts& tensor) {
  if (!tensor.has_range()) return "no finite value";
  return concat(tensor.smallest, " to ", tensor.largest);
}

void print_text(const FileFacts& facts, std::ostream& out) {
  out << facts.path << '\n';
  std::size_t widest = 6;
  std::size_t widest_shape = 5;
  for (const TensorFacts& tensor : facts.tensors) {
    widest = std::max(widest, tensor.info.name.size());
    widest_shape = std::max(widest_shape, shape_text(tensor.info.shape).size());
  }
  for (const TensorFacts& tensor : facts.tensors) {
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
  if (!facts.reading.empty()) {
    out << "read as " << facts.reading << ": " << facts.why << '\n';
  }
  for (const InputFacts& input : facts.inputs) {
    out << input.place << ": " << input.what << '\n';
    for (const std::string& text : input.notes) out << "  note: " << text << '\n';
    for (const std::string& text : input.warnings) out << "  warning: " << text << '\n';
  }
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
  w->key("tensors");
  w->begin_array();
  for (const TensorFacts& tensor : facts.tensors) {
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
  if (options.input.inputs.empty()) {
    fail_usage("inspect needs a file or folder", "mha-viz inspect FILE");
  }
  std::size_t n_failed = 0;
  for (const std::string& path : options.input.inputs) {
    if (path == "-") fail_usage("inspect reads files, not standard input");
    const FileFacts facts = inspect(path, options);
    if (options.format == "json") {
      JsonWriter writer([&console](std::string_view text) { console.out() << text; },
                        options.input.inputs.size() > 1);
      write_json(facts, &writer);
    } else {
      print_text(facts, console.out());
    }
    console.out().flush();
    if (facts.problem.empty()) continue;
    ++n_failed;
    console.error(Error(ErrorKind::kInput, facts.problem, facts.hint));
  }
  if (n_failed == 0) return 0;
  return n_failed == options.input.inputs.size() ? exit_code(ErrorKind::kInput) : kSomeFailed;
}

}  // namespace mha::cli
