// Why a query looks at a key: the products of their vectors, dimension by dimension, their sum, and
// what becomes of it until the weight. All numbers are those of the steps of the head.

import {withMinus} from './scales.js';

// What happens to a score, in this order; a head has some of them.
export const kScoreSteps = [
  ['scaled', 'scaled'], ['softcap', 'after softcap'], ['alibi', 'after ALiBi'],
  ['bias', 'after bias'], ['temperature', 'after temperature'], ['masked', 'after mask'],
];
const kLargestError = 1e-4; // of a sum, for each unit of what is summed: floats have seven digits

function lastStep(steps, names) {
  return names.map((name) => steps.find((step) => step.name === name)).find(Boolean) || null;
}

// {queries, keys, scores, later: [{step, title}], weights}; null where the head has no vectors of
// queries and keys.
export function pairParts(head) {
  const {steps} = head;
  const queries = lastStep(steps, ['rotated-queries', 'normed-queries', 'queries']);
  const keys = lastStep(steps, ['rotated-keys', 'normed-keys', 'keys']);
  const scores = lastStep(steps, ['scores']);
  const weights = lastStep(steps, ['weights']);
  if (!queries || !keys || !scores || !weights) return null;
  const later = kScoreSteps.map(([name, title]) => ({step: lastStep(steps, [name]), title}))
      .filter(({step}) => step);
  return {queries, keys, scores, later, weights};
}

function productsOf(q, k) {
  return q.map((value, d) => (value === null || k[d] === null ? null : value * k[d]));
}

// What the query at `q` makes of each key: {vector, rows, largest, vectorLargest, error}. `error` is
// the largest difference between a sum of products and the score of its step, 0 within rounding.
export function pairRows(parts, q) {
  const vector = parts.queries.values[q];
  const out = {vector, rows: [], largest: 0, vectorLargest: 0, error: 0};
  const sizeOf = (numbers) => Math.max(0, ...numbers.map((value) => Math.abs(value ?? 0)));
  parts.keys.values.forEach((key, k) => {
    const products = productsOf(vector, key);
    const isKnown = products.every((value) => value !== null);
    const sum = isKnown ? products.reduce((a, b) => a + b, 0) : null;
    const score = parts.scores.values[q][k];
    const room = kLargestError * (1 + products.reduce((a, b) => a + Math.abs(b ?? 0), 0));
    if (isKnown && score !== null && Math.abs(sum - score) > room) {
      out.error = Math.max(out.error, Math.abs(sum - score));
    }
    out.largest = Math.max(out.largest, sizeOf(products));
    out.vectorLargest = Math.max(out.vectorLargest, sizeOf(key), sizeOf(vector));
    out.rows.push({k, key, products, sum, score,
      later: parts.later.map(({step}) => step.values[q][k]), weight: parts.weights.values[q][k]});
  });
  return out;
}

// The pair to show: the one the reader chose, else the head's own, else the strongest of a query.
export function shownPair(head, parts, {q, k}) {
  const nQueries = parts.queries.values.length;
  const nKeys = parts.keys.values.length;
  const query = q !== null && q < nQueries ? q : head.pair.query;
  if (k !== null && k < nKeys) return {q: query, k};
  if (query === head.pair.query) return {q: query, k: head.pair.key};
  const weights = parts.weights.values[query];
  let strongest = 0;
  weights.forEach((weight, i) => {
    if (weight > weights[strongest]) strongest = i;
  });
  return {q: query, k: strongest};
}

// Which steps the numbers are from, and whether the sums are their scores.
export function pairNote(parts, steps, error) {
  const place = (step) => `step ${steps.indexOf(step) + 1} (${step.title})`;
  const sums = error > 0 ? 'differ from the scores of' : 'add up to q · k, the score of';
  const by = error > 0 ? ` by up to ${withMinus(error.toPrecision(2))}` : '';
  return `q is a row of ${place(parts.queries)}, k one of ${place(parts.keys)}. Their products, ` +
      `one for each dimension, ${sums} ${place(parts.scores)}${by}; what follows is in the order ` +
      'of the steps. Point at a key, or choose it, to see its k.';
}
