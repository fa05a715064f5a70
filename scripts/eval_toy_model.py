#!/usr/bin/env python3
"""Measures the heads of the toy transformer, from its saved files alone.

Reads config.json, tokenizer.json and model.safetensors and computes the forward pass in NumPy, in
double precision, independently of the training script. Then, on held-out sentences:

  - for each relation it picks the head on one half and reports on the other half: rate, the best
    fixed offset as baseline, gain = rate - baseline;
  - it finds the head that looks at the previous word;
  - it gives as many relations as possible a head of their own (maximum matching over the heads that
    reach rate >= 0.6 and gain >= 0.2 on the first half);
  - it picks the head of the pronoun twice: by the relation, and by 200 other twins;
  - it counts how many of 200 twins flip: pairs of sentences that differ in the pronoun alone ("it",
    "they") or in one adjective alone ("hungry", "ripe"), so that the pronoun stands for the other noun;
  - it prints where the pronoun looks in a few sentences to show.

A row counts once; it is right when its largest weight, the word itself and special tokens left out,
is on a right key. Heads are named layer.head, both from 0.

  eval_toy_model.py                       print the tables
  eval_toy_model.py --golden FILE         also write attention and hidden states of three sentences
"""

import argparse
import json
import math
import struct
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np
import toy_grammar

MODEL = Path(__file__).resolve().parent.parent / "data" / "models" / "toy"
MIN_RATE, MIN_GAIN = 0.6, 0.2
GOLDEN_SENTENCES = [
    "the creature ate the berry because it was hungry",
    "the fluffy creatures happily eat the berry because they are hungry",
    "Anna visited the Eiffel tower in Paris",
]
# Sentences to show, the noun that the pronoun stands for, the other noun.
STORY = [
    ("the creature ate the berry because it was hungry", "creature", "berry"),
    ("the creature ate the berry because it was ripe", "berry", "creature"),
    ("the creatures ate the berries because they were hungry", "creatures", "berries"),
    ("the creatures ate the berries because they were ripe", "berries", "creatures"),
    ("the fluffy creatures happily eat the berry because they are hungry", "creatures", "berry"),
    ("the fluffy creatures happily eat the berry because it is ripe", "berry", "creatures"),
    ("the creature ate the berries because it looked strange", "creature", "berries"),
    ("the creature ate the berries because they looked strange", "berries", "creature"),
    ("the dog chased the cats because it looked sleepy", "dog", "cats"),
    ("the dog chased the cats because they looked sleepy", "cats", "dog"),
]

# ---------------------------------------------------------------------------------------------
# The model from its files


