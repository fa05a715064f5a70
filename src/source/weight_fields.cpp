#include "weight_fields.hpp"

#include <algorithm>

#include "mha/base/error.hpp"
#include "mha/base/text.hpp"

#include "fields.hpp"
#include "random.hpp"

namespace mha {
namespace {

struct Slot {
  const char* name;
  std::optional<WeightArray> WeightFields::*array;
  bool is_required;
};

constexpr Slot kSlots[] = {
    {"W_Q", &WeightFields::w_q, true},  {"W_K", &WeightFields::w_k, true},
    {"W_V", &WeightFields::w_v, true},  {"W_O", &WeightFields::w_o, false},
    {"b_Q", &WeightFields::b_q, false}, {"b_K", &WeightFields::b_k, false},
    {"b_V", &WeightFields::b_v, false}, {"b_O", &WeightFields::b_o, false},
};

void read_random(const Fields& fields, WeightFields* out) {
  for (const Slot& slot : kSlots) {
    if (fields.has(slot.name)) {
      fail_field(fields.pointer(), "both random and given weights", "one of them",
                 concat("random and ", slot.name));
    }
  }
  for (const char* name : {"file", "names", "layout"}) {
    if (fields.has(name)) {
      fail_field(fields.pointer(), "both random and stored weights", "one of them",
                 concat("random and ", name));
    }
  }
  const Fields random(*fields.find("random"), fields.pointer("random"), "random");
  out->random_seed = random.count("seed", 0).value_or(0);
}

void read_inline(JsonNode& node, const Fields& fields, ArrayLoader& arrays, WeightFields* out) {
  for (const Slot& slot : kSlots) {
    for (JsonMember& member : node.members) {
      if (member.name != slot.name) continue;
      const std::string pointer = fields.pointer(slot.name);
      out->*slot.array = {arrays.load(member.value, pointer, ArrayLoader::Allow::kNumbers),
                          pointer};
    }
  }
}

// Arrays that are not written inline come from "file", under the names that "names" gives.
void read_from_file(const Fields& fields, ArrayLoader& arrays, WeightFields* out) {
  const std::string file = *fields.string("file");
  const JsonNode* names = fields.find("names");
  std::optional<Fields> name_fields;
  if (names != nullptr) name_fields.emplace(*names, fields.pointer("names"), "names");
  const std::vector<TensorInfo>& present = arrays.open(file, fields.pointer("file")).tensors();
  for (const Slot& slot : kSlots) {
    if (out->*slot.array) continue;
    const auto given = name_fields ? name_fields->string(slot.name) : std::nullopt;
    const std::string name = given.value_or(slot.name);
    const bool exists =
        std::ranges::any_of(present, [&name](const TensorInfo& info) { return info.name == name; });
    if (!exists && !given && !slot.is_required) continue;
    const std::string pointer = fields.pointer(slot.name);
    out->*slot.array = {arrays.read(file, name, pointer), pointer};
  }
}

// The largest factor on each side: how one weight array is read as matrices.
struct MatrixForm {
  std::size_t n_heads = 0;  // 0 when all heads share one matrix
  std::size_t rows = 0;     // inputs
  std::size_t cols = 0;     // outputs (of one head, when n_heads > 0)
};

// An array from a file may have an axis of length 0.
void refuse_empty(const WeightArray& array) {
  if (array.tensor.data.empty()) {
    fail_field(array.pointer, "no numbers", "at least one", shape_text(array.tensor.shape));
  }
}

// Input projections are [d_model][heads * d] or [heads][d_model][d]; with "out_in" the last two
// axes are exchanged.
MatrixForm input_form(const WeightArray& array, bool out_in) {
  const Shape& shape = array.tensor.shape;
  refuse_empty(array);
  if (shape.size() != 2 && shape.size() != 3) {
    fail_field(array.pointer, "wrong number of axes",
               "2 [d_model][n_heads*d_head] or 3 [n_heads][d_model][d_head]", axes_text(shape));
  }
  const std::size_t a = shape[shape.size() - 2];
  const std::size_t b = shape[shape.size() - 1];
  const std::size_t n_heads = shape.size() == 3 ? shape[0] : 0;
  return out_in ? MatrixForm{n_heads, b, a} : MatrixForm{n_heads, a, b};
}

// An input projection as one matrix (inputs, heads * d).
Matrix join_heads(const WeightArray& array, bool out_in) {
  const MatrixForm form = input_form(array, out_in);
  const std::size_t n_matrices = std::max<std::size_t>(1, form.n_heads);
  Matrix out(form.rows, n_matrices * form.cols);
  const float* from = array.tensor.data.data();
  for (std::size_t h = 0; h < n_matrices; ++h) {
    for (std::size_t i = 0; i < form.rows; ++i) {
      for (std::size_t c = 0; c < form.cols; ++c) {
        const std::size_t at = out_in ? c * form.rows + i : i * form.cols + c;
        out(i, h * form.cols + c) = from[h * form.rows * form.cols + at];
      }
    }
  }
  return out;
}

// W_O is [heads * d][d_model] or [heads][d][d_model], which are the same numbers in the same order.
Matrix output_matrix(const WeightArray& array, bool out_in) {
  const Shape& shape = array.tensor.shape;
  refuse_empty(array);
  if (shape.size() != 2 && shape.size() != 3) {
    fail_field(array.pointer, "wrong number of axes",
               "2 [n_heads*d_head][d_model] or 3 [n_heads][d_head][d_model]", axes_text(shape));
  }
  const ConstMatrix flat = as_matrix(array.tensor);
  if (!out_in) return Matrix(flat.rows, flat.cols, array.tensor.data);
  if (shape.size() == 3) {
    fail_field(array.pointer, "layout \"out_in\" needs one matrix for all heads",
               "[d_model][n_heads*d_head]", shape_text(shape));
  }
  Matrix out(flat.cols, flat.rows);
  for (std::size_t i = 0; i < flat.rows; ++i) {
    for (std::size_t c = 0; c < flat.cols; ++c) out(c, i) = flat(i, c);
  }
  return out;
}

Projection make_projection(Matrix weight, const std::optional<WeightArray>& bias) {
  Projection out{std::move(weight), {}};
  if (!bias) return out;
  const FloatVector& data = bias->tensor.data;
  if (data.size() != out.weight.cols()) {
    fail_field(bias->pointer, "wrong number of entries", std::to_string(out.weight.cols()),
               std::to_string(data.size()));
  }
  out.bias.assign(data.begin(), data.end());
  return out;
}

// A total that is to be split evenly, and what it is called in messages.
struct Total {
  std::size_t value;
  const char* name;
};

// total / parts; `what` names the parts.
std::size_t divide(const Total& total, std::size_t parts, const std::string& pointer,
                   const char* what) {
  if (total.value % parts != 0) {
    fail_field(pointer, concat(what, " does not divide ", total.name),
               concat("a divisor of ", total.value), std::to_string(parts));
  }
  return total.value / parts;
}

// `source` says where the expected number comes from: " as in W_Q".
void check_agree(const std::string& pointer, const char* name, std::size_t expected,
                 std::size_t got, const char* source) {
  if (expected != got) {
    fail_field(pointer, concat("wrong ", name), std::to_string(expected) + source,
               std::to_string(got));
  }
}

// Heads and widths from the arrays, checked against the attention object where it names them.
HeadLayout layout_of(const AttentionFields& attention, const WeightFields& weights) {
  const MatrixForm q = input_form(*weights.w_q, weights.out_in);
  const MatrixForm k = input_form(*weights.w_k, weights.out_in);
  const MatrixForm v = input_form(*weights.w_v, weights.out_in);
  const std::string n_heads_place = attention.pointer_to("n_heads");
  const std::string n_kv_heads_place = attention.pointer_to("n_kv_heads");
  HeadLayout out;
  if (q.n_heads > 0) {
    out.n_heads = q.n_heads;
    out.d_head = q.cols;
    if (attention.n_heads) {
      check_agree(n_heads_place, "n_heads", q.n_heads, *attention.n_heads, ", as W_Q has");
    }
  } else {
    if (!attention.n_heads) {
      fail_field(attention.pointer, "no n_heads",
                 "a number of heads, as W_Q is one matrix for all of them", "none");
    }
    out.n_heads = *attention.n_heads;
    out.d_head = divide({q.cols, "the width of W_Q"}, out.n_heads, n_heads_place, "n_heads");
  }
  if (attention.d_head) {
    check_agree(attention.pointer_to("d_head"), "d_head", out.d_head, *attention.d_head,
                ", the width of a head in W_Q");
  }
  out.n_kv_heads = k.n_heads > 0 ? k.n_heads : attention.n_kv_heads.value_or(out.n_heads);
  if (attention.n_kv_heads) {
    check_agree(n_kv_heads_place, "n_kv_heads", out.n_kv_heads, *attention.n_kv_heads,
                ", as W_K has");
  }
  divide({out.n_heads, "n_heads"}, out.n_kv_heads, n_kv_heads_place, "n_kv_heads");
  const std::size_t k_width = k.n_heads > 0 ? k.cols
                                            : divide({k.cols, "the width of W_K"}, out.n_kv_heads,
                                                     weights.w_k->pointer, "n_kv_heads");
  check_agree(weights.w_k->pointer, "width of a head", out.d_head, k_width, ", as in W_Q");
  if (v.n_heads > 0) {
    check_agree(weights.w_v->pointer, "number of heads", out.n_kv_heads, v.n_heads, ", as W_K has");
    out.d_value = v.cols;
  } else {
    out.d_value =
        divide({v.cols, "the width of W_V"}, out.n_kv_heads, weights.w_v->pointer, "n_kv_heads");
  }
  return out;
}

HeadLayout random_layout(const AttentionFields& attention, std::size_t d_model) {
  HeadLayout out;
  out.n_heads = attention.n_heads.value_or(default_head_count(d_model));
  out.n_kv_heads = attention.n_kv_heads.value_or(out.n_heads);
  divide({out.n_heads, "n_heads"}, out.n_kv_heads, attention.pointer_to("n_kv_heads"),
         "n_kv_heads");
  out.d_head = attention.d_head ? *attention.d_head
                                : divide({d_model, "d_model"}, out.n_heads,
                                         attention.pointer_to("n_heads"), "n_heads");
  out.d_value = out.d_head;
  return out;
}

void check_inputs(const WeightArray& array, bool out_in, std::size_t expected, const char* width) {
  const std::size_t got = input_form(array, out_in).rows;
  if (got != expected) {
    fail_field(array.pointer, "wrong number of inputs", concat(expected, ", which is ", width),
               std::to_string(got));
  }
}

// Random weights come from no file, so that nothing else limits their size.
void check_random_size(const HeadLayout& layout, const LayerWidths& widths,
                       const std::string& pointer, std::size_t max_bytes) {
  const auto width = static_cast<double>(layout.n_heads) * static_cast<double>(layout.d_head);
  const auto rows =
      static_cast<double>(widths.d_model + widths.d_context.value_or(widths.d_model)) * 2;
  const double bytes = rows * width * sizeof(float);
  if (bytes > static_cast<double>(max_bytes)) {
    fail_field(pointer, "random weights larger than the memory allowed",
               concat("at most ", bytes_text(static_cast<double>(max_bytes))), bytes_text(bytes));
  }
}

}  // namespace

WeightFields read_weights(JsonNode& node, const std::string& pointer, ArrayLoader& arrays) {
  const Fields fields(node, pointer, "weights");
  WeightFields out;
  out.pointer = pointer;
  out.out_in = fields.choice("layout", {"in_out", "out_in"}) == 1;
  if (fields.has("random")) {
    read_random(fields, &out);
    return out;
  }
  read_inline(node, fields, arrays, &out);
  if (fields.has("file")) read_from_file(fields, arrays, &out);
  for (const Slot& slot : kSlots) {
    if (slot.is_required && !(out.*slot.array)) {
      fail_field(pointer, concat("no ", slot.name), "W_Q, W_K and W_V, a file, or random",
                 "an object without it");
    }
  }
  if (out.b_o && !out.w_o) fail_field(out.b_o->pointer, "b_O without W_O", "W_O beside it", "none");
  return out;
}

std::size_t default_head_count(std::size_t d_model) {
  return d_model % 4 == 0 ? 4 : 1;
}

AttentionLayer make_layer(const AttentionFields& attention, const WeightFields& weights,
                          const AttentionShape& shape, const LayerWidths& widths) {
  AttentionLayer layer;
  const std::size_t d_keys = widths.d_context.value_or(widths.d_model);
  Projection q, k, v;
  if (weights.random_seed) {
    layer.layout = random_layout(attention, widths.d_model);
    check_random_size(layer.layout, widths, attention.pointer, widths.max_bytes);
    RandomWeights random =
        random_weights(*weights.random_seed, layer.layout, widths.d_model, d_keys);
    q = std::move(random.q);
    k = std::move(random.k);
    v = std::move(random.v);
    layer.weights.o = std::move(random.o);
  } else {
    const char* key_width =
        widths.d_context ? "the width of the context's embeddings" : widths.of_model;
    check_inputs(*weights.w_q, weights.out_in, widths.d_model, widths.of_model);
    check_inputs(*weights.w_k, weights.out_in, d_keys, key_width);
    check_inputs(*weights.w_v, weights.out_in, d_keys, key_width);
    layer.layout = layout_of(attention, weights);
    q = make_projection(join_heads(*weights.w_q, weights.out_in), weights.b_q);
    k = make_projection(join_heads(*weights.w_k, weights.out_in), weights.b_k);
    v = make_projection(join_heads(*weights.w_v, weights.out_in), weights.b_v);
    if (weights.w_o) {
      layer.weights.o = make_projection(output_matrix(*weights.w_o, weights.out_in), weights.b_o);
      check_agree(weights.w_o->pointer, "number of inputs",
                  layer.layout.n_heads * layer.layout.d_value, layer.weights.o.weight.rows(),
                  ", the width of all heads together");
    }
  }
  layer.rule = make_rule(attention, shape, layer.layout.n_heads);
  if (widths.d_context) {
    layer.weights.q = std::move(q);
    const Projection* parts[] = {&k, &v};
    layer.weights.kv = side_by_side(parts);
  } else {
    const Projection* parts[] = {&q, &k, &v};
    layer.weights.qkv = side_by_side(parts);
  }
  return layer;
}

}  // namespace mha
