// Draws one heatmap with a pen (see pens.js): cells, labels, colour bar, legend, crosshair.

import {bitmapColor} from './cell_bitmap.js';
import {colorAt, luminanceOf, mixColors, numberInk} from './colors.js';
import {largestValue, maskedRows, pools} from './head_maps.js';
import {barTicks, columnLabelsIn, kHeatmapSizes, rowLabelsIn} from './heatmap_layout.js';
import {cellsInWindow, windowPlaces} from './map_window.js';
import {cellNumber} from './scales.js';

const kSeparatorInk = 0.65;
const kSeparatorFrom = 13;   // px: smaller cells have no lines between them
const kMostVectorCells = 40000;

// Cells as rectangles: small enough for a vector figure that a person edits.
function drawVectorCells(pen, layer, part, places) {
  const pool = pools(layer.map);
  for (let r = part.rows.first; r < part.rows.first + part.rows.count; ++r) {
    for (let c = part.cols.first; c < part.cols.first + part.cols.count; ++c) {
      const x = places.x(pool.colStart + c * pool.col);
      const y = places.y(pool.rowStart + r * pool.row);
      // A hair more than the cell, or viewers show seams.
      pen.rect(x, y, pool.col * places.cellWidth + 0.25, pool.row * places.cellHeight + 0.25,
          bitmapColor(layer.bitmap, layer.map, r, c));
    }
  }
}

function drawLayer(pen, layer, win, area) {
  const part = cellsInWindow(layer.map, win);
  if (part.rows.count === 0 || part.cols.count === 0) return;
  const places = windowPlaces(win, area);
  if (pen.isVector && part.rows.count * part.cols.count <= kMostVectorCells) {
    return drawVectorCells(pen, layer, part, places);
  }
  const pool = pools(layer.map);
  const x = places.x(pool.colStart + part.cols.first * pool.col);
  const y = places.y(pool.rowStart + part.rows.first * pool.row);
  pen.image(layer.bitmap.canvas,
      {x: part.cols.first, y: part.rows.first, width: part.cols.count, height: part.rows.count},
      {x, y, width: part.cols.count * pool.col * places.cellWidth,
        height: part.rows.count * pool.row * places.cellHeight});
}

function drawSeparators(pen, layer, win, area, theme) {
  const places = windowPlaces(win, area);
  const pool = pools(layer.map);
  const [width, height] = [pool.col * places.cellWidth, pool.row * places.cellHeight];
  if (Math.min(width, height) < kSeparatorFrom) return;
  const part = cellsInWindow(layer.map, win);
  const color = mixColors(theme.background, theme.line, kSeparatorInk);
  const stroke = Math.min(width, height) < 40 ? 1 : 1.5;
  for (let c = part.cols.first; c <= part.cols.first + part.cols.count; ++c) {
    const x = places.x(pool.colStart + c * pool.col);
    pen.line(x, area.y, x, area.y + area.height, color, stroke);
  }
  for (let r = part.rows.first; r <= part.rows.first + part.rows.count; ++r) {
    const y = places.y(pool.rowStart + r * pool.row);
    pen.line(area.x, y, area.x + area.width, y, color, stroke);
  }
}

// Strokes over a box, kept within it.
export function drawHatch(pen, x, y, width, height, color) {
  pen.clip(x, y, width, height);
  for (let at = -height; at < width; at += 7) {
    pen.line(x + at, y + height, x + at + height, y, color, 1.5);
  }
  pen.unclip();
}

function hatchMaskedRows(pen, layer, win, area, theme) {
  const places = windowPlaces(win, area);
  const pool = pools(layer.map);
  const part = cellsInWindow(layer.map, win);
  const rows = layer.fullyMasked || (layer.fullyMasked = maskedRows(layer.map));
  const height = pool.row * places.cellHeight;
  for (let r = part.rows.first; r < part.rows.first + part.rows.count; ++r) {
    if (!rows[r]) continue;
    let end = r + 1;
    while (end < part.rows.first + part.rows.count && rows[end]) ++end;
    drawHatch(pen, area.x, places.y(pool.rowStart + r * pool.row), area.width, height * (end - r),
        theme.hatch);
    r = end - 1;
  }
}

// The size of digits in cells of this size, or null where a number does not fit.
export function numberSize(width, height, measure) {
  const px = Math.min(Math.max(0.29 * width, 11), 17);
  return measure('.99', px) + 5 <= width && px * 1.3 <= height ? px : null;
}

