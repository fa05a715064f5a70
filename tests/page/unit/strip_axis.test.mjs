import assert from 'node:assert/strict';
import {test} from 'node:test';

import {stripLabels} from '../../../src/render/html/strip_axis.js';

const measure = (text, px) => 0.6 * px * Array.from(text).length;

test('names above strips are level, slanted or upright by the room they have', () => {
  const names = Array.from({length: 20}, (_, i) => `a-long-name-${i}`);
  assert.equal(stripLabels(names, 4000, measure).angle, 0);
  assert.equal(stripLabels(names, 900, measure).angle, 45);
  assert.equal(stripLabels(names, 300, measure).angle, 90);
  assert.equal(stripLabels(names, 4000, measure).labels.length, 20);
});

test('names above strips do not touch, nor leave the strip', () => {
  for (const count of [1, 2, 10, 64, 500]) {
    for (const length of [1, 8, 60]) {
      for (const width of [240, 600, 900, 3600]) {
        const names = Array.from({length: count}, () => 'w'.repeat(length));
        const {angle, px, lean, height, labels} = stripLabels(names, width, measure);
        const where = `${count} names of ${length} in ${width}`;
        assert.ok(labels.length > 0, where);
        // Distance of baselines where they are turned, of middles where they are level.
        const needed = (text) => (angle === 0 ? measure(text, px) :
          angle === 45 ? px * Math.SQRT2 : px);
        labels.forEach((label, i) => {
          if (i > 0) assert.ok(label.x - labels[i - 1].x >= needed(label.text), where);
          const along = measure(label.text, px);
          if (angle === 45) assert.ok(label.x + along * Math.SQRT1_2 <= width, where);
          if (angle !== 0) assert.ok(along * (angle === 90 ? 1 : Math.SQRT1_2) <= height, where);
        });
        assert.ok(lean === 0 || angle === 45, where);
      }
    }
  }
});
