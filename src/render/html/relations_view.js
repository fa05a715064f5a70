// Relations that the input names: which heads find them, and where.

import {headButton} from './matrix_parts.js';
import {makeElement} from './page_parts.js';

const kMostHeadsNamed = 8;
const kMostPairsNamed = 60;

// For each relation its heads, best first.
export function rankRelations(rates) {
  const byName = new Map();
  for (const rate of rates) {
    if (!byName.has(rate.name)) byName.set(rate.name, []);
    byName.get(rate.name).push(rate);
  }
  return [...byName].map(([name, heads]) =>
    ({name, heads: [...heads].sort((a, b) => b.rate - a.rate)}));
}

function headCell(store, head) {
  const gain = head.gain === undefined ? '' : `, ${head.gain >= 0 ? '+' : '−'}` +
      `${Math.abs(head.gain).toFixed(2)} over the best single offset`;
  const text = `${head.head} ${head.rate.toFixed(2)}`;
  const button = headButton(store, head.head, text);
  button.title = `${head.head}: right in ${head.right} of ${head.rows} rows${gain}`;
  button.style.setProperty('--part', `${Math.round(head.rate * 100)}%`);
  button.classList.add('rate');
  return button;
}

function pairList(store, input, relation, best) {
  const pairs = relation.pairs.slice(0, kMostPairsNamed).map(([q, k]) => headButton(store, best,
      `${input.queryTokens[q]} → ${input.keyTokens[k]}`, {q, k, direction: 'from'}));
  return makeElement('div', {class: 'pairs'}, ...pairs);
}

export function createRelationsView(container, report, store) {
  const input = report.inputs[store.get().input];
  const root = makeElement('section', {class: 'relations', 'aria-label': 'Relations'});
  const {pairs, rates} = input.relations;
  root.append(makeElement('p', {class: 'explain'}, 'How often the largest weight of a row is on ' +
      'the right token; a head opens with the pair marked.'));
  for (const {name, heads} of rankRelations(rates)) {
    const relation = pairs.find((one) => one.name === name.replace(/ \(reversed\)$/, ''));
    root.append(makeElement('h3', {dir: 'auto'}, name),
        makeElement('div', {class: 'rates'},
            ...heads.slice(0, kMostHeadsNamed).map((head) => headCell(store, head))));
    if (relation && !name.endsWith('(reversed)')) {
      root.append(pairList(store, input, relation, heads[0].head));
    }
  }
  container.append(root);
  return {destroy: () => root.remove()};
}
