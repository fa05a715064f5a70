// Links, the store, and how heads are arranged.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {arrangeHeads, gridColumns} from '../../../src/render/html/overview.js';
import {rankRelations} from '../../../src/render/html/relations_view.js';
import {orderedDistances} from '../../../src/render/html/similarity_view.js';
import {createStore, defaultState, formatHash, parseHash} from '../../../src/render/html/state.js';

test('a link names heads and a query', () => {
  assert.deepEqual(parseHash('#L4H11,q=7'), {heads: ['L4H11'], q: 7, view: 'head'});
});

test('what a link does not know is left out', () => {
  assert.deepEqual(parseHash('#bogus,L1H2,L1H2,q=-3,scale=cubic,tiles=3d,nothing=1,__proto__=2'),
      {heads: ['L1H2'], view: 'head'});
  assert.deepEqual(parseHash('#q=%E0%A4'), {});
});

test('a state is the same after a link', () => {
  const state = {...defaultState, heads: ['L0H1', 'L2mean'], view: 'compare', q: 3, mean: true,
    scale: 'sqrt', dropFirst: true, mask: false, threshold: 0.25, topk: 4, zoom: [0, 5.5, 2, 9],
    filter: 'a,b=c&<', a: '0:L0H1', b: '1:L2H3', range: 'head', tiles: 'text'};
  assert.deepEqual({...defaultState, ...parseHash(formatHash(state))}, state);
  assert.equal(formatHash(defaultState), '');
});

test('the store tells of changes alone', () => {
  const store = createStore({});
  const told = [];
  const stop = store.subscribe((state, changed) => told.push(changed));
  store.set({q: null, heads: []});
  store.set({q: 2, k: null});
  stop();
  store.set({q: 3});
  assert.deepEqual(told, [['q']]);
});

const kHeads = [
  {name: 'L0H0', layer: 0, labelText: '', scores: {previous: 0.1}},
  {name: 'L0H1', layer: 0, labelText: 'previous token', scores: {previous: 0.9}},
  {name: 'L1H0', layer: 1, labelText: 'induction', scores: {previous: null}},
];
const namesOf = (state) => arrangeHeads(kHeads, {sort: 'head', filter: '', ...state})
    .map((head) => head.name);

test('heads are sorted by label and by score, and filtered by label or name', () => {
  assert.deepEqual(namesOf({}), ['L0H0', 'L0H1', 'L1H0']);
  assert.deepEqual(namesOf({sort: 'label'}), ['L1H0', 'L0H1', 'L0H0']);
  assert.deepEqual(namesOf({sort: 'previous'}), ['L0H1', 'L0H0', 'L1H0']);
  assert.deepEqual(namesOf({filter: 'PREVIOUS'}), ['L0H1']);
  assert.deepEqual(namesOf({filter: 'l1'}), ['L1H0']);
  assert.equal(gridColumns(kHeads, {sort: 'head', filter: ''}), 2);
  assert.equal(gridColumns(kHeads, {sort: 'label', filter: ''}), 0);
});

test('heads of a relation come best first', () => {
  const ranked = rankRelations([{name: 'r', head: 'a', rate: 0.2}, {name: 'r', head: 'b', rate: 1},
    {name: 's', head: 'a', rate: 0}]);
  assert.deepEqual(ranked.map((one) => [one.name, one.heads[0].head]), [['r', 'b'], ['s', 'a']]);
});

test('distances follow the leaves of the tree', () => {
  const {order, rows} = orderedDistances({heads: ['a', 'b', 'c'], groups: [['c', 'a'], ['b']],
    distances: [[0, 1, 2], [1, 0, 3], [2, 3, 0]]});
  assert.deepEqual(order, ['c', 'a', 'b']);
  assert.deepEqual(rows, [[0, 2, 3], [2, 0, 1], [3, 1, 0]]);
});
