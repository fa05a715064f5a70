#!/usr/bin/env python3
"""Makes the smaller examples in data/examples: one for each kind of input.

  causal.json           two layers, two heads each: previous word, duplicate, induction, first token
  cross-attention.json  five Finnish words look at nine English words
  gqa.json              four query heads share two key and value heads; rotary positions
  padding.json          [pad] tokens that nobody may look at
  scripts.json          one short sentence in Chinese, Arabic, Hindi and emoji
  precomputed.json      attention weights alone, nothing to compute
  text.json             a text and nothing else

All numbers are designed by hand, none is learned. Run without arguments to write the files;
--check writes nothing and prints the attention weights and what was asserted about them.
"""

import argparse
import math
import sys

import numpy as np

from make_designed_heads import CODES, EXAMPLES, clean_rows, clock, connect, write_json

# ---------------------------------------------------------------------------------------------
# A small forward pass, enough to check these examples


def softmax_rows(scores):
    """Returns the softmax over the last axis; -inf means that a key may not be seen."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def rotate(rows, theta, d_rot):
    """Returns RoPE, pairing "half", over the first d_rot dimensions: (position, head, d_head)."""
    half = d_rot // 2
    angles = np.arange(len(rows))[:, None] * theta ** (-2.0 * np.arange(half) / d_rot)
    cos, sin = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
    first, second = rows[..., :half], rows[..., half:d_rot]
    turned = [first * cos - second * sin, first * sin + second * cos]
    return np.concatenate(turned + [rows[..., d_rot:]], axis=-1)


def project(x, weights, name, heads):
    """Returns X W + b, (position, head, d_head)."""
    bias = np.array(weights.get("b_" + name, 0.0))
    return (x @ np.array(weights["W_" + name]) + bias).reshape(len(x), heads, -1)


def layer(x, context, rule, weights):
    """Returns (attention (head, query, key), output (query, d_model)) of one layer."""
    heads = rule["n_heads"]
    kv_heads = rule.get("n_kv_heads", heads)
    q = project(x, weights, "Q", heads)
    k, v = (project(context, weights, name, kv_heads) for name in "KV")
    position = rule.get("position")
    if position:
        d_rot = int(q.shape[2] * position["fraction"])
        q, k = rotate(q, position["theta"], d_rot), rotate(k, position["theta"], d_rot)
    k, v = (np.repeat(part, heads // kv_heads, axis=1) for part in (k, v))
    scores = np.einsum("ihd,jhd->hij", q, k) * rule.get("scale", q.shape[2] ** -0.5)
    if rule.get("causal"):
        scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
    if "valid_keys" in rule:
        scores = np.where(np.array(rule["valid_keys"]), scores, -np.inf)
    maps = softmax_rows(scores)
    joined = np.einsum("hij,jhd->ihd", maps, v).reshape(len(x), -1)
    return maps, joined @ np.array(weights["W_O"])


def run(document):
    """Returns the attention of every layer of a document, (layer, head, query, key)."""
    if "attention_weights" in document:
        return np.array(document["attention_weights"])
    x = np.array(document["embeddings"], dtype=float)
    layers = document.get("layers", [{"weights": document.get("weights")}])
    maps = []
    for one in layers:
        context = np.array(document["context"]["embeddings"]) if "context" in document else x
        rule = {**document["attention"], **one.get("attention", {})}
        attention, output = layer(x, context, rule, one["weights"])
        x = output + x if document.get("residual") else output
        maps.append(attention)
    return np.array(maps)


def fused(rows, columns, connections):
    """Returns a (rows, columns) matrix from (sources, targets, gain) triples."""
    matrix = np.zeros((rows, columns))
    for sources, targets, gain in connections:
        connect(matrix, sources, targets, gain)
    return matrix


def rounded(weights):
    """Returns weights as nested lists of short numbers."""
    return {name: clean_rows(matrix) for name, matrix in weights.items()}


# ---------------------------------------------------------------------------------------------
# causal.json

CAUSAL_TOKENS = "<s> the owl saw a red fox , and the owl saw a".split()


def turned_back(gain, words=1):
    """Returns the (16, 16) matrix that turns the position clock back by some words."""
    matrix = np.zeros((16, 16))
    for hand in range(8):
        angle = 2 * math.pi * (hand + 1) * words / 17
        cos, sin = 2 * hand, 2 * hand + 1
        matrix[cos, cos] = matrix[sin, sin] = gain * math.cos(angle)
        matrix[sin, cos], matrix[cos, sin] = gain * math.sin(angle), -gain * math.sin(angle)
    return matrix


def make_causal():
    """Two layers that work together: layer 1 finds what followed the same word earlier.

    Dimensions (42): 0-15 position; 16-23 word; 24-31 word before (empty at first, head L0H0 writes
    it); 32-39 same word seen earlier (empty at first, head L0H1 writes it); 40 always 1; 41 is 1 at
    the start token. Each head has d_head 24: 16 numbers for positions, 8 for words.
    """
    position, word, before, seen = range(0, 16), range(16, 24), range(24, 32), range(32, 40)
    one, start = [40], [41]
    x = np.zeros((len(CAUSAL_TOKENS), 42))
    names = list(dict.fromkeys(CAUSAL_TOKENS[1:]))
    for i, token in enumerate(CAUSAL_TOKENS):
        x[i, position] = clock(i)
        x[i, 40] = 1
        if i == 0:
            x[i, 41] = 1
        else:
            x[i, word] = CODES[names.index(token)]
    first_h0, words_h0, words_h1 = range(0, 16), range(16, 24), range(40, 48)
    # Layer 0, head 0: the word before. Head 1: the same word earlier, its own place pushed away;
    # where there is none it rests at the start token, because every query also asks for place 0.
    q0 = fused(42, 48, [(word, words_h1, 5)])
    q0[0:16, 0:16] = turned_back(5)
    q0[0:16, 24:40] = -turned_back(7, words=0)
    k0 = fused(42, 48, [(position, first_h0, 1), (position, range(24, 40), 1), (word, words_h1, 1)])
    q0[40, 24:40] = 1.5 * np.array(clock(0))
    v0 = fused(42, 48, [(word, words_h0, 1), (word, words_h1, 1)])
    o0 = fused(48, 42, [(words_h0, before, 1), (words_h1, seen, 1)])
    # Layer 1, head 0: induction, the word whose "word before" is this word; else the start token.
    # Head 1: always the start token, a resting place.
    q1 = fused(42, 48, [(word, words_h0, 5), (one, [0], 13), (one, [24], 30)])
    k1 = fused(42, 48, [(before, words_h0, 1), (start, [0], 1), (start, [24], 1)])
    v1 = fused(42, 48, [(word, words_h0, 1), (start, [24], 1)])
    o1 = fused(48, 42, [(words_h0, word, 1), ([24], start, 1)])
    weights = [
        rounded({"W_Q": q, "W_K": k, "W_V": v, "W_O": o})
        for q, k, v, o in ((q0, k0, v0, o0), (q1, k1, v1, o1))
    ]
    return {
        "id": "causal: previous word, duplicate, induction, first token (designed, not learned)",
        "tokens": CAUSAL_TOKENS,
        "embeddings": clean_rows(x),
        "attention": {"n_heads": 2, "d_head": 24, "causal": True},
        "layers": [{"weights": layer_weights} for layer_weights in weights],
        "residual": True,
    }


def check_causal(maps):
    """Asserts the four habits; a row without an earlier match rests at the start token."""
    n = len(CAUSAL_TOKENS)
    assert min(maps[0, 0, i, i - 1] for i in range(1, n)) > 0.95
    for i in range(1, n):
        earlier = [j for j in range(i) if CAUSAL_TOKENS[j] == CAUSAL_TOKENS[i]]
        followed = [j + 1 for j in earlier]
        least = 0.9 if earlier else 0.6
        assert maps[0, 1, i, earlier or [0]].sum() > least, i
        assert maps[1, 0, i, followed or [0]].sum() > least, i
    assert maps[0, 1, 1:, 0].mean() < 0.6 and maps[1, 0, 1:, 0].mean() < 0.6
    assert maps[1, 1, 1:, 0].min() > 0.95


# ---------------------------------------------------------------------------------------------
# cross-attention.json


def make_cross_attention():
    """Finnish looks at English: head 0 by meaning, head 1 by what a Finnish ending stands for.

    Dimensions (16): 0-7 code of the meaning, 8-15 code of the grammar. Finnish has no articles:
    the form of "kissa" stands for the first "the", that of "sohvalla" for "on" and "the". The
    ending of "nukkuu" stands for "is", that of "punaisella" repeats the "on" of its noun.
    """
    meanings = ["small", "cat", "sleep", "red", "sofa"]
    source = [
        ("the", None, "definite subject"),
        ("small", "small", None),
        ("cat", "cat", None),
        ("is", None, "present"),
        ("sleeping", "sleep", None),
        ("on", None, "on"),
        ("the", None, "definite place"),
        ("red", "red", None),
        ("sofa", "sofa", None),
    ]
    target = [
        ("pieni", "small", []),
        ("kissa", "cat", ["definite subject"]),
        ("nukkuu", "sleep", ["present"]),
        ("punaisella", "red", ["on"]),
        ("sohvalla", "sofa", ["on", "definite place"]),
    ]
    grammar = ["definite subject", "present", "on", "definite place"]

    def embedding(meaning, endings):
        row = np.zeros(16)
        if meaning:
            row[0:8] += CODES[meanings.index(meaning)]
        for ending in endings:
            row[8:16] += CODES[grammar.index(ending)]
        return row

    gain = fused(16, 16, [(range(16), range(16), 2.5)])
    copy = fused(16, 16, [(range(16), range(16), 1)])
    pairs = {
        "same-meaning": [[i, k] for i, t in enumerate(target) for k, s in enumerate(source)
                         if s[1] == t[1]],
        "ending": [[i, k] for i, t in enumerate(target) for k, s in enumerate(source)
                   if s[2] in t[2]],
    }
    return {
        "id": "cross-attention: Finnish looks at English (designed, not learned)",
        "tokens": [word for word, _, _ in target],
        "embeddings": clean_rows([embedding(m, e) for _, m, e in target]),
        "context": {
            "tokens": [word for word, _, _ in source],
            "embeddings": clean_rows([embedding(m, [g] if g else []) for _, m, g in source]),
        },
        "attention": {"n_heads": 2},
        "weights": rounded({"W_Q": gain, "W_K": copy, "W_V": copy, "W_O": copy}),
        "relations": [{"name": name, "pairs": rows} for name, rows in pairs.items()],
    }


def check_cross_attention(maps):
    """Asserts the alignment."""
    assert maps.shape == (1, 2, 5, 9)
    for query, key in enumerate((1, 2, 4, 7, 8)):
        assert maps[0, 0, query, key] > 0.95
    for query, keys in {1: [0], 2: [3], 3: [5], 4: [5, 6]}.items():
        assert maps[0, 1, query, keys].sum() > 0.95
    assert np.allclose(maps[0, 1, 0], 1 / 9)


# ---------------------------------------------------------------------------------------------
# gqa.json

GQA_WORDS = [
    ("the", "function"),
    ("small", "adjective"),
    ("dog", "noun"),
    ("saw", "verb"),
    ("a", "function"),
    ("bird", "noun"),
    ("and", "function"),
    ("quickly", "adverb"),
    ("chased", "verb"),
    ("it", "pronoun"),
]


def make_gqa():
    """Four query heads over two key heads: the keys are shared, the questions differ.

    Dimensions (6): one for each kind of word. Key head 0 offers only the position (a constant,
    turned by RoPE in dimensions 0-3): query head 0 asks for the word before, head 1 for the word
    after. Key head 1 offers only the kind of word (dimensions 4-7, not turned, fraction 0.5):
    query head 2 asks for verbs, query head 3 for nouns and pronouns.
    """
    kinds = ["noun", "pronoun", "verb", "adjective", "adverb", "function"]
    x = [[int(kind == name) for name in kinds] for _, kind in GQA_WORDS]
    theta, d_head = 9, 8
    # Pair t is (t, t + 2). A constant query turned by -offset * angle points at that offset.
    angles, sizes = [1, theta**-0.5], [7, 5]
    b_q, b_k = np.zeros(4 * d_head), np.zeros(2 * d_head)
    b_k[0:2] = sizes
    for head, offset in ((0, -1), (1, 1)):
        for t, (angle, size) in enumerate(zip(angles, sizes)):
            b_q[head * d_head + t] = size * math.cos(angle * offset)
            b_q[head * d_head + t + 2] = size * math.sin(angle * offset)
    # Key head 1: nouns and pronouns in dimension 4, verbs in dimension 5.
    w_k = fused(6, 2 * d_head, [([0, 1], [d_head + 4, d_head + 4], 4), ([2], [d_head + 5], 4)])
    b_q[2 * d_head + 5] = b_q[3 * d_head + 4] = 4
    w_v = fused(6, 2 * d_head, [(range(6), range(6), 1), (range(6), range(d_head, d_head + 6), 1)])
    w_o = fused(4 * d_head, 6, [(range(h * d_head, h * d_head + 6), range(6), 0.5)
                                for h in range(4)])
    return {
        "id": "gqa: four query heads, two key and value heads, RoPE (designed, not learned)",
        "tokens": [word for word, _ in GQA_WORDS],
        "embeddings": x,
        "attention": {
            "n_heads": 4,
            "n_kv_heads": 2,
            "d_head": d_head,
            "position": {"kind": "rope", "theta": theta, "pairing": "half", "fraction": 0.5},
        },
        "weights": rounded({
            "W_Q": np.zeros((6, 4 * d_head)), "b_Q": b_q,
            "W_K": w_k, "b_K": b_k,
            "W_V": w_v, "W_O": w_o,
        }),
    }


def check_gqa(maps):
    """Asserts that four heads ask four questions."""
    n = len(GQA_WORDS)
    assert min(maps[0, 0, i, i - 1] for i in range(1, n)) > 0.9
    assert min(maps[0, 1, i, i + 1] for i in range(n - 1)) > 0.9
    assert maps[0, 2, :, [3, 8]].sum(axis=0).min() > 0.9
    assert maps[0, 3, :, [2, 5, 9]].sum(axis=0).min() > 0.9


# ---------------------------------------------------------------------------------------------
# padding.json

PADDING_WORDS = [
    ("[cls]", "mark"),
    ("two", "adjective"),
    ("grey", "adjective"),
    ("geese", "noun"),
    ("crossed", "verb"),
    ("the", "function"),
    ("road", "noun"),
    ("[sep]", "mark"),
    ("[pad]", "pad"),
    ("[pad]", "pad"),
    ("[pad]", "pad"),
]


def make_padding():
    """Three [pad] tokens at the end; no row looks at them.

    Dimensions (8): 0 noun, 1 verb, 2 adjective, 3 function word, 4 mark, 5 is 1 at [sep], 6 is 1
    for real tokens, 7 free. Head 0: words of the same kind. Head 1: all rest at [sep]. The rows of
    [pad] ask nothing and are uniform over the real tokens; they are left out of every mean.
    """
    kinds = ["noun", "verb", "adjective", "function", "mark"]
    rows = [
        [int(kind == name) for name in kinds] + [int(word == "[sep]"), int(kind != "pad"), 0]
        for word, kind in PADDING_WORDS
    ]
    copy = fused(8, 8, [(range(8), range(8), 1)])
    return {
        "id": "padding: nobody looks at [pad] (designed, not learned)",
        "tokens": [word for word, _ in PADDING_WORDS],
        "embeddings": rows,
        "attention": {
            "n_heads": 2,
            "valid_keys": [kind != "pad" for _, kind in PADDING_WORDS],
        },
        "weights": rounded({
            "W_Q": fused(8, 8, [(range(4), range(4), 4), ([6], [4], 4)]),
            "W_K": fused(8, 8, [(range(4), range(4), 2), ([5], [4], 2)]),
            "W_V": copy,
            "W_O": copy,
        }),
    }


def check_padding(maps):
    """Asserts that padding gets nothing and that the heads do their jobs."""
    assert np.all(maps[..., 8:] == 0)
    assert abs(maps[0, 0, 3, [3, 6]].sum() - 1) < 0.15 and maps[0, 1, :8, 7].min() > 0.75
    assert np.allclose(maps[0, :, 8:, :8], 1 / 8)


# ---------------------------------------------------------------------------------------------
# scripts.json

SCRIPTS = [
    [("猫", "cat"), ("吃", "eat"), ("鱼", "fish")],
    [("القطة", "cat"), ("تأكل", "eat"), ("السمكة", "fish")],
    [("बिल्ली", "cat"), ("मछली", "fish"), ("खाती", "eat"), ("है", "be")],
    [("🐈", "cat"), ("😋", "eat"), ("🐟", "fish")],
]


def make_scripts():
    """"The cat eats the fish" four times: head 0 finds the same meaning, head 1 the same script.

    Dimensions (8): 0 cat, 1 eat, 2 fish, 3 auxiliary verb; 4 Chinese, 5 Arabic, 6 Hindi, 7 emoji.
    """
    meanings = ["cat", "eat", "fish", "be"]
    words = [(word, meanings.index(m), s) for s, line in enumerate(SCRIPTS) for word, m in line]
    rows = [[int(d in (meaning, 4 + script)) for d in range(8)] for _, meaning, script in words]
    copy = fused(8, 8, [(range(8), range(8), 1)])
    gain = fused(8, 8, [(range(8), range(8), 10)])
    return {
        "id": "scripts: one sentence in Chinese, Arabic, Hindi and emoji (designed, not learned)",
        "tokens": [word for word, _, _ in words],
        "embeddings": rows,
        "attention": {"n_heads": 2},
        "weights": rounded({"W_Q": gain, "W_K": copy, "W_V": copy, "W_O": copy}),
    }


def check_scripts(maps):
    """Asserts the two groupings on the first row."""
    assert maps[0, 0, 0, [0, 3, 6, 10]].sum() > 0.9 and maps[0, 1, 0, [0, 1, 2]].sum() > 0.9


# ---------------------------------------------------------------------------------------------
# precomputed.json

PRECOMPUTED_TOKENS = "rain fell all day long .".split()


def exact_rows(matrix, digits=6):
    """Rounds rows so that the rounded numbers still add up to 1: the largest takes the rest."""
    rows = np.round(matrix, digits)
    for row in rows:
        row[np.argmax(row)] += 1 - row.sum()
    return clean_rows(rows, digits)


def make_precomputed():
    """Six maps as another program might have written them: 2 layers, 3 heads."""
    n = len(PRECOMPUTED_TOKENS)
    query, key = np.indices((n, n))
    scores = [
        [4.0 * (key == query - 1), 4.0 * (key == query + 1), 4.0 * (key == query)],
        [4.0 * (key == 0), -0.7 * abs(query - key), 3.0 * (key == n - 1) - 0.3 * key],
    ]
    maps = [[exact_rows(softmax_rows(head.astype(float))) for head in row] for row in scores]
    return {
        "id": "precomputed: 2 layers, 3 heads, weights from elsewhere (designed, not learned)",
        "tokens": PRECOMPUTED_TOKENS,
        "attention_weights": maps,
    }


def check_precomputed(maps):
    """Asserts that rows add up to 1."""
    assert maps.shape == (2, 3, 6, 6) and abs(maps.sum(axis=-1) - 1).max() < 1e-6


# ---------------------------------------------------------------------------------------------

EXAMPLE_MAKERS = {
    "causal": (make_causal, check_causal),
    "cross-attention": (make_cross_attention, check_cross_attention),
    "gqa": (make_gqa, check_gqa),
    "padding": (make_padding, check_padding),
    "scripts": (make_scripts, check_scripts),
    "precomputed": (make_precomputed, check_precomputed),
}
TEXT = {"text": "the fluffy creature happily ate the sweet berry because it was hungry"}


def print_maps(name, document, maps):
    """Prints every map with two decimals."""
    keys = document.get("context", document)["tokens"]
    for level, head in np.ndindex(maps.shape[:2]):
        print(f"{name} L{level}H{head}   keys: {' '.join(keys)}")
        for token, row in zip(document["tokens"], maps[level, head]):
            print("  " + " ".join(f"{100 * weight:3.0f}" for weight in row), token)


def main():
    """Checks the examples and writes the files, or only prints them with --check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="measure and print; write nothing")
    arguments = parser.parse_args()
    for name, (make, check) in EXAMPLE_MAKERS.items():
        document = make()
        maps = run(document)
        if arguments.check:
            print_maps(name, document, maps)
        assert abs(maps.sum(axis=-1) - 1).max() < 1e-6
        check(maps)
        if not arguments.check:
            write_json(EXAMPLES / f"{name}.json", document)
    if not arguments.check:
        write_json(EXAMPLES / "text.json", TEXT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
