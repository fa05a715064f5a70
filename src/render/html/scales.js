// From values to places on a colour map and back, ticks of the colour bar, and how numbers are
// written: the same rules as src/render/colormap.cpp and src/render/ticks.cpp.

// The sign of a negative number is as wide as a plus, which a hyphen is not.
export function withMinus(text) {
  return String(text).replaceAll('-', '−');
}

// "0.93", "−0.12"; what rounds to zero has no sign.
export function fixedNumber(value, digits = 2) {
  const text = value.toFixed(digits);
  return withMinus(Number(text) === 0 ? text.replace('-', '') : text);
}

// Smallest part of the largest value that a log scale still tells apart.
const kLogSpan = 1e-4;

// `kind` is "linear", "sqrt" or "log".
export function makeValueScale({kind = 'linear', low = 0, high = 1}) {
  if (!Number.isFinite(low) || !Number.isFinite(high)) [low, high] = [0, 1];
  if (!(low < high)) {
    [low, high] = [Math.min(high, 0), Math.max(high, 0)];
    if (low === high) high = 1;
  }
  if (kind === 'log' && high <= 0) kind = 'linear';
  if (kind === 'log') low = Math.max(low, high * kLogSpan);
  const span = high - low;
  const logSpan = kind === 'log' ? Math.log(high / low) : 0;
  const position = (value) => {
    if (!(value > low)) return 0;
    if (value >= high) return 1;
    if (kind === 'log') return Math.log(value / low) / logSpan;
    const part = (value - low) / span;
    return kind === 'sqrt' ? Math.sqrt(part) : part;
  };
  const valueAt = (place) => {
    if (kind === 'log') return low * (high / low) ** place;
    return low + (kind === 'sqrt' ? place * place : place) * span;
  };
  return {kind, low, high, position, value: valueAt};
}

// The ends of a diverging scale: zero is in the middle.
export function symmetricRange(largest) {
  const end = largest > 0 && Number.isFinite(largest) ? largest : 1;
  return {low: -end, high: end};
}

// 1, 2 or 5 times a power of ten, at least `rough`.
export function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5]) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// Six digits, and an exponent of at least two: as C++ prints it.
function shortExponent(value) {
  return withMinus(Number(value.toPrecision(6)).toExponential().replace(/e([+-])(\d)$/, 'e$10$2'));
}

// Shortest text: "0.2", "1", "0.0001", "−3", "2e−07".
export function tickText(value) {
  const size = Math.abs(value);
  if (size !== 0 && size < 1e-4 * (1 - 1e-9)) return shortExponent(value);
  const text = value.toFixed(6).replace(/\.?0+$/, '');
  return text === '-0' ? '0' : withMinus(text);
}

function addTick(ticks, scale, value, gap) {
  const slack = 1e-9 * (scale.high - scale.low);
  if (value < scale.low - slack || value > scale.high + slack) return;
  const position = scale.position(value);
  if (ticks.some((tick) => Math.abs(tick.position - position) < gap)) return;
  ticks.push({position, text: tickText(value)});
}

function addLinearTicks(ticks, scale, step, gap) {
  for (let i = Math.ceil(scale.low / step - 1e-9); i * step <= scale.high + 1e-9 * step; ++i) {
    addTick(ticks, scale, i * step, gap);
  }
}

// 1, 2, 5 times powers of ten, from the largest down to 1e-5 of it.
function addDecadeTicks(ticks, scale, gap) {
  const top = Math.floor(Math.log10(scale.high) + 1e-9);
  for (let e = top; 10 ** e >= scale.high * 0.99e-5; --e) {
    for (const factor of [5, 2, 1]) addTick(ticks, scale, factor * 10 ** e, gap);
  }
}

function logTicks(scale, gap) {
  const ticks = [];
  for (let e = Math.ceil(Math.log10(scale.low) - 1e-9); 10 ** e <= scale.high * (1 + 1e-9); ++e) {
    addTick(ticks, scale, 10 ** e, gap);
  }
  addTick(ticks, scale, scale.low, gap / 2);
  addDecadeTicks(ticks, scale, gap);
  return ticks;
}

// Marks of a colour bar: [{position 0..1, text}], at most about `most` of them. `signed` puts a
// plus before what is above zero.
export function roundTicks({kind = 'linear', low = 0, high = 1, signed = false}, most) {
  const scale = makeValueScale({kind, low, high});
  const gap = 1 / Math.max(most, 2);
  let ticks = [];
  if (scale.kind === 'log' && scale.low > 0) {
    ticks = logTicks(scale, gap);
  } else if (scale.kind === 'sqrt' && scale.low === 0) {
    addTick(ticks, scale, 0, gap);
    addDecadeTicks(ticks, scale, gap);
    addLinearTicks(ticks, scale, roundStep(scale.high * gap), gap);
  } else {
    addLinearTicks(ticks, scale, roundStep((scale.high - scale.low) * gap), 0);
  }
  ticks.sort((a, b) => a.position - b.position);
  for (const tick of ticks) {
    if (signed && scale.value(tick.position) > 0 && tick.text !== '0') tick.text = `+${tick.text}`;
  }
  if (scale.kind === 'log' && ticks.length > 0 && ticks[0].position < 1e-9) {
    ticks[0].text = `≤ ${ticks[0].text}`;
  }
  return withEnds(ticks, scale, signed);
}

// A scale needs two numbers: where one round tick alone fits, the ends as they are.
function withEnds(ticks, scale, signed) {
  if (ticks.length !== 1 || scale.kind !== 'linear') return ticks;
  const endText = (value) => (signed && value > 0 ? '+' : '') +
      withMinus(Number(value.toPrecision(3)));
  const only = ticks[0].position;
  if (only < 0.6) ticks.push({position: 1, text: endText(scale.high)});
  if (only > 0.4) ticks.unshift({position: 0, text: endText(scale.low)});
  return ticks;
}

// What stands beside the colour bar.
export function scaleTitle(valueName, kind, norm) {
  const name = norm === 'row' ? `${valueName} / row maximum` : valueName;
  return kind === 'linear' ? name : `${name}, ${kind} scale`;
}

// ".93", "1.0", "3.2", "−14"; empty for what says nothing (below 0.005 in size) or is too long.
export function cellNumber(value) {
  const size = Math.abs(value);
  if (!(size >= 0.005) || !Number.isFinite(value)) return '';
  let text;
  if (size < 0.995) {
    text = value.toFixed(2).replace('0', '');
  } else if (size < 9.95) {
    text = value.toFixed(1);
  } else {
    text = value.toFixed(0);
  }
  return text.length <= 4 ? withMinus(text) : '';
}

// The value a reader gets on hover: all that the file knows, and how sure it is.
export function exactText(value, exact, step) {
  if (Number.isNaN(value)) return 'no number';
  if (!Number.isFinite(value)) return value > 0 ? 'infinite' : 'minus infinite';
  if (exact || !(step > 0)) {
    const size = Math.abs(value);
    return size !== 0 && size < 1e-4 ? shortExponent(value) : fixedNumber(value, 6);
  }
  // As many digits as the step leaves certain, and one more.
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(step)) + 1, 2), 7);
  return `${fixedNumber(value, digits)} ± ${withMinus(Number(step.toPrecision(1)))}`;
}
