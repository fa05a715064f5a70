import assert from 'node:assert/strict';
import {test} from 'node:test';

import {cellPixels} from '../../../src/render/html/cell_bitmap.js';
import {cellTheme, colorAt, colorIndex, colormapChoices, colormapTable, contrastRatio, cssColor,
  numberInk, textOn} from '../../../src/render/html/colors.js';

const ramp = Uint8Array.from({length: 768}, (_, i) => Math.floor(i / 3));
const blues = Uint8Array.from({length: 768}, (_, i) => 255 - Math.floor(i / 3));
const maps = {blues, magma: ramp, diverging: ramp, 'diverging-on-dark': blues};

test('a position becomes the nearest of 256 colours, as in the PNGs', () => {
  assert.equal(colorIndex(0), 0);
  assert.equal(colorIndex(1), 255);
  assert.equal(colorIndex(0.5), 128);
  assert.equal(colorIndex(0.4979), 127);
  assert.equal(colorIndex(-3), 0);
  assert.equal(colorIndex(7), 255);
  assert.deepEqual(colorAt(ramp, 1), [255, 255, 255]);
});

test('the theme chooses a map, and turns the ones that start at its background', () => {
  assert.equal(colormapTable(maps, 'auto', false), blues);
  assert.equal(colormapTable(maps, 'auto', true), ramp);
  assert.equal(colormapTable(maps, 'blues', false)[0], 255);
  assert.equal(colormapTable(maps, 'blues', true)[0], 0);
  assert.equal(colormapTable(maps, 'diverging', true), blues);
  assert.deepEqual(colormapChoices(maps), ['blues', 'magma']);
});

test('text on any colour has a contrast of at least 4.5', () => {
  for (let r = 0; r < 256; r += 15) {
    for (let g = 0; g < 256; g += 15) {
      for (let b = 0; b < 256; b += 15) {
        const color = [r, g, b];
        assert.ok(contrastRatio(color, textOn(color)) >= 4.5, color.join());
      }
    }
  }
});

test('numbers are fainter where a cell looks like zero', () => {
  const zero = [255, 255, 255];
  const faint = contrastRatio(zero, numberInk(zero, zero));
  const full = contrastRatio([8, 48, 107], numberInk([8, 48, 107], zero));
  assert.ok(faint < full);
  assert.ok(faint >= 4.5);
});

test('colours are written for CSS', () => {
  assert.equal(cssColor([1, 2, 3]), 'rgb(1,2,3)');
  assert.equal(cssColor([1, 2, 3], 0.25), 'rgba(1,2,3,0.25)');
});

const theme = cellTheme(false);
const paint = {table: ramp, theme, kind: 'linear', low: 0, high: 1, norm: 'none', firstCol: 0,
  showMask: true};
const pixel = (pixels, i) => [...pixels.slice(4 * i, 4 * i + 4)];

test('cells: values by the map, masked ones apart, missing and infinite ones apart', () => {
  const map = {rows: 1, cols: 5, values: Float32Array.of(0, 1, 0, NaN, Infinity),
    masked: Uint8Array.of(0, 0, 1, 0, 0)};
  const pixels = cellPixels(map, paint);
  assert.deepEqual(pixel(pixels, 0), [0, 0, 0, 255]);
  assert.deepEqual(pixel(pixels, 1), [255, 255, 255, 255]);
  assert.deepEqual(pixel(pixels, 2), [...theme.masked, 255]);
  assert.deepEqual(pixel(pixels, 3), [...theme.missing, 255]);
  assert.deepEqual(pixel(pixels, 4), [...theme.nonFinite, 255]);
  const hidden = cellPixels(map, {...paint, showMask: false});
  assert.deepEqual(pixel(hidden, 2), [0, 0, 0, 255]);
});

test('each row by its own maximum, which a dropped first column does not raise', () => {
  const map = {rows: 2, cols: 3, values: Float32Array.of(0.8, 0.1, 0.1, 0, 0.02, 0.01),
    masked: new Uint8Array(6)};
  const byRow = cellPixels(map, {...paint, norm: 'row'});
  assert.equal(pixel(byRow, 0)[0], 255);
  assert.equal(pixel(byRow, 1)[0], 32);
  assert.equal(pixel(byRow, 4)[0], 255);
  const dropped = cellPixels(map, {...paint, norm: 'row', firstCol: 1});
  assert.equal(pixel(dropped, 1)[0], 255);
});