function drawNumbers(pen, model, layer, win, area, measure) {
  const places = windowPlaces(win, area);
  const {map} = layer;
  const pool = pools(map);
  const [width, height] = [pool.col * places.cellWidth, pool.row * places.cellHeight];
  const px = numberSize(width, height, measure);
  const signed = Boolean(model.colors.signed);
  if (px === null || (signed && measure('-.88', px) + 5 > width)) return;
  layer.largest = layer.largest || largestValue(map, 0, true);
  const zero = colorAt(model.paint.table, signed ? 0.5 : 0);
  const part = cellsInWindow(map, win);
  for (let r = part.rows.first; r < part.rows.first + part.rows.count; ++r) {
    for (let c = part.cols.first; c < part.cols.first + part.cols.count; ++c) {
      const i = r * map.cols + c;
      if (map.masked && map.masked[i]) continue;
      const text = cellNumber(map.values[i]);
      // Below a tenth of the largest the colour says all there is to say.
      if (text === '' || Math.abs(map.values[i]) < layer.largest / 10) continue;
      if (measure(text, px) > width) continue;
      pen.text(text, places.x(pool.colStart + (c + 0.5) * pool.col),
          places.y(pool.rowStart + (r + 0.5) * pool.row) + 0.36 * px,
          {px, align: 'middle', color: numberInk(bitmapColor(layer.bitmap, map, r, c), zero)});
    }
  }
}

function coversWindow(map, win) {
  const pool = pools(map);
  return pool.rowStart <= win[0] && pool.colStart <= win[2] &&
      pool.rowStart + map.rows * pool.row >= win[1] &&
      pool.colStart + map.cols * pool.col >= win[3];
}

function drawCells(pen, model, win, area, measure) {
  const theme = model.paint.theme;
  pen.clip(area.x, area.y, area.width, area.height);
  pen.rect(area.x, area.y, area.width, area.height, theme.background);
  for (const layer of model.layers) drawLayer(pen, layer, win, area);
  const sharpest = [...model.layers].reverse().find((layer) => coversWindow(layer.map, win)) ||
      model.layers[0];
  drawSeparators(pen, sharpest, win, area, theme);
  if (model.paint.showMask) hatchMaskedRows(pen, model.layers[0], win, area, theme);
  drawNumbers(pen, model, sharpest, win, area, measure);
  for (const layer of model.layers.slice(1)) frameSharpPart(pen, layer.map, win, area, theme);
  pen.unclip();
  pen.frame(area.x, area.y, area.width, area.height, theme.line, 1);
}

// A line around the part of a pooled map whose single weights are known.
function frameSharpPart(pen, map, win, area, theme) {
  const places = windowPlaces(win, area);
  const pool = pools(map);
  const [x, y] = [places.x(pool.colStart), places.y(pool.rowStart)];
  pen.frame(x, y, map.cols * pool.col * places.cellWidth, map.rows * pool.row * places.cellHeight,
      theme.accent, 1);
}

// A label that is pointed at or chosen stands out; so do words that differ between two inputs.
function labelStyle(model, label, marked, pointed) {
  const theme = model.paint.theme;
  const stands = marked && marked.has(label.token);
  return {px: label.px, bold: stands || label.token === pointed,
    color: stands || label.token === pointed ? theme.accent : theme.foreground};
}

// Number and tick beside a thinned label: which of hundreds of tokens is meant.
function drawRowLabels(pen, model, layout, labels, pointed) {
  const theme = model.paint.theme;
  for (const label of labels) {
    pen.text(label.text, label.x, label.y,
        {...labelStyle(model, label, model.markedRows, pointed), align: 'end'});
    if (!label.tick) continue;
    if (label.number !== null) {
      pen.text(label.number, label.numberX, label.y,
          {px: label.numberPx, align: 'end', color: theme.muted});
    }
    const y = label.y - 0.35 * label.px;
    pen.line(layout.area.x - 5, y, layout.area.x - 1, y, theme.muted, 1);
  }
}

function drawColumnLabels(pen, model, layout, labels, pointed) {
  const theme = model.paint.theme;
  const bottom = layout.area.y + layout.area.height;
  for (const label of labels) {
    pen.text(label.text, label.x, label.y, {...labelStyle(model, label, model.markedCols, pointed),
      align: label.align, angle: label.angle});
    if (!label.tick) continue;
    if (label.number !== null) {
      pen.text(label.number, label.numberX ?? label.x, label.numberY ?? label.y,
          {px: label.numberPx, align: 'end', angle: 90, color: theme.muted});
    }
    pen.line(label.center, bottom + 1, label.center, bottom + 5, theme.muted, 1);
  }
}

