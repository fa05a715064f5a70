// What the steps of a typed sentence are called, how they are written and what they do: the words of
// the program (src/cli/step_texts.cpp, step_formulas.cpp, step_sentences.cpp) for an encoder that has
// biases, no mask and a key-value head for each head. A test compares both.

const lowered = (...parts) => ({sub: parts});
const raised = (...parts) => ({sup: parts});
const kModelWidth = ['d', lowered('model')];

function sliceOf(letter, of, head) {
  return [letter, lowered(String(head)), raised(of)];
}

function productTexts(of, sentence) {
  return ({head, dHead, dModel}) => ({
    formula: [`${of} = X `, ...sliceOf('W', of, head), ' + ', ...sliceOf('b', of, head)],
    sentence: `${sentence}: ${dHead} numbers made from ${dModel}.`,
    shape: ['n', 'd_head'],
  });
}

function sliceTexts(of, sentence) {
  const width = ['d', lowered(of === 'V' ? 'v' : 'k')];
  return ({head, first, last}) => ({
    formula: [...sliceOf('W', of, head), ' ∈ ℝ', raised(...kModelWidth, ' × ', ...width)],
    sentence: `Head ${head} owns columns ${first} to ${last} of W_${of}: ${sentence}.`,
    shape: ['d_model', 'd_head'],
  });
}

function scaledTexts({dHead}) {
  const root = Math.round(100 * Math.sqrt(dHead)) / 100;
  return {
    formula: ['Z = S / ', {root: ['d', lowered('k')]}],
    sentence: `Divided by √${dHead} = ${root}, so that scores do not grow with the width of the head.`,
    shape: ['n', 'n'],
  };
}

function concatTexts({head, first, last, nHeads}) {
  const name = (h) => ['head', lowered(String(h))];
  const between = nHeads > 2 ? ', …, ' : ', ';
  return {
    formula: ['Concat(', ...name(0), between, ...name(nHeads - 1), ')'],
    sentence: `The outputs of ${nHeads} heads stand side by side; head ${head} fills columns ` +
        `${first} to ${last}.`,
    shape: ['n', 'n_heads·d_head'],
  };
}

// [name, title, texts of a head], in the order of the steps.
export const kLiveStepTexts = [
  ['input', 'Input', ({dModel}) => ({
    formula: ['X ∈ ℝ', raised('n × ', ...kModelWidth)],
    sentence: 'The hidden state, as the attention of this layer reads it: one row of ' +
        `${dModel} numbers for each token.`,
    shape: ['n', 'd_model'],
  })],
  ['query-weights', 'Query weights', sliceTexts('Q', 'what a token asks for')],
  ['key-weights', 'Key weights', sliceTexts('K', 'what a token can be found by')],
  ['value-weights', 'Value weights', sliceTexts('V', 'what a token passes on')],
  ['queries', 'Queries', productTexts('Q', 'Each token asks a question')],
  ['keys', 'Keys', productTexts('K', 'Each token shows what it answers to')],
  ['values', 'Values', productTexts('V', 'Each token holds ready what it would pass on')],
  ['scores', 'Scores', ({n}) => ({
    formula: ['S = Q K', raised('T')],
    sentence: `Every query meets every key, ${n} × ${n} dot products: large where question and ` +
        'answer agree.',
    shape: ['n', 'n'],
  })],
  ['scaled', 'Scaled scores', scaledTexts],
  ['weights', 'Attention weights', ({query}) => ({
    formula: ['A = softmax(Z)'],
    sentence: `Each row becomes positive and sums to 1: how "${query}" and every other token ` +
        'share out their attention.',
    shape: ['n', 'n'],
  })],
  ['head-output', 'Output of the head', ({head}) => ({
    formula: ['head', lowered(String(head)), ' = A V'],
    sentence: 'Each token gets the mean of all values, weighted by its row of A.',
    shape: ['n', 'd_head'],
  })],
  ['concat', 'All heads side by side', concatTexts],
  ['output-weights', 'Output weights', ({head, first, last}) => ({
    formula: ['W', raised('O'), ' ∈ ℝ', raised('h·d', lowered('v'), ' × ', ...kModelWidth)],
    sentence: `W_O mixes the heads: rows ${first} to ${last} say where head ${head} writes.`,
    shape: ['n_heads·d_head', 'd_model'],
  })],
  ['output', 'Output of the attention', ({nHeads, dModel}) => ({
    formula: ['MultiHead = Concat(…) W', raised('O'), ' + b', raised('O')],
    sentence: `What ${nHeads} heads found, mixed into one row of ${dModel} numbers a token.`,
    shape: ['n', 'd_model'],
  })],
];
