// From heads and the reader's choices to what the views draw. A shown head is {name, labelText,
// map, sharp}: one head, or the mean of several.

import {cellBitmap} from './cell_bitmap.js';
import {colormapTable} from './colors.js';
import {cellKinds, haveOneShape, isPooled, largestValue, mapWindow, meanMap, meanName,
  rememberedFor} from './head_maps.js';
import {exactText, scaleTitle, symmetricRange} from './scales.js';

// Control characters and the marks that turn the direction of text must be seen, not obeyed.
export function visibleToken(text) {
  const shown = String(text).replace(/\n/g, '⏎').replace(/\t/g, '⇥').replace(
      /[\u0000-\u001F\u007F-\u009F\u2028\u2029\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g,
      (c) => `<U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
  if (shown === '') return '∅';
  return shown.trim() === '' ? '␣'.repeat(Math.min(shown.length, 4)) : shown;
}

// A token within a sentence of ours: its direction must not turn what stands around it.
export function quotedToken(text) {
  const shown = visibleToken(text);
  return /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/.test(shown) ?
    `\u2068${shown}\u2069` : shown;
}

// "L4H11  previous token".
export function headTitle(head) {
  return head.labelText ? `${head.name}  ${head.labelText}` : head.name;
}

// The heads to show, loaded: [{name, labelText, map, sharp}].
export async function loadShownHeads(input, names, mean) {
  const heads = names.map((name) => input.heads.find((head) => head.name === name)).filter(Boolean);
  const maps = await Promise.all(heads.map((head) => head.load()));
  if (heads.length === 0) return [];
  if (mean && maps.length > 1 && haveOneShape(maps)) {
    const map = meanMap(maps);
    return [{name: meanName(heads.map((head) => head.name)), labelText: '', map,
      sharp: await sharpPart(map), heads}];
  }
  return Promise.all(heads.map(async (head, i) => ({name: head.name,
    labelText: head.labelText || '', map: maps[i], sharp: await sharpPart(maps[i]),
    heads: [head]})));
}

async function sharpPart(map) {
  return isPooled(map) && map.window ? map.window() : null;
}

// The first key that is drawn: the first token may be left out, in a pooled map its whole cell.
// Where the map starts at a later key, it is out already.
export function firstShownColumn(map, dropFirst) {
  const start = map.colStart || 0;
  return dropFirst && start === 0 && map.cols > 1 ? map.colPool || 1 : start;
}

export const largestFrom = rememberedFor(largestValue);

// The scale of each shown head's colours: {kind, low, high}.
export function colorRanges(shown, state) {
  const largest = shown.map((one) =>
    largestFrom(one.map, firstShownColumn(one.map, state.dropFirst)));
  const common = Math.max(...largest, 0);
  return largest.map((own) => {
    if (state.norm === 'row') return {kind: state.scale, low: 0, high: 1};
    const high = state.range === 'one' ? 1 : state.range === 'head' ? own : common;
    return {kind: state.scale, low: 0, high};
  });
}

function legendOf(map, theme, showMask) {
  const kinds = cellKinds(map);
  const entries = [];
  if (kinds.masked && showMask) entries.push({color: theme.masked, text: 'masked'});
  if (kinds.fullyMasked && showMask) {
    entries.push({color: theme.masked, hatched: true, text: 'fully masked row'});
  }
  if (kinds.nonFinite) entries.push({color: theme.nonFinite, text: 'NaN or infinite'});
  if (kinds.missing) entries.push({color: theme.missing, text: 'missing'});
  return entries;
}

export function poolNote(map, kind = 'maximum') {
  if (!isPooled(map)) return '';
  const many = `${map.rowPool || 1} x ${map.colPool || 1} weights`;
  return map.isDifference ? `each cell shows B's ${kind} of ${many} less A's` :
    `each cell shows the ${kind} of ${many}`;
}

// What drawHeatmap() needs of one shown head.
export function heatmapModel(one, input, state, {colormaps, theme, colors, valueName}) {
  const [firstRow, lastRow, , lastCol] = mapWindow(one.map);
  const firstCol = firstShownColumn(one.map, state.dropFirst);
  const signed = Boolean(colors.signed);
  const table = colormapTable(colormaps, signed ? 'diverging' : state.colormap, theme.dark);
  const norm = signed ? 'none' : state.norm;
  const paint = {table, theme, kind: colors.kind, low: colors.low, high: colors.high, norm,
    firstCol, showMask: state.mask !== false};
  const layers = [one.map, ...(one.sharp ? [one.sharp] : [])].map((map) =>
    ({map, bitmap: cellBitmap(map, paint)}));
  const note = poolNote(one.map, input.poolKind || 'maximum');
  return {
    name: one.name, layers, paint, colors,
    bounds: [firstRow, lastRow, firstCol, lastCol],
    pool: Math.max(one.map.rowPool || 1, one.map.colPool || 1),
    rowLabels: input.queryTokens.map(visibleToken),
    colLabels: input.keyTokens.map(visibleToken),
    rowTitle: 'query (attends from)', colTitle: 'key (attends to)',
    barTitle: scaleTitle(valueName, colors.kind, norm),
    legend: legendOf(one.map, theme, paint.showMask),
    notes: [note, droppedNote(one.map, firstCol, input)].filter(Boolean),
  };
}

function droppedNote(map, firstCol, input) {
  if (firstCol <= (map.colStart || 0)) return '';
  const which = firstCol === 1 ? 'key,' : `${firstCol} keys, from`;
  return `the first ${which} ${quotedToken(input.keyTokens[0])}, left out`;
}

// A symmetric diverging scale for differences.
export function differenceColors(map, firstCol) {
  return {kind: 'linear', signed: true, ...symmetricRange(largestValue(map, firstCol, true))};
}

function rangeText(tokens, [low, end]) {
  const last = Math.min(end, tokens.length) - 1;
  if (last <= low) return `${low}: ${quotedToken(tokens[low] ?? '?')}`;
  return `${low} to ${last}: ${quotedToken(tokens[low] ?? '?')} … ` +
      `${quotedToken(tokens[last] ?? '?')}`;
}

export function cellValueText(cell, map) {
  if (cell.state === 1) return 'masked: this query may not attend to this key';
  if (cell.state === 2) return 'missing: no number is known';
  return exactText(cell.value, map.exact, map.step);
}

// What the tooltip says of a cell: the value, then both tokens.
export function describeCell(cell, input, valueName = '') {
  const value = cellValueText(cell, cell.map);
  const pooled = cell.rows[1] - cell.rows[0] > 1 || cell.cols[1] - cell.cols[0] > 1;
  const kind = `${input.poolKind || 'maximum'}${cell.map.isDifference ? ' on each side' : ''}`;
  const head = pooled && cell.state === 0 ? `${value} (${kind} of ` +
      `${(cell.rows[1] - cell.rows[0]) * (cell.cols[1] - cell.cols[0])})` : value;
  return [valueName ? `${valueName} ${head}` : head,
    `query ${rangeText(input.queryTokens, cell.rows)}`,
    `key ${rangeText(input.keyTokens, cell.cols)}`];
}
