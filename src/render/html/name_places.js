// Where the names of points stand: beside their points, in the order of src/render/name_places.cpp. That
// one keeps names off points that they could be read with, and leads to them by lines; here pointing
// at a point says its name. Boxes are {x, y, width, height}.

function boxesOverlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
      b.y < a.y + a.height;
}

function liesInside(box, area) {
  return box.x >= area.x && box.y >= area.y && box.x + box.width <= area.x + area.width &&
      box.y + box.height <= area.y + area.height;
}

// Indices of the points, the loneliest first.
function byLoneliness(points) {
  const nearest = points.map((p, i) => Math.min(...points.map((other, j) => (i === j ? Infinity :
    Math.hypot(p.x + p.width / 2 - other.x - other.width / 2,
        p.y + p.height / 2 - other.y - other.height / 2)))));
  return points.map((_, i) => i).sort((a, b) => nearest[b] - nearest[a] || a - b);
}

// Places around a point, the best first: right, left, above, below, then the corners.
function placesAround(point, {width, height}, gap) {
  const left = point.x - gap - width;
  const right = point.x + point.width + gap;
  const above = point.y - gap / 2 - height;
  const below = point.y + point.height + gap / 2;
  const center = point.x + (point.width - width) / 2;
  const middle = point.y + (point.height - height) / 2;
  return [[right, middle], [left, middle], [center, above], [center, below], [right - gap, above],
    [right - gap, below], [left + gap, above], [left + gap, below]]
      .map(([x, y]) => ({x, y, width, height}));
}

// For each point the box of its name, or null where all eight places around it are taken. No name
// covers another name or any point, and all lie in `area`. `points` are the boxes of the markers,
// `sizes` the {width, height} of the names; points far from all others choose first.
export function placeNames(points, sizes, area, gap) {
  const places = points.map(() => null);
  const taken = [...points];
  for (const i of byLoneliness(points)) {
    const isFree = (box) => {
      const wide = {...box, x: box.x - (gap - 1), width: box.width + 2 * (gap - 1)};
      return liesInside(box, area) && !taken.some((other) => boxesOverlap(wide, other));
    };
    const place = placesAround(points[i], sizes[i], gap).find(isFree);
    if (!place) continue;
    places[i] = place;
    taken.push(place);
  }
  return places;
}
