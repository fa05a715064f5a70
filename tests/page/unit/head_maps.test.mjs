import assert from 'node:assert/strict';
import {test} from 'node:test';

import {comparedSides, alignMaps, parseSide} from '../../../src/render/html/difference_model.js';
import {describeCell, firstShownColumn, poolNote} from '../../../src/render/html/head_model.js';
import {meanOfColumns} from '../../../src/render/html/sentence_pieces.js';
import {cellKinds, cellOf, differenceMap, differingTokens, largestValue, mapWindow, maskedRows,
  meanMap, meanName, rowMaxima, strongLinks, topWeights, weightsOf} from
  '../../../src/render/html/head_maps.js';
import {headsAfterClick, headsOfLayer} from '../../../src/render/html/head_strip.js';
import {droppedKeysText} from '../../../src/render/html/view_controls.js';
import {lineOpacity, linesRoom, linksInView, tokenOfY, tokenRowHeight, visibleLinks} from
  '../../../src/render/html/lines_layout.js';

function mapOf(rows, masked = []) {
  const values = Float32Array.from(rows.flat());
  const states = new Uint8Array(values.length);
  for (const i of masked) states[i] = 1;
  return {rows: rows.length, cols: rows[0].length, rowPool: 1, colPool: 1, rowStart: 0,
    colStart: 0, values, masked: states, exact: true, step: 0, window: null};
}
const rounded = (values) => Array.from(values, (x) => Number(x.toFixed(4)));

test('the strongest weights: by size, the earlier of equal ones, above the threshold', () => {
  const weights = Float32Array.of(0.1, 0.5, 0.2, 0.5, NaN, 0);
  assert.deepEqual(topWeights(weights, 2), [1, 3]);
  assert.deepEqual(topWeights(weights, 0, 0.15), [1, 3, 2]);
  assert.deepEqual(topWeights(weights, 0, 0, 2), [3, 2]);
  assert.deepEqual(topWeights(weights, 9), [1, 3, 2, 0]);
});

test('cells of full, pooled and sharp maps are found by token', () => {
  const map = {...mapOf([[1, 2], [3, 4]]), rowPool: 8, colPool: 8};
  assert.equal(cellOf(map, 9, 3).value, 3);
  assert.deepEqual(cellOf(map, 9, 3).rows, [8, 16]);
  assert.equal(cellOf(map, 16, 0), null);
  const sharp = {...mapOf([[5, 6]]), rowStart: 100, colStart: 50};
  assert.equal(cellOf(sharp, 100, 51).value, 6);
  assert.equal(cellOf(sharp, 99, 51), null);
});

test('rows, columns and their largest values leave masked cells out', () => {
  const map = mapOf([[0.9, 0.1], [0.4, 0.6]], [0]);
  assert.ok(Math.abs(largestValue(map) - 0.6) < 1e-6);
  assert.deepEqual(rounded(rowMaxima(map)), [0.1, 0.6]);
  assert.deepEqual(rounded(rowMaxima(map, 1)), [0.1, 0.6]);
  assert.deepEqual(rounded(weightsOf(map, 'from', 1)), [0.4, 0.6]);
  assert.ok(Number.isNaN(weightsOf(map, 'to', 0)[0]));
  assert.deepEqual(rounded(weightsOf(map, 'to', 1)), [0.1, 0.6]);
});

test('fully masked rows are told from masked cells and from missing numbers', () => {
  const map = mapOf([[0, 0], [0, 1], [NaN, 1]], [0, 1, 2]);
  assert.deepEqual([...maskedRows(map)], [1, 0, 0]);
  assert.deepEqual(cellKinds(map),
      {masked: true, fullyMasked: true, missing: true, nonFinite: false});
});

test('the mean over heads is named so, and a cell is masked where all are', () => {
  const mean = meanMap([mapOf([[0.2, 0.8]], [0]), mapOf([[0.5, 0.5]], [])]);
  assert.deepEqual(rounded(mean.values), [0.25, 0.65]);
  assert.deepEqual([...mean.masked], [0, 0]);
  assert.deepEqual([...meanMap([mapOf([[0, 1]], [0]), mapOf([[0, 1]], [0])]).masked], [1, 0]);
  assert.equal(meanName(['L4H1', 'L4H5']), 'mean of L4H1, L4H5');
});

