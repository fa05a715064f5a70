// The text once for each head: which part of it, and what is said of it.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {piecesOfSide, piecesWithin} from '../../../src/render/html/sentence_pieces.js';
import {evenColumns, excerptOf, kMostTextTokens, startWithToken, textColumnWidth, textsCaption,
  textsStatus} from
  '../../../src/render/html/text_excerpt.js';

const names = (count) => Array.from({length: count}, (_, i) => `w${i}`);

test('a short text is whole, of a long one a part is shown', () => {
  assert.deepEqual(excerptOf(0, 12), {first: 0, end: 12});
  assert.deepEqual(excerptOf(300, 12), {first: 0, end: 12});
  assert.deepEqual(excerptOf(0, 500), {first: 0, end: kMostTextTokens});
  assert.deepEqual(excerptOf(450, 500), {first: 500 - kMostTextTokens, end: 500});
});

test('the part moves only for a token that is not in it', () => {
  assert.equal(startWithToken(100, 250, 500), 100);
  assert.equal(startWithToken(100, null, 500), 100);
  assert.equal(startWithToken(0, 350, 500), 250);
  assert.equal(startWithToken(0, 499, 500), 300);
  assert.equal(startWithToken(200, 3, 500), 0);
});

test('a part of a text keeps what stands between its tokens', () => {
  const input = {queryTokens: ['the', 'cat', 'sat'], queryWords: [[0, 3], [4, 7], [9, 12]],
    text: 'the cat, sat'};
  const pieces = piecesOfSide('query', input);
  assert.equal(piecesWithin(pieces, 1, 3).map((piece) => piece.text).join(''), 'cat, sat');
  assert.equal(piecesWithin(pieces, 0, 1).map((piece) => piece.text).join(''), 'the');
  assert.deepEqual(piecesWithin(pieces, 5, 9), []);
  const unnamed = piecesOfSide('key', {keyTokens: ['a', 'b'], keyWords: null, text: null});
  assert.deepEqual(unnamed.map((piece) => [piece.text, piece.token, piece.isApart]),
      [['a', 0, true], ['b', 1, true]]);
});

test('it is said what colours the texts and what is missing', () => {
  const input = {queryTokens: names(300), keyTokens: names(300)};
  assert.match(textsCaption({token: null, direction: 'from'}, input, false), /mean weight/);
  assert.equal(textsCaption({token: 7, direction: 'from'}, input, false),
      'Where “w7” (7) attends to, in every head.');
  assert.match(textsCaption({token: 7, direction: 'to'}, input, true),
      /^What attends to “w7” \(7\).*let it go/);
  assert.equal(textsStatus({waiting: 0, input: {queryTokens: ['a'], keyTokens: ['a']}, start: 0,
    map: null}), '');
  assert.equal(textsStatus({waiting: 1, input, start: 150, map: {rowPool: 2, colPool: 2}}),
      'tokens 100 to 299 of 300; each weight is the maximum of 2 x 2; ' +
      'reading the weights of 1 more head …');
});

test('columns get wider with the text, within bounds', () => {
  const widths = [5, 60, 400, 900, 90000].map(textColumnWidth);
  assert.deepEqual(widths, [...widths].sort((a, b) => a - b));
  assert.equal(widths[0], 15);
  assert.equal(widths[4], 29);
});

test('the rows of a layer are of one length', () => {
  assert.deepEqual([[8, 12], [12, 12], [20, 12], [7, 12], [3, 8], [0, 8], [5, 1]].map(
      ([fit, count]) => evenColumns(fit, count)), [6, 12, 12, 6, 3, 1, 1]);
});
