// What the script of the page reads about one input.
#include <algorithm>
#include <optional>

#include "mha/analysis/coverage.hpp"
#include "mha/base/base64.hpp"
#include "mha/base/utf8.hpp"
#include "mha/render/html_text.hpp"
#include "mha/text/tokens.hpp"

#include "contribution_output.hpp"
#include "head_distances_output.hpp"
#include "live_payload.hpp"
#include "model_option.hpp"
#include "report_cells.hpp"
#include "report_input.hpp"
#include "score_output.hpp"
#include "score_report.hpp"

namespace mha::cli {
namespace {

void write_count(const char* name, std::size_t count, JsonWriter* w) {
  w->member(name, static_cast<std::uint64_t>(count));
}

void write_optional(std::string_view name, const std::optional<double>& value, JsonWriter* w) {
  w->key(name);
  if (value) {
    w->value(*value);
  } else {
    w->null();
  }
}

std::vector<std::string> shown_tokens(const std::vector<std::string>& tokens) {
  std::vector<std::string> out = display_tokens(tokens);
  for (std::string& token : out) token = render::spell_direction_marks(token);
  return out;
}

// Places of the text in UTF-16 units, as scripts count, from places in bytes.
class Utf16Places {
 public:
  explicit Utf16Places(std::string_view text) : places_(text.size() + 1) {
    std::size_t units = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<std::uint8_t>(text[i]);
      places_[i] = units;
      if ((byte & 0xC0) != 0x80) units += byte >= 0xF0 ? 2 : 1;
    }
    places_[text.size()] = units;
  }
  std::size_t operator()(std::size_t byte) const {
    return places_[std::min(byte, places_.size() - 1)];
  }

