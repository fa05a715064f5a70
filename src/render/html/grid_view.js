// The picture with the chosen query's weights over its patches, a panel for each shown head. A
// click (or Enter) chooses a patch; tokens that are no patches are buttons beside it.
//
// createGridView(host, {onChoose(key), onHover(key | null, event, lines), onClear()})

import {colorAt, cssColor, textOn} from './colors.js';
import {drawGrid, keyAtPoint, layoutGrid} from './grid_figure.js';
import {greyPixels, gridCaption, gridColors, gridWeights, keyName, keyPaint, patchKey, patchPlace,
  strongestPatches, weightText} from './grid_model.js';
import {panelColumns, roomOf} from './head_panels.js';
import {makeAnnouncer, makeElement, makeTextMeasure, oncePerFrame, sizeCanvas
} from './page_parts.js';
import {canvasPen} from './pens.js';
import {makeValueScale, scaleTitle, withMinus} from './scales.js';

const kNamedPatches = 5;
const kGridMoves = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  PageUp: [-1e6, 0], PageDown: [1e6, 0], Home: [0, -1e6], End: [0, 1e6]};

function canvasOfSize(width, height) {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return canvas;
}

// The embedded picture, as it is and in grey.
async function loadPicture({url, width, height}) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const color = canvasOfSize(width, height);
  const context = color.getContext('2d');
  context.drawImage(image, 0, 0, width, height);
  const pixels = context.getImageData(0, 0, width, height);
  greyPixels(pixels.data);
  const grey = canvasOfSize(width, height);
  grey.getContext('2d').putImageData(pixels, 0, 0);
  return {color, grey};
}

// `controls` stand beside the first picture.
export function createGridView(host, handlers, controls = []) {
  const panels = makeElement('div', {class: 'grid-panels'});
  const element = makeElement('section', {class: 'grid-view', 'aria-label': 'Picture'}, panels);
  host.append(element);
  const view = {element, row: panels, handlers, panels: [], scene: null, hover: null, controls,
    measure: makeTextMeasure(), announcer: makeAnnouncer(element), bitmaps: null};
  view.draw = oncePerFrame(() => view.panels.forEach((panel) => drawPanel(view, panel)));
  return {
    element,
    // `scene` is that of the head view with the grid; `preview` {direction, token} or null.
    show(scene, preview) {
      element.hidden = !scene.grid;
      view.scene = scene.grid ? scene : null;
      if (scene.grid) showGrids(view, preview);
    },
    pictures: () => (view.scene ? view.panels.map((panel) => gridPicture(view, panel)) : []),
    destroy() {
      view.draw.cancel();
      element.remove();
    },
  };
}

// The pixels of the picture, once they are there; the grid alone until then.
function bitmapsOf(view, picture) {
  if (!picture) return null;
  if (!view.bitmaps) {
    view.bitmaps = {now: null};
    loadPicture(picture).then((loaded) => {
      view.bitmaps.now = loaded;
      if (view.scene) showGrids(view, view.preview);
    }, () => {
      view.announcer.say('the picture cannot be shown');
    });
  }
  return view.bitmaps.now;
}

function makeGridPanel(view, index) {
  const caption = makeElement('h3', {class: 'grid-caption'});
  const canvas = makeElement('canvas', {class: 'patches', tabindex: '0', role: 'application'});
  const buttons = makeElement('div', {class: 'grid-tokens', role: 'group',
    'aria-label': 'Tokens that are no patches'});
  const note = makeElement('p', {class: 'grid-note'});
  const side = makeElement('div', {class: 'grid-side'}, buttons, note);
  const element = makeElement('div', {class: 'grid-panel'}, caption, canvas, side);
  const panel = {index, element, caption, canvas, buttons, note, model: null, layout: null,
    scale: 1};
  if (index === 0) side.append(...view.controls.map((control) => control.element));
  listenToPatches(view, panel);
  view.row.append(element);
  return panel;
}

