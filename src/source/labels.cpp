#include "labels.hpp"

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/base/utf8.hpp"
#include "mha/io/json.hpp"
#include "mha/source/tensor_input.hpp"

#include "fields.hpp"

namespace mha {

void label_axes(const std::optional<std::vector<std::string>>& tokens, std::size_t n_query,
                std::size_t n_key, const std::string& where, OpenedInput* input) {
  const auto last = [](const std::vector<std::string>& list, std::size_t count) {
    return std::vector<std::string>(list.end() - static_cast<std::ptrdiff_t>(count), list.end());
  };
  const bool shares_positions = !input->is_cross;
  const std::size_t count = tokens ? tokens->size() : 0;
  if (tokens && count != n_query && count != n_key) {
    const std::string expected =
        n_query == n_key ? std::to_string(n_key) : concat(n_key, " keys or ", n_query, " queries");
    fail_input(concat(where, ": wrong number of labels; expected ", expected, ", got ", count));
  }
  input->key_tokens = tokens && count == n_key ? *tokens : index_labels(n_key);
  if (shares_positions) {
    input->tokens = last(input->key_tokens, n_query);
    if (tokens && count == n_query && n_query != n_key) input->tokens = *tokens;
    if (n_query < n_key) {
      input->notes.push_back(
          concat("the ", n_query, " queries are the last ", n_query, " of ", n_key, " tokens"));
    }
    return;
  }
  input->tokens = tokens && count == n_query ? *tokens : index_labels(n_query);
}

void name_heads(const std::vector<std::size_t>& layer_numbers, OpenedInput* input) {
  const std::vector<LayerInfo>& layers = input->rows->layers();
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const std::size_t number = layer_numbers.empty() ? l : layer_numbers[l];
    input->head_names.emplace_back();
    for (std::size_t h = 0; h < layers[l].n_heads; ++h) {
      input->head_names.back().push_back({number, h, false});
    }
  }
}

namespace {

std::vector<std::string> labels_of_json(const JsonNode& node) {
  if (node.is(JsonNode::Kind::kObject)) {
    const JsonNode* tokens = node.find("tokens");
    if (tokens == nullptr) fail_input("the JSON object has no 'tokens'");
    return labels_of_json(*tokens);
  }
  if (node.is(JsonNode::Kind::kNumbers) && node.tensor.shape.size() == 1) {
    std::vector<std::string> out;
    for (std::size_t id : count_list(node, "")) out.push_back(std::to_string(id));
    return out;
  }
  return string_list(node, "");
}

}  // namespace

std::vector<std::string> parse_labels(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '[' || text[first] == '{')) {
    return labels_of_json(parse_json(text));
  }
  std::vector<std::string> out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (find_bad_utf8(line) != std::string_view::npos) {
      fail_input(concat("line ", out.size() + 1, " is not UTF-8"));
    }
    out.emplace_back(line);
    start = end + 1;
  }
  return out;
}

}  // namespace mha
