import assert from 'node:assert/strict';
import {test} from 'node:test';

import {cutMiddle, labelledTokens, labelSizeFor, planColumns, planRows, thinLabels} from
  '../../../src/render/html/axis_labels.js';
import {columnLabelsIn, layoutHeatmap, rowLabelsIn} from
  '../../../src/render/html/heatmap_layout.js';
import {windowPlaces} from '../../../src/render/html/map_window.js';

const measure = (text, px) => 0.6 * px * Array.from(text).length;

test('labels that fit are all there', () => {
  assert.deepEqual(thinLabels(4, 20, 15), [0, 1, 2, 3]);
  assert.deepEqual(thinLabels(0, 20, 15), []);
});

test('thinned labels go by 1, 2, 5, keep the first and, with room, the last', () => {
  assert.deepEqual(thinLabels(9, 10, 15), [0, 2, 4, 6, 8]);
  assert.deepEqual(thinLabels(10, 10, 15), [0, 2, 4, 6, 9]);
  assert.deepEqual(thinLabels(6, 10, 45), [0, 5]);
  for (const n of [1, 2, 3, 17, 100, 4096]) {
    for (const pitch of [0.1, 1, 7, 30]) {
      const kept = thinLabels(n, pitch, 15);
      assert.equal(kept[0], 0);
      for (let i = 1; i < kept.length; ++i) {
        assert.ok((kept[i] - kept[i - 1]) * pitch >= 15 || pitch >= 15, `${n} ${pitch}`);
      }
    }
  }
});

test('the part that is seen has the labels that the whole would have', () => {
  const {tokens, thinned} = labelledTokens(100, 30, 52, 5, 15);
  assert.deepEqual(tokens, [30, 35, 40, 45, 50]);
  assert.equal(thinned, true);
});

test('long labels lose their middle, never half of a character', () => {
  const width = (text) => Array.from(text).length * 10;
  assert.equal(cutMiddle('short', 50, width), 'short');
  assert.equal(cutMiddle('antidisestablishment', 90, width), 'anti…ment');
  assert.equal(cutMiddle('😀😀😀😀😀😀', 30, width), '😀…😀');
  assert.equal(cutMiddle('abc', 1, width), '…');
  assert.ok(cutMiddle('x'.repeat(100000), 90, width).length < 12);
});

test('column labels are level, slanted or upright by the room they have', () => {
  assert.equal(planColumns(30, 60).angle, 0);
  assert.equal(planColumns(90, 60).angle, 45);
  assert.equal(planColumns(90, 16).angle, 90);
  assert.ok(labelSizeFor(13) < 14);
  assert.equal(labelSizeFor(3), 12);
});

// Boxes of what is drawn: no two may touch, at any number of tokens, size or zoom.
function overlaps(boxes) {
  boxes.sort((a, b) => a[0] - b[0]);
  return boxes.some((box, i) => i > 0 && box[0] < boxes[i - 1][1] - 0.01);
}

test('labels of neither axis overlap, whatever is shown', () => {
  for (const n of [1, 3, 11, 30, 64, 200, 512]) {
    const labels = Array.from({length: n}, (_, i) => (i % 7 === 3 ? 'a'.repeat(40) : `token${i}`));
    const model = {rowLabels: labels, colLabels: labels, bounds: [0, n, 0, n],
      colors: {kind: 'linear', low: 0, high: 1}, rowTitle: 'query', barTitle: 'weight'};
    for (const size of [300, 700, 1500]) {
      const layout = layoutHeatmap(model, {width: size, height: size, dpr: 1}, measure);
      assert.ok(layout.width <= size + 1 && layout.area.x > 0, `${n} ${size}`);
      for (const part of [1, 0.3]) {
        const span = Math.max(n * part, Math.min(2, n));
        const win = [0, span, 0, span];
        const places = windowPlaces(win, layout.area);
        const pointed = Math.floor(span / 3);
        const rows = rowLabelsIn(model, layout, places, win, measure, pointed);
        assert.ok(rows.some((label) => label.token === pointed));
        assert.ok(!overlaps(rows.map((l) => [l.y - l.px, l.y])), `rows ${n} ${size} ${part}`);
        for (const label of rows) assert.ok(label.x - measure(label.text, label.px) >= 0);
        const cols = columnLabelsIn(model, layout, places, win, measure, pointed);
        const across = (l) => (cols.angle === 0 ? measure(l.text, l.px) :
          cols.angle === 90 ? l.px : l.px * Math.SQRT2);
        assert.ok(!overlaps(cols.labels.map((l) => [l.x - across(l) / 2, l.x + across(l) / 2])),
            `columns ${n} ${size} ${part}`);
      }
    }
  }
});

test('thinned labels have their positions beside them, unless they are positions', () => {
  const numbersOf = (labels) => {
    const n = labels.length;
    const model = {rowLabels: labels, colLabels: labels, bounds: [0, n, 0, n],
      colors: {kind: 'linear', low: 0, high: 1}, rowTitle: 'query', barTitle: 'weight'};
    const layout = layoutHeatmap(model, {width: 500, height: 500, dpr: 1}, measure);
    const places = windowPlaces([0, n, 0, n], layout.area);
    const rows = rowLabelsIn(model, layout, places, [0, n, 0, n], measure);
    const cols = columnLabelsIn(model, layout, places, [0, n, 0, n], measure).labels;
    assert.ok([...rows, ...cols].every((label) => label.tick));
    return [rows[1].number, cols[1].number];
  };
  const names = Array.from({length: 512}, (_, i) => `token${i}`);
  assert.ok(numbersOf(names).every((number) => /^[1-9]\d*$/.test(number)));
  assert.deepEqual(numbersOf(names.map((_, i) => String(i))), [null, null]);
});

test('rows shrink before they are thinned', () => {
  assert.equal(planRows(40).px, 14);
  assert.ok(planRows(14).px < 14);
});
