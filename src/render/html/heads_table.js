// The table of heads and their scores: the most telling columns where there is no room for all.

import {headButton, labelMark} from './matrix_parts.js';
import {makeElement, makeTextMeasure} from './page_parts.js';
import {fixedNumber} from './scales.js';
import {buttonControl} from './view_controls.js';

const kTelling = ['previous', 'self', 'next', 'first_token', 'special', 'duplicate', 'induction',
  'positional', 'confidence', 'sink', 'normalised_entropy', 'entropy', 'distance'];
const kHeadPx = 13;       // of the titles of columns, as in the style sheet
const kColumnSpace = 14;  // beside a title
const kNarrowest = 58;    // a number and the space beside it
const kNames = 270;       // the columns of head and label

// Names of all scores that some head has, in the order of the file.
export function scoreNames(input) {
  const names = new Set();
  for (const head of input.heads) {
    for (const [name, value] of Object.entries(head.scores)) if (value !== null) names.add(name);
  }
  return [...names];
}

export function readableName(name) {
  return name.replaceAll('_', ' ');
}

// The columns for a room of so many pixels, in the order of `names`. One that the table is sorted
// by is always there; then the telling ones, relations of the input, and the rest.
export function columnsThatFit(names, sort, room, widthOf) {
  const isRelation = (name) => !/^[a-z_]+$/.test(name);
  const rank = (name) => (name === sort ? -1 : kTelling.includes(name) ? kTelling.indexOf(name) :
    kTelling.length + (isRelation(name) ? 0 : 1));
  const chosen = new Set();
  let used = 0;
  for (const name of [...names].sort((a, b) => rank(a) - rank(b))) {
    used += widthOf(name);
    if (used > room && chosen.size > 0) break;
    chosen.add(name);
  }
  return names.filter((name) => chosen.has(name));
}

// A title may be broken between its words.
function titleWidth(measure) {
  return (name) => Math.max(kNarrowest, kColumnSpace + Math.max(...readableName(name).split(' ')
      .map((word) => measure(word, kHeadPx, true))));
}

function headsRow(view, head, columns) {
  const {store, report} = view;
  return makeElement('tr', {},
      makeElement('th', {scope: 'row'}, headButton(store, head.name)),
      makeElement('td', {class: 'text'}, labelMark(report, head.labelText),
          head.labelText || readableName(head.label)),
      ...columns.map((name) => makeElement('td', {},
          head.scores[name] === null || head.scores[name] === undefined ? '' :
            fixedNumber(head.scores[name]))));
}

function fillTable(view, heads, names) {
  const {store} = view;
  const {sort} = store.get();
  const room = view.element.clientWidth - kNames;
  const fitting = columnsThatFit(names, sort, room, titleWidth(view.measure));
  const columns = view.showsAll ? names : fitting;
  const sortBy = (key, text, kind) => makeElement('th', {scope: 'col', class: kind,
    'aria-sort': sort === key ? 'descending' : 'none'},
  makeElement('button', {type: 'button', onclick: () => store.set({sort: key})}, text));
  const more = buttonControl(view.showsAll ? 'Show fewer scores' : `Show all ${names.length} scores`,
      'Columns for which there is no room', () => {
        view.showsAll = !view.showsAll;
        view.draw();
      });
  more.className = 'head-link';
  more.hidden = fitting.length === names.length;
  const isHeld = view.element.contains(document.activeElement) &&
      document.activeElement.className === 'head-link' && view.more === document.activeElement;
  view.more = more;
  const hidden = names.length - columns.length;
  view.element.replaceChildren(
      makeElement('div', {class: 'table-head'}, makeElement('span', {id: 'heads-caption'},
          `${heads.length} heads and ${hidden > 0 ? `${columns.length} of ${names.length}` : 'all'}` +
          ' scores'), more),
      makeElement('div', {class: 'wide', tabindex: '0', role: 'region',
        'aria-label': 'Table of heads'},
      makeElement('table', {class: 'heads-table', 'aria-describedby': 'heads-caption'},
          makeElement('thead', {}, makeElement('tr', {}, sortBy('head', 'head', 'text'),
              sortBy('label', 'label', 'text'),
              ...columns.map((name) => sortBy(name, readableName(name), null)))),
          makeElement('tbody', {}, ...heads.map((head) => headsRow(view, head, columns))))));
  if (isHeld && !more.hidden) more.focus();
}

// show(heads) fills it; it is filled again when its width allows other columns.
export function createHeadsTable(host, report, store, input) {
  const element = makeElement('div', {class: 'heads-box'});
  host.append(element);
  const names = scoreNames(input);
  const view = {report, store, element, measure: makeTextMeasure(), showsAll: false, heads: [],
    key: null,
    draw: () => fillTable(view, view.heads, names)};
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    if (view.heads.length > 0) view.draw();
  });
  observer.observe(element);
  return {
    // Colours and kinds of pictures leave the table as it is.
    show(heads) {
      const key = [store.get().sort, ...heads.map((head) => head.name)].join();
      if (key === view.key) return;
      view.key = key;
      view.heads = heads;
      width = element.clientWidth;
      view.draw();
    },
    destroy: () => observer.disconnect(),
  };
}
