// Colours of cells, as in the PNGs: the numbers here are those of src/render/style.cpp and
// src/render/cell_painter.cpp. A colour is [r, g, b], each 0 to 255.

export const kCellThemes = {
  light: {
    dark: false,
    background: [255, 255, 255],
    foreground: [27, 31, 39],
    muted: [90, 98, 112],
    line: [211, 215, 222],
    masked: [224, 224, 224],
    hatch: [168, 168, 168],
    nonFinite: [227, 0, 27],
    missing: [242, 221, 180],
    accent: [47, 116, 181],
  },
  dark: {
    dark: true,
    background: [20, 22, 26],
    foreground: [240, 242, 245],
    muted: [163, 171, 184],
    line: [58, 63, 72],
    masked: [59, 62, 68],
    hatch: [102, 107, 116],
    nonFinite: [255, 43, 63],
    missing: [122, 100, 55],
    accent: [108, 178, 238],
  },
};

// Safe to tell apart for colour-blind readers (Okabe and Ito), as src/render/legend.cpp.
const kKindColors = [
  [230, 159, 0], [0, 158, 115], [213, 94, 0], [86, 180, 233], [204, 121, 167], [0, 114, 178],
  [240, 228, 66],
];
const kInk = [20, 24, 31];
const kPaper = [255, 255, 255];
const kBlack = [0, 0, 0];
const kReadable = 4.5; // contrast of text (WCAG 2.1, 1.4.3)
const kFaintInk = 0.55;
const kInkStep = 0.05;
const kFullInkAt = 0.25;

export function cellTheme(dark) {
  return dark ? kCellThemes.dark : kCellThemes.light;
}

export function kindColor(index) {
  return kKindColors[index % kKindColors.length];
}

// A table with its 256 colours in the other order.
export function reversedTable(table) {
  const out = new Uint8Array(table.length);
  const last = table.length / 3 - 1;
  for (let i = 0; i <= last; ++i) {
    for (let c = 0; c < 3; ++c) out[3 * i + c] = table[3 * (last - i) + c];
  }
  return out;
}

// Tables whose light end is the background turn round on a dark one, where the file holds no table
// of its own for that.
const kTurning = new Set(['blues', 'greys']);

// The table of 256 colours that a picture in this theme uses. "auto" is the theme's own.
export function colormapTable(colormaps, name, dark) {
  const wanted = name && name !== 'auto' ? name : dark ? 'magma' : 'blues';
  if (dark) {
    const own = colormaps[`${wanted}-on-dark`];
    if (own) return own;
  }
  const table = colormaps[wanted] || colormaps[Object.keys(colormaps)[0]];
  return dark && kTurning.has(wanted) ? reversedTable(table) : table;
}

// Names a reader may choose: not the diverging ones, which differences use.
export function colormapChoices(colormaps) {
  return Object.keys(colormaps).filter((name) => !/^diverging|dark$/.test(name));
}

// Index into a table of 256 colours for a position from 0 to 1.
export function colorIndex(position) {
  return Math.floor(Math.min(Math.max(position, 0), 1) * 255 + 0.5);
}

export function colorAt(table, position) {
  const i = 3 * colorIndex(position);
  return [table[i], table[i + 1], table[i + 2]];
}

export function mixColors(a, b, weight) {
  return a.map((channel, i) => Math.round(channel + (b[i] - channel) * weight));
}

function linearLight(channel) {
  const c = channel / 255;
  return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
}

// Relative luminance (WCAG), 0 to 1.
export function luminanceOf(color) {
  return 0.2126 * linearLight(color[0]) + 0.7152 * linearLight(color[1]) +
      0.0722 * linearLight(color[2]);
}

export function contrastRatio(a, b) {
  const [low, high] = [luminanceOf(a), luminanceOf(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// The colour of text on a cell: the one that reads better. One of black and white always has a
// contrast of 4.5 or more, which softer ones have not.
export function textOn(color) {
  return contrastRatio(color, kPaper) > contrastRatio(color, kBlack) ? kPaper : kBlack;
}

// The colour of a number in a cell, fainter where the cell looks like zero but never hard to read.
export function numberInk(cell, zero) {
  const light = luminanceOf(cell);
  let ink = textOn(cell);
  if (ink === kBlack && contrastRatio(cell, kInk) >= kReadable) ink = kInk;
  // Cube roots: what the eye sees as lightness (CIE 1976).
  const away = Math.abs(Math.cbrt(light) - Math.cbrt(luminanceOf(zero))) / kFullInkAt;
  const steps = Math.floor(Math.min(away, 1) * 4) / 4;
  let weight = kFaintInk + (1 - kFaintInk) * steps;
  while (weight < 1 && contrastRatio(cell, mixColors(cell, ink, weight)) < kReadable) {
    weight += kInkStep;
  }
  return mixColors(cell, ink, Math.min(weight, 1));
}

export function cssColor(color, opacity = 1) {
  const rgb = `${color[0]},${color[1]},${color[2]}`;
  return opacity >= 1 ? `rgb(${rgb})` : `rgba(${rgb},${Number(opacity.toFixed(4))})`;
}
