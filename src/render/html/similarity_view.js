// How alike heads attend: distances in the order of their tree, groups, and a map.

import {kLabelSizes, thinLabels} from './axis_labels.js';
import {colorKey} from './color_key.js';
import {createHeadMap} from './head_map.js';
import {labelMark, headButton, mapOfRows, matrixPicture, paintOf} from './matrix_parts.js';
import {currentCellTheme, makeElement, makeTooltip, placeThemedView} from './page_parts.js';

// Distances with rows and columns in the order of the leaves of the tree.
export function orderedDistances(similarity) {
  const order = similarity.groups.flat();
  const place = new Map(similarity.heads.map((name, i) => [name, i]));
  const at = order.map((name) => place.get(name));
  return {order, rows: at.map((a) => at.map((b) => similarity.distances[a][b]))};
}

function groupList(view, input) {
  const byName = new Map(input.heads.map((head) => [head.name, head]));
  return makeElement('ol', {class: 'groups'}, ...input.similarity.groups.map((names) =>
    makeElement('li', {}, ...names.map((name) => makeElement('span', {class: 'grouped'},
        labelMark(view.report, byName.get(name) ? byName.get(name).labelText : ''),
        headButton(view.store, name))))));
}

function drawMatrix(view, {order, rows}, key) {
  const {store, tooltip} = view;
  const map = mapOfRows(rows);
  const high = Math.max(...map.values.filter(Number.isFinite), 1e-9);
  const paint = paintOf(view.report, currentCellTheme(), {colormap: store.get().colormap, high});
  key.replaceChildren(colorKey(paint, 'distance'));
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
  const map = createHeadMap(view, input);
  const key = makeElement('span');
  const draw = () => matrix.replaceChildren(drawMatrix(view, ordered, key));
  root.append(
      makeElement('p', {class: 'explain'}, 'Distance: the mean over rows of the Jensen-Shannon ' +
        'divergence, in nats. Far from the colour of the diagonal, or far apart in the map: ' +
        'unlike. A cell opens its two heads side by side.'),
      makeElement('div', {class: 'columns'},
          makeElement('figure', {}, named, makeElement('figcaption', {class: 'with-key'},
              'in the order of the tree', key)),
          map.element),
      makeElement('h3', {}, 'Groups'), groupList(view, input));
  if (input.similarity.redundant.length > 0) {
    root.append(makeElement('h3', {}, 'Nearly copies'), makeElement('ul', {},
        ...input.similarity.redundant.map(({a, b, distance}) => makeElement('li', {},
            headButton(store, a), ' and ', headButton(store, b), `: ${distance.toFixed(4)} apart`))));
  }
  const placed = placeThemedView(container, root, draw);
  return {destroy() {
    axes.stop();
    map.stop();
    placed.destroy();
  }};
}
