// What colours mean: a bar of them with round numbers below.

import {colorIndex} from './colors.js';
import {makeElement} from './page_parts.js';
import {roundTicks} from './scales.js';

const kColors = 256;
const kMostTicks = 5;

// The key of `paint`, which is that of the cells; `signed` puts a plus before what is above zero.
export function colorKey(paint, title, signed = false) {
  const bar = makeElement('canvas', {class: 'key-bar', width: kColors, height: 1});
  const context = bar.getContext('2d');
  const pixels = context.createImageData(kColors, 1);
  for (let i = 0; i < kColors; ++i) {
    const at = 3 * colorIndex(i / (kColors - 1));
    pixels.data.set([paint.table[at], paint.table[at + 1], paint.table[at + 2], 255], 4 * i);
  }
  context.putImageData(pixels, 0, 0);
  const ticks = roundTicks({kind: paint.kind, low: paint.low, high: paint.high, signed}, kMostTicks);
  const numbers = makeElement('span', {class: 'key-numbers'}, ...ticks.map(({position, text}) => {
    const number = makeElement('span', {}, text);
    number.style.left = `${100 * position}%`;
    return number;
  }));
  return makeElement('span', {class: 'color-key'}, makeElement('span', {}, title),
      makeElement('span', {class: 'key-box'}, bar, numbers));
}
