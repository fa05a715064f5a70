// One head from its input to its output: every matrix with its formula and the worked numbers.

import {colorKey} from './color_key.js';
import {formulaNodes} from './formula.js';
import {headButton, mapOfRows, matrixPicture, paintOf} from './matrix_parts.js';
import {currentCellTheme, makeElement, makeTooltip, onThemeChange} from './page_parts.js';
import {createPairView} from './pair_view.js';
import {exactText, fixedNumber} from './scales.js';

const kLargestTable = 16; // more columns or rows are shown as colours alone
const kCellSide = 12;      // px, the largest
const kHighestPicture = 400;
const kNarrowestPicture = 96;

// Pixels of a picture of that many cells: square ones as long as it is neither too high nor too
// narrow to be seen.
export function pictureSize(rows, cols) {
  const cell = Math.min(kCellSide, kHighestPicture / rows);
  const widened = Math.min(kCellSide, kNarrowestPicture / cols);
  return {width: Math.round(cols * Math.max(cell, widened)), height: Math.round(rows * cell)};
}

const kUnit = 170; // px: what a column of the view is wide at least (report.css), without its gap
const kUnitGap = 30;
const kUnitRoom = 0.15; // columns are nearly always wider than they have to be
const kLetter = 7;       // px, of the bold names of a table
const kNumberCell = 48;  // px of "−12.34" with its padding

// Columns of the view that a step of this width takes: two at least, for its words.
export function columnsOfStep(width) {
  return Math.max(2, Math.ceil((width + kUnitGap) / (kUnit + kUnitGap) - kUnitRoom));
}

// About how wide a table of numbers is.
function tableWidth(names, columns, count) {
  const widest = (texts) => 8 + kLetter * Math.max(0, ...texts.map((text) => text.length));
  const cells = columns ? columns.map((name) => Math.max(kNumberCell, widest([name]))) :
    Array(count).fill(kNumberCell);
  return widest(names) + cells.reduce((sum, cell) => sum + cell, 0);
}

export function largestSize(rows) {
  let largest = 0;
  for (const row of rows) {
    for (const value of row) if (value !== null) largest = Math.max(largest, Math.abs(value));
  }
  return largest;
}

const kNoNumber = '−∞';

export function stepNumber(value) {
  return value === null ? kNoNumber : fixedNumber(value);
}

function stepExactNumber(value) {
  return value === null ? kNoNumber : exactText(value, true, 0);
}

// A step's rows are tokens where there are as many.
function namesOf(tokens, count) {
  return count === tokens.length ? tokens : Array.from({length: count}, (_, i) => String(i));
}

function rowNames({shape, values}, {queryTokens, keyTokens}) {
  return namesOf(shape.rows === 'n_key' ? keyTokens : queryTokens, values.length);
}

function tableNames(step, input) {
  const isSquare = ['n', 'n_key'].includes(step.shape.cols);
  return {names: rowNames(step, input),
    columns: isSquare ? namesOf(input.keyTokens, step.values[0].length) : null};
}

function stepTable(step, input) {
  const rows = step.values;
  const {names, columns} = tableNames(step, input);
  const head = columns ? [makeElement('thead', {}, makeElement('tr', {}, makeElement('td'),
      ...columns.map((name) => makeElement('th', {scope: 'col', dir: 'auto'}, name))))] : [];
  return makeElement('div', {class: 'wide'}, makeElement('table', {class: 'numbers'}, ...head,
      makeElement('tbody', {}, ...rows.map((row, r) => makeElement('tr', {},
          makeElement('th', {scope: 'row', dir: 'auto'}, names[r]),
          ...row.map((value) => makeElement('td', {},
              stepNumber(value))))))));
}

function stepPicture(view, step, input) {
  const map = mapOfRows(step.values);
  const high = largestSize(step.values) || 1;
  const signed = step.values.some((row) => row.some((value) => value !== null && value < 0));
  const paint = paintOf(view.report, currentCellTheme(), signed ?
    {colormap: 'diverging', low: -high, high} : {high});
  const names = rowNames(step, input);
  const picture = matrixPicture(map, paint, step.title, {
    point: (r, c, event) => view.tooltip.show([stepExactNumber(step.values[r][c]),
      `${names[r]}, column ${c}`], event.clientX, event.clientY),
    leave: () => view.tooltip.hide(),
  });
  const {width, height} = pictureSize(map.rows, map.cols);
  Object.assign(picture.style, {width: `${width}px`, height: `${height}px`,
    // Rows that share a pixel are mixed, not dropped.
    imageRendering: height < map.rows ? 'auto' : ''});
  return makeElement('div', {}, picture, colorKey(paint, '', signed));
}

function widthOfStep({values, ...step}, input, isSmall) {
  if (values.length === 0) return 0;
  if (!isSmall) return pictureSize(values.length, values[0].length).width;
  const {names, columns} = tableNames({values, ...step}, input);
  return tableWidth(names, columns, values[0].length);
}

function stepPart(view, step, input, index) {
  const isSmall = step.values.length > 0 &&
      Math.max(step.values.length, step.values[0].length) <= kLargestTable;
  const part = makeElement('section', {class: 'step'},
      makeElement('h3', {}, `${index + 1}. ${step.title}`),
      makeElement('p', {class: 'formula'}, ...formulaNodes(step.formula)),
      makeElement('p', {class: 'explain'}, step.sentence),
      ...(step.worked || []).map((line) => makeElement('p', {class: 'worked', dir: 'auto'}, line)),
      step.values.length === 0 ? '' :
        isSmall ? stepTable(step, input) : stepPicture(view, step, input));
  part.style.setProperty('--span', columnsOfStep(widthOfStep(step, input, isSmall)));
  return part;
}

export function createStepsView(container, report, store) {
  const input = report.inputs[store.get().input];
  const root = makeElement('section', {class: 'steps', 'aria-label': 'Steps'});
  container.append(root);
  const view = {report, store, tooltip: makeTooltip(root)};
  const names = input.steps.heads;
  const known = () => {
    const [chosen] = store.get().heads;
    return names.includes(chosen) ? chosen : names[0];
  };
  const list = makeElement('select', {onchange: () => store.set({heads: [list.value]})},
      ...names.map((name) => makeElement('option', {value: name}, name)));
  const body = makeElement('div', {class: 'step-list'});
  const open = makeElement('span');
  let walked = null;
  const draw = () => {
    const name = known();
    list.value = name;
    open.replaceChildren(headButton(store, name, `Open ${name}`));
    if (walked === null) return;
    const head = walked.find((one) => one.head === name);
    pair.show(head, currentCellTheme());
    body.replaceChildren(...head.steps.map((step, i) => stepPart(view, step, input, i)));
  };
  root.append(makeElement('div', {class: 'tools'}, makeElement('label', {class: 'control'},
      makeElement('span', {class: 'control-name'}, 'Head'), list), open));
  const pair = createPairView(root, report, store, input, view.tooltip);
  root.append(body);
  draw();
  input.steps.load().then((heads) => {
    walked = heads;
    if (root.isConnected) draw();
  }, (error) => body.replaceChildren(makeElement('p', {class: 'warning'}, error.message)));
  const unsubscribe = store.subscribe((state, changed) => {
    if (changed.includes('heads')) draw();
    else if (walked !== null && (changed.includes('q') || changed.includes('k'))) pair.showPair();
  });
  const stopTheme = onThemeChange(draw);
  return {destroy() {
    unsubscribe();
    stopTheme();
    pair.destroy();
    root.remove();
  }};
}
