// Controls that show a part of the state and change it.

import {colormapChoices} from './colors.js';
import {makeElement} from './page_parts.js';
import {saveViewAsPng, saveViewAsSvg} from './save_view.js';

// Each maker returns {element, update(state)}.
export function selectControl(store, {key, label, options, title}) {
  const select = makeElement('select', {title: title || null, onchange: (event) =>
    store.set({[key]: event.target.value})});
  for (const [value, text] of options) select.append(makeElement('option', {value}, text));
  const element = makeElement('label', {class: 'control'},
      makeElement('span', {class: 'control-name'}, label), select);
  return {element, update: (state) => {
    const value = state[key] ?? options[0][0];
    if (select.value !== value) select.value = value;
  }};
}

export function checkControl(store, {key, label, title, fallback = false}) {
  const input = makeElement('input', {type: 'checkbox', onchange: (event) =>
    store.set({[key]: event.target.checked})});
  const text = makeElement('span', {}, label);
  const element = makeElement('label', {class: 'control check', title: title || null}, input, text);
  return {element, input, text, update: (state) => {
    input.checked = state[key] ?? fallback;
  }};
}

// A slider from 0 to 1 that moves finely near 0, where most weights are.
export function thresholdControl(store, {key, label, title}) {
  const steps = 100;
  const toValue = (step) => Number(((step / steps) ** 2).toFixed(4));
  const output = makeElement('output', {});
  const input = makeElement('input', {type: 'range', min: '0', max: String(steps), step: '1',
    'aria-label': label, oninput: (event) =>
      store.set({[key]: toValue(Number(event.target.value))})});
  const element = makeElement('label', {class: 'control', title: title || null},
      makeElement('span', {class: 'control-name'}, label), input, output);
  return {element, update: (state) => {
    const value = state[key] || 0;
    const step = Math.round(Math.sqrt(value) * steps);
    if (Number(input.value) !== step) input.value = String(step);
    output.textContent = value > 0 ? `≥ ${Number(value.toPrecision(3))}` : 'all';
  }};
}

export function countControl(store, {key, label, title, most}) {
  const input = makeElement('input', {type: 'number', min: '0', max: String(most), step: '1',
    onchange: (event) => {
      const count = Math.floor(Number(event.target.value));
      store.set({[key]: Number.isFinite(count) ? Math.min(Math.max(count, 0), most) : 0});
    }});
  const element = makeElement('label', {class: 'control', title: title || null},
      makeElement('span', {class: 'control-name'}, label), input);
  return {element, update: (state) => {
    const text = String(state[key] || 0);
    if (input.value !== text) input.value = text;
  }};
}

// Two or more buttons of which one is down.
export function choiceControl(store, {key, label, options}) {
  const buttons = options.map(([value, text, title]) => makeElement('button', {type: 'button',
    title: title || null, onclick: () => store.set({[key]: value})}, text));
  const element = makeElement('div', {class: 'control', role: 'group', 'aria-label': label},
      makeElement('span', {class: 'choice'}, ...buttons));
  return {element, update: (state) => {
    buttons.forEach((button, i) =>
      button.setAttribute('aria-pressed', String(options[i][0] === state[key])));
  }};
}

export function buttonControl(text, title, onclick) {
  return makeElement('button', {type: 'button', title, onclick}, text);
}

export function makeToolbar(name, ...groups) {
  const bar = makeElement('div', {class: 'tools', role: 'toolbar', 'aria-label': name});
  for (const group of groups) bar.append(makeElement('div', {class: 'tool-group'}, ...group));
  return bar;
}

const kDropTitle = 'Leave out the first key, where many heads park their attention';

// Of a pooled map its first cell is left out, and the control says which keys that are.
export function droppedKeysText({colPool = 1, colStart = 0}) {
  const isOne = colPool === 1 || colStart > 0;
  return isOne ? {label: 'Drop first', title: kDropTitle} :
    {label: `Drop first cell (tokens 0–${colPool - 1})`,
      title: `A cell is the largest of several weights: the first one, of keys 0 to ${colPool - 1}, ` +
          'is left out as a whole'};
}

export function nameDroppedKeys(control, map) {
  const {label, title} = droppedKeysText(map);
  control.text.textContent = label;
  control.element.title = title;
}

// The controls of heads and differences. By name, so that a view can leave some out.
export function colorControls(report, store) {
  const maps = colormapChoices(report.colormaps);
  return {
    colormap: selectControl(store, {key: 'colormap', label: 'Colours',
      options: [['auto', 'by theme'], ...maps.map((name) => [name, name])]}),
    scale: selectControl(store, {key: 'scale', label: 'Scale',
      options: [['linear', 'linear'], ['sqrt', 'square root'], ['log', 'logarithmic']]}),
    norm: selectControl(store, {key: 'norm', label: 'Rows',
      title: 'Each row by its own largest weight',
      options: [['none', 'as they are'], ['row', 'by row maximum']]}),
    range: selectControl(store, {key: 'range', label: 'Range',
      title: 'What the strongest colour means',
      options: [['shown', 'largest shown'], ['head', 'largest of each'], ['one', '0 to 1']]}),
    dropFirst: checkControl(store, {key: 'dropFirst', label: 'Drop first', title: kDropTitle}),
    mask: checkControl(store, {key: 'mask', label: 'Show mask', fallback: true,
      title: 'Draw what may not be attended to apart from a weight of 0'}),
  };
}

export function directionControl(store) {
  return choiceControl(store, {key: 'direction', label: 'Chosen token', options: [
    ['from', 'attends to', 'Colour what the chosen token attends to'],
    ['to', 'is attended by', 'Colour what attends to the chosen token']]});
}

export function overlayControl(store) {
  return checkControl(store, {key: 'overlay', label: 'Weights on the picture', fallback: true,
    title: 'Without them the picture is shown as it is'});
}

export function lineControls(store) {
  return {
    threshold: thresholdControl(store, {key: 'threshold', label: 'Lines from',
      title: 'Lines of smaller weights are left out'}),
    topk: countControl(store, {key: 'topk', label: 'Top k', most: 1000,
      title: 'Lines kept for each query; 0 keeps all'}),
  };
}

// Zoom and saving. `view` has panels, pictures() and fileName().
export function viewButtons(view) {
  const save = (how) => () => {
    const pictures = view.pictures();
    const columns = pictures.length === 3 || pictures.length > 4 ? 3 : 2;
    if (pictures.length > 0) how(pictures, view.fileName(), columns);
  };
  return [
    buttonControl('−', 'Zoom out', () => view.panels.zoomBy(1 / 1.5)),
    buttonControl('+', 'Zoom in', () => view.panels.zoomBy(1.5)),
    buttonControl('All', 'Show the whole matrix', () => view.panels.showAll()),
    buttonControl('Save PNG', 'Save this view as a picture', save(saveViewAsPng)),
    buttonControl('Save SVG', 'Save this view as a vector figure', save(saveViewAsSvg)),
  ];
}