function showGrids(view, preview) {
  const {scene} = view;
  const {grid, shown, state} = scene;
  view.preview = preview;
  while (view.panels.length < shown.length) {
    view.panels.push(makeGridPanel(view, view.panels.length));
  }
  while (view.panels.length > shown.length) view.panels.pop().element.remove();
  view.element.classList.toggle('several', shown.length > 1);
  const chosen = shown.map((one) => gridWeights(grid, one, state));
  const founds = preview ? shown.map((one) => gridWeights(grid, one, state, preview)) : chosen;
  const colors = gridColors(grid, founds, state, scene.firstCol);
  const room = gridRoom(view);
  view.panels.forEach((panel, i) =>
    showGridPanel(view, panel, {one: shown[i], found: founds[i], chosen: chosen[i],
      colors: colors[i], room}));
  view.draw();
}

// One picture leaves room beside it for the tokens; several share the width.
function gridRoom(view) {
  const width = view.element.clientWidth;
  const count = view.scene.shown.length;
  const columns = panelColumns(width, count);
  view.row.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  const height = Math.min(Math.max(window.innerHeight * (count > 1 ? 0.5 : 0.57), 300), 1300);
  const each = count > 1 ? (width - 16 * (columns - 1)) / columns :
    Math.max(Math.min(width, 360), width * 0.62);
  return roomOf(each, height);
}

function showGridPanel(view, panel, {one, found, chosen, colors, room}) {
  const {grid, state, theme, table, input, firstCol} = view.scene;
  const paint = {table, theme, colors, firstCol, showMask: state.mask !== false};
  panel.one = one;
  panel.chosen = chosen;
  panel.found = found;
  panel.scale = room.scale;
  panel.model = {grid, theme, colors, paint, picture: bitmapsOf(view, grid.picture),
    paintOf: (key) => keyPaint(grid, one, found, key, paint), marked: found.marked,
    showsWeights: state.overlay !== false,
    barTitle: scaleTitle(input.valueName || 'attention weight', colors.kind, 'none')};
  panel.layout = layoutGrid(panel.model, room, view.measure);
  panel.caption.textContent = gridCaption(grid, one, input, found);
  panel.note.textContent = gridNote(view.scene, panel);
  panel.canvas.setAttribute('aria-label', `${panel.caption.textContent}: ${grid.rows} rows by ` +
      `${grid.cols} columns of patches. Arrow keys move, Enter chooses, Escape lets go.`);
  fillTokenButtons(view, panel, paint);
}

function gridNote({grid, input}, {one, found}) {
  const strongest = strongestPatches(grid, found, kNamedPatches);
  const pool = Math.max(one.map.rowPool || 1, one.map.colPool || 1);
  const hint = found.token !== null ? '' : grid.shift === null ?
    'Choose a query below to see where it attends.' :
    'Choose a patch or a token to see where it attends; pointing at one shows it.';
  return [strongest ? `Strongest (row,column): ${strongest}.` : 'No patch has a weight here.',
    pool > 1 && !one.sharp ? `Weights are the ${input.poolKind || 'maximum'} of ${pool} x ${pool}.` :
      '', hint].filter(Boolean).join(' ');
}

// CLS, registers: buttons with their weights, made anew only for another number of them.
function fillTokenButtons(view, panel, paint) {
  const {grid, input} = view.scene;
  const {buttons, one, found} = panel;
  if (buttons.children.length !== grid.prefix || buttons.input !== input) {
    buttons.input = input;
    buttons.replaceChildren(...Array.from({length: grid.prefix}, (_, key) =>
      makeElement('button', {type: 'button', 'data-key': key}, makeElement('span', {}),
          makeElement('span', {class: 'grid-weight'}))));
  }
  buttons.hidden = grid.prefix === 0;
  const scale = makeValueScale(paint.colors);
  [...buttons.children].forEach((button, key) => {
    const value = found.byKey[key];
    const isShown = keyPaint(grid, one, found, key, paint) !== null;
    button.firstChild.textContent = keyName(grid, input, key);
    button.lastChild.textContent = Number.isFinite(value) ? withMinus(Number(value.toPrecision(2))) :
      isShown ? 'masked' : '–';
    button.setAttribute('aria-pressed', String(found.marked === key));
    const color = isShown && Number.isFinite(value) ? colorAt(paint.table, scale.position(value)) : null;
    button.lastChild.style.backgroundColor = color ? cssColor(color) : '';
    button.lastChild.style.color = color ? cssColor(textOn(color)) : '';
  });
}

