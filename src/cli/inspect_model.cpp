#include "inspect_model.hpp"

#include <algorithm>
#include <ostream>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/file.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/model/model_facts.hpp"
#include "mha/model/model_folder.hpp"

#include "memory_check.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kUsualTokens = 512;

std::vector<DTypeShare> shares_of(const TensorSource& source) {
  std::vector<DTypeShare> out;
  for (const TensorInfo& info : source.tensors()) {
    const std::string dtype(dtype_name(info.dtype));
    auto share = std::ranges::find(out, dtype, &DTypeShare::dtype);
    if (share == out.end()) share = out.insert(out.end(), {dtype, 0, 0});
    std::uint64_t bytes = dtype_size(info.dtype);
    for (const std::size_t n : info.shape) bytes *= n;
    ++share->n_tensors;
    share->bytes += bytes;
  }
  return out;
}

std::string weights_text(const InspectedModel& model) {
  std::vector<std::string> parts;
  for (const DTypeShare& share : model.weights) {
    parts.push_back(concat(count_text(share.n_tensors, "tensor"), " of ", share.dtype, ", ",
                           bytes_text(static_cast<double>(share.bytes))));
  }
  return join(parts, "; ") + ", from " + model.weights_path;
}

std::string tokenizer_text(const TextModel& model) {
  if (!model.tokenizer) return "none: " + model.no_tokenizer;
  return concat(model.tokenizer->kind(), ", ", count_text(model.tokenizer->vocab_size(), "token"),
                ", from ", model.tokenizer_files);
}

// "7.4 million".
std::string large_number(double value) {
  constexpr std::pair<double, const char*> kUnits[] = {
      {1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}, {1e3, " thousand"}};
  for (const auto& [unit, name] : kUnits) {
    if (value >= unit) return fixed(value / unit, 1) + name;
  }
  return fixed(value, 0);
}

std::string names_text(std::vector<std::string> names) {
  if (names.empty()) return "none";
  constexpr std::size_t kShown = 6;
  const std::size_t n_names = names.size();
  if (n_names > kShown) names.resize(kShown);
  return concat(n_names, ": ", join(names, ", "), n_names > kShown ? ", ..." : "");
}

void print_config(const ModelConfig& config, auto line) {
  const ModelFacts facts = describe_model(config);
  line("family", concat(config.model_type, " (", facts.family, ")"));
  line("layers", std::to_string(config.n_layers));
  line("heads", concat(config.n_heads, " of width ", config.d_head, ", ",
                       count_text(config.n_kv_heads, "key/value head")));
  line("width", concat("d_model ", config.d_model));
  line("attention", facts.attention);
  line("windows", facts.windows);
  line("positions", facts.positions);
  line("norm", facts.norm);
  line("feed-forward", facts.mlp);
  line("vocabulary",
       concat(
           config.vocab_size, " ids",
           config.n_token_types > 0 ? ", " + count_text(config.n_token_types, "token type") : ""));
}

void print_costs(const ModelConfig& config, std::size_t n_tokens, auto line) {
  const ModelWork work = model_work(config, n_tokens);
  const auto text = [](std::uint64_t n) { return large_number(static_cast<double>(n)); };
  line(concat(n_tokens, n_tokens == 1 ? " token" : " tokens"),
       concat(text(work.total()), " multiply-adds (projections ", text(work.projections),
              ", attention ", text(work.attention), ", feed-forward ", text(work.feed_forward),
              "), about ", bytes_text(model_bytes(config, n_tokens, false)),
              " of memory beside the mapped weights"));
}

