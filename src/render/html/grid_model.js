// Keys that are patches of a picture: where each stands, what colours it, what choosing it means.
// The rules of colours are those of src/render/overlay.cpp and src/cli/grid_overlay.cpp.

import {colorAt} from './colors.js';
import {cellOf, kCellMasked, kCellMissing, topWeights} from './head_maps.js';
import {quotedToken} from './head_model.js';
import {exactText, makeValueScale, withMinus} from './scales.js';
import {sentenceWeights} from './sentence_pieces.js';

// How strongly the colour of a weight lies over the picture, from none to the largest.
const kFaintestColor = 0.3;
const kStrongestColor = 0.9;
const kPalerPicture = 0.25;  // of the grey picture towards white

// The patches of an input, or null where its keys are none: a typed sentence has another length.
// `shift` is how many keys stand before those of the queries; null where no query is a key.
export function patchGridOf(report, input) {
  const {grid} = report;
  if (!grid) return null;
  const nKeys = input.keyTokens.length;
  if (nKeys !== grid.prefix + grid.rows * grid.cols) return null;
  const shift = nKeys - input.queryTokens.length;
  return {rows: grid.rows, cols: grid.cols, prefix: grid.prefix, picture: grid.picture || null,
    nKeys, shift: input.cross || shift < 0 ? null : shift};
}

export function queryOfKey(grid, key) {
  return grid.shift === null || key < grid.shift ? null : key - grid.shift;
}

function keyOfQuery(grid, query) {
  return grid.shift === null ? null : query + grid.shift;
}

// [row, column] of a key that is a patch, else null.
export function patchPlace(grid, key) {
  if (key < grid.prefix) return null;
  return [Math.floor((key - grid.prefix) / grid.cols), (key - grid.prefix) % grid.cols];
}

// The key at a place; places beyond the edge are those at the edge.
export function patchKey(grid, row, col) {
  const within = (at, count) => Math.min(Math.max(at, 0), count - 1);
  return grid.prefix + within(row, grid.rows) * grid.cols + within(col, grid.cols);
}

// The input with patches named by their places where they have no names but their numbers.
export function withPatchNames(report, input) {
  const grid = patchGridOf(report, input);
  if (!grid) return input;
  const named = (tokens, shift) => tokens.map((token, i) => {
    const place = patchPlace(grid, i + shift);
    return place && token === String(i) ? place.join() : token;
  });
  return {...input, keyTokens: named(input.keyTokens, 0),
    queryTokens: grid.shift === null ? input.queryTokens : named(input.queryTokens, grid.shift)};
}

// "patch 3,5"; other tokens by their text, where that says more than their number.
export function keyName(grid, input, key) {
  const place = patchPlace(grid, key);
  if (place) return `patch ${place.join()}`;
  const text = input.keyTokens[key] ?? '';
  return text === String(key) ? `token ${key}` : quotedToken(text);
}

// The weights of one head on the keys: {byKey, token, direction, side, marked}. `token` is null
// where none is chosen, and the weights are the mean of each key; `marked` is the chosen key.
export function gridWeights(grid, one, state, preview = null) {
  let found = sentenceWeights(one, state, preview);
  let marked = found.direction === 'to' ? found.token :
    found.token === null ? null : keyOfQuery(grid, found.token);
  // What attends to a patch are words here: the patches keep their means.
  if (found.side === 'query' && grid.shift === null) {
    found = sentenceWeights(one, {...state, direction: 'from', q: null});
  }
  if (marked !== null && marked >= grid.nKeys) marked = null;
  const byKey = new Float32Array(grid.nKeys).fill(NaN);
  for (let key = 0; key < grid.nKeys; ++key) {
    const at = found.side === 'key' ? key : queryOfKey(grid, key);
    if (at !== null && at < found.weights.length) byKey[key] = found.weights[at];
  }
  return {byKey, token: found.token, direction: found.direction, side: found.side, marked};
}

function largestOnPatches(grid, found, firstCol) {
  let largest = 0;
  const first = Math.max(grid.prefix, found.side === 'key' ? firstCol : 0);
  for (let key = first; key < grid.nKeys; ++key) {
    if (Number.isFinite(found.byKey[key])) largest = Math.max(largest, found.byKey[key]);
  }
  return largest;
}

