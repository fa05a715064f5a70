// Two pens with the same strokes: one for a canvas, one that writes SVG. Figures are drawn once and
// seen twice. All lengths are CSS pixels; colours are [r, g, b].

import {cssColor} from './colors.js';

export const kFigureFont = '"DejaVu Sans", Verdana, "Segoe UI", system-ui, sans-serif';

export function figureFont({px, bold}) {
  return `${bold ? 'bold ' : ''}${px}px ${kFigureFont}`;
}

export function canvasPen(context) {
  return {
    rect(x, y, width, height, color, opacity = 1) {
      context.fillStyle = cssColor(color, opacity);
      context.fillRect(x, y, width, height);
    },
    frame(x, y, width, height, color, stroke) {
      context.strokeStyle = cssColor(color);
      context.lineWidth = stroke;
      context.strokeRect(x - stroke / 2, y - stroke / 2, width + stroke, height + stroke);
    },
    line(x1, y1, x2, y2, color, stroke, opacity = 1) {
      context.strokeStyle = cssColor(color, opacity);
      context.lineWidth = stroke;
      context.beginPath();
      context.moveTo(x1, y1);
      context.lineTo(x2, y2);
      context.stroke();
    },
    curve(x1, y1, x2, y2, color, stroke, opacity = 1) {
      context.strokeStyle = cssColor(color, opacity);
      context.lineWidth = stroke;
      context.beginPath();
      context.moveTo(x1, y1);
      const bend = (x2 - x1) * 0.4;
      context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
      context.stroke();
    },
    // `align` is start, middle or end of the text at (x, y), y being its baseline; `angle` turns it
    // upwards, in degrees.
    text(text, x, y, {px, bold = false, color, align = 'start', angle = 0}) {
      context.font = figureFont({px, bold});
      context.fillStyle = cssColor(color);
      context.textAlign = align === 'middle' ? 'center' : align === 'end' ? 'right' : 'left';
      context.textBaseline = 'alphabetic';
      // A token of Arabic must not move the pen to the other side.
      context.direction = 'ltr';
      if (angle === 0) return context.fillText(text, x, y);
      context.save();
      context.translate(x, y);
      context.rotate(-angle * Math.PI / 180);
      context.fillText(text, 0, 0);
      context.restore();
    },
    // Pixels stay squares unless `smooth`.
    image(bitmap, from, to, smooth = false) {
      context.imageSmoothingEnabled = smooth;
      context.drawImage(bitmap, from.x, from.y, from.width, from.height, to.x, to.y, to.width,
          to.height);
    },
    clip(x, y, width, height) {
      context.save();
      context.beginPath();
      context.rect(x, y, width, height);
      context.clip();
    },
    unclip() {
      context.restore();
    },
  };
}

// What XML cannot hold at all, as in src/base: a mark that something is there.
function xmlText(text) {
  return String(text)
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
      .replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/g, '\uFFFD')
      .replace(/(^|[^\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '$1\uFFFD')
      .replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

function svgNumber(value) {
  return String(Number(value.toFixed(2)));
}

// Only the part that is seen goes into the file.
function croppedDataUrl(bitmap, from) {
  const x = Math.floor(from.x);
  const y = Math.floor(from.y);
  const width = Math.max(1, Math.ceil(from.x + from.width) - x);
  const height = Math.max(1, Math.ceil(from.y + from.height) - y);
  const part = document.createElement('canvas');
  part.width = width;
  part.height = height;
  part.getContext('2d').drawImage(bitmap, x, y, width, height, 0, 0, width, height);
  return {url: part.toDataURL('image/png'), x, y, width, height};
}

export function svgPen() {
  const parts = [];
  let clips = 0;
  const n = svgNumber;
  const paint = (name, color, opacity) => `${name}="${cssColor(color)}"` +
      (opacity < 1 ? ` ${name}-opacity="${n(opacity)}"` : '');
  const stroked = (color, stroke, opacity) =>
    `fill="none" ${paint('stroke', color, opacity)} stroke-width="${n(stroke)}"`;
  return {
    isVector: true,
    rect(x, y, width, height, color, opacity = 1) {
      parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" ` +
          `${paint('fill', color, opacity)}/>`);
    },
    frame(x, y, width, height, color, stroke) {
      parts.push(`<rect x="${n(x - stroke / 2)}" y="${n(y - stroke / 2)}" ` +
          `width="${n(width + stroke)}" height="${n(height + stroke)}" ` +
          `${stroked(color, stroke, 1)}/>`);
    },
    line(x1, y1, x2, y2, color, stroke, opacity = 1) {
      parts.push(`<path d="M${n(x1)} ${n(y1)}L${n(x2)} ${n(y2)}" ` +
          `${stroked(color, stroke, opacity)}/>`);
    },
    curve(x1, y1, x2, y2, color, stroke, opacity = 1) {
      const bend = (x2 - x1) * 0.4;
      parts.push(`<path d="M${n(x1)} ${n(y1)}C${n(x1 + bend)} ${n(y1)} ${n(x2 - bend)} ${n(y2)} ` +
          `${n(x2)} ${n(y2)}" ${stroked(color, stroke, opacity)}/>`);
    },
    text(text, x, y, {px, bold = false, color, align = 'start', angle = 0}) {
      if (text === '') return;
      const turn = angle === 0 ? '' : ` transform="rotate(${-angle} ${n(x)} ${n(y)})"`;
      parts.push(`<text x="${n(x)}" y="${n(y)}" font-size="${n(px)}"` +
          `${bold ? ' font-weight="bold"' : ''} text-anchor="${align}" xml:space="preserve" ` +
          `fill="${cssColor(color)}"${turn}>${xmlText(text)}</text>`);
    },
    image(bitmap, from, to, smooth = false) {
      const part = croppedDataUrl(bitmap, from);
      const [sx, sy] = [to.width / from.width, to.height / from.height];
      parts.push(`<image x="${n(to.x + (part.x - from.x) * sx)}" ` +
          `y="${n(to.y + (part.y - from.y) * sy)}" width="${n(part.width * sx)}" ` +
          `height="${n(part.height * sy)}" preserveAspectRatio="none" ` +
          `${smooth ? '' : 'style="image-rendering:pixelated" '}href="${part.url}"/>`);
    },
    clip(x, y, width, height) {
      const id = `clip${++clips}`;
      parts.push(`<clipPath id="${id}"><rect x="${n(x)}" y="${n(y)}" width="${n(width)}" ` +
          `height="${n(height)}"/></clipPath><g clip-path="url(#${id})">`);
    },
    unclip() {
      parts.push('</g>');
    },
    finish(width, height, background) {
      return '<svg xmlns="http://www.w3.org/2000/svg" ' +
          `width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}" ` +
          `font-family="${xmlText(kFigureFont)}">\n` +
          `<rect width="100%" height="100%" fill="${cssColor(background)}"/>\n` +
          `${parts.join('\n')}\n</svg>\n`;
    },
  };
}
