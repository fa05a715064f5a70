// The weights in each format: the same numbers, and attention.json as an input again.
#include <sstream>

#include "mha/io/npy.hpp"
#include "mha/io/safetensors.hpp"

#include "program.hpp"

namespace mha {
namespace {

using nlohmann::json;
using test::example;
using test::Program;
using Floats = std::vector<float>;

void flatten(const json& node, Floats* out) {
  if (node.is_array()) {
    for (const json& item : node) flatten(item, out);
  } else {
    out->push_back(node.is_null() ? -1 : node.get<float>());
  }
}

Floats json_weights(const Program& program, const std::string& file) {
  Floats out;
  flatten(program.json(file)["attention_weights"], &out);
  return out;
}

Floats floats(const Tensor& tensor) {
  return {tensor.data.begin(), tensor.data.end()};
}

void write_format(const Program& program, const std::string& input, const std::string& format) {
  program.must_run({input, "-o", format, "--no-png", "--weights", format});
}

TEST_CASE("json, npy, safetensors and csv hold the same weights") {
  const Program program;
  for (const char* format : {"json", "npy", "safetensors", "csv"}) {
    write_format(program, example("causal.json"), format);
    CHECK(program.json(std::string(format) + "/summary.json")["options"]["weights"] == format);
  }
  const Floats expected = json_weights(program, "json/attention.json");
  const auto npy = open_npy(FileBytes::open(program.file("npy/attention.npy"), SIZE_MAX));
  const json heads = program.json("json/summary.json")["layers"];
  const Shape shape = {2, heads[0]["n_heads"], heads[0]["n_query"], heads[0]["n_key"]};
  CHECK(npy->tensors()[0].shape == shape);
  CHECK(npy->tensors()[0].dtype == DType::kF32);
  CHECK(floats(npy->read(0)) == expected);
  const auto tensors = open_safetensors(
      FileBytes::open(program.file("safetensors/attention.safetensors"), SIZE_MAX));
  CHECK(read_tensor(*tensors, "attention").shape == shape);
  CHECK(floats(read_tensor(*tensors, "attention")) == expected);
  std::istringstream csv(program.read("csv/attention.csv"));
  std::string line;
  std::getline(csv, line);
  CHECK(line == "layer,head,query,key,weight");
  std::size_t i = 0;
  for (; std::getline(csv, line); ++i) {
    const std::size_t key = i % shape[3];
    const std::size_t query = i / shape[3] % shape[2];
    const std::size_t head = i / (shape[3] * shape[2]) % shape[1];
    std::ostringstream start;
    start << i / (shape[3] * shape[2] * shape[1]) << ',' << head << ',' << query << ',' << key
          << ',';
    REQUIRE(line.starts_with(start.str()));
    REQUIRE(std::strtof(line.c_str() + start.str().size(), nullptr) == expected[i]);
  }
  CHECK(i == expected.size());
}

TEST_CASE("the flag --weights none writes none, and --min-weight leaves out small ones in csv") {
  const Program program;
  write_format(program, example("creature.json"), "none");
  CHECK(program.files("none") == std::vector<std::string>{"output.json", "summary.json"});
  program.must_run({example("creature.json"), "-o", "csv", "--no-png", "--weights", "csv",
                    "--min-weight", "0.5"});
  std::istringstream csv(program.read("csv/attention.csv"));
  std::string line;
  std::getline(csv, line);
  std::size_t n_lines = 0;
  while (std::getline(csv, line)) {
    CHECK(std::stof(line.substr(line.rfind(',') + 1)) >= 0.5F);
    ++n_lines;
  }
  CHECK(n_lines > 5);
  CHECK(n_lines < 4 * 12 * 12 / 2);
}

TEST_CASE("attention.json is an input that gives the same attention.json again") {
  for (const char* name :
       {"causal.json", "creature.json", "cross-attention.json", "gqa.json", "one-head.json",
        "padding.json", "precomputed.json", "scripts.json", "text.json"}) {
    INFO(name);
    const Program program;
    program.must_run({example(name), "-o", "first", "--no-png", "--weights", "json"});
    program.must_run({"first/attention.json", "-o", "second", "--no-png", "--weights", "json"});
    CHECK(program.read("first/attention.json") == program.read("second/attention.json"));
    // What a summary says about heads follows from the weights and the mask alone.
    CHECK(program.json("first/summary.json")["heads"] ==
          program.json("second/summary.json")["heads"]);
  }
}

TEST_CASE("windows, masks and uneven layers survive the way through attention.json") {
  const Program program;
  program.write("window.json", R"({"text": "a b c d e", "attention": {"window": 2}})");
  program.write("mask.json",
                R"({"text": "a b", "attention": {"mask": [[true,false],[true,true]]}})");
  program.write("layers.json", R"({"text": "a b c", "layers": [{"attention": {"n_heads": 2,)"
                               R"( "causal": true}}, {"attention": {"n_heads": 4}}]})");
  program.write("gaps.json", R"({"attention_weights": [[[[1,null],[0.25,0.75]]]]})");
  for (const char* name : {"window", "mask", "layers", "gaps"}) {
    INFO(name);
    program.must_run({std::string(name) + ".json", "-o", "first", "--no-png"});
    program.must_run({"first/attention.json", "-o", "second", "--no-png"});
    CHECK(program.read("first/attention.json") == program.read("second/attention.json"));
    CHECK(program.json("first/summary.json")["heads"] ==
          program.json("second/summary.json")["heads"]);
  }
}

TEST_CASE("layers with different numbers of heads have one tensor each in safetensors") {
  const Program program;
  program.write("in.json", R"({"text": "a b c", "layers": [{"attention": {"n_heads": 2}},)"
                           R"( {"attention": {"n_heads": 4}}]})");
  write_format(program, "in.json", "safetensors");
  const auto tensors = open_safetensors(
      FileBytes::open(program.file("safetensors/attention.safetensors"), SIZE_MAX));
  CHECK(read_tensor(*tensors, "attention.L0").shape == Shape{2, 3, 3});
  CHECK(read_tensor(*tensors, "attention.L1").shape == Shape{4, 3, 3});
  const test::ProcessResult npy = program.run({"in.json", "-o", "npy", "--weights", "npy"});
  CHECK(npy.code == 2);
  CHECK(npy.err.find("--weights npy: the layers have different numbers of heads") !=
        std::string::npos);
}

TEST_CASE("a selection keeps the names of its heads") {
  const Program program;
  program.must_run({example("causal.json"), "-o", "out", "--no-png", "--heads", "L1H1,L0H0"});
  const json attention = program.json("out/attention.json");
  CHECK(attention["selection"] == json({"L0H0", "L1H1"}));
  program.must_run({"out/attention.json", "-o", "again", "--heads", "L1H1"});
  CHECK(program.has("again/heads/L01H01.png"));
  CHECK(program.json("again/summary.json")["heads"][0]["head"] == "L1H1");
}

TEST_CASE("L0mean is the mean of the weights of the heads of layer 0") {
  const Program program;
  program.must_run({example("creature.json"), "-o", "all", "--no-png"});
  program.must_run({example("creature.json"), "-o", "mean", "--no-png", "--heads", "L0mean"});
  CHECK(program.json("mean/attention.json")["selection"] == json({"L0mean"}));
  const Floats all = json_weights(program, "all/attention.json");
  const Floats mean = json_weights(program, "mean/attention.json");
  REQUIRE(all.size() == 4 * mean.size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    double sum = 0;
    for (std::size_t h = 0; h < 4; ++h) sum += static_cast<double>(all[h * mean.size() + i]);
    REQUIRE(static_cast<double>(mean[i]) == Approx(sum / 4).margin(1e-7));
  }
}

TEST_CASE("weights that need more than the memory allowed are refused, with the size") {
  const Program program;
  std::string text;
  for (int i = 0; i < 600; ++i) text += "w ";
  program.write("in.json", R"({"positions": "sinusoidal", "text": ")" + text + "\"}");
  const test::ProcessResult result =
      program.run({"in.json", "-o", "out", "--weights", "npy", "--memory", "5M"});
  CHECK(result.code == 3);
  CHECK(result.err.find("in.json: --weights npy needs 5.5 MiB; expected at most 5.0 MiB") !=
        std::string::npos);
  CHECK_FALSE(program.has("out"));
}

TEST_CASE("above a million numbers the weights go to npy by themselves") {
  const Program program;
  std::string text;
  for (int i = 0; i < 600; ++i) text += "w ";
  program.write("in.json", R"({"positions": "sinusoidal", "text": ")" + text + "\"}");
  program.must_run({"in.json", "-o", "out", "--no-png"});
  CHECK(program.has("out/attention.npy"));
  CHECK(program.json("out/summary.json")["options"]["weights"] == "npy");
}

TEST_CASE("attention.json keeps the relations of its input") {
  const Program program;
  program.must_run({example("creature.json"), "-o", "out", "--no-png"});
  CHECK(program.json("out/attention.json").value("relations", json()) ==
        json::parse(test::read_text(example("creature.json")))["relations"]);
}

TEST_CASE("a missing cell is left empty in csv") {
  const Program program;
  program.write("gaps.json", R"({"attention_weights": [[[[1,null],[0.25,0.75]]]]})");
  write_format(program, "gaps.json", "csv");
  CHECK(program.read("csv/attention.csv").find("nan") == std::string::npos);
}

}  // namespace
}  // namespace mha
