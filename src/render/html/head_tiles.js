// Every head as a small picture that opens it: a heatmap or token lines, in the places of the
// heads or one after the other.

import {cellBitmap} from './cell_bitmap.js';
import {firstShownColumn, largestFrom} from './head_model.js';
import {paintOf} from './matrix_parts.js';
import {makeElement} from './page_parts.js';
import {canvasPen} from './pens.js';
import {fixedNumber} from './scales.js';
import {readableName} from './heads_table.js';
import {drawTileLines, tileLines, tileLinesNote} from './tile_lines.js';
import {makeSlices} from './work_slices.js';

function headDetails(head) {
  const parts = [head.name, head.labelText || (head.nearest ?
    `no single habit (nearest: ${head.nearest} ${fixedNumber(head.nearestScore)})` : '')];
  return parts.filter(Boolean).join(': ');
}

// What stands under the name of a head: its label, or the score that heads are sorted by.
export function tileText(head, sort) {
  if (sort === 'head' || sort === 'label') return head.labelText;
  const value = head.scores[sort];
  return value === null || value === undefined ? '–' :
    `${readableName(sort)} ${fixedNumber(value)}`;
}

// The largest weight of all heads, which the strongest colour of the overview stands for.
export function highestWeight(heads, dropFirst) {
  return Math.max(...heads.map(({thumb}) =>
    largestFrom(thumb, firstShownColumn(thumb, dropFirst))));
}

function makeTile(head, picture, {store, report}, sort) {
  picture.classList.add('tile-picture');
  picture.setAttribute('aria-hidden', 'true');
  if (head.labelText) picture.style.borderColor = report.labelColors[head.labelText];
  return makeElement('button', {type: 'button', class: 'tile', title: headDetails(head),
    'data-head': head.name, onclick: () => store.set({heads: [head.name], view: 'head', zoom: null,
      mean: false})}, picture, makeElement('span', {class: 'tile-name'}, head.name),
  makeElement('span', {class: 'tile-label'}, tileText(head, sort) || '\u00a0'));
}

// Arrow keys move between tiles, as in a grid.
function moveByKeys(grid) {
  grid.addEventListener('keydown', (event) => {
    const tiles = [...grid.querySelectorAll('.tile')];
    const at = tiles.indexOf(document.activeElement);
    if (at < 0) return;
    const top = tiles[at].offsetTop;
    const perRow = tiles.filter((tile) => tile.offsetTop === top).length || 1;
    const steps = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: perRow, ArrowUp: -perRow};
    const next = tiles[at + (steps[event.key] || 0)];
    if (!(event.key in steps) || !next) return;
    event.preventDefault();
    next.focus();
  });
}

// Pictures in the window are drawn before those that have to be scrolled to.
function visibleFirst(tiles) {
  const isSeen = new Map(tiles.map((tile) => {
    const {top, bottom} = tile.canvas.getBoundingClientRect();
    return [tile, bottom > 0 && top < window.innerHeight];
  }));
  return [...tiles.filter((tile) => isSeen.get(tile)), ...tiles.filter((tile) => !isSeen.get(tile))];
}

function paintLinesTile({head, canvas}, {theme, look}, firstCol) {
  const side = canvas.clientWidth;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = canvas.height = Math.max(1, Math.round(side * ratio));
  const context = canvas.getContext('2d');
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawTileLines(canvasPen(context), head.thumb, tileLines(head.thumb, {...look, firstCol}), side,
      theme.accent);
}

function paintHeatmapTile({head, canvas}, {report, theme, look}, firstCol) {
  const paint = {...paintOf(report, theme, {colormap: look.colormap, kind: look.scale,
    high: look.high}), norm: look.norm, firstCol};
  const bitmap = cellBitmap(head.thumb, paint).canvas;
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext('2d').drawImage(bitmap, 0, 0);
}

function paintTile(tile, scene) {
  const firstCol = firstShownColumn(tile.head.thumb, scene.look.dropFirst);
  (scene.isLines ? paintLinesTile : paintHeatmapTile)(tile, scene, firstCol);
}

// show(scene): {heads, columns, state, theme, input}; `columns` is 0 where heads are not in their
// places.
export function createHeadTiles(host, report, store) {
  const note = makeElement('p', {class: 'explain', hidden: true});
  const grid = makeElement('div', {class: 'tiles', role: 'group'});
  host.append(note, grid);
  moveByKeys(grid);
  let scene = null;
  let drawn = [];
  const slices = makeSlices((tile) => paintTile(tile, scene));
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (grid.clientWidth === width) return;
    width = grid.clientWidth;
    if (scene && scene.isLines) slices.start(visibleFirst(drawn));
  });
  observer.observe(grid);
  return {
    show(wanted) {
      const {heads, columns, state, theme, input} = wanted;
      const {tiles, scale, norm, colormap, dropFirst} = state;
      const look = {scale, norm, colormap, dropFirst, high: highestWeight(input.heads, dropFirst)};
      const isLines = tiles === 'lines';
      const shownPlace = grid.contains(document.activeElement) ?
        document.activeElement.getAttribute('data-head') : null;
      scene = {report, theme, look, isLines};
      drawn = [];
      note.hidden = !isLines;
      note.textContent = isLines ? tileLinesNote(input.heads[0].thumb, {...look, poolKind: input.poolKind}) :
        '';
      grid.setAttribute('aria-label', isLines ? 'Heads as token lines' : 'Heads as heatmaps');
      grid.style.setProperty('--columns', columns > 0 ? columns : 'auto-fill');
      grid.classList.toggle('in-places', columns > 0);
      grid.classList.toggle('as-lines', isLines);
      const parts = [];
      let layer = null;
      for (const head of heads) {
        if (columns > 0 && head.layer !== layer) {
          layer = head.layer;
          parts.push(makeElement('span', {class: 'layer-name'}, `L${layer}`));
        }
        const canvas = makeElement('canvas');
        drawn.push({head, canvas});
        parts.push(makeTile(head, canvas, {store, report}, state.sort));
      }
      grid.replaceChildren(...parts);
      const held = shownPlace && [...grid.children].find((tile) =>
        tile.getAttribute('data-head') === shownPlace);
      if (held) held.focus();
      width = grid.clientWidth;
      slices.start(visibleFirst(drawn));
    },
    destroy() {
      slices.stop();
      observer.disconnect();
      note.remove();
      grid.remove();
    },
  };
}
