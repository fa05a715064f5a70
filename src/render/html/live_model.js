// A forward pass of the model in the page: an encoder with layer norm before attention and before
// the feed-forward part (megatron-bert), from the checkpoint's own files. Weights are 16-bit floats
// and read exactly; sums are in double precision.

const kTwoTo24 = 16777216;
const kTwoTo25 = 33554432;

export function halfToFloat(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 0) return (sign * mantissa) / kTwoTo24;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  return (sign * (1024 + mantissa) * (1 << exponent)) / kTwoTo25;
}

// A safetensors file: the length of a JSON header, the header, the numbers. Returns
// name -> {shape, values}.
export function readHalfTensors(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + headerLength)));
  const tensors = new Map();
  for (const [name, facts] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    if (facts.dtype !== 'F16') throw new Error(`the tensor ${name} is ${facts.dtype}, not F16`);
    const [begin, end] = facts.data_offsets;
    const values = new Float64Array((end - begin) / 2);
    for (let i = 0; i < values.length; ++i) {
      values[i] = halfToFloat(view.getUint16(8 + headerLength + begin + 2 * i, true));
    }
    tensors.set(name, {shape: facts.shape, values});
  }
  return tensors;
}

function liveSizes(config) {
  const {model_type: family, hidden_act: activation} = config;
  if (family !== 'megatron-bert') throw new Error(`no forward pass for ${family} in this page`);
  if (activation !== 'gelu') throw new Error(`no activation ${activation} in this page`);
  return {
    nLayers: config.num_hidden_layers,
    nHeads: config.num_attention_heads,
    dModel: config.hidden_size,
    dInner: config.intermediate_size,
    maxTokens: config.max_position_embeddings,
    epsilon: config.layer_norm_eps,
  };
}

// Finds tensors of the expected shape.
function tensorFinder(tensors) {
  return (name, ...shape) => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(`the model in this page has no tensor ${name}`);
    if (String(tensor.shape) !== String(shape)) {
      throw new Error(`the tensor ${name} is (${tensor.shape}), not (${shape})`);
    }
    return tensor.values;
  };
}

function readLayer(find, index, {dModel, dInner}) {
  const linear = (name, out, width) => ({
    weight: find(`${name}.weight`, out, width),
    bias: find(`${name}.bias`, out),
  });
  const norm = (name) => ({
    weight: find(`${name}.weight`, dModel),
    bias: find(`${name}.bias`, dModel),
  });
  const at = `bert.encoder.layer.${index}`;
  return {
    attentionNorm: norm(`${at}.attention.ln`),
    q: linear(`${at}.attention.self.query`, dModel, dModel),
    k: linear(`${at}.attention.self.key`, dModel, dModel),
    v: linear(`${at}.attention.self.value`, dModel, dModel),
    o: linear(`${at}.attention.output.dense`, dModel, dModel),
    mlpNorm: norm(`${at}.ln`),
    up: linear(`${at}.intermediate.dense`, dInner, dModel),
    down: linear(`${at}.output.dense`, dModel, dInner),
  };
}

// y = x W^T + b for the rows of x, whose width is even.
function applyLinear(x, n, {weight, bias}) {
  const width = weight.length / bias.length;
  const out = new Float64Array(n * bias.length);
  for (let i = 0; i < n; ++i) {
    const row = i * width;
    for (let o = 0; o < bias.length; ++o) {
      // Two sums side by side: one alone waits for each of its additions.
      let even = bias[o];
      let odd = 0;
      for (let d = 0, w = o * width; d < width; d += 2, w += 2) {
        even += x[row + d] * weight[w];
        odd += x[row + d + 1] * weight[w + 1];
      }
      out[i * bias.length + o] = even + odd;
    }
  }
  return out;
}

function applyLayerNorm(x, n, {weight, bias}, epsilon) {
  const width = weight.length;
  const out = new Float64Array(x.length);
  for (let i = 0; i < n; ++i) {
    let mean = 0;
    for (let d = 0; d < width; ++d) mean += x[i * width + d];
    mean /= width;
    let variance = 0;
    for (let d = 0; d < width; ++d) variance += (x[i * width + d] - mean) ** 2;
    const scale = 1 / Math.sqrt(variance / width + epsilon);
    for (let d = 0; d < width; ++d) {
      out[i * width + d] = (x[i * width + d] - mean) * scale * weight[d] + bias[d];
    }
  }
  return out;
}

