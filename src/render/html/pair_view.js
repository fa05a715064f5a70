// "Why does TOKEN look at TOKEN?": every key of one query with the products that make its score.

import {colorAt, colormapTable, cssColor, numberInk} from './colors.js';
import {plainFormula} from './formula.js';
import {quotedToken, visibleToken} from './head_model.js';
import {makeElement, sizeCanvas} from './page_parts.js';
import {pairNote, pairParts, pairRows, shownPair} from './pair_model.js';
import {canvasPen} from './pens.js';
import {cellNumber, fixedNumber} from './scales.js';
import {fillTokenLine} from './sentence_view.js';

const kStripHeight = 22;   // px
const kCellForNumber = 31; // px that a number in a cell needs
const kWideCell = 60;

function numberOr(value, text) {
  return value === null ? text : fixedNumber(value);
}

// One cell for each number, from the colour of the negative ones to that of the positive.
function drawStrip(canvas, numbers, largest, look) {
  const width = canvas.parentElement.clientWidth - look.padding;
  if (!(width > 0)) return;
  const pen = canvasPen(sizeCanvas(canvas, width, kStripHeight));
  const side = width / numbers.length;
  const gap = side > 6 ? 1 : 0;
  const px = side >= kWideCell ? 12.5 : 10.5;
  numbers.forEach((value, d) => {
    const color = value === null ? look.theme.missing :
      colorAt(look.table, 0.5 + 0.5 * value / (largest || 1));
    pen.rect(d * side, 0, side - gap, kStripHeight, color);
    const text = side >= kCellForNumber && value !== null ? cellNumber(value) : '';
    if (text) {
      pen.text(text, (d + 0.5) * side, kStripHeight / 2 + 0.36 * px, {px, align: 'middle',
        color: numberInk(color, look.zero)});
    }
  });
}

function stripCell(label) {
  const canvas = makeElement('canvas', {class: 'pair-strip', role: 'img', 'aria-label': label});
  return makeElement('td', {class: 'pair-cells'}, canvas);
}

// Names of tokens as labels show them: those of the steps may have marks of their own.
function pairNames(input) {
  return {queries: input.queryTokens.map(visibleToken), keys: input.keyTokens.map(visibleToken)};
}

function keyRow(view, row, names) {
  const button = makeElement('button', {type: 'button', class: 'head-link', dir: 'auto',
    'aria-pressed': 'false'}, names.keys[row.k]);
  const bar = makeElement('span', {class: 'pair-bar', 'aria-hidden': 'true'});
  bar.style.width = `${Math.min(Math.max(row.weight ?? 0, 0), 1) * 100}%`;
  return makeElement('tr', {'data-key': row.k},
      makeElement('th', {scope: 'row'}, makeElement('span', {class: 'pair-place'}, row.k), button),
      stripCell(`Products of each dimension for ${names.keys[row.k]}`),
      makeElement('td', {}, numberOr(row.score, '−∞')),
      ...row.later.map((value) => makeElement('td', {}, numberOr(value, '−∞'))),
      makeElement('td', {class: 'pair-weight'}, makeElement('span', {class: 'pair-track'}, bar),
          numberOr(row.weight, '–')));
}

function pairTable(view, names) {
  const {parts, found, pair} = view;
  const span = parts.later.length + 2;
  const vectorRow = (name, kind) => makeElement('tr', {class: 'pair-vector'},
      makeElement('th', {scope: 'row', 'data-vector': kind, dir: 'auto'}, name),
      stripCell(`Vector ${kind}`), makeElement('td', {colspan: span}));
  const title = (text, step) => makeElement('th', {scope: 'col',
    title: step && plainFormula(step.formula)}, text);
  return makeElement('table', {class: 'pairs-table'},
      makeElement('thead', {},
          vectorRow(`q of ${quotedToken(names.queries[pair.q])}`, 'q'), vectorRow('', 'k'),
          makeElement('tr', {}, title('key', null),
              title('q × k, dimension by dimension', null), title('q · k', parts.scores),
              ...parts.later.map(({step, title: text}) => title(text, step)),
              title('weight', parts.weights))),
      makeElement('tbody', {}, ...found.rows.map((row) => keyRow(view, row, names))));
}

// What changes with the key that is pointed at: the question, its vector, its row.
function showKey(view) {
  const {pair, found, element, input} = view;
  const names = pairNames(input);
  const k = view.hover ?? pair.k;
  view.title.textContent = `Why does “${quotedToken(names.queries[pair.q])}” (${pair.q}) look at ` +
      `“${quotedToken(names.keys[k])}” (${k})?`;
  element.querySelector('[data-vector="k"]').textContent = `k of ${quotedToken(names.keys[k])}`;
  const [, keyStrip] = element.querySelectorAll('thead canvas');
  drawStrip(keyStrip, found.rows[k].key, found.vectorLargest, view.look);
  for (const row of element.querySelectorAll('tbody tr')) {
    const isShown = Number(row.getAttribute('data-key')) === k;
    row.classList.toggle('shown', isShown);
    row.querySelector('button').setAttribute('aria-pressed',
        String(Number(row.getAttribute('data-key')) === pair.k));
  }
}

