// Two heads, or one head of two inputs: map A, map B and their difference, with one crosshair.

import {alignMaps, comparedSides, sideText} from './difference_model.js';
import {createHeatPanels} from './head_panels.js';
import {cellValueText, describeCell, differenceColors, firstShownColumn, headTitle,
  heatmapModel, loadShownHeads, poolNote, quotedToken} from './head_model.js';
import {currentCellTheme, makeElement, makeTooltip, oncePerFrame, paintOnChanges
} from './page_parts.js';
import {largestValue} from './head_maps.js';
import {buttonControl, colorControls, directionControl, makeToolbar,
  nameDroppedKeys, viewButtons} from './view_controls.js';
import {chooseInSentence, withinInput} from './head_view.js';
import {createSentenceView} from './sentence_view.js';

// Lists of inputs and heads for one side; calls choose({input, head}).
function makeSidePicker(name, report, choose) {
  const side = {input: 0, head: ''};
  const inputs = makeElement('select', {'aria-label': `Input of ${name}`, onchange: () => {
    side.input = Number(inputs.value);
    fillHeads();
    choose({input: side.input, head: heads.value});
  }}, ...report.inputs.map((input, i) => makeElement('option', {value: i}, input.name || `${i}`)));
  const heads = makeElement('select', {'aria-label': `Head of ${name}`, onchange: () =>
    choose({input: side.input, head: heads.value})});
  const fillHeads = () => {
    heads.replaceChildren(...report.inputs[side.input].heads.map((head) =>
      makeElement('option', {value: head.name}, headTitle(head))));
    if (report.inputs[side.input].heads.some((head) => head.name === side.head)) {
      heads.value = side.head;
    }
  };
  const element = makeElement('span', {class: 'control'},
      makeElement('strong', {}, name), report.inputs.length > 1 ? inputs : '', heads);
  return {element, update(next) {
    side.head = next.head;
    if (heads.options.length === 0 || side.input !== next.input) {
      side.input = next.input;
      inputs.value = String(next.input);
      fillHeads();
    }
    if (heads.value !== next.head) heads.value = next.head;
  }};
}

export function createDifferenceView(container, report, store) {
  const root = makeElement('section', {class: 'difference-view', 'aria-label': 'Compare'});
  container.append(root);
  const view = {root, report, store, tooltip: makeTooltip(root), loaded: null, loading: 0,
    alive: true};
  // The range is that of both sides, and rows are as they are: differences of other numbers would
  // mislead.
  const {colormap, scale, dropFirst, mask} = colorControls(report, store);
  const direction = directionControl(store);
  view.controls = [colormap, scale, dropFirst, mask, direction];
  view.dropControl = dropFirst;
  view.pictures = () => (view.loaded ? view.panels.pictures() : []);
  view.fileName = () => `${view.titles.join('-')}-difference`;
  const sides = () => comparedSides(store.get(), report);
  const choose = (name) => (side) => store.set({
    ...Object.fromEntries(Object.entries(sides()).map(([key, value]) => [key, sideText(value)])),
    [name]: sideText(side)});
  view.pickers = {a: makeSidePicker('A', report, choose('a')),
    b: makeSidePicker('B', report, choose('b'))};
  const swap = buttonControl('⇄', 'Exchange A and B', () => {
    const {a, b} = sides();
    store.set({a: sideText(b), b: sideText(a)});
  });
  root.append(
      makeElement('div', {class: 'picker'}, view.pickers.a.element, swap, view.pickers.b.element),
      makeToolbar('How weights are shown', view.controls.map((c) => c.element),
          viewButtons(view)));
  view.message = makeElement('p', {class: 'view-message', role: 'status'});
  root.append(view.message);
  view.panels = createHeatPanels(root, view);
  view.sentence = createSentenceView(root, {
    onSelect: (side, token) => chooseInSentence(store, side, token),
    onHover(side, token, event) {
      if (token === null) view.tooltip.hide();
      else view.tooltip.show(view.sentence.describe(token), event.clientX, event.clientY);
    }});
  return startDifferenceView(view);
}

function startDifferenceView(view) {
  const {store, root} = view;
  view.paint = oncePerFrame(() => paintDifference(view));
  const unsubscribe = store.subscribe((state, changed) => {
    if (changed.some((key) => ['a', 'b', 'heads'].includes(key))) loadSides(view);
    else if (changed.some((key) => key !== 'zoom')) view.paint();
    if (changed.includes('zoom')) view.panels.setWindow(state.zoom);
  });
  const stopPainting = paintOnChanges(root, view.paint);
  loadSides(view);
  return {
    reload: () => loadSides(view),
    destroy() {
      view.alive = false;
      unsubscribe();
      stopPainting();
      view.paint.cancel();
      view.panels.destroy();
      root.remove();
    },
  };
}

