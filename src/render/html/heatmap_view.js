// The heatmap of one head on the screen: zoom, pan, crosshair, the value under the pointer.
//
// createHeatmapView(host, handlers): handlers may have
//   describe(cell) -> [line, ...]  what the tooltip says of a cell (see cellOf)
//   onHover(cell | null), onSelect(cell), onWindow(win)
// show(model, room) takes what drawHeatmap() needs, with `layers` [{map, bitmap}], the sharpest last.

import {drawHeatmap} from './heatmap_figure.js';
import {layoutHeatmap} from './heatmap_layout.js';
import {cellOf} from './head_maps.js';
import {clampWindow, isWholeWindow, panWindow, revealCell, tokenAt, zoomWindow
} from './map_window.js';
import {makeElement, makeTextMeasure, oncePerFrame, sizeCanvas} from './page_parts.js';
import {canvasPen} from './pens.js';

const kKeyZoom = 1.5;
const kDragStart = 4;      // px: less is a click
const kScrollPause = 350;  // ms: a page that is being scrolled goes on past the heatmap

// The cell of the sharpest layer that holds this place.
function cellAt(model, row, col) {
  for (const layer of [...model.layers].reverse()) {
    const cell = cellOf(layer.map, row, col);
    if (cell) return {...cell, map: layer.map};
  }
  return null;
}

function makeState() {
  return {model: null, layout: null, win: null, hover: null, chosen: null, scale: 1,
    pointers: new Map(), drag: null, scrolledAt: -1e9};
}

export function createHeatmapView(host, handlers = {}) {
  const state = makeState();
  const canvas = makeElement('canvas', {class: 'heatmap', tabindex: '0', role: 'application'});
  const box = makeElement('div', {class: 'heatmap-box'}, canvas);
  host.append(box);
  const measure = handlers.measure || makeTextMeasure();
  const draw = oncePerFrame(() => {
    if (!state.model) return;
    const {scale} = state;
    const context = sizeCanvas(canvas, state.layout.width * scale, state.layout.height * scale);
    context.scale(scale, scale);
    context.clearRect(0, 0, state.layout.width, state.layout.height);
    drawHeatmap(canvasPen(context), state.model, state.layout, state.win, measure,
        {hover: state.hover, chosen: state.chosen});
    canvas.style.touchAction = isWholeWindow(state.win, state.model.bounds) ? 'pan-y' : 'none';
  });
  const view = {canvas, state, handlers, draw};
  const stop = listen(view);
  return {
    element: box,
    canvas,
    show(model, room) {
      // Another input is seen whole; so is one that grew while the reader types.
      const isOther = !state.model || model.bounds.some((end, i) => end !== state.model.bounds[i]);
      state.win = clampWindow(isOther ? model.bounds : state.win, model.bounds);
      state.model = model;
      state.scale = room.scale || 1;
      state.layout = layoutHeatmap(model, room, measure);
      state.hover = null;
      canvas.setAttribute('aria-label', `${model.name}: heatmap, ${model.rowLabels.length} ` +
          `queries by ${model.colLabels.length} keys. Arrow keys move the crosshair, plus and ` +
          'minus zoom, 0 shows all, Enter selects.');
      draw();
    },
    setWindow(win) {
      if (!state.model) return;
      state.win = clampWindow(win, state.model.bounds);
      draw();
    },
    window: () => state.win,
    width: () => (state.layout ? state.layout.width * state.scale : 0),
    setHover(cell) {
      state.hover = cell;
      draw();
    },
    setChosen(cell) {
      state.chosen = cell;
      draw();
    },
    cellAt: (row, col) => (state.model ? cellAt(state.model, row, col) : null),
    zoomBy: (factor) => zoomAtMiddle(view, factor),
    showAll: () => moveWindow(view, state.model.bounds),
    destroy() {
      stop();
      draw.cancel();
      box.remove();
    },
  };
}

function moveWindow(view, win) {
  view.state.win = clampWindow(win, view.state.model.bounds);
  view.draw();
  if (view.handlers.onWindow) view.handlers.onWindow(view.state.win);
}

// About the crosshair where it is seen, else about the middle.
function zoomAtMiddle(view, factor) {
  const {win, model, hover, chosen} = view.state;
  const at = hover || chosen;
  const inside = at && at.rows[0] >= win[0] && at.rows[1] <= win[1] && at.cols[0] >= win[2] &&
      at.cols[1] <= win[3];
  const row = inside ? (at.rows[0] + at.rows[1]) / 2 : (win[0] + win[1]) / 2;
  const col = inside ? (at.cols[0] + at.cols[1]) / 2 : (win[2] + win[3]) / 2;
  moveWindow(view, zoomWindow(win, model.bounds, factor, row, col));
}

