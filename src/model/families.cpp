#include "families.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "family_tables.hpp"

namespace mha {

const std::vector<Family>& families() {
  static const std::vector<Family> kFamilies = [] {
    std::vector<Family> all = encoder_families();
    for (Family& family : decoder_families()) all.push_back(std::move(family));
    return all;
  }();
  return kFamilies;
}

const Family& find_family(std::string_view model_type) {
  const auto& all = families();
  const auto found = std::ranges::find(all, model_type, &Family::model_type);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Family& family : all) names.emplace_back(family.model_type);
  fail_input(concat("/model_type: a family that is not implemented; expected one of ",
                    join(names, ", "), ", got '", model_type, "'"));
}

}  // namespace mha
