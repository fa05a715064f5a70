// Every negative number of the page has a minus sign, not a hyphen; what is copied out keeps ASCII.
import assert from 'node:assert/strict';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {after, before, test} from 'node:test';

import {startBrowser, withPage} from './page.mjs';
import {makeReport, writeFileHere} from './reports.mjs';

const kExamples = join(dirname(fileURLToPath(import.meta.url)), '../../../data/examples');
const kViews = ['overview', 'head', 'compare', 'similarity', 'contribution', 'steps'];

let browser;
const reports = [];

before(async () => {
  browser = await startBrowser();
  reports.push(makeReport('minus-toy.html', '--text', 'the dog chased the cat'));
  reports.push(makeReport('minus-gqa.html', join(kExamples, 'gqa.json')));
  // Exponents in formulas and in arithmetic.
  const tokens = ['a', 'b', 'c', 'd'];
  reports.push(makeReport('minus-rule.html', writeFileHere('minus-rule.json', JSON.stringify({
    tokens, embeddings: tokens.map((_, t) => tokens.map((_, d) => 1e-4 * Math.sin(t + 3 * d))),
    attention: {n_heads: 2, scale: 2.5e-7, temperature: 1e-7}, weights: {random: {seed: 1}}}))));
});
after(() => browser.close());

// Texts, hints and names of the page that hold a number behind a hyphen.
function hyphens(page) {
  return page.evaluate(() => {
    const found = [];
    const take = (text) => {
      if (/(^|[^\p{L}\p{N}])-[\d.∞]|\de-\d/u.test(text)) found.push(text);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (!walker.currentNode.parentElement.closest('script, style')) {
        take(walker.currentNode.textContent);
      }
    }
    for (const element of document.querySelectorAll('[title], [aria-label]')) {
      take(element.title);
      take(element.getAttribute('aria-label') || '');
    }
    return found;
  });
}

test('no view writes a hyphen for a minus', async () => {
  let nMinus = 0;
  for (const path of reports) {
    for (const view of kViews) {
      await withPage(browser, path, {hash: `#view=${view}`}, async (page) => {
        await page.waitForSelector('.stage > *');
        await page.waitForTimeout(100);
        assert.deepEqual(await hyphens(page), [], `${view} of ${path}`);
        nMinus += ((await page.textContent('.stage')).match(/−\d/g) || []).length;
      });
    }
  }
  assert.ok(nMinus > 100, String(nMinus));
});

test('formulas, sentences and arithmetic of the steps have it, too', async () => {
  await withPage(browser, reports[2], {hash: '#view=steps'}, async (page) => {
    await page.waitForSelector('.step .formula');
    const formulas = await page.locator('.formula').allTextContents();
    assert.ok(formulas.includes('Z = 2.5e−07 · S'), formulas.join());
    assert.ok(formulas.includes('Z ← Z / 1e−07'), formulas.join());
    const worked = (await page.locator('.worked').allTextContents()).join('\n');
    assert.match(worked, /−\d\.\de−\d\d/);
  });
});
