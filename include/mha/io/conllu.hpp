// CoNLL-U, the format of Universal Dependencies treebanks: sentences with a syntactic head for
// every word (https://universaldependencies.org/format.html).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mha {

struct ConlluWord {
  std::string form;         // never empty; may hold spaces ("10 000")
  std::string upos;         // as in the file; "_" where it is not given
  std::string deprel;       // with its subtype: "nsubj:pass"; never empty
  std::size_t head = 0;     // 0 = root, else the number of a word, counted from 1
  bool space_after = true;  // as the word's own line says; within a span the span's counts
};

// A multiword token: the surface form ("don't") of several words ("do", "n't").
struct ConlluSpan {
  std::size_t first = 0;  // words [first, last], counted from 1 as in the file
  std::size_t last = 0;
  std::string form;  // never empty
  bool space_after = true;
};

struct ConlluSentence {
  std::string id;                 // comment sent_id, or ""
  std::string text;               // comment text, or ""
  std::size_t line = 0;           // its first line in the file, comments included, counted from 1
  std::vector<ConlluWord> words;  // at least one
  std::vector<ConlluSpan> spans;  // in order, without overlap

  // For messages: "sentence weblog-1 (line 12)", or "the sentence at line 12".
  std::string name() const;
};

// Reads one sentence after the other, in the memory of one sentence. Empty nodes (8.1) are checked
// and skipped. One root or several are accepted; whether the heads form a tree is not checked.
class ConlluReader {
 public:
  // `text` is the whole file and must outlive the reader. A byte order mark, line ends of Windows
  // and a missing last line end are fine.
  explicit ConlluReader(std::string_view text);

  // The next sentence, or nothing at the end; an empty text has none. Throws Error(kInput)
  // "LINE: what; expected X, got Y", for the caller to put the path in front; the reader is of no
  // use after that.
  std::optional<ConlluSentence> next();

 private:
  std::string_view next_line();

  std::string_view rest_;
  std::size_t line_ = 0;  // number of the line that was read last
};

}  // namespace mha
