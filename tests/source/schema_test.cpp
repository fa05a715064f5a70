// The JSON Schema and the reader know the same fields, and every shipped example opens.
#include <filesystem>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "support/documents.hpp"
#include "support/scratch.hpp"

namespace mha {
namespace {

using nlohmann::json;
using FieldSet = std::set<std::string>;
namespace fs = std::filesystem;

json schema(const std::string& name) {
  return json::parse(test::read_text(fs::path(MHA_SOURCE_DIR) / "data/schema" / name));
}

FieldSet properties(const json& node) {
  FieldSet names;
  for (const auto& [name, value] : node.at("properties").items()) names.insert(name);
  return names;
}

// The fields that the schema gives to each kind of object of known_fields().
std::map<std::string, FieldSet> schema_fields() {
  const json root = schema("input.schema.json");
  const json& defs = root.at("$defs");
  std::map<std::string, FieldSet> out;
  out["document"] = properties(root);
  for (const char* name : {"attention", "layer", "context", "relation"}) {
    out[name] = properties(defs.at(name));
  }
  out["array"] = properties(defs.at("fileReference"));
  out["random"] = properties(defs.at("randomWeights").at("properties").at("random"));
  out["names"] = properties(defs.at("storedWeights").at("properties").at("names"));
  for (const char* name : {"rope", "alibi"}) out["position"].merge(properties(defs.at(name)));
  for (const char* name : {"inlineWeights", "storedWeights", "randomWeights"}) {
    out["weights"].merge(properties(defs.at(name)));
  }
  return out;
}

TEST_CASE("the schema and the reader know the same fields") {
  const std::map<std::string, FieldSet> expected = schema_fields();
  CHECK(known_fields().size() == expected.size());
  for (const auto& [kind, names] : known_fields()) {
    INFO(kind);
    REQUIRE(expected.contains(kind));
    CHECK(FieldSet(names.begin(), names.end()) == expected.at(kind));
  }
}

// Every schema of an object with properties forbids others.
void check_closed(const json& node, const std::string& place) {
  if (node.is_object() && node.contains("properties") && node.value("type", "") == "object") {
    INFO(place);
    CHECK(node.value("additionalProperties", true) == false);
  }
  if (!node.is_structured()) return;
  for (const auto& [name, child] : node.items()) check_closed(child, place + "/" + name);
}

TEST_CASE("no object of the schemas takes fields that they do not name") {
  for (const char* name : {"input.schema.json", "attention.schema.json"}) {
    check_closed(schema(name), name);
  }
}

TEST_CASE("attention.json is made of fields that the reader knows") {
  const std::map<std::string, FieldSet> input = schema_fields();
  for (const std::string& name : properties(schema("attention.schema.json"))) {
    INFO(name);
    CHECK(input.at("document").contains(name));
  }
}

TEST_CASE("every shipped example opens without a warning") {
  std::size_t n_documents = 0;
  const fs::path folder = fs::path(MHA_SOURCE_DIR) / "data/examples";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".json" && ending != ".ndjson") continue;
    const std::string text = test::read_text(entry.path());
    for (const DocumentText& document : split_documents(text)) {
      INFO(entry.path().filename().string() << ":" << document.line);
      const OpenedInput input = test::open_text(document.text, folder.string());
      CHECK(input.warnings.empty());
      CHECK_FALSE(input.tokens.empty());
      ++n_documents;
    }
  }
  CHECK(n_documents > 30);
}

}  // namespace
}  // namespace mha
