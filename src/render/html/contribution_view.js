// What each head adds to the output of its layer, token by token.

import {headButton, mapOfRows, matrixPicture, paintOf} from './matrix_parts.js';
import {currentCellTheme, makeElement, makeTooltip, placeThemedView} from './page_parts.js';
import {fixedNumber} from './scales.js';

export function meanOf(numbers) {
  const known = numbers.filter((value) => value !== null);
  return known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : null;
}

function numberText(value) {
  return value === null ? '–' : fixedNumber(value);
}

function rowPicture(view, head, high) {
  const {tooltip, tokens} = view;
  const paint = paintOf(view.report, currentCellTheme(),
      {colormap: 'diverging', low: -high, high});
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
  const view = {report, store, tokens: input.queryTokens, tooltip: makeTooltip(root)};
  const high = Math.max(1e-9, ...heads.flatMap((head) => head.share.map(Math.abs)));
  const body = makeElement('tbody');
  const draw = () => body.replaceChildren(...heads.map((head) => makeElement('tr', {},
      makeElement('th', {scope: 'row'}, headButton(store, head.head)),
      makeElement('td', {}, numberText(meanOf(head.share))),
      makeElement('td', {}, numberText(meanOf(head.ablation))),
      makeElement('td', {}, numberText(head.copying)),
      makeElement('td', {class: 'strip-cell'}, rowPicture(view, head, high)))));
  const title = (text, hint) => makeElement('th', {scope: 'col', title: hint}, text);
  root.append(
      makeElement('p', {class: 'explain'}, 'The share of each head in the output of its layer: ' +
        'shares of a layer add up to 1; a negative one works against the rest. A token of the ' +
        'strip opens the head at that query.'),
      makeElement('div', {class: 'wide'}, makeElement('table', {},
          makeElement('thead', {}, makeElement('tr', {}, title('head', ''),
              title('share', input.contribution.share),
              title('ablation', input.contribution.ablation),
              title('copying', input.contribution.copying), title('share by token', ''))),
          body)));
  return placeThemedView(container, root, draw);
}
