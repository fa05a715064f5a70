// Tokenizers from the files that came before tokenizer.json.
#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"

#include "pipeline.hpp"

namespace mha {
namespace {

constexpr std::uint32_t kNone = tok::Vocabulary::kNone;

// Calls use(line, number) for each line, numbered from 1; a last line of no text is none. Throws an
// input error where a line is not UTF-8.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
  tok::check_file_size(text);
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (find_bad_utf8(line) != std::string_view::npos) {
      fail_input(concat(number, ": not UTF-8"), "save the file as UTF-8");
    }
    use(line, number);
    begin = end + 1;
  }
}

tok::Vocabulary read_vocab_txt(std::string_view text) {
  tok::Vocabulary vocabulary;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    if (!vocabulary.add(line, static_cast<std::uint32_t>(number - 1))) {
      fail_input(concat(number, ": the piece '", tok::shortened(line), "' is given twice"));
    }
  });
  return vocabulary;
}

tok::MergeList read_merges(std::string_view text) {
  tok::MergeList merges;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    const bool is_merge = !line.empty() && !line.starts_with("#version");
    if (is_merge && !tok::add_merge_line(line, &merges)) {
      tok::fail_merge_line(line, std::to_string(number));
    }
  });
  return merges;
}

std::uint32_t required_id(const tok::Vocabulary& vocabulary, const std::string& token) {
  const std::uint32_t entry = vocabulary.find(token);
  if (entry == kNone) {
    fail_input("the vocabulary does not have the special token '" + tok::shortened(token) + "'");
  }
  return vocabulary.id(entry);
}

tok::AddedTokens special_tokens(const std::vector<std::string>& names, const std::string& mask,
                                bool mask_takes_space, const tok::Vocabulary& vocabulary) {
  std::vector<tok::AddedToken> tokens;
  for (const std::string& name : names) {
    const std::uint32_t entry = vocabulary.find(name);
    const bool is_there = std::ranges::any_of(
        tokens, [&](const tok::AddedToken& token) { return token.content == name; });
    if (entry == kNone || name.empty() || is_there) continue;
    tok::AddedToken token;
    token.id = vocabulary.id(entry);
    token.content = name;
    token.normalized = false;
    token.special = true;
    token.lstrip = mask_takes_space && name == mask;
    tokens.push_back(std::move(token));
  }
  return tok::AddedTokens(std::move(tokens), vocabulary, tok::Normalizer());
}

// Runs what reads `file`, so that its errors name it.
template <typename Read>
auto reading(const std::string& file, Read read) {
  try {
    return read();
  } catch (const Error& error) {
    throw error.at(file);
  }
}

tok::PostProcessor bpe_post_processor(const BpeOptions& options,
                                      const tok::Vocabulary& vocabulary) {
  tok::PostProcessor processor;
  if (options.roberta) {
    const std::uint32_t bos = required_id(vocabulary, options.bos);
    processor.trims.push_back(options.add_prefix_space);
    tok::set_roberta_template(bos, required_id(vocabulary, options.eos), &processor);
  } else if (options.add_bos) {
    const tok::TemplatePiece bos = {
        tok::TemplatePiece::Kind::kSpecial, 0, {required_id(vocabulary, options.bos)}};
    processor.single.insert(processor.single.begin(), bos);
    processor.pair.insert(processor.pair.begin(), bos);
  }
  for (const std::string& token : {options.bos, options.eos}) {
    if (!token.empty()) required_id(vocabulary, token);
  }
  return processor;
}

}  // namespace

Tokenizer Tokenizer::from_wordpiece_vocab(std::string_view vocab_txt,
                                          const WordPieceOptions& options,
                                          const std::string& name) {
  auto pipeline = std::make_shared<Pipeline>();
  pipeline->name = name;
  reading(name, [&] {
    tok::Vocabulary vocabulary = read_vocab_txt(vocab_txt);
    required_id(vocabulary, options.unk);
    const std::uint32_t cls = required_id(vocabulary, options.cls);
    tok::set_bert_template(cls, required_id(vocabulary, options.sep), &pipeline->post_processor);
    tok::WordPieceRules rules;
    rules.unk = options.unk;
    pipeline->model = tok::make_word_piece(std::move(vocabulary), rules);
  });
  tok::BertRules rules;
  rules.handle_chinese_chars = options.tokenize_chinese_chars;
  rules.lowercase = options.lowercase;
  rules.strip_accents = options.strip_accents.value_or(options.lowercase);
  pipeline->normalizer = tok::Normalizer({tok::bert_normalizer(rules)});
  std::vector<tok::PreTokenizer::Step> steps;
  tok::add_bert_words(&steps);
  pipeline->pre_tokenizer = tok::PreTokenizer(std::move(steps));
  pipeline->added =
      special_tokens({options.unk, options.cls, options.sep, options.pad, options.mask},
                     options.mask, false, pipeline->model->vocabulary());
  pipeline->kind = pipeline->model->kind();
  return Tokenizer(std::move(pipeline));
}

Tokenizer Tokenizer::from_bpe_files(std::string_view vocab_json, std::string_view merges_txt,
                                    const BpeOptions& options, const std::string& name) {
  auto pipeline = std::make_shared<Pipeline>();
  pipeline->name = name;
  const std::string vocab_name = name + "/vocab.json";
  const std::string merges_name = name + "/merges.txt";
  tok::Vocabulary vocabulary =
      reading(vocab_name, [&] { return tok::read_vocab_json(vocab_json); });
  reading(vocab_name, [&] { pipeline->post_processor = bpe_post_processor(options, vocabulary); });
  const tok::MergeList merges = reading(merges_name, [&] { return read_merges(merges_txt); });
  reading(merges_name,
          [&] { pipeline->model = tok::make_bpe(std::move(vocabulary), merges, tok::BpeRules()); });
  std::vector<tok::PreTokenizer::Step> steps;
  tok::add_byte_level({options.add_prefix_space, true}, &steps);
  pipeline->pre_tokenizer = tok::PreTokenizer(std::move(steps));
  pipeline->added =
      special_tokens({options.unk, options.bos, options.eos, options.pad, options.mask},
                     options.mask, options.roberta, pipeline->model->vocabulary());
  pipeline->kind = "BPE (byte level)";
  return Tokenizer(std::move(pipeline));
}

}  // namespace mha
