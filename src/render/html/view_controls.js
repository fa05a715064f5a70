// Controls that show a part of the state and change it.

import {makeElement} from './page_parts.js';

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
