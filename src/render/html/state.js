// What the reader has chosen, in one place: views read it, change it and hear of changes. The
// address holds it after the '#', so that a link opens the same view: #L4H11,q=7

export const defaultState = Object.freeze({
  input: 0,
  heads: Object.freeze([]),
  mean: false,
  q: null,
  k: null,
  direction: 'from',
  norm: 'none',
  scale: 'linear',
  dropFirst: false,
  colormap: 'auto',
  threshold: 0,
  topk: 0,
  view: 'overview',
  tiles: 'maps',
  sort: 'head',
  filter: '',
  zoom: null,
  range: 'shown',
  mask: true,
  overlay: true,
  a: null,
  b: null,
});

function isSame(a, b) {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((value, i) => value === b[i]);
  }
  return a === b;
}

// set() tells subscribers once, and only of what is new: fn(state, changedNames).
export function createStore(initial) {
  let state = { ...defaultState, ...initial };
  const listeners = new Set();
  return {
    get: () => state,
    set(patch) {
      const changed = Object.keys(patch).filter((key) => !isSame(state[key], patch[key]));
      if (changed.length === 0) return;
      state = { ...state, ...patch };
      for (const listener of [...listeners]) listener(state, changed);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const kHeadName = /^L\d+(H\d+|mean)$/;
const kChoices = {
  direction: ['from', 'to'],
  norm: ['none', 'row'],
  scale: ['linear', 'sqrt', 'log'],
  range: ['shown', 'head', 'one'],
  tiles: ['maps', 'lines', 'text'],
};
const kCounts = ['input', 'q', 'k', 'topk'];
const kFlags = ['mean', 'dropFirst', 'mask', 'overlay'];
const kTexts = ['colormap', 'view', 'sort', 'filter', 'a', 'b'];

function parseZoom(text) {
  const parts = text.split('-').map(Number);
  return parts.length === 4 && parts.every((n) => Number.isFinite(n) && n >= 0) ? parts : null;
}

// The value of one key of a link; undefined for what is unknown or out of its range.
function parseValue(key, text) {
  if (Object.hasOwn(kChoices, key)) return kChoices[key].includes(text) ? text : undefined;
  if (kCounts.includes(key)) return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (kFlags.includes(key)) return text === '1';
  if (kTexts.includes(key)) return text;
  if (key === 'threshold') {
    const number = Number(text);
    return text !== '' && number >= 0 && number <= 1 ? number : undefined;
  }
  if (key === 'zoom') return parseZoom(text) || undefined;
  return undefined;
}

function decodePart(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// "#L4H11,L5H0,q=7" as a patch of the default state. What is not understood is left out.
export function parseHash(hash) {
  const patch = {};
  const heads = [];
  for (const part of hash.replace(/^#/, '').split(',')) {
    const at = part.indexOf('=');
    if (at < 0) {
      const name = decodePart(part);
      if (kHeadName.test(name) && !heads.includes(name)) heads.push(name);
      continue;
    }
    const value = parseValue(part.slice(0, at), decodePart(part.slice(at + 1)));
    if (value !== undefined) patch[part.slice(0, at)] = value;
  }
  if (heads.length > 0) {
    patch.heads = heads;
    if (patch.view === undefined) patch.view = 'head';
  }
  return patch;
}

function valueText(key, value) {
  if (key === 'zoom') return value.map((n) => Math.round(n * 100) / 100).join('-');
  if (typeof value === 'boolean') return value ? '1' : '0';
  return encodeURIComponent(String(value));
}

// Only what differs from the default, in a fixed order.
export function formatHash(state) {
  const parts = [...state.heads];
  const implied = state.heads.length > 0 ? 'head' : 'overview';
  for (const key of Object.keys(defaultState)) {
    if (key === 'heads' || state[key] === null) continue;
    if (isSame(state[key], key === 'view' ? implied : defaultState[key])) continue;
    parts.push(`${key}=${valueText(key, state[key])}`);
  }
  return parts.length > 0 ? `#${parts.join(',')}` : '';
}

// Keeps the address and the store in step; history gets an entry when the view changes.
export function followAddress(window, store) {
  let written = window.location.hash;
  const unsubscribe = store.subscribe((state, changed) => {
    const hash = formatHash(state);
    if (hash === written) return;
    written = hash;
    const address = window.location.pathname + window.location.search + hash;
    const isStep = changed.some((key) => ['view', 'heads', 'input'].includes(key));
    window.history[isStep ? 'pushState' : 'replaceState'](null, '', address);
  });
  const onChange = () => {
    if (window.location.hash === written) return;
    written = window.location.hash;
    store.set({ ...defaultState, ...parseHash(written) });
  };
  window.addEventListener('hashchange', onChange);
  window.addEventListener('popstate', onChange);
  return () => {
    unsubscribe();
    window.removeEventListener('hashchange', onChange);
    window.removeEventListener('popstate', onChange);
  };
}
