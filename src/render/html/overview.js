// All heads as small heatmaps: layers x heads, sorted and filtered; a click opens one.

import {cellBitmap} from './cell_bitmap.js';
import {largestValue} from './head_maps.js';
import {headButton, labelMark, paintOf} from './matrix_parts.js';
import {currentCellTheme, makeElement, oncePerFrame, onThemeChange} from './page_parts.js';
import {colorControls, makeToolbar, selectControl} from './view_controls.js';

// Names of all scores that some head has, in the order of the file.
export function scoreNames(input) {
  const names = new Set();
  for (const head of input.heads) {
    for (const [name, value] of Object.entries(head.scores)) if (value !== null) names.add(name);
  }
  return [...names];
}

export function readableName(name) {
  return name.replaceAll('_', ' ');
}

function matchesFilter(head, filter) {
  const wanted = filter.trim().toLowerCase();
  if (wanted === '') return true;
  return head.name.toLowerCase().includes(wanted) || head.labelText.toLowerCase().includes(wanted);
}

// The heads to show, in order: by head, by label, or by a score, largest first.
export function arrangeHeads(heads, {sort, filter}) {
  const shown = heads.filter((head) => matchesFilter(head, filter));
  if (sort === 'head') return shown;
  const place = new Map(heads.map((head, i) => [head, i]));
  if (sort === 'label') {
    return shown.sort((a, b) => (a.labelText === '') - (b.labelText === '') ||
        (a.labelText < b.labelText ? -1 : a.labelText > b.labelText ? 1 : 0) ||
        place.get(a) - place.get(b));
  }
  const valueOf = (head) => head.scores[sort] ?? -Infinity;
  return shown.sort((a, b) => (valueOf(b) > valueOf(a) ? 1 : valueOf(b) < valueOf(a) ? -1 : 0) ||
      place.get(a) - place.get(b));
}

// Columns of the grid where heads stand in their places: the widest layer; 0: in a row.
export function gridColumns(heads, state) {
  if (state.sort !== 'head' || state.filter.trim() !== '') return 0;
  const counts = new Map();
  for (const head of heads) counts.set(head.layer, (counts.get(head.layer) || 0) + 1);
  return Math.max(0, ...counts.values());
}

function headDetails(head) {
  const parts = [head.name, head.labelText || (head.nearest ?
    `no single habit (nearest: ${head.nearest} ${head.nearestScore.toFixed(2)})` : '')];
  return parts.filter(Boolean).join(': ');
}

function tileText(head, sort) {
  if (sort === 'head' || sort === 'label') return head.labelText;
  const value = head.scores[sort];
  return value === null || value === undefined ? '–' : `${readableName(sort)} ${value.toFixed(2)}`;
}

