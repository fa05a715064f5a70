// Work that would hold the page up, done in slices between frames.

const kSliceTime = 8; // ms

// start(items) calls work(item) for each in turn; items of an earlier start that still wait are
// dropped. The first slice is done at once.
export function makeSlices(work, {
  now = () => performance.now(),
  request = (fn) => requestAnimationFrame(fn),
  cancel = (frame) => cancelAnimationFrame(frame),
} = {}) {
  let waiting = [];
  let frame = null;
  const run = () => {
    frame = null;
    const end = now() + kSliceTime;
    while (waiting.length > 0) {
      work(waiting.shift());
      if (now() >= end) break;
    }
    if (waiting.length > 0) frame = request(run);
  };
  const stop = () => {
    if (frame !== null) cancel(frame);
    frame = null;
    waiting = [];
  };
  return {
    start(items) {
      stop();
      waiting = [...items];
      run();
    },
    stop,
    isBusy: () => waiting.length > 0,
  };
}