export function drawColorBar(pen, model, layout) {
  const {bar} = layout;
  const theme = model.paint.theme;
  // Each covers the edge of the one below, or seams would show where pixels are not whole.
  const steps = Math.round(bar.height);
  for (let i = 0; i < steps; ++i) {
    pen.rect(bar.x, bar.y + steps - 1 - i, bar.width, i > 0 ? 2 : 1,
        colorAt(model.paint.table, i / Math.max(1, steps - 1)));
  }
  pen.frame(bar.x, bar.y, bar.width, bar.height, theme.line, 1);
  for (const tick of barTicks(model, layout)) {
    const y = bar.y + bar.height * (1 - tick.position);
    pen.line(bar.x + bar.width + 1, y, bar.x + bar.width + 5, y, theme.muted, 1);
    pen.text(tick.text, bar.x + bar.width + 8, y + 4.5,
        {px: kHeatmapSizes.tick, color: theme.muted});
  }
  const style = {px: kHeatmapSizes.axisTitle, color: theme.muted};
  if (!layout.compact) {
    pen.text(model.barTitle, layout.barRight - 8, bar.y + bar.height / 2,
        {...style, align: 'middle', angle: 90});
  } else if (layout.barTitleFits) {
    pen.text(model.barTitle, layout.barRight - 4, bar.y - 10, {...style, align: 'end'});
  }
}

function drawAxisTitles(pen, model, layout) {
  const {area} = layout;
  const style = {px: kHeatmapSizes.axisTitle, color: model.paint.theme.muted};
  pen.text(model.colTitle, area.x + area.width / 2, layout.axisTitleY, {...style, align: 'middle'});
  if (layout.isFlat) {
    pen.text(model.rowTitle, 4, area.y - 10, style);
  } else {
    pen.text(model.rowTitle, 14, area.y + area.height / 2, {...style, align: 'middle', angle: 90});
  }
}

function drawLegend(pen, model, layout, measure) {
  const theme = model.paint.theme;
  let x = layout.area.x;
  for (const entry of model.legend || []) {
    pen.rect(x, layout.legendY, 13, 13, entry.color);
    if (entry.hatched) drawHatch(pen, x, layout.legendY, 13, 13, theme.hatch);
    pen.text(entry.text, x + 19, layout.legendY + 11, {px: kHeatmapSizes.tick, color: theme.muted});
    x += 19 + measure(entry.text, kHeatmapSizes.tick) + 18;
  }
}

function drawTexts(pen, model, layout) {
  if (!model.title) return;
  const theme = model.paint.theme;
  const s = kHeatmapSizes;
  pen.text(model.title, s.margin, s.title * 1.15,
      {px: s.title, bold: true, color: theme.foreground});
  if (model.caption) {
    pen.text(model.caption, s.margin, s.title * 1.3 + 18, {px: s.caption, color: theme.muted});
  }
  (model.notes || []).forEach((note, i) => pen.text(note, s.margin, layout.notesY + 18 * i,
      {px: s.note, color: theme.muted}));
}

// Two bands of lines through a cell, drawn in a colour that shows on any map.
function drawCross(pen, win, area, cell, color, stroke) {
  const places = windowPlaces(win, area);
  const bounded = (low, high, from, to) => [Math.max(low, from), Math.min(high, to)];
  const [x0, x1] = bounded(places.x(cell.cols[0]), places.x(cell.cols[1]), area.x,
      area.x + area.width);
  const [y0, y1] = bounded(places.y(cell.rows[0]), places.y(cell.rows[1]), area.y,
      area.y + area.height);
  if (y1 >= y0) {
    for (const y of [y0, y1]) pen.line(area.x, y, area.x + area.width, y, color, stroke);
  }
  if (x1 >= x0) {
    for (const x of [x0, x1]) pen.line(x, area.y, x, area.y + area.height, color, stroke);
  }
}

// Orange on blue maps, white on dark ones: seen on all of them.
function crossColor(model) {
  const middle = colorAt(model.paint.table, 0.5);
  return luminanceOf(middle) > 0.5 ? [176, 64, 0] : [230, 130, 0];
}

// `marks` is {hover, chosen}: cells {rows: [r0, r1], cols: [c0, c1]} in tokens, or null.
export function drawHeatmap(pen, model, layout, win, measure, marks = {}) {
  const {area} = layout;
  const places = windowPlaces(win, area);
  drawTexts(pen, model, layout);
  drawCells(pen, model, win, area, measure);
  const color = crossColor(model);
  pen.clip(area.x - 1, area.y - 1, area.width + 2, area.height + 2);
  if (marks.chosen) drawCross(pen, win, area, marks.chosen, color, 2);
  if (marks.hover) drawCross(pen, win, area, marks.hover, color, 1.2);
  pen.unclip();
  const at = marks.hover || marks.chosen || {rows: [null], cols: [null]};
  const [row, col] = [at.rows[0], at.cols[0]];
  drawRowLabels(pen, model, layout, rowLabelsIn(model, layout, places, win, measure, row), row);
  drawColumnLabels(pen, model, layout,
      columnLabelsIn(model, layout, places, win, measure, col).labels, col);
  drawAxisTitles(pen, model, layout);
  drawColorBar(pen, model, layout);
  drawLegend(pen, model, layout, measure);
}
