// The arithmetic of one pair of tokens through the steps of a typed sentence, in the words of the
// program (src/cli/step_arithmetic.cpp). A test compares both.

import {withMinus} from './scales.js';

const kTermsShown = 3;
const kWorthSaying = 0.01; // of the largest term of a sum

// "0.93", "−12.40", "1.0e−03".
export function shortNumber(value) {
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  if (size !== 0 && (size < 0.005 || size >= 100000)) {
    return sign + withMinus(size.toExponential(1).replace(/e([+-])(\d)$/, 'e$10$2'));
  }
  const text = size.toFixed(size < 1000 ? 2 : 0);
  return (text === '0.00' ? '' : sign) + text;
}

function bracketed(value) {
  return value < 0 ? `(${shortNumber(value)})` : shortNumber(value);
}

function plusText(value) {
  return `${value < 0 ? '−' : '+'} ${shortNumber(Math.abs(value))}`;
}

// {largest: [{index, a, b}], count, total} of the products of two rows.
function sumOfProducts(a, b) {
  const terms = a.map((value, index) => ({index, a: value, b: b[index]}));
  const size = ({a: x, b: y}) => Math.abs(x * y);
  return {
    largest: [...terms].sort((x, y) => size(y) - size(x)).slice(0, kTermsShown),
    count: terms.length,
    total: terms.reduce((sum, term) => sum + term.a * term.b, 0),
  };
}

function termsText({largest, count}, nameOf) {
  const size = (term) => Math.abs(term.a * term.b);
  const parts = largest.filter((term) => size(term) >= kWorthSaying * size(largest[0]))
      .map((term) => `${bracketed(term.a)}·${bracketed(term.b)}${nameOf(term.index)}`);
  if (count > parts.length) parts.push('…');
  return parts.join(' + ');
}

function largestIndex(numbers) {
  let at = 0;
  numbers.forEach((value, i) => {
    if (Math.abs(value) > Math.abs(numbers[at])) at = i;
  });
  return at;
}

function vectorLine(token, name, row) {
  const order = row.map((_, c) => c).sort((a, b) => Math.abs(row[b]) - Math.abs(row[a]));
  const parts = order.slice(0, kTermsShown).filter((c, i) => i === 0 || row[c] !== 0)
      .map((c) => `${name}[${c}] = ${shortNumber(row[c])}`);
  if (row.length > parts.length) parts.push('…');
  return `${token}: ${parts.join(', ')}`;
}

function scoreLines(q, k, score, names) {
  const sum = sumOfProducts(q, k);
  const isEmpty = sum.largest[0].a * sum.largest[0].b === 0;
  return [`q·k = ${isEmpty ? '' : `${termsText(sum, () => '')} = `}${shortNumber(score)}` +
      `${isEmpty ? ', every product is 0' : ''}`,
  `q of ${names.query}, k of ${names.key}; ${sum.count} ${sum.count === 1 ? 'term' : 'terms'}, ` +
      'largest first'];
}

function softmaxLines(scores, key, weight, names) {
  const largest = Math.max(...scores);
  const sum = scores.reduce((whole, score) => whole + Math.exp(score - largest), 0);
  const power = shortNumber(Math.exp(scores[key] - largest));
  return [`exp(${shortNumber(scores[key])} − ${bracketed(largest)}) = ${power}   ` +
      `(${shortNumber(largest)}: largest of the row)`,
  `${power} / ${shortNumber(sum)} (sum of the row) = ${shortNumber(weight)} of the row of ` +
      names.query];
}

// The column of the output to which the head gives most.
function outputLine(values, facts, {q, names}) {
  const {head, first, last} = facts;
  const part = (c, isOfHead) => values.concat[q].reduce((sum, value, r) =>
    ((r >= first && r <= last) === isOfHead ? sum + value * values['output-weights'][r][c] : sum), 0);
  const column = largestIndex(values.output[q].map((_, c) => part(c, true)));
  const [own, others] = [part(column, true), part(column, false)];
  const bias = facts.outputBias[column];
  const total = own + others + bias;
  return `column ${column} of ${names.query}: ${shortNumber(own)} (head ${head}) ` +
      `${plusText(others)} (the others) ${plusText(bias)} (bias) = ${shortNumber(total)}`;
}

// Lines for each step that has some: name -> [line]. `values`: name -> rows; `facts` as in
// live_steps.js; `pair`: {query, key}.
export function liveArithmetic(values, facts, pair, tokens) {
  const {query: q, key: k} = pair;
  const names = {query: tokens[q], key: tokens[k]};
  const column = largestIndex(values.values[k]);
  const mixed = sumOfProducts(values.weights[q], values.values.map((row) => row[column]));
  const headTotal = shortNumber(mixed.total);
  const at = facts.first + column;
  return {
    input: [`Followed from here on: "${names.query}" (query ${q}) and "${names.key}" (key ${k}).`],
    queries: [vectorLine(names.query, 'q', values.queries[q])],
    keys: [vectorLine(names.key, 'k', values.keys[k])],
    values: [vectorLine(names.key, 'v', values.values[k])],
    scores: scoreLines(values.queries[q], values.keys[k], values.scores[q][k], names),
    scaled: [`${shortNumber(values.scores[q][k])} / √${facts.dHead} = ` +
        shortNumber(values.scaled[q][k])],
    weights: softmaxLines(values.scaled[q], k, values.weights[q][k], names),
    'head-output': [`column ${column} of ${names.query}: ` +
        `${termsText(mixed, (key) => ` (${tokens[key]})`)} = ${headTotal}`],
    concat: [`column ${column} of the head is column ${facts.first} + ${column} = ${at} here: ` +
        `${headTotal} for ${names.query}`],
    output: [outputLine(values, facts, {q, names})],
  };
}
