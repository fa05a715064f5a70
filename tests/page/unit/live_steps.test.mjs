// The steps of typed sentences against `mha-viz steps` of the same sentences.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {plainFormula} from '../../../src/render/html/formula.js';
import {shortNumber} from '../../../src/render/html/live_arithmetic.js';
import {tellingPair} from '../../../src/render/html/live_steps.js';
import {pairParts, pairRows} from '../../../src/render/html/pair_model.js';
import {heldOutSentences, kOddSentences, liveModel, saysOf, skip} from './live_program.mjs';

function largestGap(mine, theirs, what) {
  assert.equal(mine.length, theirs.length, what);
  let largest = 0;
  mine.forEach((row, r) => {
    assert.equal(row.length, theirs[r].length, what);
    row.forEach((value, c) => {
      const gap = Math.abs(value - theirs[r][c]);
      largest = gap <= largest ? largest : gap;
    });
  });
  return largest;
}

// The words of the steps of a head, formulas as text.
function wordsOf(steps, formulaText) {
  return steps.map(({name, title, formula, shape, sentence, worked}) =>
    ({name, title, formula: formulaText(formula), shape, sentence,
      worked: (worked || []).map((line) => line.replace(kDecimal, '#'))}));
}

// The program adds floats, the page doubles: the last of the digits shown may be another one.
const kDecimal = /\d+\.\d+(e[+−]\d+)?/g;

function assertSameArithmetic(mine, theirs, where) {
  const decimals = (steps) => steps.flatMap(({worked}) => (worked || []).join().match(kDecimal) || []);
  const expected = decimals(theirs);
  decimals(mine).forEach((text, i) => {
    const [digits, exponent = '0'] = text.replace('−', '-').split('e');
    const [other, otherExponent = '0'] = expected[i].replace('−', '-').split('e');
    const last = 10 ** -digits.split('.')[1].length;
    assert.ok(exponent === otherExponent && Math.abs(digits - other) < 1.01 * last,
        `${text}, not ${expected[i]}: ${where}`);
  });
}

test('typed sentences have the steps of the program: words, pairs, arithmetic, numbers', {skip},
  async () => {
    const sentences = [...kOddSentences.filter((text) => text !== '.'), ...heldOutSentences(15)];
    let largest = 0;
    let count = 0;
    for (const text of sentences) {
      const {input} = liveModel().read(text);
      const names = input.heads.map(({name}) => name);
      const walked = await input.steps.load();
      assert.deepEqual(input.steps.heads, names);
      const document = JSON.parse(saysOf('steps', ['--text', text, '--heads', names.join()]));
      document.heads.forEach((theirs, h) => {
        const mine = walked[h];
        const where = `${theirs.head} of ${text}`;
        assert.equal(mine.head, theirs.head);
        assert.equal(mine.n_heads, theirs.n_heads);
        assert.deepEqual([mine.pair.query, mine.pair.key], [theirs.pair.query, theirs.pair.key],
            where);
        assert.deepEqual(wordsOf(mine.steps, plainFormula), wordsOf(theirs.steps, String), where);
        assertSameArithmetic(mine.steps, theirs.steps, where);
        theirs.steps.forEach((step, s) => {
          largest = Math.max(largest,
              largestGap(mine.steps[s].values, step.values, `${step.name}, ${where}`));
          count += 1;
        });
      });
    }
    assert.equal(count, sentences.length * 24 * 14);
    console.log(`largest difference of a number: ${largest.toExponential(1)}`);
    assert.ok(largest < 1e-4, `largest difference ${largest}`);
  });

test('the question of a pair adds up for typed sentences', {skip}, async () => {
  const {input} = liveModel().read('the dog chased the cat because it was hungry');
  for (const head of await input.steps.load()) {
    const parts = pairParts(head);
    assert.deepEqual(parts.later.map(({title}) => title), ['scaled']);
    input.queryTokens.forEach((_, q) => assert.equal(pairRows(parts, q).error, 0));
  }
});

test('the pair to follow is apart, and special only where others say little', () => {
  const plain = [false, false, false];
  const weights = [0.1, 0.2, 0.7, 0.9, 0.05, 0.05, 0.3, 0.6, 0.1];
  assert.deepEqual(tellingPair(weights, 3, plain), {query: 1, key: 0});
  assert.deepEqual(tellingPair(weights, 3, [true, false, false]), {query: 2, key: 1});
  const sunk = [1, 0, 0, 0.97, 0.02, 0.01, 0.97, 0.01, 0.02];
  assert.deepEqual(tellingPair(sunk, 3, [true, false, false]), {query: 1, key: 0});
  assert.deepEqual(tellingPair([1], 1, [false]), {query: 0, key: 0});
});

test('numbers in a line of arithmetic are short and have one minus sign', () => {
  const cases = [[0.931, '0.93'], [-12.4, '−12.40'], [-0.00123, '−1.2e−03'], [0, '0.00'],
    [-1234.5, '−1235'], [123456, '1.2e+05']];
  for (const [value, text] of cases) assert.equal(shortNumber(value), text);
});
