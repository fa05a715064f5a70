// One head, several side by side, or their mean: controls, the sentence, heatmaps, token lines.

import {colormapTable} from './colors.js';
import {chooseKey, patchGridOf, previewOfKey} from './grid_model.js';
import {createGridView} from './grid_view.js';
import {createHeatPanels} from './head_panels.js';
import {colorRanges, describeCell, firstShownColumn, headTitle, heatmapModel, loadShownHeads,
  poolNote} from './head_model.js';
import {createHeadPicker} from './head_picker.js';
import {createHeadStrip} from './head_strip.js';
import {createLinesView} from './lines_view.js';
import {currentCellTheme, makeElement, makeTooltip, oncePerFrame, paintOnChanges
} from './page_parts.js';
import {withMinus} from './scales.js';
import {createSentenceView} from './sentence_view.js';
import {colorControls, directionControl, lineControls, makeToolbar, overlayControl,
  nameDroppedKeys, viewButtons} from './view_controls.js';

// State that makes it necessary to load heads, and to paint cells.
const kLoadKeys = ['input', 'heads', 'mean'];
const kMostHeads = 8;
const kMostPreviewed = 200;

export function createHeadView(container, report, store) {
  const root = makeElement('section', {class: 'head-view', 'aria-label': 'Head'});
  container.append(root);
  const tooltip = makeTooltip(root);
  const view = {root, report, store, tooltip, shown: [], loading: 0, alive: true, preview: null,
    input: () => report.inputs[store.get().input] || report.inputs[0]};
  buildHeadView(view);
  return startHeadView(view);
}

// The parts from top to bottom: which heads, how they are shown, the sentence, maps beside lines.
function buildHeadView(view) {
  const {root, report, store} = view;
  const colors = colorControls(report, store);
  const lines = lineControls(store);
  const direction = directionControl(store);
  const overlay = report.grid && report.grid.picture ? [overlayControl(store)] : [];
  view.dropControl = colors.dropFirst;
  view.controls = [...Object.values(colors), ...Object.values(lines), direction, ...overlay];
  const top = makeElement('div', {class: 'head-top'});
  root.append(top, makeToolbar('How weights are shown',
      [...Object.values(colors), direction].map((control) => control.element)));
  view.picker = createHeadPicker(top, report, store, kMostHeads);
  view.strip = createHeadStrip(top, report, store, kMostHeads);
  view.message = makeElement('p', {class: 'view-message', role: 'status'});
  view.sentences = makeElement('div', {class: 'sentences'});
  view.sentence = [];
  view.body = makeElement('div', {class: 'head-body'});
  root.append(view.message);
  view.patches = report.grid ? createGridView(root, patchHandlers(view), overlay) : null;
  root.append(view.sentences, view.body);
  view.panels = createHeatPanels(view.body, view);
  view.panels.element.prepend(makeToolbar('Zoom and saving', viewButtons(view)));
  const column = makeElement('div', {class: 'lines-column'}, makeToolbar('Token lines',
      Object.values(lines).map((control) => control.element)));
  view.body.append(column);
  view.lines = createLinesView(column, tokenHandlers(view));
}

function startHeadView(view) {
  const {store} = view;
  view.paint = oncePerFrame(() => paintHeadView(view));
  view.paintSentences = oncePerFrame(() => paintSentences(view));
  view.pictures = () => [...(view.patches ? view.patches.pictures() : []),
    ...view.panels.pictures(), ...[view.lines.picture()].filter(Boolean)];
  view.fileName = () => view.shown.map((one) => one.name).join('-') || 'heads';
  const unsubscribe = store.subscribe((state, changed) => {
    if (changed.some((key) => kLoadKeys.includes(key))) loadHeads(view);
    else if (changed.some((key) => key !== 'zoom')) view.paint();
    if (changed.includes('zoom')) view.panels.setWindow(state.zoom);
  });
  const stopPainting = paintOnChanges(view.root, view.paint);
  loadHeads(view);
  return {
    reload: () => loadHeads(view),
    destroy() {
      view.alive = false;
      unsubscribe();
      stopPainting();
      view.paint.cancel();
      view.paintSentences.cancel();
      view.panels.destroy();
      if (view.patches) view.patches.destroy();
      view.lines.destroy();
      view.root.remove();
    },
  };
}

