// What two heads, or the same head of two inputs, have in common, and what is drawn of them.

import {differenceMap, differingTokens, haveOneShape} from './head_maps.js';
import {quotedToken} from './head_model.js';

const kMostNamed = 6;

// "1:L4H11" (input and head) as {input, head}; null for what names nothing here.
export function parseSide(text, report) {
  const parts = /^(?:(\d{1,4}):)?(L\d+(?:H\d+|mean))$/.exec(text || '');
  if (!parts) return null;
  const input = Number(parts[1] || 0);
  const known = report.inputs[input];
  return known && known.heads.some((head) => head.name === parts[2]) ?
    {input, head: parts[2]} : null;
}

export function sideText({input, head}) {
  return `${input}:${head}`;
}

// The sides to compare: those of the state, else one head in both inputs, else two heads.
export function comparedSides(state, report) {
  const a = parseSide(state.a, report);
  const b = parseSide(state.b, report);
  if (a && b) return {a, b};
  const names = (input) => report.inputs[input].heads.map((head) => head.name);
  const first = (state.heads || []).find((name) => names(0).includes(name)) || names(0)[0];
  if (report.inputs.length > 1) {
    const other = names(1).includes(first) ? first : names(1)[0];
    return {a: a || {input: 0, head: first}, b: b || {input: 1, head: other}};
  }
  const second = (state.heads || []).find((name) => name !== first && names(0).includes(name)) ||
      names(0).find((name) => name !== first) || first;
  return {a: a || {input: 0, head: first}, b: b || {input: 0, head: second}};
}

// "3 cat -> dog, 7 the -> a": words that differ, the first few of them.
export function differingText(differing, a, b) {
  const named = differing.slice(0, kMostNamed).map((i) =>
    `${i} ${quotedToken(a[i])} → ${quotedToken(b[i])}`);
  return named.join(', ') + (differing.length > kMostNamed ? ', …' : '');
}

function sidesDiffer(what, a, b) {
  return `A has ${a.length} ${what}, B has ${b.length}: their cells cannot be laid over each ` +
      'other, so there is no difference map.';
}

// Lays two maps over each other: {difference, differingQueries, differingKeys, message}; without
// `difference` where they do not match, and the message says why.
export function alignMaps(a, b) {
  const queries = differingTokens(a.input.queryTokens, b.input.queryTokens);
  const keys = differingTokens(a.input.keyTokens, b.input.keyTokens);
  const out = {difference: null, differingQueries: queries || [], differingKeys: keys || [],
    message: ''};
  if (!keys) return {...out, message: sidesDiffer('keys', a.input.keyTokens, b.input.keyTokens)};
  if (!queries) {
    return {...out, message: sidesDiffer('queries', a.input.queryTokens, b.input.queryTokens)};
  }
  if (!haveOneShape([a.map, b.map])) {
    return {...out, message: 'The two maps are pooled differently, so there is no difference map.'};
  }
  if (keys.length > 0) {
    out.message = `Tokens are laid over each other by position; they differ at ` +
        `${differingText(keys, a.input.keyTokens, b.input.keyTokens)}.`;
  }
  return {...out, difference: differenceMap(a.map, b.map)};
}
