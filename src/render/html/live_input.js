// The model in the page as one thing: text in, an input of the report out.

import {createTransformer} from './live_model.js';
import {createLiveSteps} from './live_steps.js';
import {createTokenizer, isLivePunctuation, liveTokenLabel} from './live_tokenizer.js';
import {labelOf, scoresOf, traitsOf} from './live_scores.js';

function fullMap(weights, n) {
  return {
    rows: n,
    cols: n,
    rowPool: 1,
    colPool: 1,
    rowStart: 0,
    colStart: 0,
    values: weights,
    masked: new Uint8Array(n * n),
    exact: true,
    step: 0,
    window: null,
  };
}

function liveHead(layer, head, weights, n, label, labelText, scores) {
  const map = fullMap(weights, n);
  return {
    name: `L${layer}H${head}`,
    layer,
    head,
    label,
    labelText,
    scores,
    thumb: map,
    load: () => Promise.resolve(map),
  };
}

// What is wrong with the length of a text; null when it fits.
function lengthProblem(count, maxTokens, nAdded) {
  if (count <= maxTokens) return null;
  const over = count - maxTokens;
  return (
    `too long: ${count - nAdded} words and marks, the model reads ${maxTokens - nAdded}; ` +
    `take out ${over}`
  );
}

// `facts`: what the program wrote (src/cli/live_payload.cpp); `bytes`: the checkpoint.
export function createLiveModel(facts, bytes) {
  const tokenizer = createTokenizer(facts.tokenizer);
  const transformer = createTransformer(facts.model, bytes);
  const special = new Set(facts.special);
  const nAdded = tokenizer.encode('').ids.length;

  function inputOf(text, encoded) {
    const {tokens, spans} = encoded;
    const n = tokens.length;
    const labels = tokens.map(liveTokenLabel);
    const traits = traitsOf(tokens, (token) => special.has(token), isLivePunctuation);
    const layers = transformer.run(encoded.ids);
    const heads = layers.flatMap((layer, l) =>
      layer.weights.map((weights, h) => {
        const scores = scoresOf(weights, n, traits);
        const label = labelOf(scores, facts.thresholds, special.has(tokens[0]));
        const labelText = facts.labelTexts[label] ?? '';  // none that is not clear
        return liveHead(l, h, weights, n, label, labelText, scores);
      })
    );
    return {
      name: text,
      text,
      queryTokens: labels,
      keyTokens: labels,
      queryWords: spans,
      keyWords: spans,
      heads,
      similarity: null,
      relations: null,
      contribution: null,
      steps: createLiveSteps(transformer.sizes, layers, labels,
          tokens.map((token) => special.has(token))),
    };
  }

  return {
    words: [...tokenizer.vocabulary.keys()].filter((word) => !special.has(word)),
    maxTokens: transformer.sizes.maxTokens,
    // {input, unknown, problem}: no input where there is a problem.
    read(text) {
      const encoded = tokenizer.encode(text);
      const {unknown, ids} = encoded;
      let problem = lengthProblem(ids.length, transformer.sizes.maxTokens, nAdded);
      if (ids.length === nAdded) problem = 'no words yet';
      return {input: problem === null ? inputOf(text, encoded) : null, unknown, problem};
    },
  };
}
