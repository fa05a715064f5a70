// The heads of one layer as small pictures: a click shows one, with Shift or Ctrl beside the
// others.

import {cellBitmap} from './cell_bitmap.js';
import {colormapTable} from './colors.js';
import {largestValue} from './head_maps.js';
import {makeElement} from './page_parts.js';

// The heads of the layer that the first shown one is of; the means of layers are their own.
export function headsOfLayer(input, name) {
  const shown = input.heads.find((head) => head.name === name);
  return shown ? input.heads.filter((head) => head.layer === shown.layer) : [];
}

// What a click makes of the heads that are shown: it alone, or one more, or one less.
export function headsAfterClick(names, name, beside, most) {
  if (!beside) return [name];
  if (names.includes(name)) return names.length > 1 ? names.filter((one) => one !== name) : names;
  return names.length < most ? [...names, name] : names;
}

function thumbCanvas(thumb, look) {
  const high = largestValue(thumb, look.dropFirst && thumb.cols > 1 ? 1 : 0);
  const {canvas} = cellBitmap(thumb, {table: look.table, theme: look.theme, kind: look.scale,
    low: 0, high, norm: look.norm, firstCol: 0, showMask: look.mask});
  canvas.className = 'thumb';
  canvas.setAttribute('aria-hidden', 'true');
  return canvas;
}

export function createHeadStrip(host, report, store, most) {
  const element = makeElement('div', {class: 'head-strip', role: 'group',
    'aria-label': 'Heads of this layer'});
  host.append(element);
  let key = [];
  let names = [];
  const choose = (name) => (event) => {
    const beside = event.shiftKey || event.ctrlKey || event.metaKey;
    store.set({heads: headsAfterClick(names, name, beside, most)});
  };
  const build = (heads, look) => element.replaceChildren(...heads.map((head) => {
    const title = `${head.labelText ? `${head.name}: ${head.labelText}` : head.name}` +
        '. Shift-click shows it beside the others.';
    const button = makeElement('button', {type: 'button', title, 'data-head': head.name,
      onclick: choose(head.name)});
    if (head.thumb) button.append(thumbCanvas(head.thumb, look));
    button.append(makeElement('span', {}, head.name));
    return button;
  }));
  return {
    element,
    update(state, shownNames, input, theme) {
      names = shownNames;
      const heads = headsOfLayer(input, shownNames[0]);
      element.hidden = heads.length < 2;
      const next = [input, heads.length ? heads[0].layer : null, theme, state.colormap,
        state.scale, state.norm, state.dropFirst, state.mask];
      if (next.some((part, i) => part !== key[i])) {
        key = next;
        build(heads, {table: colormapTable(report.colormaps, state.colormap, theme.dark), theme,
          scale: state.scale, norm: state.norm, dropFirst: state.dropFirst,
          mask: state.mask !== false});
      }
      for (const button of element.children) {
        button.setAttribute('aria-pressed',
            String(shownNames.includes(button.getAttribute('data-head'))));
      }
    },
  };
}
