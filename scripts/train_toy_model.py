#!/usr/bin/env python3
"""Trains the toy transformer: a small bidirectional encoder that guesses masked words.

Nothing tells it where to look: the loss is the cross-entropy of the masked words, and of the words that
a pronoun replaced, and nothing else. The sentences come from toy_grammar.py. The model is a Megatron-BERT
(pre-LN: a layer norm before attention and before the feed-forward, residuals around them, a final norm)
and is saved in the Hugging Face layout of `megatron-bert`.

Needs PyTorch (Debian: python3-torch). Runs on one thread; stops after a number of steps, never by the
clock, so that a run can be repeated; other BLAS kernels round otherwise and end in other weights.

  train_toy_model.py --seed 1 --steps 12000 4000 4000 4000 --out data/models/toy
"""

import argparse
import json
import math
import os
import struct
import time
from dataclasses import dataclass
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy and PyTorch load it

import eval_toy_model
import numpy as np
import torch
import toy_grammar
from torch import nn
from torch.nn import functional

D_MODEL, N_HEADS, N_LAYERS, D_FEED_FORWARD, N_POSITIONS = 64, 8, 3, 128, toy_grammar.MAX_WORDS + 1
EPS = 1e-5
EMBEDDING_STD = 0.08

# How often a word of each kind is to be guessed.
MASK_SHARES = {
    "verb": 0.30,
    "name": 0.30,
    "concept": 0.30,
    "adjective": 0.24,
    "noun": 0.20,
    "pronoun": 0.20,
    "relative": 0.20,
    "predicate": 0.25,
    "determiner": 0.10,
    "copula": 0.08,
    "conjunction": 0.04,
    "adverb": 0.03,
    "preposition": 0.03,
}
SHOWN_AS_MASK, SHOWN_AS_RANDOM = 0.6, 0.2  # the others stay as they are


@dataclass(frozen=True)
class Stage:
    """One stage of the training, with a warm-up and a cosine of its own."""

    like_share: float  # of sentences in which only the kind tells the nouns apart
    asked_share: float  # how often a pronoun that is seen raises the question what it replaced
    asks_adjectives: bool  # asks for the adjectives of the replaced noun, too
    swaps_pronouns: bool  # a pronoun shown as another word is shown as the other pronoun
    peak_rate: float = 2e-3
    seed: int = 0  # added to the seeds of the sentences and of the batches


STAGES = [
    Stage(like_share=0.0, asked_share=0.3, asks_adjectives=False, swaps_pronouns=False),
    Stage(like_share=0.7, asked_share=0.4, asks_adjectives=True, swaps_pronouns=True),
    Stage(like_share=0.7, asked_share=0.4, asks_adjectives=True, swaps_pronouns=True, peak_rate=1.5e-3, seed=100),
    Stage(like_share=0.35, asked_share=0.4, asks_adjectives=True, swaps_pronouns=True, peak_rate=1e-3, seed=200),
]
WARM_UP, BATCH, N_SENTENCES = 200, 64, 60000
LOG_EVERY, SCORE_EVERY = 500, 1000

# ---------------------------------------------------------------------------------------------
# Model. Modules carry the names of the saved tensors.


