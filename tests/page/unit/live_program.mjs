// The model that the page carries, and what the program says of the same sentences.
//   MHA_BINARY              the program (build/release/mha-viz)
//   MHA_WRITE_LIVE_PAYLOAD  the test program that writes what the page gets
import {execFileSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

import {createLiveModel} from '../../../src/render/html/live_input.js';
import {programSays, programSaysOfLines} from '../program.mjs';
import {scratchFolder} from '../scratch.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const binary = process.env.MHA_BINARY || join(root, 'build/release/mha-viz');
const writer = process.env.MHA_WRITE_LIVE_PAYLOAD || join(root, 'build/release/write_live_payload');
export const skip = existsSync(binary) && existsSync(writer) ? false : 'the programs are not built';

let scratch = null;
function folder() {
  scratch ||= scratchFolder('mha-live-');
  return scratch;
}

let model = null;
export function liveModel() {
  if (model === null) {
    execFileSync(writer, [folder()]);
    const facts = JSON.parse(readFileSync(join(folder(), 'facts.json'), 'utf8'));
    model = createLiveModel(facts, new Uint8Array(readFileSync(join(folder(), 'tensors'))));
  }
  return model;
}

export function saysOf(command, args) {
  return programSays(binary, command, args);
}

export function saysOfLines(sentences) {
  return programSaysOfLines(binary, sentences, join(folder(), 'sentences.txt'));
}

export const kOddSentences = [
  'The creature ate the berry because it was hungry.',
  'THE CREATURE ATE THE BERRIES BECAUSE THEY WERE RIPE!?!',
  'the zebra ate the quince',
  'the dog , the cat , the dog',
  'the the the the',
  'it',
  '.',
  'the dog. the cat.',
  'the dog . . .',
  'the dog...    ',
  'the [mask] chased the cat',
  '[bos] the dog[mask]the cat. [mask] .',
  'the dog! [mask] the cat?',
  '[unk] [pad] [nope] [MASK]',
  'the\u00a0dog\u2003chased\u3000the cat',
  'İstanbul ΣΑΣ ẞ straße naïve café',
  'cafe\u0301 e\u0301 \u200d \u24b6',
  '狗 追 猫 , the cat',
  '👩‍👩‍👧 the dog 🐕!',
  '</script><!-- "the" & \'cat\' -->',
  'don\'t re-do the well-known dog_cat 3 three',
  'the dog\u2028chased\u0085the cat.',
  '\u202ethe dog\u202c \u0007 \u007f',
  'ﬁsh Ⅷ ² ½ ٣ the',
  'emma , max and nina chased the dog , the cat and emma',
];

export function heldOutSentences(count) {
  return readFileSync(join(root, 'data/models/toy/heldout-report.ndjson'), 'utf8')
    .trim()
    .split('\n')
    .slice(0, count)
    .map((line) => JSON.parse(line).tokens.join(' '));
}
