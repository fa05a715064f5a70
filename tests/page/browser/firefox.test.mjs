// The report in Firefox: what a reader does first, and that the numbers are the program's.
import assert from 'node:assert/strict';
import {after, afterEach, before, test} from 'node:test';

import {FirefoxPage, keys} from './firefox_page.mjs';
import {largestDifference, makeReport, openedCopy, programWeights, writeFileHere
} from './reports.mjs';

const kText = 'the creature found the apple because it was hungry';
const kTyped = ['the dog saw the cat', 'The zebra ate, because it was hungry.', 'it'];

let page;
let path;
let weights;

before(async () => {
  path = makeReport('firefox.html', '--text', kText);
  weights = programWeights([kText, ...kTyped], 'firefox-sentences.txt');
  page = await FirefoxPage.start(process.env.MHA_FIREFOX);
});
after(() => page?.quit());
afterEach(async () => assert.deepEqual(await page.takeTrouble(), []));

const address = () => page.run(() => location.hash);

// How many colours the pixels of a canvas have.
function colorsOf(selector) {
  return page.run((wanted) => {
    const canvas = document.querySelector(wanted);
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  }, selector);
}

// What the views are given for every head: {values, step}.
function decodedMaps() {
  return page.run(async () => {
    const {heads} = window.openedReport.inputs[0];
    const maps = await Promise.all(heads.map((head) => head.load()));
    return maps.map(({values, step}) => ({values: [...values], step}));
  });
}

test('errors, messages and requests of a page are heard', async () => {
  await page.open(writeFileHere('firefox-trouble.html', `<!doctype html><meta charset="utf-8">
    <script>console.log('a word'); fetch('http://127.0.0.1:8080/asked').catch(() => {});</script>
    <script>throw new Error('a fault');</script>`));
  const heard = [];
  await page.until(() => document.readyState === 'complete');
  for (const wanted of ['a word', 'a fault', 'request: http://127.0.0.1:8080/asked']) {
    for (let i = 0; i < 200 && !heard.join('\n').includes(wanted); ++i) {
      heard.push(...await page.takeTrouble());
    }
    assert.ok(heard.join('\n').includes(wanted), `${wanted} in ${heard}`);
  }
});

test('the overview shows every head, and a click opens one', async () => {
  await page.open(path);
  await page.until(() => document.querySelectorAll('.tile').length === 24);
  assert.equal(await page.run(() => getComputedStyle(document.getElementById('static')).display),
    'none');
  assert.ok(await colorsOf('.tile[data-head="L1H3"] canvas') > 4);
  await page.click('.tile[data-head="L1H3"]');
  await page.exists('.head-view canvas.heatmap');
  assert.equal(await address(), '#L1H3');
  await page.until(() => document.querySelector('canvas.heatmap').width > 400);
  assert.ok(await colorsOf('canvas.heatmap') > 20);
  assert.ok(await colorsOf('canvas.lines') > 20);
  await page.run(() => history.back());
  await page.exists('.tile');
});

test('the decoded heads are the weights of the program', async () => {
  await page.open(openedCopy(path, 'firefox-opened.html'));
  await page.exists('.tile');
  const decoded = await decodedMaps();
  const expected = weights[0].flat();
  assert.equal(decoded.length, expected.length);
  decoded.forEach(({values, step}, i) => {
    assert.ok(step < 0.005);
    const largest = largestDifference(values, expected[i]);
    assert.ok(largest <= step + 1e-6, `head ${i}: ${largest} beside a step of ${step}`);
  });
});

test('a link restores a view, and pointing shows the value of the cell', async () => {
  await page.open(path, '#L2H0,q=3,scale=sqrt');
  await page.exists('.head-view canvas.heatmap');
  await page.until(() => document.querySelector('canvas.heatmap').width > 400);
  assert.equal(await address(), '#L2H0,q=3,scale=sqrt');
  assert.equal(await page.run(() => document.querySelectorAll('.word.chosen').length), 1);
  await page.point('canvas.heatmap', 0.35, 0.55);
  const tip = await page.until(() => document.querySelector('.tip:not([hidden])')?.innerText);
  const [, value, error, query, key] =
    /^([\d.]+) ± ([\d.]+)\s+query (\d+): \S+\s+key (\d+): \S+$/.exec(tip);
  assert.notEqual(query, key);
  const difference = Math.abs(value - weights[0][2][0][query][key]);
  assert.ok(difference <= Number(error), `${tip}: ${difference}`);
});

test('typed sentences have the weights of the program', async () => {
  await page.open(openedCopy(path, 'firefox-opened.html'));
  await page.until(() => document.querySelector('.live-words').textContent !== '');
  for (const [i, sentence] of kTyped.entries()) {
    await page.type('#live-text', sentence);
    await page.until((text) => document.title === `Attention: ${text}`, sentence);
    const maps = await decodedMaps();
    const largest = largestDifference(maps.map(({values}) => values), weights[i + 1]);
    assert.ok(largest < 1e-4, `${sentence}: ${largest}`);
  }
});

test('the page is used by keyboard alone', async () => {
  await page.open(path);
  await page.exists('.tile');
  await page.run(() => document.querySelector('.tile[data-head="L0H0"]').focus());
  await page.press(keys.right, keys.down);
  assert.equal(await page.run(() => document.activeElement.getAttribute('data-head')), 'L1H1');
  await page.press(keys.enter);
  await page.exists('.head-view canvas.heatmap');
  assert.equal(await address(), '#L1H1');
});

test('every view of the tabs opens, in light and dark, and is no wider than the window', async () => {
  const grounds = [];
  for (const isDark of [false, true]) {
    await page.setDark(isDark);
    await page.open(path);
    await page.exists('.tab');
    const names = await page.run(() =>
      [...document.querySelectorAll('.tab')].map((tab) => tab.getAttribute('data-view')));
    assert.ok(names.length >= 6, names.join());
    for (const name of names) {
      await page.click(`.tab[data-view="${name}"]`);
      await page.exists(`.tab[data-view="${name}"][aria-current="page"]`);
      await page.until(() => document.querySelector('.stage').innerText.length > 0);
      const overflow = await page.run(() =>
        document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${name} is ${overflow} px too wide`);
    }
    grounds.push(await page.run(() => getComputedStyle(document.body).backgroundColor));
  }
  assert.deepEqual(grounds, ['rgb(255, 255, 255)', 'rgb(21, 24, 28)']);
});
