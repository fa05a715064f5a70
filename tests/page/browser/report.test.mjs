// The report of the bundled model and of inputs that try to break out of the page.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {after, before, test} from 'node:test';

import {startBrowser, withPage} from './page.mjs';
import {makeReport, writeFileHere} from './reports.mjs';

const kText = 'the creature found the apple because it was hungry';
const kHostile = ['</script><script>document.title="broken"</script>', '<!--<script>', '"\'`',
  '&amp;<b>', '\u2028\u2029', '\u202e\u2066abc', '\u0000\u0007', '${1}\\u003c', 'javascript:alert(1)'];

let browser;
let plain;
let two;
let hostile;

before(async () => {
  browser = await startBrowser();
  plain = makeReport('plain.html', '--text', kText);
  two = makeReport('two.html', '--text', 'the dog saw the cat', '--text', 'the dog saw the boy');
  hostile = makeReport('hostile.html', writeFileHere('hostile.json', JSON.stringify({
    id: kHostile.join(' '),
    tokens: kHostile,
    relations: [{name: '</script><img src=x onerror="document.title=1">', pairs: [[3, 1], [4, 1]]}],
    attention: {n_heads: 2},
  })));
});
after(() => browser.close());

test('the overview shows every head, and a click opens one', async () => {
  await withPage(browser, plain, {}, async (page) => {
    await page.waitForSelector('.tile');
    assert.equal(await page.locator('.tile').count(), 24);
    assert.equal(await page.locator('#static').isVisible(), false);
    await page.click('.tile[data-head="L1H3"]');
    await page.waitForSelector('.head-view canvas');
    assert.match(page.url(), /#L1H3$/);
    await page.goBack();
    await page.waitForSelector('.tile');
  });
});

test('heads are filtered and sorted', async () => {
  await withPage(browser, plain, {}, async (page) => {
    await page.fill('.overview input[type=search]', 'L2');
    await page.waitForFunction(() => document.querySelectorAll('.tile').length === 8);
    await page.fill('.overview input[type=search]', 'no such head');
    await page.waitForSelector('text=No head matches the filter.');
    await page.fill('.overview input[type=search]', '');
    await page.selectOption('.overview select >> nth=0', 'previous');
    await page.waitForSelector('.tile-label:has-text("previous")');
    const shown = await page.locator('.tile-label').allTextContents();
    const values = shown.map((text) => Number(text.split(' ').pop()));
    assert.deepEqual(values, [...values].sort((a, b) => b - a));
  });
});

test('a link restores the view, and pointing shows the exact value', async () => {
  await withPage(browser, plain, {hash: '#L2H0,q=3,scale=sqrt'}, async (page) => {
    await page.waitForSelector('.head-view canvas');
    const canvas = page.locator('.head-body canvas').first();
    await canvas.hover({position: {x: 200, y: 90}});
    await page.waitForSelector('.tip:not([hidden]) .tip-value');
    assert.match(await page.textContent('.tip .tip-value'), /\d/);
    assert.match(page.url(), /q=3/);
  });
});

test('every view of the tabs opens without a word on the console', async () => {
  for (const path of [plain, two, hostile]) {
    await withPage(browser, path, {}, async (page) => {
      await page.waitForSelector('.tab');
      const names = await page.locator('.tab').evaluateAll((tabs) =>
        tabs.map((tab) => tab.getAttribute('data-view')));
      for (const name of names) {
        await page.click(`.tab[data-view="${name}"]`);
        await page.waitForSelector(`.tab[data-view="${name}"][aria-current="page"]`);
        await page.waitForTimeout(150);
        assert.ok((await page.locator('.stage').innerText()).length > 0, name);
        const overflow = await page.evaluate(() =>
          document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(overflow <= 0, `${name} is ${overflow} px too wide`);
      }
    });
  }
});

test('two inputs are compared', async () => {
  await withPage(browser, two, {hash: '#L0H0,view=compare'}, async (page) => {
    await page.waitForSelector('.difference-view canvas');
    await page.waitForSelector('.difference-view h3:has-text("B − A"), .difference-view :text("B − A")');
  });
});

test('relations, similarity and contributions lead to the heads they speak of', async () => {
  await withPage(browser, plain, {hash: '#view=similarity'}, async (page) => {
    await page.click('.groups .head-link >> nth=0');
    await page.waitForSelector('.head-view canvas');
    await page.click('.tab[data-view="contribution"]');
    await page.click('.contribution .head-link >> nth=2');
    await page.waitForSelector('.head-view canvas');
    await page.click('.tab[data-view="steps"]');
    await page.waitForSelector('.step .formula');
  });
});

test('what tokens hold stays text', async () => {
  const html = readFileSync(hostile, 'utf8');
  for (const mark of ['<!--', '\u2028', '\u2029', '\u202e', '\u2066', '\u0000', '\u0007',
    '<script>document.title', '<img src=x']) {
    assert.equal(html.includes(mark), false, JSON.stringify(mark));
  }
  await withPage(browser, hostile, {}, async (page) => {
    await page.waitForSelector('.tile');
    assert.match(await page.title(), /^Attention: /);
    assert.equal(await page.evaluate(() => document.images.length), 1);
    const tokens = await page.evaluate(() => JSON.parse(
        document.getElementById('mha-report').textContent).inputs[0].queryTokens);
    assert.equal(tokens.length, kHostile.length);
    assert.equal(tokens[0], kHostile[0]);
    assert.equal(tokens[3], kHostile[3]);
    await page.click('.tab[data-view="relations"]');
    await page.waitForSelector('.relations .pairs .head-link');
  });
});

test('without scripts there are title, picture and the table of heads', async () => {
  for (const path of [plain, hostile]) {
    await withPage(browser, path, {javaScriptEnabled: false}, async (page) => {
      assert.match(await page.textContent('#static h1'), /^Attention: /);
      assert.equal(await page.locator('#static img').count(), 1);
      assert.ok((await page.locator('#static tbody tr').count()) >= 2);
      assert.ok(await page.locator('noscript').isVisible());
      const width = await page.locator('#static img').evaluate((image) => image.naturalWidth);
      assert.ok(width > 100);
    });
  }
});

test('a dark page is dark, and text keeps its contrast', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await withPage(browser, plain, {colorScheme}, async (page) => {
      await page.waitForSelector('.tile');
      const colors = await page.evaluate(() => {
        const style = getComputedStyle(document.documentElement);
        const names = ['--bg', '--fg', '--muted', '--accent', '--panel', '--warning'];
        return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name).trim()]));
      });
      const luminance = (hex) => {
        const parts = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const contrast = (a, b) => {
        const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
        return (high + 0.05) / (low + 0.05);
      };
      assert.equal(luminance(colors['--bg']) < 0.1, colorScheme === 'dark');
      for (const ground of ['--bg', '--panel']) {
        for (const ink of ['--fg', '--muted', '--accent', '--warning']) {
          const found = contrast(colors[ink], colors[ground]);
          assert.ok(found >= 4.5, `${ink} on ${ground}: ${found}`);
        }
      }
    });
  }
});

test('the page is used by keyboard alone', async () => {
  await withPage(browser, plain, {}, async (page) => {
    await page.waitForSelector('.tile');
    await page.focus('.tile[data-head="L0H0"]');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    const name = await page.evaluate(() => document.activeElement.getAttribute('data-head'));
    assert.equal(name, 'L1H1');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.head-view canvas');
    assert.match(page.url(), /#L1H1$/);
  });
});

test('tables of scores and weights in the steps name their keys', async () => {
  await withPage(browser, plain, {hash: '#L0H3,view=steps'}, async (page) => {
    const table = page.locator('.step:has(h3:has-text("Attention weights")) table');
    const names = await table.locator('thead tr > *').allTextContents();
    assert.equal(names.length, kText.split(' ').length + 2); // an empty corner and [bos]
    assert.deepEqual(names.slice(1), await table.locator('tbody th').allTextContents());
  });
});
