// Why a query looks at a key: products, sums, scores.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {pairNote, pairParts, pairRows, shownPair} from '../../../src/render/html/pair_model.js';

const step = (name, values) => ({name, title: name, formula: '', values});

function headWith(...more) {
  return {head: 'L0H0', pair: {query: 1, key: 0}, steps: [
    step('input', []), step('queries', [[1, 2], [0.5, -1]]), step('keys', [[3, -1], [2, 4]]),
    ...more]};
}
const kScores = step('scores', [[1, 10], [2.5, -3]]);
const kWeights = step('weights', [[0.1, 0.9], [1, 0]]);

test('the products of each dimension add up to the score', () => {
  const head = headWith(kScores, step('scaled', [[0.5, 5], [1.25, -1.5]]),
      step('masked', [[0.5, null], [1.25, null]]), kWeights);
  const parts = pairParts(head);
  assert.deepEqual(parts.later.map(({title}) => title), ['scaled', 'after mask']);
  const found = pairRows(parts, 0);
  assert.deepEqual(found.rows.map((row) => row.products), [[3, -2], [2, 8]]);
  assert.deepEqual(found.rows.map((row) => row.sum), [1, 10]);
  assert.deepEqual(found.rows.map((row) => row.later), [[0.5, 0.5], [5, null]]);
  assert.deepEqual(found.rows.map((row) => row.weight), [0.1, 0.9]);
  assert.deepEqual([found.largest, found.vectorLargest, found.error], [8, 4, 0]);
  assert.match(pairNote(parts, head.steps, found.error), /step 2 \(queries\).*add up to q · k/);
});

test('vectors are those that are multiplied: after norms and rotation', () => {
  const head = headWith(step('normed-queries', [[9, 9], [9, 9]]),
      step('rotated-queries', [[0, 1], [1, 0]]), step('rotated-keys', [[1, 0], [0, 2]]),
      step('scores', [[0, 2], [1, 0]]), kWeights);
  const parts = pairParts(head);
  assert.equal(parts.queries.name, 'rotated-queries');
  assert.equal(parts.keys.name, 'rotated-keys');
  assert.equal(pairRows(parts, 0).error, 0);
});

test('sums that are not the scores are not said to be', () => {
  const head = headWith(step('scores', [[1.5, 10], [2.5, -3]]), kWeights);
  const parts = pairParts(head);
  const {error} = pairRows(parts, 0);
  assert.equal(error, 0.5);
  assert.match(pairNote(parts, head.steps, error), /differ from the scores of .* by up to 0\.50/);
  assert.doesNotMatch(pairNote(parts, head.steps, error), /add up/);
});

test('numbers that are not finite stay unknown', () => {
  const head = headWith(step('scores', [[null, 10], [2.5, -3]]), kWeights);
  head.steps[2] = step('keys', [[3, null], [2, 4]]);
  const {rows, error} = pairRows(pairParts(head), 0);
  assert.deepEqual(rows[0].products, [3, null]);
  assert.equal(rows[0].sum, null);
  assert.equal(error, 0);
});

test('scores alone have no vectors', () => {
  assert.equal(pairParts({steps: [kScores, kWeights]}), null);
});

test('the pair is the one of the link, the one of the head, or the strongest of a query', () => {
  const head = headWith(kScores, kWeights);
  const parts = pairParts(head);
  assert.deepEqual(shownPair(head, parts, {q: null, k: null}), {q: 1, k: 0});
  assert.deepEqual(shownPair(head, parts, {q: 0, k: null}), {q: 0, k: 1});
  assert.deepEqual(shownPair(head, parts, {q: 0, k: 0}), {q: 0, k: 0});
  assert.deepEqual(shownPair(head, parts, {q: 7, k: 9}), {q: 1, k: 0});
});
