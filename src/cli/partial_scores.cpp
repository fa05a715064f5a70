#include "partial_scores.hpp"

#include <cmath>

#include "mha/base/content_hash.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/io/json.hpp"

namespace mha::cli {
namespace {

constexpr const char* kFormat = "mha-viz partial scores 1";
constexpr std::string_view kChecksum = ",\n  \"checksum\": \"";

std::string exact_text(const ExactSum& sum) {
  return concat(sum.high(), ":", sum.low());
}

std::string offsets_text(const OffsetCounts& offsets) {
  std::string out;
  for (const auto& [offset, rows] : offsets) {
    out += concat(out.empty() ? "" : " ", offset, ":", rows);
  }
  return out;
}

std::string keys_text(const std::vector<KeyShare>& keys) {
  std::string out;
  for (const KeyShare& key : keys) {
    out += (out.empty() ? "" : " ") + std::to_string(key.units) + ":" + std::to_string(key.rows);
  }
  return out;
}

void write_mean(const RowSum& sum, const Spread& spread, JsonWriter* w) {
  w->begin_object();
  w->member("sum", exact_text(sum.sum));
  w->member("rows", sum.rows);
  w->member("inputs", spread.inputs);
  w->member("means", exact_text(spread.sum));
  w->member("squares", exact_text(spread.squares));
  w->member("low", spread.low);
  w->member("high", spread.high);
  w->end_object();
}

void write_relations(const HeadScores& scores, JsonWriter* w) {
  w->key("relations");
  w->begin_array();
  for (const auto& [key, score] : scores.relations) {
    w->begin_object();
    w->member("name", key.name);
    w->member("reversed", key.reversed);
    w->member("rows", score.rows);
    w->member("right", score.right);
    w->member("offsets", offsets_text(score.offsets));
    w->end_object();
  }
  w->end_array();
}

struct Count {
  const char* name;
  std::uint64_t HeadScores::*member;
};
constexpr Count kCounts[] = {{"rows", &HeadScores::rows},
                             {"masked_cells", &HeadScores::masked_cells},
                             {"missing_cells", &HeadScores::missing_cells},
                             {"non_finite_cells", &HeadScores::non_finite_cells},
                             {"fully_masked_rows", &HeadScores::fully_masked_rows},
                             {"padding_rows", &HeadScores::padding_rows}};

struct Exact {
  const char* name;
  RatioSum HeadScores::*ratio;
  ExactSum RatioSum::*side;
};
constexpr Exact kRatios[] = {{"tl_duplicate", &HeadScores::tl_duplicate, &RatioSum::part},
                             {"tl_duplicate_whole", &HeadScores::tl_duplicate, &RatioSum::whole},
                             {"tl_induction", &HeadScores::tl_induction, &RatioSum::part},
                             {"tl_induction_whole", &HeadScores::tl_induction, &RatioSum::whole}};

void write_head(const HeadId& id, const HeadTotals& totals, JsonWriter* w) {
  const HeadScores& scores = totals.pooled;
  w->begin_object();
  w->member("layer", static_cast<std::uint64_t>(id.layer));
  w->member("head", static_cast<std::uint64_t>(id.head));
  w->member("is_mean", id.is_mean);
  w->member("inputs", totals.inputs);
  w->member("first_special_inputs", totals.first_special_inputs);
  for (std::size_t i = 0; i < kMeanScores; ++i) {
    w->key(mean_score_infos()[i].name);
    write_mean(scores.means[i], totals.spread[i], w);
  }
  for (const Exact& exact : kRatios) {
    w->member(exact.name, exact_text(scores.*exact.ratio.*exact.side));
  }
  w->member("tl_duplicate_rows", scores.tl_duplicate.rows);
  w->member("tl_induction_rows", scores.tl_induction.rows);
  for (const Count& count : kCounts) w->member(count.name, scores.*count.member);
  w->member("argmax_offsets", offsets_text(scores.argmax_offsets));
  w->member("keys", keys_text(scores.keys));
  write_relations(scores, w);
  w->end_object();
}

// Reads fields of one object and says which one is wrong.
class Reader {
 public:
  Reader(const JsonNode& node, std::string pointer) : node_(node), pointer_(std::move(pointer)) {
    if (!node.is(JsonNode::Kind::kObject)) fail("", "an object", node);
  }

