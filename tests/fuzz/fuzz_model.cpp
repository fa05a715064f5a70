// A checkpoint: config.json, a NUL, and the header of a safetensors file. What the header announces
// is there, as numbers that a model could have, unless it is more than a small file holds.
#include <algorithm>
#include <string>
#include <utility>

#include "mha/io/json.hpp"
#include "mha/io/tensor_files.hpp"
#include "mha/model/transformer.hpp"

#include "fuzz/fuzz.hpp"

namespace {

using namespace mha;

constexpr std::size_t kMostData = std::size_t{1} << 19;

// Where the last tensor of a header ends.
std::size_t announced_bytes(std::string_view header) {
  double end = 0;
  try {
    const JsonNode root = parse_json(header, JsonArrays::kAsValues);
    for (const JsonMember& member : root.members) {
      const JsonNode* offsets = member.value.find("data_offsets");
      if (offsets == nullptr || offsets->items.size() != 2) continue;
      end = std::max(end, offsets->items[1].number);
    }
  } catch (const Error&) {
    return 0;  // the reader will say what is wrong with it
  }
  return end <= static_cast<double>(kMostData) ? static_cast<std::size_t>(end) : kMostData;
}

std::string file_of(std::string_view header) {
  std::string file;
  for (std::size_t byte = 0; byte < 8; ++byte) {
    file += static_cast<char>(header.size() >> (8 * byte) & 0xFF);
  }
  file += header;
  const std::size_t n_bytes = announced_bytes(header);
  for (std::size_t i = 0; i < n_bytes; ++i) {
    // Floats of about 0.25, with signs that change.
    static constexpr unsigned char kFloat[] = {0x21, 0x43, 0x80, 0x3E};
    const unsigned sign = i % 4 == 3 && i / 4 % 3 == 1 ? 0x80 : 0;
    file += static_cast<char>(kFloat[i % 4] | sign);
  }
  return file;
}

class NoRowsWanted : public RowSink {
 public:
  void add(const RowBlock& block) override { (void)block; }
};

void run(const std::shared_ptr<const Transformer>& model) {
  const ModelConfig& config = model->config();
  constexpr std::size_t kMostLayers = 8;
  if (config.n_layers > kMostLayers || config.n_heads > 64) return;
  ModelInput input;
  for (std::uint32_t id = 0; id < 3; ++id) {
    input.ids.push_back(id % static_cast<std::uint32_t>(config.vocab_size));
  }
  const TransformerRows rows(model, input);
  fuzz::check(rows.layers().size() == config.n_layers, "every layer has rows");
  std::vector<Matrix> outputs;
  StreamOptions options;
  options.n_threads = 1;
  options.outputs = &outputs;
  NoRowsWanted sink;
  rows.stream(sink, options);
  fuzz::check(outputs.size() == config.n_layers, "every layer has an output");
  for (const Matrix& output : outputs) {
    fuzz::check(output.rows() == 3 && output.cols() == config.d_model, "an output has its shape");
  }
  if (!model->can_predict()) return;
  const Matrix scores = model->logits(std::as_const(outputs.back()).view(), 1);
  fuzz::check(scores.cols() == config.vocab_size, "every word has a score");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t end = std::min(text.find('\0'), text.size());
  const std::string_view header = text.substr(std::min(end + 1, text.size()));
  return fuzz::expect_input_error([&] {
    constexpr std::size_t kMemory = std::size_t{1} << 26;
    const auto weights =
        open_tensor_bytes(FileBytes::copy(file_of(header)), "model.safetensors", kMemory);
    const auto model = Transformer::open(text.substr(0, end), weights);
    fuzz::check(!model->family().empty(), "a model has a family");
    model->unused_tensors();
    run(model);
  });
}
