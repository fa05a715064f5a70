// The box in which the reader types another sentence: every view is worked out again as they type.

import {createLiveModel} from './live_input.js';

const kMostCharacters = 2000;
const kMostUnknownShown = 6;

function liveElement(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// What the status line says of a sentence that was read.
export function liveStatus(result, maxTokens) {
  const n = result.input.queryTokens.length;
  const parts = [`${n} of at most ${maxTokens} tokens`];
  const unknown = [...new Set(result.unknown)];
  if (unknown.length > 0) {
    const shown = unknown.slice(0, kMostUnknownShown).map((word) => `“${word}”`).join(', ');
    const more = unknown.length > kMostUnknownShown ? ', …' : '';
    parts.push(`the model does not know ${shown}${more} and reads each as the same unknown word`);
  }
  return parts.join('; ');
}

// Tokens and parts of the map that the reader had chosen may not exist in another sentence.
function patchForTokens(state, n) {
  const within = (index) => (index !== null && index < n ? index : null);
  return {q: within(state.q), k: within(state.k), zoom: null};
}

function makeLiveElements(host) {
  const box = liveElement('input', {
    id: 'live-text',
    class: 'live-text',
    type: 'text',
    maxlength: String(kMostCharacters),
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-describedby': 'live-status',
  });
  const back = liveElement('button', {class: 'live-back', type: 'button'},
    'Back to the file’s sentence');
  const status = liveElement('p', {id: 'live-status', class: 'live-status', role: 'status'});
  const words = liveElement('p', {class: 'live-words'});
  const list = liveElement('details', {class: 'live-vocabulary'},
    liveElement('summary', {}, 'Words that the model knows'), words);
  host.append(
    liveElement('label', {class: 'live-label', for: 'live-text'}, 'Type another sentence'),
    liveElement('div', {class: 'live-row'}, box, back), status, list);
  return {box, back, status, words};
}

// onInput(input) shows another input in the place of the one chosen in the store.
export function createLiveView(container, report, store, onInput) {
  const originals = [...report.inputs];
  const host = liveElement('section', {class: 'live', 'aria-label': 'Another sentence'});
  container.append(host);
  const {box, back, status, words} = makeLiveElements(host);
  let model = null;
  let failure = null;

  const original = () => originals[store.get().input];
  const say = (text, isProblem) => {
    status.textContent = text;
    status.classList.toggle('live-problem', isProblem);
    box.setAttribute('aria-invalid', String(isProblem));
  };
  const show = (input) => {
    store.set(patchForTokens(store.get(), input.queryTokens.length));
    onInput(input);
  };
  const reset = () => {
    box.value = original().text || '';
    back.disabled = true;
    say('', false);
  };
  const recompute = () => {
    if (failure !== null) return say(`the model cannot run here: ${failure.message}`, true);
    if (model === null) return say('unpacking the model …', false);
    back.disabled = false;
    const result = model.read(box.value);
    if (result.problem !== null) {
      return say(`${result.problem}; the views show the last sentence that could be read`, true);
    }
    say(liveStatus(result, model.maxTokens), false);
    return show(result.input);
  };
  const onBack = () => {
    reset();
    show(original());
    box.focus();
  };

  let isTouched = false;
  const onType = () => {
    isTouched = true;
    recompute();
  };
  box.addEventListener('input', onType);
  back.addEventListener('click', onBack);
  const unsubscribe = store.subscribe((state, changed) => {
    if (changed.includes('input')) reset();
  });
  reset();
  report.live
    .load()
    .then((bytes) => {
      model = createLiveModel(report.live.config, bytes);
      words.textContent = model.words.join(' ');
      if (isTouched) recompute();
    })
    .catch((error) => {
      failure = error;
      recompute();
    });
  return {
    destroy() {
      unsubscribe();
      host.remove();
    },
  };
}
