// The file that the program writes: the same each time, safe to overwrite, allowed by its own policy.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'node:test';
import {inflateSync} from 'node:zlib';

import {scratchFolder} from '../scratch.mjs';

const folder = scratchFolder('mha-viz-report-');
const kWords = ['--text', 'the creature found the apple'];

function run(...args) {
  return spawnSync(process.env.MHA_PROGRAM, args, {encoding: 'buffer', cwd: folder,
    maxBuffer: 1 << 28});
}

function report(name, ...args) {
  const result = run('report', ...args, '-q', '-o', name);
  assert.equal(result.status, 0, String(result.stderr));
  return readFileSync(join(folder, name), 'utf8');
}

function factsOf(html) {
  return JSON.parse(/id="mha-report">([^<]*)<\/script>/.exec(html)[1]);
}

function blockOf(html, id) {
  const [, text] = new RegExp(`id="${id}">([^<]*)</script>`).exec(html);
  return inflateSync(Buffer.from(text, 'base64'));
}

test('the same bytes come from every run, any number of threads, and to a pipe', () => {
  const first = report('a.html', ...kWords);
  assert.equal(report('b.html', ...kWords, '--threads', '1'), first);
  const piped = run('report', ...kWords, '-q', '-o', '-');
  assert.equal(piped.stdout.toString('utf8'), first);
});

test('the policy allows the script of the page and nothing else', () => {
  const html = report('policy.html', ...kWords);
  const [, hash] = /script-src 'sha256-([^']*)'/.exec(html);
  const [, script] = /<script>([^]*?)<\/script>/.exec(html);
  assert.equal(createHash('sha256').update(script).digest('base64'), hash);
  assert.match(html, /default-src 'none'/);
  assert.equal(html.match(/<script>/g).length, 1);
  assert.doesNotMatch(html.replace(script, ''), /(src|href)="(?!data:image\/png;base64,)/);
});

test('a file that is no report is not overwritten without --force', () => {
  writeFileSync(join(folder, 'mine.html'), 'my own page');
  const refused = run('report', ...kWords, '-o', 'mine.html');
  assert.equal(refused.status, 4);
  assert.match(String(refused.stderr), /mine\.html: exists and was not written by mha-viz report/);
  assert.equal(readFileSync(join(folder, 'mine.html'), 'utf8'), 'my own page');
  assert.equal(run('report', ...kWords, '-q', '--force', '-o', 'mine.html').status, 0);
  assert.equal(run('report', ...kWords, '-q', '-o', 'mine.html').status, 0);
});

test('an input is never overwritten', () => {
  writeFileSync(join(folder, 'in.json'), '{"tokens": ["a", "b"]}');
  assert.equal(run('report', 'in.json', '--force', '-o', 'in.json').status, 2);
});

test('exact values are those of the input; eight bits are near them', () => {
  const weights = [[[[1, 0], [0.3, 0.7]]]];
  writeFileSync(join(folder, 'known.json'), JSON.stringify({tokens: ['a', 'b'],
    attention_weights: weights}));
  const exact = blockOf(report('exact.html', 'known.json', '--exact'), 'h0-0');
  assert.equal(exact.length, 4 * 5);
  assert.equal(exact.readFloatLE(8), Math.fround(0.3));
  const coded = blockOf(report('coded.html', 'known.json'), 'h0-0');
  assert.ok(Math.abs(coded.readFloatLE(4) - 0.7) < 1e-6);
  const value = coded.readFloatLE(4) * (coded[10] / 253) ** 2;
  assert.ok(Math.abs(value - 0.3) < 0.004);
});

test('what tokens, ids and titles hold is written so that it stays text', () => {
  const token = '</script><!--&\u2028\u202e"\'\u0000';
  writeFileSync(join(folder, 'hostile.json'), JSON.stringify({id: token, tokens: [token, 'b']}));
  const html = report('hostile.html', 'hostile.json', '--title', token.replace('\u0000', ''));
  for (const mark of ['<!--', '\u2028', '\u202e', '\u0000']) {
    assert.equal(html.includes(mark), false, JSON.stringify(mark));
  }
  const facts = factsOf(html);
  assert.equal(facts.title, token.replace('\u0000', ''));
  assert.ok(facts.inputs[0].queryTokens.some((shown) => shown.startsWith('</script><!--&')));
});

test('long inputs are pooled, and a part of them is kept sharp', () => {
  const n = 1500;
  const weights = [[Array.from({length: n}, (_, q) => Array.from({length: n}, (_, k) =>
    (k === q ? 1 : 0)))]];
  writeFileSync(join(folder, 'long.json'), JSON.stringify({
    tokens: Array.from({length: n}, (_, i) => `t${i}`), attention_weights: weights}));
  const html = report('long.html', 'long.json', '--sharp', '100-199', '--analysis', 'none');
  const [head] = factsOf(html).inputs[0].heads;
  assert.equal(/"rowPool":(\d+)/.exec(html)[1], '2');
  assert.match(html, /"sharp":\{"block":"s0-0","rows":100,"cols":100,"rowPool":1,"colPool":1,"rowStart":100/);
  assert.equal(head.name, 'L0H0');
  const sharp = blockOf(html, 's0-0');
  assert.equal(sharp[400 + 5 * 100 + 5], 253);
  assert.equal(sharp[400 + 5 * 100 + 6], 0);
});

test('wrong use is said so', () => {
  assert.equal(run('report', ...kWords).status, 2);
  assert.equal(run('report', ...kWords, '-o', '').status, 2);
  assert.equal(run('report', 'missing.json', '-o', 'x.html').status, 3);
  assert.equal(run('report', ...kWords, '--heads', 'L9H9', '-o', 'x.html').status, 2);
  assert.equal(run('report', ...kWords, '-o', 'no/such/folder/x.html').status, 4);
});
