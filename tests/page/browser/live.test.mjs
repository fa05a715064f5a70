// Sentences typed into the live box in Chromium: the weights of the page against the program's.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {startBrowser, withPage} from './page.mjs';
import {largestDifference, makeReport, openedCopy, programSteps, programWeights} from './reports.mjs';

const kHeldOut = fileURLToPath(
  new URL('../../../data/models/toy/heldout-report.ndjson', import.meta.url));
const kOwn = 'the dog saw the cat';
const kOddSentences = [
  'The creature ate the berry because it was hungry.',
  'THE CREATURE ATE THE BERRIES BECAUSE THEY WERE RIPE!?!',
  'the zebra ate the quince',
  'the dog , the cat , the dog',
  '[bos] the dog[mask]the cat. [mask] .',
  'İstanbul ΣΑΣ straße naïve café',
  'don\'t re-do the well-known dog_cat 3 three',
  '</script><!-- "the" & \'cat\' -->',
  '狗 追 猫 , the cat 🐕!',
  'it',
];

function heldOutSentences(count) {
  return readFileSync(kHeldOut, 'utf8').trim().split('\n').slice(0, count)
    .map((line) => JSON.parse(line).tokens.join(' '));
}

// Types the sentences one by one and returns what the views were given for each: the weights,
// [layer][head][query][key].
function typedWeights(page, sentences) {
  return page.evaluate(async (texts) => {
    const box = document.getElementById('live-text');
    const all = [];
    for (const text of texts) {
      box.value = text;
      box.dispatchEvent(new Event('input'));
      const input = window.openedReport.inputs[0];
      if (input.text !== text) throw new Error(`the page did not read ${text}`);
      const layers = [];
      for (const head of input.heads) {
        const {values, rows, cols} = await head.load();
        (layers[head.layer] ||= [])[head.head] = Array.from({length: rows}, (_, r) =>
          [...values.subarray(r * cols, (r + 1) * cols)]);
      }
      all.push(layers);
    }
    return all;
  }, sentences);
}

let browser;
let path;
before(async () => {
  browser = await startBrowser();
  path = makeReport('live.html', '--text', kOwn);
});
after(() => browser.close());

test('100 typed sentences have the weights of the program', async () => {
  const sentences = [...kOddSentences, ...heldOutSentences(100 - kOddSentences.length)];
  assert.equal(sentences.length, 100);
  const expected = programWeights(sentences, 'live-sentences.txt');
  assert.equal(expected.length, 100);
  await withPage(browser, openedCopy(path, 'live-opened.html'), {}, async (page) => {
    await page.waitForFunction(() => document.querySelector('.live-words').textContent !== '');
    const typed = await typedWeights(page, sentences);
    const largest = Math.max(...typed.map((layers, s) => largestDifference(layers, expected[s])));
    console.log(`largest difference of a weight: ${largest.toExponential(1)}`);
    assert.ok(largest < 1e-4, `largest difference ${largest}`);
  });
});

test('title and heading follow what is typed, and come back', async () => {
  await withPage(browser, path, {}, async (page) => {
    const titles = async () => [await page.title(), await page.textContent('.page-head h1')];
    await page.waitForFunction(() => document.querySelector('.live-words').textContent !== '');
    const own = `Attention: ${kOwn}`;
    assert.deepEqual(await titles(), [own, own]);
    await page.fill('#live-text', 'A fox <b>slept</b>');
    const typed = 'Attention: A fox <b>slept</b>';
    assert.deepEqual(await titles(), [typed, typed]);
    await page.click('.live-back');
    assert.deepEqual(await titles(), [own, own]);
  });
});

test('steps and their question are there for what is typed, with the numbers of the program',
  async () => {
    const typed = 'the creature ate because it was hungry';
    const [head] = programSteps(typed, 'L2H5').heads;
    await withPage(browser, path, {hash: '#L2H5,view=steps'}, async (page) => {
      await page.waitForSelector('.pair-view h3');
      await page.waitForFunction(() => document.querySelector('.live-words').textContent !== '');
      await page.fill('#live-text', typed);
      const {query, key, query_token: from, key_token: to, weight} = head.pair;
      const question = (q, k) => `.pair-view h3:has-text("Why does “${head.pair.query_token}” ` +
          `(${q}) look at “${k.name}” (${k.at})?")`;
      await page.waitForSelector(question(query, {name: to, at: key}));
      const cells = await page.locator(`.pairs-table tr[data-key="${key}"] td`).allTextContents();
      assert.equal(cells.at(-1), weight.toFixed(2));
      assert.deepEqual(await page.locator('.step-list h3').allTextContents(),
          head.steps.map(({title}, i) => `${i + 1}. ${title}`));
      const worked = await page.locator('.worked').allTextContents();
      assert.deepEqual(worked, head.steps.flatMap((step) => step.worked || []));
      assert.ok(worked.some((line) => line.startsWith(`${from}: q[`)));
      assert.equal(await page.locator('.formula .scripts sub').first().textContent(), '5');
      assert.equal(await page.locator('.formula').nth(1).textContent(), 'WQ5 ∈ ℝdmodel × dk');
      // Another key is chosen, another sentence typed, and the file's own comes back.
      await page.click('.pairs-table tr[data-key="1"] button');
      await page.waitForSelector(question(query, {name: 'the', at: 1}));
      await page.fill('#live-text', 'the dog');
      await page.waitForSelector('.pairs-table tbody tr >> nth=2');
      assert.equal(await page.locator('.pairs-table tbody tr').count(), 3);
      await page.click('.live-back');
      await page.waitForSelector('.pair-view h3:has-text("“")');
      assert.equal(await page.locator('.pairs-table tbody tr').count(), 6);
    });
  });

test('the matrix of distances names its heads, and no two names meet', async () => {
  await withPage(browser, path, {hash: '#view=similarity'}, async (page) => {
    for (const [place, side] of [['.axis-rows', 'y'], ['.axis-columns', 'x']]) {
      await page.waitForSelector(`${place} span`);
      const boxes = await page.locator(`${place} span`).evaluateAll((names) =>
        names.map((name) => name.getBoundingClientRect().toJSON()));
      assert.equal(boxes.length, 24);
      const size = side === 'y' ? 'height' : 'width';
      boxes.slice(1).forEach((box, i) => assert.ok(boxes[i][side] + boxes[i][size] <= box[side]));
    }
  });
});
