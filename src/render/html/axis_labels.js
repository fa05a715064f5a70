// Token labels along an axis: which are drawn, how large and how turned, so that none overlap. The
// rules of src/render/axis_labels.cpp. `measure(text, px)` returns a width in pixels.

const kLeading = 1.17;  // smallest distance of baselines, em
const kDiagonal = Math.SQRT1_2;
export const kLabelSizes = {px: 14, smallest: 11, thinned: 12, longest: 170, gap: 7};

// Every step-th of n labels, `pitch` apart, so that `needed` is between them: always the first one,
// and the last one where there is room.
export function thinLabels(n, pitch, needed) {
  if (n === 0) return [];
  let step = 1;
  for (let power = 1; step * pitch < needed && step < n; power *= 10) {
    for (const factor of [1, 2, 5]) {
      step = factor * power;
      if (step * pitch >= needed || step >= n) break;
    }
  }
  const kept = [];
  for (let i = 0; i < n; i += step) kept.push(i);
  if (kept[kept.length - 1] === n - 1) return kept;
  const distance = () => (n - 1 - kept[kept.length - 1]) * pitch;
  if (kept.length > 1 && distance() < needed) kept.pop();
  if (distance() >= needed) kept.push(n - 1);
  return kept;
}

// The size at which all labels, `pitch` apart, fit; or the one for thinned labels.
export function labelSizeFor(pitch, sizes = kLabelSizes) {
  const fitting = pitch / kLeading;
  return fitting < sizes.smallest ? sizes.thinned : Math.min(fitting, sizes.px);
}

// The characters a reader sees as one: never half of a pair, nor a letter without its accent.
function graphemes(text) {
  if (typeof Intl !== 'undefined' && Intl.Segmenter) {
    return Array.from(new Intl.Segmenter().segment(text), (part) => part.segment);
  }
  return Array.from(text);
}

// The longest form that fits: whole, or without its middle.
export function cutMiddle(text, width, measureText) {
  // Longer ones are cut in any case: no need to look at a novel.
  const clipped = text.length > 400 ? `${text.slice(0, 200)}${text.slice(-200)}` : text;
  if (clipped === text && measureText(text) <= width) return text;
  const parts = graphemes(clipped);
  let low = 0;
  let high = parts.length - 1;
  const form = (kept) => parts.slice(0, Math.ceil(kept / 2)).join('') + '…' +
      parts.slice(parts.length - Math.floor(kept / 2)).join('');
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measureText(form(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return form(low);
}

export function planRows(pitch, sizes = kLabelSizes) {
  const px = labelSizeFor(pitch, sizes);
  return {angle: 0, px, needed: kLeading * px, depthLine: false};
}

// How column labels are turned: level where the widest fits between neighbours, slanted, upright.
export function planColumns(widest, pitch, sizes = kLabelSizes) {
  const between = 0.7 * sizes.px;
  if (pitch >= 1.5 * sizes.px && widest + between <= pitch) {
    return {angle: 0, px: sizes.px, needed: pitch};
  }
  const diagonal = kLeading * sizes.px / kDiagonal;
  if (pitch >= diagonal) return {angle: 45, px: sizes.px, needed: diagonal};
  const px = labelSizeFor(pitch, sizes);
  return {angle: 90, px, needed: kLeading * px};
}

// The tokens of [low, high) that get a label. Counted from 0 whatever part is seen, so that labels
// do not jump while one pans.
export function labelledTokens(n, low, high, pitch, needed) {
  const kept = thinLabels(n, pitch, needed);
  return {
    tokens: kept.filter((i) => i + 0.5 >= low && i + 0.5 <= high),
    thinned: kept.length < n,
  };
}
