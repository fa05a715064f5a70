// The model that the page carries against the program: tokens, weights, scores and labels.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {geluOf, halfToFloat} from '../../../src/render/html/live_model.js';
import {
  isLivePunctuation,
  javascriptPattern,
  liveTokenLabel,
} from '../../../src/render/html/live_tokenizer.js';
import {liveStatus} from '../../../src/render/html/live_view.js';
import {heldOutSentences, kOddSentences, liveModel, saysOf, saysOfLines, skip}
  from './live_program.mjs';

function assertNear(actual, expected, tolerance, what) {
  if (expected === null) {
    assert.equal(actual, null, what);
    return;
  }
  assert.ok(Math.abs(actual - expected) <= tolerance, `${what}: ${actual}, not ${expected}`);
}

async function largestDifference(input, document) {
  let largest = 0;
  for (const head of input.heads) {
    const {values, rows, cols} = await head.load();
    const expected = document.attention_weights[head.layer][head.head].flat();
    assert.equal(rows * cols, expected.length);
    expected.forEach((weight, at) => {
      largest = Math.max(largest, Math.abs(weight - values[at]));
    });
  }
  return largest;
}

function assertSameScores(input, document) {
  input.heads.forEach((head, i) => {
    const expected = document.heads[i];
    assert.equal(head.name, expected.head);
    assert.equal(head.label, expected.label.name, `label of ${head.name}: ${input.text}`);
    assert.equal(head.labelText === '', ['', 'mixed'].includes(head.label), head.name);
    for (const [name, value] of Object.entries(head.scores)) {
      const theirs = expected[name].value;
      const scale = name === 'effective_keys' || name.endsWith('distance') ? 10 : 1;
      assertNear(value, theirs, 2e-5 * scale, `${name} of ${head.name}: ${input.text}`);
    }
  });
}

test('100 sentences have the tokens, weights, scores, labels of the program', {skip}, async () => {
  const sentences = [...kOddSentences, ...heldOutSentences(100 - kOddSentences.length)];
  assert.equal(sentences.length, 100);
  const readable = sentences.filter((sentence) => liveModel().read(sentence).input !== null);
  assert.equal(sentences.length - readable.length, 1, 'only "." has no words');
  const documents = saysOfLines(readable);
  assert.equal(documents.length, readable.length);
  let largest = 0;
  for (let i = 0; i < readable.length; ++i) {
    const {input} = liveModel().read(readable[i]);
    assert.deepEqual(input.queryTokens, documents[i].tokens.map(liveTokenLabel), readable[i]);
    largest = Math.max(largest, await largestDifference(input, documents[i]));
    assertSameScores(input, documents[i]);
  }
  console.log(`largest difference of a weight: ${largest.toExponential(1)}`);
  assert.ok(largest < 1e-4, `largest difference ${largest}`);
});

test('a text of several lines is cut where the program cuts it', {skip}, () => {
  const text = 'the dog.\nthe cat!  \n\n a fox? ';
  const document = JSON.parse(saysOf('run', ['--text', text, '--weights', 'json']));
  assert.deepEqual(liveModel().read(text).input.queryTokens, document.tokens);
});

test('words that the model does not know are named as they were typed', {skip}, () => {
  const result = liveModel().read('The Zebra ate İt');
  assert.deepEqual(result.unknown, ['Zebra', 'İt']);
  assert.match(liveStatus(result, 32), /5 of at most 32 tokens; .*“Zebra”, “İt” /);
});

test('places of tokens are those in the text that was typed', {skip}, () => {
  const text = 'The 🐕 İx, [mask] CAT.';
  const {input} = liveModel().read(text);
  const words = input.queryWords.map(([begin, end]) => text.slice(begin, end));
  assert.deepEqual(words, ['', 'The', '🐕', 'İx', ',', '[mask]', 'CAT']);
});

test('31 words fit and 32 do not, and the message says how many to take out', {skip}, () => {
  assert.equal(liveModel().read('dog '.repeat(31)).problem, null);
  const {input, problem} = liveModel().read('dog '.repeat(33));
  assert.equal(input, null);
  assert.match(problem, /too long: 33 words and marks, the model reads 31; take out 2/);
});

test('no words are no sentence', {skip}, () => {
  assert.equal(liveModel().read('').problem, 'no words yet');
  assert.equal(liveModel().read(' ... ').problem, 'no words yet');
});

test('16-bit floats are read exactly', () => {
  const cases = [[0x0000, 0], [0x3c00, 1], [0xc000, -2], [0x0001, 2 ** -24], [0x7bff, 65504],
    [0x3555, 0.333251953125], [0x83ff, -1023 * 2 ** -24]];
  for (const [bits, value] of cases) assert.equal(halfToFloat(bits), value);
  assert.equal(halfToFloat(0xfc00), -Infinity);
  assert.ok(Number.isNaN(halfToFloat(0x7e00)));
});

test('GELU is x times the normal distribution', () => {
  assertNear(geluOf(1), 0.8413447460685429, 1e-6, 'gelu(1)');
  assertNear(geluOf(-2), -0.04550026389635842, 1e-7, 'gelu(-2)');
  assert.equal(geluOf(0), 0);
});

test('labels spell what cannot be seen', () => {
  assert.equal(liveTokenLabel('a\u0007b\u0085'), 'a\\x07b\\x85');
  assert.equal(liveTokenLabel('\u2581dog'), '\u00b7dog');
});

test('punctuation is a token of nothing else', () => {
  const tokens = [',', '##', '##!', '\u2581.', '$', 'a.', '\u2581', '_'];
  const expected = [true, true, true, true, false, false, false, true];
  assert.deepEqual(tokens.map(isLivePunctuation), expected);
});

test('a pattern that the page cannot read is refused', () => {
  assert.throws(() => javascriptPattern('^a'), /not implemented/);
  assert.throws(() => javascriptPattern('\\h+'), /not implemented/);
  assert.equal('a.b.\nc? '.replace(javascriptPattern('[.!?]+\\s*$'), ''), 'a.b\nc');
});
