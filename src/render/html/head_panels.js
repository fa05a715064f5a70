// The heatmaps of the heads that are shown, side by side: their crosshair and window move together.

import {drawHeatmap} from './heatmap_figure.js';
import {layoutHeatmap} from './heatmap_layout.js';
import {describeCell, heatmapModel, poolNote, visibleToken} from './head_model.js';
import {createHeatmapView} from './heatmap_view.js';
import {clampWindow, isWholeWindow} from './map_window.js';
import {makeAnnouncer, makeElement, makeTextMeasure} from './page_parts.js';

const kSettle = 250;  // ms after the last move until the address is told

function makePanel(group, index) {
  const name = makeElement('h3', {class: 'panel-name'});
  const note = makeElement('p', {class: 'panel-note'});
  const element = makeElement('div', {class: 'panel'}, name, note);
  const panel = {element, name, note};
  panel.heatmap = createHeatmapView(element, {
    measure: group.measure,
    onHover: (cell, where) => pointAtCell(group, index, cell, where),
    onLabel: (label, where) => {
      group.view.tooltip.show(describeAxisToken(group, label.side, label.token), where.x, where.y);
    },
    onSelect: (cell) => group.view.store.set({q: cell.row, k: cell.col}),
    onClear: () => group.view.store.set({q: null, k: null}),
    onWindow: (win) => moveTogether(group, index, win),
  });
  group.row.append(element);
  return panel;
}

// `view` gives {store, tooltip}; show(scene) takes what paintHeadView() puts together.
export function createHeatPanels(host, view) {
  const row = makeElement('div', {class: 'panels'});
  const element = makeElement('div', {class: 'panels-box'}, row);
  host.append(element);
  const group = {view, row, panels: [], scene: null, timer: 0, measure: makeTextMeasure(),
    announcer: makeAnnouncer(element)};
  return {
    element,
    show: (scene) => showPanels(group, scene),
    setWindow(win) {
      for (const {heatmap, model} of group.panels) heatmap.setWindow(win || model.bounds);
    },
    zoomBy: (factor) => group.panels.length > 0 && group.panels[0].heatmap.zoomBy(factor),
    showAll: () => group.panels.length > 0 && group.panels[0].heatmap.showAll(),
    describeToken: (side, token) => describeAxisToken(group, side, token),
    pictures: () => group.panels.map((panel) => panelPicture(group, panel)),
    destroy() {
      clearTimeout(group.timer);
      for (const panel of group.panels) panel.heatmap.destroy();
      element.remove();
    },
  };
}

function describeAxisToken(group, side, token) {
  const {input} = group.scene;
  const tokens = side === 'query' ? input.queryTokens : input.keyTokens;
  return [`${side} ${token}: ${visibleToken(tokens[token] ?? '')}`];
}

// As many panels beside each other as have room for a readable heatmap.
export function panelColumns(width, count) {
  const fitting = Math.max(1, Math.floor((width + 16) / 420));
  const columns = Math.min(count, fitting);
  // Lines of equal length look better than a last one with a single panel.
  return Math.ceil(count / Math.ceil(count / columns));
}

function showPanels(group, scene) {
  group.scene = scene;
  const count = scene.shown.length;
  while (group.panels.length < count) group.panels.push(makePanel(group, group.panels.length));
  while (group.panels.length > count) {
    const panel = group.panels.pop();
    panel.heatmap.destroy();
    panel.element.remove();
  }
  const width = group.row.clientWidth;
  const columns = panelColumns(width, count);
  group.row.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  const room = {width: Math.floor((width - 16 * (columns - 1)) / columns),
    height: count > columns ? Math.max(360, scene.height * 0.7) : scene.height,
    dpr: window.devicePixelRatio || 1};
  room.largestCell = Math.max(84, Math.min(room.width, room.height) / 12);
  scene.shown.forEach((one, i) => showPanel(group, group.panels[i], one, i, room));
}

