#include "tokenizer_file.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

#include "tokenizer_events.hpp"

namespace mha::tok {
namespace {

// What nlohmann's parser calls. The events go to TokenizerEvents; errors get line and column here.
class Sax : public nlohmann::json_sax<Json> {
 public:
  Sax(TokenizerEvents* events, std::string_view text) : events_(*events), text_(text) {}

  bool null() override { return events_.value(nullptr), true; }
  bool boolean(bool value) override { return events_.value(value), true; }
  bool number_integer(number_integer_t value) override { return events_.value(value), true; }
  bool number_unsigned(number_unsigned_t value) override { return events_.value(value), true; }
  bool number_float(number_float_t value, const string_t&) override {
    return events_.value(value), true;
  }
  bool string(string_t& value) override { return events_.string(value), true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return events_.open(true), true; }
  bool start_array(std::size_t) override { return events_.open(false), true; }
  bool key(string_t& name) override { return events_.key(name), true; }
  bool end_object() override { return events_.close(), true; }
  bool end_array() override { return events_.close(), true; }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::size_t byte = std::min(position > 0 ? position - 1 : 0, text_.size());
    const std::string_view before = text_.substr(0, byte);
    const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    const std::size_t line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    const std::size_t column = 1 + count_code_points(before.substr(line_begin));
    const bool is_overflow = std::string_view(error.what()).find("overflow") != std::string::npos;
    fail_input(concat(line, ":", column, ": not valid JSON",
                      is_overflow ? ": number out of range" : "",
                      byte == text_.size() ? ": the text ends too early" : ""));
  }

 private:
  TokenizerEvents& events_;
  std::string_view text_;
};

void parse(std::string_view json, TokenizerEvents* events) {
  check_file_size(json);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (json.starts_with(kByteOrderMark)) json.remove_prefix(kByteOrderMark.size());
  const std::size_t zero = json.find('\0');  // the parser would take it for the end
  if (zero != std::string_view::npos) {
    fail_input(concat("not valid JSON: a zero byte at byte ", zero, "; expected UTF-8 text"));
  }
  Sax sax(events, json);
  Json::sax_parse(json.data(), json.data() + json.size(), &sax);
}

}  // namespace

TokenizerFile::TokenizerFile() : config(std::make_unique<Json>()) {}
TokenizerFile::~TokenizerFile() = default;
TokenizerFile::TokenizerFile(TokenizerFile&&) noexcept = default;

void MergeList::reserve_for_file(std::size_t n_bytes) {
  text_.reserve(n_bytes / 2);
  merges_.reserve(n_bytes / 16);
}

void MergeList::add(std::string_view left, std::string_view right) {
  const auto end = [this] { return static_cast<std::uint32_t>(text_.size()); };
  const std::uint32_t begin = end();
  text_ += left;
  const std::uint32_t middle = end();
  text_ += right;
  merges_.push_back({begin, middle, end()});
}

void check_file_size(std::string_view bytes) {
  if (bytes.size() <= std::numeric_limits<std::uint32_t>::max()) return;
  fail_input("the file is too large; expected below 4 GiB, got " +
             bytes_text(static_cast<double>(bytes.size())));
}

bool add_merge_line(std::string_view line, MergeList* merges) {
  const std::size_t space = line.find(' ');
  const bool is_pair = space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                       line.find(' ', space + 1) == std::string_view::npos;
  if (is_pair) merges->add(line.substr(0, space), line.substr(space + 1));
  return is_pair;
}

void fail_merge_line(std::string_view line, const std::string& place) {
  fail_config(place, "wrong merge", "two pieces with a space between them",
              "'" + shortened(line) + "'");
}

TokenizerFile read_tokenizer_file(std::string_view json) {
  TokenizerFile file;
  file.model.vocabulary.reserve_for_file(json.size());
  file.model.merges.reserve_for_file(json.size());
  TokenizerEvents events(file.config.get(), &file.model);
  parse(json, &events);
  return file;
}

Vocabulary read_vocab_json(std::string_view json) {
  Json config;
  ModelData model;
  TokenizerEvents events(&config, &model);
  events.expect_vocabulary();
  parse(json, &events);
  if (!model.has_vocabulary) fail_config("", "wrong type", "an object", description(config));
  return std::move(model.vocabulary);
}

}  // namespace mha::tok
