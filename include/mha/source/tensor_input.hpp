// What a file of tensors can mean as an input: attention weights, scores, Q and K (and V), or the
// parameters of torch.nn.MultiheadAttention. Recognised by names and shapes, checked by values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mha/source/source.hpp"
#include "mha/tensor/tensor.hpp"

namespace mha {

enum class TensorReading { kWeights, kScores, kQueriesKeys, kMultihead };

// "weights", "scores", "qk" or "qkv" (both kQueriesKeys), "mha".
std::string_view reading_name(TensorReading reading);

struct TensorOptions {
  std::optional<TensorReading> reading;  // --input; unset: by names and values
  std::string axes;                      // --axes, for example "lbhqk" or "nhd"; "": by rank
  std::optional<std::size_t> batch_index;
  std::string tensor;                              // only tensors whose name contains this
  std::optional<std::vector<std::string>> tokens;  // labels, from --tokens
  std::optional<std::size_t> n_heads;              // for kMultihead, which does not say
  std::shared_ptr<const TensorSource> embeddings;  // X for kMultihead, where it is in another file
  RuleDefaults rule;
};

// One array, or one array for each layer (or for each step of a generation), that is read together.
struct TensorGroup {
  std::string name;  // "encoder", "decoder", "cross"; "" when there is only one
  // [layer][step]: indices into tensors(); one step except for dumps of generation.
  std::vector<std::vector<std::size_t>> layers;
  std::vector<std::size_t> layer_numbers;  // as the names say, else counted from 0
  std::string axes;                        // one letter an axis: l b h q k n d
  std::vector<std::string> ambiguous;      // how else it could be read, and the flag that decides
};

// Parts of kQueriesKeys: the same layers for each.
struct QkvGroup {
  std::string name;
  std::vector<std::size_t> q, k, v;  // v may be empty
  std::vector<std::size_t> layer_numbers;
  std::string axes;  // of each array: "hnd", "nhd", "bhnd", ...
  std::vector<std::string> ambiguous;
};

// How a file will be read, and why.
struct Recognition {
  TensorReading reading = TensorReading::kWeights;
  std::vector<TensorGroup> groups;     // kWeights, kScores
  std::vector<QkvGroup> qkv;           // kQueriesKeys
  std::string why;                     // one sentence
  std::vector<std::string> ambiguous;  // what holds for the whole file
};

// Throws Error(kInput) when nothing in the file looks like attention, saying what is there.
Recognition recognise(const TensorSource& source, const TensorOptions& options);

// Labels from a text: a JSON array of strings or numbers, a JSON object with "tokens", or one label
// a line. Throws Error(kInput).
std::vector<std::string> parse_labels(std::string_view text);

// An input of a file: most files hold one; an encoder-decoder dump holds several.
struct NamedInput {
  std::string name;
  OpenedInput input;
};
std::vector<NamedInput> open_tensors(const std::shared_ptr<const TensorSource>& source,
                                     const TensorOptions& options);

}  // namespace mha
