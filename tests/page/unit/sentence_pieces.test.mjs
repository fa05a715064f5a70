import assert from 'node:assert/strict';
import {test} from 'node:test';

import {visibleToken} from '../../../src/render/html/head_model.js';
import {fileNameOf, shiftedPen, tilePictures} from '../../../src/render/html/save_view.js';
import {meanOfColumns, sentencePieces, trimmedPieces} from
  '../../../src/render/html/sentence_pieces.js';
import {svgPen} from '../../../src/render/html/pens.js';

test('a text is cut into its tokens, with what lies between', () => {
  const pieces = sentencePieces('the cat, sat', [null, [0, 3], [4, 7], [9, 12]],
      ['[CLS]', 'the', 'cat', 'sat']);
  assert.deepEqual(pieces.map((piece) => [piece.text, piece.token]),
      [['[CLS]', 0], ['the', 1], [' ', null], ['cat', 2], [', ', null], ['sat', 3]]);
  assert.equal(pieces.map((piece) => (piece.isName ? '' : piece.text)).join(''), 'the cat, sat');
});

test('tokens that share a character keep the text whole', () => {
  const pieces = sentencePieces('a日b', [[0, 1], [1, 2], [1, 2], [2, 3]],
      ['a', '<E6>', '<97>', 'b']);
  assert.deepEqual(pieces.map((piece) => piece.text), ['a', '日', '<97>', 'b']);
  assert.equal(pieces[2].isName, true);
});

test('spans outside of the text do no harm', () => {
  const pieces = sentencePieces('ab', [[0, 99], [5, 2]], ['ab', 'x']);
  assert.deepEqual(pieces.map((piece) => piece.text), ['ab', 'x']);
});

test('leading spaces stay outside of the coloured box', () => {
  const pieces = trimmedPieces(sentencePieces('a b', [[0, 1], [1, 3]], ['a', ' b']));
  assert.deepEqual(pieces.map((piece) => [piece.text, piece.token]),
      [['a', 0], [' ', null], ['b', 1]]);
});

test('the mean of a column leaves masked cells out', () => {
  const map = {rows: 2, cols: 2, values: Float32Array.of(1, 0, 0.5, 0.5),
    masked: Uint8Array.of(0, 1, 0, 0)};
  assert.deepEqual([...meanOfColumns(map)], [0.75, 0.5]);
});

test('tokens show what they hold: line ends, spaces, marks of direction', () => {
  assert.equal(visibleToken('a\nb'), 'a⏎b');
  assert.equal(visibleToken('\u202Eabc'), '<U+202E>abc');
  assert.equal(visibleToken('\0'), '<U+0000>');
  assert.equal(visibleToken(' '), '␣');
  assert.equal(visibleToken(''), '∅');
  assert.equal(visibleToken('</script>'), '</script>');
});

test('an SVG holds text as text, escaped', () => {
  const pen = svgPen();
  pen.text('</script><!--"&\0\uD800', 1, 2, {px: 12, color: [0, 0, 0]});
  pen.line(0, 0, 1.23456, 1, [1, 2, 3], 1, 0.5);
  const svg = pen.finish(10, 20, [255, 255, 255]);
  assert.match(svg, /&lt;\/script&gt;&lt;!--&quot;&amp;\uFFFD\uFFFD<\/text>/);
  assert.match(svg, /stroke-opacity="0.5"/);
  assert.match(svg, /L1.23 1/);
  assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="10" height="20"/);
});

test('pictures of one file stand side by side', () => {
  const {places, width, height} =
      tilePictures([{width: 10, height: 5}, {width: 20, height: 8}, {width: 5, height: 5}], 2);
  assert.deepEqual(places, [{x: 16, y: 16}, {x: 42, y: 16}, {x: 16, y: 40}]);
  assert.deepEqual([width, height], [78, 61]);
  const calls = [];
  shiftedPen({line: (...args) => calls.push(args)}, 100, 200).line(1, 2, 3, 4, 'c');
  assert.deepEqual(calls, [[101, 202, 103, 204, 'c']]);
});

test('file names are plain', () => {
  assert.equal(fileNameOf('mean of L4H1, L4H5', 'png'), 'mean-of-L4H1-L4H5.png');
  assert.equal(fileNameOf('../..', 'svg'), 'view.svg');
});