function placeIn(view, event) {
  const rect = view.canvas.getBoundingClientRect();
  // The page may show the canvas smaller than it is.
  const scale = rect.width > 0 ? view.state.layout.width / rect.width : 1;
  return {x: (event.clientX - rect.left) * scale, y: (event.clientY - rect.top) * scale};
}

// The token under the pointer; outside of the cells the nearest one when `near`.
function tokenUnder(view, event, near = false) {
  const {win, layout} = view.state;
  const {area} = layout;
  const point = placeIn(view, event);
  if (near) {
    point.x = Math.min(Math.max(point.x, area.x), area.x + area.width - 1e-6);
    point.y = Math.min(Math.max(point.y, area.y), area.y + area.height - 1e-6);
  }
  return tokenAt(win, area, point.x, point.y);
}

function sameCell(a, b) {
  return a === b || (a && b && a.rows[0] === b.rows[0] && a.cols[0] === b.cols[0] &&
      a.rows[1] === b.rows[1]);
}

function pointAt(view, cell, where) {
  const changed = !sameCell(view.state.hover, cell);
  view.state.hover = cell;
  if (changed) view.draw();
  const {onHover} = view.handlers;
  if (onHover) onHover(cell, where, changed);
}

function onPointerMove(view, event) {
  const {state} = view;
  if (!state.model) return;
  if (state.pointers.has(event.pointerId)) {
    const before = state.pointers.get(event.pointerId);
    const now = {x: event.clientX, y: event.clientY};
    if (state.pointers.size === 2) pinch(view, event.pointerId, now);
    else if (state.drag) dragTo(view, event, before, now);
    state.pointers.set(event.pointerId, now);
  }
  if (state.drag && state.drag.moved) return;
  hoverAt(view, event);
}

function hoverAt(view, event) {
  const at = tokenUnder(view, event);
  const cell = at ? cellAt(view.state.model, at.row, at.col) : null;
  const where = {x: event.clientX, y: event.clientY};
  pointAt(view, cell, where);
  const label = cell ? null : labelUnder(view, event);
  if (label && view.handlers.onLabel) view.handlers.onLabel(label, where);
}

// The token whose label is under the pointer: a cut one is told in full.
function labelUnder(view, event) {
  const {layout, win, model} = view.state;
  const {area} = layout;
  const {x, y} = placeIn(view, event);
  const row = win[0] + (y - area.y) / area.height * (win[1] - win[0]);
  const col = win[2] + (x - area.x) / area.width * (win[3] - win[2]);
  const below = y - area.y - area.height;
  if (x < area.x && row >= win[0] && row < win[1] && row < model.rowLabels.length) {
    return {side: 'query', token: Math.floor(row)};
  }
  if (below > 0 && below < layout.colDepth && col >= win[2] && col < win[3] &&
      col < model.colLabels.length) {
    return {side: 'key', token: Math.floor(col)};
  }
  return null;
}

// How large the cells are in CSS pixels of the page.
function areaOnPage({layout, scale}) {
  return {width: layout.area.width * scale, height: layout.area.height * scale};
}

function dragTo(view, event, before, now) {
  const {state} = view;
  const {drag, win} = state;
  const area = areaOnPage(state);
  if (!drag.moved && Math.hypot(now.x - drag.x, now.y - drag.y) < kDragStart) return;
  if (isWholeWindow(win, state.model.bounds)) return;
  if (!drag.moved) pointAt(view, null, null);
  drag.moved = true;
  view.canvas.classList.add('dragging');
  moveWindow(view, panWindow(win, state.model.bounds,
      -(now.y - before.y) / area.height * (win[1] - win[0]),
      -(now.x - before.x) / area.width * (win[3] - win[2])));
}

// Two fingers: their distance zooms about the point between them, and that point pans.
function pinch(view, id, now) {
  const {state} = view;
  const [[, other]] = [...state.pointers].filter(([key]) => key !== id);
  const before = state.pointers.get(id);
  const distance = (p) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
  const middle = {clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2};
  const at = tokenUnder(view, middle, true);
  if (state.drag) state.drag.moved = true;
  const zoomed = zoomWindow(state.win, state.model.bounds, distance(now) / distance(before),
      at.row, at.col);
  const area = areaOnPage(state);
  moveWindow(view, panWindow(zoomed, state.model.bounds,
      -(now.y - before.y) / 2 / area.height * (zoomed[1] - zoomed[0]),
      -(now.x - before.x) / 2 / area.width * (zoomed[3] - zoomed[2])));
}

function onPointerDown(view, event) {
  if (!view.state.model || (event.button !== 0 && event.pointerType === 'mouse')) return;
  const point = {x: event.clientX, y: event.clientY};
  view.state.pointers.set(event.pointerId, point);
  if (view.state.pointers.size === 1) view.state.drag = {...point, moved: false};
  view.canvas.setPointerCapture(event.pointerId);
}

