// Small helpers for the page: elements, a tooltip, the reader's theme, one drawing a frame.

import {cellTheme} from './colors.js';
import {figureFont} from './pens.js';

// An element with attributes and children. Text only ever goes in as text.
export function makeElement(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'class') element.className = value;
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null) element.setAttribute(name, value);
  }
  for (const child of children) element.append(child);
  return element;
}

function darkQuery() {
  return window.matchMedia('(prefers-color-scheme: dark)');
}

export function currentCellTheme() {
  return cellTheme(darkQuery().matches);
}

export function onThemeChange(fn) {
  const query = darkQuery();
  query.addEventListener('change', fn);
  return () => query.removeEventListener('change', fn);
}

// Paints again with another theme, another width of the element, or another window; the returned
// function ends that.
export function paintOnChanges(element, paint) {
  const stopTheme = onThemeChange(paint);
  let width = 0;
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    paint();
  });
  observer.observe(element);
  window.addEventListener('resize', paint);
  return () => {
    stopTheme();
    observer.disconnect();
    window.removeEventListener('resize', paint);
  };
}

// Puts a view into its place that is drawn now and again with another theme.
export function placeThemedView(container, root, draw) {
  draw();
  container.append(root);
  const stopTheme = onThemeChange(draw);
  return {destroy() {
    stopTheme();
    root.remove();
  }};
}

// Calls of the returned function draw once, before the next frame.
export function oncePerFrame(draw) {
  let frame = 0;
  const request = () => {
    if (frame === 0) {
      frame = requestAnimationFrame(() => {
        frame = 0;
        draw();
      });
    }
  };
  request.cancel = () => {
    cancelAnimationFrame(frame);
    frame = 0;
  };
  return request;
}

// A canvas as sharp as the screen.
export function sizeCanvas(canvas, width, height) {
  const dpr = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * dpr)), Math.max(1, Math.round(height * dpr))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d');
  context.setTransform(dpr, 0, 0, dpr, 0, 0);
  return context;
}

// One tooltip, shared: lines of text beside the pointer, kept on the screen.
export function makeTooltip(host) {
  const box = makeElement('div', {class: 'tip', role: 'presentation', hidden: true});
  host.append(box);
  return {
    show(lines, x, y) {
      box.replaceChildren(...lines.map((line, i) =>
        makeElement('div', {class: i === 0 ? 'tip-value' : 'tip-line', dir: 'auto'}, line)));
      box.hidden = false;
      const {offsetWidth: width, offsetHeight: height} = box;
      const left = x + 16 + width > window.innerWidth ? x - 12 - width : x + 16;
      const top = y + 16 + height > window.innerHeight ? y - 12 - height : y + 16;
      box.style.left = `${Math.max(4, left)}px`;
      box.style.top = `${Math.max(4, top)}px`;
    },
    hide() {
      box.hidden = true;
    },
    remove() {
      box.remove();
    },
  };
}

// Keeps a message from being read out before the reader stops moving.
export function makeAnnouncer(host) {
  const line = makeElement('div', {class: 'live-line', 'aria-live': 'polite'});
  host.append(line);
  return {
    element: line,
    say(text) {
      if (line.textContent !== text) line.textContent = text;
    },
  };
}

// Widths of texts, each measured once. 100 px are measured and scaled: fonts are nearly linear.
export function makeTextMeasure() {
  const context = document.createElement('canvas').getContext('2d');
  const known = new Map();
  return (text, px, bold = false) => {
    const key = bold ? `b${text}` : `n${text}`;
    let width = known.get(key);
    if (width === undefined) {
      context.font = figureFont({px: 20, bold});
      width = context.measureText(text).width / 20;
      if (known.size > 50000) known.clear();
      known.set(key, width);
    }
    return width * px;
  };
}
