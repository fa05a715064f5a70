#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "model.hpp"

namespace mha::tok {
namespace {

// Every word is a piece or unknown.
class WordLevel : public Model {
 public:
  WordLevel(Vocabulary vocabulary, const std::string& unk)
      : Model(std::move(vocabulary)), unk_(vocabulary_.find(unk)) {}

  std::string_view kind() const override { return "WordLevel"; }

  void tokenize(std::string_view word, std::vector<WordPart>* parts) const override {
    const std::uint32_t entry = vocabulary_.find(word);
    const bool is_unknown = entry == Vocabulary::kNone;
    if (is_unknown && unk_ == Vocabulary::kNone) {
      fail_input(concat("the vocabulary has neither '", shortened(word), "' nor an unknown token"));
    }
    parts->push_back({is_unknown ? unk_ : entry, 0, word.size(), is_unknown});
  }

 private:
  std::uint32_t unk_;
};

}  // namespace

std::unique_ptr<Model> make_word_level(Vocabulary vocabulary, const std::string& unk) {
  return std::make_unique<WordLevel>(std::move(vocabulary), unk);
}

}  // namespace mha::tok
