// The steps of every head for a sentence that was typed, from what the model in the page computed:
// the same document as the program writes for the file's own sentence (src/cli/steps_json.cpp).

import {liveArithmetic} from './live_arithmetic.js';
import {kLiveStepTexts} from './live_step_texts.js';

const kEnoughWeight = 0.1; // of the largest weight off the diagonal

// Columns [first, first + count) of rows that are `width` wide.
function rowsOf(numbers, width, first = 0, count = width) {
  return Array.from({length: numbers.length / width}, (_, r) =>
    Array.from(numbers.subarray(r * width + first, r * width + first + count)));
}

function transposed(rows) {
  return rows[0].map((_, c) => rows.map((row) => row[c]));
}

// A checkpoint has a row for each output; the slice of a head has a column for each.
function weightSlice({weight}, {dModel, first, dHead}) {
  return transposed(rowsOf(weight.subarray(first * dModel, (first + dHead) * dModel), dModel));
}

function liveValues(layer, facts) {
  const {parts} = layer;
  const {head, first, dHead, dModel, n} = facts;
  const ofHead = (numbers) => rowsOf(numbers, dModel, first, dHead);
  const [queries, keys] = [ofHead(layer.q), ofHead(layer.k)];
  const scores = queries.map((q) => keys.map((k) =>
    q.reduce((sum, value, d) => sum + value * k[d], 0)));
  const scale = 1 / Math.sqrt(dHead);
  return {
    input: rowsOf(layer.input, dModel),
    'query-weights': weightSlice(parts.q, facts),
    'key-weights': weightSlice(parts.k, facts),
    'value-weights': weightSlice(parts.v, facts),
    queries,
    keys,
    values: ofHead(layer.v),
    scores,
    scaled: scores.map((row) => row.map((score) => score * scale)),
    weights: rowsOf(layer.weights[head], n),
    'head-output': ofHead(layer.mixed),
    concat: rowsOf(layer.mixed, dModel),
    'output-weights': transposed(rowsOf(parts.o.weight, dModel)),
    output: rowsOf(layer.output, dModel),
  };
}

// The pair to follow, as the program finds it (telling_pair of src/analysis/walk_pair.cpp): the
// largest weight between two tokens that are neither one and the same nor special.
export function tellingPair(weights, n, isSpecial) {
  const best = {any: -1, apart: -1, telling: -1};
  const take = (kind, at) => {
    if (weights[at] > (best[kind] < 0 ? 0 : weights[best[kind]])) best[kind] = at;
  };
  for (let q = 0, at = 0; q < n; ++q) {
    for (let k = 0; k < n; ++k, ++at) {
      take('any', at);
      if (q !== k) take('apart', at);
      if (q !== k && !isSpecial[q] && !isSpecial[k]) take('telling', at);
    }
  }
  const {any, apart, telling} = best;
  const isEnough = telling >= 0 && weights[telling] >= kEnoughWeight * weights[apart];
  const at = Math.max(isEnough ? telling : apart >= 0 ? apart : any, 0);
  return {query: Math.floor(at / n), key: at % n};
}

function liveHeadSteps(layer, facts, pair, tokens) {
  const values = liveValues(layer, facts);
  const worked = liveArithmetic(values, facts, pair, tokens);
  return kLiveStepTexts.map(([name, title, textsOf]) => {
    const {formula, sentence, shape} = textsOf({...facts, query: tokens[pair.query]});
    const rows = values[name];
    return {name, title, formula, sentence, worked: worked[name], values: rows,
      shape: {rows: shape[0], n_rows: rows.length, cols: shape[1], n_cols: rows[0].length}};
  });
}

// `layers` as run() of live_model.js gives them; `isSpecial`: a flag for each token. The numbers of a
// head are put together when somebody looks at it.
export function createLiveSteps({nHeads, dModel}, layers, tokens, isSpecial) {
  const n = tokens.length;
  const dHead = dModel / nHeads;
  const headOf = (layer, l, head) => {
    const first = head * dHead;
    const facts = {head, first, last: first + dHead - 1, dHead, dModel, nHeads, n,
      outputBias: layer.parts.o.bias};
    const pair = tellingPair(layer.weights[head], n, isSpecial);
    let steps = null;
    return {
      head: `L${l}H${head}`,
      n_heads: nHeads,
      pair,
      get steps() {
        if (steps === null) steps = liveHeadSteps(layer, facts, pair, tokens);
        return steps;
      },
    };
  };
  const walked = layers.flatMap((layer, l) => layer.weights.map((_, h) => headOf(layer, l, h)));
  return {heads: walked.map((head) => head.head), load: async () => walked};
}
