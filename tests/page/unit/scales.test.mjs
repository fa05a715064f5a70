import assert from 'node:assert/strict';
import {test} from 'node:test';

import {cellNumber, exactText, fixedNumber, makeValueScale, roundTicks, scaleTitle, symmetricRange,
  tickText}
  from '../../../src/render/html/scales.js';

const texts = (colors, most = 5) => roundTicks(colors, most).map((tick) => tick.text);

test('linear, square root and logarithmic scales go there and back', () => {
  for (const kind of ['linear', 'sqrt', 'log']) {
    const scale = makeValueScale({kind, low: 0, high: 0.8});
    assert.equal(scale.position(0), 0);
    assert.equal(scale.position(0.8), 1);
    assert.equal(scale.position(9), 1);
    for (const value of [0.001, 0.1, 0.5]) {
      assert.ok(Math.abs(scale.value(scale.position(value)) - value) < 1e-12, kind);
    }
  }
  assert.equal(makeValueScale({kind: 'sqrt', high: 1}).position(0.25), 0.5);
  assert.ok(Math.abs(makeValueScale({kind: 'log', high: 1}).position(0.01) - 0.5) < 1e-12);
});

test('a scale without width, or of numbers that are none, is still one', () => {
  assert.equal(makeValueScale({low: 0, high: 0}).position(0), 0);
  assert.equal(makeValueScale({low: 0, high: NaN}).high, 1);
  assert.equal(makeValueScale({kind: 'log', low: -1, high: 0}).kind, 'linear');
  assert.equal(makeValueScale({low: 0, high: 1}).position(NaN), 0);
});

test('ticks are round, as beside the PNGs', () => {
  assert.deepEqual(texts({low: 0, high: 0.91}), ['0', '0.2', '0.4', '0.6', '0.8']);
  assert.deepEqual(texts({kind: 'log', low: 0, high: 1}),
      ['≤ 0.0001', '0.001', '0.01', '0.1', '1']);
  assert.deepEqual(texts({kind: 'linear', ...symmetricRange(0.8), signed: true}, 4),
      ['−0.5', '0', '+0.5']);
  for (const high of [1e-7, 0.003, 0.6, 17, 1e9]) {
    for (const kind of ['linear', 'sqrt', 'log']) {
      const ticks = roundTicks({kind, low: 0, high}, 6);
      assert.ok(ticks.length >= 2, `${kind} ${high}`);
      assert.ok(ticks.every((tick) => tick.position >= 0 && tick.position <= 1));
    }
  }
});

test('a scale with room for one round tick shows its end as well', () => {
  const ticks = roundTicks({low: 0, high: 0.4}, 2);
  assert.ok(ticks.length >= 2);
});

test('numbers are short', () => {
  assert.equal(tickText(0.2), '0.2');
  assert.equal(tickText(-0), '0');
  assert.equal(tickText(2e-7), '2e−07');
  assert.equal(tickText(1e-4), '0.0001');
  assert.equal(cellNumber(0.934), '.93');
  assert.equal(cellNumber(0.999), '1.0');
  assert.equal(cellNumber(1), '1.0');
  assert.equal(cellNumber(-1), '−1.0');
  assert.equal(cellNumber(9.96), '10');
  assert.equal(cellNumber(3.21), '3.2');
  assert.equal(cellNumber(-13.7), '−14');
  assert.equal(cellNumber(0.004), '');
  assert.equal(cellNumber(-0.25), '−.25');
  assert.equal(cellNumber(123456), '');
});

test('what rounds to zero has no sign, and a minus is no hyphen', () => {
  assert.equal(fixedNumber(-0.004), '0.00');
  assert.equal(fixedNumber(-0.006), '−0.01');
  assert.equal(fixedNumber(-1.5, 1), '−1.5');
  assert.equal(tickText(-3), '−3');
  assert.equal(exactText(-0.5, true, 0), '−0.500000');
});

test('a value on hover says how sure it is', () => {
  assert.equal(exactText(0.125, true, 0), '0.125000');
  assert.equal(exactText(0.12345678, false, 0.002), '0.1235 ± 0.002');
  assert.equal(exactText(0.000012345, true, 0), '1.2345e−05');
  assert.equal(exactText(NaN, true, 0), 'no number');
});

test('the colour bar says which scale it has', () => {
  assert.equal(scaleTitle('attention weight', 'linear', 'none'), 'attention weight');
  assert.equal(scaleTitle('attention weight', 'sqrt', 'none'), 'attention weight, sqrt scale');
  assert.equal(scaleTitle('attention weight', 'linear', 'row'), 'attention weight / row maximum');
});