class SelfAttention(nn.Module):
    """Multi-head attention without masks: (sentence, token, d_model) to the same.

    Many small products of d_head numbers are slow, so all heads of a sentence share one product: for
    each head a copy of the keys (and values) with the dimensions of the other heads set to 0.
    """

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(D_MODEL, D_MODEL)
        self.key = nn.Linear(D_MODEL, D_MODEL)
        self.value = nn.Linear(D_MODEL, D_MODEL)
        self.weights = None  # of the last call: (sentence, query, head, key)

    def spread(self, y):
        """(sentence, token, d_model) to (sentence, head * token, d_model)."""
        n, tokens, _ = y.shape
        parts = y.view(n, tokens, N_HEADS, -1).transpose(2, 3)
        return torch.diag_embed(parts, dim1=1, dim2=3).view(n, N_HEADS * tokens, D_MODEL)

    def forward(self, x):
        n, tokens, _ = x.shape
        query = self.query(x) * (D_MODEL // N_HEADS) ** -0.5
        scores = query @ self.spread(self.key(x)).transpose(1, 2)
        self.weights = scores.view(n, tokens, N_HEADS, tokens).softmax(-1)
        return self.weights.flatten(2) @ self.spread(self.value(x))


class Dense(nn.Module):
    """A linear map under the name "dense"."""

    def __init__(self, n_in, n_out):
        super().__init__()
        self.dense = nn.Linear(n_in, n_out)

    def forward(self, x):
        return self.dense(x)


class Attention(nn.Module):
    """Norm, attention, projection, residual."""

    def __init__(self):
        super().__init__()
        self.ln = nn.LayerNorm(D_MODEL, EPS)
        self.self = SelfAttention()
        self.output = Dense(D_MODEL, D_MODEL)

    def forward(self, x):
        return x + self.output(self.self(self.ln(x)))


class Layer(nn.Module):
    """Attention, then feed-forward: (sentence, token, d_model) to the same."""

    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.ln = nn.LayerNorm(D_MODEL, EPS)
        self.intermediate = Dense(D_MODEL, D_FEED_FORWARD)
        self.output = Dense(D_FEED_FORWARD, D_MODEL)

    def forward(self, x):
        x = self.attention(x)
        return x + self.output(functional.gelu(self.intermediate(self.ln(x))))


class Encoder(nn.Module):
    """The layers and the final norm."""

    def __init__(self):
        super().__init__()
        self.layer = nn.ModuleList(Layer() for _ in range(N_LAYERS))
        self.ln = nn.LayerNorm(D_MODEL, EPS)

    def forward(self, x):
        for layer in self.layer:
            x = layer(x)
        return self.ln(x)


class Embeddings(nn.Module):
    """Words plus learned positions: (sentence, token) to (sentence, token, d_model)."""

    def __init__(self, n_words):
        super().__init__()
        self.word_embeddings = nn.Embedding(n_words, D_MODEL)
        self.position_embeddings = nn.Embedding(N_POSITIONS, D_MODEL)
        for table in (self.word_embeddings, self.position_embeddings):
            nn.init.normal_(table.weight, std=EMBEDDING_STD)

    def forward(self, ids):
        return self.word_embeddings(ids) + self.position_embeddings.weight[: ids.shape[1]]


class Transform(nn.Module):
    """What stands between the encoder and the word table in the prediction."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(D_MODEL, D_MODEL)
        self.LayerNorm = nn.LayerNorm(D_MODEL, EPS)

    def forward(self, x):
        return self.LayerNorm(functional.gelu(self.dense(x)))


class Toy(nn.Module):
    """The whole model."""

    def __init__(self, n_words):
        super().__init__()
        self.bert = nn.ModuleDict({"embeddings": Embeddings(n_words), "encoder": Encoder()})
        predictions = nn.Module()
        predictions.transform = Transform()
        predictions.bias = nn.Parameter(torch.zeros(n_words))
        self.cls = nn.ModuleDict({"predictions": predictions})

    def hidden(self, ids):
        """(sentence, token) to (sentence, token, d_model)."""
        return self.bert["encoder"](self.bert["embeddings"](ids))

    def logits(self, hidden):
        """(row, d_model) to (row, word), with the tied word table."""
        predictions = self.cls["predictions"]
        table = self.bert["embeddings"].word_embeddings.weight
        return predictions.transform(hidden) @ table.T + predictions.bias

    def attention(self, ids):
        """One sentence (token) to (layer, head, query, key)."""
        with torch.no_grad():
            self.hidden(torch.tensor([ids]))
            layers = self.bert["encoder"].layer
            weights = torch.cat([layer.attention.self.weights for layer in layers])
            return weights.transpose(1, 2).numpy()


# ---------------------------------------------------------------------------------------------
# Batches


class Batches:
    """Draws batches of sentences of equal length and masks words by their kind.

    A noun that would come up again stands as a pronoun in the sentences ("the creature ate because
    creature was hungry" as "... because it was hungry"): a mask that keeps the number. So a pronoun
    raises two questions, never at once: which pronoun was it (when it is masked like other words),
    and what did it replace (when it is seen): the noun or, in the second stage, one of its adjectives.
    """

    def __init__(self, sentences, vocabulary, seed, stage):
        self.vocabulary = vocabulary
        self.stage = stage
        self.pronouns = torch.tensor([vocabulary["it"], vocabulary["they"]])
        self.generator = torch.Generator().manual_seed(seed)
        by_length = {}
        for s in sentences:
            by_length.setdefault(len(s.words), []).append(s)
        groups = [group for _, group in sorted(by_length.items()) if len(group) >= BATCH]
        self.groups = [self.tensors(group) for group in groups]
        self.shares = torch.tensor([float(len(group)) for group in groups])

    def tensors(self, group):
        """Returns ids, mask shares, whether it is a pronoun, words that tell its number, what it replaced.

        (sentence, token) each, the last (sentence, token, 3); [bos] first.
        """
        ids = [[self.vocabulary["[bos]"]] + [self.vocabulary[w] for w in s.words] for s in group]
        shares = [[0.0] + [MASK_SHARES[kind] for kind in s.kinds] for s in group]
        places = [range(len(s.words)) for s in group]
        pronouns = [[False] + [n in s.replaced for n in p] for s, p in zip(group, places)]
        replaced = [[[0] * 3] + [self.ask(s.replaced.get(n)) for n in p] for s, p in zip(group, places)]
        telling = [[False] + [n in s.telling for n in p] for s, p in zip(group, places)]
        return [torch.tensor(table) for table in (ids, shares, pronouns, telling, replaced)]

    def ask(self, words):
        """Returns three ids to draw from: the noun and its adjectives; the noun fills up."""
        ids = [self.vocabulary[w] for w in words or ["[pad]"]]
        return (ids + [ids[0]] * 2)[:3]

    def random(self, like):
        """Numbers from 0 to 1 in the shape of `like`."""
        return torch.rand(like.shape, generator=self.generator)

    def draw(self):
        """Returns (shown ids, true ids, chosen): (sentence, token) each."""
        group = torch.multinomial(self.shares, 1, generator=self.generator).item()
        rows = torch.randint(len(self.groups[group][0]), (BATCH,), generator=self.generator)
        ids, shares, pronouns, telling, replaced = (t[rows] for t in self.groups[group])
        chosen = self.random(shares) < shares
        # A masked pronoun must not be read off "was" or "were": those of its clause are masked, too.
        copulas = telling & (chosen & pronouns).any(1, keepdim=True)
        how = self.random(shares).masked_fill(copulas, 0)
        chosen = chosen | copulas
        n_special = len(toy_grammar.SPECIAL_TOKENS)
        words = torch.randint(n_special, len(self.vocabulary), ids.shape, generator=self.generator)
        if self.stage.swaps_pronouns:
            words = torch.where(pronouns, self.pronouns.sum() - ids, words)
        shown = torch.where(chosen & (how < SHOWN_AS_MASK + SHOWN_AS_RANDOM), words, ids)
        shown = torch.where(chosen & (how < SHOWN_AS_MASK), torch.tensor(self.vocabulary["[mask]"]), shown)
        asked = pronouns & ~chosen & (self.random(shares) < self.stage.asked_share)
        target = replaced[..., 0]
        if self.stage.asks_adjectives:
            which = torch.randint(replaced.shape[2], ids.shape, generator=self.generator)
            target = replaced.gather(2, which[..., None])[..., 0]
        return shown, torch.where(asked, target, ids), chosen | asked


# ---------------------------------------------------------------------------------------------
# Training


def learning_rate(step, steps, peak):
    """Linear warm-up, then half a cosine down to zero."""
    if step < WARM_UP:
        return peak * (step + 1) / WARM_UP
    return peak * 0.5 * (1 + math.cos(math.pi * (step - WARM_UP) / (steps - WARM_UP)))


def scores_line(model, vocabulary):
    """A short line of scores on a few held-out sentences: best rate of any head, and the twins."""
    attention_of = lambda words: model.attention([vocabulary[w] for w in ["[bos]", *words]])
    sentences = toy_grammar.held_out_sentences(300)
    rates = eval_toy_model.relation_rates(attention_of, sentences)
    parts = [f"{name} {rate.max():.2f}/{rate.max() - baseline:+.2f}" for name, (_, rate, baseline, _) in rates.items()]
    weight, _ = eval_toy_model.previous_word(attention_of, sentences)
    pairs = toy_grammar.twins(100, toy_grammar.PICK_TWIN_SEED)
    head = eval_toy_model.best_twin_head(attention_of, pairs)
    twins = eval_toy_model.twin_scores(attention_of, pairs, head)
    parts.append(f"previous word {weight.max():.2f}, pronoun head {head[0]}.{head[1]}")
    parts += [f"twins by {sort} {twins[sort][1]:.2f} (weight {twins[sort][2]:.2f})" for sort in ("kind", "number")]
    return "  " + ", ".join(parts)


def train(model, batches, steps, log):
    """Runs the steps; log(text) receives the lines of the log."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=batches.stage.peak_rate, betas=(0.9, 0.98), weight_decay=0.01)
    started, total = time.time(), 0.0
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, batches.stage.peak_rate)
        shown, ids, chosen = batches.draw()
        if not chosen.any():
            continue
        loss = functional.cross_entropy(model.logits(model.hidden(shown)[chosen]), ids[chosen])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
        if (step + 1) % LOG_EVERY == 0:
            minutes = (time.time() - started) / 60
            log(f"step {step + 1}: loss {total / LOG_EVERY:.4f}, {minutes:.1f} minutes")
            total = 0.0
        if (step + 1) % SCORE_EVERY == 0:
            log(scores_line(model, batches.vocabulary))


# ---------------------------------------------------------------------------------------------
# Files


def save_safetensors(path, tensors):
    """Writes {name: float16 array} as a safetensors file."""
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F16", "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    data = b"".join(array.astype("<f2").tobytes() for array in tensors.values())
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def saved_tensors(model):
    """Returns the tensors by their Megatron-BERT names, in float16; token types are zero."""
    tensors = {name: value.detach().numpy().astype(np.float16) for name, value in model.state_dict().items()}
    tensors["bert.embeddings.token_type_embeddings.weight"] = np.zeros((2, D_MODEL), np.float16)
    return dict(sorted(tensors.items()))


def config(n_words):
    """The contents of config.json."""
    return {
        "architectures": ["MegatronBertForMaskedLM"],
        "model_type": "megatron-bert",
        "vocab_size": n_words,
        "hidden_size": D_MODEL,
        "num_hidden_layers": N_LAYERS,
        "num_attention_heads": N_HEADS,
        "intermediate_size": D_FEED_FORWARD,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "max_position_embeddings": N_POSITIONS,
        "position_embedding_type": "absolute",
        "type_vocab_size": 2,
        "layer_norm_eps": EPS,
        "initializer_range": EMBEDDING_STD,
        "is_decoder": False,
        "tie_word_embeddings": True,
        "pad_token_id": 0,
        "bos_token_id": 3,
        "torch_dtype": "float16",
    }


def tokenizer(vocabulary):
    """The contents of tokenizer.json: whole words in lower case, [bos] in front.

    The end of a sentence is dropped, and capitals become small letters: the grammar has no full stops, and
    people type "The cat slept." The names of the grammar keep the capitals they have there; no two words
    differ by case alone.
    """
    end_of_sentence = {"type": "Replace", "pattern": {"Regex": "[.!?]+\\s*$"}, "content": ""}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    bos, first = {"SpecialToken": {"id": "[bos]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": vocabulary[t], "content": t, **flags} for t in toy_grammar.SPECIAL_TOKENS],
        "normalizer": {"type": "Sequence", "normalizers": [end_of_sentence, {"type": "Lowercase"}]},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [bos, first],
            "pair": [bos, first, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[bos]": {"id": "[bos]", "ids": [vocabulary["[bos]"]], "tokens": ["[bos]"]}},
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word.lower(): n for word, n in vocabulary.items()}, "unk_token": "[unk]"},
    }


