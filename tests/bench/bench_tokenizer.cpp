// Tokenizers: opening a tokenizer.json of 128,000 pieces and 280,000 merges, and encoding text.
// With an argument: that file instead of the generated one.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "mha/text/tokenizer.hpp"

#include "bench/bench.hpp"

namespace mha::bench {
namespace {

constexpr std::size_t kPieces = 128000;
constexpr std::size_t kMerges = 280000;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::exit(1);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// The printable characters that stand for bytes; enough of them for a vocabulary.
std::vector<std::string> alphabet() {
  std::vector<std::string> out = {"\u0120", "\u010A"};
  for (char c = '!'; c <= '~'; ++c) out.emplace_back(1, c);
  return out;
}

// Pieces that grow by merging, as training makes them, and every way to make a piece of two others
// until there are enough merges: sizes and lengths as in the file of Llama 3.
std::string generated_json() {
  std::mt19937 engine(7);
  std::vector<std::string> pieces = alphabet();
  std::unordered_set<std::string> known(pieces.begin(), pieces.end());
  std::vector<std::string> merges;
  const auto any = [&](std::size_t below) { return pieces[engine() % below]; };
  while (pieces.size() < kPieces) {
    const std::string left = any(std::min<std::size_t>(pieces.size(), 4000));
    const std::string right = any(std::min<std::size_t>(pieces.size(), 400));
    if (!known.insert(left + right).second) continue;
    pieces.push_back(left + right);
    merges.push_back(left + " " + right);
  }
  for (std::size_t i = 0; merges.size() < kMerges; i = (i + 1) % pieces.size()) {
    const std::string& piece = pieces[i];
    if (piece.size() < 3) continue;
    const std::size_t cut = 1 + engine() % (piece.size() - 1);
    const std::string left = piece.substr(0, cut);
    const std::string right = piece.substr(cut);
    if (known.contains(left) && known.contains(right)) merges.push_back(left + " " + right);
  }
  std::string json = R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":[],
"normalizer":null,"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true},
"post_processor":null,"decoder":null,"model":{"type":"BPE","vocab":{)";
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    json += (i > 0 ? ",\n" : "\n") + quoted(pieces[i]) + ":" + std::to_string(i);
  }
  json += "},\"merges\":[";
  for (std::size_t i = 0; i < merges.size(); ++i) {
    json += (i > 0 ? ",\n" : "\n") + quoted(merges[i]);
  }
  return json + "]}}";
}

std::string sample_text(std::size_t size) {
  static const char* const kWords[] = {"the", "attention", "of",       "heads",
                                       "In",  "1984",      "visualise"};
  std::mt19937 engine(1);
  std::string text;
  while (text.size() < size) {
    text += kWords[engine() % 7];
    text += engine() % 12 == 0 ? ".\n" : " ";
  }
  return text;
}

void run(const std::string& json) {
  const auto open = [&] { return Tokenizer::from_tokenizer_json(json, "tokenizer.json"); };
  const Tokenizer tokenizer = open();
  expect(tokenizer.vocab_size() >= kPieces, "every piece is there");
  for (std::uint32_t id = 0; id < kPieces; id += 997) {
    expect(tokenizer.id(tokenizer.token(id).value()) == id, "ids and pieces belong together");
  }
  std::vector<double> times;
  const std::clock_t start = std::clock();
  for (int i = 0; i < 9; ++i) times.push_back(seconds([&] { open(); }));
  const double cpu = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / 9;
  std::printf("open %zu pieces, %.1f MB: %.0f ms (worst of 9: %.0f ms, processor time %.0f ms)\n",
              tokenizer.vocab_size(), static_cast<double>(json.size()) / 1e6, 1e3 * median(times),
              1e3 * *std::max_element(times.begin(), times.end()), 1e3 * cpu);

  const std::string text = sample_text(std::size_t{1} << 20);
  const std::string word(std::size_t{1} << 18, 'x');
  for (const auto& [name, sample] : {std::pair{"text", &text}, {"one word", &word}}) {
    const TokenizedText tokens = tokenizer.encode(*sample);
    std::size_t end = 0;
    for (const ByteRange& range : tokens.offsets) {
      expect(range.begin == end, "tokens cover the text");
      end = range.end;
    }
    expect(end == sample->size(), "tokens cover the text to its end");
    times.clear();
    for (int i = 0; i < 5; ++i) times.push_back(seconds([&] { tokenizer.encode(*sample); }));
    std::printf("encode %s of %.2f MB, %zu tokens: %.0f ms\n", name,
                static_cast<double>(sample->size()) / 1e6, tokens.ids.size(), 1e3 * median(times));
  }
}

}  // namespace
}  // namespace mha::bench

int main(int argc, char** argv) {
  if (argc > 1) {
    std::ifstream in(argv[1], std::ios::binary);
    mha::bench::run({std::istreambuf_iterator<char>(in), {}});
  } else {
    mha::bench::run(mha::bench::generated_json());
  }
  return 0;
}