  const JsonNode& field(std::string_view name, JsonNode::Kind kind, const char* expected) const {
    const JsonNode* node = node_.find(name);
    if (node == nullptr)
      fail_input(concat(pointer_, "/", name, ": is missing; expected ", expected));
    if (!node->is(kind)) fail(name, expected, *node);
    return *node;
  }
  const std::string& text(std::string_view name) const {
    return field(name, JsonNode::Kind::kString, "a string").text;
  }
  bool flag(std::string_view name) const {
    return field(name, JsonNode::Kind::kBoolean, "true or false").number != 0;
  }
  double number(std::string_view name) const {
    return field(name, JsonNode::Kind::kNumber, "a number").number;
  }
  std::uint64_t count(std::string_view name) const {
    const JsonNode& node = field(name, JsonNode::Kind::kNumber, "a whole number");
    if (!(node.number >= 0) || node.number > 0x1p53 || std::floor(node.number) != node.number) {
      fail(name, "a whole number", node);
    }
    return static_cast<std::uint64_t>(node.number);
  }
  ExactSum exact(std::string_view name) const {
    std::int64_t high = 0;
    std::uint64_t low = 0;
    if (!split_pair(text(name), &high, &low)) fail_text(name, "an exact sum");
    return ExactSum::from_bits(high, low);
  }
  // Calls take(first, second) for each "first:second" of a list.
  template <typename Take>
  void pairs(std::string_view name, const Take& take) const {
    const std::string& list = text(name);
    std::size_t start = 0;
    while (start < list.size()) {
      const std::size_t end = std::min(list.find(' ', start), list.size());
      std::int64_t first = 0;
      std::uint64_t second = 0;
      if (!split_pair(std::string_view(list).substr(start, end - start), &first, &second)) {
        fail_text(name, "pairs like 1:2");
      }
      take(first, second);
      start = end + 1;
    }
  }
  std::vector<Reader> objects(std::string_view name) const {
    std::vector<Reader> out;
    const JsonNode* node = node_.find(name);
    if (node == nullptr) fail_input(concat(pointer_, "/", name, ": is missing; expected an array"));
    if (!node->is(JsonNode::Kind::kArray) && !node->items.empty()) fail(name, "an array", *node);
    for (std::size_t i = 0; i < node->items.size(); ++i) {
      out.emplace_back(node->items[i], concat(pointer_, "/", name, "/", i));
    }
    return out;
  }
  Reader object(std::string_view name) const {
    return {field(name, JsonNode::Kind::kObject, "an object"), concat(pointer_, "/", name)};
  }
  const JsonNode& node() const { return node_; }

 private:
  static bool split_pair(std::string_view text, std::int64_t* first, std::uint64_t* second) {
    const std::size_t colon = text.find(':');
    return colon != std::string_view::npos && parse_whole(text.substr(0, colon), first) &&
           parse_whole(text.substr(colon + 1), second);
  }
  [[noreturn]] void fail(std::string_view name, const char* expected, const JsonNode& got) const {
    fail_input(concat(pointer_, name.empty() ? "" : "/", name, ": expected ", expected, ", got ",
                      got.description()));
  }
  [[noreturn]] void fail_text(std::string_view name, const char* expected) const {
    fail_input(concat(pointer_, "/", name, ": expected ", expected, ", got another text"));
  }

