// Patches of a picture: which key is where, what colours it, what choosing one means.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {keyAtPoint, layoutGrid} from '../../../src/render/html/grid_figure.js';
import {chooseKey, greyPixels, gridCaption, gridColors, gridWeights, keyName, keyPaint,
  patchGridOf, patchKey, patchPlace, previewOfKey, strongestPatches, withPatchNames
} from '../../../src/render/html/grid_model.js';
import {defaultState, formatHash, parseHash} from '../../../src/render/html/state.js';

// CLS and 2 x 3 patches; row i gives 0.4 to key i and 0.1 to every other one.
const kTokens = ['[CLS]', '1', '2', '3', '4', '5', '6'];
const kReport = {grid: {rows: 2, cols: 3, prefix: 1, picture: null}};
const kInput = {queryTokens: kTokens, keyTokens: kTokens, cross: false};

function headOf(rows, masked = []) {
  const cols = rows[0].length;
  const mask = new Uint8Array(rows.length * cols);
  for (const [r, c, state] of masked) mask[r * cols + c] = state;
  return {name: 'L0H0', map: {rows: rows.length, cols, values: Float32Array.from(rows.flat()),
    masked: mask, exact: true, step: 0, rowStart: 0, colStart: 0}, sharp: null};
}

const kHead = headOf(kTokens.map((_, q) => kTokens.map((__, k) => (q === k ? 0.4 : 0.1))));
const kPaint = {table: Uint8Array.from({length: 768}, (_, i) => Math.floor(i / 3)),
  theme: {masked: [1, 1, 1], missing: [2, 2, 2], nonFinite: [3, 3, 3]},
  colors: {kind: 'linear', low: 0, high: 0.4}, firstCol: 0, showMask: true};

test('a grid holds where the keys are as many, and nowhere else', () => {
  const grid = patchGridOf(kReport, kInput);
  assert.equal(grid.shift, 0);
  assert.equal(grid.nKeys, 7);
  assert.equal(patchGridOf(kReport, {...kInput, keyTokens: kTokens.slice(1)}), null);
  assert.equal(patchGridOf({}, kInput), null);
  assert.equal(patchGridOf(kReport, {...kInput, cross: true}).shift, null);
});

test('patches stand row by row behind the other tokens', () => {
  const grid = patchGridOf(kReport, kInput);
  assert.equal(patchPlace(grid, 0), null);
  assert.deepEqual(patchPlace(grid, 1), [0, 0]);
  assert.deepEqual(patchPlace(grid, 6), [1, 2]);
  assert.equal(patchKey(grid, 1, 2), 6);
  assert.equal(patchKey(grid, -5, 99), 3);
});

test('patches without names are called by their places', () => {
  const named = withPatchNames(kReport, kInput);
  assert.deepEqual(named.keyTokens, ['[CLS]', '0,0', '0,1', '0,2', '1,0', '1,1', '1,2']);
  assert.deepEqual(named.queryTokens, named.keyTokens);
  assert.equal(withPatchNames({}, kInput), kInput);
  const words = {...kInput, keyTokens: kTokens.map((token) => `w${token}`)};
  assert.deepEqual(withPatchNames(kReport, words).keyTokens, words.keyTokens);
  const grid = patchGridOf(kReport, kInput);
  assert.equal(keyName(grid, kInput, 6), 'patch 1,2');
  assert.equal(keyName(grid, kInput, 0), '[CLS]');
  assert.equal(keyName(grid, {...kInput, keyTokens: ['0']}, 0), 'token 0');
});

test('the chosen query colours the keys, and its own patch is marked', () => {
  const grid = patchGridOf(kReport, kInput);
  const found = gridWeights(grid, kHead, {...defaultState, q: 5});
  assert.equal(found.marked, 5);
  assert.deepEqual([...found.byKey].map((x) => Number(x.toFixed(2))),
      [0.1, 0.1, 0.1, 0.1, 0.1, 0.4, 0.1]);
  assert.equal(gridCaption(grid, kHead, kInput, found), 'L0H0: where patch 1,1 attends to');
  assert.match(strongestPatches(grid, found, 2), /^1,1 \(0\.4\), 0,0 \(0\.1\)$/);
  const to = gridWeights(grid, kHead, {...defaultState, direction: 'to', k: 0});
  assert.equal(gridCaption(grid, kHead, kInput, to), 'L0H0: what attends to [CLS]');
  assert.equal(to.marked, 0);
  const mean = gridWeights(grid, kHead, defaultState);
  assert.equal(mean.marked, null);
  assert.equal(gridCaption(grid, kHead, kInput, mean), 'L0H0: the mean weight of each patch');
});

test('where the queries are the last tokens alone, earlier keys ask nothing', () => {
  const input = {...kInput, queryTokens: ['5', '6']};
  const grid = patchGridOf(kReport, input);
  assert.equal(grid.shift, 5);
  const head = headOf([kTokens.map((_, k) => k / 21), kTokens.map((_, k) => (6 - k) / 21)]);
  const found = gridWeights(grid, head, {...defaultState, q: 1});
  assert.equal(found.marked, 6);
  assert.equal(Number((found.byKey[0] * 21).toFixed(3)), 6);
  const to = gridWeights(grid, head, {...defaultState, direction: 'to', k: 2});
  assert.ok(Number.isNaN(to.byKey[4]));
  assert.equal(Number((to.byKey[5] * 21).toFixed(3)), 2);
  assert.equal(keyPaint(grid, head, to, 4, kPaint), null);
  assert.deepEqual(chooseKey(grid, defaultState, 5), {q: 0, direction: 'from'});
  assert.deepEqual(chooseKey(grid, defaultState, 2), {k: 2, direction: 'to'});
});

