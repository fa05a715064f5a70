// Token lines: queries on the left, keys on the right, a line for each weight, stronger ones less
// transparent. Several heads get a colour each. Pointing at a token isolates its lines.
//
// createLinesView(host, {onSelect(side, token), onHover(side, token | null, event)})
// show({shown, input, state, colors, theme, firstCol, height}) draws shown heads.

import {cutMiddle} from './axis_labels.js';
import {kindColor, mixColors} from './colors.js';
import {cellOf, rowMaxima} from './head_maps.js';
import {visibleToken} from './head_model.js';
import {widestLabel} from './heatmap_layout.js';
import {hasManyLines, kLineSizes, lineOpacity, linesColumns, linesRoom, linksInView, tokenOfY,
  tokenRowHeight, tokenY, visibleLinks} from './lines_layout.js';
import {makeElement, makeTextMeasure, oncePerFrame, sizeCanvas} from './page_parts.js';
import {canvasPen} from './pens.js';

const kQueryTitle = 'query (from)';
const kKeyTitle = 'key (to)';
const kTitlePx = 12.5;

// One head is drawn in the accent, several in colours that can be told apart.
export function headLineColor(index, count, theme) {
  return count === 1 ? theme.accent : kindColor(index);
}

// Everything that is worked out once for a set of heads and choices.
function makeLinesModel(show, focus, isolate) {
  const heads = show.shown.map((one, i) => {
    const maxima = show.state.norm === 'row' ? rowMaxima(one.map, show.firstCol) : null;
    const opacityOf = lineOpacity(show.colors[i], show.state.norm,
        (q) => maxima[Math.floor(q / (one.map.rowPool || 1))]);
    const links = visibleLinks(one, {threshold: show.state.threshold || 0,
      topk: show.state.topk || 0, firstCol: show.firstCol, focus, isolate});
    return {one, links, opacityOf, color: headLineColor(i, show.shown.length, show.theme)};
  });
  return {heads, focus, queries: show.queries, keys: show.keys, theme: show.theme,
    firstCol: show.firstCol};
}

function drawHeads(pen, model, columns, size, measure) {
  const {theme} = model;
  const s = kLineSizes;
  const style = {px: kTitlePx, color: theme.muted};
  pen.text(kQueryTitle, columns.left, 15, {...style, align: 'end'});
  pen.text(kKeyTitle, columns.right, 15, style);
  if (model.heads.length < 2) return;
  let x = columns.left + 20;
  for (const head of model.heads) {
    const width = measure(head.one.name, kTitlePx);
    if (x + width + 24 > columns.right - 8) break;
    pen.rect(x, 6, 10, 10, head.color);
    pen.text(head.one.name, x + 14, 15, style);
    x += width + 28;
  }
}

// How much of each token the token in focus has, as bars behind the names: one for each head.
function drawWeightBars(pen, model, columns, place) {
  const {focus, theme} = model;
  const {scrollTop, height, row} = place;
  if (!focus || focus.token === null) return;
  const toKeys = focus.side === 'query';
  const names = toKeys ? model.keys : model.queries;
  const first = Math.max(0, Math.floor((scrollTop - kLineSizes.head) / row));
  for (let i = first; i < names.length && tokenY(i, scrollTop, row) < height + row; ++i) {
    const y = tokenY(i, scrollTop, row) - row / 2 + 1;
    model.heads.forEach((head, h) => {
      const q = toKeys ? focus.token : i;
      const k = toKeys ? i : focus.token;
      const cell = cellOf(head.one.map, q, k);
      if (!cell || cell.state || !(cell.value > 0) || k < model.firstCol) return;
      const opacity = head.opacityOf({q, k, weight: cell.value});
      const part = (row - 2) / model.heads.length;
      const room = toKeys ? columns.keyRoom : columns.queryRoom;
      const x = toKeys ? columns.right - 4 : columns.left - 4 - room;
      const color = mixColors(theme.background, head.color, 0.6 * opacity);
      pen.rect(x, y + h * part, room + 8, part, color);
    });
  }
}

