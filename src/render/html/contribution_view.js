// What each head adds to the output of its layer, token by token.

import {colorKey} from './color_key.js';
import {visibleToken} from './head_model.js';
import {headButton, mapOfRows, matrixPicture, paintOf} from './matrix_parts.js';
import {currentCellTheme, makeElement, makeTooltip, placeThemedView} from './page_parts.js';
import {fixedNumber} from './scales.js';
import {createStripAxis} from './strip_axis.js';

export function meanOf(numbers) {
  const known = numbers.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : null;
}

function numberText(value) {
  return value === null ? '–' : fixedNumber(value);
}

function sharePaint(view) {
  return paintOf(view.report, currentCellTheme(),
      {colormap: 'diverging', low: -view.high, high: view.high});
}

function rowPicture(view, head, paint) {
  const {tooltip, tokens} = view;
  const picture = matrixPicture(mapOfRows([head.share]), paint, `Shares of ${head.head} by token`, {
    point: (r, c, event) => tooltip.show([numberText(head.share[c]), tokens[c]],
        event.clientX, event.clientY),
    leave: () => tooltip.hide(),
    choose: (r, c) => view.store.set({heads: [head.head], view: 'head', q: c, direction: 'from',
      zoom: null}),
  });
  picture.classList.add('strip');
  return picture;
}

export function createContributionView(container, report, store) {
  const input = report.inputs[store.get().input];
  const {heads} = input.contribution;
  const root = makeElement('section', {class: 'contribution', 'aria-label': 'Contribution'});
  const view = {report, store, tokens: input.queryTokens, tooltip: makeTooltip(root),
    high: Math.max(1e-9, ...heads.flatMap((head) => head.share.map(Math.abs)))};
  const body = makeElement('tbody');
  const key = makeElement('span');
  const draw = () => {
    const paint = sharePaint(view);
    key.replaceChildren(colorKey(paint, '', true));
    body.replaceChildren(...heads.map((head) => makeElement('tr', {},
        makeElement('th', {scope: 'row'}, headButton(store, head.head)),
        makeElement('td', {}, numberText(meanOf(head.share))),
        makeElement('td', {}, numberText(meanOf(head.ablation))),
        makeElement('td', {}, numberText(head.copying)),
        makeElement('td', {class: 'strip-cell'}, rowPicture(view, head, paint)))));
  };
  const axis = createStripAxis(view.tokens.map(visibleToken), () => currentCellTheme().muted,
      (lean) => root.style.setProperty('--lean', `${lean}px`));
  const title = (text, hint) => makeElement('th', {scope: 'col', title: hint}, text);
  root.append(
      makeElement('p', {class: 'explain'}, 'The share of each head in the output of its layer: ' +
        'shares of a layer add up to 1; a negative one works against the rest. A token of the ' +
        'strip opens the head at that query.'),
      makeElement('div', {class: 'wide'}, makeElement('table', {},
          makeElement('thead', {}, makeElement('tr', {}, title('head', ''),
              title('share', input.contribution.share),
              title('ablation', input.contribution.ablation),
              title('copying', input.contribution.copying),
              makeElement('th', {scope: 'col'}, makeElement('div', {class: 'strip-title'},
                  'share by token', key), axis.element))),
          body)));
  const placed = placeThemedView(container, root, draw);
  return {destroy() {
    axis.stop();
    placed.destroy();
  }};
}