function drawPanel(view, panel) {
  if (!view.scene || !panel.model) return;
  const {layout, canvas, scale} = panel;
  const context = sizeCanvas(canvas, layout.width * scale, layout.height * scale);
  context.scale(scale, scale);
  context.clearRect(0, 0, layout.width, layout.height);
  drawGrid(canvasPen(context), panel.model, layout, view.measure, view.hover);
}

// What a key's weight is, without what pointing at it would show.
function describeKey(view, panel, key) {
  const {grid, input} = view.scene;
  const {one, chosen} = panel;
  const value = weightText(one, chosen, key);
  return [chosen.token === null ? `${value} (mean)` : value,
    `${keyName(grid, input, key)}${patchPlace(grid, key) ? `, key ${key}` : ''}`];
}

function hoverKey(view, panel, key, event) {
  const changed = view.hover !== key;
  view.hover = key;
  if (changed) view.draw();
  const lines = key === null ? [] : describeKey(view, panel, key);
  if (changed && lines.length > 0) view.announcer.say([...lines].reverse().join(': '));
  view.handlers.onHover(key, event, lines);
}

function listenToPatches(view, panel) {
  const {canvas, buttons} = panel;
  const keyUnder = (event) => {
    if (!view.scene || !panel.layout) return null;
    const box = canvas.getBoundingClientRect();
    const scale = box.width > 0 ? panel.layout.width / box.width : 1;
    return keyAtPoint(view.scene.grid, panel.layout, (event.clientX - box.left) * scale,
        (event.clientY - box.top) * scale);
  };
  canvas.addEventListener('pointermove', (event) =>
    hoverKey(view, panel, keyUnder(event), event));
  canvas.addEventListener('pointerleave', (event) => hoverKey(view, panel, null, event));
  canvas.addEventListener('blur', () => hoverKey(view, panel, null, null));
  canvas.addEventListener('click', (event) => {
    const key = keyUnder(event);
    if (key !== null) view.handlers.onChoose(key);
  });
  canvas.addEventListener('keydown', (event) => onGridKey(view, panel, event));
  const buttonKey = (event) => {
    const button = event.target.closest('[data-key]');
    return button ? Number(button.getAttribute('data-key')) : null;
  };
  buttons.addEventListener('click', (event) => {
    if (buttonKey(event) !== null) view.handlers.onChoose(buttonKey(event));
  });
  buttons.addEventListener('pointermove', (event) =>
    hoverKey(view, panel, buttonKey(event), event));
  buttons.addEventListener('pointerleave', (event) => hoverKey(view, panel, null, event));
}

function onGridKey(view, panel, event) {
  if (!view.scene || event.altKey || event.metaKey || event.ctrlKey) return;
  const {grid} = view.scene;
  const move = kGridMoves[event.key];
  if (move) {
    const from = patchPlace(grid, view.hover ?? panel.found.marked ?? -1);
    const place = from ? [from[0] + move[0], from[1] + move[1]] : [0, 0];
    hoverKey(view, panel, patchKey(grid, ...place), null);
  } else if ((event.key === 'Enter' || event.key === ' ') && view.hover !== null) {
    view.handlers.onChoose(view.hover);
  } else if (event.key === 'Escape') {
    hoverKey(view, panel, null, null);
    view.handlers.onClear();
  } else return;
  event.preventDefault();
}

// The panel as a figure of its own, with its caption.
function gridPicture(view, panel) {
  const model = {...panel.model, title: panel.caption.textContent};
  const layout = layoutGrid(model, {width: 640, height: 640, dpr: 1}, view.measure);
  return {width: layout.width, height: layout.height, background: model.theme.background,
    draw: (pen) => drawGrid(pen, model, layout, view.measure)};
}
