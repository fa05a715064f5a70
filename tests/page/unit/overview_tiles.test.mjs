// All heads at once: lines of small pictures, columns of the table, work between frames.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {columnsThatFit} from '../../../src/render/html/heads_table.js';
import {tileText} from '../../../src/render/html/head_tiles.js';
import {linesOfEachQuery, tileLineEnds, tileLines, tileLinesNote} from
  '../../../src/render/html/tile_lines.js';
import {makeSlices} from '../../../src/render/html/work_slices.js';

const kMap = {rows: 2, cols: 3, values: Float32Array.of(0.2, 0.8, 0.001, 0.4, 0.1, 0.5),
  masked: Uint8Array.of(0, 0, 0, 0, 0, 1)};
const kLook = {scale: 'linear', norm: 'none', high: 0.8, firstCol: 0};

test('a line for each weight that can be seen, the strongest on top', () => {
  const links = tileLines(kMap, kLook);
  assert.deepEqual(links.map(({q, k}) => [q, k]), [[1, 1], [0, 0], [1, 0], [0, 1]]);
  assert.equal(links[3].opacity, 1);
  assert.ok(Math.abs(links[2].opacity - 0.5) < 1e-6);
});

test('lines follow the scale, the maximum of rows and the first token', () => {
  const byRow = tileLines(kMap, {...kLook, norm: 'row'});
  assert.deepEqual(byRow.filter((link) => link.opacity === 1).map(({q, k}) => [q, k]),
      [[0, 1], [1, 0]]);
  const sqrt = tileLines(kMap, {...kLook, scale: 'sqrt'});
  assert.ok(Math.abs(sqrt.find((link) => link.q === 0 && link.k === 0).opacity - 0.5) < 1e-6);
  assert.ok(tileLines(kMap, {...kLook, firstCol: 1}).every((link) => link.k > 0));
});

test('of many weights the strongest of each query are kept', () => {
  const n = 30;
  const values = Float32Array.from({length: n * n}, (_, i) => ((i * 7919) % 997) / 997);
  const map = {rows: n, cols: n, values, masked: null};
  const count = linesOfEachQuery(map);
  assert.equal(count, 13);
  const links = tileLines(map, {...kLook, high: 1});
  for (let q = 0; q < n; ++q) {
    const weakest = Math.min(...links.filter((link) => link.q === q).map((link) => link.weight));
    const row = [...values.subarray(q * n, q * n + n)].sort((a, b) => b - a);
    assert.equal(weakest, row[count - 1]);
  }
  assert.equal(linesOfEachQuery({...map, rowPool: 16, colPool: 16}), 4);
  assert.equal(linesOfEachQuery(kMap), 0);
});

test('lines run from the middle of a query to the middle of a key', () => {
  const ends = tileLineEnds({q: 1, k: 2}, kMap, 100);
  assert.deepEqual([ends.x1, ends.x2], [6, 94]);
  assert.ok(Math.abs(ends.y1 - (6 + 88 * 1.5 / 3)) < 1e-9);
  assert.ok(Math.abs(ends.y2 - (6 + 88 * 2.5 / 3)) < 1e-9);
  const pooled = tileLineEnds({q: 16, k: 0}, {rows: 2, cols: 2, rowPool: 16, colPool: 16}, 100);
  assert.ok(Math.abs(pooled.y1 - (6 + 88 * 0.75)) < 1e-9);
});

test('a note says what was left out', () => {
  assert.doesNotMatch(tileLinesNote(kMap, kLook), /each query|of 1 x 1/);
  assert.match(tileLinesNote(kMap, kLook), /a weight of 0\.8/);
  assert.match(tileLinesNote({...kMap, rowPool: 4, colPool: 8}, {...kLook, norm: 'row'}),
      /largest weight of its query.*maximum of 4 x 8 weights; 4 for each query/);
});

test('columns that tell much come first, in the order of the file', () => {
  const names = ['entropy', 'tl_induction', 'previous', 'pronoun-noun', 'self'];
  const width = () => 50;
  assert.deepEqual(columnsThatFit(names, 'head', 500, width), names);
  assert.deepEqual(columnsThatFit(names, 'head', 160, width), ['entropy', 'previous', 'self']);
  assert.deepEqual(columnsThatFit(names, 'head', 200, width),
      ['entropy', 'previous', 'pronoun-noun', 'self']);
  assert.deepEqual(columnsThatFit(names, 'tl_induction', 100, width), ['tl_induction', 'previous']);
  assert.deepEqual(columnsThatFit(names, 'head', 0, width), ['previous']);
});

test('the score that heads are sorted by stands under them', () => {
  const head = {labelText: 'previous token', scores: {signed_distance: -0.001, sink: null}};
  assert.equal(tileText(head, 'head'), 'previous token');
  assert.equal(tileText(head, 'signed_distance'), 'signed distance 0.00');
  assert.equal(tileText(head, 'sink'), '–');
});

test('long work is done between frames, and a new start drops what waits', () => {
  let time = 0;
  const frames = [];
  const done = [];
  const slices = makeSlices((item) => {
    done.push(item);
    time += 5;
  }, {now: () => time, request: (fn) => frames.push(fn), cancel: () => frames.pop()});
  slices.start([1, 2, 3, 4, 5]);
  assert.deepEqual(done, [1, 2]);
  frames.shift()();
  assert.deepEqual(done, [1, 2, 3, 4]);
  slices.start([6]);
  assert.deepEqual(done, [1, 2, 3, 4, 6]);
  assert.equal(frames.length, 0);
  assert.equal(slices.isBusy(), false);
});