function makeTile(view, head, paint, sort) {
  const {store, report} = view;
  const picture = cellBitmap(head.thumb, paint).canvas;
  picture.className = 'tile-picture';
  picture.setAttribute('aria-hidden', 'true');
  if (head.labelText) picture.style.borderColor = report.labelColors[head.labelText];
  const name = makeElement('span', {class: 'tile-name'}, head.name);
  const tile = makeElement('button', {type: 'button', class: 'tile', title: headDetails(head),
    'data-head': head.name, onclick: () => store.set({heads: [head.name], view: 'head', zoom: null,
      mean: false})}, picture, name);
  const text = tileText(head, sort);
  tile.append(makeElement('span', {class: 'tile-label'}, text || '\u00a0'));
  return tile;
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

function legendOfLabels(report, heads, store) {
  const counts = new Map();
  for (const head of heads) {
    if (head.labelText) counts.set(head.labelText, (counts.get(head.labelText) || 0) + 1);
  }
  return makeElement('div', {class: 'legend', role: 'group', 'aria-label': 'Labels'},
      ...[...counts].map(([text, count]) => makeElement('button', {type: 'button',
        'aria-pressed': String(store.get().filter === text), title: `Show only these heads`,
        onclick: () => store.set({filter: store.get().filter === text ? '' : text})},
      labelMark(report, text), `${text} (${count})`)));
}

function headsTable(view, heads) {
  const {input, store, report} = view;
  const columns = scoreNames(input);
  const sortBy = (key, text) => makeElement('th', {scope: 'col',
    'aria-sort': store.get().sort === key ? 'descending' : 'none'},
  makeElement('button', {type: 'button', onclick: () => store.set({sort: key})}, text));
  const rows = heads.map((head) => makeElement('tr', {},
      makeElement('th', {scope: 'row'}, headButton(store, head.name)),
      makeElement('td', {class: 'text'}, labelMark(report, head.labelText),
          head.labelText || readableName(head.label)),
      ...columns.map((name) => makeElement('td', {},
          head.scores[name] === null || head.scores[name] === undefined ? '' :
            head.scores[name].toFixed(2)))));
  return makeElement('div', {class: 'wide', tabindex: '0', role: 'region',
    'aria-label': 'Table of heads'},
  makeElement('table', {}, makeElement('caption', {}, `${heads.length} heads and their scores`),
      makeElement('thead', {}, makeElement('tr', {}, sortBy('head', 'head'),
          sortBy('label', 'label'), ...columns.map((name) => sortBy(name, readableName(name))))),
      makeElement('tbody', {}, ...rows)));
}

function filterControl(store) {
  const box = makeElement('input', {type: 'search', placeholder: 'label or head',
    oninput: (event) => store.set({filter: event.target.value})});
  const element = makeElement('label', {class: 'control'},
      makeElement('span', {class: 'control-name'}, 'Filter'), box);
  return {element, update(state) {
    if (box.value !== state.filter) box.value = state.filter;
  }};
}

// The part that follows the state: tiles, legend, table.
function fillOverview(view) {
  const {report, store, theme} = view;
  const state = store.get();
  for (const control of view.controls) control.update(state);
  const heads = arrangeHeads(view.input.heads, state);
  const columns = gridColumns(view.input.heads, state);
  const high = Math.max(...view.input.heads.map((head) => largestValue(head.thumb)));
  const paint = {...paintOf(report, theme, {...state, kind: state.scale, high}), norm: state.norm};
  view.grid.replaceChildren();
  view.grid.style.setProperty('--columns', columns > 0 ? columns : 'auto-fill');
  view.grid.classList.toggle('in-places', columns > 0);
  let layer = null;
  for (const head of heads) {
    if (columns > 0 && head.layer !== layer) {
      layer = head.layer;
      view.grid.append(makeElement('span', {class: 'layer-name'}, `L${layer}`));
    }
    view.grid.append(makeTile(view, head, paint, state.sort));
  }
  view.empty.hidden = heads.length > 0;
  view.legend.replaceChildren(legendOfLabels(report, view.input.heads, store));
  view.table.replaceChildren(headsTable(view, heads));
}

export function createOverview(container, report, store) {
  const input = report.inputs[store.get().input] || report.inputs[0];
  const root = makeElement('section', {class: 'overview', 'aria-label': 'Overview'});
  container.append(root);
  const scores = scoreNames(input);
  const {colormap, scale, norm} = colorControls(report, store);
  const view = {report, store, input, theme: currentCellTheme()};
  view.controls = [
    selectControl(store, {key: 'sort', label: 'Sort by', options: [['head', 'layer and head'],
      ['label', 'label'], ...scores.map((name) => [name, readableName(name)])]}),
    filterControl(store), colormap, scale, norm];
  view.grid = makeElement('div', {class: 'tiles'});
  view.empty = makeElement('p', {class: 'view-message', role: 'status'},
      'No head matches the filter.');
  view.legend = makeElement('div');
  view.table = makeElement('div');
  moveByKeys(view.grid);
  root.append(makeToolbar('How heads are shown', view.controls.map((c) => c.element)), view.legend,
      view.grid, view.empty, view.table);
  const paint = oncePerFrame(() => fillOverview(view));
  const unsubscribe = store.subscribe(paint);
  const stopTheme = onThemeChange(() => {
    view.theme = currentCellTheme();
    paint();
  });
  fillOverview(view);
  return {
    destroy() {
      paint.cancel();
      unsubscribe();
      stopTheme();
      root.remove();
    },
  };
}
