// The text once for each head: pointing at a token in any of them colours all of them by that
// token's weights, a click keeps it. Heads are read one by one as they come into the window.

import {colormapTable} from './colors.js';
import {cellValueText, firstShownColumn, loadShownHeads, quotedToken} from './head_model.js';
import {cellOf, isPooled} from './head_maps.js';
import {highestWeight, tileText} from './head_tiles.js';
import {chooseInSentence, withinInput} from './head_view.js';
import {headButton, labelMark} from './matrix_parts.js';
import {makeElement, makeTooltip} from './page_parts.js';
import {isSelfAttention, piecesOfSide, piecesWithin, sentenceWeights} from './sentence_pieces.js';
import {fillTokenLine, focusToken, paintTokenLine} from './sentence_view.js';
import {evenColumns, excerptOf, kMostTextTokens, startWithToken, textColumnWidth, textsCaption,
  textsStatus} from './text_excerpt.js';
import {buttonControl} from './view_controls.js';
import {makeSlices} from './work_slices.js';

const kLongText = 400;   // characters: smaller letters show more heads at once
const kTextGap = 26;     // px between columns (overview.css)
const kNearWindow = 400; // px around the window, in which texts are kept ready

// The token that colours the texts: the chosen one, else the one pointed at.
function shownToken({scene: {state}, preview}) {
  const chosen = state.direction === 'to' ? state.k : state.q;
  return chosen === null && preview ? preview : {direction: state.direction, token: chosen};
}

// The whole map of a head where the page has it at once: that of a short text is its thumbnail.
function readyMap(head) {
  return isPooled(head.thumb) ? null : {name: head.name, map: head.thumb, sharp: null};
}

function fillTile(view, tile) {
  if (tile.lines.length > 0) return;
  for (const {side, pieces} of view.sides) {
    const line = makeElement('p', {class: 'sentence', dir: 'auto', 'data-side': side,
      role: 'group', 'aria-label': view.sides.length === 1 ? `Text of ${tile.head.name}` :
        `${side === 'query' ? 'Queries' : 'Keys'} of ${tile.head.name}`});
    tile.lines.push({side, line, elements: fillTokenLine(line, pieces)});
  }
  tile.body.replaceChildren(...tile.lines.map(({line}) => line));
}

function emptyTile(view, tile) {
  if (tile.lines.length === 0 || tile.body.contains(document.activeElement)) return;
  tile.lines = [];
  tile.body.replaceChildren();
  if (!readyMap(tile.head)) tile.one = null;
}

function paintTextTile(view, tile) {
  if (!tile.isNear || tile.problem) return;
  fillTile(view, tile);
  if (!tile.one) return;
  const {state, table, high} = view.scene;
  const found = sentenceWeights(tile.one, state, view.preview && shownToken(view));
  tile.found = found;
  const show = {table, state, colors: {kind: state.scale, low: 0, high},
    firstCol: firstShownColumn(tile.one.map, state.dropFirst)};
  for (const line of tile.lines) paintTokenLine(line, found, show, view.sides.length === 1);
  tile.element.removeAttribute('aria-busy');
}

// Paints the texts near the window, the one that is pointed at first.
function paintTiles(view) {
  const near = view.tiles.filter((tile) => tile.isNear);
  const first = near.filter((tile) => tile === view.pointed);
  view.slices.start([...first, ...near.filter((tile) => tile !== view.pointed)]);
  sayWhat(view);
  offerOneToken(view);
}

function sayWhat(view) {
  const {input} = view.scene;
  const {token, direction} = shownToken(view);
  const isChosen = (view.scene.state.direction === 'to' ? view.scene.state.k :
    view.scene.state.q) !== null;
  view.caption.textContent = textsCaption({token, direction}, input, isChosen);
  const waiting = view.tiles.filter((tile) => tile.isNear && !tile.one && !tile.problem).length;
  const known = view.tiles.find((tile) => tile.one);
  view.status.textContent = textsStatus({waiting, input, start: view.start,
    map: known && known.one.map});
}

