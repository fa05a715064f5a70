// The tokenizer of the model in the page, read from the same tokenizer.json as the program does
// (src/text). It knows the parts that this model uses and refuses others by name.

// A text while it is normalised: each UTF-16 unit of `text` stands for [starts[i], ends[i]) of what
// was typed.
function alignedText(text, offset) {
  const starts = new Array(text.length);
  const ends = new Array(text.length);
  for (const {at, end} of characterSpans(text)) {
    for (let i = at; i < end; ++i) {
      starts[i] = offset + at;
      ends[i] = offset + end;
    }
  }
  return {text, starts, ends};
}

function* characterSpans(text) {
  for (let at = 0; at < text.length; ) {
    const end = at + (text.codePointAt(at) > 0xffff ? 2 : 1);
    yield {at, end, character: text.slice(at, end)};
    at = end;
  }
}

function sliceAligned(aligned, begin, end) {
  return {
    text: aligned.text.slice(begin, end),
    starts: aligned.starts.slice(begin, end),
    ends: aligned.ends.slice(begin, end),
  };
}

function appendAligned(to, text, start, end) {
  to.text += text;
  for (let i = 0; i < text.length; ++i) {
    to.starts.push(start);
    to.ends.push(end);
  }
}

// Each character in small letters by itself, as the program does: no rule looks at its neighbours.
function lowercaseAligned(aligned) {
  const out = {text: '', starts: [], ends: []};
  for (const {at, end, character} of characterSpans(aligned.text)) {
    appendAligned(out, character.toLowerCase(), aligned.starts[at], aligned.ends[end - 1]);
  }
  return out;
}

// What replaces a match counts as its last character.
function replaceAligned(aligned, pattern, content) {
  const out = {text: '', starts: [], ends: []};
  let last = 0;
  const copy = (begin, end) => {
    for (let i = begin; i < end; ++i) {
      appendAligned(out, aligned.text[i], aligned.starts[i], aligned.ends[i]);
    }
  };
  for (const match of aligned.text.matchAll(pattern)) {
    copy(last, match.index);
    last = match.index + match[0].length;
    if (last > 0) appendAligned(out, content, aligned.starts[last - 1], aligned.ends[last - 1]);
  }
  copy(last, aligned.text.length);
  return out;
}

function refusePart(what, kind) {
  throw new Error(`this page cannot use the tokenizer: ${what} '${kind}' is not implemented here`);
}

// A pattern of Oniguruma as one of JavaScript: $ stands for the end of a line, \s for what Unicode
// calls white space. Others of its own signs are refused.
export function javascriptPattern(pattern) {
  let out = '';
  for (let i = 0; i < pattern.length; ++i) {
    const c = pattern[i];
    if (c === '\\') {
      const next = pattern[++i];
      if (next === 's') out += '\\p{White_Space}';
      else if (/[.!?*+()[\]{}|^$\\/]/.test(next)) out += `\\${next}`;
      else refusePart('the pattern', pattern);
    } else if (c === '$') {
      out += '(?![^\\n])';
    } else if (c === '^' && pattern[i - 1] !== '[') {
      refusePart('the pattern', pattern);
    } else {
      out += c;
    }
  }
  return new RegExp(out, 'gu');
}

function escapedPattern(text) {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gu');
}

// The steps of a normalizer, each from aligned text to aligned text.
function normalizerSteps(config) {
  if (config === null) return [];
  if (config.type === 'Sequence') return config.normalizers.flatMap(normalizerSteps);
  if (config.type === 'Lowercase') return [lowercaseAligned];
  if (config.type === 'Replace') {
    const {Regex: regex, String: string} = config.pattern;
    const pattern = regex === undefined ? escapedPattern(string) : javascriptPattern(regex);
    return [(aligned) => replaceAligned(aligned, pattern, config.content)];
  }
  return refusePart('the normalizer', config.type);
}

// Letters in circles and squares are symbols, and alphabetic.
const kWordCharacter = new RegExp(
  '[\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}\\u200c\\u200d\\u24b6-\\u24e9' +
    '\\u{1f130}-\\u{1f149}\\u{1f150}-\\u{1f169}\\u{1f170}-\\u{1f189}]',
  'u'
);
const kWhiteSpace = /\p{White_Space}/u;

// Runs of word characters and runs of what is neither word nor white space.
function wordRuns(text) {
  const runs = [];
  let lastKind = 'space';
  for (const {at, end, character} of characterSpans(text)) {
    let kind = 'other';
    if (kWhiteSpace.test(character)) kind = 'space';
    else if (kWordCharacter.test(character)) kind = 'word';
    if (kind !== 'space' && kind === lastKind) runs[runs.length - 1].end = end;
    else if (kind !== 'space') runs.push({begin: at, end});
    lastKind = kind;
  }
  return runs;
}