async function loadSides(view) {
  const ticket = ++view.loading;
  const {a, b} = comparedSides(view.store.get(), view.report);
  view.pickers.a.update(a);
  view.pickers.b.update(b);
  try {
    const load = async (side) => {
      const input = view.report.inputs[side.input];
      const [one] = await loadShownHeads(input, [side.head], false);
      return {...one, input};
    };
    const [one, other] = await Promise.all([load(a), load(b)]);
    if (ticket !== view.loading || !view.alive) return;
    view.loaded = await layOver(one, other);
    view.titles = a.input === b.input ? [one.name, other.name] :
      [`${one.name}, ${one.input.name}`, `${other.name}, ${other.input.name}`];
    view.paint();
  } catch (error) {
    if (ticket === view.loading && view.alive) view.message.textContent = error.message;
  }
}

async function layOver(a, b) {
  const aligned = alignMaps(a, b);
  const {difference} = aligned;
  const sharp = difference && difference.window ? await difference.window() : null;
  return {a, b, aligned, difference: difference &&
      {name: 'B − A', labelText: '', map: difference, sharp, input: b.input}};
}

function modelOf(view, one, colors, valueName) {
  const {store, report, loaded} = view;
  const state = {...store.get(), norm: 'none'};
  const model = heatmapModel(one, one.input, state, {colormaps: report.colormaps,
    theme: currentCellTheme(), colors, valueName});
  model.markedRows = new Set(loaded.aligned.differingQueries);
  model.markedCols = new Set(loaded.aligned.differingKeys);
  return model;
}

// Cells are painted again only where something about them has changed.
function differenceModels(view, state) {
  const {loaded} = view;
  const key = [loaded, currentCellTheme(), state.colormap, state.scale, state.dropFirst,
    state.mask];
  if (view.key && key.every((part, i) => part === view.key[i])) return view.models;
  view.key = key;
  const {a, b, difference} = loaded;
  const firstCol = firstShownColumn(a.map, state.dropFirst);
  const high = Math.max(largestValue(a.map, firstCol), largestValue(b.map, firstCol));
  const colors = {kind: state.scale, low: 0, high};
  view.models = [modelOf(view, a, colors, 'attention weight'),
    modelOf(view, b, colors, 'attention weight')];
  if (difference) {
    view.models.push(modelOf(view, difference, differenceColors(difference.map, firstCol),
        'difference of weights, B − A'));
  }
  return view.models;
}

function paintDifference(view) {
  const {loaded, root} = view;
  const state = loaded ? withinInput(view.store.get(), loaded.b.input) : view.store.get();
  for (const control of view.controls) control.update(state);
  if (!loaded || !root.clientWidth) return;
  view.message.textContent = loaded.aligned.message;
  nameDroppedKeys(view.dropControl, loaded.a.map);
  const models = differenceModels(view, state);
  const shown = [loaded.a, loaded.b, loaded.difference].filter(Boolean);
  const names = ['A', 'B', 'B − A'];
  const note = (one) => poolNote(one.map, one.input.poolKind || 'maximum');
  view.panels.show({
    panels: shown.map((one, i) => ({model: models[i], input: one.input, note: note(one),
      caption: i === 2 ? `${view.titles[1]} − ${view.titles[0]}` : '',
      title: i === 2 ? 'B − A' : `${names[i]}: ${view.titles[i]}`})),
    state,
    width: root.clientWidth,
    height: Math.min(Math.max(window.innerHeight * 0.78, 400), 1500),
    describe: (index, cells) => describeSides(shown, index, cells, names),
  });
  paintDifferenceSentence(view, state, models[2]);
}

// The words of B, coloured by what changed for the chosen token.
function paintDifferenceSentence(view, state, model) {
  const {difference} = view.loaded;
  view.sentence.element.hidden = !difference;
  if (!difference) return;
  view.sentence.show({one: difference, input: difference.input, state, table: model.paint.table,
    colors: model.colors, firstCol: model.bounds[2]});
}

// All three values, then the tokens, those of both inputs where they differ.
function describeSides(shown, index, cells, names) {
  const lines = cells.map((cell, i) =>
    (cell ? `${names[i]}  ${signedText(cell, shown[i].map, i)}` : '')).filter(Boolean);
  const [, query, key] = describeCell(cells[index], shown[index].input);
  const [a, b] = shown.map((one) => one.input);
  const {rows, cols} = cells[index];
  lines.push(otherName(query, a.queryTokens, b.queryTokens, rows[0], index),
      otherName(key, a.keyTokens, b.keyTokens, cols[0], index));
  return lines;
}

function signedText(cell, map, index) {
  const text = cellValueText(cell, map);
  return index === 2 && !cell.state && cell.value > 0 ? `+${text}` : text;
}

function otherName(text, a, b, at, index) {
  if (a[at] === b[at]) return text;
  return index === 0 ? `${text} (B: ${quotedToken(b[at] ?? 'none')})` :
    `${text} (A: ${quotedToken(a[at] ?? 'none')})`;
}