 private:
  std::vector<std::size_t> places_;
};

// The text that the model read and where in it each token stands; null where there is none.
void write_text(const OpenedInput& input, JsonWriter* w) {
  const bool has_text = !input.text.empty() && input.token_ranges.size() == input.tokens.size();
  w->key("text");
  if (has_text) {
    w->value(input.text);
  } else {
    w->null();
  }
  w->key("queryWords");
  if (!has_text) {
    w->null();
  } else {
    const Utf16Places places(input.text);
    w->begin_array();
    for (const std::optional<ByteRange>& range : input.token_ranges) {
      if (range) {
        w->indices(std::vector<std::size_t>{places(range->begin), places(range->end)});
      } else {
        w->null();
      }
    }
    w->end_array();
  }
}

void write_map(const char* name, const PackedMap& map, const std::string& block, JsonWriter* w) {
  w->key(name);
  w->begin_object();
  w->member("block", block);
  write_count("rows", map.rows, w);
  write_count("cols", map.cols, w);
  write_count("rowPool", map.pool, w);
  write_count("colPool", map.pool, w);
  write_count("rowStart", map.first_row, w);
  write_count("colStart", map.first_col, w);
  write_count("levels", map.levels, w);
  w->end_object();
}

void write_thumb(const CellMap& thumb, JsonWriter* w) {
  w->key("thumb");
  w->begin_object();
  write_count("rows", thumb.rows, w);
  write_count("cols", thumb.cols, w);
  w->member("cells", base64(thumb_cells(thumb)));
  w->end_object();
}

void write_scores(const ScoredHead& head, JsonWriter* w) {
  w->member("label", head.label.name);
  w->member("labelText", head.label.is_clear() ? label_text(head.label.name) : std::string());
  if (!head.label.best.name.empty()) {
    w->member("nearest", label_text(head.label.best.name));
    w->member("nearestScore", head.label.best.score);
  }
  w->key("remarks");
  w->strings(remark_texts(head));
  w->key("scores");
  w->begin_object();
  std::vector<std::string> names = score_names();
  for (const auto& [key, score] : head.scores.relations) names.push_back(key.text());
  for (const std::string& name : names) write_optional(name, score_value(head.scores, name), w);
  w->end_object();
}

void write_head(const ReportResults& results, std::size_t slot, JsonWriter* w) {
  const PackedHead& packed = results.packed[slot];
  const HeadId& id = results.heads.ids[slot];
  w->begin_object();
  w->member("name", results.heads.names[slot]);
  write_count("layer", id.layer, w);
  w->key("head");
  if (id.is_mean) {
    w->null();
  } else {
    w->value(static_cast<std::uint64_t>(id.head));
  }
  if (results.has_scores) {
    write_scores(scored_head(results.input, results.heads.names[slot], results.scores.scores(slot)),
                 w);
  } else {
    w->member("label", "");
    w->member("labelText", "");
    w->key("scores");
    w->begin_object();
    w->end_object();
  }
  write_map("cells", packed.map, block_id(results.index, slot, false), w);
  if (packed.sharp) write_map("sharp", *packed.sharp, block_id(results.index, slot, true), w);
  write_thumb(packed.thumb, w);
  w->end_object();
}

// Each relation with its pairs, and how well each head finds it.
void write_relations(const ReportResults& results, JsonWriter* w) {
  w->key("relations");
  if (results.input.relations.empty() || !results.has_scores) {
    w->null();
    return;
  }
  w->begin_object();
  w->key("pairs");
  w->begin_array();
  for (const Relation& relation : results.input.relations) {
    w->begin_object();
    w->member("name", relation.name);
    w->key("pairs");
    w->begin_array();
    for (const auto& [query, key] : relation.pairs) {
      w->indices(std::vector<std::size_t>{query, key});
    }
    w->end_array();
    w->end_object();
  }
  w->end_array();
  w->key("rates");
  w->begin_array();
  for (std::size_t s = 0; s < results.heads.slots.size(); ++s) {
    for (const auto& [key, score] : results.scores.scores(s).relations) {
      w->begin_object();
      w->member("head", results.heads.names[s]);
      w->member("name", key.text());
      write_relation_score(score, w);
      w->end_object();
    }
  }
  w->end_array();
  w->end_object();
}

// A document of its own, or null.
template <typename T, typename Write>
void write_part(const char* name, const T* part, const Write& write, JsonWriter* w) {
  w->key(name);
  if (part == nullptr) {
    w->null();
  } else {
    write(*part);
  }
}

void write_analyses(const ReportResults& results, JsonWriter* w) {
  write_relations(results, w);
  write_part(
      "similarity", results.extra.likeness(),
      [w](const HeadLikeness& part) { write_likeness(part, w); }, w);
  write_part(
      "contribution", results.extra.contributions(),
      [&](const HeadContributions& part) { write_contributions(results.input, part, w); }, w);
}

std::vector<std::string> all_notes(const ReportResults& results) {
  std::vector<std::string> notes = results.input.notes;
  notes.insert(notes.end(), results.input.remarks.begin(), results.input.remarks.end());
  notes.insert(notes.end(), results.notes.begin(), results.notes.end());
  return notes;
}

void write_members(const ReportResults& results, JsonWriter* w) {
  const OpenedInput& input = results.input;
  w->member("name", results.name);
  w->member("hash", input_hash_text(input.hash));
  if (const auto echo = model_echo(input)) write_model(*echo, w);
  w->member("cross", input.is_cross);
  w->member("live", is_live(input));
  w->key("notes");
  w->strings(all_notes(results));
  w->key("warnings");
  w->strings(results.warnings);
  w->key("queryTokens");
  w->strings(shown_tokens(input.tokens));
  w->key("keyTokens");
  w->strings(shown_tokens(input.key_tokens));
  write_text(input, w);
  w->key("heads");
  w->begin_array();
  for (std::size_t s = 0; s < results.heads.slots.size(); ++s) write_head(results, s, w);
  w->end_array();
  write_analyses(results, w);
  w->key("steps");
  if (!results.steps) return w->null();
  w->begin_object();
  w->key("heads");
  w->strings(results.steps->heads);
  w->member("block", steps_block_id(results.index));
  w->end_object();
}

}  // namespace

ReportedInput report_facts(const ReportResults& results) {
  ReportedInput out;
  JsonWriter writer([&out](std::string_view text) { out.facts += text; }, true);
  writer.begin_object();
  write_members(results, &writer);
  writer.end_object();
  writer.flush();
  for (std::size_t s = 0; s < results.packed.size(); ++s) {
    const PackedHead& head = results.packed[s];
    out.blocks.emplace_back(block_id(results.index, s, false), head.map.piece);
    if (head.sharp) out.blocks.emplace_back(block_id(results.index, s, true), head.sharp->piece);
  }
  if (results.steps) {
    out.blocks.emplace_back(steps_block_id(results.index), results.steps->piece);
  }
  return out;
}

}  // namespace mha::cli