// The heads of the state; the first one where it names none.
function headNames(view) {
  const {heads} = view.store.get();
  const known = view.input().heads.map((head) => head.name);
  const names = heads.filter((name) => known.includes(name)).slice(0, kMostHeads);
  return names.length > 0 ? names : known.slice(0, 1);
}

async function loadHeads(view) {
  const ticket = ++view.loading;
  const names = headNames(view);
  const input = view.input();
  try {
    const shown = await loadShownHeads(input, names, view.store.get().mean);
    if (ticket !== view.loading || !view.alive) return;
    view.shown = shown;
    view.shownInput = input;
    view.message.textContent = missingHeads(view, names);
    view.paint();
  } catch (error) {
    if (ticket !== view.loading || !view.alive) return;
    view.message.textContent = `${names.join(', ')}: ${error.message}`;
  }
}

function missingHeads(view, names) {
  const lost = view.store.get().heads.filter((name) => !names.includes(name));
  if (lost.length === 0) return '';
  const known = view.input().heads.some((head) => lost.includes(head.name));
  return known ? `at most ${kMostHeads} heads side by side: left out ${lost.join(', ')}` :
    `no such head here: ${lost.join(', ')}`;
}

// A token that the input does not have is not chosen: a link may be of another text, and a sentence
// that is being typed gets shorter.
export function withinInput(state, input) {
  const within = (token, tokens) =>
    (token !== null && token !== undefined && token < tokens.length ? token : null);
  return {...state, q: within(state.q, input.queryTokens), k: within(state.k, input.keyTokens)};
}

function paintHeadView(view) {
  const state = withinInput(view.store.get(), view.shownInput || view.input());
  for (const control of view.controls) control.update(state);
  view.picker.update(state, headNames(view));
  view.strip.update(state, headNames(view), view.input(), currentCellTheme());
  if (view.shown.length === 0 || !view.root.clientWidth) return;
  const theme = currentCellTheme();
  const colors = colorRanges(view.shown, state);
  const firstCol = firstShownColumn(view.shown[0].map, state.dropFirst);
  nameDroppedToken(view, firstCol);
  const height = Math.min(Math.max(window.innerHeight * 0.78, 400), 1500);
  const several = view.shown.length > 1;
  // One head leaves room for its lines.
  const narrow = several || view.root.clientWidth < 760;
  const width = view.root.clientWidth * (narrow ? 1 : 0.62);
  view.scene = {state, theme, colors, firstCol, height, width, input: view.shownInput,
    shown: view.shown, grid: patchGridOf(view.report, view.shownInput),
    table: colormapTable(view.report.colormaps, state.colormap, theme.dark)};
  const used = view.panels.show({...view.scene, panels: panelsOf(view),
    describe: (index, cells) => describeHeads(view, index, cells)});
  view.root.classList.toggle('several', several);
  view.body.style.gridTemplateColumns = narrow ? '' : `${used}px minmax(260px, 1fr)`;
  view.lines.show(view.scene);
  paintSentences(view);
}

// The panels of the scene. Cells are painted again only where something about them has changed.
function panelsOf(view) {
  const {shown, input, state, theme, colors} = view.scene;
  view.models = view.models || [];
  return shown.map((one, i) => {
    const key = [one, input, theme, state.colormap, state.scale, state.norm, state.range,
      state.dropFirst, state.mask, colors[i].high];
    let entry = view.models[i];
    if (!entry || key.some((part, at) => part !== entry.key[at])) {
      entry = {key, model: heatmapModel(one, input, state, {colormaps: view.report.colormaps, theme,
        colors: colors[i], valueName: input.valueName || 'attention weight'})};
      view.models[i] = entry;
    }
    return {model: entry.model, input, title: headTitle(one),
      note: headNote(one, input, entry.model), caption: input.name || ''};
  });
}

function headNote(one, input, model) {
  const pooled = poolNote(one.map, input.poolKind || 'maximum');
  const others = model.notes.filter((note) => note !== pooled);
  const step = !one.map.exact && one.map.step > 0 ?
    `values to within ${withMinus(Number(one.map.step.toPrecision(1)))}` : '';
  return [pooled, one.sharp ? 'single weights inside the frame' : '', ...others, step]
      .filter(Boolean).join('; ');
}