  const JsonNode& node_;
  std::string pointer_;
};

void read_mean(const Reader& reader, RowSum* sum, Spread* spread) {
  sum->sum = reader.exact("sum");
  sum->rows = reader.count("rows");
  spread->inputs = reader.count("inputs");
  spread->sum = reader.exact("means");
  spread->squares = reader.exact("squares");
  spread->low = reader.number("low");
  spread->high = reader.number("high");
}

void read_relation(const Reader& reader, HeadScores* scores) {
  RelationScore& score = scores->relations[{reader.text("name"), reader.flag("reversed")}];
  score.rows = reader.count("rows");
  score.right = reader.count("right");
  reader.pairs("offsets", [&](std::int64_t offset, std::uint64_t n) { score.offsets[offset] = n; });
}

void read_head(const Reader& reader, ScoreTotals* totals) {
  const HeadId id{reader.count("layer"), reader.flag("is_mean"), reader.count("head")};
  HeadTotals& head = totals->heads[id];
  HeadScores& scores = head.pooled;
  head.inputs = reader.count("inputs");
  head.first_special_inputs = reader.count("first_special_inputs");
  for (std::size_t i = 0; i < kMeanScores; ++i) {
    read_mean(reader.object(mean_score_infos()[i].name), &scores.means[i], &head.spread[i]);
  }
  for (const Exact& exact : kRatios) {
    scores.*exact.ratio.*exact.side = reader.exact(exact.name);
  }
  scores.tl_duplicate.rows = reader.count("tl_duplicate_rows");
  scores.tl_induction.rows = reader.count("tl_induction_rows");
  for (const Count& count : kCounts) scores.*count.member = reader.count(count.name);
  reader.pairs("argmax_offsets",
               [&](std::int64_t offset, std::uint64_t n) { scores.argmax_offsets[offset] = n; });
  reader.pairs("keys", [&](std::int64_t units, std::uint64_t n) {
    scores.keys.push_back({units, n});
  });
  for (const Reader& relation : reader.objects("relations")) read_relation(relation, &scores);
}

void write_tokens(const InputTokens& tokens, JsonWriter* w) {
  w->key("tokens");
  w->strings(tokens.tokens);
  w->key("ids");
  w->indices(tokens.ids);
}

void read_words(const Reader& reader, ScoreRun* run) {
  const JsonNode& root = reader.node();
  if (root.find("model") != nullptr) {
    const Reader model = reader.object("model");
    run->model.emplace();
    run->model->description = model.text("description");
    run->model->family = model.text("family");
    if (model.node().find("tokenizer") != nullptr) run->model->tokenizer = model.text("tokenizer");
    if (const JsonNode* ablated = root.find("ablated"); ablated != nullptr) {
      for (const JsonNode& head : ablated->items) run->model->ablated.push_back(head.text);
    }
  }
  const JsonNode* tokens = root.find("tokens");
  const JsonNode* ids = root.find("ids");
  if (tokens == nullptr || ids == nullptr) return;
  run->tokens.emplace();
  for (const JsonNode& token : tokens->items) run->tokens->tokens.push_back(token.text);
  for (const JsonNode& id : ids->items) {
    run->tokens->ids.push_back(static_cast<std::size_t>(id.number));
  }
}

void write_members(const PartialScores& partial, JsonWriter* w) {
  const ScoreRun& run = partial.run;
  w->begin_object();
  w->member("format", kFormat);
  w->member("shard", static_cast<std::uint64_t>(partial.shard.index));
  w->member("shards", static_cast<std::uint64_t>(partial.shard.count));
  w->key("options");
  w->begin_object();
  for (const auto& [name, value] : run.settings) w->member(name, value);
  w->end_object();
  w->member("source", partial.source);
  w->member("inputs", run.totals.inputs);
  w->member("failed_inputs", run.totals.failed);
  w->member("hash", std::to_string(run.totals.hash));
  w->key("notes");
  w->strings({run.notes.begin(), run.notes.end()});
  if (run.model) write_model(*run.model, w);
  if (run.tokens) write_tokens(*run.tokens, w);
  w->key("heads");
  w->begin_array();
  for (const auto& [id, totals] : run.totals.heads) write_head(id, totals, w);
  w->end_array();
}

// The checksum is of the text before it: a part that was edited or mixed up is noticed.
void check_sum(std::string_view text, const Reader& reader) {
  const std::size_t at = text.rfind(kChecksum);
  std::uint64_t stated = 0;
  const bool is_number = parse_whole(reader.text("checksum"), &stated);
  if (at == std::string_view::npos || !is_number || stated != content_hash(text.substr(0, at))) {
    fail_input("/checksum: does not fit the rest; the file was changed after it was written",
               "score this shard again");
  }
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard;
  const std::size_t slash = text.find('/');
  const std::string_view view(text);
  const bool is_shard = slash != std::string::npos &&
                        parse_whole(view.substr(0, slash), &shard.index) &&
                        parse_whole(view.substr(slash + 1), &shard.count) && shard.index >= 1 &&
                        shard.index <= shard.count;
  if (!is_shard) {
    fail_usage("--shard: expected I/N with I from 1 to N, like 2/8, got '" + text + "'");
  }
  return shard;
}

std::string partial_text(const PartialScores& partial) {
  std::string text;
  JsonWriter writer([&text](std::string_view part) { text += part; });
  write_members(partial, &writer);
  writer.flush();
  const std::string sum = std::to_string(content_hash(text));
  return text + std::string(kChecksum) + sum + "\"\n}\n";
}

PartialScores read_partial(std::string_view text) {
  const JsonNode root = parse_json(text, JsonArrays::kAsValues);
  const JsonNode* format = root.find("format");
  if (format == nullptr || format->text != kFormat) {
    fail_input("not a partial result", "merge takes the files that score --shard I/N writes");
  }
  const Reader reader(root, "");
  check_sum(text, reader);
  PartialScores out;
  out.source = reader.text("source");
  out.shard = {reader.count("shard"), reader.count("shards")};
  if (out.shard.index < 1 || out.shard.index > out.shard.count) {
    fail_input(concat("/shard: expected 1 to ", out.shard.count, ", got ", out.shard.index));
  }
  for (const JsonMember& member : reader.object("options").node().members) {
    out.run.settings.emplace_back(member.name, member.value.text);
  }
  out.run.totals.inputs = reader.count("inputs");
  out.run.totals.failed = reader.count("failed_inputs");
  if (!parse_whole(reader.text("hash"), &out.run.totals.hash)) {
    fail_input("/hash: expected a whole number in a string");
  }
  if (const JsonNode* notes = root.find("notes")) {
    for (const JsonNode& note : notes->items) out.run.add_note(note.text);
  }
  read_words(reader, &out.run);
  for (const Reader& head : reader.objects("heads")) read_head(head, &out.run.totals);
  return out;
}

}  // namespace mha::cli