// The scale of each head's colours. As in the pictures of files the patches alone count: what a
// query gives to CLS would make all of them pale.
export function gridColors(grid, founds, state, firstCol) {
  const own = founds.map((found) => largestOnPatches(grid, found, firstCol));
  const common = Math.max(...own, 0);
  return own.map((largest) => {
    const isOwn = state.norm === 'row' || state.range === 'head';
    const high = isOwn ? largest : state.range === 'one' ? 1 : common;
    return {kind: state.scale, low: 0, high: high > 0 ? high : 1};
  });
}

// 0, kCellMasked or kCellMissing; null where the key asks nothing and is asked for.
function keyState(grid, one, found, key) {
  if (found.token === null) return Number.isNaN(found.byKey[key]) ? kCellMasked : 0;
  const at = found.side === 'key' ? key : queryOfKey(grid, key);
  if (at === null) return null;
  for (const map of [one.sharp, one.map]) {
    const cell = map && (found.side === 'key' ? cellOf(map, found.token, at) :
      cellOf(map, at, found.token));
    if (cell) return cell.state || (Number.isNaN(cell.value) ? kCellMissing : 0);
  }
  return null;
}

// {color, opacity} of a key, or null for one that is left out. `paint` is {table, theme, colors,
// firstCol, showMask}.
export function keyPaint(grid, one, found, key, paint) {
  const state = keyState(grid, one, found, key);
  if (state === null || (found.side === 'key' && key < paint.firstCol)) return null;
  const value = found.byKey[key];
  if (state === kCellMissing) return {color: paint.theme.missing, opacity: kStrongestColor};
  if (state === kCellMasked && paint.showMask) {
    return {color: paint.theme.masked, opacity: kStrongestColor};
  }
  if (!state && !Number.isFinite(value)) {
    return {color: paint.theme.nonFinite, opacity: kStrongestColor};
  }
  const position = state ? 0 : makeValueScale(paint.colors).position(value);
  return {color: colorAt(paint.table, position),
    opacity: kFaintestColor + (kStrongestColor - kFaintestColor) * position};
}

export function weightText(one, found, key) {
  const value = found.byKey[key];
  if (Number.isNaN(value)) return 'masked';
  return exactText(value, one.map.exact, one.map.step);
}

// "L1H3: where patch 3,5 attends to".
export function gridCaption(grid, one, input, found) {
  if (found.token === null) {
    return found.marked === null ? `${one.name}: the mean weight of each patch` :
      `${one.name}: the mean weight of each patch; ${keyName(grid, input, found.marked)} is chosen`;
  }
  const key = found.direction === 'to' ? found.token : keyOfQuery(grid, found.token);
  const name = key === null ?
    `“${quotedToken(input.queryTokens[found.token] ?? '')}” (${found.token})` :
    keyName(grid, input, key);
  return found.direction === 'to' ? `${one.name}: what attends to ${name}` :
    `${one.name}: where ${name} attends to`;
}

// "3,5 (0.210), 4,5 (0.180)": the patches with the largest weights.
export function strongestPatches(grid, found, count) {
  return topWeights(found.byKey, count, 0, grid.prefix).map((key) =>
    `${patchPlace(grid, key).join()} (${withMinus(Number(found.byKey[key].toPrecision(2)))})`).join(', ');
}

// What choosing a key changes. It is the query where it can be one and the direction is "from"; the
// chosen one is let go.
export function chooseKey(grid, state, key) {
  const query = queryOfKey(grid, key);
  const to = state.direction === 'to' || query === null;
  const again = to ? state.direction === 'to' && state.k === key : state.q === query;
  if (again) return {q: null, k: null};
  return to ? {k: key, direction: 'to'} : {q: query, direction: 'from'};
}

// What pointing at a key shows before one is chosen.
export function previewOfKey(grid, state, key) {
  if (key === null || (state.direction === 'to' ? state.k : state.q) !== null) return null;
  const query = queryOfKey(grid, key);
  return state.direction === 'to' || query === null ? {direction: 'to', token: key} :
    {direction: 'from', token: query};
}

// RGBA to grey, and paler: the colours of weights must stand out. Changes the pixels.
export function greyPixels(pixels) {
  for (let i = 0; i < pixels.length; i += 4) {
    const bright = 0.299 * pixels[i] + 0.587 * pixels[i + 1] + 0.114 * pixels[i + 2];
    pixels[i] = pixels[i + 1] = pixels[i + 2] =
        Math.floor(bright + (255 - bright) * kPalerPicture);
  }
  return pixels;
}
