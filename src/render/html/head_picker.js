// Which heads are shown: a chip each, a list to add one, steps to the neighbours, the mean.

import {headTitle} from './head_model.js';
import {makeElement} from './page_parts.js';
import {buttonControl, checkControl} from './view_controls.js';

export function createHeadPicker(host, report, store, most) {
  const chips = makeElement('span', {class: 'chips'});
  const add = makeElement('select', {'aria-label': 'Add a head', onchange: () => {
    if (add.value) store.set({heads: [...picker.names, add.value]});
    add.value = '';
  }});
  const mean = checkControl(store, {key: 'mean', label: 'Mean of them',
    title: 'One heatmap: the mean over these heads'});
  const step = (by) => () => {
    const known = inputOf(report, store).heads;
    const at = known.findIndex((head) => head.name === picker.names[0]);
    store.set({heads: [known[(at + by + known.length) % known.length].name]});
  };
  const previous = buttonControl('‹', 'Previous head', step(-1));
  const next = buttonControl('›', 'Next head', step(1));
  host.append(makeElement('div', {class: 'picker'}, previous, next, chips, add, mean.element));
  const picker = {names: [], input: null, update(state, names) {
    picker.names = names;
    mean.update(state);
    mean.element.hidden = names.length < 2;
    add.disabled = names.length >= most;
    fillChips(chips, names, report, store);
    const input = inputOf(report, store);
    if (picker.input !== input) {
      picker.input = input;
      add.replaceChildren(makeElement('option', {value: ''}, 'Add a head beside…'),
          ...input.heads.map((head) =>
            makeElement('option', {value: head.name}, headTitle(head))));
    }
    for (const option of add.options) option.disabled = names.includes(option.value);
  }};
  return picker;
}

function inputOf(report, store) {
  return report.inputs[store.get().input] || report.inputs[0];
}

function fillChips(chips, names, report, store) {
  const key = names.join();
  if (chips.getAttribute('data-names') === key) return;
  chips.setAttribute('data-names', key);
  const known = inputOf(report, store).heads;
  chips.replaceChildren(...names.map((name) => {
    const head = known.find((one) => one.name === name);
    const chip = makeElement('span', {class: 'chip'}, head ? headTitle(head) : name);
    if (names.length > 1) {
      chip.append(buttonControl('×', `Take ${name} away`, () =>
        store.set({heads: names.filter((other) => other !== name)})));
    }
    return chip;
  }));
}
