// The numbers of summary.json, worked out again from attention.json.
#include <cmath>

#include "mha/io/tensor_files.hpp"

#include "program.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::example;
using test::Program;

struct Mean {
  double sum = 0;
  std::size_t rows = 0;
  void add(double value) {
    sum += value;
    ++rows;
  }
};

void check_mean(const json& head, const char* name, const Mean& expected) {
  INFO(head["head"] << " " << name);
  CHECK(head[name]["rows"] == expected.rows);
  if (expected.rows == 0) {
    CHECK(head[name]["value"].is_null());
    CHECK(head[name].contains("reason"));
  } else {
    CHECK(head[name]["value"].get<double>() ==
          Approx(expected.sum / static_cast<double>(expected.rows)).margin(1e-6));
  }
}

struct Expected {
  Mean entropy, normalised, confidence, distance, previous, self, next, first;
  std::size_t masked = 0;
};

// The definitions of docs/formulas.md for a square causal or full map.
Expected recompute(const json& rows, bool causal) {
  Expected out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double> row = rows[i];
    const std::size_t n_allowed = causal ? i + 1 : row.size();
    double entropy = 0;
    double distance = 0;
    double total = 0;
    for (std::size_t j = 0; j < n_allowed; ++j) {
      if (row[j] > 0) entropy -= row[j] * std::log(row[j]);
      distance += row[j] * std::fabs(static_cast<double>(i) - static_cast<double>(j));
      total += row[j];
    }
    out.masked += row.size() - n_allowed;
    out.entropy.add(entropy);
    if (n_allowed > 1) out.normalised.add(entropy / std::log(static_cast<double>(n_allowed)));
    out.confidence.add(*std::ranges::max_element(row));
    out.distance.add(distance / total);
    if (i > 0) out.previous.add(row[i - 1]);
    out.self.add(row[i]);
    if (i + 1 < n_allowed) out.next.add(row[i + 1]);
    if (i > 0) out.first.add(row[0]);
  }
  return out;
}

void check_head(const json& head, const Expected& expected) {
  check_mean(head, "entropy", expected.entropy);
  check_mean(head, "normalised_entropy", expected.normalised);
  check_mean(head, "confidence", expected.confidence);
  check_mean(head, "distance", expected.distance);
  check_mean(head, "previous", expected.previous);
  check_mean(head, "self", expected.self);
  check_mean(head, "next", expected.next);
  check_mean(head, "first_token", expected.first);
  CHECK(head["masked_cells"] == expected.masked);
  CHECK(head["non_finite_cells"] == 0);
  CHECK(head["fully_masked_rows"] == 0);
}

TEST_CASE("the means of each head follow from its weights") {
  for (const auto& [name, causal] : {std::pair("creature.json", false), {"causal.json", true}}) {
    const Program program;
    program.must_run({example(name), "-o", "out", "--no-png"});
    const json heads = program.json("out/summary.json")["heads"];
    const json weights = program.json("out/attention.json")["attention_weights"];
    std::size_t s = 0;
    for (const json& layer : weights) {
      for (const json& rows : layer) check_head(heads[s++], recompute(rows, causal));
    }
    CHECK(s == heads.size());
  }
}

TEST_CASE("what has no meaning is null with a reason, never 0") {
  const Program program;
  program.must_run({example("cross-attention.json"), "-o", "out", "--no-png"});
  const json heads = program.json("out/summary.json")["heads"];
  CHECK(heads.size() == 2);
  for (const json& head : heads) {
    for (const char* name : {"distance", "previous", "self", "next", "first_token"}) {
      check_mean(head, name, {});
      CHECK(head[name]["reason"] == "queries and keys of cross-attention share no positions");
    }
    CHECK(head["entropy"]["rows"] == 5);
  }
}

TEST_CASE("padding and fully masked rows are counted and left out of the means") {
  const Program program;
  program.must_run({example("padding.json"), "-o", "out", "--no-png"});
  const json head = program.json("out/summary.json")["heads"][0];
  CHECK(head["padding_rows"] == 3);
  CHECK(head["entropy"]["rows"] == 8);
  CHECK(head["masked_cells"] == 11 * 3);
  program.write(
      "masked.json",
      R"({"text": "a b", "attention": {"n_heads": 1, "mask": [[false,false],[true,true]]}})");
  const test::ProcessResult result = program.run({"masked.json", "-o", "masked", "--no-png"});
  CHECK(result.code == 0);
  CHECK(result.err.find("masked.json: 1 row has every key masked, ") != std::string::npos);
  const json masked = program.json("masked/summary.json");
  CHECK(masked["heads"][0]["fully_masked_rows"] == 1);
  CHECK(masked["heads"][0]["entropy"]["rows"] == 1);
  CHECK(masked["warnings"].size() == 1);
  CHECK(program.json("masked/attention.json")["attention_weights"][0][0][0] == json({0, 0}));
}

