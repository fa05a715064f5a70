// One JSON input from its text to rows of attention.
#include "mha/source/source.hpp"

#include "fuzz/fuzz.hpp"

namespace {

// Adds up the rows of a small input.
class RowCounter : public mha::RowSink {
 public:
  void add(const mha::RowBlock&) override { ++n_blocks_; }

 private:
  std::size_t n_blocks_ = 0;
};

bool is_small(const mha::RowSource& rows) {
  std::size_t cells = 0;
  for (const mha::LayerInfo& layer : rows.layers()) {
    cells += layer.n_heads * layer.shape.n_query * layer.shape.n_key;
    if (layer.n_heads > 256 || cells > 100000) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mha;
  return fuzz::expect_input_error([&] {
    OpenOptions options;
    options.folder = "/nonexistent";
    options.max_bytes = std::size_t{1} << 24;
    for (const DocumentText& document : split_documents(fuzz::text_of(data, size))) {
      const OpenedInput input = open_document(document.text, options);
      if (!is_small(*input.rows)) continue;
      RowCounter sink;
      StreamOptions stream;
      stream.n_threads = 1;
      input.rows->stream(sink, stream);
    }
  });
}
