// The map of heads: a point for each, near ones attend alike, as many names as there is room for.

import {labelMark} from './matrix_parts.js';
import {placeNames} from './name_places.js';
import {makeElement, makeTextMeasure, oncePerFrame} from './page_parts.js';

const kMostPointsNamed = 8;  // in the tooltip, where points lie upon each other
const kNear = 4;             // px around a point that still point at it

function svgPart(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Points and names of a map whose side is `side` pixels, drawn for that many heads.
export function mapSizes(side, count) {
  const px = side >= 1100 ? 15 : side >= 700 ? 13 : 12;
  const radius = (count <= 100 ? 6 : count <= 400 ? 5 : 4) + (side >= 1100 ? 2 : 0);
  return {px, radius, gap: 3, margin: Math.max(24, 0.06 * side)};
}

// Points of the map within a square, the longer side filling it.
export function mapPlaces(points, side, margin) {
  const range = (key) => [Math.min(...points.map((p) => p[key])),
    Math.max(...points.map((p) => p[key]))];
  const [x, y] = [range('x'), range('y')];
  const span = Math.max(x[1] - x[0], y[1] - y[0]) || 1;
  const room = side - 2 * margin;
  const to = (value, [low, high]) =>
    side / 2 + ((value - (low + high) / 2) / span) * room;
  return points.map((p) => ({head: p.head, x: to(p.x, x), y: to(p.y, y)}));
}

// The heads whose points are at most `reach` from (x, y), the nearest first.
export function headsNear(places, x, y, reach) {
  return places.map((p) => ({head: p.head, distance: Math.hypot(p.x - x, p.y - y)}))
      .filter((p) => p.distance <= reach).sort((a, b) => a.distance - b.distance)
      .map((p) => p.head);
}

function pointOf(map, place, box, sizes) {
  const {store, report} = map.view;
  const name = place.head;
  const label = map.labelOf(name);
  const open = () => store.set({heads: [name], view: 'head', zoom: null, mean: false});
  const point = svgPart('g', {tabindex: '0', role: 'link', 'aria-label': `${name} ${label}`,
    class: 'map-point'},
  svgPart('circle', {cx: place.x, cy: place.y, r: sizes.radius,
    fill: report.labelColors[label] || 'var(--muted)'}));
  if (box) {
    point.append(svgPart('text', {x: box.x, y: box.y + 0.8 * box.height,
      'font-size': `${sizes.px}px`}, name));
  }
  point.addEventListener('click', open);
  point.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') open();
  });
  point.addEventListener('focus', () => {
    const at = map.svg.getBoundingClientRect();
    if (point.matches(':focus-visible')) nameHeads(map, [name], at.x + place.x, at.y + place.y);
  });
  point.addEventListener('blur', () => map.view.tooltip.hide());
  return point;
}

function nameHeads(map, names, x, y) {
  const lines = names.slice(0, kMostPointsNamed).map((name) =>
    [name, map.labelOf(name)].filter(Boolean).join(': '));
  if (names.length > kMostPointsNamed) lines.push(`and ${names.length - kMostPointsNamed} more`);
  map.view.tooltip.show(lines, x, y);
}

// Draws the map again where its size has changed.
function layMap(map) {
  const side = Math.round(map.svg.getBoundingClientRect().width);
  if (!(side > 0) || side === map.side) return;
  const {points, measure, svg} = map;
  const sizes = mapSizes(side, points.length);
  const places = mapPlaces(points, side, sizes.margin);
  const reach = sizes.radius + 1;
  const boxes = places.map((p) => ({x: p.x - reach, y: p.y - reach, width: 2 * reach,
    height: 2 * reach}));
  const names = places.map((p) => ({width: measure(p.head, sizes.px), height: 1.2 * sizes.px}));
  const placed = placeNames(boxes, names, {x: 2, y: 2, width: side - 4, height: side - 4},
      sizes.gap);
  Object.assign(map, {side, places, reach: sizes.radius + kNear});
  svg.setAttribute('viewBox', `0 0 ${side} ${side}`);
  svg.replaceChildren(...places.map((place, i) => pointOf(map, place, placed[i], sizes)));
  map.missing.textContent = missingNames(placed.filter((box) => box === null).length);
}

export function missingNames(count) {
  return count === 0 ? '' : `; ${count} ${count === 1 ? 'point has' : 'points have'} no room for ` +
      'a name: point at it';
}

// What the colours of the points mean, as far as they are used.
function labelKey(report, labels) {
  const used = Object.keys(report.labelColors).filter((label) => labels.includes(label));
  return makeElement('div', {class: 'map-key'}, ...used.map((label) =>
    makeElement('span', {class: 'grouped'}, labelMark(report, label), label)));
}

export function createHeadMap(view, input) {
  const byName = new Map(input.heads.map((head) => [head.name, head.labelText]));
  const svg = svgPart('svg', {class: 'head-map', role: 'group',
    'aria-label': 'Map of heads: near ones attend alike'});
  const missing = makeElement('span');
  const map = {view, svg, missing, points: input.similarity.map, measure: makeTextMeasure(),
    labelOf: (name) => byName.get(name) || '', side: 0, places: [], reach: 0};
  svg.addEventListener('pointermove', (event) => {
    const box = svg.getBoundingClientRect();
    const near = headsNear(map.places, event.clientX - box.x, event.clientY - box.y, map.reach);
    if (near.length === 0) view.tooltip.hide();
    else nameHeads(map, near, event.clientX, event.clientY);
  });
  svg.addEventListener('pointerleave', () => view.tooltip.hide());
  const lay = oncePerFrame(() => layMap(map));
  const sizes = new ResizeObserver(lay);
  sizes.observe(svg);
  const element = makeElement('figure', {}, svg, makeElement('figcaption', {}, 'map of heads (it ' +
      `shows ${Math.round(100 * input.similarity.map_share)}% of the differences)`, missing),
  labelKey(view.report, input.heads.map((head) => head.labelText)));
  return {element, stop() {
    lay.cancel();
    sizes.disconnect();
  }};
}