function drawTokenNames(pen, model, columns, place, measure) {
  const {theme, focus} = model;
  const {scrollTop, height, row} = place;
  const side = (names, x, align, room, name) => {
    const first = Math.max(0, Math.floor((scrollTop - kLineSizes.head) / row));
    for (let i = first; i < names.length; ++i) {
      const y = tokenY(i, scrollTop, row);
      if (y > height + row) break;
      if (y < kLineSizes.head) continue;
      const chosen = focus && focus.side === name && focus.token === i;
      const text = cutMiddle(names[i], room, (t) => measure(t, kLineSizes.px, chosen));
      const muted = name === 'key' && i < model.firstCol;
      pen.text(text, x, y + 0.35 * kLineSizes.px, {px: kLineSizes.px, align, bold: chosen,
        color: chosen ? theme.accent : muted ? theme.muted : theme.foreground});
    }
  };
  side(model.queries, columns.left, 'end', columns.queryRoom, 'query');
  side(model.keys, columns.right, 'start', columns.keyRoom, 'key');
}

export function drawLines(pen, model, columns, size, scrollTop, measure) {
  const place = {scrollTop, height: size.height, row: size.row};
  pen.clip(0, kLineSizes.head - 4, size.width, size.height - kLineSizes.head + 4);
  drawWeightBars(pen, model, columns, place);
  for (const head of model.heads) {
    const links = linksInView(head.links, head.opacityOf, place);
    const stroke = links.length > 2000 ? 1 : 2;
    for (const link of links) {
      pen.curve(columns.left + columns.gap, link.y1, columns.right - columns.gap, link.y2,
          head.color, stroke, link.opacity);
    }
  }
  drawTokenNames(pen, model, columns, place, measure);
  pen.unclip();
  drawHeads(pen, model, columns, size, measure);
}

function linesNote(show, focus) {
  const parts = [];
  if (show.shown.some((one) => hasManyLines(one.map)) && !(show.state.topk > 0) && !focus) {
    parts.push('the strongest line of each query; choose a token for all of its own');
  }
  if (show.state.topk > 0) parts.push(`the ${show.state.topk} strongest of each query`);
  if (show.state.threshold > 0) parts.push(`weights from ${show.state.threshold}`);
  return parts.join('; ');
}

export function createLinesView(host, handlers) {
  const canvas = makeElement('canvas', {class: 'lines', tabindex: '0', role: 'application',
    'aria-label': 'Token lines. Up and down choose a token, left and right the side.'});
  const filler = makeElement('div', {class: 'lines-filler'});
  const scroller = makeElement('div', {class: 'lines-scroll'}, canvas, filler);
  const note = makeElement('div', {class: 'lines-note'});
  const element = makeElement('section', {class: 'lines-view', 'aria-label': 'Token lines'},
      scroller, note);
  host.append(element);
  const view = {canvas, scroller, filler, note, handlers, element, measure: makeTextMeasure(),
    show: null, hover: null, model: null, columns: null, size: null};
  view.draw = oncePerFrame(() => paintLines(view));
  listenToLines(view);
  return {
    element,
    show(show) {
      view.show = {...show, queries: show.input.queryTokens.map(visibleToken),
        keys: show.input.keyTokens.map(visibleToken)};
      view.model = null;
      layoutLines(view);
      revealChosen(view);
      view.draw();
    },
    setHover(focus) {
      setLinesHover(view, focus);
    },
    picture: () => linesPicture(view),
    destroy() {
      view.draw.cancel();
      element.remove();
    },
  };
}

// What is scrolled away, in the units of the layout.
function scrolledBy(view) {
  return view.scroller.scrollTop / view.size.scale;
}

function layoutLines(view) {
  const {show, scroller} = view;
  const n = Math.max(show.queries.length, show.keys.length);
  const room = linesRoom(scroller.clientWidth, show.height || 600, n);
  const row = tokenRowHeight(room.height, n);
  const whole = kLineSizes.head + n * row + 8;
  const height = Math.min(whole, room.height);
  const {width, scale} = room;
  scroller.style.height = `${height * scale}px`;
  const widest = (names, title) => Math.max(view.measure(title, kTitlePx),
      widestLabel(names, kLineSizes.px, kLineSizes.longest, view.measure, true));
  view.columns = linesColumns(width, widest(show.queries, kQueryTitle),
      widest(show.keys, kKeyTitle));
  view.size = {width, height, row, scale};
  view.filler.style.height = `${Math.max(0, whole - height) * scale}px`;
  view.whole = whole;
}