// Tab reaches one token of all the texts: arrows lead to the others.
function offerOneToken(view) {
  if (view.grid.contains(document.activeElement)) return;
  const {token} = shownToken(view);
  for (const tile of view.tiles) {
    for (const {elements} of tile.lines) {
      const element = elements[token ?? -1] || elements.find(Boolean);
      if (!element) continue;
      if (view.offered && view.offered !== element) view.offered.tabIndex = -1;
      view.offered = element;
      element.tabIndex = 0;
      return;
    }
  }
}

// One head after the other, as long as they are near the window.
async function loadWaiting(view) {
  if (view.isLoading) return;
  view.isLoading = true;
  for (;;) {
    const tile = view.tiles.find((one) => one.isNear && !one.one && !one.problem);
    if (!tile || !view.isAlive) break;
    try {
      const [one] = await loadShownHeads(view.scene.input, [tile.head.name], false);
      tile.one = one;
    } catch (error) {
      tile.problem = error.message;
      tile.body.prepend(makeElement('p', {class: 'view-message'}, error.message));
    }
    if (!view.isAlive) break;
    paintTextTile(view, tile);
    sayWhat(view);
  }
  view.isLoading = false;
}

function makeTextTile(view, head) {
  const {report, store} = view;
  const body = makeElement('div', {class: 'text-body'});
  const text = tileText(head, view.scene.state.sort);
  const title = makeElement('div', {class: 'text-head'}, labelMark(report, head.labelText),
      headButton(store, head.name), makeElement('span', {class: 'tile-label'}, text));
  const element = makeElement('section', {class: 'text-tile', 'data-head': head.name,
    'aria-label': head.labelText ? `${head.name}: ${head.labelText}` : head.name,
    'aria-busy': 'true'}, title, body);
  return {head, element, body, lines: [], one: readyMap(head), found: null, isNear: false,
    problem: null};
}

// The excerpt of each side, cut into its pieces once for all heads.
function cutTexts(view) {
  const {input, state} = view.scene;
  const isSelf = isSelfAttention(input);
  const longest = Math.max(input.queryTokens.length, input.keyTokens.length);
  view.start = startWithToken(view.start, state.direction === 'to' ? state.k : state.q, longest);
  view.sides = (isSelf ? ['query'] : ['query', 'key']).map((side) => {
    const count = (side === 'query' ? input.queryTokens : input.keyTokens).length;
    const {first, end} = excerptOf(view.start, count);
    return {side, pieces: piecesWithin(piecesOfSide(side, input), first, end)};
  });
  const characters = Math.max(...view.sides.map(({pieces}) =>
    pieces.reduce((sum, piece) => sum + piece.text.length, 0)));
  view.columnWidth = textColumnWidth(characters);
  view.grid.style.setProperty('--text-width', `${view.columnWidth.toFixed(1)}em`);
  view.grid.classList.toggle('long', characters > kLongText);
  evenTexts(view);
  view.earlier.hidden = view.later.hidden = longest <= kMostTextTokens;
  view.earlier.disabled = view.start <= 0;
  view.later.disabled = view.start + kMostTextTokens >= longest;
}

// Where heads are in their places: rows of one length.
function evenTexts({grid, scene: {columns}, columnWidth}) {
  const width = columnWidth * parseFloat(getComputedStyle(grid).fontSize) + kTextGap;
  const fit = Math.floor((grid.clientWidth + kTextGap) / width);
  const count = columns > 0 ? evenColumns(fit, columns) : 0;
  grid.style.setProperty('--text-share', count === 0 ? '0px' :
    `calc((100% - ${(count - 1) * kTextGap}px) / ${count} - 0.1px)`);
}

