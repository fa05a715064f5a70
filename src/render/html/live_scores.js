// The scores and the label of a head, by the formulas of docs/scores.md and in the names of
// summary.json. All tokens may attend to all others, and each is at its own place in the sequence.

// A mean over the rows that have a value; null without any.
class RowMean {
  constructor() {
    this.sum = 0;
    this.rows = 0;
  }
  add(value) {
    this.sum += value;
    ++this.rows;
  }
  value() {
    return this.rows > 0 ? this.sum / this.rows : null;
  }
}

const kMeanNames = [
  'entropy', 'normalised_entropy', 'effective_keys', 'confidence', 'distance', 'signed_distance',
  'previous', 'self', 'next', 'first_token', 'special', 'punctuation', 'duplicate', 'induction',
];

// What the scores need to know of the tokens: places of special tokens and of punctuation, and for
// each token the places where it occurred before.
export function traitsOf(tokens, isSpecial, isPunctuation) {
  const seen = new Map();
  const traits = {special: [], punctuation: [], earlier: []};
  tokens.forEach((token, i) => {
    if (isSpecial(token)) traits.special.push(i);
    if (isPunctuation(token)) traits.punctuation.push(i);
    const places = seen.get(token) || [];
    traits.earlier.push(places);
    seen.set(token, [...places, i]);
  });
  return traits;
}

function rowSums(row, position) {
  const sums = {total: 0, entropy: 0, distance: 0, offset: 0, argmax: 0};
  row.forEach((weight, j) => {
    sums.total += weight;
    if (weight > 0) sums.entropy -= weight * Math.log(weight);
    sums.distance += weight * Math.abs(j - position);
    sums.offset += weight * (position - j);
    if (weight > row[sums.argmax]) sums.argmax = j;
  });
  return sums;
}

function addShare(mean, row, keys, total) {
  const within = keys.filter((key) => key < row.length);
  if (within.length > 0) mean.add(within.reduce((sum, key) => sum + row[key], 0) / total);
}

function addRow(means, row, position, traits) {
  const sums = rowSums(row, position);
  means.entropy.add(sums.entropy);
  means.effective_keys.add(Math.exp(sums.entropy));
  if (row.length >= 2) means.normalised_entropy.add(sums.entropy / Math.log(row.length));
  means.confidence.add(row[sums.argmax]);
  means.distance.add(sums.distance / sums.total);
  means.signed_distance.add(sums.offset / sums.total);
  if (position > 0) means.previous.add(row[position - 1]);
  means.self.add(row[position]);
  if (position + 1 < row.length) means.next.add(row[position + 1]);
  if (position > 0) means.first_token.add(row[0]);
  addShare(means.special, row, traits.special, sums.total);
  addShare(means.punctuation, row, traits.punctuation, sums.total);
  const earlier = traits.earlier[position];
  addShare(means.duplicate, row, earlier, sums.total);
  addShare(means.induction, row, earlier.map((key) => key + 1), sums.total);
  return sums;
}

// The largest share of rows whose largest weight stands at one offset.
function positionalShare(offsets) {
  const counts = new Map();
  for (const offset of offsets) counts.set(offset, (counts.get(offset) || 0) + 1);
  return Math.max(...counts.values()) / offsets.length;
}

function largestColumnMean(weights, n) {
  let largest = 0;
  for (let j = 0; j < n; ++j) {
    let sum = 0;
    for (let i = 0; i < n; ++i) sum += weights[i * n + j];
    largest = Math.max(largest, sum / n);
  }
  return largest;
}

// sum of A on some keys / sum of A, over all rows; null where no row has such a key.
function ratioOnEarlier(weights, n, traits, shift) {
  let part = 0;
  let whole = 0;
  traits.earlier.forEach((earlier, i) => {
    for (const key of earlier) if (key + shift < n) part += weights[i * n + key + shift];
    for (let j = 0; j < n; ++j) whole += weights[i * n + j];
  });
  return traits.earlier.some((earlier) => earlier.length > 0) ? part / whole : null;
}

// `weights`: n x n of one head.
export function scoresOf(weights, n, traits) {
  const means = Object.fromEntries(kMeanNames.map((name) => [name, new RowMean()]));
  const offsets = [];
  for (let i = 0; i < n; ++i) {
    offsets.push(addRow(means, weights.subarray(i * n, (i + 1) * n), i, traits).argmax - i);
  }
  const scores = Object.fromEntries(kMeanNames.map((name) => [name, means[name].value()]));
  scores.positional = positionalShare(offsets);
  scores.sink = largestColumnMean(weights, n);
  scores.tl_duplicate = ratioOnEarlier(weights, n, traits, 0);
  scores.tl_induction = ratioOnEarlier(weights, n, traits, 1);
  return scores;
}

// The name whose score is furthest above its threshold; "mixed" where none is. `thresholds`:
// [[name, value]]; of equal ones the earlier wins.
export function labelOf(scores, thresholds, firstIsSpecial) {
  const excess = (name, threshold) => {
    const score = scores[name === 'uniform' ? 'normalised_entropy' : name];
    return score === null || score === undefined ? null : (score - threshold) / (1 - threshold);
  };
  let candidates = thresholds
    .map(([name, threshold]) => ({name, excess: excess(name, threshold)}))
    .filter((candidate) => candidate.excess !== null);
  const first = candidates.find(({name}) => name === 'first_token');
  if (firstIsSpecial && first !== undefined && first.excess > 0) {
    candidates = candidates.filter(({name}) => name !== 'special');
  }
  if (candidates.length === 0) return '';
  const best = candidates.reduce((a, b) => (b.excess > a.excess ? b : a));
  return best.excess > 0 ? best.name : 'mixed';
}