void write_config(const ModelConfig& config, JsonWriter* w) {
  const auto count = [w](const char* name, std::size_t n) {
    w->member(name, static_cast<std::uint64_t>(n));
  };
  const ModelFacts facts = describe_model(config);
  w->member("family", config.model_type);
  count("n_layers", config.n_layers);
  count("n_heads", config.n_heads);
  count("n_kv_heads", config.n_kv_heads);
  count("d_head", config.d_head);
  count("d_model", config.d_model);
  count("d_inner", config.d_inner);
  count("max_positions", config.max_positions);
  count("vocab_size", config.vocab_size);
  count("n_token_types", config.n_token_types);
  w->member("attention", facts.attention);
  w->member("windows", facts.windows);
  w->member("positions", facts.positions);
  w->member("norm", facts.norm);
  w->member("feed_forward", facts.mlp);
}

void write_costs(const ModelConfig& config, std::size_t n_tokens, JsonWriter* w) {
  const ModelWork work = model_work(config, n_tokens);
  w->key("cost");
  w->begin_object();
  w->member("n_tokens", static_cast<std::uint64_t>(n_tokens));
  w->key("multiply_adds");
  w->begin_object();
  w->member("projections", work.projections);
  w->member("attention", work.attention);
  w->member("feed_forward", work.feed_forward);
  w->member("total", work.total());
  w->end_object();
  w->member("memory_bytes", static_cast<std::uint64_t>(model_bytes(config, n_tokens, false)));
  w->end_object();
}

void write_weight_types(const InspectedModel& model, JsonWriter* w) {
  w->key("weights");
  w->begin_array();
  for (const DTypeShare& share : model.weights) {
    w->begin_object();
    w->member("dtype", share.dtype);
    w->member("tensors", static_cast<std::uint64_t>(share.n_tensors));
    w->member("bytes", share.bytes);
    w->end_object();
  }
  w->end_array();
}

void write_tokenizer(const TextModel& model, JsonWriter* w) {
  w->key("tokenizer");
  if (!model.tokenizer) {
    w->null();
    w->member("no_tokenizer", model.no_tokenizer);
    return;
  }
  w->begin_object();
  w->member("kind", model.tokenizer->kind());
  w->member("files", model.tokenizer_files);
  w->member("tokens", static_cast<std::uint64_t>(model.tokenizer->vocab_size()));
  w->end_object();
}

}  // namespace

void inspect_model(const std::string& path, std::size_t n_tokens, std::size_t max_bytes,
                   InspectedModel* out) {
  const ModelFolder place = find_model_folder(path);
  out->name = place.name;
  out->weights_path = place.weights_path;
  out->config = read_config_file(place);
  out->n_tokens = n_tokens > 0 ? n_tokens : std::min(kUsualTokens, out->config->max_positions);
  out->weights = shares_of(*open_tensor_path(place.weights_path, max_bytes));
  out->model = open_text_model(path, max_bytes);
}

void print_model(const InspectedModel& model, std::ostream& out) {
  const auto line = [&out](const std::string& name, const std::string& text) {
    constexpr std::size_t kWidth = 12;
    out << "  " << name << std::string(name.size() < kWidth ? kWidth - name.size() : 0, ' ') << "  "
        << text << '\n';
  };
  if (!model.name.empty()) out << "model " << model.name << '\n';
  if (model.config) print_config(*model.config, line);
  if (model.model) line("tokenizer", tokenizer_text(*model.model));
  if (!model.weights.empty()) line("weights", weights_text(model));
  if (model.model) {
    line("missing", "none");
    line("not read", names_text(model.model->transformer->unused_tensors()));
  }
  if (model.config) print_costs(*model.config, model.n_tokens, line);
}

void write_inspected_model(const InspectedModel& model, JsonWriter* w) {
  w->key("model");
  w->begin_object();
  w->member("name", model.name);
  if (model.config) write_config(*model.config, w);
  if (model.model) write_tokenizer(*model.model, w);
  if (!model.weights.empty()) write_weight_types(model, w);
  if (model.model) {
    w->key("unread");
    w->strings(model.model->transformer->unused_tensors());
  }
  if (model.config) write_costs(*model.config, model.n_tokens, w);
  w->end_object();
}

}  // namespace mha::cli
