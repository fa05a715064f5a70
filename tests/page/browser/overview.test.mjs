// All heads at once: token lines, texts, and the table of scores.
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {startBrowser, withPage} from './page.mjs';
import {makeReport, writeFileHere} from './reports.mjs';

const kText = 'the creature found the apple because it was hungry';
const kLongPool = 10; // tokens of each cell of the small pictures of 300

let browser;
let plain;
let long;

// A head that looks at the token before it and one that looks at the first, of so many tokens.
function twoHeads(n) {
  const row = (q, key) => Array.from({length: n}, (_, k) => (k === key ? 1 : 0));
  const rows = (keyOf) => Array.from({length: n}, (_, q) => row(q, keyOf(q)));
  return {tokens: Array.from({length: n}, (_, i) => `w${i}`),
    attention_weights: [[rows((q) => Math.max(q - 1, 0)), rows(() => 0)]]};
}

before(async () => {
  browser = await startBrowser();
  plain = makeReport('overview.html', '--text', kText);
  long = makeReport('overview-long.html',
      writeFileHere('overview-long.json', JSON.stringify(twoHeads(300))));
});
after(() => browser.close());

// How much ink stands at some height of the right and of the left edge of a picture.
function inkAtEnds(page, head) {
  return page.locator(`.tile[data-head="${head}"] canvas`).evaluate((canvas) => {
    const {width, height} = canvas;
    const {data} = canvas.getContext('2d').getImageData(0, 0, width, height);
    const column = (x) => Array.from({length: height}, (_, y) => data[4 * (y * width + x) + 3]);
    const sum = (values) => values.reduce((a, b) => a + b, 0);
    const right = column(Math.round(width * 0.93));
    return {top: sum(right.slice(0, height / 4)), all: sum(right),
      left: sum(column(Math.round(width * 0.07)))};
  });
}

