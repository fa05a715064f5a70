// What is worked out from the map of a head: one value, a row, the strongest links, the mean of
// several heads, the difference of two. A map is {rows, cols, rowPool, colPool, rowStart, colStart,
// values, masked, exact, step, window}; `masked` is 1 where a query may not attend, 2 where no
// number is known.

export const kCellMasked = 1;
export const kCellMissing = 2;

export function pools(map) {
  return {
    row: map.rowPool || 1,
    col: map.colPool || 1,
    rowStart: map.rowStart || 0,
    colStart: map.colStart || 0,
  };
}

export function isPooled(map) {
  return (map.rowPool || 1) > 1 || (map.colPool || 1) > 1;
}

// The window of tokens that the cells of a map span.
export function mapWindow(map) {
  const {row, col, rowStart, colStart} = pools(map);
  return [rowStart, rowStart + map.rows * row, colStart, colStart + map.cols * col];
}

// The first column of cells that is wholly at or after a key.
function columnFrom(map, key) {
  const pool = pools(map);
  return Math.max(0, Math.ceil((key - pool.colStart) / pool.col));
}

// The cell that holds a token of each side, or null outside of the map.
export function cellOf(map, row, col) {
  const pool = pools(map);
  const r = Math.floor((row - pool.rowStart) / pool.row);
  const c = Math.floor((col - pool.colStart) / pool.col);
  if (r < 0 || c < 0 || r >= map.rows || c >= map.cols) return null;
  const at = r * map.cols + c;
  return {
    value: map.values[at],
    state: map.masked ? map.masked[at] : 0,
    rows: [pool.rowStart + r * pool.row, pool.rowStart + (r + 1) * pool.row],
    cols: [pool.colStart + c * pool.col, pool.colStart + (c + 1) * pool.col],
  };
}

// Keeps one answer for each map and key: maps never change, and views ask again at every paint.
export function rememberedFor(work) {
  const answers = new WeakMap();
  return (map, key) => {
    if (!answers.has(map)) answers.set(map, new Map());
    const kept = answers.get(map);
    if (!kept.has(key)) kept.set(key, work(map, key));
    return kept.get(key);
  };
}

// Every value from a key on that is one: calls use(value, row, col).
function forValues(map, firstKey, use) {
  const {masked, cols} = map;
  const firstCol = columnFrom(map, firstKey);
  for (let r = 0, i = 0; r < map.rows; ++r) {
    for (let c = 0; c < cols; ++c, ++i) {
      const value = map.values[i];
      if (c >= firstCol && !(masked && masked[i]) && Number.isFinite(value)) use(value, r, c);
    }
  }
}

// The largest value from a key on; the largest size of either sign when `bySize`.
export function largestValue(map, firstCol = 0, bySize = false) {
  let largest = 0;
  forValues(map, firstCol, (value) => {
    const size = bySize ? Math.abs(value) : value;
    if (size > largest) largest = size;
  });
  return largest;
}

// The largest value of each row, at least 0.
export function rowMaxima(map, firstCol = 0) {
  const maxima = new Float32Array(map.rows);
  forValues(map, firstCol, (value, r) => {
    if (value > maxima[r]) maxima[r] = value;
  });
  return maxima;
}

// 1 for each row that may attend to nothing at all.
export function maskedRows(map) {
  const rows = new Uint8Array(map.rows);
  if (!map.masked) return rows;
  for (let r = 0; r < map.rows; ++r) {
    let c = 0;
    while (c < map.cols && map.masked[r * map.cols + c] === kCellMasked) ++c;
    if (c === map.cols && c > 0) rows[r] = 1;
  }
  return rows;
}

export function cellKinds(map) {
  const full = maskedRows(map);
  const kinds = {masked: false, fullyMasked: full.includes(1), missing: false, nonFinite: false};
  for (let i = 0; i < map.values.length; ++i) {
    const state = map.masked ? map.masked[i] : 0;
    if (state === kCellMasked) kinds.masked = kinds.masked || !full[Math.floor(i / map.cols)];
    else if (state === kCellMissing || Number.isNaN(map.values[i])) kinds.missing = true;
    else if (!Number.isFinite(map.values[i])) kinds.nonFinite = true;
  }
  return kinds;
}

// The weights of one query over all keys ("from") or of all queries on one key ("to"), a value for
// each token of the other side; NaN where there is none.
export function weightsOf(map, direction, token) {
  const [, rowEnd, , colEnd] = mapWindow(map);
  const along = direction === 'to' ? rowEnd : colEnd;
  const out = new Float32Array(along).fill(NaN);
  for (let i = 0; i < along; ++i) {
    const cell = direction === 'to' ? cellOf(map, i, token) : cellOf(map, token, i);
    if (cell && !cell.state) out[i] = cell.value;
  }
  return out;
}

