// How the views use a window: a small one and a very large one, without overlap or waste.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {startBrowser, withPage} from './page.mjs';
import {makeReport, writeFileHere} from './reports.mjs';

const kWindows = [{width: 1280, height: 720}, {width: 3840, height: 2160}];

let browser;
let plain;
let many;

before(async () => {
  browser = await startBrowser();
  plain = makeReport('layout-plain.html', '--text',
      'the creature chased the cat because it was hungry');
  const layers = Array.from({length: 12}, (_, seed) =>
    ({attention: {n_heads: 12}, weights: {random: {seed}}}));
  const tokens = Array.from({length: 30}, (_, i) => `antidisestablishmentarianism${i % 9}`);
  const embeddings = tokens.map((_, t) => Array.from({length: 24}, (_, i) =>
    Math.sin(1 + 7 * t + 3 * i * (t + 1))));
  many = makeReport('layout-many.html', writeFileHere('layout-many.json',
      JSON.stringify({tokens, embeddings, layers})));
});
after(() => browser.close());

// Boxes of all elements that a selector finds.
function boxesOf(page, selector) {
  return page.locator(selector).evaluateAll((elements) => elements.map((element) => {
    const {left, top, right, bottom} = element.getBoundingClientRect();
    return {left, top, right, bottom};
  }));
}

function overlapping(boxes) {
  return boxes.some((a, i) => boxes.some((b, j) => j < i && a.left < b.right - 0.5 &&
      b.left < a.right - 0.5 && a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5));
}

test('matrix and map of heads stand side by side and grow with the window', async () => {
  for (const path of [plain, many]) {
    for (const viewport of kWindows) {
      await withPage(browser, path, {hash: '#view=similarity', viewport}, async (page) => {
        await page.waitForSelector('.map-point text');
        const [matrix, map] = await boxesOf(page, '.similarity figure');
        const where = `${path} at ${viewport.width}`;
        assert.ok(matrix.right < map.left && Math.abs(matrix.top - map.top) < 1, where);
        assert.ok(map.right - matrix.left > 0.85 * viewport.width, where);
        const [square] = await boxesOf(page, '.head-map');
        assert.ok(square.bottom - square.top < viewport.height, where);
        assert.equal(overlapping(await boxesOf(page, '.map-point text')), false, where);
        for (const axis of ['.axis-rows span', '.axis-columns span']) {
          const names = await boxesOf(page, axis);
          assert.ok(names.length >= 8, where);
          assert.equal(overlapping(names), false, `${axis} ${where}`);
        }
      });
    }
  }
});

test('pointing at a point of the map names its head', async () => {
  await withPage(browser, plain, {hash: '#view=similarity'}, async (page) => {
    await page.waitForSelector('.map-point text');
    const point = page.locator('.map-point').first();
    const name = (await point.getAttribute('aria-label')).trim().split(' ')[0];
    await point.locator('circle').hover();
    await page.waitForSelector('.tip:not([hidden])');
    assert.ok((await page.textContent('.tip')).includes(name));
  });
});

test('strips of contributions have names and a key, which stay in sight', async () => {
  for (const viewport of kWindows) {
    await withPage(browser, many, {hash: '#view=contribution', viewport}, async (page) => {
      await page.waitForSelector('.matrix.strip');
      const [strip] = await boxesOf(page, '.matrix.strip >> nth=0');
      assert.ok(strip.right - strip.left > 0.6 * viewport.width);
      const marks = await page.locator('.contribution .key-numbers span').allTextContents();
      assert.ok(marks.includes('0') && marks.some((text) => text.startsWith('+')) &&
        marks.some((text) => text.startsWith('−')), marks.join());
      assert.equal(overlapping(await boxesOf(page, '.contribution .key-numbers span')), false);
      const inked = () => page.locator('.strip-axis canvas').evaluate((canvas) =>
        canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
            .filter((_, i) => i % 4 === 3).reduce((sum, alpha) => sum + (alpha > 0 ? 1 : 0), 0));
      assert.ok(await inked() > 500);
      await page.locator('.contribution tbody tr').last().scrollIntoViewIfNeeded();
      const [names] = await boxesOf(page, '.strip-axis');
      assert.ok(names.top >= 0 && names.bottom < viewport.height, JSON.stringify(names));
    });
  }
});

test('steps stand in columns where there is room, in reading order', async () => {
  for (const path of [plain, many]) {
    for (const viewport of kWindows) {
      await withPage(browser, path, {hash: '#view=steps', viewport}, async (page) => {
        await page.waitForSelector('.step .formula');
        const steps = await boxesOf(page, '.step');
        assert.equal(overlapping(steps), false);
        steps.forEach((step, i) => {
          if (i === 0) return;
          const before = steps[i - 1];
          assert.ok(step.top > before.top || (step.top === before.top &&
            step.left > before.right), `step ${i + 1} at ${viewport.width}`);
        });
        const cut = await page.locator('.step-list .wide').evaluateAll((all) =>
          all.filter((box) => box.scrollWidth > box.clientWidth).length);
        assert.equal(cut, 0, `tables are cut at ${viewport.width}`);
        const narrow = await page.locator('.step:has(.matrix)').evaluateAll((all) => all.filter(
            (one) => one.querySelector('.matrix').getBoundingClientRect().width < 200)
            .map((one) => one.getBoundingClientRect().width));
        assert.ok(narrow.length >= 3);
        for (const width of narrow) assert.ok(width < 450, `${width} for a narrow matrix`);
        const right = Math.max(...steps.map((step) => step.right));
        assert.ok(right - steps[0].left > 0.9 * viewport.width);
        for (const picture of await boxesOf(page, '.step .matrix')) {
          assert.ok(picture.bottom - picture.top < 410 && picture.right <= right);
        }
      });
    }
  }
});

test('heatmap and lines fill the window, and the lines are pointed at where they are', async () => {
  for (const viewport of kWindows) {
    await withPage(browser, plain, {hash: '#L0H0', viewport}, async (page) => {
      await page.waitForSelector('canvas.heatmap');
      const lines = page.locator('canvas.lines');
      const box = await lines.boundingBox();
      assert.ok(box.x + box.width > 0.9 * viewport.width);
      const names = page.locator('.sentence .word');
      const last = await names.count() - 1;
      await lines.click({position: {x: 12, y: box.height - 0.6 * box.height / (last + 2)}});
      await page.waitForFunction((token) =>
        window.location.hash.includes(`q=${token}`), last);
    });
  }
});
