// The cells of a map as pixels, one each: what the heatmap scales up, so that panning a large
// matrix costs one drawImage.

import {colorIndex} from './colors.js';
import {kCellMissing, rowMaxima} from './head_maps.js';
import {makeValueScale} from './scales.js';

function putPixel(pixels, at, color) {
  pixels[at] = color[0];
  pixels[at + 1] = color[1];
  pixels[at + 2] = color[2];
  pixels[at + 3] = 255;
}

// The scale of each row: the one for all, or its own up to its largest value.
function rowScales(map, paint) {
  const shared = makeValueScale(paint);
  if (paint.norm !== 'row') return () => shared;
  const maxima = rowMaxima(map, paint.firstCol || 0);
  return (r) => makeValueScale({kind: paint.kind, low: 0, high: maxima[r]});
}

// RGBA of every cell. `paint` is {table, theme, kind, low, high, norm, firstCol, showMask}.
export function cellPixels(map, paint) {
  const pixels = new Uint8ClampedArray(4 * map.values.length);
  const {table, theme} = paint;
  const scaleOf = rowScales(map, paint);
  for (let r = 0, i = 0; r < map.rows; ++r) {
    const scale = scaleOf(r);
    for (let c = 0; c < map.cols; ++c, ++i) {
      const state = map.masked ? map.masked[i] : 0;
      const value = state && state !== kCellMissing ? 0 : map.values[i];
      if (state === kCellMissing || Number.isNaN(value)) putPixel(pixels, 4 * i, theme.missing);
      else if (state && paint.showMask) putPixel(pixels, 4 * i, theme.masked);
      else if (!Number.isFinite(value)) putPixel(pixels, 4 * i, theme.nonFinite);
      else {
        const at = 3 * colorIndex(scale.position(value));
        pixels[4 * i] = table[at];
        pixels[4 * i + 1] = table[at + 1];
        pixels[4 * i + 2] = table[at + 2];
        pixels[4 * i + 3] = 255;
      }
    }
  }
  return pixels;
}

// The same as a canvas that was never put into the page.
export function cellBitmap(map, paint) {
  const canvas = document.createElement('canvas');
  canvas.width = map.cols;
  canvas.height = map.rows;
  const context = canvas.getContext('2d');
  const pixels = cellPixels(map, paint);
  context.putImageData(new ImageData(pixels, map.cols, map.rows), 0, 0);
  return {canvas, pixels};
}

export function bitmapColor(bitmap, map, r, c) {
  const at = 4 * (r * map.cols + c);
  return [bitmap.pixels[at], bitmap.pixels[at + 1], bitmap.pixels[at + 2]];
}