// The value here, both tokens, and the values of the other heads at the same place.
function describeHeads(view, index, cells) {
  const {shown, input} = view.scene;
  if (shown.length === 1) return describeCell(cells[0], input);
  const lines = describeCell(cells[index], input, shown[index].name);
  cells.forEach((cell, i) => {
    if (i !== index && cell) lines.push(describeCell(cell, input, shown[i].name)[0]);
  });
  return lines;
}

function nameDroppedToken(view, firstCol) {
  nameDroppedKeys(view.dropControl, view.shown[0].map);
  view.root.classList.toggle('drops', firstCol > (view.shown[0].map.colStart || 0));
}

// A sentence for each head that is shown; patches are seen on the picture instead.
function paintSentences(view) {
  const {scene} = view;
  if (view.patches) view.patches.show(scene, view.preview);
  view.sentences.hidden = scene.grid !== null && scene.grid.shift === 0;
  if (view.sentences.hidden) return;
  while (view.sentence.length < scene.shown.length) {
    view.sentence.push(createSentenceView(view.sentences, sentenceHandlers(view,
        view.sentence.length)));
  }
  while (view.sentence.length > scene.shown.length) view.sentence.pop().destroy();
  view.sentence.forEach((sentence, i) => sentence.show({...scene, one: scene.shown[i],
    colors: scene.colors[i], onlyColored: i > 0, hidesKeys: scene.grid !== null}, view.preview));
}

function setPreview(view, preview) {
  const same = view.preview === preview || (view.preview && preview &&
      view.preview.direction === preview.direction && view.preview.token === preview.token);
  if (same || !view.scene) return;
  view.preview = preview;
  // Not for a novel: its tokens are too many to be coloured between two frames.
  const {queryTokens, keyTokens} = view.scene.input;
  const isShort = Math.max(queryTokens.length, keyTokens.length) <= kMostPreviewed;
  if (isShort || view.sentences.hidden) view.paintSentences();
}

// What choosing and pointing at tokens does, in the lines.
function tokenHandlers(view) {
  return {
    onSelect(side, token) {
      if (side === null) view.store.set({q: null, k: null});
      else if (side === 'query') view.store.set({q: token, direction: 'from'});
      else view.store.set({k: token, direction: 'to'});
    },
    onHover(side, token, event) {
      setPreview(view, token === null ? null :
        {direction: side === 'query' ? 'from' : 'to', token});
      if (token === null) view.tooltip.hide();
      else view.tooltip.show(view.panels.describeToken(side, token), event.clientX, event.clientY);
    },
  };
}

// The same on the picture.
function patchHandlers(view) {
  return {
    onChoose: (key) => view.store.set(chooseKey(view.scene.grid, view.store.get(), key)),
    onClear: () => view.store.set({q: null, k: null}),
    onHover(key, event, lines) {
      setPreview(view, view.scene.grid && previewOfKey(view.scene.grid, view.scene.state, key));
      if (key === null || !event) view.tooltip.hide();
      else view.tooltip.show(lines, event.clientX, event.clientY);
    },
  };
}

// Chooses a token of the sentence; the chosen one is let go.
export function chooseInSentence(store, side, token) {
  const {direction, q, k} = store.get();
  const to = side === 'either' ? direction === 'to' : side === 'key';
  const again = to ? direction === 'to' && k === token : direction === 'from' && q === token;
  if (again) store.set({q: null, k: null});
  else store.set(to ? {k: token, direction: 'to'} : {q: token, direction: 'from'});
}

// In the sentence a token is query and key alike: the direction says which is meant.
function sentenceHandlers(view, index) {
  return {
    onSelect: (side, token) => chooseInSentence(view.store, side, token),
    onHover(side, token, event) {
      const {direction, q, k} = view.scene.state;
      const isChosen = (direction === 'to' ? k : q) !== null;
      const chooses = side === 'either' || (side === 'query') === (direction === 'from');
      // Before a token is chosen, pointing at one shows what choosing it would.
      setPreview(view, token !== null && chooses && !isChosen ?
        {direction, token} : null);
      if (token === null) return view.tooltip.hide();
      view.tooltip.show(view.sentence[index].describe(token), event.clientX, event.clientY);
    },
  };
}
