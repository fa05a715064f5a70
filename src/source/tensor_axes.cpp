#include "tensor_axes.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

namespace mha {
namespace {

const char* axis_name(char letter) {
  switch (letter) {
    case 'l':
      return "layer";
    case 'b':
      return "batch";
    case 'h':
      return "head";
    case 'q':
      return "query";
    case 'k':
      return "key";
    case 'n':
      return "token";
    default:
      return "width";
  }
}

// Copies an array axis by axis: `steps[a]` is the distance in the source between neighbours along
// target axis a.
FloatVector gather(const float* from, const Shape& shape, const std::vector<std::size_t>& steps) {
  std::size_t count = 1;
  for (std::size_t n : shape) count *= n;
  FloatVector out(count);
  std::vector<std::size_t> index(shape.size(), 0);
  std::size_t at = 0;
  for (float& value : out) {
    value = from[at];
    for (std::size_t a = shape.size(); a-- > 0;) {
      at += steps[a];
      if (++index[a] < shape[a]) break;
      at -= steps[a] * shape[a];
      index[a] = 0;
    }
  }
  return out;
}

}  // namespace

void check_axes(const std::string& axes, const Shape& shape, const std::string& allowed,
                const std::string& required) {
  const auto fail = [&](const std::string& what) {
    fail_input(concat("--axes ", axes, ": ", what, "; the array is ", shape_text(shape)),
               concat("name each axis once, of ", allowed, ": for example ",
                      allowed.substr(allowed.size() - std::min(allowed.size(), shape.size()))));
  };
  if (axes.size() != shape.size()) {
    fail(concat("expected ", shape.size(), " letters, got ", axes.size()));
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (allowed.find(axes[i]) == std::string::npos) fail(concat("unknown axis '", axes[i], "'"));
    if (axes.find(axes[i], i + 1) != std::string::npos)
      fail(concat("'", axes[i], "' stands twice"));
  }
  for (char letter : required) {
    if (axes.find(letter) == std::string::npos) fail(concat("there is no '", letter, "'"));
  }
}

OrderedArray in_order(const FloatStorage& data, const Shape& shape, const std::string& axes,
                      const std::string& order) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t a = shape.size(); a-- > 1;) strides[a - 1] = strides[a] * shape[a];
  OrderedArray out;
  std::vector<std::size_t> steps;
  bool is_in_order = true;
  std::size_t last = 0;
  for (char letter : order) {
    const std::size_t a = axes.find(letter);
    if (a == std::string::npos) {
      out.shape.push_back(1);
      steps.push_back(0);
      continue;
    }
    is_in_order = is_in_order && a >= last;
    last = a;
    out.shape.push_back(shape[a]);
    steps.push_back(strides[a]);
  }
  out.data = is_in_order ? data : FloatStorage(gather(data.data(), out.shape, steps));
  return out;
}

std::string default_attention_axes(const Shape& shape, bool is_per_layer) {
  switch (shape.size()) {
    case 2:
      return "qk";
    case 3:
      return "hqk";
    case 4:
      return is_per_layer || shape[0] == 1 ? "bhqk" : "lhqk";
    case 5:
      return "lbhqk";
    default:
      return "";
  }
}

std::string axes_text(const std::string& axes) {
  std::vector<std::string> names;
  for (char letter : axes) names.emplace_back(axis_name(letter));
  return "(" + join(names, ", ") + ")";
}

}  // namespace mha