TOKENIZER_CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "model_max_length": N_POSITIONS,
    "pad_token": "[pad]",
    "unk_token": "[unk]",
    "mask_token": "[mask]",
    "bos_token": "[bos]",
    "clean_up_tokenization_spaces": False,
}


def write_json(path, value):
    """Writes readable JSON."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def save(model, vocabulary, folder):
    """Writes the four files of the model."""
    write_json(folder / "config.json", config(len(vocabulary)))
    write_json(folder / "tokenizer.json", tokenizer(vocabulary))
    write_json(folder / "tokenizer_config.json", TOKENIZER_CONFIG)
    save_safetensors(folder / "model.safetensors", saved_tensors(model))


def check_saved(model, folder):
    """Returns the largest difference of attention between the trained model and the saved files."""
    saved, largest = eval_toy_model.ToyModel(folder), 0.0
    for sentence in toy_grammar.held_out_sentences(50):
        ids = saved.ids(sentence.words)
        largest = max(largest, np.abs(saved.forward(ids)[1] - model.attention(ids)).max())
    return largest


def load(model, folder):
    """Takes over the saved weights."""
    saved = eval_toy_model.read_safetensors(folder / "model.safetensors")
    model.load_state_dict({name: torch.tensor(saved[name], dtype=torch.float32) for name in model.state_dict()})


def run(seed, steps, folder):
    """Trains one model in stages, saves it, checks the files, writes training.txt."""
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    lines = []

    def log(text):
        lines.append(text)
        print(text, flush=True)
        (folder / "training.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    vocabulary = {word: n for n, word in enumerate(toy_grammar.vocabulary())}
    model = Toy(len(vocabulary))
    n_parameters = sum(p.numel() for p in model.parameters())
    log(f"seed {seed}, {steps} steps of {BATCH} sentences, {n_parameters} parameters, {len(vocabulary)} words")
    log("relations: best rate of any head / gain over the best fixed offset, on 300 held-out sentences")
    for stage, count in zip(STAGES, steps):
        log(str(stage))
        sentences = toy_grammar.training_sentences(N_SENTENCES, stage.like_share, toy_grammar.TRAIN_SEED + stage.seed)
        train(model, Batches(sentences, vocabulary, seed + stage.seed, stage), count, log)
        save(model, vocabulary, folder)
        log(f"largest difference of attention, trained model and saved files: {check_saved(model, folder):.1e}")
        load(model, folder)  # the next stage begins with the weights as they are saved


def main():
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, nargs="+", default=[12000, 4000, 4000, 4000], help="of the stages")
    parser.add_argument("--out", type=Path, default=eval_toy_model.MODEL, help="folder of the model")
    arguments = parser.parse_args()
    run(arguments.seed, arguments.steps, arguments.out)


if __name__ == "__main__":
    main()