function buildTiles(view) {
  const {heads, columns} = view.scene;
  view.watcher.disconnect();
  view.slices.stop();
  view.tooltip.hide();
  cutTexts(view);
  view.pointed = view.offered = view.preview = null;
  view.tiles = heads.map((head) => makeTextTile(view, head));
  const parts = [];
  view.tiles.forEach((tile, i) => {
    if (columns > 0 && (i === 0 || tile.head.layer !== heads[i - 1].layer)) {
      parts.push(makeElement('div', {class: 'layer-name'}, `L${tile.head.layer}`));
    }
    parts.push(tile.element);
  });
  view.grid.replaceChildren(...parts);
  view.byElement = new Map(view.tiles.map((tile) => [tile.element, tile]));
  // All are as tall as the first one.
  if (view.tiles.length > 0) {
    fillTile(view, view.tiles[0]);
    view.grid.style.setProperty('--text-height', `${view.tiles[0].body.offsetHeight}px`);
  }
  // Those in the window at once, so that a text that is typed does not flicker. Heads that have to
  // be read wait for the watcher: asking for their places would lay the page out once more.
  for (const tile of view.tiles.every(({one}) => one) ? view.tiles : []) {
    const {top, bottom} = tile.element.getBoundingClientRect();
    tile.isNear = bottom > 0 && top < window.innerHeight;
  }
  for (const tile of view.tiles) view.watcher.observe(tile.element);
  paintTiles(view);
  loadWaiting(view);
}

function onNear(view, entries) {
  for (const {target, isIntersecting} of entries) {
    const tile = view.byElement.get(target);
    if (!tile) continue;
    tile.isNear = isIntersecting;
    if (!isIntersecting) emptyTile(view, tile);
  }
  paintTiles(view);
  loadWaiting(view);
}

// The text and token under an event: {tile, side, token, element} or null.
function tokenOfEvent(view, event) {
  const element = event.target.closest('[data-token]');
  if (!element) return null;
  const tile = view.byElement.get(element.closest('.text-tile'));
  return {tile, element, token: Number(element.getAttribute('data-token')),
    side: view.sides.length === 1 ? 'either' :
      element.closest('[data-side]').getAttribute('data-side')};
}

function previewToken(view, at) {
  const {direction} = view.scene.state;
  const next = at && {token: at.token, direction: at.side === 'either' ? direction :
    at.side === 'key' ? 'to' : 'from'};
  const {preview} = view;
  view.pointed = at ? at.tile : view.pointed;
  if (preview === next || (preview && next && preview.token === next.token &&
      preview.direction === next.direction)) return;
  view.preview = next;
  paintTiles(view);
}

// The weight of a token in its text, and whose it is.
function describeToken(view, {tile, token, side}) {
  const {input} = view.scene;
  const {found, one, head} = tile;
  if (!found) return [head.name, 'its weights are still being read'];
  const asked = side === 'either' ? found.side : side;
  const tokens = asked === 'key' ? input.keyTokens : input.queryTokens;
  const name = `${token}: ${quotedToken(tokens[token] ?? '')}`;
  if (asked !== found.side) return [`${head.name}  ${name}`];
  if (found.token === null) {
    const mean = found.weights[token];
    return [`${head.name}  ${Number.isFinite(mean) ? `mean ${mean.toFixed(4)}` : 'masked'}`, name];
  }
  const [q, k] = found.side === 'key' ? [found.token, token] : [token, found.token];
  const map = (one.sharp && cellOf(one.sharp, q, k)) ? one.sharp : one.map;
  const cell = cellOf(map, q, k);
  return [`${head.name}  ${cell ? cellValueText(cell, map) : 'no number'}`, name];
}

function moveToToken(view, at, key) {
  const {tile, element, token} = at;
  const line = tile.lines.find(({elements}) => elements[token] === element);
  const step = {ArrowRight: 1, ArrowLeft: -1}[key];
  if (step) return line.elements[token + step];
  const tiles = view.tiles.filter((one) => one.lines.length > 0);
  const next = tiles[tiles.indexOf(tile) + (key === 'ArrowDown' ? 1 : -1)];
  return next && next.lines[tile.lines.indexOf(line)].elements[token];
}

