#include "side_source.hpp"

#include <filesystem>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
#include "mha/model/model_folder.hpp"

#include "model_option.hpp"

namespace mha::cli {
namespace {

// Each input of the command line as options that name it alone, in the order files, texts, pairs,
// text files, ids.
std::vector<SideSource> single_inputs(const InputOptions& all) {
  InputOptions none = all;
  none.inputs.clear();
  none.texts.clear();
  none.text_pairs.clear();
  none.text_files.clear();
  none.id_lists.clear();
  std::vector<SideSource> out;
  const auto add = [&](auto member, const auto& values, const char* flag, auto title) {
    for (const auto& value : values) {
      out.push_back({none, nullptr, flag + title(value), title(value), ""});
      (out.back().input.*member).push_back(value);
    }
  };
  const auto text = [](const std::string& value) { return value; };
  const auto pair = [](const auto& value) { return value.first + " | " + value.second; };
  add(&InputOptions::inputs, all.inputs, "", text);
  add(&InputOptions::texts, all.texts, "--text ", text);
  add(&InputOptions::text_pairs, all.text_pairs, "--pair ", pair);
  add(&InputOptions::text_files, all.text_files, "--text-file ", text);
  add(&InputOptions::id_lists, all.id_lists, "--ids ", text);
  for (std::size_t i = 0; i < all.inputs.size(); ++i) {
    out[i].title = std::filesystem::path(all.inputs[i]).filename().string();
  }
  return out;
}

// A: the input as it is; B: the same with the heads of --ablate gone.
std::vector<SideSource> ablated_sides(SideSource whole, std::size_t max_bytes) {
  whole.model = open_chosen_model(whole.input, max_bytes);
  SideSource ablated = whole;
  ablated.name += " --ablate " + whole.input.ablate;
  ablated.added_title = ", ablated: " + whole.input.ablate;
  whole.input.ablate.clear();
  return {std::move(whole), std::move(ablated)};
}

}  // namespace

std::vector<SideSource> sides_of(const InputOptions& input, std::size_t max_bytes,
                                 const std::string& command) {
  std::vector<SideSource> sides = single_inputs(input);
  const bool has_two_models = input.models.size() == 2;
  if (sides.size() == 1 && !has_two_models && !input.ablate.empty()) {
    return ablated_sides(std::move(sides[0]), max_bytes);
  }
  const std::size_t expected = has_two_models ? 1 : 2;
  if (sides.size() != expected) {
    fail_usage(concat(command, " takes two inputs, or one with two models; got ",
                      count_text(sides.size(), "input"), " and ",
                      count_text(input.models.size(), "model")),
               has_two_models ? "for example: mha-viz " + command +
                                    " --text \"the cat sat\" --model A --model B"
                              : "for example: mha-viz " + command + " a.json b.json");
  }
  if (!has_two_models) {
    sides[0].model = sides[1].model = open_chosen_model(input, max_bytes);
    return sides;
  }
  sides.push_back(sides[0]);
  for (std::size_t i = 0; i < 2; ++i) {
    sides[i].model = open_text_model(input.models[i], max_bytes);
    sides[i].name += " --model " + input.models[i];
    sides[i].title = sides[i].model->description;
  }
  return sides;
}

}  // namespace mha::cli
