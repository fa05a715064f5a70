#include "weight_fields.hpp"

#include <algorithm>

#include "fields.hpp"
#include "mha/base/error.hpp"
#include "mha/base/text.hpp"
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
      fail_field(fields.pointer(), "both random and given weights", "one of them", slot.name);
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
      out->*slot.array = {arrays.load(member.value, pointer, ArrayLoader::Allow::kNumbers), pointer};
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
    const bool exists = std::ranges::any_of(
        present, [&name](const TensorInfo& info) { return info.name == name; });
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

// Input projections are [d_model][heads * d] or [heads][d_model][d]; with "out_in" the last two
// axes are exchanged.
MatrixForm input_form(const WeightArray& array, bool out_in) {
  const Shape& shape = array.tensor.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    fail_field(array.pointer, "wrong number of axes",
               "[d_model][n_heads*d_head] or [n_heads][d_model][d_head]", shape_text(shape));
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
  if (shape.size() != 2 && shape.size() != 3) {
    fail_field(array.pointer, "wrong number of axes",
               "[n_heads*d_head][d_model] or [n_heads][d_head][d_model]", shape_text(shape));
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

std::size_t divide(std::size_t total, std::size_t parts, const std::string& pointer,
                   const char* what) {
  if (total % parts != 0) {
    fail_field(pointer, concat(what, " does not divide"), concat("a divisor of ", total),
               std::to_string(parts));
  }
  return total / parts;
}

void check_agree(const std::string& pointer, const char* name, std::size_t expected,
                 std::size_t got) {
  if (expected != got) {
    fail_field(pointer, concat("wrong ", name), std::to_string(expected), std::to_string(got));
  }
}

// Heads and widths from the arrays, checked against the attention object where it names them.
HeadLayout layout_of(const AttentionFields& attention, const WeightFields& weights) {
  const MatrixForm q = input_form(*weights.w_q, weights.out_in);
  const MatrixForm k = input_form(*weights.w_k, weights.out_in);
  const MatrixForm v = input_form(*weights.w_v, weights.out_in);
  const std::string place = attention.pointer.empty() ? "/attention" : attention.pointer;
  HeadLayout out;
  if (q.n_heads > 0) {
    out.n_heads = q.n_heads;
    out.d_head = q.cols;
    if (attention.n_heads) check_agree(place + "/n_heads", "n_heads", q.n_heads, *attention.n_heads);
  } else {
    if (!attention.n_heads) {
      fail_field(place, "no n_heads", "a number of heads, as W_Q is one matrix for all of them",
                 "none");
    }
    out.n_heads = *attention.n_heads;
    out.d_head = divide(q.cols, out.n_heads, place + "/n_heads", "n_heads");
  }
  if (attention.d_head) check_agree(place + "/d_head", "d_head", out.d_head, *attention.d_head);
  out.n_kv_heads = k.n_heads > 0 ? k.n_heads : attention.n_kv_heads.value_or(out.n_heads);
  if (attention.n_kv_heads) {
    check_agree(place + "/n_kv_heads", "n_kv_heads", out.n_kv_heads, *attention.n_kv_heads);
  }
  divide(out.n_heads, out.n_kv_heads, place + "/n_kv_heads", "n_kv_heads");
  const std::size_t k_width =
      k.n_heads > 0 ? k.cols : divide(k.cols, out.n_kv_heads, weights.w_k->pointer, "n_kv_heads");
  check_agree(weights.w_k->pointer, "width of a key", out.d_head, k_width);
  if (v.n_heads > 0) {
    check_agree(weights.w_v->pointer, "number of heads", out.n_kv_heads, v.n_heads);
    out.d_value = v.cols;
  } else {
    out.d_value = divide(v.cols, out.n_kv_heads, weights.w_v->pointer, "n_kv_heads");
  }
  return out;
}

HeadLayout random_layout(const AttentionFields& attention, std::size_t d_model) {
  const std::string place = attention.pointer.empty() ? "/attention" : attention.pointer;
  HeadLayout out;
  out.n_heads = attention.n_heads.value_or(default_head_count(d_model));
  out.n_kv_heads = attention.n_kv_heads.value_or(out.n_heads);
  divide(out.n_heads, out.n_kv_heads, place + "/n_kv_heads", "n_kv_heads");
  out.d_head = attention.d_head ? *attention.d_head
                                : divide(d_model, out.n_heads, place + "/n_heads", "n_heads");
  out.d_value = out.d_head;
  return out;
}

void check_inputs(const WeightArray& array, bool out_in, std::size_t expected) {
  const std::size_t got = input_form(array, out_in).rows;
  if (got != expected) {
    fail_field(array.pointer, "does not fit the embeddings",
               concat("d_model = ", expected, " inputs"), concat(got));
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
  layer.rule = make_rule(attention, shape);
  const std::size_t d_keys = widths.d_context.value_or(widths.d_model);
  Projection q, k, v;
  if (weights.random_seed) {
    layer.layout = random_layout(attention, widths.d_model);
    RandomWeights random =
        random_weights(*weights.random_seed, layer.layout, widths.d_model, d_keys);
    q = std::move(random.q);
    k = std::move(random.k);
    v = std::move(random.v);
    layer.weights.o = std::move(random.o);
  } else {
    check_inputs(*weights.w_q, weights.out_in, widths.d_model);
    check_inputs(*weights.w_k, weights.out_in, d_keys);
    check_inputs(*weights.w_v, weights.out_in, d_keys);
    layer.layout = layout_of(attention, weights);
    q = make_projection(join_heads(*weights.w_q, weights.out_in), weights.b_q);
    k = make_projection(join_heads(*weights.w_k, weights.out_in), weights.b_k);
    v = make_projection(join_heads(*weights.w_v, weights.out_in), weights.b_v);
    if (weights.w_o) {
      layer.weights.o = make_projection(output_matrix(*weights.w_o, weights.out_in), weights.b_o);
      check_agree(weights.w_o->pointer, "number of inputs",
                  layer.layout.n_heads * layer.layout.d_value, layer.weights.o.weight.rows());
    }
  }
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
