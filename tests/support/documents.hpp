// Opening documents in tests: their errors, and the weights of their heads.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "mha/source/source.hpp"

#include "support/catch.hpp"
#include "support/collect.hpp"
#include "support/errors.hpp"

namespace mha::test {

inline OpenedInput open_text(std::string_view document, const std::string& folder = ".") {
  return open_document(document, {{}, folder, std::size_t{1} << 28});
}

// A document, or a part of one, and the message it gets.
struct WrongInput {
  std::string text;
  std::string message;
};

// Checks the message of each case; `before` and `after` complete its text to a document, and the
// name of `folder` in messages reads as DIR.
struct WrongInputs {
  std::string before;
  std::string after;
  std::string folder = ".";

  void check(std::initializer_list<WrongInput> cases) const {
    for (const WrongInput& wrong : cases) {
      const std::string document = before + wrong.text + after;
      INFO(document);
      std::string message = error_of([&] { open_text(document, folder); });
      const std::size_t place = folder == "." ? std::string::npos : message.find(folder);
      if (place != std::string::npos) message.replace(place, folder.size(), "DIR");
      CHECK(message == wrong.message);
    }
  }
};

// The weights of every layer one after another, each (head, query, key).
inline std::vector<float> weights_of(const OpenedInput& input, std::size_t n_threads = 1) {
  class Sink : public RowSink {
   public:
    explicit Sink(const RowSource& source) {
      for (const LayerInfo& layer : source.layers())
        layers_.emplace_back(layer.n_heads, layer.shape);
    }
    void add(const RowBlock& block) override { layers_[block.layer].add(block); }
    std::vector<float> all() const {
      std::vector<float> out;
      for (const Collect& layer : layers_) {
        out.insert(out.end(), layer.weights.begin(), layer.weights.end());
      }
      return out;
    }

   private:
    std::vector<Collect> layers_;
  };
  Sink sink(*input.rows);
  StreamOptions options;
  options.n_threads = n_threads;
  input.rows->stream(sink, options);
  return sink.all();
}

// The output Y of the last layer.
inline std::vector<float> outputs_of(const OpenedInput& input) {
  class Ignore : public RowSink {
    void add(const RowBlock&) override {}
  } sink;
  std::vector<Matrix> outputs;
  StreamOptions options;
  options.outputs = &outputs;
  input.rows->stream(sink, options);
  const Matrix& last = outputs.back();
  return {last.data(), last.data() + last.rows() * last.cols()};
}

}  // namespace mha::test