TEST_CASE("the summary names shapes, options and formulas, but no threads, paths or times") {
  const Program program;
  program.must_run({example("gqa.json"), "-o", "out", "--threads", "3", "--memory", "1G"});
  const json summary = program.json("out/summary.json");
  const json& layer = summary["layers"][0];
  CHECK(layer["n_heads"] == 4);
  CHECK(layer["n_kv_heads"] == 2);
  CHECK(layer["d_head"] == 8);
  CHECK(layer["n_query"] == 10);
  CHECK(layer["n_key"] == 10);
  CHECK(layer["cost"]["these_heads"]["scores"]["multiply_adds"] == 4 * 10 * 10 * 8);
  CHECK(layer["cost"]["one_full_width_head"]["scores"]["multiply_adds"] == 10 * 10 * 32);
  CHECK(summary["formulas"]["entropy"]["unit"] == "nats");
  CHECK(summary["version"] == MHA_VERSION);
  const std::string text = program.read("out/summary.json");
  CHECK(text.find(MHA_SOURCE_DIR) == std::string::npos);
  CHECK(text.find("threads") == std::string::npos);
  CHECK(text.find("memory") == std::string::npos);
}

TEST_CASE("a layer reads what the layer below gives, and the summary says how wide that is") {
  const Program program;
  program.write("in.json", R"({"embeddings": [[1, 0], [0, 1]], "layers": [
      {"attention": {"n_heads": 1},
       "weights": {"W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]], "W_V": [[1, 0], [0, 1]],
                   "W_O": [[1, 0, 1, 0], [0, 1, 0, 1]]}},
      {"attention": {"n_heads": 2}, "weights": {"random": {"seed": 1}}}]})");
  program.must_run({"in.json", "-o", "out", "--no-png"});
  const json layers = program.json("out/summary.json")["layers"];
  CHECK(layers[0]["d_model"] == 2);
  CHECK(layers[0]["d_out"] == 4);
  CHECK(layers[1]["d_model"] == 4);
  CHECK(layers[1]["d_head"] == 2);
}

TEST_CASE("flags that change the result stand in the summary") {
  const Program program;
  program.write("in.json", R"({"tokens": ["a", "b", "c"], "positions": "sinusoidal"})");
  program.must_run({"in.json", "-o", "out", "--no-png", "--causal", "--window", "2",
                    "--attention-scale", "0.5", "--softcap", "30", "--rope", "--heads", "L0H1"});
  const json options = program.json("out/summary.json")["options"];
  CHECK(options["causal"] == true);
  CHECK(options["window"] == 2);
  CHECK(options["attention_scale"] == 0.5);
  CHECK(options["softcap"] == 30);
  CHECK(options["rope"] == true);
  CHECK(options["heads"] == "L0H1");
}

TEST_CASE("output.json holds the output of each layer") {
  const Program program;
  program.write(
      "in.json",
      R"({"embeddings": [[1,2],[3,4]], "attention": {"n_heads": 1, "mask": [[true,false],)"
      R"([false,true]]}, "weights": {"W_Q": [[1,0],[0,1]], "W_K": [[1,0],[0,1]],)"
      R"( "W_V": [[2,0],[0,3]]}})");
  program.must_run({"in.json", "-o", "out", "--no-png"});
  const json output = program.json("out/output.json");
  CHECK(output["axes"] == json({"layer", "query", "d_model"}));
  CHECK(output["outputs"] == json::parse("[[[2,6],[6,12]]]"));
}

TEST_CASE("outputs of more than a million numbers are one array") {
  const Program program;
  json document = {{"tokens", std::vector<std::string>(1050, "a")},
                   {"attention", {{"n_heads", 1}}},
                   {"layers", std::vector<json>(16, json::object())}};
  program.write("in.json", document.dump());
  program.must_run({"in.json", "-o", "out", "--no-png", "--analysis", "none", "--weights", "none"});
  CHECK(program.files("out") == std::vector<std::string>{"output.npy", "summary.json"});
  const auto array = open_tensor_path(program.file("out/output.npy"), SIZE_MAX);
  CHECK(array->tensors()[0].shape == Shape{16, 1050, 64});

  // The first layers of a shorter stack are the same numbers as JSON.
  document["layers"] = std::vector<json>(2, json::object());
  program.write("short.json", document.dump());
  program.must_run(
      {"short.json", "-o", "short", "--no-png", "--analysis", "none", "--weights", "none"});
  const json outputs = program.json("short/output.json")["outputs"];
  const Tensor all = array->read(0);
  for (std::size_t i : {0, 7, 1049}) {
    CHECK(outputs[1][i][5].get<float>() == all.data[(1050 + i) * 64 + 5]);
  }
}

TEST_CASE("the hash tells inputs apart and is the same every time") {
  const Program program;
  const auto hash = [&](const char* name) {
    program.must_run({example(name), "-o", "out", "--no-png"});
    return program.json("out/summary.json")["input"]["hash"].get<std::string>();
  };
  const std::string creature = hash("creature.json");
  CHECK(creature.starts_with("fnv1a64:"));
  CHECK(hash("creature.json") == creature);
  CHECK(hash("gqa.json") != creature);
}

}  // namespace
}  // namespace mha
