// Where the parts of a heatmap go. No screen in here: widths come from `measure(text, px)`.

import {cutMiddle, kLabelSizes, labelledTokens, planColumns, planRows} from './axis_labels.js';
import {roundTicks} from './scales.js';

export const kHeatmapSizes = {
  title: 21, caption: 14, axisTitle: 13.5, tick: 12.5, note: 12, margin: 14, gap: 7, titleLine: 19,
  bar: 15, longestBar: 420, shortestBar: 120, largestCell: 84, thinnest: 48,
};
const kTickDistance = 52;
const kDiagonalPart = Math.SQRT1_2;

// The widest of many labels: the longest texts are looked at, which is enough in practice and fast.
export function widestLabel(labels, px, longest, measure, bold = false) {
  const candidates = labels.length <= 64 ? labels :
    [...labels].sort((a, b) => b.length - a.length).slice(0, 48);
  let widest = 0;
  for (const label of candidates) {
    // Nothing is drawn wider than the longest: no need to measure a novel.
    widest = label.length > 400 ? longest : Math.max(widest, measure(label, px, bold));
    if (widest >= longest) return longest;
  }
  return widest;
}

function numberWidth(labels, measure) {
  return measure(String(labels.length), 0.9 * kLabelSizes.thinned) + 0.6 * kLabelSizes.thinned;
}

// Tokens without names are called after their positions, which need not be said twice.
function arePositions(labels) {
  return labels.every((label, i) => label === String(i));
}

function columnDepth(widest, angle, number) {
  const half = 0.3 * kLabelSizes.px;
  if (angle === 0) return kLabelSizes.gap + 1.1 * kLabelSizes.px;
  if (angle === 90) return kLabelSizes.gap + number + widest;
  // Zooming may thin or turn the labels: the depth must do for both ways.
  return kLabelSizes.gap + Math.max(number + (half + widest) * kDiagonalPart + 3, 0);
}

// How wide the colour bar is with its numbers. Figures side by side keep the same cells when all
// have room for the widest.
export function barWidth(model, measure, compact) {
  const texts = roundTicks(model.colors, 6).map((tick) => measure(tick.text, kHeatmapSizes.tick));
  const numbers = 9 + Math.max(...texts, 0) + 2;
  return compact ? 10 + 11 + numbers : 18 + kHeatmapSizes.bar + numbers + 4 +
      kHeatmapSizes.titleLine;
}

// Cells are square, unless the matrix is a mere line.
function cellArea(model, room, dpr, largestCell) {
  const [r0, r1, c0, c1] = model.bounds;
  const [rows, cols] = [r1 - r0, c1 - c0];
  const pool = model.pool || 1;
  let cell = Math.min(room.width / cols, room.height / rows, largestCell / Math.max(1, pool / 4));
  cell = Math.max(cell, 1e-3);
  if (cell * dpr >= 4) cell = Math.floor(cell * dpr) / dpr;
  const side = (count, most) =>
    Math.min(Math.max(count * cell, kHeatmapSizes.thinnest), Math.max(most, count * cell));
  return {width: side(cols, room.width), height: side(rows, room.height)};
}

// Narrow figures have the titles of rows and colours above the cells, not turned beside them.
const kCompactBelow = 480;
const kManyTokens = 80;
const kShortLabel = 100;

export function isCompact(width) {
  return width < kCompactBelow;
}

function isThinned(count, pitch) {
  return pitch < planRows(pitch).needed && count > 1;
}

// Depth of the labels on both sides, which depends on how close they stand: `pitch` of rows and
// columns, unknown at first.
function labelDepths(model, widest, pitch, measure) {
  const number = (labels, thinned) =>
    (thinned && !arePositions(labels) ? numberWidth(labels, measure) : 0);
  const rows = model.bounds[1] - model.bounds[0];
  const cols = model.bounds[3] - model.bounds[2];
  const rowNumber = number(model.rowLabels, pitch ? isThinned(rows, pitch.row) : rows > 40);
  const colNumber = number(model.colLabels, pitch ? isThinned(cols, pitch.col) : cols > 40);
  const {angle} = pitch ? planColumns(widest.col, pitch.col) : {angle: 90};
  return {row: kLabelSizes.gap + rowNumber + widest.row,
    col: columnDepth(widest.col, angle, colNumber),
    slanted: angle === 45 ? widest.col * kDiagonalPart - 4 : 0};
}

