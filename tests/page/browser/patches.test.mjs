// Attention on the patches of a picture, as a reader uses it.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {startBrowser, withPage} from './page.mjs';
import {makeReport, writeFileHere} from './reports.mjs';

// 2 x 1 pixels: red, and a transparent one that shows white.
const kPicture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAAD0lEQVR42mP4z8AARAwMAAz8Af/lhqjSAAAAAElF' +
    'TkSuQmCC', 'base64');

let browser;
let withPicture;
let bare;
let cross;

// CLS and 2 x 3 patches; row i gives 0.4 to key i in the first head, to key 6 - i in the second.
function sevenTokens() {
  const row = (at) => Array.from({length: 7}, (_, k) => (k === at ? 0.4 : 0.1));
  const rows = (place) => Array.from({length: 7}, (_, q) => row(place(q)));
  return {tokens: ['[CLS]', '1', '2', '3', '4', '5', '6'],
    attention_weights: [[rows((q) => q), rows((q) => 6 - q)]]};
}

before(async () => {
  browser = await startBrowser();
  const input = writeFileHere('patches.json', JSON.stringify(sevenTokens()));
  const picture = writeFileHere('patches.png', kPicture);
  const grid = ['--grid', '2x3', '--prefix', '1'];
  withPicture = makeReport('patches.html', input, ...grid, '--image', picture);
  bare = makeReport('bare-patches.html', input, ...grid);
  cross = makeReport('cross-patches.html', writeFileHere('words.json', JSON.stringify({
    tokens: ['a', 'house'], context: {tokens: ['0', '1', '2', '3', '4', '5']},
    attention_weights: [[[[0.5, 0.1, 0.1, 0.1, 0.1, 0.1], [0, 0, 0, 0, 0, 1]]]],
  })), '--grid', '2x3', '--image', picture);
});
after(() => browser.close());

// The places of cells on the canvas follow from its size: row labels at the left, bar at the right.
async function patchPoint(page, row, col) {
  const box = await page.locator('canvas.patches').first().boundingBox();
  return page.evaluate(([r, c, x, y]) => {
    const canvas = document.querySelector('canvas.patches');
    for (let dy = 4; dy < canvas.clientHeight; dy += 6) {
      for (let dx = 4; dx < canvas.clientWidth; dx += 6) {
        canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: x + dx, clientY: y + dy}));
        const tip = document.querySelector('.tip:not([hidden])');
        if (tip && tip.textContent.includes(`patch ${r},${c},`)) {
          canvas.dispatchEvent(new PointerEvent('pointerleave'));
          return {x: x + dx + 8, y: y + dy + 8};
        }
      }
    }
    return null;
  }, [row, col, box.x, box.y]);
}