// Added tokens are looked for in the text as it was typed: the longest at the first place.
function checkAddedTokens(tokens) {
  for (const token of tokens) {
    if (token.single_word || token.lstrip || token.rstrip || token.normalized) {
      refusePart('the way to find the added token', token.content);
    }
  }
  return [...tokens].sort((a, b) => b.content.length - a.content.length);
}

function* addedTokenSplits(text, added) {
  let begin = 0;
  for (let at = 0; at < text.length; ) {
    const token = added.find(({content}) => text.startsWith(content, at));
    if (token === undefined) {
      ++at;
      continue;
    }
    if (begin < at) yield {begin, end: at, token: null};
    begin = at + token.content.length;
    yield {begin: at, end: begin, token};
    at = begin;
  }
  if (begin < text.length) yield {begin, end: text.length, token: null};
}

// The ids that a template puts in front of a text and behind it.
function templateOf(postProcessor) {
  const around = {before: [], after: []};
  if (postProcessor === null) return around;
  if (postProcessor.type !== 'TemplateProcessing') {
    refusePart('the post-processor', postProcessor.type);
  }
  let side = around.before;
  for (const piece of postProcessor.single) {
    if (piece.Sequence !== undefined) side = around.after;
    else side.push(...postProcessor.special_tokens[piece.SpecialToken.id].ids);
  }
  return around;
}

// A token as a label shows it: space marks as a middle dot, line ends and control characters spelt.
export function liveTokenLabel(token) {
  return token
    .replace(/^[\u2581\u0120]+/, (marks) => '\u00b7'.repeat(marks.length))
    .replace(/\u0120/g, '\u00b7')
    .replace(/[\n\u010a]/g, '\u23ce')
    .replace(/[\t\u0109]/g, '\u21e5')
    .replace(/\p{Cc}/gu, (c) => {
      const hex = c.charCodeAt(0).toString(16).toUpperCase();
      return `\\x${hex.padStart(2, '0')}`;
    });
}

// Nothing but punctuation, with or without a space mark in front or "##".
export function isLivePunctuation(token) {
  return /^(##(?=.))?[\u2581\u0120]*\p{P}+$/u.test(token);
}

// `config`: a parsed tokenizer.json. Returns {vocabulary, encode(text)}; encode gives tokens (of
// unknown words: what was typed), ids, spans ([begin, end) of the text in UTF-16 units; [0, 0] for
// what the template added) and the words that it does not know.
export function createTokenizer(config) {
  const {model} = config;
  if (model.type !== 'WordLevel') refusePart('the model', model.type);
  if (config.pre_tokenizer.type !== 'Whitespace') {
    refusePart('the pre-tokenizer', config.pre_tokenizer.type);
  }
  const vocabulary = new Map(Object.entries(model.vocab));
  const added = checkAddedTokens(config.added_tokens);
  const pieces = new Map([...vocabulary].map(([piece, id]) => [id, piece]));
  for (const token of added) pieces.set(token.id, token.content);
  const steps = normalizerSteps(config.normalizer);
  const around = templateOf(config.post_processor);
  const unknownId = vocabulary.get(model.unk_token);

  function encode(text) {
    const out = {tokens: [], ids: [], spans: [], unknown: []};
    const push = (id, begin, end, token = pieces.get(id)) => {
      out.ids.push(id);
      out.tokens.push(token);
      out.spans.push([begin, end]);
    };
    const pushWords = (aligned) => {
      for (const run of wordRuns(aligned.text)) {
        const id = vocabulary.get(aligned.text.slice(run.begin, run.end));
        const begin = aligned.starts[run.begin];
        const end = aligned.ends[run.end - 1];
        if (id === undefined) {
          out.unknown.push(text.slice(begin, end));
          push(unknownId, begin, end, text.slice(begin, end));
        } else {
          push(id, begin, end);
        }
      }
    };
    for (const id of around.before) push(id, 0, 0);
    for (const {begin, end, token} of addedTokenSplits(text, added)) {
      if (token !== null) {
        push(token.id, begin, end);
        continue;
      }
      let aligned = sliceAligned(alignedText(text, 0), begin, end);
      for (const step of steps) aligned = step(aligned);
      pushWords(aligned);
    }
    for (const id of around.after) push(id, 0, 0);
    return out;
  }
  return {vocabulary, encode};
}