test('every head is seen as token lines, and a link says so', async () => {
  await withPage(browser, plain, {}, async (page) => {
    await page.click('.choice button:has-text("Token lines")');
    await page.waitForSelector('.tiles.as-lines .tile');
    assert.match(page.url(), /#tiles=lines$/);
    assert.equal(await page.locator('.tile').count(), 24);
    assert.equal(await page.locator('.tiles').getAttribute('aria-label'), 'Heads as token lines');
    await page.fill('.overview input[type=search]', 'L1');
    await page.locator('.tile >> nth=8').waitFor({state: 'detached'});
    assert.equal(await page.locator('.tile').count(), 8);
    await page.focus('.tile[data-head="L1H0"]');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.head-view canvas');
    assert.match(page.url(), /#L1H1,/);
    await page.goBack();
    await page.waitForSelector('.tiles.as-lines .tile');
  });
});

test('lines of a long input run to the keys that have the weights', async () => {
  for (const viewport of [{width: 1280, height: 720}, {width: 3840, height: 2160}]) {
    await withPage(browser, long, {hash: '#tiles=lines', viewport}, async (page) => {
      await page.waitForSelector('.tiles.as-lines .tile');
      await page.waitForTimeout(300);
      const first = await inkAtEnds(page, 'L0H1');
      assert.ok(first.left > 0);
      assert.equal(first.top, first.all, 'all lines end at the first key');
      const before = await inkAtEnds(page, 'L0H0');
      assert.ok(before.top > 0 && before.top < before.all / 2);
      const box = await page.locator('.tile canvas').first().boundingBox();
      const drawn = await page.locator('.tile canvas').first().evaluate((canvas) => canvas.width);
      assert.ok(drawn >= box.width - 8, 'as sharp as the screen');
    });
  }
});

const colorOf = (page, head, token) =>
  page.locator(`.text-tile[data-head="${head}"] .word[data-token="${token}"]`)
      .evaluate((word) => word.style.backgroundColor);

test('pointing at a token colours the text of every head, a click keeps it', async () => {
  await withPage(browser, plain, {}, async (page) => {
    await page.click('.choice button:has-text("Text")');
    await page.waitForSelector('.text-tile[data-head="L0H5"]:not([aria-busy]) .word');
    assert.equal(await page.locator('.text-tile').count(), 24);
    const before = await colorOf(page, 'L0H5', 5);
    await page.hover('.text-tile[data-head="L0H0"] .word[data-token="4"]');
    await page.waitForSelector('.texts-caption:has-text("“the” (4) attends to")');
    const hovered = await colorOf(page, 'L0H5', 5);
    assert.notEqual(hovered, before, 'the head of the next token looks at token 5');
    assert.notEqual(hovered, await colorOf(page, 'L0H0', 5), 'heads differ');
    await page.mouse.move(2, 2);
    await page.waitForSelector('.texts-caption:has-text("mean weight")');
    assert.equal(await colorOf(page, 'L0H5', 5), before);
    await page.click('.text-tile[data-head="L0H0"] .word[data-token="4"]');
    await page.mouse.move(2, 2);
    assert.match(page.url(), /#q=4,tiles=text$/);
    assert.equal(await colorOf(page, 'L0H5', 5), hovered);
    assert.equal(await page.locator('.word[aria-pressed="true"]').count(), 24);
    await page.click('.choice button:has-text("is attended by")');
    await page.waitForSelector('.texts-caption:has-text("mean weight")');
  });
});

test('texts are used by keyboard, and a link opens them', async () => {
  await withPage(browser, plain, {hash: '#q=4,tiles=text'}, async (page) => {
    await page.waitForSelector('.text-tile[data-head="L0H0"] .word[aria-pressed="true"]');
    assert.equal(await page.locator('.texts .word[tabindex="0"]').count(), 1);
    await page.focus('.texts .word[tabindex="0"]');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    const held = await page.evaluate(() => [document.activeElement.closest('.text-tile')
        .getAttribute('data-head'), document.activeElement.getAttribute('data-token')]);
    assert.deepEqual(held, ['L0H1', '5']);
    await page.waitForSelector('.texts-caption:has-text("(5) attends to")');
    await page.keyboard.press('Enter');
    assert.match(page.url(), /#q=5,tiles=text$/);
  });
});

test('of a long text a part is shown, its heads are read as they are needed', async () => {
  await withPage(browser, long, {hash: '#tiles=text,q=250'}, async (page) => {
    await page.waitForSelector('.texts-status:has-text("tokens 100 to 299 of 300")');
    await page.waitForSelector('.text-tile[data-head="L0H0"]:not([aria-busy])');
    assert.equal(await page.locator('.text-tile[data-head="L0H0"] .word').count(), 200);
    const colors = await Promise.all([249, 248].map((token) => colorOf(page, 'L0H0', token)));
    assert.notEqual(colors[0], colors[1], 'the weight is on the token before');
    await page.click('button:has-text("Earlier")');
    await page.waitForSelector('.texts-status:has-text("tokens 0 to 199 of 300")');
    await page.hover('.text-tile[data-head="L0H1"] .word[data-token="9"]');
    await page.waitForSelector('.tip:has-text("L0H1")');
    await page.waitForTimeout(100);
    assert.equal(await colorOf(page, 'L0H1', 0), colors[0]);
  });
});

test('the table of heads fits the window, its titles stand over its numbers', async () => {
  await withPage(browser, plain, {}, async (page) => {
    const table = page.locator('.heads-table');
    const overflow = () => page.locator('.heads-box .wide').evaluate((box) =>
      box.scrollWidth - box.clientWidth);
    assert.ok(await overflow() <= 0);
    const all = await table.locator('thead th').count();
    await page.click('.heads-box button:has-text("Show all")');
    assert.ok(await table.locator('thead th').count() > all);
    assert.ok(await overflow() > 0);
    const cells = await table.locator('tbody td').allTextContents();
    assert.ok(cells.includes('0.00'));
    assert.ok(cells.some((text) => /^−\d/.test(text)));
    for (const text of cells) assert.doesNotMatch(text, /-\d|−0\.00/);
    const aligns = await table.evaluate((element) => [...element.tHead.rows[0].cells].map((cell, i) =>
      [cell, element.tBodies[0].rows[0].cells[i]].map((one) => getComputedStyle(one).textAlign)));
    for (const [title, number] of aligns) assert.equal(title, number);
    await page.setViewportSize({width: 3840, height: 2160});
    await page.waitForSelector('.heads-box button:has-text("Show")', {state: 'hidden'});
    assert.ok(await overflow() <= 0);
  });
});

test('what is dropped with the first key of pooled cells is said', async () => {
  await withPage(browser, long, {hash: '#dropFirst=1'}, async (page) => {
    const label = () => page.locator('.check:has-text("Drop first")').first().textContent();
    await page.waitForSelector('.tile');
    assert.equal(await label(), `Drop first cell (tokens 0–${kLongPool - 1})`);
    await page.goto(`${page.url().split('#')[0]}#L0H0,dropFirst=1`);
    await page.waitForSelector('canvas.heatmap');
    assert.equal(await label(), 'Drop first');
  });
});