test('a click on a patch chooses it, a second one lets it go', async () => {
  await withPage(browser, withPicture, {hash: '#L0H0'}, async (page) => {
    await page.waitForSelector('canvas.patches');
    assert.equal(await page.textContent('.grid-caption'), 'L0H0: the mean weight of each patch');
    assert.equal(await page.locator('.sentences').isVisible(), false);
    const {x, y} = await patchPoint(page, 1, 2);
    await page.mouse.click(x, y);
    await page.waitForSelector('.grid-caption:has-text("where patch 1,2 attends to")');
    assert.match(page.url(), /#L0H0,q=6$/);
    assert.match(await page.textContent('.grid-note'), /^Strongest \(row,column\): 1,2 \(0\.4\)/);
    await page.mouse.click(x, y);
    await page.mouse.move(2, 2);
    await page.waitForSelector('.grid-caption:has-text("the mean weight")');
    assert.match(page.url(), /#L0H0$/);
  });
});

test('tokens in front of the patches are buttons', async () => {
  await withPage(browser, withPicture, {hash: '#L0H0,q=3'}, async (page) => {
    await page.waitForSelector('.grid-tokens button');
    assert.equal(await page.locator('.grid-tokens button').count(), 1);
    assert.equal(await page.textContent('.grid-tokens button'), '[CLS]0.1');
    await page.click('.grid-tokens button');
    await page.waitForSelector('.grid-tokens button[aria-pressed="true"]');
    assert.match(page.url(), /#L0H0,q=0$/);
    assert.equal(await page.textContent('.grid-caption'), 'L0H0: where [CLS] attends to');
  });
});

test('a link restores query and direction, for several heads', async () => {
  await withPage(browser, withPicture, {hash: '#L0H0,L0H1,k=2,direction=to'}, async (page) => {
    await page.waitForSelector('.grid-panel >> nth=1');
    assert.deepEqual(await page.locator('.grid-caption').allTextContents(),
        ['L0H0: what attends to patch 0,1', 'L0H1: what attends to patch 0,1']);
    assert.match(await page.locator('.grid-note').nth(1).textContent(), /: 1,0 \(0\.4\)/);
    assert.equal(await page.locator('canvas.patches').count(), 2);
  });
});

test('patches are reached by keyboard', async () => {
  await withPage(browser, bare, {hash: '#L0H0'}, async (page) => {
    await page.waitForSelector('canvas.patches');
    await page.focus('canvas.patches');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter']) {
      await page.keyboard.press(key);
    }
    await page.waitForFunction(() => location.hash === '#L0H0,q=5');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => location.hash === '#L0H0');
  });
});

// How many pixels of the first canvas are not grey.
function coloredPixels(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector('canvas.patches');
    const half = Math.floor(canvas.width / 2);
    // Of a copy: browsers warn of canvases that are read again and again.
    const copy = new OffscreenCanvas(half, canvas.height).getContext('2d');
    copy.drawImage(canvas, 0, 0);
    const {data} = copy.getImageData(0, 0, half, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 0 && Math.max(data[i], data[i + 1], data[i + 2]) -
          Math.min(data[i], data[i + 1], data[i + 2]) > 40) ++count;
    }
    return count;
  });
}

test('the picture lies in grey under the weights, and alone in its colours', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const look = {hash: '#L0H0,q=1,colormap=viridis', colorScheme};
    await withPage(browser, withPicture, look, async (page) => {
      await page.waitForSelector('canvas.patches');
      await page.waitForTimeout(300);
      const weighted = await coloredPixels(page);
      await page.click('.grid-side input[type=checkbox]');
      await page.waitForFunction(() => location.hash.endsWith('overlay=0'));
      await page.waitForTimeout(200);
      const alone = await coloredPixels(page);
      assert.ok(weighted > 1000 && alone > 1000, `${weighted}, ${alone}`);
      assert.notEqual(weighted, alone);
    });
  }
});

test('words that attend to a picture keep their sentence', async () => {
  await withPage(browser, cross, {hash: '#L0H0,q=1'}, async (page) => {
    await page.waitForSelector('canvas.patches');
    assert.equal(await page.textContent('.grid-caption'), 'L0H0: where “house” (1) attends to');
    assert.match(await page.textContent('.grid-note'), /: 1,2 \(1\)\./);
    assert.equal(await page.locator('.sentence:visible').count(), 1);
    await page.click('.sentence .word:has-text("a")');
    await page.waitForSelector('.grid-caption:has-text("where “a” (0) attends to")');
  });
});

test('nothing is wider than the window, and scripts are not needed', async () => {
  for (const viewport of [{width: 700, height: 600}, {width: 1280, height: 720},
    {width: 3840, height: 2160}]) {
    await withPage(browser, withPicture, {hash: '#L0H0,L0H1', viewport}, async (page) => {
      await page.waitForSelector('canvas.patches');
      assert.ok(await page.evaluate(() =>
        document.documentElement.scrollWidth <= window.innerWidth));
    });
  }
  await withPage(browser, withPicture, {javaScriptEnabled: false}, async (page) => {
    assert.equal(await page.locator('#static img').count(), 2);
  });
});
