// How alike heads attend: distances in the order of their tree, groups, and a map.

import {kLabelSizes, thinLabels} from './axis_labels.js';
import {labelMark, headButton, mapOfRows, matrixPicture, paintOf} from './matrix_parts.js';
import {currentCellTheme, makeElement, makeTooltip, placeThemedView} from './page_parts.js';

const kMapSide = 420;

function svgPart(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Distances with rows and columns in the order of the leaves of the tree.
export function orderedDistances(similarity) {
  const order = similarity.groups.flat();
  const place = new Map(similarity.heads.map((name, i) => [name, i]));
  const at = order.map((name) => place.get(name));
  return {order, rows: at.map((a) => at.map((b) => similarity.distances[a][b]))};
}

// Which points have room for their name beside them, earlier ones first.
export function namedPoints(places, width, height) {
  const taken = places.map((p) => [p.x - 8, p.y - 8, p.x + 8, p.y + 8]);
  return places.filter((p, i) => {
    const box = [p.x + 9, p.y - height / 2, p.x + 9 + width, p.y + height / 2];
    const hits = (other, j) => j !== i && other[0] < box[2] && other[2] > box[0] &&
        other[1] < box[3] && other[3] > box[1];
    if (taken.some(hits)) return false;
    taken.push(box);
    return true;
  });
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

function drawMap(view, input) {
  const {report, store} = view;
  const svg = svgPart('svg', {viewBox: `0 0 ${kMapSide} ${kMapSide}`, class: 'head-map',
    role: 'group', 'aria-label': 'Map of heads: near ones attend alike'});
  const byName = new Map(input.heads.map((head) => [head.name, head]));
  const places = mapPlaces(input.similarity.map, kMapSide, 46);
  const named = new Set(namedPoints(places, 40, 13).map((place) => place.head));
  for (const {head: name, x, y} of places) {
    const head = byName.get(name);
    const label = head ? head.labelText : '';
    const open = () => store.set({heads: [name], view: 'head', zoom: null, mean: false});
    const point = svgPart('g', {tabindex: '0', role: 'link', 'aria-label': `${name} ${label}`,
      class: 'map-point'},
    svgPart('title', {}, label ? `${name}: ${label}` : name),
    svgPart('circle', {cx: x, cy: y, r: 7, fill: report.labelColors[label] || 'var(--muted)'}));
    if (named.has(name)) point.append(svgPart('text', {x: x + 9, y: y + 4}, name));
    point.addEventListener('click', open);
    point.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') open();
    });
    svg.append(point);
  }
  return svg;
}

function groupList(view, input) {
  const byName = new Map(input.heads.map((head) => [head.name, head]));
  return makeElement('ol', {class: 'groups'}, ...input.similarity.groups.map((names) =>
    makeElement('li', {}, ...names.map((name) => makeElement('span', {class: 'grouped'},
        labelMark(view.report, byName.get(name) ? byName.get(name).labelText : ''),
        headButton(view.store, name))))));
}

function drawMatrix(view, {order, rows}) {
  const {store, tooltip} = view;
  const map = mapOfRows(rows);
  const high = Math.max(...map.values.filter(Number.isFinite), 1e-9);
  const paint = paintOf(view.report, currentCellTheme(), {colormap: store.get().colormap, high});
  return matrixPicture(map, paint, 'Distances between heads, in the order of their tree', {
    point: (r, c, event) => tooltip.show(
        [`${rows[r][c] === null ? 'no rows' : rows[r][c].toFixed(4)} nats`,
          `${order[r]} and ${order[c]}`], event.clientX, event.clientY),
    leave: () => tooltip.hide(),
    choose: (r, c) => store.set(r === c ? {heads: [order[r]], view: 'head', zoom: null} :
      {heads: [order[r], order[c]], a: `${store.get().input}:${order[r]}`,
        b: `${store.get().input}:${order[c]}`, view: 'compare', zoom: null}),
  });
}

// Names of heads beside and below the matrix, as many as fit: `matrix` is laid out again whenever
// its size changes.
function nameAxes(matrix, order) {
  const rows = makeElement('div', {class: 'axis-rows', 'aria-hidden': 'true'});
  const columns = makeElement('div', {class: 'axis-columns', 'aria-hidden': 'true'});
  const fill = () => {
    const pitch = matrix.getBoundingClientRect().width / order.length;
    if (!(pitch > 0)) return;
    const names = (side) => thinLabels(order.length, pitch, kLabelSizes.thinned * 1.4).map((i) => {
      const name = makeElement('span', {}, order[i]);
      name.style[side] = `${(100 * (i + 0.5)) / order.length}%`;
      return name;
    });
    rows.replaceChildren(...names('top'));
    columns.replaceChildren(...names('left'));
  };
  const sizes = new ResizeObserver(fill);
  sizes.observe(matrix);
  return {rows, columns, stop: () => sizes.disconnect()};
}

export function createSimilarityView(container, report, store) {
  const input = report.inputs[store.get().input];
  const root = makeElement('section', {class: 'similarity', 'aria-label': 'Similarity'});
  const view = {report, store, tooltip: makeTooltip(root)};
  const matrix = makeElement('div', {class: 'similarity-matrix'});
  const ordered = orderedDistances(input.similarity);
  const axes = nameAxes(matrix, ordered.order);
  const named = makeElement('div', {class: 'named-matrix'}, axes.rows, matrix, axes.columns);
  const draw = () => matrix.replaceChildren(drawMatrix(view, ordered));
  root.append(
      makeElement('p', {class: 'explain'}, 'Distance: the mean over rows of the Jensen-Shannon ' +
        'divergence, in nats. Far from the colour of the diagonal, or far apart in the map: ' +
        'unlike. A cell opens its two heads side by side.'),
      makeElement('div', {class: 'columns'},
          makeElement('figure', {}, named, makeElement('figcaption', {}, 'in the order of the tree')),
          makeElement('figure', {}, drawMap(view, input), makeElement('figcaption', {},
              `map of heads (it shows ${Math.round(100 * input.similarity.map_share)}% of the ` +
              'differences)'))),
      makeElement('h3', {}, 'Groups'), groupList(view, input));
  if (input.similarity.redundant.length > 0) {
    root.append(makeElement('h3', {}, 'Nearly copies'), makeElement('ul', {},
        ...input.similarity.redundant.map(({a, b, distance}) => makeElement('li', {},
            headButton(store, a), ' and ', headButton(store, b), `: ${distance.toFixed(4)} apart`))));
  }
  const placed = placeThemedView(container, root, draw);
  return {destroy() {
    axes.stop();
    placed.destroy();
  }};
}