function listenToTexts(view) {
  const {grid, store, tooltip} = view;
  grid.addEventListener('pointermove', (event) => {
    const at = tokenOfEvent(view, event);
    previewToken(view, at);
    if (at) tooltip.show(describeToken(view, at), event.clientX, event.clientY);
    else tooltip.hide();
  });
  grid.addEventListener('pointerleave', () => {
    previewToken(view, null);
    tooltip.hide();
  });
  grid.addEventListener('click', (event) => {
    const at = tokenOfEvent(view, event);
    if (at) chooseInSentence(store, at.side, at.token);
  });
  grid.addEventListener('focusin', (event) => {
    const at = tokenOfEvent(view, event);
    if (!at) return;
    if (view.offered && view.offered !== at.element) view.offered.tabIndex = -1;
    view.offered = at.element;
    previewToken(view, at);
  });
  grid.addEventListener('focusout', () => previewToken(view, null));
  grid.addEventListener('keydown', (event) => {
    const at = tokenOfEvent(view, event);
    if (!at) return;
    if (event.key === 'Enter' || event.key === ' ') chooseInSentence(store, at.side, at.token);
    else if (event.key === 'Escape') store.set({q: null, k: null});
    else if (event.key.startsWith('Arrow')) {
      const next = moveToToken(view, at, event.key);
      if (next) focusToken([], next);
    } else return;
    event.preventDefault();
  });
}

// show(scene) as in createHeadTiles(); showTokens(state) only colours the texts again.
export function createTextTiles(host, report, store) {
  const caption = makeElement('p', {class: 'texts-caption'});
  const status = makeElement('span', {class: 'texts-status', role: 'status'});
  const grid = makeElement('div', {class: 'texts', role: 'group', 'aria-label': 'Texts of heads'});
  const view = {report, store, caption, status, grid, start: 0, scene: null, sides: [], tiles: [],
    byElement: new Map(), preview: null, pointed: null, offered: null, isAlive: true,
    isLoading: false, tooltip: makeTooltip(host)};
  const turn = (by) => () => {
    // A chosen token would bring its own part back.
    store.set({q: null, k: null});
    view.start = Math.max(0, view.start + by * kMostTextTokens);
    buildTiles(view);
  };
  view.earlier = buttonControl('‹ Earlier', 'Tokens before these', turn(-1));
  view.later = buttonControl('Later ›', 'Tokens after these', turn(1));
  for (const button of [view.earlier, view.later]) button.className = 'head-link';
  const bar = makeElement('div', {class: 'texts-bar'}, caption,
      makeElement('div', {class: 'texts-part'}, view.earlier, view.later, status));
  host.append(bar, grid);
  view.slices = makeSlices((tile) => paintTextTile(view, tile));
  view.watcher = new IntersectionObserver((entries) => onNear(view, entries),
      {rootMargin: `${kNearWindow}px 0px`});
  listenToTexts(view);
  const observer = new ResizeObserver(() => {
    if (view.scene && grid.clientWidth !== view.width) evenTexts(view);
    view.width = grid.clientWidth;
  });
  observer.observe(grid);
  return {
    show(scene) {
      const state = withinInput(scene.state, scene.input);
      view.scene = {...scene, state, high: highestWeight(scene.input.heads, scene.state.dropFirst),
        table: colormapTable(report.colormaps, scene.state.colormap, scene.theme.dark)};
      buildTiles(view);
    },
    showTokens(state) {
      view.scene.state = withinInput(state, view.scene.input);
      const {direction, q, k} = view.scene.state;
      const token = direction === 'to' ? k : q;
      const {queryTokens, keyTokens} = view.scene.input;
      const longest = Math.max(queryTokens.length, keyTokens.length);
      if (startWithToken(view.start, token, longest) !== view.start) buildTiles(view);
      else paintTiles(view);
    },
    destroy() {
      view.isAlive = false;
      view.watcher.disconnect();
      observer.disconnect();
      view.slices.stop();
      view.tooltip.remove();
      bar.remove();
      grid.remove();
    },
  };
}
