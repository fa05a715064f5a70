// Formulas of the steps: which parts are raised and lowered.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {formulaPieces, pictureSize} from '../../../src/render/html/steps_view.js';

const written = (pieces) => pieces.map(({place, text, parts}) =>
  (place === 'line' ? text : `<${place}>${parts ? written(parts) : text}</${place}>`)).join('');

test('indices are raised and lowered', () => {
  const cases = [
    ['Q = X W_0^Q + b_0^Q',
      'Q = X W<sub>0</sub><sup>Q</sup> + b<sub>0</sub><sup>Q</sup>'],
    ['Z = S / √d_k', 'Z = S / √d<sub>k</sub>'],
    ['X ∈ ℝ^(n × d_model)', 'X ∈ ℝ<sup>n × d<sub>model</sub></sup>'],
    ['Concat(head_0, …, head_7)', 'Concat(head<sub>0</sub>, …, head<sub>7</sub>)'],
    ['S = Q Kᵀ', 'S = Q Kᵀ'],
    ['a_ + b', 'a_ + b'],
  ];
  for (const [formula, expected] of cases) {
    assert.equal(written(formulaPieces(formula)), expected);
  }
});

test('pictures of matrices are neither too high nor too narrow', () => {
  assert.deepEqual(pictureSize(20, 20), {width: 240, height: 240});
  assert.deepEqual(pictureSize(64, 8), {width: 96, height: 400});
  assert.deepEqual(pictureSize(64, 64), {width: 400, height: 400});
  assert.deepEqual(pictureSize(768, 64), {width: 96, height: 400});
  assert.deepEqual(pictureSize(10, 64), {width: 768, height: 120});
  assert.deepEqual(pictureSize(30, 1), {width: 12, height: 360});
});
