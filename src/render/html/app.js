// The page around the views: title, inputs, tabs, the text that is typed, and one view at a time.

import {createContributionView} from './contribution_view.js';
import {openReport} from './data.js';
import {createDifferenceView} from './difference_view.js';
import {createHeadView} from './head_view.js';
import {createLiveView} from './live_view.js';
import {createOverview} from './overview.js';
import {makeElement} from './page_parts.js';
import {createRelationsView} from './relations_view.js';
import {createSimilarityView} from './similarity_view.js';
import {createStore, followAddress, parseHash} from './state.js';
import {createStepsView} from './steps_view.js';

// Which views an input has, in the order of the tabs.
export function viewsOf(report, input) {
  const isComparable = report.inputs.length > 1 || input.heads.length > 1;
  return [
    {name: 'overview', title: 'Overview', create: createOverview},
    {name: 'head', title: 'Heads', create: createHeadView},
    {name: 'compare', title: 'Compare', create: createDifferenceView, is: isComparable},
    {name: 'relations', title: 'Relations', create: createRelationsView, is: input.relations},
    {name: 'similarity', title: 'Similarity', create: createSimilarityView,
      is: input.similarity && input.similarity.heads.length > 1},
    {name: 'contribution', title: 'Contribution', create: createContributionView,
      is: input.contribution},
    {name: 'steps', title: 'Steps', create: createStepsView, is: input.steps},
  ].filter((view) => view.is === undefined || view.is);
}

function makeInputList(report, store) {
  const list = makeElement('select', {'aria-label': 'Input', onchange: () =>
    store.set({input: Number(list.value), q: null, k: null, zoom: null})},
  ...report.inputs.map((input, i) => makeElement('option', {value: i}, input.name || `${i}`)));
  return list;
}

function factsOf(input) {
  const n = input.heads.length;
  const model = input.model && input.model.name ? input.model.name : '';
  return [`${n} ${n === 1 ? 'head' : 'heads'}`,
    `${input.queryTokens.length} queries on ${input.keyTokens.length} keys`, model]
      .filter(Boolean).join(', ');
}

// The file's own title, or one for the sentence that the reader typed.
function titleOf(report, input, isOriginal) {
  return isOriginal ? report.title : `Attention: ${input.name}`;
}

function noteList(input) {
  const lines = [...(input.warnings || []).map((text) => makeElement('p', {class: 'warning'}, text)),
    ...(input.notes || []).map((text) => makeElement('p', {class: 'note'}, text))];
  return makeElement('div', {class: 'notes'}, ...lines);
}

// Puts the view of the state into the page; the same view stays while it is chosen.
function makeStage(page) {
  const {report, store, stage, tabs, notes, facts, list, livePlace, heading} = page;
  let shown = null;
  let key = null;
  const originals = [...report.inputs];
  const currentInput = () => report.inputs[store.get().input] || report.inputs[0];
  const show = () => {
    const state = store.get();
    const input = currentInput();
    const views = viewsOf(report, input);
    const view = views.find((one) => one.name === state.view) || views[0];
    tabs.replaceChildren(...views.map((one) => makeElement('button', {type: 'button',
      class: 'tab', 'aria-current': one === view || one.name === view.name ? 'page' : 'false',
      'data-view': one.name, onclick: () => store.set({view: one.name})}, one.title)));
    heading.textContent = document.title = titleOf(report, input, originals.includes(input));
    facts.textContent = factsOf(input);
    livePlace.hidden = input.live === false;
    notes.replaceChildren(noteList(input));
    list.value = String(state.input);
    const next = [view.name, input];
    if (key && next.every((part, i) => part === key[i])) return;
    key = next;
    if (shown) shown.destroy();
    shown = view.create(stage, report, store);
  };
  // Another input under the same name: heads are loaded again where a view can do that.
  const replace = (input) => {
    report.inputs[store.get().input] = input;
    if (key && key[0] === 'head' && shown.reload) {
      key = [key[0], input];
      shown.reload();
    }
    show();
  };
  return {show, replace};
}

function startWith(report) {
  const initial = parseHash(window.location.hash);
  if (initial.input !== undefined && initial.input >= report.inputs.length) initial.input = 0;
  const store = createStore(initial);
  const root = document.getElementById('app');
  const tabs = makeElement('nav', {class: 'tabs', 'aria-label': 'Views'});
  const notes = makeElement('div');
  const facts = makeElement('p', {class: 'facts'});
  const list = makeInputList(report, store);
  const livePlace = makeElement('div');
  const stage = makeElement('main', {class: 'stage'});
  const heading = makeElement('h1', {dir: 'auto'}, report.title);
  const header = makeElement('header', {class: 'page-head'},
      makeElement('div', {class: 'page-title'}, heading,
          report.inputs.length > 1 ? list : '', facts));
  root.append(header, notes, livePlace, tabs, stage);
  const stageOf = makeStage({report, store, stage, tabs, notes, facts, list, livePlace,
    heading});
  store.subscribe((state, changed) => {
    if (changed.includes('view') || changed.includes('input')) stageOf.show();
  });
  stageOf.show();
  followAddress(window, store);
  if (report.live) createLiveView(livePlace, report, store, stageOf.replace);
}

export function startPage() {
  document.documentElement.classList.add('with-script');
  try {
    const report = openReport(document);
    startWith(report);
  } catch (error) {
    document.documentElement.classList.remove('with-script');
    document.getElementById('app').textContent = `This page cannot be shown: ${error.message}`;
    throw error;
  }
}
