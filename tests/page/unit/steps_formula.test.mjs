// Formulas of the steps, and sizes of their pictures.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {plainFormula} from '../../../src/render/html/formula.js';
import {columnsOfStep, pictureSize} from '../../../src/render/html/steps_view.js';

test('a formula as one line of text', () => {
  const cases = [
    [['Q = X W', {sub: ['0']}, {sup: ['Q']}], 'Q = X W_0^Q'],
    [['Z = S / ', {root: ['d', {sub: ['k']}]}], 'Z = S / √d_k'],
    [['X ∈ ℝ', {sup: ['n × d', {sub: ['model']}]}], 'X ∈ ℝ^(n × d_model)'],
    [['S = Q K', {sup: ['T']}], 'S = Q Kᵀ'],
    [['a_ + b'], 'a_ + b'],
  ];
  for (const [parts, expected] of cases) assert.equal(plainFormula(parts), expected);
});

test('pictures of matrices are neither too high nor too narrow', () => {
  assert.deepEqual(pictureSize(20, 20), {width: 240, height: 240});
  assert.deepEqual(pictureSize(64, 8), {width: 96, height: 400});
  assert.deepEqual(pictureSize(64, 64), {width: 400, height: 400});
  assert.deepEqual(pictureSize(768, 64), {width: 96, height: 400});
  assert.deepEqual(pictureSize(10, 64), {width: 768, height: 120});
  assert.deepEqual(pictureSize(30, 1), {width: 12, height: 360});
});

test('a step takes as many columns as its matrix needs, two for its words', () => {
  assert.deepEqual([0, 96, 370, 420, 768].map(columnsOfStep), [2, 2, 2, 3, 4]);
});