// The usual case for long inputs, without sorting.
function largestWeight(weights, threshold, first) {
  let best = -1;
  for (let i = first; i < weights.length; ++i) {
    if (weights[i] >= threshold && weights[i] > 0 && !(best >= 0 && weights[i] <= weights[best])) {
      best = i;
    }
  }
  return best < 0 ? [] : [best];
}

// Indices of the `count` largest numbers that are at least `threshold`, the largest first; all of
// them for count 0. Equal ones: the earlier first.
export function topWeights(weights, count, threshold = 0, first = 0) {
  if (count === 1) return largestWeight(weights, threshold, first);
  const found = [];
  for (let i = first; i < weights.length; ++i) {
    if (weights[i] >= threshold && weights[i] > 0) found.push(i);
  }
  found.sort((a, b) => weights[b] - weights[a] || a - b);
  return count > 0 ? found.slice(0, count) : found;
}

// The links to draw: [{q, k, weight}], cell by cell. `count` is the number kept for each query.
export function strongLinks(map, {threshold = 0, count = 0, firstCol = 0, onlyRow = null,
  onlyCol = null}) {
  const links = [];
  const pool = pools(map);
  const row = new Float32Array(map.cols);
  const rowCell = onlyRow === null ? null : Math.floor((onlyRow - pool.rowStart) / pool.row);
  const colCell = onlyCol === null ? null : Math.floor((onlyCol - pool.colStart) / pool.col);
  for (let r = 0; r < map.rows; ++r) {
    if (rowCell !== null && r !== rowCell) continue;
    for (let c = 0; c < map.cols; ++c) {
      const at = r * map.cols + c;
      row[c] = map.masked && map.masked[at] ? NaN : map.values[at];
    }
    for (const c of topWeights(row, count, threshold, columnFrom(map, firstCol))) {
      if (colCell !== null && c !== colCell) continue;
      links.push({q: onlyRow ?? pool.rowStart + r * pool.row,
        k: onlyCol ?? pool.colStart + c * pool.col, weight: row[c]});
    }
  }
  return links;
}

export function haveOneShape(maps) {
  const sides = (map) => {
    const pool = pools(map);
    return [map.rows, map.cols, pool.row, pool.col, pool.rowStart, pool.colStart].join();
  };
  return maps.every((map) => sides(map) === sides(maps[0]));
}

// The mean over heads, cell by cell. A cell counts as masked where it is in all of them.
export function meanMap(maps) {
  const first = maps[0];
  const n = first.values.length;
  const sums = new Float64Array(n);
  const known = new Uint16Array(n);
  let missing = null;
  for (const map of maps) {
    for (let i = 0; i < n; ++i) {
      const state = map.masked ? map.masked[i] : 0;
      if (!state) known[i] += 1;
      if (!state) sums[i] += map.values[i];
      if (state === kCellMissing) (missing = missing || new Uint8Array(n))[i] = 1;
    }
  }
  const values = new Float32Array(n);
  const masked = new Uint8Array(n);
  for (let i = 0; i < n; ++i) {
    values[i] = sums[i] / maps.length;
    if (missing && missing[i]) masked[i] = kCellMissing;
    else if (known[i] === 0) masked[i] = kCellMasked;
  }
  const windows = maps.every((map) => map.window);
  return {...first, values, masked, exact: maps.every((map) => map.exact),
    step: Math.max(...maps.map((map) => map.step || 0)),
    window: windows ? () => Promise.all(maps.map((map) => map.window())).then(
        (sharp) => (haveOneShape(sharp) ? meanMap(sharp) : null)) : null};
}

export function meanName(names) {
  return `mean of ${names.join(', ')}`;
}

// B minus A; a cell that is masked on one side alone counts as 0 there.
export function differenceMap(a, b) {
  const n = b.values.length;
  const values = new Float32Array(n);
  const masked = new Uint8Array(n);
  for (let i = 0; i < n; ++i) {
    const stateA = a.masked ? a.masked[i] : 0;
    const stateB = b.masked ? b.masked[i] : 0;
    if (stateA && stateB) masked[i] = stateB;
    else values[i] = (stateB ? 0 : b.values[i]) - (stateA ? 0 : a.values[i]);
  }
  const windows = a.window && b.window;
  return {...b, values, masked, isDifference: true, exact: Boolean(a.exact && b.exact),
    step: (a.exact ? 0 : a.step || 0) + (b.exact ? 0 : b.step || 0),
    window: windows ? () => Promise.all([a.window(), b.window()]).then(
        ([x, y]) => (haveOneShape([x, y]) ? differenceMap(x, y) : null)) : null};
}

// Positions where two token lists of the same length differ; null where they cannot be laid side
// by side.
export function differingTokens(a, b) {
  if (a.length !== b.length) return null;
  const out = [];
  for (let i = 0; i < a.length; ++i) {
    if (a[i] !== b[i]) out.push(i);
  }
  return out;
}