test('a difference is B minus A; what one side alone masks counts as 0 there', () => {
  const d = differenceMap(mapOf([[0.5, 0.5], [0, 0]], [2, 3]), mapOf([[0.2, 0.8], [0, 1]], [2]));
  assert.deepEqual(rounded(d.values), [-0.3, 0.3, 0, 1]);
  assert.deepEqual([...d.masked], [0, 0, 1, 0]);
  const quantised = differenceMap({...mapOf([[1]]), exact: false, step: 0.002}, mapOf([[1]]));
  assert.equal(quantised.exact, false);
  assert.equal(quantised.step, 0.002);
});

test('token lists are laid over each other by position, and said not to match otherwise', () => {
  assert.deepEqual(differingTokens(['a', 'b', 'c'], ['a', 'x', 'c']), [1]);
  assert.equal(differingTokens(['a'], ['a', 'b']), null);
  const side = (tokens) => ({input: {queryTokens: tokens, keyTokens: tokens},
    map: mapOf(tokens.map(() => tokens.map(() => 1 / tokens.length)))});
  const same = alignMaps(side(['the', 'cat']), side(['the', 'dog']));
  assert.match(same.message, /1 cat → dog/);
  assert.ok(same.difference);
  const other = alignMaps(side(['the', 'cat']), side(['the']));
  assert.equal(other.difference, null);
  assert.match(other.message, /A has 2 keys, B has 1/);
});

test('which two heads are compared', () => {
  const heads = ['L0H0', 'L0H1', 'L1H0'].map((name) => ({name}));
  const one = {inputs: [{heads}]};
  const two = {inputs: [{heads}, {heads}]};
  assert.deepEqual(comparedSides({heads: ['L0H1', 'L1H0']}, one),
      {a: {input: 0, head: 'L0H1'}, b: {input: 0, head: 'L1H0'}});
  assert.deepEqual(comparedSides({heads: ['L0H1']}, two),
      {a: {input: 0, head: 'L0H1'}, b: {input: 1, head: 'L0H1'}});
  assert.deepEqual(comparedSides({heads: [], a: '1:L0H0', b: '0:L1H0'}, two),
      {a: {input: 1, head: 'L0H0'}, b: {input: 0, head: 'L1H0'}});
  assert.equal(parseSide('7:L0H0', two), null);
  assert.equal(parseSide('0:L9H9', two), null);
});

test('lines: those of the token in focus, above the threshold, as many as wanted', () => {
  const map = mapOf([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]]);
  const options = {threshold: 0, topk: 0, firstCol: 0, focus: null, isolate: false};
  assert.equal(visibleLinks({map}, options).length, 9);
  assert.equal(visibleLinks({map}, {...options, threshold: 0.25}).length, 6);
  assert.equal(visibleLinks({map}, {...options, topk: 1}).length, 3);
  assert.equal(visibleLinks({map}, {...options, firstCol: 1}).length, 6);
  const from = visibleLinks({map}, {...options, focus: {side: 'query', token: 1}, isolate: true});
  assert.deepEqual(from.map((link) => link.q), [1, 1, 1]);
  const to = visibleLinks({map}, {...options, topk: 2, focus: {side: 'key', token: 0},
    isolate: true});
  assert.deepEqual(to.map((link) => link.q), [0, 2]);
  assert.deepEqual(strongLinks(map, {onlyCol: 1}).map((link) => link.k), [1, 1, 1]);
});

test('lines grow with the room, up to a bound, and never so that fewer tokens are seen', () => {
  assert.deepEqual(linesRoom(480, 560, 10), {scale: 1, width: 480, height: 560});
  const large = linesRoom(2100, 1500, 10);
  assert.ok(large.scale > 1.5 && large.width * large.scale > 1800);
  assert.ok(linesRoom(9000, 9000, 10).width * linesRoom(9000, 9000, 10).scale < 2100);
  for (const count of [40, 60, 64, 66, 500]) {
    const room = linesRoom(2100, 1500, count);
    const seen = (height) => Math.floor((height - 26) / tokenRowHeight(height, count));
    assert.ok(seen(room.height) >= Math.min(count, seen(1500)), `${count}`);
  }
});

test('lines of a long input: the strongest of each query', () => {
  const n = 120;
  const map = mapOf(Array.from({length: n}, (_, r) =>
    Array.from({length: n}, (_, c) => (c === (r * 7) % n ? 0.5 : 0.5 / (n - 1)))));
  const links = visibleLinks({map}, {threshold: 0, topk: 0, firstCol: 0, focus: null});
  assert.equal(links.length, n);
  assert.ok(links.every((link) => link.k === (link.q * 7) % n));
});

