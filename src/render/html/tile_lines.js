// All heads as token lines: the picture of one head in the overview. Queries stand on the left,
// keys on the right, the first of both on top; the stronger the weight, the less transparent.

import {isPooled, rowMaxima, strongLinks} from './head_maps.js';
import {lineOpacity} from './lines_layout.js';

export const kMostTileLines = 400; // in a picture of single weights
const kPooledLines = 4;         // of each query of a pooled map, whose lines lie closer
const kFaintestTileLine = 0.03; // opacity: fainter ones are not seen
const kTileMargin = 0.06;       // of the side, on each

// Lines kept for each query; 0: all of them.
export function linesOfEachQuery(map) {
  if (isPooled(map)) return kPooledLines;
  const isMany = map.rows * map.cols > kMostTileLines;
  return isMany ? Math.max(kPooledLines, Math.floor(kMostTileLines / map.rows)) : 0;
}

// The lines of a small map, [{q, k, weight, opacity}], weakest first, so that strong ones lie on
// top. `look` is {scale, norm, high, firstCol}.
export function tileLines(map, look) {
  const maxima = look.norm === 'row' ? rowMaxima(map, look.firstCol) : null;
  const opacityOf = lineOpacity({kind: look.scale, high: look.high}, look.norm,
      (q) => maxima[Math.floor((q - (map.rowStart || 0)) / (map.rowPool || 1))]);
  return strongLinks(map, {firstCol: look.firstCol, count: linesOfEachQuery(map)})
      .map((link) => ({...link, opacity: opacityOf(link)}))
      .filter((link) => link.opacity >= kFaintestTileLine)
      .sort((a, b) => a.opacity - b.opacity);
}

// Where a line starts and ends in a square of this side.
export function tileLineEnds(link, map, side) {
  const {rowPool = 1, colPool = 1, rowStart = 0, colStart = 0} = map;
  const count = Math.max(map.rows * rowPool, map.cols * colPool);
  const margin = side * kTileMargin;
  const y = (token) => margin + (side - 2 * margin) * token / count;
  return {x1: margin, y1: y(link.q - rowStart + rowPool / 2),
    x2: side - margin, y2: y(link.k - colStart + colPool / 2)};
}

export function tileStroke(map, side) {
  return Math.min(Math.max(0.16 * side / Math.max(map.rows, map.cols), 0.8), 2.5);
}

export function drawTileLines(pen, map, links, side, color) {
  const stroke = tileStroke(map, side);
  for (const link of links) {
    const {x1, y1, x2, y2} = tileLineEnds(link, map, side);
    pen.curve(x1, y1, x2, y2, color, stroke, link.opacity);
  }
}

// What the pictures cannot say by themselves.
export function tileLinesNote(map, {poolKind = 'maximum', norm, high}) {
  const {rowPool = 1, colPool = 1} = map;
  const count = linesOfEachQuery(map);
  return ['Queries on the left, keys on the right',
    `the strongest line is ${norm === 'row' ? 'the largest weight of its query' :
      `a weight of ${Number(high.toPrecision(2))}`}`,
    isPooled(map) ? `each is the ${poolKind} of ${rowPool} x ${colPool} weights` : '',
    count > 0 ? `${count} for each query` : ''].filter(Boolean).join('; ') + '.';
}
