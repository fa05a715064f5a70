// Decoding of embedded cells, and views of what surrounds the heads.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {deflateSync} from 'node:zlib';

import {decodeCells, openReport} from '../../../src/render/html/data.js';

function quantisedBytes(maxima, codes) {
  const bytes = Buffer.alloc(4 * maxima.length + codes.length);
  maxima.forEach((value, i) => bytes.writeFloatLE(value, 4 * i));
  codes.forEach((code, i) => bytes.writeUInt8(code, 4 * maxima.length + i));
  return new Uint8Array(bytes);
}

const kFacts = {rows: 2, cols: 3, rowPool: 1, colPool: 1, rowStart: 0, colStart: 0, levels: 253};

test('a code is the square of its part of the largest value of its row', () => {
  const map = decodeCells(quantisedBytes([0.5, 1], [253, 0, 255, 126, 254, 253]), kFacts);
  assert.equal(map.values[0], 0.5);
  assert.equal(map.values[1], 0);
  assert.equal(map.masked[2], 1);
  assert.ok(Math.abs(map.values[3] - (126 / 253) ** 2) < 1e-6);
  assert.ok(Number.isNaN(map.values[4]));
  assert.equal(map.masked[4], 0);
  assert.equal(map.exact, false);
  assert.ok(map.step > 0 && map.step < 0.0041);
});

test('the stated error holds for every value', () => {
  const {step} = decodeCells(quantisedBytes([1], [0, 1, 2]), {...kFacts, rows: 1});
  for (let value = 0; value <= 1; value += 1 / 4096) {
    const code = Math.floor(Math.sqrt(value) * 253 + 0.5);
    const map = decodeCells(quantisedBytes([1], [code, 0, 0]), {...kFacts, rows: 1});
    assert.ok(Math.abs(map.values[0] - value) <= step + 1e-7, String(value));
  }
});

test('exact cells are the floats that were written', () => {
  const bytes = Buffer.alloc(2 * 5);
  bytes.writeFloatLE(0.1, 0);
  bytes.writeUInt8(255, 9);
  const map = decodeCells(new Uint8Array(bytes), {...kFacts, rows: 1, cols: 2, levels: 0});
  assert.equal(map.values[0], Math.fround(0.1));
  assert.equal(map.masked[1], 1);
  assert.equal(map.step, 0);
});

test('cells of another size than stated are refused', () => {
  assert.throws(() => decodeCells(new Uint8Array(5), kFacts), /damaged/);
});

function fakeDocument(facts, blocks) {
  const texts = {'mha-report': JSON.stringify(facts), ...blocks};
  return {
    readyState: 'complete',
    getElementById: (id) => (id in texts ? {textContent: texts[id], nextSibling: {}} : null),
  };
}

test('a head is read from its block when it is asked for, and once', async () => {
  const cells = deflateSync(quantisedBytes([1, 1], [253, 0, 0, 0, 253, 0]));
  const thumb = Buffer.from(quantisedBytes([0.25], [253, 255]));
  const facts = {title: 't', colormaps: {greys: 'AAAA'}, inputs: [{name: 'a', cross: false,
    queryWords: [[0, 1]], heads: [{name: 'L0H0', layer: 0, head: 0, label: '', labelText: '',
      scores: {}, cells: {...kFacts, block: 'h0-0'},
      thumb: {rows: 1, cols: 2, cells: thumb.toString('base64')}}]}]};
  const report = openReport(fakeDocument(facts, {'h0-0': cells.toString('base64')}));
  const [head] = report.inputs[0].heads;
  assert.equal(head.thumb.values[0], 0.25);
  assert.equal(head.thumb.masked[1], 1);
  assert.deepEqual([head.thumb.rowPool, head.thumb.colPool], [2, 2]);
  assert.ok(head.thumb.step > 0);
  const map = await head.load();
  assert.equal(map.values[4], 1);
  assert.equal(map.window, null);
  assert.equal(await head.load(), map);
  assert.deepEqual(report.inputs[0].keyWords, [[0, 1]]);
  assert.equal(report.live, null);
});

test('steps are unpacked when they are asked for, and once', async () => {
  const stored = deflateSync(Buffer.from(JSON.stringify({heads: [{head: 'L0H1', steps: ['√']}]})));
  const input = {heads: [], steps: {heads: ['L0H1'], block: 't0'}};
  const facts = {colormaps: {}, inputs: [input, {heads: [], steps: null}]};
  const report = openReport(fakeDocument(facts, {t0: stored.toString('base64')}));
  const {steps} = report.inputs[0];
  assert.deepEqual(steps.heads, ['L0H1']);
  const heads = await steps.load();
  assert.deepEqual(heads, [{head: 'L0H1', steps: ['√']}]);
  assert.equal(await steps.load(), heads);
  assert.equal(report.inputs[1].steps, null);
  const cut = openReport(fakeDocument(facts, {}));
  await assert.rejects(cut.inputs[0].steps.load(), /no block t0/);
});

test('a block that was cut off is named', async () => {
  const facts = {colormaps: {}, inputs: [{heads: [{name: 'L0H0', cells: {...kFacts, block: 'h0-0'},
    thumb: {rows: 0, cols: 0, cells: ''}}]}]};
  const report = openReport(fakeDocument(facts, {}));
  await assert.rejects(report.inputs[0].heads[0].load(), /no block h0-0/);
});