// The whole: {area, rowDepth, colDepth, bar, ...} in CSS pixels. `room` is {width, height, dpr,
// bar}.
export function layoutHeatmap(model, room, measure) {
  const s = kHeatmapSizes;
  const compact = isCompact(room.width);
  // Cells matter more than names where there are so many that few names are drawn.
  const many = Math.max(model.rowLabels.length, model.colLabels.length) > kManyTokens;
  const narrow = Math.min(many ? kShortLabel : kLabelSizes.longest,
      Math.max(60, room.width * 0.22));
  const widest = {row: widestLabel(model.rowLabels, kLabelSizes.px, narrow, measure, true),
    col: widestLabel(model.colLabels, kLabelSizes.px, narrow, measure, true)};
  const right = s.margin / 2 + (room.bar || barWidth(model, measure, compact));
  const top = (model.title ? s.title * 1.3 + (model.caption ? 22 : 0) + 6 : 0) + s.margin / 2;
  const legend = model.legend && model.legend.length > 0 ? 24 : 0;
  const notes = model.title ? 18 * (model.notes || []).length : 0;
  const parts = {right, top, narrow, legend, notes, compact};
  let pitch = null;
  for (let pass = 0; pass < 2; ++pass) {
    const depth = labelDepths(model, widest, pitch, measure);
    parts.left = Math.max((compact ? 0 : s.titleLine + s.gap) + depth.row, depth.slanted) + 4;
    const above = top + (compact ? s.titleLine + 4 : 0);
    const below = depth.col + s.gap + s.titleLine + legend + notes + s.margin / 2;
    parts.area = cellArea(model, {width: Math.max(60, room.width - parts.left - right),
      height: Math.max(60, room.height - above - below)}, room.dpr || 1,
    room.largestCell || s.largestCell);
    parts.depth = depth;
    pitch = {row: parts.area.height / (model.bounds[1] - model.bounds[0]),
      col: parts.area.width / (model.bounds[3] - model.bounds[2])};
  }
  return finishLayout(model, parts, measure);
}

function finishLayout(model, parts, measure) {
  const s = kHeatmapSizes;
  const {left, top, depth, legend} = parts;
  let width = left + parts.area.width + parts.right;
  if (model.title) {
    const title = measure(model.title, s.title, true);
    const lines = [model.caption || '', ...(model.notes || [])].map((t) => measure(t, s.caption));
    width = Math.max(width, s.margin * 2 + title, ...lines.map((line) => line + s.margin * 2));
  }
  const isFlat = parts.compact || parts.area.height < measure(model.rowTitle, s.axisTitle) + 4;
  const areaTop = top + (isFlat ? s.titleLine + 4 : 0);
  const area = {x: Math.round(left), y: Math.round(areaTop), ...parts.area};
  const barLength = Math.round(Math.max(Math.min(area.height, s.longestBar), s.shortestBar));
  const bar = {x: Math.round(area.x + area.width) + (parts.compact ? 10 : 18), y: area.y,
    width: parts.compact ? 11 : s.bar, height: barLength};
  const axisBottom = area.y + area.height + depth.col + s.gap + s.titleLine;
  const bottom = Math.max(axisBottom, bar.y + barLength + 8) + legend;
  const barTitleFits = measure(model.rowTitle, s.axisTitle) + 16 +
      measure(model.barTitle, s.axisTitle) < width - 8;
  return {area, bar, isFlat, compact: parts.compact, barTitleFits, colDepth: depth.col,
    rowDepth: depth.row, longest: parts.narrow, barRight: Math.ceil(left + parts.area.width +
    parts.right), legendY: bottom - legend + 6, axisTitleY: axisBottom - 5, notesY: bottom + 14,
    width: Math.ceil(width), height: Math.ceil(bottom + parts.notes + s.margin / 2)};
}

export function barTicks(model, layout) {
  const most = Math.floor(layout.bar.height / kTickDistance);
  return roundTicks(model.colors, Math.min(Math.max(most, 2), 6));
}