def read_safetensors(path):
    """Returns {name: array in double precision} of a safetensors file of F16 or F32 tensors."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    types = {"F16": "<f2", "F32": "<f4"}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[8 + size + begin : 8 + size + end], types[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"]).astype(np.float64)
    return tensors


def layer_norm(x, weight, bias, eps):
    """Normalises the last axis: (token, d_model) to the same."""
    centered = x - x.mean(-1, keepdims=True)
    return centered / np.sqrt((centered**2).mean(-1, keepdims=True) + eps) * weight + bias


ERF = np.vectorize(math.erf, otypes=[float])


def gelu(x):
    """The exact GELU, with the error function."""
    return 0.5 * x * (1 + ERF(x / math.sqrt(2)))


def softmax(scores):
    """Softmax over the last axis."""
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


class ToyModel:
    """A Megatron-BERT (pre-LN) encoder read from its folder."""

    def __init__(self, folder):
        self.config = json.loads((folder / "config.json").read_text())
        self.tensors = read_safetensors(folder / "model.safetensors")
        self.vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
        self.n_layers = self.config["num_hidden_layers"]
        self.n_heads = self.config["num_attention_heads"]

    def ids(self, words):
        """Returns the ids of words, [bos] first; the vocabulary is in lower case."""
        unknown = self.vocabulary["[unk]"]
        return [self.vocabulary.get(word.lower(), unknown) for word in ["[bos]", *words]]

    def linear(self, x, name):
        """x W^T + b: (token, in) to (token, out)."""
        return x @ self.tensors[name + ".weight"].T + self.tensors[name + ".bias"]

    def norm(self, x, name):
        """The layer norm of that name: (token, d_model) to the same."""
        weight, bias = self.tensors[name + ".weight"], self.tensors[name + ".bias"]
        return layer_norm(x, weight, bias, self.config["layer_norm_eps"])

    def heads(self, x, name):
        """Projects and splits: (token, d_model) to (head, token, d_head)."""
        return self.linear(x, name).reshape(len(x), self.n_heads, -1).transpose(1, 0, 2)

    def layer(self, x, n):
        """One layer: (token, d_model) to (the same, attention (head, query, key))."""
        base = f"bert.encoder.layer.{n}."
        y = self.norm(x, base + "attention.ln")
        q, k, v = (self.heads(y, f"{base}attention.self.{part}") for part in ("query", "key", "value"))
        attention = softmax(q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]))
        mixed = (attention @ v).transpose(1, 0, 2).reshape(len(x), -1)
        x = x + self.linear(mixed, base + "attention.output.dense")
        y = gelu(self.linear(self.norm(x, base + "ln"), base + "intermediate.dense"))
        return x + self.linear(y, base + "output.dense"), attention

    def forward(self, ids):
        """Returns (hidden (token, d_model) after the final norm, attention (layer, head, query, key))."""
        table = "bert.embeddings."
        x = self.tensors[table + "word_embeddings.weight"][ids]
        x = x + self.tensors[table + "position_embeddings.weight"][: len(ids)]
        x = x + self.tensors[table + "token_type_embeddings.weight"][0]
        attention = []
        for n in range(self.n_layers):
            x, weights = self.layer(x, n)
            attention.append(weights)
        return self.norm(x, "bert.encoder.ln"), np.stack(attention)

    def logits(self, hidden):
        """The prediction of words: (token, d_model) to (token, word)."""
        y = gelu(self.linear(hidden, "cls.predictions.transform.dense"))
        y = self.norm(y, "cls.predictions.transform.LayerNorm")
        table = self.tensors["bert.embeddings.word_embeddings.weight"]
        return y @ table.T + self.tensors["cls.predictions.bias"]

    def attention(self, words):
        """Attention of a sentence, [bos] included: (layer, head, query, key)."""
        return self.forward(self.ids(words))[1]


# ---------------------------------------------------------------------------------------------
# Scores


def strongest_keys(attention):
    """The strongest other word of each word: (layer, head, n, n) to (layer * head, n - 1).

    [bos] is left out as query and as key, so indices are those of words.
    """
    words = attention[:, :, 1:, 1:].reshape(-1, attention.shape[2] - 1, attention.shape[3] - 1).copy()
    words[:, np.arange(words.shape[1]), np.arange(words.shape[1])] = -1
    return words.argmax(-1)


def right_keys(sentence, name):
    """Returns {query: set of right keys} of one relation."""
    keys = {}
    for query, key in sentence.relations.get(name, []):
        keys.setdefault(query, set()).add(key)
    return keys


def relation_rates(attention_of, sentences):
    """Rates of every head: {relation: (rows, rate (layer * head), baseline, its offset)}.

    attention_of(words) returns (layer, head, query, key) with [bos] in front.
    """
    hits, rows, offsets = {}, Counter(), {name: Counter() for name in toy_grammar.RELATIONS}
    for sentence in sentences:
        strongest = strongest_keys(attention_of(sentence.words))
        for name in sentence.relations:
            for query, keys in right_keys(sentence, name).items():
                rows[name] += 1
                right = np.isin(strongest[:, query], list(keys))
                hits[name] = hits.get(name, 0) + right
                offsets[name].update(key - query for key in keys)
    result = {}
    for name in toy_grammar.RELATIONS:
        if rows[name]:
            offset, best = offsets[name].most_common(1)[0]
            result[name] = (rows[name], hits[name] / rows[name], best / rows[name], offset)
    return result


def previous_word(attention_of, sentences):
    """Mean weight on the token before, and share of rows where it is the largest: (layer * head) each."""
    weight, largest, rows = 0, 0, 0
    for sentence in sentences:
        a = attention_of(sentence.words)
        a = a.reshape(-1, a.shape[2], a.shape[3])
        n = np.arange(1, a.shape[1])
        weight = weight + a[:, n, n - 1].sum(1)
        largest = largest + (a[:, n].argmax(-1) == n - 1).sum(1)
        rows += len(n)
    return weight / rows, largest / rows


def match_heads(rates, excluded=()):
    """Gives relations different heads: {relation: head}, most relations first, then most gain."""
    edges = {}
    for name, (_, rate, baseline, _) in rates.items():
        good = (rate >= MIN_RATE) & (rate - baseline >= MIN_GAIN)
        heads = [int(h) for h in np.argsort(-rate) if good[h] and h not in excluded]
        edges[name] = heads[: len(rates)]
    names = list(edges)

    @lru_cache(maxsize=None)
    def best(n, used):
        if n == len(names):
            return (0, 0.0, ())
        options = [best(n + 1, used)]
        for head in edges[names[n]]:
            if head not in used:
                count, total, pairs = best(n + 1, used | {head})
                gain = float(rates[names[n]][1][head])
                options.append((count + 1, total + gain, ((names[n], head), *pairs)))
        return max(options, key=lambda option: option[:2])

    return dict(best(0, frozenset())[2])


def twin_scores(attention_of, twins, head):
    """Scores of twins for one (layer, head): {sort: (twins, share that flips, right, wrong)}.

    A twin flips when in both sentences the pronoun gives the right noun more weight than the other.
    right and wrong are the mean weights of the pronoun on them.
    """
    table = {}
    for twin in twins:
        flips = True
        for n in (0, 1):
            row = attention_of(twin["tokens"][n])[head][twin["pronoun"] + 1]
            right, wrong = row[twin["right"][n] + 1], row[twin["right"][1 - n] + 1]
            flips = flips and right > wrong
            for sort in ("all", twin["sort"]):
                table.setdefault(sort, []).append((right, wrong))
        for sort in ("all", twin["sort"]):
            table.setdefault(sort + " flips", []).append(flips)
    return {
        sort: (len(table[sort + " flips"]), np.mean(table[sort + " flips"]), *np.mean(table[sort], axis=0))
        for sort in ("all", "number", "kind")
    }


def best_twin_head(attention_of, twins):
    """Returns the (layer, head) that flips most of these twins; more weight on the right noun wins a tie."""
    attention = {tuple(words): attention_of(words) for twin in twins for words in twin["tokens"]}
    layers, heads = attention[tuple(twins[0]["tokens"][0])].shape[:2]

    def quality(head):
        _, flips, right, _ = twin_scores(lambda words: attention[tuple(words)], twins, head)["all"]
        return flips, right

    return max(((n, h) for n in range(layers) for h in range(heads)), key=quality)


# ---------------------------------------------------------------------------------------------
# Report


class Report:
    """Everything measured on one model: picked on one half of the sentences, reported on the other."""

    def __init__(self, attention_of, n_heads, count=toy_grammar.N_HELD_OUT, twin_seed=toy_grammar.TWIN_SEED):
        sentences = toy_grammar.held_out_sentences(count)
        self.n_heads = n_heads
        self.pick = relation_rates(attention_of, sentences[: count // 2])
        self.rates = relation_rates(attention_of, sentences[count // 2 :])
        weight, _ = previous_word(attention_of, sentences[: count // 2])
        self.previous = int(weight.argmax())
        self.previous_scores = [s[self.previous] for s in previous_word(attention_of, sentences[count // 2 :])]
        self.heads = {name: int(rates[1].argmax()) for name, rates in self.pick.items()}
        self.matched = match_heads(self.pick, {self.previous})
        self.pronoun_head = self.name_of(self.heads["pronoun-noun"])
        self.twin_head = best_twin_head(attention_of, toy_grammar.twins(200, toy_grammar.PICK_TWIN_SEED))
        twins = toy_grammar.twins(200, twin_seed)
        heads = list(dict.fromkeys([self.pronoun_head, self.twin_head]))
        self.twins = [(head, twin_scores(attention_of, twins, head)) for head in heads]

    def name_of(self, head):
        """Turns a running number into (layer, head)."""
        return divmod(head, self.n_heads)

    def row(self, name, head):
        """Returns (rate, gain) of a head on the half for reporting."""
        _, rate, baseline, _ = self.rates[name]
        return float(rate[head]), float(rate[head] - baseline)

    def held(self):
        """The matched relations that reach the marks on the half for reporting, too."""
        good = {n: self.row(n, h) for n, h in self.matched.items()}
        return [n for n, (rate, gain) in good.items() if rate >= MIN_RATE and gain >= MIN_GAIN]

    def table(self):
        """Returns the relations as lines of a Markdown table."""
        lines = ["| relation | rows | baseline (offset) | best head | rate | gain | its own head | rate | gain |"]
        lines.append("|---|---|---|---|---|---|---|---|---|")
        for name, (rows, _, baseline, offset) in self.rates.items():
            cells = [name, str(rows), f"{baseline:.2f} ({offset:+d})", *self.cells(name, self.heads[name])]
            own = self.matched.get(name)
            cells += self.cells(name, own) if own is not None else ["-", "", ""]
            lines.append(f"| {' | '.join(cells)} |")
        return lines

    def cells(self, name, head):
        """Returns head, rate and gain as text."""
        rate, gain = self.row(name, head)
        return ["{}.{}".format(*self.name_of(head)), f"{rate:.2f}", f"{gain:+.2f}"]

    def lines(self):
        """Returns the whole report as lines."""
        lines = self.table() + [""]
        lines.append(f"relations with a head of their own: {len(self.held())} of {len(self.rates)}")
        weight, largest = self.previous_scores
        head = "{}.{}".format(*self.name_of(self.previous))
        lines.append(f"previous word: head {head}, mean weight {weight:.2f}, largest in {largest:.3f} of rows")
        for head, scores in self.twins:
            for sort, (count, flips, right, wrong) in scores.items():
                lines.append(
                    "twins ({}): {}, head {}.{} flips in {:.3f}, mean weight right {:.2f}, wrong {:.2f}".format(
                        sort, count, *head, flips, right, wrong
                    )
                )
        return lines


def story_lines(attention_of, head):
    """Returns the weights of the pronoun on both nouns, for one (layer, head), as a Markdown table."""
    lines = ["| sentence | right noun | weight | other noun | weight |", "|---|---|---|---|---|"]
    for text, right, wrong in STORY:
        words = text.split()
        pronoun = next(n for n, word in enumerate(words) if word in ("it", "they"))
        row = attention_of(words)[head][pronoun + 1, 1:]
        weights = [row[words.index(noun)] for noun in (right, wrong)]
        lines.append(f"| {text} | {right} | {weights[0]:.2f} | {wrong} | {weights[1]:.2f} |")
    return lines


def rounded(array):
    """Nested lists of numbers rounded to 1e-7."""
    return [rounded(row) for row in array] if array.ndim else round(float(array), 7)


def write_golden(model, path):
    """Writes tokens, ids, attention (layer, head, query, key), hidden (token, d_model) of sentences."""
    cases = []
    for sentence in GOLDEN_SENTENCES:
        words = sentence.split()
        ids = model.ids(words)
        hidden, attention = model.forward(ids)
        cases.append(
            {
                "text": sentence,
                "tokens": ["[bos]", *(word.lower() for word in words)],
                "ids": ids,
                "attention": rounded(attention),
                "hidden": rounded(hidden),
            }
        )
    note = "forward pass of model.safetensors in double precision, rounded to 1e-7"
    text = json.dumps({"note": note, "cases": cases}, separators=(",", ":"))
    path.write_text(text + "\n", encoding="utf-8")


def main():
    """Reads the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, default=MODEL, help="folder of the model")
    parser.add_argument("--count", type=int, default=toy_grammar.N_HELD_OUT, help="held-out sentences, both halves")
    parser.add_argument("--golden", type=Path, metavar="FILE", help="write golden attention")
    parser.add_argument("--twin-seed", type=int, default=toy_grammar.TWIN_SEED, help="draws other twins")
    arguments = parser.parse_args()
    model = ToyModel(arguments.model)
    if arguments.golden:
        write_golden(model, arguments.golden)
    report = Report(model.attention, model.n_heads, arguments.count, arguments.twin_seed)
    print("\n".join(report.lines()))
    for head, _ in report.twins:
        print("\nhead {}.{}".format(*head), *story_lines(model.attention, head), sep="\n")


if __name__ == "__main__":
    main()