function onPointerUp(view, event) {
  const {state} = view;
  const {drag} = state;
  if (!state.pointers.delete(event.pointerId) || state.pointers.size > 0) return;
  state.drag = null;
  view.canvas.classList.remove('dragging');
  if (!drag || drag.moved || event.type === 'pointercancel') return;
  const at = tokenUnder(view, event);
  const cell = at && cellAt(state.model, at.row, at.col);
  if (cell && view.handlers.onSelect) {
    view.handlers.onSelect({...cell, row: Math.floor(at.row), col: Math.floor(at.col)});
  }
}

function onWheel(view, event) {
  const {state} = view;
  if (!state.model) return;
  const now = performance.now();
  const at = tokenUnder(view, event);
  const nothingLeft = event.deltaY > 0 && isWholeWindow(state.win, state.model.bounds);
  const pageScrolls =
      !event.ctrlKey && (now - state.scrolledAt < kScrollPause || nothingLeft);
  if (!at || pageScrolls || event.deltaY === 0) {
    state.scrolledAt = now;
    return;
  }
  event.preventDefault();
  const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 100 : 1;
  // A trackpad's pinch sends small steps with the control key.
  const strength = (event.ctrlKey ? 0.01 : 0.002) * lines * event.deltaY;
  const factor = Math.exp(-Math.min(Math.max(strength, -0.5), 0.5));
  moveWindow(view, zoomWindow(state.win, state.model.bounds, factor, at.row, at.col));
  hoverAt(view, event);
}

const kMoves = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

// The crosshair by keys: one cell a step, ten with Shift.
function moveCross(view, rows, cols, far) {
  const {state} = view;
  const {model, win} = state;
  const [r0, r1, c0, c1] = model.bounds;
  const from = state.hover || state.chosen;
  const start = from || cellAt(model, Math.max(win[0], r0), Math.max(win[2], c0));
  if (!start) return;
  const steps = from ? (far ? 10 : 1) : 0;
  const go = (range, by, low, high) => {
    const size = range[1] - range[0];
    return Math.min(Math.max(range[0] + by * steps * size, low), high - 1);
  };
  const row = go(start.rows, rows, r0, r1);
  const col = go(start.cols, cols, c0, c1);
  const cell = cellAt(model, row, col);
  if (!cell) return;
  if (!isWholeWindow(win, model.bounds)) {
    moveWindow(view, revealCell(win, model.bounds, row, col));
  }
  pointAt(view, cell, null);
}

function onKey(view, event) {
  const {state} = view;
  if (!state.model || event.altKey || event.metaKey || event.ctrlKey) return;
  const {key} = event;
  if (kMoves[key]) moveCross(view, ...kMoves[key], event.shiftKey);
  else if (key === '+' || key === '=') zoomAtMiddle(view, kKeyZoom);
  else if (key === '-' || key === '_') zoomAtMiddle(view, 1 / kKeyZoom);
  else if (key === '0') moveWindow(view, state.model.bounds);
  else if (key === 'Home') moveCross(view, 0, -1e6, false);
  else if (key === 'End') moveCross(view, 0, 1e6, false);
  else if (key === 'PageUp') moveCross(view, -1e6, 0, false);
  else if (key === 'PageDown') moveCross(view, 1e6, 0, false);
  else if ((key === 'Enter' || key === ' ') && state.hover && view.handlers.onSelect) {
    view.handlers.onSelect({...state.hover, row: state.hover.rows[0], col: state.hover.cols[0]});
  } else if (key === 'Escape') {
    pointAt(view, null, null);
    if (view.handlers.onClear) view.handlers.onClear();
  } else return;
  event.preventDefault();
}

function listen(view) {
  const {canvas} = view;
  const noteScroll = () => {
    view.state.scrolledAt = performance.now();
  };
  canvas.addEventListener('pointermove', (event) => onPointerMove(view, event));
  canvas.addEventListener('pointerdown', (event) => onPointerDown(view, event));
  canvas.addEventListener('pointerup', (event) => onPointerUp(view, event));
  canvas.addEventListener('pointercancel', (event) => onPointerUp(view, event));
  canvas.addEventListener('pointerleave', () => {
    if (view.state.model && !view.state.drag) pointAt(view, null, null);
  });
  canvas.addEventListener('dblclick', (event) => {
    const {model, win} = view.state;
    const at = model && tokenUnder(view, event);
    if (at) moveWindow(view, zoomWindow(win, model.bounds, 2, at.row, at.col));
  });
  canvas.addEventListener('wheel', (event) => onWheel(view, event), {passive: false});
  canvas.addEventListener('keydown', (event) => onKey(view, event));
  canvas.addEventListener('blur', () => {
    if (view.state.model) pointAt(view, null, null);
  });
  window.addEventListener('scroll', noteScroll, {passive: true});
  return () => window.removeEventListener('scroll', noteScroll);
}
