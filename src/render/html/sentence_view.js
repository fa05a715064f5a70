// The sentence itself, each token coloured by its weight from or to the chosen token. A click (or
// Enter) chooses another one.
//
// createSentenceView(host, {onSelect(side, token), onHover(side, token | null, event)})

import {colorAt, cssColor, textOn} from './colors.js';
import {quotedToken, visibleToken} from './head_model.js';
import {makeElement} from './page_parts.js';
import {exactText, makeValueScale, symmetricRange} from './scales.js';
import {isSelfAttention, piecesOfSide, sentenceWeights} from './sentence_pieces.js';

// Tokens as buttons in running text: the element of each token.
export function fillTokenLine(line, pieces) {
  const elements = [];
  for (const piece of pieces) {
    if (piece.token === null) {
      line.append(document.createTextNode(piece.text));
      continue;
    }
    const element = makeElement('span', {role: 'button', tabindex: '-1', 'data-token': piece.token,
      class: piece.isName ? 'word named' : 'word'},
    piece.isName ? visibleToken(piece.text) : piece.text);
    elements[piece.token] = element;
    line.append(element);
    if (piece.isApart) line.append(document.createTextNode(' '));
  }
  return elements;
}

function makeTokenLine(side, input, handlers) {
  const line = makeElement('p', {class: 'sentence', dir: 'auto'});
  const elements = fillTokenLine(line, piecesOfSide(side, input));
  listenToTokens(line, elements, side, handlers);
  return {side, line, elements};
}

function listenToTokens(line, elements, side, handlers) {
  const tokenOf = (event) => {
    const element = event.target.closest('[data-token]');
    return element ? Number(element.getAttribute('data-token')) : null;
  };
  let hovered = null;
  line.addEventListener('click', (event) => {
    if (tokenOf(event) !== null) handlers.onSelect(side, tokenOf(event));
  });
  line.addEventListener('pointermove', (event) => {
    const token = tokenOf(event);
    if (token === hovered && token === null) return;
    hovered = token;
    handlers.onHover(side, token, event);
  });
  line.addEventListener('pointerleave', (event) => {
    hovered = null;
    handlers.onHover(side, null, event);
  });
  line.addEventListener('keydown', (event) => {
    const token = tokenOf(event);
    if (token === null) return;
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (step) {
      const next = elements[token + step];
      if (next) focusToken(elements, next);
    } else if (event.key === 'Enter' || event.key === ' ') {
      handlers.onSelect(side, token);
    } else return;
    event.preventDefault();
  });
}

// One token of a line is reached by Tab, the others by arrows.
export function focusToken(elements, element, focus = true) {
  for (const other of elements) {
    if (other && other !== element && other.tabIndex === 0) other.tabIndex = -1;
  }
  if (element.tabIndex !== 0) element.tabIndex = 0;
  if (focus) element.focus();
}

export function sentenceCaption(one, input, found) {
  if (found.token === null) {
    return `${one.name}: the mean weight of each key. Choose a token to see its own weights.`;
  }
  const tokens = found.direction === 'to' ? input.keyTokens : input.queryTokens;
  const name = `“${quotedToken(tokens[found.token] ?? '')}” (${found.token})`;
  const nothing = found.weights.some((weight) => !Number.isNaN(weight)) ? '' :
    ': nothing, every cell is masked';
  return found.direction === 'to' ? `${one.name}: what attends to ${name}${nothing}` :
    `${one.name}: where ${name} attends to${nothing}`;
}

// The heatmap's own scale; one up to the largest weight for means, and where rows have their own.
function sentenceScale(found, {colors, state}) {
  const {signed, kind} = colors;
  const isOwn = found.token === null || (!signed && state.norm === 'row');
  if (!isOwn) return makeValueScale({kind, low: signed ? colors.low : 0, high: colors.high});
  const largest = found.weights.reduce((a, b) => Math.max(a, Math.abs(b) || 0), 0);
  return makeValueScale(signed ? symmetricRange(largest) : {kind, low: 0, high: largest});
}

