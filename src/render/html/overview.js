// All heads at once, as heatmaps, token lines or texts, sorted and filtered, and the table of their
// scores.

import {patchGridOf} from './grid_model.js';
import {createHeadTiles} from './head_tiles.js';
import {createHeadsTable, readableName, scoreNames} from './heads_table.js';
import {labelMark} from './matrix_parts.js';
import {currentCellTheme, makeElement, oncePerFrame, onThemeChange} from './page_parts.js';
import {createTextTiles} from './text_tiles.js';
import {choiceControl, colorControls, directionControl, makeToolbar, nameDroppedKeys, selectControl
} from './view_controls.js';

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

function filterControl(store) {
  const box = makeElement('input', {type: 'search', placeholder: 'label or head',
    oninput: (event) => store.set({filter: event.target.value})});
  const element = makeElement('label', {class: 'control'},
      makeElement('span', {class: 'control-name'}, 'Filter'), box);
  return {element, update(state) {
    if (box.value !== state.filter) box.value = state.filter;
  }};
}

// A picture has no text: its patches are seen in the head view.
function hasText(report, input) {
  const grid = patchGridOf(report, input);
  return grid === null || grid.shift !== 0;
}

// State that only texts follow: their tokens are coloured again, nothing is built again.
const kTokenKeys = ['q', 'k', 'direction'];

function makeOverviewControls(view) {
  const {report, store, input} = view;
  const {colormap, scale, norm, dropFirst} = colorControls(report, store);
  const direction = directionControl(store);
  const tiles = choiceControl(store, {key: 'tiles', label: 'Heads as', options: [
    ['maps', 'Heatmaps', 'Every head as a small heatmap'],
    ['lines', 'Token lines', 'Every head as lines from queries to keys'],
    ...(hasText(report, input) ?
      [['text', 'Text', 'The text once for each head, coloured by its weights']] : [])]});
  const sort = selectControl(store, {key: 'sort', label: 'Sort by', options: [
    ['head', 'layer and head'], ['label', 'label'],
    ...scoreNames(input).map((name) => [name, readableName(name)])]});
  view.controls = [tiles, sort, filterControl(store), colormap, scale, norm, dropFirst, direction];
  // Small pictures are of thumbnails, texts of the heads' own maps.
  view.nameDropped = (kind) => {
    const {thumb, colPool} = input.heads[0];
    nameDroppedKeys(dropFirst, kind === 'text' ? {colPool} : thumb);
  };
  // Lines have the colour of the page, and no token is chosen in pictures.
  view.onlyFor = (kind) => {
    colormap.element.hidden = kind === 'lines';
    direction.element.hidden = kind !== 'text';
  };
}

// The part that follows the state: pictures or texts, legend, table.
function fillOverview(view) {
  const {report, store, theme, input} = view;
  const state = {...store.get()};
  if (state.tiles === 'text' && !hasText(report, input)) state.tiles = 'maps';
  for (const control of view.controls) control.update(state);
  view.onlyFor(state.tiles);
  view.nameDropped(state.tiles);
  const heads = arrangeHeads(input.heads, state);
  const create = state.tiles === 'text' ? createTextTiles : createHeadTiles;
  if (view.create !== create) {
    if (view.tiles) view.tiles.destroy();
    view.create = create;
    view.tiles = create(view.place, report, store);
  }
  view.tiles.show({heads, columns: gridColumns(input.heads, state), state, theme, input});
  view.empty.hidden = heads.length > 0;
  view.legend.replaceChildren(legendOfLabels(report, input.heads, store));
  view.table.show(heads);
}

export function createOverview(container, report, store) {
  const input = report.inputs[store.get().input] || report.inputs[0];
  const root = makeElement('section', {class: 'overview', 'aria-label': 'Overview'});
  container.append(root);
  const view = {report, store, input, theme: currentCellTheme(), create: null, tiles: null};
  makeOverviewControls(view);
  view.place = makeElement('div');
  view.empty = makeElement('p', {class: 'view-message', role: 'status'},
      'No head matches the filter.');
  view.legend = makeElement('div');
  root.append(makeToolbar('How heads are shown', view.controls.map((c) => c.element)), view.legend,
      view.place, view.empty);
  view.table = createHeadsTable(root, report, store, input);
  const paint = oncePerFrame(() => fillOverview(view));
  const unsubscribe = store.subscribe((state, changed) => {
    if (changed.some((key) => !kTokenKeys.includes(key))) return paint();
    for (const control of view.controls) control.update(state);
    if (view.tiles.showTokens) view.tiles.showTokens(state);
  });
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
      view.tiles.destroy();
      view.table.destroy();
      root.remove();
    },
  };
}
