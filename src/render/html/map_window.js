// Which part of a matrix is seen: arithmetic of zooming and panning, without a screen.
//
// A window is [r0, r1, c0, c1] in tokens, fractions allowed; bounds are the window of everything.

const kFewestTokens = 2;

function clampSpan(low, high, first, end) {
  const full = end - first;
  const span = Math.min(Math.max(high - low, Math.min(kFewestTokens, full)), full);
  const start = Math.min(Math.max(low, first), end - span);
  return [start, start + span];
}

export function clampWindow(win, bounds) {
  if (!Array.isArray(win) || win.length !== 4 || !win.every(Number.isFinite)) return [...bounds];
  return [...clampSpan(win[0], win[1], bounds[0], bounds[1]),
    ...clampSpan(win[2], win[3], bounds[2], bounds[3])];
}

export function isWholeWindow(win, bounds) {
  return win.every((end, i) => Math.abs(end - bounds[i]) < 1e-6);
}

// Zooms so that the point at (row, col) in tokens stays where it is on the screen. A factor above
// 1 shows less. Both sides shrink alike, so cells keep their shape.
export function zoomWindow(win, bounds, factor, row, col) {
  const spans = [win[1] - win[0], win[3] - win[2]];
  const full = [bounds[1] - bounds[0], bounds[3] - bounds[2]];
  const least = spans.map((span, i) => Math.min(kFewestTokens, full[i]) / span);
  const most = spans.map((span, i) => full[i] / span);
  // The side with more cells decides how deep one may go: the other one would be cut off otherwise.
  const change = Math.min(Math.max(1 / factor, Math.max(...least)), Math.max(...most));
  const around = (low, high, fixed) =>
    [fixed - (fixed - low) * change, fixed + (high - fixed) * change];
  return clampWindow([...around(win[0], win[1], row), ...around(win[2], win[3], col)], bounds);
}

export function panWindow(win, bounds, rows, cols) {
  return clampWindow([win[0] + rows, win[1] + rows, win[2] + cols, win[3] + cols], bounds);
}

// Moves the window as little as needed for a token to be whole in it.
export function revealCell(win, bounds, row, col) {
  const move = (low, high, at) => (at < low ? at - low : at + 1 > high ? at + 1 - high : 0);
  return panWindow(win, bounds, move(win[0], win[1], row), move(win[2], win[3], col));
}

// The token under a point of an area: {x, y, width, height} in pixels.
export function tokenAt(win, area, x, y) {
  const fx = (x - area.x) / area.width;
  const fy = (y - area.y) / area.height;
  if (fx < 0 || fx >= 1 || fy < 0 || fy >= 1) return null;
  return {row: win[0] + fy * (win[1] - win[0]), col: win[2] + fx * (win[3] - win[2])};
}

// Where a token's edge is drawn: functions from tokens to pixels along both sides.
export function windowPlaces(win, area) {
  return {
    x: (col) => area.x + (col - win[2]) / (win[3] - win[2]) * area.width,
    y: (row) => area.y + (row - win[0]) / (win[1] - win[0]) * area.height,
    cellWidth: area.width / (win[3] - win[2]),
    cellHeight: area.height / (win[1] - win[0]),
  };
}

// The part of a map that a window shows, in its cells: {first, count} rows and columns, whole
// cells, empty where they do not meet.
export function cellsInWindow(map, win) {
  const part = (low, high, start, pool, n) => {
    const first = Math.min(Math.max(Math.floor((low - start) / pool), 0), n);
    const end = Math.min(Math.max(Math.ceil((high - start) / pool), first), n);
    return {first, count: end - first};
  };
  return {
    rows: part(win[0], win[1], map.rowStart || 0, map.rowPool || 1, map.rows),
    cols: part(win[2], win[3], map.colStart || 0, map.colPool || 1, map.cols),
  };
}