// A token chosen elsewhere comes into view; the reader's own scrolling is left alone.
function revealChosen(view) {
  const {state} = view.show;
  const token = state.direction === 'to' ? state.k : state.q;
  const key = `${state.direction}${token}`;
  if (key === view.revealed) return;
  view.revealed = key;
  if (token === null || token === undefined) return;
  const {height, row, scale} = view.size;
  const y = tokenY(token, scrolledBy(view), row);
  if (y < kLineSizes.head + row || y > height - row) {
    view.scroller.scrollTop += (y - height / 2) * scale;
  }
}

// Where lines are about: the token pointed at, else the chosen one.
function focusOf(view) {
  const {state} = view.show;
  if (view.hover) return view.hover;
  const token = state.direction === 'to' ? state.k : state.q;
  if (token === null || token === undefined) return null;
  return {side: state.direction === 'to' ? 'key' : 'query', token};
}

function paintLines(view) {
  if (!view.show) return;
  const focus = focusOf(view);
  view.model = view.model || makeLinesModel(view.show, focus, focus !== null);
  const {width, height, scale} = view.size;
  const context = sizeCanvas(view.canvas, width * scale, height * scale);
  context.scale(scale, scale);
  context.clearRect(0, 0, width, height);
  drawLines(canvasPen(context), view.model, view.columns, view.size, scrolledBy(view),
      view.measure);
  view.note.textContent = linesNote(view.show, focus);
}

function setLinesHover(view, focus) {
  const same = view.hover === focus || (view.hover && focus && view.hover.side === focus.side &&
      view.hover.token === focus.token);
  if (same || !view.show) return;
  view.hover = focus;
  view.model = null;
  view.draw();
}

function tokenUnderLines(view, event) {
  const rect = view.canvas.getBoundingClientRect();
  if (!view.show) return null;
  const {columns, size: {row, scale}} = view;
  const [x, y] = [(event.clientX - rect.left) / scale, (event.clientY - rect.top) / scale];
  const side = x <= columns.left + columns.gap ? 'query' :
    x >= columns.right - columns.gap ? 'key' : null;
  if (!side) return null;
  const names = side === 'query' ? view.show.queries : view.show.keys;
  const token = tokenOfY(y, scrolledBy(view), names.length, row);
  return token === null ? null : {side, token};
}

function listenToLines(view) {
  const {canvas, scroller} = view;
  scroller.addEventListener('scroll', view.draw, {passive: true});
  canvas.addEventListener('pointermove', (event) => {
    const at = tokenUnderLines(view, event);
    canvas.style.cursor = at ? 'pointer' : 'default';
    setLinesHover(view, at);
    view.handlers.onHover(at ? at.side : null, at ? at.token : null, event);
  });
  canvas.addEventListener('pointerleave', (event) => {
    setLinesHover(view, null);
    view.handlers.onHover(null, null, event);
  });
  canvas.addEventListener('click', (event) => {
    const at = tokenUnderLines(view, event);
    if (at) view.handlers.onSelect(at.side, at.token);
  });
  canvas.addEventListener('keydown', (event) => onLinesKey(view, event));
}

function onLinesKey(view, event) {
  if (!view.show) return;
  const focus = focusOf(view) || {side: 'query', token: -1};
  const names = focus.side === 'query' ? view.show.queries : view.show.keys;
  const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10}[event.key];
  if (step) {
    const token = Math.min(Math.max(focus.token + step, 0), names.length - 1);
    view.handlers.onSelect(focus.side, token);
    revealToken(view, token);
  } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
    view.handlers.onSelect(event.key === 'ArrowLeft' ? 'query' : 'key', Math.max(focus.token, 0));
  } else if (event.key === 'Escape') {
    view.handlers.onSelect(null, null);
  } else return;
  event.preventDefault();
}

function revealToken(view, token) {
  const {height, row, scale} = view.size;
  const y = tokenY(token, scrolledBy(view), row);
  const low = kLineSizes.head + row;
  if (y < low) view.scroller.scrollTop -= (low - y) * scale;
  if (y > height - row) view.scroller.scrollTop += (y - height + row) * scale;
}

// For a file: all tokens, as far as a picture may be tall.
function linesPicture(view) {
  if (!view.show) return null;
  const focus = focusOf(view);
  const model = makeLinesModel(view.show, focus, focus !== null);
  const size = {...view.size, height: Math.min(view.whole, 8000)};
  return {...size, background: view.show.theme.background,
    draw: (pen) => drawLines(pen, model, view.columns, size, 0, view.measure)};
}
