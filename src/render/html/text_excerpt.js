// Which part of a long text is shown once for each head, and what is said of it.

import {isPooled} from './head_maps.js';
import {quotedToken} from './head_model.js';

export const kMostTextTokens = 200;

// The tokens [first, end) of a side with so many, from `start` on.
export function excerptOf(start, count) {
  const first = Math.max(0, Math.min(start, count - kMostTextTokens));
  return {first, end: Math.min(count, first + kMostTextTokens)};
}

// Where an excerpt starts that has a token: the same where it has it already, else around it.
export function startWithToken(start, token, count) {
  const {first, end} = excerptOf(start, count);
  if (token === null || token === undefined || (token >= first && token < end)) return first;
  return excerptOf(token - Math.floor(kMostTextTokens / 2), count).first;
}

// Columns get wider with the text, so that it is neither a thread nor a carpet. In em.
export function textColumnWidth(characters) {
  return Math.min(Math.max(9 + 0.9 * Math.sqrt(characters), 15), 29);
}

// What colours all the texts. `found` is {token, direction}, as in sentenceWeights().
export function textsCaption({token, direction}, input, isChosen) {
  if (token === null || token === undefined) {
    return 'The mean weight of each key. Point at a token to see its own weights in every head; ' +
      'a click keeps them.';
  }
  const name = quotedToken((direction === 'to' ? input.keyTokens : input.queryTokens)[token] ?? '');
  const what = direction === 'to' ? `What attends to “${name}” (${token})` :
    `Where “${name}” (${token}) attends to`;
  return `${what}, in every head${isChosen ? '. Click it again to let it go.' : '.'}`;
}

// What is not shown, and what is still being read.
export function textsStatus({waiting, input, start, map}) {
  const longest = Math.max(input.queryTokens.length, input.keyTokens.length);
  const {first, end} = excerptOf(start, longest);
  return [
    end - first < longest ? `tokens ${first} to ${end - 1} of ${longest}` : '',
    map && isPooled(map) ? `each weight is the ${input.poolKind || 'maximum'} of ` +
      `${map.rowPool} x ${map.colPool}` : '',
    waiting > 0 ? `reading the weights of ${waiting} more ${waiting === 1 ? 'head' : 'heads'} …` : '',
  ].filter(Boolean).join('; ');
}

// Columns for the heads of a layer where `fit` have room beside each other: its rows are of one
// length, so that no part of the window stays empty.
export function evenColumns(fit, perLayer) {
  const rows = Math.ceil(perLayer / Math.max(fit, 1));
  return Math.ceil(perLayer / rows);
}