test('words that ask keep the patches when a patch is chosen', () => {
  const input = {queryTokens: ['a', 'house'], keyTokens: kTokens, cross: true};
  const grid = patchGridOf(kReport, input);
  const head = headOf([kTokens.map(() => 1 / 7), kTokens.map((_, k) => (k === 4 ? 1 : 0))]);
  const word = gridWeights(grid, head, {...defaultState, q: 1});
  assert.equal(word.marked, null);
  assert.equal(gridCaption(grid, head, input, word), 'L0H0: where “house” (1) attends to');
  const patch = gridWeights(grid, head, {...defaultState, direction: 'to', k: 4});
  assert.equal(patch.marked, 4);
  assert.equal(patch.token, null);
  assert.ok(patch.byKey[4] > patch.byKey[3]);
});

test('colours are scaled by the patches, never by the tokens in front', () => {
  const grid = patchGridOf(kReport, kInput);
  const sink = headOf(kTokens.map(() => [0.9, 0.05, 0.01, 0.01, 0.01, 0.01, 0.01]));
  const state = {...defaultState, q: 3};
  const founds = [sink, kHead].map((one) => gridWeights(grid, one, state));
  const highs = (more) => gridColors(grid, founds, {...state, ...more}, 0)
      .map(({high}) => Number(high.toFixed(2)));
  assert.deepEqual(highs({}), [0.4, 0.4]);
  assert.deepEqual(highs({range: 'head'}), [0.05, 0.4]);
  assert.deepEqual(highs({norm: 'row'}), [0.05, 0.4]);
  assert.deepEqual(highs({range: 'one'}), [1, 1]);
});

test('the larger a weight, the stronger lies its colour over the picture', () => {
  const grid = patchGridOf(kReport, kInput);
  const head = headOf(kTokens.map(() => [0, 0.4, 0.2, 0, NaN, Infinity, 0]), [[0, 6, 1]]);
  const found = gridWeights(grid, head, {...defaultState, q: 0});
  const paint = (key, more = {}) => keyPaint(grid, head, found, key, {...kPaint, ...more});
  const opacity = (key) => Number(paint(key).opacity.toFixed(3));
  assert.equal(opacity(1), 0.9);
  assert.equal(opacity(2), 0.6);
  assert.equal(opacity(3), 0.3);
  assert.deepEqual(paint(1).color, [255, 255, 255]);
  assert.deepEqual(paint(4).color, kPaint.theme.missing);
  assert.deepEqual(paint(5).color, kPaint.theme.nonFinite);
  assert.deepEqual(paint(6).color, kPaint.theme.masked);
  assert.deepEqual(paint(6, {showMask: false}).color, [0, 0, 0]);
  assert.equal(paint(0, {firstCol: 1}), null);
});

test('a second choice lets go, and pointing previews only before a choice', () => {
  const grid = patchGridOf(kReport, kInput);
  assert.deepEqual(chooseKey(grid, defaultState, 6), {q: 6, direction: 'from'});
  assert.deepEqual(chooseKey(grid, {...defaultState, q: 6}, 6), {q: null, k: null});
  assert.deepEqual(chooseKey(grid, {...defaultState, direction: 'to'}, 6),
      {k: 6, direction: 'to'});
  assert.deepEqual(previewOfKey(grid, defaultState, 2), {direction: 'from', token: 2});
  assert.equal(previewOfKey(grid, {...defaultState, q: 1}, 2), null);
  assert.equal(previewOfKey(grid, defaultState, null), null);
});

test('the picture is grey and paler', () => {
  const pixels = greyPixels(Uint8ClampedArray.of(0, 0, 0, 255, 255, 255, 255, 255));
  assert.deepEqual([...pixels], [63, 63, 63, 255, 255, 255, 255, 255]);
});

test('a place of the figure is its patch, and patches are whole pixels', () => {
  const grid = {...patchGridOf(kReport, kInput), picture: {width: 300, height: 200}};
  const model = {grid, colors: {kind: 'linear', low: 0, high: 1}, barTitle: 'attention weight'};
  const layout = layoutGrid(model, {width: 500, height: 400, dpr: 1}, (text, px) =>
    text.length * px * 0.6);
  const {area, cell} = layout;
  assert.equal(cell.width % 1, 0);
  assert.equal(cell.height % 1, 0);
  assert.ok(layout.width <= 500 && layout.height <= 400);
  assert.ok(Math.abs(area.width / area.height - 1.5) < 0.02);
  assert.equal(keyAtPoint(grid, layout, area.x + 1, area.y + 1), 1);
  assert.equal(keyAtPoint(grid, layout, area.x + area.width - 1, area.y + area.height - 1), 6);
  assert.equal(keyAtPoint(grid, layout, area.x - 1, area.y + 1), null);
  assert.equal(keyAtPoint(grid, layout, area.x + area.width + 1, area.y + 1), null);
});

test('a link says that the picture is shown without weights', () => {
  const state = {...defaultState, heads: ['L0H1'], view: 'head', q: 5, overlay: false};
  assert.deepEqual({...defaultState, ...parseHash(formatHash(state))}, state);
  assert.equal(formatHash(state), '#L0H1,q=5,overlay=0');
});
