#include "mha/io/conllu.hpp"

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "conllu_lines.hpp"

namespace mha {
namespace {

// Builds a sentence from its lines, and refuses those that do not fit what came before.
class SentenceBuilder {
 public:
  explicit SentenceBuilder(std::size_t first_line) { sentence_.line = first_line; }

  void add(const ConlluLine& line) {
    if (line.is_comment()) return add_comment(line);
    const ConlluColumns columns = split_columns(line);
    const ConlluId id = read_id(line, columns[kConlluId]);
    if (id.kind == ConlluId::Kind::kEmptyNode) return check_empty_node(line, id);
    last_empty_node_ = 0;
    if (trimmed(columns[kConlluForm]).empty()) {
      line.fail("the form is empty", "the text of the word", "none");
    }
    if (id.kind == ConlluId::Kind::kRange) {
      add_span(line, id, columns);
    } else {
      add_word(line, id, columns);
    }
  }

  // The sentence, once it is known to be whole.
  ConlluSentence finish();

 private:
  std::size_t next_word() const { return sentence_.words.size() + 1; }
  void add_comment(const ConlluLine& line);
  void check_empty_node(const ConlluLine& line, const ConlluId& id);
  void add_span(const ConlluLine& line, const ConlluId& id, const ConlluColumns& columns);
  void add_word(const ConlluLine& line, const ConlluId& id, const ConlluColumns& columns);

  ConlluSentence sentence_;
  std::vector<std::size_t> word_lines_;
  std::size_t span_line_ = 0;        // of the last span
  std::size_t last_empty_node_ = 0;  // 2 after 8.2, 0 after a word
};

void SentenceBuilder::add_comment(const ConlluLine& line) {
  // Most often the blank line between two sentences got lost.
  if (next_word() > 1 || !sentence_.spans.empty() || last_empty_node_ > 0) {
    line.fail("a comment within a sentence", "a blank line before it", quoted(line.text));
  }
  const std::string_view comment = line.text.substr(1);
  const std::size_t equals = comment.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = trimmed(comment.substr(0, equals));
  const std::string_view value = trimmed(comment.substr(equals + 1));
  if (name == "sent_id" && sentence_.id.empty()) sentence_.id = value;
  if (name == "text" && sentence_.text.empty()) sentence_.text = value;
}

void SentenceBuilder::check_empty_node(const ConlluLine& line, const ConlluId& id) {
  if (id.first != sentence_.words.size() || id.second != last_empty_node_ + 1) {
    line.fail("an empty node is out of order",
              concat(sentence_.words.size(), '.', last_empty_node_ + 1), quoted(id.text));
  }
  ++last_empty_node_;
}

void SentenceBuilder::add_span(const ConlluLine& line, const ConlluId& id,
                               const ConlluColumns& columns) {
  if (id.second < id.first) {
    line.fail("a range of words ends before it starts", "FIRST-LAST", quoted(id.text));
  }
  if (!sentence_.spans.empty() && id.first <= sentence_.spans.back().last) {
    const ConlluSpan& before = sentence_.spans.back();
    line.fail(concat("a range of words overlaps ", before.first, '-', before.last),
              concat("one that starts at ", before.last + 1, " or later"), quoted(id.text));
  }
  if (id.first != next_word()) {
    line.fail("a range of words is out of order", concat("one that starts at ", next_word()),
              quoted(id.text));
  }
  span_line_ = line.number;
  sentence_.spans.push_back(
      {id.first, id.second, std::string(columns[kConlluForm]), has_space_after(columns)});
}

void SentenceBuilder::add_word(const ConlluLine& line, const ConlluId& id,
                               const ConlluColumns& columns) {
  if (id.first != next_word()) {
    line.fail("a word is out of order", concat("number ", next_word()), quoted(id.text));
  }
  const std::optional<std::size_t> head = read_number(columns[kConlluHead]);
  if (!head) {
    line.fail(concat("the head of word ", id.first, " is not a number"), "0 or a word's number",
              quoted(columns[kConlluHead]));
  }
  if (*head == id.first) {
    line.fail(concat("word ", id.first, " is its own head"), "0 or another word's number",
              quoted(columns[kConlluHead]));
  }
  if (columns[kConlluDeprel].empty()) {
    line.fail("the relation is empty", "a name such as nsubj", "none");
  }
  word_lines_.push_back(line.number);
  sentence_.words.push_back({std::string(columns[kConlluForm]), std::string(columns[kConlluUpos]),
                             std::string(columns[kConlluDeprel]), *head, has_space_after(columns)});
}

ConlluSentence SentenceBuilder::finish() {
  const std::size_t n_words = sentence_.words.size();
  if (n_words == 0) {
    fail_conllu(sentence_.line, "a sentence without words", "at least one word", "none");
  }
  if (!sentence_.spans.empty() && sentence_.spans.back().last > n_words) {
    const ConlluSpan& span = sentence_.spans.back();
    fail_conllu(span_line_, "a range of words goes beyond the sentence",
                concat("word ", n_words, " at most"), concat("'", span.first, '-', span.last, "'"));
  }
  bool has_root = false;
  for (std::size_t i = 0; i < n_words; ++i) {
    const std::size_t head = sentence_.words[i].head;
    has_root = has_root || head == 0;
    if (head > n_words) {
      fail_conllu(word_lines_[i], concat("the head of word ", i + 1, " is beyond the sentence"),
                  concat(n_words, " at most"), concat(head));
    }
  }
  if (!has_root) {
    fail_conllu(sentence_.line, "a sentence without a root", "a word whose head is 0", "none");
  }
  return std::move(sentence_);
}

}  // namespace

std::string ConlluSentence::name() const {
  return id.empty() ? concat("the sentence at line ", line)
                    : concat("sentence ", id, " (line ", line, ")");
}

ConlluReader::ConlluReader(std::string_view text) : rest_(text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

std::string_view ConlluReader::next_line() {
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<ConlluSentence> ConlluReader::next() {
  std::optional<SentenceBuilder> builder;
  while (!rest_.empty()) {
    const std::string_view text = next_line();
    if (text.empty() && builder) break;
    if (text.empty()) continue;
    if (!builder) builder.emplace(line_);
    const ConlluLine line{text, line_};
    line.check_text();
    builder->add(line);
  }
  if (!builder) return std::nullopt;
  return builder->finish();
}

}  // namespace mha
