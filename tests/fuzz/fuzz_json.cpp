#include "mha/io/json.hpp"

#include "fuzz/fuzz.hpp"

namespace {

// The shapes of flat arrays are those of their floats, at every level.
void check_node(const mha::JsonNode& node) {
  mha::fuzz::check(!node.description().empty(), "a value has a description");
  const bool is_flat =
      node.is(mha::JsonNode::Kind::kNumbers) || node.is(mha::JsonNode::Kind::kBooleans);
  if (is_flat) {
    mha::fuzz::check(mha::element_count(node.tensor.shape) == node.tensor.data.size(),
                     "an array has the size of its shape");
  }
  for (const mha::JsonNode& item : node.items) check_node(item);
  for (const mha::JsonMember& member : node.members) {
    mha::fuzz::check(node.find(member.name) == &member.value, "a name is given once");
    check_node(member.value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mha;
  if (size > 20000) return 0;  // find() looks at every member: quadratic here
  for (const JsonArrays arrays : {JsonArrays::kAsFloats, JsonArrays::kAsValues}) {
    fuzz::expect_input_error([&] { check_node(parse_json(fuzz::text_of(data, size), arrays)); });
  }
  return 0;
}