// ln erfc(z) + z^2 is a polynomial in t = 1 / (1 + z / 2); the relative error of erfc is at most
// 1.2e-7 (Press et al., Numerical Recipes, 2nd edition, section 6.2).
const kErfc = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
  -0.82215223, 0.17087277,
];

// x Phi(x), with Phi(-|x|) = erfc(|x| / sqrt 2) / 2.
export function geluOf(x) {
  const z = Math.abs(x) * Math.SQRT1_2;
  const t = 1 / (1 + z / 2);
  let sum = 0;
  for (let c = kErfc.length - 1; c >= 0; --c) sum = sum * t + kErfc[c];
  const tail = 0.5 * t * Math.exp(sum - z * z);
  return x < 0 ? x * tail : x * (1 - tail);
}

// One row of scores, in place: softmax with its largest score subtracted.
function softmaxRow(row) {
  let largest = -Infinity;
  for (const score of row) largest = Math.max(largest, score);
  let sum = 0;
  for (let j = 0; j < row.length; ++j) sum += row[j] = Math.exp(row[j] - largest);
  for (let j = 0; j < row.length; ++j) row[j] /= sum;
}

// The weights (n x n) of one head; its output goes to its columns of `mixed`.
function attendHead(q, k, v, mixed, n, {dModel, nHeads}, head) {
  const dHead = dModel / nHeads;
  const first = head * dHead;
  const scale = 1 / Math.sqrt(dHead);
  const weights = new Float32Array(n * n);
  const row = new Float64Array(n);
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) {
      let dot = 0;
      for (let d = first; d < first + dHead; ++d) dot += q[i * dModel + d] * k[j * dModel + d];
      row[j] = dot * scale;
    }
    softmaxRow(row);
    weights.set(row, i * n);
    for (let j = 0; j < n; ++j) {
      for (let d = first; d < first + dHead; ++d) {
        mixed[i * dModel + d] += row[j] * v[j * dModel + d];
      }
    }
  }
  return weights;
}

function addTo(x, y) {
  for (let i = 0; i < x.length; ++i) x[i] += y[i];
}

// `config`: a parsed config.json; `bytes`: the safetensors file. run(ids) gives what the attention of
// each layer read, made and wrote: {parts, input, q, k, v, weights, mixed, output}; `weights` has a
// Float32Array(n * n) for each head, the others are rows of tokens, `parts` the layer's own weights.
export function createTransformer(config, bytes) {
  const sizes = liveSizes(config);
  const find = tensorFinder(readHalfTensors(bytes));
  const {dModel} = sizes;
  const words = find('bert.embeddings.word_embeddings.weight', config.vocab_size, dModel);
  const places = find('bert.embeddings.position_embeddings.weight', sizes.maxTokens, dModel);
  const nTypes = config.type_vocab_size;
  const types = find('bert.embeddings.token_type_embeddings.weight', nTypes, dModel);
  const layers = Array.from({length: sizes.nLayers}, (_, l) => readLayer(find, l, sizes));

  function embed(ids) {
    const x = new Float64Array(ids.length * dModel);
    ids.forEach((id, i) => {
      for (let d = 0; d < dModel; ++d) {
        x[i * dModel + d] = words[id * dModel + d] + places[i * dModel + d] + types[d];
      }
    });
    return x;
  }

  function runLayer(layer, x, n) {
    const input = applyLayerNorm(x, n, layer.attentionNorm, sizes.epsilon);
    const [q, k, v] = [layer.q, layer.k, layer.v].map((part) => applyLinear(input, n, part));
    const mixed = new Float64Array(n * dModel);
    const weights = [];
    for (let h = 0; h < sizes.nHeads; ++h) weights.push(attendHead(q, k, v, mixed, n, sizes, h));
    const output = applyLinear(mixed, n, layer.o);
    addTo(x, output);
    const inner = applyLinear(applyLayerNorm(x, n, layer.mlpNorm, sizes.epsilon), n, layer.up);
    addTo(x, applyLinear(inner.map(geluOf), n, layer.down));
    return {parts: layer, input, q, k, v, weights, mixed, output};
  }

  function run(ids) {
    if (ids.length === 0 || ids.length > sizes.maxTokens) {
      throw new Error(`the model reads 1 to ${sizes.maxTokens} tokens, not ${ids.length}`);
    }
    const x = embed(ids);
    return layers.map((layer) => runLayer(layer, x, ids.length));
  }
  return {sizes, run};
}
