// Names of tokens above strips of cells: which are drawn, and how they are turned.

import {cutMiddle, kLabelSizes, labelledTokens, planColumns} from './axis_labels.js';
import {widestLabel} from './heatmap_layout.js';
import {makeElement, makeTextMeasure, paintOnChanges, sizeCanvas} from './page_parts.js';
import {canvasPen} from './pens.js';

const kLongestName = 110;  // px; longer ones lose their middle
const kTick = 4;
const kTurnedPart = Math.SQRT1_2;

// Labels above cells that share `width`: {angle, px, lean, height, labels: [{token, text, x, tick}]}.
// Slanted names lean to the right, so that cells leave `lean` pixels of the width free there.
export function stripLabels(names, width, measure) {
  const {px} = kLabelSizes;
  const widest = widestLabel(names, px, kLongestName, measure);
  const slant = Math.ceil((widest + 0.5 * px) * kTurnedPart);
  let plan = planColumns(widest, width / names.length);
  let lean = 0;
  if (plan.angle === 45) {
    plan = planColumns(widest, (width - slant) / names.length);
    if (plan.angle === 45) lean = slant;
    else plan = planColumns(widest, Math.min(width / names.length, kLabelSizes.px));
  }
  const pitch = (width - lean) / names.length;
  const {tokens, thinned} = labelledTokens(names.length, 0, names.length, pitch, plan.needed);
  const room = plan.angle === 0 ? pitch - 0.7 * px : kLongestName;
  const labels = tokens.map((token) => ({token, tick: thinned, x: (token + 0.5) * pitch,
    text: cutMiddle(names[token], room + 0.5, (text) => measure(text, plan.px))}));
  const depth = plan.angle === 0 ? 1.2 * px : plan.angle === 90 ? widest : slant;
  return {angle: plan.angle, px: plan.px, lean, height: Math.ceil(depth) + kTick + 4, labels};
}

function drawStripLabels(canvas, width, plan, color) {
  const pen = canvasPen(sizeCanvas(canvas, width, plan.height));
  const bottom = plan.height - kTick - 3;
  for (const {text, x, tick} of plan.labels) {
    const style = {px: plan.px, color, angle: plan.angle,
      align: plan.angle === 0 ? 'middle' : 'start'};
    // Turned text is centred on its cell by the height of small letters.
    const aside = plan.angle === 0 ? 0 : 0.33 * plan.px * (plan.angle === 90 ? 1 : kTurnedPart);
    pen.text(text, x + aside, bottom, style);
    if (tick) pen.line(x, plan.height - kTick, x, plan.height, color, 1);
  }
}

// A canvas of names, drawn again when its host's width or the theme changes. `setLean(px)` is told
// how much the strips below have to leave free.
export function createStripAxis(names, colorOf, setLean) {
  const canvas = makeElement('canvas', {'aria-hidden': 'true'});
  const host = makeElement('div', {class: 'strip-axis'}, canvas);
  const measure = makeTextMeasure();
  const paint = () => {
    const width = host.clientWidth;
    if (!(width > 0)) return;
    const plan = stripLabels(names, width, measure);
    setLean(plan.lean);
    canvas.getContext('2d').clearRect(0, 0, canvas.width, canvas.height);
    drawStripLabels(canvas, width, plan, colorOf());
  };
  return {element: host, stop: paintOnChanges(host, paint)};
}
