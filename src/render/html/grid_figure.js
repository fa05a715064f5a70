// One head's weights on the patches of a picture, drawn with a pen (see pens.js).

import {planRows, thinLabels} from './axis_labels.js';
import {mixColors} from './colors.js';
import {drawColorBar} from './heatmap_figure.js';
import {barWidth, kHeatmapSizes} from './heatmap_layout.js';
import {patchPlace} from './grid_model.js';

const kGridLabels = {px: 12.5, smallest: 11, thinned: 11};
const kGridGap = 6;
const kLinesFrom = 13;     // px: smaller patches have no lines between them
const kLineInk = 0.65;
const kMarkStroke = 2.5;
const kGridTitle = 18;

// The picture keeps its shape as far as whole pixels allow: patches that overlapped would show.
function patchSize(grid, room) {
  const shape = grid.picture ? grid.picture.width / grid.picture.height : grid.cols / grid.rows;
  const aspect = Math.min(Math.max(shape, 0.1), 10);
  const height = Math.min(room.height, room.width / aspect);
  const whole = (extent, count) =>
    Math.max(1, Math.floor(extent / count * room.dpr)) / room.dpr;
  return {width: whole(height * aspect, grid.cols), height: whole(height, grid.rows)};
}

// `room` is {width, height, dpr}: for the whole figure. `model` is {grid, colors, barTitle, ...}.
export function layoutGrid(model, room, measure) {
  const {grid} = model;
  const number = measure(String(Math.max(grid.rows, grid.cols) - 1), kGridLabels.px);
  const dpr = room.dpr || 1;
  const aligned = (length) => Math.ceil(length * dpr) / dpr;  // or seams between patches would show
  const left = aligned(number + kGridGap + 2);
  const top = aligned(model.title ? kGridTitle + 12 : 4);
  const below = kGridGap + kGridLabels.px + 6;
  const bar = barWidth(model, measure, false);
  const cell = patchSize(grid, {width: Math.max(40, room.width - left - bar - 4),
    height: Math.max(40, room.height - top - below), dpr});
  const area = {x: left, y: top, width: grid.cols * cell.width, height: grid.rows * cell.height};
  const barLength = Math.min(Math.max(area.height, kHeatmapSizes.shortestBar),
      kHeatmapSizes.longestBar);
  const title = model.title ? measure(model.title, kGridTitle, true) + 8 : 0;
  return {area, cell, compact: false, barRight: Math.ceil(left + area.width + bar),
    bar: {x: Math.round(left + area.width) + 18, y: top, width: kHeatmapSizes.bar,
      height: Math.round(barLength)},
    width: Math.ceil(Math.max(left + area.width + bar + 4, title)),
    height: Math.ceil(top + Math.max(area.height + below, barLength + 12))};
}

function patchBox(layout, place) {
  const {area, cell} = layout;
  return {x: area.x + place[1] * cell.width, y: area.y + place[0] * cell.height, ...cell};
}

function drawPatches(pen, model, layout) {
  const {grid, picture, showsWeights} = model;
  const opaque = !picture;
  if (picture && !showsWeights) return;
  for (let key = grid.prefix; key < grid.nKeys; ++key) {
    const paint = model.paintOf(key);
    if (!paint) continue;
    const box = patchBox(layout, patchPlace(grid, key));
    pen.rect(box.x, box.y, box.width, box.height, paint.color, opaque ? 1 : paint.opacity);
  }
}

function drawPatchLines(pen, {grid, theme}, {area, cell}) {
  if (Math.min(cell.width, cell.height) < kLinesFrom) return;
  const color = mixColors(theme.background, theme.line, kLineInk);
  for (let c = 1; c < grid.cols; ++c) {
    const x = area.x + c * cell.width;
    pen.line(x, area.y, x, area.y + area.height, color, 1);
  }
  for (let r = 1; r < grid.rows; ++r) {
    const y = area.y + r * cell.height;
    pen.line(area.x, y, area.x + area.width, y, color, 1);
  }
}

// Rows and columns from 0, as --query of the program counts them.
function drawPlaceNumbers(pen, {grid, theme}, {area, cell}, measure) {
  const style = {px: kGridLabels.px, color: theme.muted};
  for (const r of thinLabels(grid.rows, cell.height, planRows(cell.height, kGridLabels).needed)) {
    pen.text(String(r), area.x - kGridGap, area.y + (r + 0.5) * cell.height + 0.35 * style.px,
        {...style, align: 'end'});
  }
  const widest = measure(String(grid.cols - 1), style.px) + 5;
  for (const c of thinLabels(grid.cols, cell.width, widest)) {
    pen.text(String(c), area.x + (c + 0.5) * cell.width,
        area.y + area.height + kGridGap + 0.8 * style.px, {...style, align: 'middle'});
  }
}

// Two lines, so that it is seen over bright and dark alike.
function drawPatchMark(pen, model, layout, key, inner, stroke) {
  const place = key === null ? null : patchPlace(model.grid, key);
  if (!place) return;
  const box = patchBox(layout, place);
  pen.frame(box.x, box.y, box.width, box.height, [255, 255, 255], stroke + 1);
  pen.frame(box.x, box.y, box.width, box.height, inner, stroke);
}

// `model` is {grid, theme, colors, barTitle, paint: {table, theme}, paintOf(key), picture: {color,
// grey} or null, showsWeights, marked, title}; `hover` a key or null.
export function drawGrid(pen, model, layout, measure, hover = null) {
  const {area} = layout;
  const {theme, picture} = model;
  if (model.title) {
    pen.text(model.title, 4, kGridTitle * 1.1, {px: kGridTitle, bold: true,
      color: theme.foreground});
  }
  pen.rect(area.x, area.y, area.width, area.height, theme.background);
  if (picture) {
    const bitmap = model.showsWeights ? picture.grey : picture.color;
    pen.image(bitmap, {x: 0, y: 0, width: bitmap.width, height: bitmap.height}, area, true);
  }
  drawPatches(pen, model, layout);
  if (!picture) drawPatchLines(pen, model, layout);
  pen.frame(area.x, area.y, area.width, area.height, theme.line, 1);
  drawPlaceNumbers(pen, model, layout, measure);
  drawPatchMark(pen, model, layout, model.marked, [24, 90, 160], kMarkStroke);
  if (hover !== model.marked) drawPatchMark(pen, model, layout, hover, [20, 24, 31], 1.2);
  if (!picture || model.showsWeights) drawColorBar(pen, model, layout);
}

// The key under a point of the figure, or null.
export function keyAtPoint(grid, layout, x, y) {
  const {area, cell} = layout;
  const col = Math.floor((x - area.x) / cell.width);
  const row = Math.floor((y - area.y) / cell.height);
  if (row < 0 || col < 0 || row >= grid.rows || col >= grid.cols) return null;
  return grid.prefix + row * grid.cols + col;
}
