// A small matrix of numbers as a picture that can be pointed at, and buttons that open heads.

import {cellBitmap} from './cell_bitmap.js';
import {colormapTable} from './colors.js';
import {makeElement} from './page_parts.js';

// `numbers`: rows of numbers; null is missing.
export function mapOfRows(numbers) {
  const cols = numbers.length > 0 ? numbers[0].length : 0;
  const values = new Float32Array(numbers.length * cols);
  numbers.forEach((row, r) => row.forEach((value, c) => {
    values[r * cols + c] = value === null ? NaN : value;
  }));
  return {rows: numbers.length, cols, values, masked: null};
}

export function paintOf(report, theme, {colormap = 'auto', kind = 'linear', low = 0, high}) {
  return {table: colormapTable(report.colormaps, colormap, theme.dark), theme, kind, low, high,
    norm: 'none', firstCol: 0, showMask: true};
}

// A picture of the map that fills its box; `on` may have point(row, col, event), leave() and
// choose(row, col).
export function matrixPicture(map, paint, label, on = {}) {
  const {canvas} = cellBitmap(map, paint);
  canvas.className = 'matrix';
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', label);
  const cellAt = (event) => {
    const box = canvas.getBoundingClientRect();
    const part = (at, size, count) =>
      Math.min(Math.max(Math.floor((at / size) * count), 0), count - 1);
    return [part(event.clientY - box.top, box.height, map.rows),
      part(event.clientX - box.left, box.width, map.cols)];
  };
  if (on.point) canvas.addEventListener('pointermove', (event) => on.point(...cellAt(event), event));
  if (on.leave) canvas.addEventListener('pointerleave', on.leave);
  if (on.choose) {
    canvas.classList.add('chooses');
    canvas.addEventListener('click', (event) => on.choose(...cellAt(event)));
  }
  return canvas;
}

export function headButton(store, name, text = name, patch = {}) {
  return makeElement('button', {type: 'button', class: 'head-link', title: `Open ${name}`,
    onclick: () => store.set({heads: [name], view: 'head', zoom: null, mean: false, ...patch})},
  text);
}

// A coloured square before a label, as around the panels of the pictures.
export function labelMark(report, labelText) {
  const mark = makeElement('span', {class: 'mark', 'aria-hidden': 'true'});
  mark.style.borderColor = report.labelColors[labelText] || 'var(--line)';
  return mark;
}