function drawStrips(view) {
  const {found, element} = view;
  const cell = element.querySelector('.pair-cells');
  const style = getComputedStyle(cell);
  view.look.padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
  const [queryStrip] = element.querySelectorAll('thead canvas');
  drawStrip(queryStrip, found.vector, found.vectorLargest, view.look);
  element.querySelectorAll('tbody canvas').forEach((canvas, i) =>
    drawStrip(canvas, found.rows[i].products, found.largest, view.look));
  showKey(view);
}

function keyOfEvent(event) {
  const row = event.target.closest('tr[data-key]');
  return row ? Number(row.getAttribute('data-key')) : null;
}

// The dimension under the pointer, with both numbers and their product.
function describeCellAt(view, event) {
  const canvas = event.target.closest('canvas');
  const k = keyOfEvent(event) ?? view.hover ?? view.pair.k;
  if (!canvas) return null;
  const {found} = view;
  const box = canvas.getBoundingClientRect();
  const d = Math.min(Math.max(Math.floor((event.clientX - box.left) / box.width *
      found.vector.length), 0), found.vector.length - 1);
  const [a, b] = [found.vector[d], found.rows[k].key[d]];
  const product = found.rows[k].products[d];
  return [`${numberOr(a, 'no number')} × ${numberOr(b, 'no number')} = ` +
      numberOr(product, 'no number'), `dimension ${d}: q × k`];
}

function pointAtKey(view, k) {
  if (view.hover === k) return;
  view.hover = k;
  showKey(view);
}

function listenToPairs(view) {
  const {body, store} = view;
  body.addEventListener('pointermove', (event) => {
    pointAtKey(view, keyOfEvent(event) ?? (event.target.closest('thead') ? view.hover : null));
    const lines = describeCellAt(view, event);
    if (lines) view.tooltip.show(lines, event.clientX, event.clientY);
    else view.tooltip.hide();
  });
  body.addEventListener('pointerleave', () => {
    pointAtKey(view, null);
    view.tooltip.hide();
  });
  body.addEventListener('focusin', (event) => pointAtKey(view, keyOfEvent(event)));
  body.addEventListener('focusout', () => pointAtKey(view, null));
  body.addEventListener('click', (event) => {
    const k = keyOfEvent(event);
    if (k !== null) store.set({q: view.pair.q, k});
  });
  body.addEventListener('keydown', (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    const k = keyOfEvent(event);
    if (!step || k === null) return;
    event.preventDefault();
    const next = body.querySelector(`tr[data-key="${k + step}"] button`);
    if (next) next.focus();
  });
}

function queryLine(view) {
  const pieces = view.input.queryTokens.map((name, token) =>
    ({text: name, token, isName: true, isApart: true}));
  const line = makeElement('p', {class: 'sentence', dir: 'auto', role: 'group',
    'aria-label': 'Query'});
  fillTokenLine(line, pieces).forEach((element) => {
    element.tabIndex = 0;
  });
  const choose = (event) => {
    const element = event.target.closest('[data-token]');
    if (!element) return;
    view.store.set({q: Number(element.getAttribute('data-token')), k: null, direction: 'from'});
  };
  line.addEventListener('click', choose);
  line.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose(event);
  });
  return line;
}

function markQuery(view) {
  for (const element of view.line.querySelectorAll('[data-token]')) {
    const isChosen = Number(element.getAttribute('data-token')) === view.pair.q;
    element.classList.toggle('chosen', isChosen);
    element.setAttribute('aria-pressed', String(isChosen));
  }
}

// show(head, theme) of the steps; showPair() when the state has another query or key.
export function createPairView(host, report, store, input, tooltip) {
  const title = makeElement('h3', {dir: 'auto'});
  const note = makeElement('p', {class: 'explain'});
  const body = makeElement('div', {class: 'pair-body wide'});
  const element = makeElement('section', {class: 'step pair-view', 'aria-label':
    'Why a query looks at a key'});
  const view = {report, store, input, tooltip, title, body, element, hover: null, head: null};
  view.line = queryLine(view);
  element.append(title, makeElement('div', {class: 'pair-query'}, makeElement('span',
      {class: 'control-name'}, 'Query'), view.line), note, body);
  host.append(element);
  listenToPairs(view);
  const observer = new ResizeObserver(() => {
    if (view.found && body.clientWidth !== view.width) {
      view.width = body.clientWidth;
      drawStrips(view);
    }
  });
  observer.observe(body);
  const fill = () => {
    view.found = pairRows(view.parts, view.pair.q);
    view.hover = null;
    note.textContent = pairNote(view.parts, view.head.steps, view.found.error);
    body.replaceChildren(pairTable(view, pairNames(input)));
    markQuery(view);
    view.width = body.clientWidth;
    if (view.width) drawStrips(view);
  };
  return {
    show(head, theme) {
      view.head = head;
      view.parts = pairParts(head);
      element.hidden = view.parts === null;
      if (!view.parts) return;
      const table = colormapTable(report.colormaps, 'diverging', theme.dark);
      view.look = {table, theme, zero: colorAt(table, 0.5), padding: 0};
      element.style.setProperty('--bar', cssColor(theme.accent));
      view.pair = shownPair(head, view.parts, store.get());
      fill();
    },
    showPair() {
      if (!view.parts) return;
      const pair = shownPair(view.head, view.parts, store.get());
      const isOther = pair.q !== view.pair.q;
      view.pair = pair;
      if (isOther) fill();
      else showKey(view);
    },
    destroy: () => observer.disconnect(),
  };
}
