// Heatmaps side by side: their crosshair and window move together.
//
// show(scene): {panels: [{title, note, caption, model, input}], state, width, height,
// describe(index, cells) -> [line, ...]}, where `cells` are those at the same place of all panels.

import {drawHeatmap} from './heatmap_figure.js';
import {barWidth, isCompact, layoutHeatmap} from './heatmap_layout.js';
import {quotedToken} from './head_model.js';
import {createHeatmapView} from './heatmap_view.js';
import {clampWindow, isWholeWindow} from './map_window.js';
import {makeAnnouncer, makeElement, makeTextMeasure} from './page_parts.js';

const kSettle = 250;         // ms after the last move until the address is told
const kNarrowestPanel = 364; // px
const kPanelGap = 16;
const kUsualRoom = 850;
const kLargestScale = 1.8;

function makePanel(group, index) {
  const name = makeElement('h3', {class: 'panel-name'});
  const note = makeElement('p', {class: 'panel-note'});
  const element = makeElement('div', {class: 'panel'}, name, note);
  const panel = {element, name, note};
  panel.heatmap = createHeatmapView(element, {
    measure: group.measure,
    onHover: (cell, where) => pointAtCell(group, index, cell, where),
    onLabel: (label, where) => group.view.tooltip.show(
        describeAxisToken(panel.input, label.side, label.token), where.x, where.y),
    onSelect: (cell) => group.view.store.set({q: cell.row, k: cell.col}),
    onClear: () => group.view.store.set({q: null, k: null}),
    onWindow: (win) => moveTogether(group, index, win),
  });
  group.row.append(element);
  return panel;
}

// `view` gives {store, tooltip}.
export function createHeatPanels(host, view) {
  const row = makeElement('div', {class: 'panels'});
  const element = makeElement('div', {class: 'panels-box'}, row);
  host.append(element);
  const group = {view, row, panels: [], scene: null, timer: 0, measure: makeTextMeasure(),
    announcer: makeAnnouncer(element)};
  const first = () => group.panels[0];
  return {
    element,
    show: (scene) => showPanels(group, scene),
    setWindow(win) {
      for (const {heatmap, model} of group.panels) heatmap.setWindow(win || model.bounds);
    },
    zoomBy: (factor) => first() && first().heatmap.zoomBy(factor),
    showAll: () => first() && first().heatmap.showAll(),
    describeToken: (side, token) => describeAxisToken(first().input, side, token),
    pictures: () => group.panels.map((panel) => panelPicture(group, panel)),
    destroy() {
      clearTimeout(group.timer);
      for (const panel of group.panels) panel.heatmap.destroy();
      element.remove();
    },
  };
}

function describeAxisToken(input, side, token) {
  const tokens = side === 'query' ? input.queryTokens : input.keyTokens;
  return [`${side} ${token}: ${quotedToken(tokens[token] ?? '')}`];
}

// As many panels beside each other as have room for a readable heatmap.
export function panelColumns(width, count) {
  const fitting = Math.max(1, Math.floor((width + kPanelGap) / (kNarrowestPanel + kPanelGap)));
  const columns = Math.min(count, fitting);
  // Lines of equal length look better than a last one with a single panel.
  return Math.ceil(count / Math.ceil(count / columns));
}

// Where there is plenty of room, text and lines grow with the cells. Lengths are before that.
export function roomOf(width, height) {
  const scale = Math.min(Math.max(Math.min(width, height) / kUsualRoom, 1), kLargestScale);
  return {width: Math.floor(width / scale), height: height / scale, scale,
    dpr: (window.devicePixelRatio || 1) * scale};
}

// Returns the width that the widest figure takes.
function showPanels(group, scene) {
  group.scene = scene;
  const count = scene.panels.length;
  while (group.panels.length < count) group.panels.push(makePanel(group, group.panels.length));
  while (group.panels.length > count) {
    const panel = group.panels.pop();
    panel.heatmap.destroy();
    panel.element.remove();
  }
  const columns = panelColumns(scene.width, count);
  group.row.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  const room = roomOf((scene.width - kPanelGap * (columns - 1)) / columns,
      count > columns ? Math.max(360, scene.height * 0.7) : scene.height);
  room.bar = Math.max(...scene.panels.map(({model}) =>
    barWidth(model, group.measure, isCompact(room.width))));
  room.largestCell = Math.max(84, Math.min(room.width, room.height) / 12);
  scene.panels.forEach((shown, i) => showPanel(group.panels[i], shown, scene.state, room));
  return Math.max(...group.panels.map((panel) => panel.heatmap.width()));
}

function showPanel(panel, shown, state, room) {
  panel.name.textContent = shown.title;
  panel.note.textContent = shown.note;
  panel.note.hidden = shown.note === '';
  panel.shown = shown;
  panel.model = shown.model;
  panel.input = shown.input;
  panel.heatmap.show(shown.model, room);
  if (state.zoom) panel.heatmap.setWindow(state.zoom);
  panel.heatmap.setChosen(chosenCell(panel, state));
}

// The chosen cell: where only one token is chosen, its whole row or column.
function chosenCell(panel, {q, k}) {
  const isIndex = (value) => value !== null && value !== undefined;
  const nowhere = [-2, -2];
  if (isIndex(q) && isIndex(k)) return panel.heatmap.cellAt(q, k);
  if (isIndex(q)) return {rows: [q, q + 1], cols: nowhere};
  if (isIndex(k)) return {rows: nowhere, cols: [k, k + 1]};
  return null;
}

function pointAtCell(group, index, cell, where) {
  const {tooltip} = group.view;
  const cells = group.panels.map(({heatmap}, i) =>
    (i === index ? cell : cell && heatmap.cellAt(cell.rows[0], cell.cols[0])));
  group.panels.forEach(({heatmap}, i) => {
    if (i !== index) heatmap.setHover(cells[i]);
  });
  if (!cell) {
    tooltip.hide();
    return;
  }
  const lines = group.scene.describe(index, cells);
  group.announcer.say(lines.join(', '));
  if (where) tooltip.show(lines, where.x, where.y);
  else tooltip.hide();
}

function moveTogether(group, index, win) {
  group.panels.forEach((panel, i) => {
    if (i !== index) panel.heatmap.setWindow(win);
  });
  clearTimeout(group.timer);
  group.timer = setTimeout(() => {
    const {bounds} = group.panels[0].model;
    const zoom = isWholeWindow(win, bounds) ? null : win.map((x) => Number(x.toFixed(2)));
    group.view.store.set({zoom});
  }, kSettle);
}

// The panel as a figure of its own, with its title.
function panelPicture(group, panel) {
  const {model, shown} = panel;
  const figure = {...model, title: shown.title, caption: shown.caption || ''};
  const win = clampWindow(panel.heatmap.window(), model.bounds);
  const side = Math.max(model.bounds[1] - model.bounds[0], model.bounds[3]) > 40 ? 760 : 640;
  const layout = layoutHeatmap(figure, {width: side, height: side, dpr: 1}, group.measure);
  return {width: layout.width, height: layout.height, background: model.paint.theme.background,
    draw: (pen) => drawHeatmap(pen, figure, layout, win, group.measure,
        {chosen: chosenCell(panel, group.scene.state)})};
}
