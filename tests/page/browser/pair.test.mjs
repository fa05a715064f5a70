// "Why does TOKEN look at TOKEN?" in the steps of a head.
import assert from 'node:assert/strict';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {after, before, test} from 'node:test';

import {startBrowser, withPage} from './page.mjs';
import {makeReport, writeFileHere} from './reports.mjs';

const kExamples = join(dirname(fileURLToPath(import.meta.url)), '../../../data/examples');

let browser;
let creature;
let causal;
let gqa;
let known;

before(async () => {
  browser = await startBrowser();
  creature = makeReport('pair-creature.html', join(kExamples, 'creature.json'));
  causal = makeReport('pair-causal.html', join(kExamples, 'causal.json'));
  gqa = makeReport('pair-gqa.html', join(kExamples, 'gqa.json'));
  known = makeReport('pair-known.html', writeFileHere('pair-known.json', JSON.stringify({
    tokens: ['a', 'b'], attention_weights: [[[[1, 0], [0.5, 0.5]]]]})));
});
after(() => browser.close());

const cellsOf = (page, key) =>
  page.locator(`.pairs-table tr[data-key="${key}"] td`).allTextContents();

test('every key has its products, score and weight; a key is pointed at and chosen', async () => {
  await withPage(browser, creature, {hash: '#L0H3,view=steps'}, async (page) => {
    await page.waitForSelector('.pair-view h3:has-text("Why does “it” (9) look at “creature” (2)?")');
    assert.equal(await page.locator('.pairs-table tbody tr').count(), 12);
    assert.deepEqual((await cellsOf(page, 2)).slice(1), ['28.00', '7.00', '0.99']);
    assert.match(await page.textContent('.pair-view .explain'), /add up to q · k/);
    await page.locator('.pairs-table tr[data-key="7"] canvas').hover({position: {x: 5, y: 8}});
    await page.waitForSelector('.pair-view h3:has-text("“berry” (7)")');
    await page.waitForSelector('.tip:has-text("3.50 × 1.00 = 3.50")');
    assert.equal(await page.textContent('[data-vector="k"]'), 'k of berry');
    await page.mouse.move(2, 2);
    await page.waitForSelector('.pair-view h3:has-text("“creature” (2)")');
    await page.focus('.pairs-table tr[data-key="2"] button');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    assert.match(page.url(), /q=9,k=3/);
    await page.click('.pair-query [data-token="1"]');
    await page.waitForSelector('.pair-view h3:has-text("Why does “fluffy” (1)")');
    assert.match(page.url(), /q=1/);
  });
});

test('masks and rotation are seen, and what hides a key', async () => {
  await withPage(browser, causal, {hash: '#L0H0,view=steps,q=3'}, async (page) => {
    await page.waitForSelector('.pairs-table th:has-text("after mask")');
    assert.deepEqual((await cellsOf(page, 5)).slice(-2), ['−∞', '0.00']);
  });
  await withPage(browser, gqa, {hash: '#view=steps,q=2', colorScheme: 'dark'}, async (page) => {
    await page.waitForSelector('.pair-view .explain:has-text("Queries, rotated")');
    assert.match(await page.textContent('.pair-view .explain'), /add up to q · k/);
    // Zero is dark on a dark page.
    const zero = await page.locator('.pairs-table thead canvas').first().evaluate((canvas) =>
      [...canvas.getContext('2d').getImageData(canvas.width - 9, 9, 1, 1).data]);
    assert.ok(Math.max(...zero.slice(0, 3)) < 80, String(zero));
    assert.equal(zero[3], 255);
  });
});

test('the rows fit small and large windows', async () => {
  for (const viewport of [{width: 1280, height: 720}, {width: 3840, height: 2160}]) {
    await withPage(browser, causal, {hash: '#view=steps', viewport}, async (page) => {
      await page.waitForSelector('.pairs-table tbody canvas');
      const overflow = await page.locator('.pair-body').evaluate((box) =>
        box.scrollWidth - box.clientWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      const widths = await page.locator('.pairs-table canvas').evaluateAll((all) =>
        all.map((canvas) => Math.round(canvas.getBoundingClientRect().width)));
      assert.ok(widths[0] > viewport.width / 3);
      assert.deepEqual([...new Set(widths)], [widths[0]], 'dimensions stand below each other');
    });
  }
});

test('weights that are known have no vectors to multiply', async () => {
  await withPage(browser, known, {hash: '#view=steps'}, async (page) => {
    await page.waitForSelector('.tab');
    assert.equal(await page.locator('.pair-view').count(), 0);
  });
});
