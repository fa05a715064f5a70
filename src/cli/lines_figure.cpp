#include "lines_figure.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/render/lines.hpp"
#include "mha/text/tokens.hpp"

#include "figures.hpp"
#include "score_output.hpp"
#include "score_report.hpp"

namespace mha::cli {
namespace {

constexpr std::size_t kMostLineTokens = 200;  // more are no picture that anybody can follow

// "lines: weights from 0.05 on, at most 5 a query; the strongest is 0.93".
std::string line_note(const DrawOptions& options, double largest, std::size_t n_lines) {
  if (n_lines == 0) {
    return concat("no weight is as large as ", options.min_weight, ": there is no line");
  }
  return concat("lines: weights from ", options.min_weight, " on, at most ", options.top_k,
                " a query; the strongest is ", fixed(largest, 2));
}

}  // namespace

void check_lines(const OpenedInput& input, const DrawOptions& options, std::size_t n_queries) {
  if (options.figure != "head" || !options.query.empty() || options.extra.norm_map) {
    fail_usage("--view " + options.view + " shows the weights of one head",
               "leave out --figure, --query and --map");
  }
  if (options.view == "arcs" && input.is_cross) {
    fail_input("arcs connect the tokens of one sequence, and here the keys are of another one",
               "--view lines shows both");
  }
  const std::size_t longest = std::max(n_queries, input.key_tokens.size());
  if (longest > kMostLineTokens) {
    fail_input(concat("--view ", options.view, " shows at most ", kMostLineTokens,
                      " tokens, and there are ", longest),
               "--view matrix shows them all");
  }
}

std::vector<std::uint8_t> lines_picture(const HeadLines& head, render::Typesetter& typesetter) {
  const DrawOptions& options = head.options;
  render::LinesFigure figure;
  figure.arcs = options.view == "arcs";
  const std::size_t first = figure.arcs ? 0 : head.edges.first_query();
  const std::size_t end = head.edges.first_query() + head.edges.n_queries(0);
  const std::size_t n_shown = figure.arcs ? head.input.key_tokens.size() : end - first;
  // The queries may be the last tokens of the keys: an arc then begins at its token among these.
  const std::size_t before =
      figure.arcs ? head.input.key_tokens.size() - head.input.tokens.size() : 0;
  figure.keys = {"key (attends to)", display_tokens(head.input.key_tokens), 1, 0};
  figure.queries = {"query (attends from)", {}, 1, 0};
  const auto& shown = figure.arcs ? head.input.key_tokens : head.input.tokens;
  for (std::size_t i = first; i < first + n_shown; ++i) {
    figure.queries.labels.push_back(display_token(shown[i]));
  }
  figure.largest = 0;
  for (std::size_t q = head.edges.first_query(); q < end; ++q) {
    for (const Edge& edge : head.edges.edges(0, q)) {
      if (edge.weight < options.min_weight) continue;
      figure.lines.push_back({q - first + before, edge.key, edge.weight});
      figure.largest = std::max(figure.largest, static_cast<double>(edge.weight));
    }
  }
  const HeadLabel label =
      label_head(head.scores.scores(0), default_thresholds(), first_is_special(head.input));
  figure.text.title = head.heads.names[0];
  if (!options.picture.title.empty()) {
    figure.text.title = options.picture.title + "  " + figure.text.title;
  }
  if (label.is_clear()) figure.text.title += "  " + label_text(label.name);
  figure.text.caption = describe_head(head.scores.scores(0), label);
  figure.text.notes = head.input.notes;
  if (figure.arcs) figure.text.notes.push_back("arcs above lead to earlier tokens, below to later");
  figure.text.notes.push_back(line_note(options, figure.largest, figure.lines.size()));
  return picture_file(render::draw_lines(figure, picture_style(options.picture), typesetter),
                      options.picture);
}

}  // namespace mha::cli
