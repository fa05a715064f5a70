// Reading JSON in which large arrays of numbers are plain float storage, not a tree of values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mha/tensor/tensor.hpp"

namespace mha {

struct JsonMember;

// One JSON value. An array that holds nothing but numbers (or nothing but booleans), nested to the
// same shape throughout, is kNumbers (kBooleans): its floats stand in `tensor`, null as NaN, true
// as 1. An empty array is kNumbers of shape {0}. Any other array, ragged ones included, is kArray.
class JsonNode {
 public:
  enum class Kind { kNull, kBoolean, kNumber, kString, kNumbers, kBooleans, kArray, kObject };

  Kind kind = Kind::kNull;
  double number = 0;                // kNumber; kBoolean as 0 or 1
  std::string text;                 // kString
  Tensor tensor;                    // kNumbers, kBooleans
  bool has_null = false;            // kNumbers, kBooleans: some entry is null
  std::vector<JsonNode> items;      // kArray
  std::vector<JsonMember> members;  // kObject, in the order of the document

  bool is(Kind other) const { return kind == other; }
  bool is_empty_array() const { return kind == Kind::kNumbers && tensor.data.empty(); }
  // A member of an object, or null.
  const JsonNode* find(std::string_view name) const;
  JsonNode* find(std::string_view name);

  // What a message calls this value: "an object", "a string", "an array of 3x4 numbers", ...
  std::string description() const;
};

struct JsonMember {
  std::string name;
  JsonNode value;
};

// Whether arrays of numbers become floats (kNumbers), or stay lists of values in double precision,
// for headers whose numbers are sizes.
enum class JsonArrays { kAsFloats, kAsValues };

// Parses one JSON document. Throws Error(kInput) whose message starts with "LINE:COLUMN: " for
// syntax and UTF-8 errors, or with a JSON pointer for a number beyond float32, a name given twice,
// or nesting deeper than 64. While parsing, arrays need at most about twice the memory of their
// floats beside the text.
JsonNode parse_json(std::string_view text, JsonArrays arrays = JsonArrays::kAsFloats);

}  // namespace mha
