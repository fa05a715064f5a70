// Reads what the program embedded into the page: one JSON block of facts, and one block of
// compressed cells a head, which is decoded when somebody looks at it.

import {withPatchNames} from './grid_model.js';

const kMissingCode = 254; // no number: the cell does not exist or is not finite
const kMaskedCode = 255; // the query may not attend to the key

export function bytesFromBase64(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Little-endian floats, whatever the machine's own order.
function floatsAt(bytes, offset, count) {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, count * 4);
  const out = new Float32Array(count);
  for (let i = 0; i < count; ++i) out[i] = view.getFloat32(i * 4, true);
  return out;
}

// The largest error of a value quantised as in decodeCells: half a step at the largest code.
export function quantisationStep(rowMaxima, levels) {
  let largest = 0;
  for (const maximum of rowMaxima) largest = Math.max(largest, maximum);
  return (largest * (levels - 0.25)) / (levels * levels);
}

// (rows) largest values, then (rows, cols) codes: value = maximum of the row * (code / levels)^2.
// The square keeps small weights apart beside a large one.
function decodeQuantised(bytes, map, levels) {
  const maxima = floatsAt(bytes, 0, map.rows);
  const codes = bytes.subarray(map.rows * 4);
  const square = new Float32Array(256);
  for (let c = 0; c <= levels; ++c) square[c] = (c / levels) * (c / levels);
  for (let r = 0, at = 0; r < map.rows; ++r) {
    const maximum = maxima[r];
    for (let c = 0; c < map.cols; ++c, ++at) {
      const code = codes[at];
      if (code < kMissingCode) map.values[at] = maximum * square[code];
      else if (code === kMaskedCode) map.masked[at] = 1;
      else map.values[at] = NaN;
    }
  }
  map.step = quantisationStep(maxima, levels);
}

// (rows, cols) floats, then (rows, cols) codes that tell masked and missing cells.
function decodeExact(bytes, map) {
  const count = map.rows * map.cols;
  map.values = floatsAt(bytes, 0, count);
  for (let at = 0; at < count; ++at) {
    const code = bytes[count * 4 + at];
    if (code === kMaskedCode) map.masked[at] = 1;
    else if (code === kMissingCode) map.values[at] = NaN;
  }
}

// `facts`: rows, cols, rowPool, colPool, rowStart, colStart, levels (0: exact floats).
export function decodeCells(bytes, facts) {
  const count = facts.rows * facts.cols;
  const expected = facts.levels > 0 ? facts.rows * 4 + count : count * 5;
  if (bytes.length !== expected) throw new Error('the cells of this head are damaged');
  const map = {
    rows: facts.rows,
    cols: facts.cols,
    rowPool: facts.rowPool,
    colPool: facts.colPool,
    rowStart: facts.rowStart || 0,
    colStart: facts.colStart || 0,
    values: facts.levels > 0 ? new Float32Array(count) : null,
    masked: new Uint8Array(count),
    exact: facts.levels === 0,
    step: 0,
    window: null,
  };
  if (facts.levels > 0) decodeQuantised(bytes, map, facts.levels);
  else decodeExact(bytes, map);
  return map;
}

// The page starts while a long file is still being read.
function whenComplete(document) {
  if (document.readyState !== 'loading') return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener('DOMContentLoaded', resolve, { once: true });
  });
}

async function readBlock(document, id) {
  let element = document.getElementById(id);
  if (element === null || element.nextSibling === null) {
    await whenComplete(document);
    element = document.getElementById(id);
  }
  if (element === null) throw new Error(`the file has no block ${id}; it may have been cut short`);
  return inflate(bytesFromBase64(element.textContent.trim()));
}

function readMap(document, facts) {
  return readBlock(document, facts.block).then((bytes) => decodeCells(bytes, facts));
}

// A small map for the overview: (largest value, codes as in decodeQuantised with 253 levels).
// The cells of `cells`, each side of it divided by one number, are those of a thumbnail.
function makeThumb(shape, cells) {
  const bytes = bytesFromBase64(shape.cells);
  const count = shape.rows * shape.cols;
  const shrink = Math.max(Math.ceil(cells.rows / shape.rows), Math.ceil(cells.cols / shape.cols));
  const thumb = {
    rows: shape.rows,
    cols: shape.cols,
    rowPool: cells.rowPool * shrink,
    colPool: cells.colPool * shrink,
    values: new Float32Array(count),
    masked: new Uint8Array(count),
  };
  const [maximum] = floatsAt(bytes, 0, 1);
  thumb.step = quantisationStep([maximum], 253);
  for (let at = 0; at < count; ++at) {
    const code = bytes[4 + at];
    if (code < kMissingCode) thumb.values[at] = (maximum * code * code) / (253 * 253);
    else if (code === kMaskedCode) thumb.masked[at] = 1;
    else thumb.values[at] = NaN;
  }
  return thumb;
}

// Keeps the maps of the heads looked at last: decoded maps of all heads would not fit.
const kMostCached = 24;

function makeCache() {
  const entries = new Map();
  return (key, make) => {
    let found = entries.get(key);
    if (found === undefined) {
      found = make();
      found.catch(() => entries.delete(key));
    }
    entries.delete(key);
    entries.set(key, found);
    if (entries.size > kMostCached) entries.delete(entries.keys().next().value);
    return found;
  };
}

function makeHead(document, cache, facts) {
  const { cells, sharp, thumb: small, ...rest } = facts;
  const load = () =>
    cache(cells.block, async () => {
      const map = await readMap(document, cells);
      if (sharp) map.window = () => cache(sharp.block, () => readMap(document, sharp));
      return map;
    });
  let thumb = null;
  const head = { ...rest, colPool: cells.colPool, load };
  Object.defineProperty(head, 'thumb', {
    enumerable: true,
    get: () => {
      if (thumb === null) thumb = makeThumb(small, cells);
      return thumb;
    },
  });
  return head;
}

// {heads: their names, load() -> Promise of what `mha-viz steps` writes for each of them}.
function makeSteps(document, { heads, block }) {
  let loaded = null;
  const load = () => {
    loaded = loaded || readBlock(document, block)
        .then((bytes) => JSON.parse(new TextDecoder().decode(bytes)).heads);
    return loaded;
  };
  return { heads, load };
}

function makeInput(document, cache, report, stored) {
  const facts = withPatchNames(report, stored);
  // Words of keys are known where they are those of the queries.
  const keyWords = facts.cross ? null : facts.queryWords;
  const steps = facts.steps ? makeSteps(document, facts.steps) : null;
  const heads = facts.heads.map((head) => makeHead(document, cache, head));
  return { ...facts, keyWords, steps, heads };
}

function readColormaps(maps) {
  const out = {};
  for (const [name, text] of Object.entries(maps)) out[name] = bytesFromBase64(text);
  return out;
}

// What the live model needs, or null: {config, load() -> Promise<Uint8Array>}.
function readLive(document) {
  const element = document.getElementById('mha-live');
  if (element === null) return null;
  return {
    config: JSON.parse(element.textContent),
    load: () => readBlock(document, 'mha-live-tensors'),
  };
}

// `document`: anything with getElementById().
export function openReport(document) {
  const facts = JSON.parse(document.getElementById('mha-report').textContent);
  const cache = makeCache();
  return {
    ...facts,
    colormaps: readColormaps(facts.colormaps),
    inputs: facts.inputs.map((input) => makeInput(document, cache, facts, input)),
    live: readLive(document),
  };
}
