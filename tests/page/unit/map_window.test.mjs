import assert from 'node:assert/strict';
import {test} from 'node:test';

import {cellsInWindow, clampWindow, isWholeWindow, panWindow, revealCell, tokenAt, windowPlaces,
  zoomWindow} from '../../../src/render/html/map_window.js';

const bounds = [0, 100, 0, 200];
const near = (a, b) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 1e-9, `${a} ${b}`));

test('zooming keeps the point under the pointer where it is', () => {
  const area = {x: 10, y: 20, width: 400, height: 200};
  const at = tokenAt(bounds, area, 110, 70);
  near([at.row, at.col], [25, 50]);
  const win = zoomWindow(bounds, bounds, 4, at.row, at.col);
  near([win[1] - win[0], win[3] - win[2]], [25, 50]);
  const again = tokenAt(win, area, 110, 70);
  near([again.row, again.col], [25, 50]);
});

test('zooming in and out comes back, and stops at the whole and at two tokens', () => {
  const win = zoomWindow(bounds, bounds, 3, 40, 80);
  near(zoomWindow(win, bounds, 1 / 3, 40, 80), bounds);
  near(zoomWindow(win, bounds, 1e-9, 1, 1), bounds);
  const deep = zoomWindow(bounds, bounds, 1e9, 40, 80);
  assert.equal(deep[1] - deep[0], 2);
  assert.equal(deep[3] - deep[2], 4);
});

test('panning stops at the edges', () => {
  const win = [10, 30, 20, 60];
  near(panWindow(win, bounds, -50, 5), [0, 20, 25, 65]);
  near(panWindow(win, bounds, 1000, 1000), [80, 100, 160, 200]);
  near(panWindow(bounds, bounds, 5, 5), bounds);
});

test('windows from a link are made sound', () => {
  near(clampWindow([-5, 5, 190, 500], bounds), [0, 10, 0, 200]);
  near(clampWindow([7, 7, 3, 1], bounds), [7, 9, 3, 5]);
  near(clampWindow(null, bounds), bounds);
  near(clampWindow([1, NaN, 2, 3], bounds), bounds);
  near(clampWindow([0, 1, 0, 1], [0, 1, 0, 300]), [0, 1, 0, 2]);
  assert.ok(isWholeWindow(clampWindow([0, 999, 0, 999], bounds), bounds));
});

test('a dropped first column is out of bounds', () => {
  near(clampWindow([0, 10, 0, 10], [0, 10, 1, 11]), [0, 10, 1, 11]);
});

test('a token outside is brought in with the least move', () => {
  near(revealCell([10, 20, 10, 20], bounds, 25, 3), [16, 26, 3, 13]);
  near(revealCell([10, 20, 10, 20], bounds, 12, 12), [10, 20, 10, 20]);
});

test('the cells of a window: whole ones, of pooled maps and of a sharp part', () => {
  assert.deepEqual(cellsInWindow({rows: 10, cols: 10}, [2.5, 4.5, 0, 10]),
      {rows: {first: 2, count: 3}, cols: {first: 0, count: 10}});
  assert.deepEqual(cellsInWindow({rows: 10, cols: 10, rowPool: 8, colPool: 8}, [9, 17, 0, 8]),
      {rows: {first: 1, count: 2}, cols: {first: 0, count: 1}});
  const sharp = {rows: 4, cols: 4, rowStart: 16, colStart: 16};
  assert.equal(cellsInWindow(sharp, [0, 10, 0, 10]).rows.count, 0);
  assert.deepEqual(cellsInWindow(sharp, [18, 30, 0, 18]).rows, {first: 2, count: 2});
  assert.deepEqual(cellsInWindow(sharp, [18, 30, 0, 18]).cols, {first: 0, count: 2});
});

test('points outside of the cells mean no token', () => {
  const area = {x: 10, y: 10, width: 100, height: 100};
  assert.equal(tokenAt(bounds, area, 9, 50), null);
  assert.equal(tokenAt(bounds, area, 110, 50), null);
  const places = windowPlaces([0, 10, 0, 10], area);
  assert.equal(places.x(5), 60);
  assert.equal(places.cellWidth, 10);
});
