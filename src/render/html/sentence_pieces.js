// A text cut into its tokens, and what colours them.

import {cellOf, isPooled, pools, rememberedFor, weightsOf} from './head_maps.js';

// `spans` are [start, end) of each token in `text`, in UTF-16 units; a token that has no place
// there (a special one) has null or an empty span. Returns [{text, token}], in reading order; what
// lies between tokens has token null. A token whose letters belong to an earlier one, or that has
// no place, stands there by its own name.
export function sentencePieces(text, spans, tokens) {
  const pieces = [];
  let at = 0;
  tokens.forEach((name, token) => {
    const span = spans[token];
    const start = span ? Math.max(span[0], at) : at;
    const end = span ? Math.min(span[1], text.length) : at;
    if (!span || end <= start) {
      pieces.push({text: name, token, isName: true});
      return;
    }
    if (start > at) pieces.push({text: text.slice(at, start), token: null});
    pieces.push({text: text.slice(start, end), token});
    at = end;
  });
  if (at < text.length) pieces.push({text: text.slice(at), token: null});
  return pieces;
}

// Spaces belong between tokens, not into coloured boxes, where the text has them before a word.
export function trimmedPieces(pieces) {
  const out = [];
  for (const piece of pieces) {
    const lead = piece.token === null || piece.isName ? '' : /^\s*/.exec(piece.text)[0];
    if (lead === '' || lead.length === piece.text.length) {
      out.push(piece);
      continue;
    }
    out.push({text: lead, token: null}, {...piece, text: piece.text.slice(lead.length)});
  }
  return out;
}

// The pieces of one side of an input: its text where its tokens have places there, else their names.
export function piecesOfSide(side, input) {
  const tokens = side === 'query' ? input.queryTokens : input.keyTokens;
  const spans = side === 'query' ? input.queryWords : input.keyWords;
  const text = side === 'query' ? input.text : input.keyText ?? input.text;
  const usesText = typeof text === 'string' && Array.isArray(spans) &&
      spans.length === tokens.length;
  return usesText ? trimmedPieces(sentencePieces(text, spans, tokens)) :
    tokens.map((name, token) => ({text: name, token, isName: true, isApart: true}));
}

// The pieces from the first of some tokens to the last of them.
export function piecesWithin(pieces, first, end) {
  const isWithin = ({token}) => token !== null && token >= first && token < end;
  const start = pieces.findIndex(isWithin);
  if (start < 0) return [];
  let last = pieces.length - 1;
  while (!isWithin(pieces[last])) --last;
  return pieces.slice(start, last + 1).filter((piece) => piece.token === null || isWithin(piece));
}

export function isSelfAttention(input) {
  const {queryTokens: q, keyTokens: k} = input;
  return !input.cross && q.length === k.length && q.every((token, i) => token === k[i]);
}

// The mean weight that each key gets, over the rows that may attend to something: what colours the
// sentence before a token is chosen.
export function meanOfColumns(map) {
  const pool = pools(map);
  const out = new Float32Array(pool.colStart + map.cols * pool.col).fill(NaN);
  for (let c = 0; c < map.cols; ++c) {
    let sum = 0;
    let count = 0;
    for (let r = 0; r < map.rows; ++r) {
      const at = r * map.cols + c;
      if (map.masked && map.masked[at]) continue;
      if (!Number.isFinite(map.values[at])) continue;
      sum += map.values[at];
      count += 1;
    }
    const at = pool.colStart + c * pool.col;
    if (count > 0) out.fill(sum / count, at, at + pool.col);
  }
  return out;
}

const keptMeans = rememberedFor(meanOfColumns);

// The weights that colour the sentence: {weights, side, token} where `side` is the one that
// is coloured ("key" or "query") and `token` the chosen one of the other side, or null.
export function sentenceWeights(one, state, preview = null) {
  const direction = preview ? preview.direction : state.direction;
  const token = preview ? preview.token : direction === 'to' ? state.k : state.q;
  const side = direction === 'to' ? 'query' : 'key';
  if (token === null || token === undefined) {
    return {weights: keptMeans(one.map, 0), side: 'key', token: null, direction};
  }
  const weights = weightsOf(one.map, direction, token);
  if (one.sharp && isPooled(one.map)) {
    for (let i = 0; i < weights.length; ++i) {
      const cell = direction === 'to' ? cellOf(one.sharp, i, token) : cellOf(one.sharp, token, i);
      if (cell) weights[i] = cell.state ? NaN : cell.value;
    }
  }
  return {weights, side, token, direction};
}