function showPanel(group, panel, one, index, room) {
  const {scene, view} = group;
  const {state} = scene;
  const key = [one, scene.input, scene.theme, state.colormap, state.scale, state.norm, state.range,
    state.dropFirst, state.mask, scene.colors[index].high];
  // Cells are painted again only where something about them has changed.
  if (!panel.key || key.some((part, i) => part !== panel.key[i])) {
    panel.key = key;
    panel.model = heatmapModel(one, scene.input, state, {colormaps: view.report.colormaps,
      theme: scene.theme, colors: scene.colors[index],
      valueName: scene.input.valueName || 'attention weight'});
  }
  panel.name.textContent = one.labelText ? `${one.name}  ${one.labelText}` : one.name;
  panel.note.textContent = panelNote(one, scene.input, panel.model);
  panel.note.hidden = panel.note.textContent === '';
  panel.one = one;
  panel.heatmap.show(panel.model, room);
  if (state.zoom) panel.heatmap.setWindow(state.zoom);
  panel.heatmap.setChosen(chosenCell(panel, state));
}

function panelNote(one, input, model) {
  const pooled = poolNote(one.map, input.poolKind || 'maximum');
  const sharp = one.sharp ? '; single weights inside the frame' : '';
  const step = !one.map.exact && one.map.step > 0 ?
    `values to within ${Number(one.map.step.toPrecision(1))}` : '';
  const others = model.notes.filter((note) => note !== pooled);
  return [pooled + (pooled ? sharp : ''), ...others, step].filter(Boolean).join('; ');
}

// The chosen cell: where only one token is chosen, its whole row or column.
function chosenCell(panel, state) {
  const {q, k} = state;
  const isIndex = (value) => value !== null && value !== undefined;
  if (!isIndex(q) && !isIndex(k)) return null;
  const bounds = panel.model.bounds;
  if (isIndex(q) && isIndex(k)) return panel.heatmap.cellAt(q, k);
  const none = [-2, -2];
  if (isIndex(q)) return {rows: [q, q + 1], cols: none, bounds};
  return {rows: none, cols: [k, k + 1], bounds};
}

function pointAtCell(group, index, cell, where) {
  const {tooltip} = group.view;
  group.panels.forEach((panel, i) => {
    if (i === index) return;
    panel.heatmap.setHover(cell ? panel.heatmap.cellAt(cell.rows[0], cell.cols[0]) : null);
  });
  if (!cell) {
    tooltip.hide();
    return;
  }
  const lines = describeAll(group, index, cell);
  group.announcer.say(`${lines[0]}, ${lines.slice(1).join(', ')}`);
  if (where) tooltip.show(lines, where.x, where.y);
  else tooltip.hide();
}

// The value here, both tokens, and the values of the other heads at the same place.
function describeAll(group, index, cell) {
  const {scene} = group;
  const several = group.panels.length > 1;
  const lines = describeCell(cell, scene.input, several ? group.panels[index].one.name : '');
  if (!several) return lines;
  group.panels.forEach((panel, i) => {
    const other = i === index ? null : panel.heatmap.cellAt(cell.rows[0], cell.cols[0]);
    if (other) lines.push(describeCell(other, scene.input, panel.one.name)[0]);
  });
  return lines;
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

// The panel as a figure of its own: with its title, at the size it has on the screen.
function panelPicture(group, panel) {
  const {one, model} = panel;
  const title = one.labelText ? `${one.name}  ${one.labelText}` : one.name;
  const figure = {...model, title, caption: group.scene.input.caption || group.scene.input.name};
  const win = clampWindow(panel.heatmap.window(), model.bounds);
  const shape = model.bounds[1] - model.bounds[0] > 40 ? 760 : 640;
  const layout = layoutHeatmap(figure, {width: shape, height: shape, dpr: 1}, group.measure);
  return {width: layout.width, height: layout.height, background: model.paint.theme.background,
    draw: (pen) => drawHeatmap(pen, figure, layout, win, group.measure,
        {chosen: chosenCell(panel, group.scene.state)})};
}
