#include "report_page.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "mha/base/base64.hpp"
#include "mha/base/text.hpp"
#include "mha/base/version.hpp"
#include "mha/render/colormap.hpp"
#include "mha/render/grid.hpp"
#include "mha/render/html_assets.hpp"
#include "mha/render/html_text.hpp"
#include "mha/text/tokens.hpp"

#include "score_output.hpp"
#include "score_report.hpp"

namespace mha::cli {
namespace {

using render::html_text;

// The scores of the table that is read without scripts; the script's table has them all.
constexpr const char* kTableScores[] = {
    "previous",  "self",       "next",       "first_token", "special",           "duplicate",
    "induction", "positional", "confidence", "sink",        "normalised_entropy"};

std::string paragraph(const std::string& text, const char* kind) {
  return concat("<p class=\"", kind, "\">", html_text(text), "</p>\n");
}

// As src/render/html/scales.js writes it: what rounds to zero has no sign, others a minus.
std::string page_number(double value) {
  const std::string size = fixed(std::abs(value), 2);
  return (value < 0 && size != "0.00" ? "\u2212" : "") + size;
}

std::string head_row(const ReportResults& results, std::size_t slot,
                     const std::vector<std::string>& columns) {
  const std::string& name = results.heads.names[slot];
  std::string out = concat("<tr><th scope=\"row\">", html_text(name), "</th>");
  if (!results.has_scores) return out + "</tr>\n";
  const HeadScores& scores = results.scores.scores(slot);
  const ScoredHead head = scored_head(results.input, name, scores);
  const std::string label = head.label.is_clear() ? label_text(head.label.name) : head.label.name;
  out += concat("<td>", html_text(label), "</td>");
  for (const std::string& column : columns) {
    const auto value = score_value(scores, column);
    out += concat("<td>", value ? page_number(*value) : "", "</td>");
  }
  return out + "</tr>\n";
}

// Columns that some head has a value for.
std::vector<std::string> table_columns(const ReportResults& results) {
  std::vector<std::string> out;
  if (!results.has_scores) return out;
  std::vector<std::string> names(std::begin(kTableScores), std::end(kTableScores));
  for (std::size_t s = 0; s < results.heads.slots.size(); ++s) {
    for (const auto& [key, score] : results.scores.scores(s).relations) {
      const std::string name = key.text();
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    for (std::size_t s = 0; s < results.heads.slots.size(); ++s) {
      if (!score_value(results.scores.scores(s), name)) continue;
      out.push_back(name);
      break;
    }
  }
  return out;
}

std::string head_table_html(const ReportResults& results) {
  const std::vector<std::string> columns = table_columns(results);
  std::string out = "<div class=\"wide\"><table>\n<caption>Heads and their scores</caption>\n";
  out += "<thead><tr><th scope=\"col\">head</th>";
  if (results.has_scores) out += "<th scope=\"col\">label</th>";
  for (const std::string& column : columns) {
    std::string text = column;
    std::ranges::replace(text, '_', ' ');
    out += concat("<th scope=\"col\">", html_text(text), "</th>");
  }
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t s = 0; s < results.heads.slots.size(); ++s) {
    out += head_row(results, s, columns);
  }
  return out + "</tbody>\n</table></div>\n";
}

// viridis, ...; blues and greys for both grounds, as they start at the paper.
std::string colormaps_json() {
  std::string out = "{";
  const auto add = [&out](const std::string& name, const render::Colormap& map) {
    std::vector<std::uint8_t> bytes;
    for (const render::Rgb& color : map) {
      bytes.insert(bytes.end(), {color.r, color.g, color.b});
    }
    out += concat(out.size() > 1 ? "," : "", "\"", name, "\":\"", base64(bytes), "\"");
  };
  std::vector<std::string> names = render::colormap_names();
  names.emplace_back("diverging");
  for (const std::string& name : names) {
    const render::Colormap& light = render::colormap_named(name, false);
    const render::Colormap& dark = render::colormap_named(name, true);
    add(name, light);
    if (light != dark) add(name + "-on-dark", dark);
  }
  return out + "}";
}

// One object, whose members `fill` writes.
std::string object_json(const std::function<void(JsonWriter*)>& fill) {
  std::string out;
  JsonWriter writer([&out](std::string_view text) { out += text; }, true);
  writer.begin_object();
  fill(&writer);
  writer.end_object();
  writer.flush();
  return out;
}

std::string label_colors_json(const LabelKinds& kinds) {
  return object_json([&kinds](JsonWriter* writer) {
    for (std::size_t i = 0; i < kinds.texts.size(); ++i) {
      writer->member(kinds.texts[i], render::hex_text(render::kind_color(i)));
    }
  });
}

std::string formulas_json() {
  return object_json(
      [](JsonWriter* writer) { write_score_formulas(default_thresholds(), writer); });
}

std::string report_json(const ReportPage& page) {
  std::string out = concat(
      "{\"format\":\"mha-viz report 1\",\"version\":", json_string(kVersion),
      ",\"title\":", json_string(page.title), ",\"colormaps\":", colormaps_json(),
      ",\"labelColors\":", label_colors_json(page.kinds), ",\"definitions\":", formulas_json());
  if (!page.patches.empty()) out += concat(",\"grid\":", page.patches);
  out += ",\"inputs\":[";
  for (std::size_t i = 0; i < page.inputs.size(); ++i) {
    out += concat(i > 0 ? "," : "", page.inputs[i].facts);
  }
  return render::script_json(out + "]}");
}

std::string head_html(const std::string& title) {
  return concat(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"generator\" content=\"mha-viz ",
      kVersion,
      "\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
      "'",
      render::page_script_hash(),
      "'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action "
      "'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
      html_text(title), "</title>\n<style>\n", render::page_style(), "</style>\n</head>\n");
}

std::string block_start(std::string_view id, std::string_view type) {
  return concat("<script type=\"", type, "\" id=\"", id, "\">");
}

}  // namespace

std::string static_section(const ReportResults& results, const std::vector<std::uint8_t>& picture,
                           const std::string& more) {
  const OpenedInput& input = results.input;
  const std::string name = display_token(results.name);
  std::string out = concat("<section>\n<h2>", html_text(name), "</h2>\n");
  out += paragraph(concat(count_text(results.heads.slots.size(), "head"), ", ", input.tokens.size(),
                          " queries on ", input.key_tokens.size(), " keys"),
                   "facts");
  for (const std::string& warning : results.warnings) out += paragraph(warning, "warning");
  for (const std::string& note : input.notes) out += paragraph(note, "note");
  for (const std::string& note : results.notes) out += paragraph(note, "note");
  out += concat("<img alt=\"Heatmaps of all heads of ", html_text(name),
                "\" src=\"data:image/png;base64,", base64(picture), "\">\n");
  return out + more + head_table_html(results) + "</section>\n";
}

void write_report_page(const ReportPage& page, ScratchFile* file,
                       const std::function<void(std::string_view)>& sink) {
  sink(head_html(page.title));
  // The script finds its facts above it and starts before the cells below are read.
  sink("<body>\n<div id=\"app\"></div>\n");
  sink(block_start("mha-report", "application/json"));
  sink(report_json(page));
  sink("</script>\n");
  for (const ReportPage::Block& block : page.blocks) {
    sink(block_start(block.id, block.type));
    sink(block.text);
    sink("</script>\n");
  }
  sink("<script>");
  sink(render::page_script());
  sink("</script>\n<main id=\"static\">\n");
  sink(concat("<h1>", html_text(page.title), "</h1>\n"));
  sink(
      "<noscript><p class=\"note\">Scripts are off here: this is the part of the page that does "
      "without them.</p></noscript>\n");
  for (const ReportedInput& input : page.inputs) sink(input.section);
  sink("</main>\n");
  for (const ReportedInput& input : page.inputs) {
    for (const auto& [id, piece] : input.blocks) {
      sink(block_start(id, "text/plain"));
      file->read(piece, sink);
      sink("</script>\n");
    }
  }
  sink("</body>\n</html>\n");
}

}  // namespace mha::cli
