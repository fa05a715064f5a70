// Saves what is seen as PNG or SVG. A picture is {width, height, background, draw(pen)}; several
// are put side by side, in lines of at most `columns`.

import {canvasPen, svgPen} from './pens.js';

const kPngScale = 2;           // pixels of the file for one of the screen
const kLongestSide = 16000;    // px: what browsers draw on one canvas
const kGap = 16;

// Puts pictures into lines: their corners and the size of all.
export function tilePictures(pictures, columns) {
  let [x, y, lineHeight, width] = [kGap, kGap, 0, 0];
  const places = pictures.map((picture, i) => {
    if (i > 0 && i % columns === 0) {
      [x, y, lineHeight] = [kGap, y + lineHeight + kGap, 0];
    }
    const place = {x, y};
    x += picture.width + kGap;
    width = Math.max(width, x);
    lineHeight = Math.max(lineHeight, picture.height);
    return place;
  });
  return {places, width, height: y + lineHeight + kGap};
}

// A pen whose strokes land elsewhere.
export function shiftedPen(pen, dx, dy) {
  const moved = (name, pairs) => (...args) => {
    for (let i = 0; i < pairs; ++i) {
      args[2 * i] += dx;
      args[2 * i + 1] += dy;
    }
    pen[name](...args);
  };
  return {
    isVector: pen.isVector,
    rect: moved('rect', 1),
    frame: moved('frame', 1),
    line: moved('line', 2),
    curve: moved('curve', 2),
    clip: moved('clip', 1),
    unclip: () => pen.unclip(),
    text: (text, x, y, style) => pen.text(text, x + dx, y + dy, style),
    image: (bitmap, from, to, smooth) =>
      pen.image(bitmap, from, {...to, x: to.x + dx, y: to.y + dy}, smooth),
  };
}

export function picturesAsSvg(pictures, columns = 2) {
  const {places, width, height} = tilePictures(pictures, columns);
  const pen = svgPen();
  pictures.forEach((picture, i) => picture.draw(shiftedPen(pen, places[i].x, places[i].y)));
  return pen.finish(width, height, pictures[0].background);
}

export function picturesAsCanvas(pictures, columns = 2) {
  const {places, width, height} = tilePictures(pictures, columns);
  const scale = Math.min(kPngScale, kLongestSide / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  const pen = canvasPen(context);
  pen.rect(0, 0, width, height, pictures[0].background);
  pictures.forEach((picture, i) => picture.draw(shiftedPen(pen, places[i].x, places[i].y)));
  return canvas;
}

// A name that every file system takes.
export function fileNameOf(name, extension) {
  const plain = name.normalize('NFKD').replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[-.]+|-+$/g, '');
  return `${plain.slice(0, 80) || 'view'}.${extension}`;
}

export function downloadBlob(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Not at once: the browser still has to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function saveViewAsSvg(pictures, name, columns) {
  const text = picturesAsSvg(pictures, columns);
  downloadBlob(new Blob([text], {type: 'image/svg+xml'}), fileNameOf(name, 'svg'));
}

export function saveViewAsPng(pictures, name, columns) {
  return new Promise((resolve) => {
    picturesAsCanvas(pictures, columns).toBlob((blob) => {
      if (blob) downloadBlob(blob, fileNameOf(name, 'png'));
      resolve(Boolean(blob));
    }, 'image/png');
  });
}