// Row labels that are seen: [{token, text, x, y, px, number}], text ends at x.
export function rowLabelsIn(model, layout, places, win, measure, pointed = null) {
  const pitch = places.cellHeight;
  const plan = planRows(pitch);
  const first = model.bounds[0];
  const n = Math.min(model.rowLabels.length, model.bounds[1]) - first;
  const {tokens, thinned} = labelledTokens(n, win[0] - first, win[1] - first, pitch, plan.needed);
  const numbered = thinned && !arePositions(model.rowLabels);
  const number = numbered ? numberWidth(model.rowLabels, measure) : 0;
  const room = layout.rowDepth - kLabelSizes.gap - number;
  const label = (token, bold) => ({
    token,
    text: cutMiddle(model.rowLabels[token], Math.min(layout.longest, room) + 0.5,
        (text) => measure(text, plan.px, bold)),
    px: plan.px,
    x: layout.area.x - kLabelSizes.gap - number,
    y: places.y(token + 0.5) + 0.35 * plan.px,
    tick: thinned,
    number: numbered ? String(token) : null,
    numberX: layout.area.x - kLabelSizes.gap,
    numberPx: 0.9 * plan.px,
  });
  const labels = tokens.map((at) => label(at + first, at + first === pointed));
  if (isLabelMissing(labels, pointed, win[0], win[1], model.rowLabels.length)) {
    return withLabel(labels, label(pointed, true), pitch, plan.needed);
  }
  return labels;
}

// One more label in the place of those it would touch.
function withLabel(labels, added, pitch, needed) {
  return [...labels.filter((l) => Math.abs(l.token - added.token) * pitch >= needed), added];
}

// The token under the crosshair is named even where its label is thinned away.
function isLabelMissing(labels, token, low, high, count) {
  if (token === null || token < 0 || token >= count) return false;
  return token + 0.5 >= low && token + 0.5 <= high && !labels.some((l) => l.token === token);
}

// Labels start at the first key that is drawn.
export function columnLabelsIn(model, layout, places, win, measure, pointed = null) {
  const pitch = places.cellWidth;
  const first = model.bounds[2];
  const n = Math.min(model.colLabels.length, model.bounds[3]) - first;
  const widest = widestLabel(model.colLabels, kLabelSizes.px, layout.longest, measure);
  const plan = planColumns(widest, pitch);
  const {tokens, thinned} =
      labelledTokens(n, win[2] - first, win[3] - first, pitch, plan.needed);
  const numbered = thinned && !arePositions(model.colLabels);
  const number = numbered ? numberWidth(model.colLabels, measure) : 0;
  const depth = layout.colDepth - kLabelSizes.gap;
  const room = plan.angle === 0 ? pitch :
    plan.angle === 90 ? depth - number : depth / kDiagonalPart - 0.3 * plan.px;
  const label = (token) => placeColumnLabel(plan, layout, {
    token,
    x: places.x(token + 0.5),
    text: cutMiddle(model.colLabels[token], Math.min(layout.longest, room) + 0.5,
        (text) => measure(text, plan.px, token === pointed)),
    number: numbered ? String(token) : null,
    tick: thinned,
    shift: number,
  });
  let labels = tokens.map((at) => label(at + first));
  if (isLabelMissing(labels, pointed, win[2], win[3], model.colLabels.length)) {
    labels = withLabel(labels, label(pointed), pitch, plan.needed);
  }
  return {labels, angle: plan.angle};
}

function placeColumnLabel(plan, layout, label) {
  const bottom = layout.area.y + layout.area.height;
  const half = 0.33 * plan.px;
  const common = {token: label.token, text: label.text, px: plan.px, angle: plan.angle,
    tick: label.tick, center: label.x, number: label.number, numberPx: 0.9 * plan.px};
  if (plan.angle === 0) {
    return {...common, align: 'middle', x: label.x, y: bottom + kLabelSizes.gap + 0.75 * plan.px};
  }
  const turned = plan.angle === 90 ? half : half * kDiagonalPart;
  return {...common, align: 'end', x: label.x + turned,
    y: bottom + kLabelSizes.gap + label.shift + (plan.angle === 90 ? 0 : turned),
    numberX: label.x + half, numberY: bottom + kLabelSizes.gap};
}
