import assert from 'node:assert/strict';
import {test} from 'node:test';

import {headsNear, mapPlaces, mapSizes, missingNames} from '../../../src/render/html/head_map.js';
import {placeNames} from '../../../src/render/html/name_places.js';

const marker = (x, y, r = 6) => ({x: x - r, y: y - r, width: 2 * r, height: 2 * r});
const area = {x: 0, y: 0, width: 300, height: 300};
const size = {width: 40, height: 14};
const touch = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
    b.y < a.y + a.height;

test('points stay within the map', () => {
  const places = mapPlaces([{head: 'a', x: -2, y: 0}, {head: 'b', x: 2, y: 1}], 100, 10);
  assert.deepEqual(places.map((p) => p.x), [10, 90]);
  assert.ok(mapSizes(1800, 24).radius > mapSizes(500, 144).radius);
});

test('a name stands right of its point, or where there is room', () => {
  const right = placeNames([marker(100, 100)], [size], area, 3)[0];
  assert.deepEqual([right.x, right.y], [109, 93]);
  const atEdge = placeNames([marker(290, 100)], [size], area, 3)[0];
  assert.deepEqual([atEdge.x + atEdge.width, atEdge.y], [281, 93]);
  // Points at both sides leave the place above.
  const far = [marker(130, 100, 6), marker(70, 100, 6)];
  const high = placeNames([marker(100, 100), ...far], [{width: 30, height: 14}, {width: 500,
    height: 14}, {width: 500, height: 14}], area, 3)[0];
  assert.ok(high.y + high.height <= 94, JSON.stringify(high));
});

test('no name covers a name or a point, and most are there', () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const points = Array.from({length: 60}, () => marker(10 + 580 * random(), 10 + 580 * random()));
  const whole = {x: 0, y: 0, width: 600, height: 600};
  const names = placeNames(points, points.map(() => size), whole, 3);
  const placed = names.filter((box) => box !== null);
  assert.ok(placed.length > 50, `${placed.length} of 60`);
  placed.forEach((box, i) => {
    assert.ok(!points.some((point) => touch(box, point)));
    assert.ok(!placed.some((other, j) => j !== i && touch(box, other)));
    assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= 600 && box.y + box.height <= 600);
  });
  assert.deepEqual(placeNames(points, points.map(() => size), whole, 3), names);
});

test('pointing names every head there, the nearest first', () => {
  const places = [{head: 'a', x: 10, y: 10}, {head: 'b', x: 13, y: 10}, {head: 'c', x: 60, y: 10}];
  assert.deepEqual(headsNear(places, 13, 11, 8), ['b', 'a']);
  assert.deepEqual(headsNear(places, 40, 40, 8), []);
  assert.equal(missingNames(0), '');
  assert.match(missingNames(1), /1 point has no room/);
});