test('only lines that cross the part that is seen are drawn, the strongest last', () => {
  const links = [{q: 0, k: 1, weight: 0.9}, {q: 2, k: 0, weight: 0.3}, {q: 90, k: 99, weight: 1},
    {q: 1, k: 1, weight: 0.001}];
  const opacityOf = lineOpacity({kind: 'linear', high: 1}, 'none', () => 1);
  const seen = linksInView(links, opacityOf, {scrollTop: 0, height: 300, row: 20});
  assert.deepEqual(seen.map((link) => link.weight), [0.3, 0.9]);
  const byRow = lineOpacity({kind: 'linear', high: 1}, 'row', () => 0.5);
  assert.equal(byRow({q: 3, weight: 0.25}), 0.5);
  assert.equal(tokenOfY(26 + 20 * 3 + 1, 0, 10, 20), 3);
  assert.equal(tokenOfY(10, 0, 10, 20), null);
});

test('a click shows one head; with a key held it adds or takes away', () => {
  assert.deepEqual(headsAfterClick(['L0H0', 'L0H1'], 'L0H2', false, 8), ['L0H2']);
  assert.deepEqual(headsAfterClick(['L0H0'], 'L0H2', true, 8), ['L0H0', 'L0H2']);
  assert.deepEqual(headsAfterClick(['L0H0', 'L0H2'], 'L0H0', true, 8), ['L0H2']);
  assert.deepEqual(headsAfterClick(['L0H0'], 'L0H0', true, 8), ['L0H0']);
  assert.deepEqual(headsAfterClick(['L0H0'], 'L0H1', true, 1), ['L0H0']);
  const heads = [{name: 'L0H0', layer: 0}, {name: 'L1H0', layer: 1}, {name: 'L1H1', layer: 1}];
  assert.deepEqual(headsOfLayer({heads}, 'L1H1').map((head) => head.name), ['L1H0', 'L1H1']);
  assert.deepEqual(headsOfLayer({heads}, 'L7H7'), []);
});

test('a map of later queries and keys keeps their numbers', () => {
  const map = {...mapOf([[0.9, 0.1], [0.4, 0.6]]), rowStart: 3, colStart: 5};
  assert.deepEqual(mapWindow(map), [3, 5, 5, 7]);
  assert.deepEqual(rounded(weightsOf(map, 'from', 4)).slice(5), [0.4, 0.6]);
  assert.ok(Number.isNaN(weightsOf(map, 'from', 4)[0]));
  assert.deepEqual(strongLinks(map, {count: 1}).map((link) => [link.q, link.k]), [[3, 5], [4, 6]]);
  assert.deepEqual(rounded(meanOfColumns(map).slice(5)), [0.65, 0.35]);
  assert.equal(firstShownColumn(map, true), 5);
});

test('a dropped first token is a whole cell of a pooled map, and none of its sharp part', () => {
  const pooled = {...mapOf([[0.9, 0.1], [0.4, 0.6]]), rowPool: 8, colPool: 8};
  assert.equal(firstShownColumn(pooled, true), 8);
  assert.equal(firstShownColumn(pooled, false), 0);
  assert.deepEqual(rounded(rowMaxima(pooled, 8)), [0.1, 0.6]);
  const sharp = {...mapOf([[0.9, 0.1]]), rowStart: 16, colStart: 16};
  assert.deepEqual(rounded(rowMaxima(sharp, 8)), [0.9]);
});

test('the difference of pooled maps says what its cells are', () => {
  const pooled = {...mapOf([[0.5]]), rowPool: 8, colPool: 8};
  const difference = differenceMap(pooled, {...pooled, values: Float32Array.of(0.75)});
  assert.equal(poolNote(pooled), 'each cell shows the maximum of 8 x 8 weights');
  assert.equal(poolNote(difference), 'each cell shows B\'s maximum of 8 x 8 weights less A\'s');
  assert.equal(poolNote(mapOf([[1]])), '');
  const input = {queryTokens: Array(8).fill('q'), keyTokens: Array(8).fill('k')};
  const cell = {...cellOf(difference, 0, 0), map: difference};
  assert.deepEqual(describeCell(cell, input), ['0.250000 (maximum on each side of 64)',
    'query 0 to 7: q … q', 'key 0 to 7: k … k']);
});

test('the first key is left out alone, or with its whole cell, and the control says so', () => {
  assert.equal(droppedKeysText({}).label, 'Drop first');
  assert.equal(droppedKeysText({colPool: 8, colStart: 16}).label, 'Drop first');
  const {label, title} = droppedKeysText({colPool: 8, colStart: 0});
  assert.equal(label, 'Drop first cell (tokens 0–7)');
  assert.match(title, /of keys 0 to 7, is left out as a whole/);
});
