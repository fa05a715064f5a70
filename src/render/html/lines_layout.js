// The two columns of tokens and the lines between them, without a screen.

import {strongLinks} from './head_maps.js';
import {makeValueScale} from './scales.js';

export const kLineSizes = {row: 22, px: 14, head: 26, side: 6, longest: 190, bar: 5};
// Of more cells than this only the chosen token's lines and the strongest ones are drawn.
const kMostAllCells = 6400;
const kStrongest = 1;       // lines kept for each query of a long input, unless the reader says
const kMostLines = 30000;
const kFaintest = 0.02;     // opacity: fainter lines are not seen
const kUsualSide = 850;     // px: with more room than this on both sides everything is larger
const kLargestLinesScale = 1.8;
const kWidestLines = 1100;
const kWidestShape = 1.2;   // of the height, where that is more
const kMostPixels = 1800;

// The room for lines between `count` tokens: {width, height} in the units that everything is laid
// out in, `scale` pixels each. Names grow as long as no more of them scroll away for that.
export function linesRoom(width, height, count) {
  const whole = kLineSizes.head + count * kLineSizes.row + 8;
  const most = Math.min(width / kUsualSide, height / kUsualSide, height / whole,
      kLargestLinesScale);
  const scale = Math.max(most, 1);
  const widest = Math.max(kWidestLines, Math.min(kWidestShape * height, kMostPixels) / scale);
  return {scale, width: Math.max(240, Math.min(width / scale, widest)),
    height: Math.max(200, height / scale)};
}

// Where the columns stand in a width: text of the queries ends at left, that of the keys starts at
// right.
export function linesColumns(width, widestQuery, widestKey) {
  const s = kLineSizes;
  const most = Math.max(40, width * 0.32);
  const left = s.side + Math.min(widestQuery, s.longest, most);
  const right = width - s.side - Math.min(widestKey, s.longest, most);
  return {left, right, gap: 8, queryRoom: left - s.side, keyRoom: width - s.side - right};
}

export function tokenY(token, scrollTop, row) {
  return kLineSizes.head + (token + 0.5) * row - scrollTop;
}

// Few tokens spread over the height there is; many scroll.
export function tokenRowHeight(height, count) {
  return Math.min(Math.max((height - kLineSizes.head - 8) / count, kLineSizes.row), 60);
}

export function tokenOfY(y, scrollTop, count, row) {
  const token = Math.floor((y + scrollTop - kLineSizes.head) / row);
  return y >= kLineSizes.head && token >= 0 && token < count ? token : null;
}

// The links of one token, as many as wanted.
function linksOf(map, {side, token}, {threshold, topk, firstCol}) {
  const isQuery = side === 'query';
  const links = strongLinks(map, {threshold, firstCol, count: isQuery ? topk : 0,
    onlyRow: isQuery ? token : null, onlyCol: isQuery ? null : token});
  if (isQuery || topk === 0) return links;
  return links.sort((a, b) => b.weight - a.weight).slice(0, topk);
}

export function hasManyLines(map) {
  return map.rows * map.cols > kMostAllCells;
}

// The links that are drawn for one head. `focus` is {side, token} of the token pointed at, or
// chosen; then no others are drawn while `isolate`.
export function visibleLinks(one, options) {
  const {threshold, topk, firstCol, focus, isolate} = options;
  const isLong = hasManyLines(one.map);
  const own = focus ? linksOf(one.map, focus, options) : [];
  if (focus && isolate) return cappedLinks(own);
  const count = topk > 0 ? topk : isLong ? kStrongest : 0;
  const all = keptLinks(one.map, {threshold, count, firstCol});
  return isLong && focus ? all.concat(own) : all;
}

// The last answer for each map: it is wanted again whenever the pointer leaves a token.
const linksOfMap = new WeakMap();

function keptLinks(map, wanted) {
  const key = [wanted.threshold, wanted.count, wanted.firstCol].join();
  const kept = linksOfMap.get(map);
  if (kept && kept.key === key) return kept.links;
  const links = cappedLinks(strongLinks(map, wanted));
  linksOfMap.set(map, {key, links});
  return links;
}

function cappedLinks(links) {
  if (links.length <= kMostLines) return links;
  return links.sort((a, b) => b.weight - a.weight).slice(0, kMostLines);
}

// Opacity of a weight on the reader's scale. `rowHigh(q)` is the largest weight of a row where rows
// are shown by their maximum.
export function lineOpacity(colors, norm, rowHigh) {
  if (norm !== 'row') {
    const scale = makeValueScale({kind: colors.kind, low: 0, high: colors.high});
    return (link) => scale.position(link.weight);
  }
  const scales = new Map();
  return (link) => {
    if (!scales.has(link.q)) {
      scales.set(link.q, makeValueScale({kind: colors.kind, low: 0, high: rowHigh(link.q)}));
    }
    return scales.get(link.q).position(link.weight);
  };
}

// Only lines that cross the part that is seen, and that can be seen.
export function linksInView(links, opacityOf, {scrollTop, height, row}) {
  const out = [];
  for (const link of links) {
    const opacity = opacityOf(link);
    if (opacity < kFaintest) continue;
    const [y1, y2] = [tokenY(link.q, scrollTop, row), tokenY(link.k, scrollTop, row)];
    if (Math.max(y1, y2) < 0 || Math.min(y1, y2) > height) continue;
    out.push({...link, opacity, y1, y2});
  }
  // The strongest last, so that they lie on top.
  return out.sort((a, b) => a.opacity - b.opacity);
}
