#include "mha/text/tokenizer.hpp"

#include <algorithm>
#include <array>

#include "mha/base/error.hpp"
#include "mha/base/utf8.hpp"

#include "pipeline.hpp"

namespace mha {

Tokenizer::Tokenizer(std::shared_ptr<const Pipeline> pipeline) : pipeline_(std::move(pipeline)) {}

TokenizedText Tokenizer::encode(std::string_view text, const EncodeOptions& options) const {
  try {
    const std::array<TokenizedText, 1> texts = {pipeline_->encode(text)};
    return pipeline_->finish(texts, options);
  } catch (const Error& error) {
    throw error.at(pipeline_->name);
  }
}

TokenizedText Tokenizer::encode_pair(std::string_view first, std::string_view second,
                                     const EncodeOptions& options) const {
  try {
    const std::array<TokenizedText, 2> texts = {pipeline_->encode(first),
                                                pipeline_->encode(second)};
    return pipeline_->finish(texts, options);
  } catch (const Error& error) {
    throw error.at(pipeline_->name);
  }
}

std::size_t Tokenizer::vocab_size() const {
  const tok::Vocabulary& vocabulary = pipeline_->model->vocabulary();
  std::size_t size = vocabulary.size();
  for (std::size_t i = 0; i < pipeline_->added.size(); ++i) {
    if (vocabulary.find(pipeline_->added[i].content) == tok::Vocabulary::kNone) ++size;
  }
  return size;
}

std::uint32_t Tokenizer::largest_id() const {
  std::uint32_t largest = pipeline_->model->vocabulary().largest_id();
  for (std::size_t i = 0; i < pipeline_->added.size(); ++i) {
    largest = std::max(largest, pipeline_->added[i].id);
  }
  return largest;
}

std::optional<std::string> Tokenizer::token(std::uint32_t id) const {
  return pipeline_->piece_of_id(id);
}

std::optional<std::uint32_t> Tokenizer::id(std::string_view token) const {
  if (const tok::AddedToken* found = pipeline_->added.find_content(token)) return found->id;
  const tok::Vocabulary& vocabulary = pipeline_->model->vocabulary();
  const std::uint32_t entry = vocabulary.find(token);
  if (entry == tok::Vocabulary::kNone) return std::nullopt;
  return vocabulary.id(entry);
}

std::string_view Tokenizer::kind() const {
  return pipeline_->kind;
}

std::vector<ByteRange> code_point_ranges(std::string_view text,
                                         const std::vector<ByteRange>& ranges) {
  std::vector<std::size_t> counts(text.size() + 1);  // code points that begin before each byte
  std::size_t count = 0;
  for (std::size_t offset = 0; offset < text.size(); ++count) {
    const std::size_t begin = offset;
    next_code_point(text, &offset);
    std::fill(counts.begin() + static_cast<std::ptrdiff_t>(begin),
              counts.begin() + static_cast<std::ptrdiff_t>(offset), count);
  }
  counts[text.size()] = count;
  std::vector<ByteRange> out;
  out.reserve(ranges.size());
  for (const ByteRange& range : ranges) {
    out.push_back(
        {counts[std::min(range.begin, text.size())], counts[std::min(range.end, text.size())]});
  }
  return out;
}

}  // namespace mha