// `line` is {side, elements}, `show` {table, colors, state, firstCol}.
export function paintTokenLine(line, found, show, isSelf) {
  const colored = isSelf || line.side === found.side;
  const scale = sentenceScale(found, show);
  line.elements.forEach((element, token) => {
    const weight = found.weights[token];
    const chosen = token === found.token && (isSelf || line.side !== found.side);
    const dropped = found.side === 'key' && token < show.firstCol;
    const has = colored && Number.isFinite(weight) && !dropped;
    paintToken(element, {color: has ? colorAt(show.table, scale.position(weight)) : null, chosen,
      masked: colored && !has});
  });
}

// Touches the page only where something changes: most tokens of a long text stay as they are.
function paintToken(element, {color, chosen, masked}) {
  const key = `${color ? color.join() : ''}|${chosen}|${masked}`;
  if (element.paintKey === key) return;
  element.paintKey = key;
  element.style.backgroundColor = color ? cssColor(color) : '';
  element.style.color = color ? cssColor(textOn(color)) : '';
  element.className = element.className.replace(/ (chosen|masked)/g, '') +
      (chosen ? ' chosen' : '') + (masked ? ' masked' : '');
  element.setAttribute('aria-pressed', String(chosen));
}

// Scrolls the box alone, never the page.
function revealIn(box, element) {
  const outer = box.getBoundingClientRect();
  const inner = element.getBoundingClientRect();
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + 8;
  if (inner.bottom > outer.bottom) box.scrollTop += inner.bottom - outer.bottom + 8;
}

export function createSentenceView(host, handlers) {
  const caption = makeElement('div', {class: 'sentence-caption'});
  const body = makeElement('div', {class: 'sentence-body'});
  const element = makeElement('section', {class: 'sentence-view', 'aria-label': 'Sentence'},
      caption, body);
  host.append(element);
  let lines = [];
  let shownInput = null;
  let last = null;
  const build = (input) => {
    shownInput = input;
    const isSelf = isSelfAttention(input);
    lines = (isSelf ? ['query'] : ['query', 'key']).map((side) =>
      makeTokenLine(side, input, {
        onSelect: (at, token) => handlers.onSelect(isSelf ? 'either' : at, token),
        onHover: (at, token, event) => handlers.onHover(isSelf ? 'either' : at, token, event),
      }));
    body.replaceChildren(...lines.flatMap(({side, line}) => (isSelf ? [line] :
      [makeElement('div', {class: 'sentence-side'}, side === 'query' ? 'queries' : 'keys'),
        line])));
  };
  return {
    element,
    // `show` is {one, input, state, table, colors, firstCol, onlyColored, hidesKeys}; `preview` is
    // {direction, token} or null.
    show(show, preview = null) {
      if (show.input !== shownInput) build(show.input);
      const found = sentenceWeights(show.one, show.state, preview);
      last = {show, found};
      caption.textContent = sentenceCaption(show.one, show.input, found);
      for (const line of lines) {
        const hidden = lines.length > 1 && (show.onlyColored && line.side !== found.side ||
            Boolean(show.hidesKeys) && line.side === 'key');
        line.line.hidden = hidden;
        if (line.line.previousElementSibling) line.line.previousElementSibling.hidden = hidden;
        paintTokenLine(line, found, show, lines.length === 1);
        const focusable = line.elements[found.token ?? 0] || line.elements.find(Boolean);
        if (focusable && !line.line.contains(document.activeElement)) {
          focusToken(line.elements, focusable, false);
        }
        if (!preview && found.token !== null && focusable) revealIn(body, focusable);
      }
    },
    // What a token's weight is, for the tooltip.
    describe(token) {
      if (!last) return [];
      const weight = last.found.weights[token];
      const {map} = last.show.one;
      const tokens = last.found.side === 'key' ? last.show.input.keyTokens :
        last.show.input.queryTokens;
      return [Number.isFinite(weight) ? exactText(weight, map.exact, map.step) : 'masked',
        `${token}: ${quotedToken(tokens[token] ?? '')}`];
    },
    destroy: () => element.remove(),
  };
}
