// Reports that the tests of browsers open, and what the program itself says of their sentences.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';

import {programSays, programSaysOfLines} from '../program.mjs';

export const folder = process.env.MHA_PAGE_FOLDER;

export function writeFileHere(name, text) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

export function makeReport(name, ...args) {
  const path = join(folder, name);
  execFileSync(process.env.MHA_PROGRAM, ['report', ...args, '-q', '--force', '-o', path]);
  return path;
}

// The weights of each sentence in the bundled model, [layer][head][query][key].
export function programWeights(sentences, name) {
  return programSaysOfLines(process.env.MHA_PROGRAM, sentences, join(folder, name))
      .map((document) => document.attention_weights);
}

// The steps of some heads for one sentence.
export function programSteps(sentence, heads) {
  return JSON.parse(programSays(process.env.MHA_PROGRAM, 'steps',
      ['--text', sentence, '--heads', heads]));
}

// The script of a report keeps everything to itself: a copy of the file that shows its report. The
// policy of the page names the hash of the script that was changed, so it is left out.
export function openedCopy(path, name) {
  const line = 'const report = openReport(document);';
  const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/;
  const html = readFileSync(path, 'utf8');
  assert.equal(html.split(line).length, 2);
  assert.match(html, policy);
  return writeFileHere(name, html.replace(policy, '').replace(line,
    'const report = window.openedReport = openReport(document);'));
}

// The largest difference of two nested arrays of the same shape; NaN where one has no number.
export function largestDifference(mine, theirs) {
  const [a, b] = [mine, theirs].map((weights) => weights.flat(Infinity));
  assert.equal(a.length, b.length);
  assert.ok(a.length > 0);
  return a.reduce((largest, value, i) => Math.max(largest,
    typeof value === 'number' ? Math.abs(value - b[i]) : NaN), 0);
}
