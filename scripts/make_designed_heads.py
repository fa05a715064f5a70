#!/usr/bin/env python3
"""Makes the examples whose attention heads are designed by hand, not learned.

Writes to data/examples:
  creature.json               one sentence, four heads that do four different jobs
  one-head.json               the same embeddings and the same weights, used as one wide head
  creatures.ndjson            more sentences for the same four heads, one document a line
  creature-heads.safetensors  the weights, once, for all lines of creatures.ndjson

The four heads
  head 0  previous word   every word looks at the word before it
  head 1  verb-argument   a verb looks at its subject and its objects
  head 2  adjective-noun  an adjective looks at the noun or pronoun it describes
  head 3  pronoun-noun    a pronoun looks at the noun it stands for
A word that a head has nothing to ask about has the query 0, so its row is uniform.

The grammar
  Every relation but the last stays inside its clause. In "because it was hungry" the subject of
  "was" is "it", and "hungry" describes "it"; only head 3 goes from "it" to "creature". In "the
  cat that the dog chased" the object of "chased" is "that", and head 3 goes from "that" to "cat".
  A linking verb (was, were, looked) has a subject; the adjective after it is not an object.

Run without arguments to write the files; --check writes nothing and prints what was measured.
"""

import argparse
import json
import math
import re
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

EXAMPLES = Path(__file__).resolve().parent.parent / "data" / "examples"

# ---------------------------------------------------------------------------------------------
# The dimensions of an embedding: d_model = 64 numbers in named blocks.

D_MODEL = 64
N_HEADS = 4
D_HEAD = 16
N_CODES = 8  # length of a code, and how many codes there are

POSITION = range(0, 16)  # 8 hands of a clock, as (cos, sin) pairs: where the word stands
VERB_OF = range(16, 24)  # code of the event that this verb names
ARGUMENT_OF = range(24, 32)  # sum of the codes of the events this word takes part in
DESCRIBES = range(32, 40)  # code of the noun phrase that this adjective describes
PHRASE = range(40, 48)  # code of the noun phrase that this noun or pronoun heads
REFERS_TO = range(48, 56)  # sum of the codes of the noun phrases that this pronoun stands for
FEATURES = range(56, 64)  # what the word is like: one number for each name below
FEATURE_NAMES = ["noun", "verb", "adjective", "pronoun", "adverb", "function", "animate", "edible"]

# The position clock: 8 hands that turn 1..8 times in 17 words. The dot product of two positions
# is then 8 when they are equal and -1/2 whenever they differ, for up to 17 positions. The last
# one stays free: it is the place "before the first word", so row 0 of head 0 is uniform.
CLOCK_PERIOD = 17
CLOCK_HANDS = 8
MAX_WORDS = CLOCK_PERIOD - 1

# A matching pair of codes has the dot product 8, so its score is GAIN * 8 * 0.25 = 7 above the
# rest: e^7 = 1097 against 1. For positions it is GAIN * 8.5 * 0.25 = 7.4.
GAIN = 3.5
SCALE = 1 / math.sqrt(D_HEAD)


def make_codes():
    """Returns 8 codes of 8 numbers +1 or -1: (code, dimension), rows orthogonal (Walsh codes)."""
    return [
        [(-1) ** bin(row & column).count("1") for column in range(N_CODES)]
        for row in range(N_CODES)
    ]


CODES = make_codes()

# ---------------------------------------------------------------------------------------------
# Sentences. A mark after a word says what it does:  verb:argument+argument  adjective>noun
# pronoun=noun+noun. The words named there stand elsewhere in the same sentence, once.

CREATURE = (
    "the fluffy>creature creature happily ate:creature+berry the sweet>berry berry "
    "because it=creature was:it hungry>it"
)

SENTENCES = [
    "the fluffy>creature creature happily ate:creature+berry the sweet>berry berry "
    "because it=berry was:it ripe>it",
    "the cat that=cat the big>dog dog chased:dog+that quickly climbed:cat+tree the old>tree tree",
    "a tiny>bird bird with very bright>feathers feathers sang:bird because it=bird was:it happy>it",
    "the hungry>fox fox near the river saw:fox+rabbits the rabbits "
    "before they=rabbits were:they afraid>they",
    "the farmer gave:farmer+horse+water the thirsty>horse horse some fresh>water water "
    "after it=horse ran:it home",
    "in the dark>forest forest the old>owl and wise>owl owl watched:owl+mouse the mouse "
    "that=mouse hid:that",
    "the children quietly fed:children+ducks the ducks "
    "because they=ducks were:they very hungry>they",
    "the cake that=cake the girl in the red>coat coat baked:girl+that looked:cake delicious>cake",
    "the dog and the cat often slept:dog+cat because they=dog+cat were:they tired>they",
    "when it=heron saw:it+frog the small>frog green>frog frog "
    "the heron slowly opened:heron+beak its=heron beak",
    "the sour>apples apples from the garden were:apples cheap>apples "
    "so the boy bought:boy+them them=apples",
    "the lion , old>lion and lame>lion , never caught:lion+zebra the zebra because it=zebra hid:it",
    "a clever>girl girl whose=girl brother was:brother ill>brother "
    "read:girl+him+story him=brother the funny>story story",
    "the soup that=soup was:that too hot>that burned:soup+man the man "
    "although he=man tasted:he+it it=soup",
    "the queen and her=queen sister visited:queen+sister+castle the ruined>castle castle "
    "in a golden>coach coach",
    "the mice under the floor stole:mice+cheese the cheese while the lazy>cat cat slept:cat",
    "the teacher showed:teacher+pupils+map the shy>pupils pupils a map "
    "and they=pupils copied:they+it it=map carefully",
    "the bear which=bear lives:which in the snowy>mountains mountains "
    "is:bear white>bear and enormous>bear",
    "the empty>boat boat that=boat the sailors painted:sailors+that yesterday "
    "drifted:boat past the island",
    "on the warm>stone stone a lizard slept:lizard until a noisy>crow crow woke:crow+it it=lizard",
    "the vase on the shelf broke:vase because the kitten pushed:kitten+it it=vase",
    "the bright>moon moon lit:moon+path the path "
    "so the travellers found:travellers+tents their=travellers tents quickly",
    "the honey was:honey sweet>honey but the bees that=bees guarded:that+it it=honey "
    "were:bees angry>bees",
    "the dragon happily shared:dragon+dinner its=dragon enormous>dinner dinner "
    "with a poor>knight hungry>knight knight",
]

ANIMATE = set(
    "creature cat dog bird fox rabbits farmer horse owl mouse children ducks girl heron frog boy "
    "lion zebra brother man queen sister mice teacher pupils bear sailors lizard crow kitten "
    "travellers bees dragon knight".split()
)
EDIBLE = set("berry water cake apples soup cheese honey dinner".split())
OTHER_NOUNS = set(
    "tree feathers river forest coat beak garden story castle coach floor map mountains boat "
    "island stone vase shelf moon path tents".split()
)
ADVERBS = set(
    "happily quickly very quietly often slowly never too carefully yesterday home".split()
)
FUNCTION_WORDS = set(
    "the a some because with near before after in and from so , when although while under past on "
    "until but".split()
)


@dataclass
class Word:
    """One word of a sentence; targets are indices of the words that its mark names."""

    text: str
    kind: str
    targets: list = field(default_factory=list)


def kind_of(text, mark):
    """Returns the kind of a word, from its mark or else from the word lists."""
    if mark:
        return {":": "verb", ">": "adjective", "=": "pronoun"}[mark]
    for kind, words in (
        ("noun", ANIMATE | EDIBLE | OTHER_NOUNS),
        ("adverb", ADVERBS),
        ("function", FUNCTION_WORDS),
    ):
        if text in words:
            return kind
    raise ValueError(f"word without a kind: {text}")


def parse_sentence(marked):
    """Reads a marked sentence and returns its list of words."""
    parts = [re.fullmatch(r"([a-z]+|,)(?:([:>=])([a-z+]+))?", p).groups() for p in marked.split()]
    texts = [text for text, _, _ in parts]
    words = [Word(text, kind_of(text, mark)) for text, mark, _ in parts]
    for word, (_, _, names) in zip(words, parts):
        for name in names.split("+") if names else []:
            if texts.count(name) != 1:
                raise ValueError(f"'{name}' must stand once in: {marked}")
            word.targets.append(texts.index(name))
    return words


# ---------------------------------------------------------------------------------------------
# Embeddings and weights


def clean(value, digits=5):
    """Rounds a number; whole numbers become int, so that JSON shows 0 and not -0.0."""
    value = round(float(value), digits)
    return int(value) if value == int(value) else value


def clean_rows(matrix, digits=5):
    """Rounds every number of nested rows."""
    if isinstance(matrix, (list, tuple, np.ndarray)):
        return [clean_rows(row, digits) for row in matrix]
    return clean(matrix, digits)


def clock(position):
    """Returns the 16 numbers of a position: 8 pairs (cos, sin)."""
    angles = [2 * math.pi * hand * position / CLOCK_PERIOD for hand in range(1, CLOCK_HANDS + 1)]
    return [part for angle in angles for part in (math.cos(angle), math.sin(angle))]


def features(word):
    """Returns the 8 feature numbers of a word."""
    row = [1 if name == word.kind else 0 for name in FEATURE_NAMES]
    row[FEATURE_NAMES.index("animate")] = int(word.text in ANIMATE)
    row[FEATURE_NAMES.index("edible")] = int(word.text in EDIBLE)
    return row


def add_code(row, block, number):
    """Adds code `number` to a block of one embedding."""
    for dimension, value in zip(block, CODES[number]):
        row[dimension] += value


def embed(words):
    """Returns the designed embeddings of a sentence, (word, d_model)."""
    heads_of_phrases = [i for i, w in enumerate(words) if w.kind in ("noun", "pronoun")]
    events = [i for i, w in enumerate(words) if w.kind == "verb"]
    if len(words) > MAX_WORDS or max(len(heads_of_phrases), len(events)) > N_CODES:
        raise ValueError("a sentence has at most 16 words, 8 noun phrases and 8 verbs")
    phrase = {index: number for number, index in enumerate(heads_of_phrases)}
    rows = np.zeros((len(words), D_MODEL))
    for i, word in enumerate(words):
        rows[i, POSITION] = clock(i)
        rows[i, FEATURES] = features(word)
        if i in phrase:
            add_code(rows[i], PHRASE, phrase[i])
        if word.kind == "verb":
            add_code(rows[i], VERB_OF, events.index(i))
            for target in word.targets:
                add_code(rows[target], ARGUMENT_OF, events.index(i))
        for target in word.targets if word.kind in ("adjective", "pronoun") else []:
            add_code(rows[i], DESCRIBES if word.kind == "adjective" else REFERS_TO, phrase[target])
    return clean_rows(rows)


def connect(matrix, sources, targets, gain):
    """Makes `matrix` copy the source dimensions into the target dimensions, times gain."""
    for source, target in zip(sources, targets):
        matrix[source, target] = gain


def columns(head, first=0):
    """Returns the columns of a head from its dimension `first` on."""
    return range(head * D_HEAD + first, (head + 1) * D_HEAD)


def make_weights():
    """Returns W_Q, W_K, W_V, W_O of the four heads side by side, each (64, 64)."""
    w_q, w_k, w_v, w_o = (np.zeros((D_MODEL, D_MODEL)) for _ in range(4))
    # Head 0: the query is the own position turned back by one word, the key is the position.
    for hand in range(CLOCK_HANDS):
        angle = 2 * math.pi * (hand + 1) / CLOCK_PERIOD
        cos, sin = POSITION[2 * hand], POSITION[2 * hand + 1]
        w_q[cos, cos], w_q[sin, cos] = GAIN * math.cos(angle), GAIN * math.sin(angle)
        w_q[cos, sin], w_q[sin, sin] = -GAIN * math.sin(angle), GAIN * math.cos(angle)
    connect(w_k, POSITION, columns(0), 1)
    # Heads 1 to 3: the query is one block, the key another; equal codes match.
    for head, asks, answers in (
        (1, VERB_OF, ARGUMENT_OF),
        (2, DESCRIBES, PHRASE),
        (3, REFERS_TO, PHRASE),
    ):
        connect(w_q, asks, columns(head), GAIN)
        connect(w_k, answers, columns(head), 1)
    # Values: what the word is like and one code; W_O writes both back where they came from.
    for head, block in ((0, DESCRIBES), (1, PHRASE), (2, PHRASE), (3, PHRASE)):
        connect(w_v, block, columns(head), 1)
        connect(w_v, FEATURES, columns(head, N_CODES), 1)
        connect(w_o, columns(head), block, 1)
        connect(w_o, columns(head, N_CODES), FEATURES, 1)
    matrices = {"W_Q": w_q, "W_K": w_k, "W_V": w_v, "W_O": w_o}
    return {name: clean_rows(matrix) for name, matrix in matrices.items()}


# ---------------------------------------------------------------------------------------------
# Documents

RELATIONS = {"verb": "verb-argument", "adjective": "adjective-noun", "pronoun": "pronoun-noun"}


def make_relations(words):
    """Returns the "relations" field: pairs [query, key] by name, only names that occur."""
    relations = []
    for kind, name in RELATIONS.items():
        pairs = [[i, t] for i, w in enumerate(words) if w.kind == kind for t in sorted(w.targets)]
        if pairs:
            relations.append({"name": name, "pairs": pairs})
    return relations


def make_document(marked, name, weights, attention):
    """Returns the input document of one marked sentence."""
    words = parse_sentence(marked)
    return {
        "id": name,
        "tokens": [word.text for word in words],
        "embeddings": embed(words),
        "attention": attention,
        "weights": weights,
        "relations": make_relations(words),
    }


def make_documents():
    """Returns (creature, one_head, list of the documents of creatures.ndjson)."""
    weights = make_weights()
    four = {"n_heads": N_HEADS, "d_head": D_HEAD}
    one = {"n_heads": 1, "d_head": D_MODEL, "scale": SCALE}
    creature = make_document(CREATURE, "creature (designed, not learned)", weights, four)
    one_head = make_document(CREATURE, "one head (designed, not learned)", weights, one)
    stored = {
        "file": "creature-heads.safetensors",
        "names": {name: name for name in weights},
        "layout": "in_out",
    }
    more = [
        make_document(marked, f"creatures {number:02d} (designed, not learned)", stored, four)
        for number, marked in enumerate(SENTENCES, start=1)
    ]
    return creature, one_head, more


# ---------------------------------------------------------------------------------------------
# Writing


def compact(value):
    """Returns JSON on one line, numbers without spaces between them."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{compact(k)}: {compact(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list) and any(isinstance(item, (str, dict)) for item in value):
        return "[" + ", ".join(compact(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pretty(value, indent=""):
    """Returns readable JSON: short values on one line, long arrays one row a line."""
    line = compact(value)
    is_row = isinstance(value, list) and not any(isinstance(i, (list, dict)) for i in value)
    if is_row or len(indent) + len(line) <= 90:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        items = [f"{inner}{compact(key)}: {pretty(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + indent + "}"
    items = [inner + pretty(item, inner) for item in value]
    return "[\n" + ",\n".join(items) + "\n" + indent + "]"


def write_json(path, document):
    """Writes one document in readable form."""
    path.write_text(pretty(document) + "\n", encoding="utf-8")


def write_ndjson(path, documents):
    """Writes one document a line."""
    path.write_text("".join(compact(d) + "\n" for d in documents), encoding="utf-8")


def write_safetensors(path, matrices):
    """Writes float32 matrices: header length (8 bytes), JSON header, then the raw rows."""
    header, data = {}, b""
    for name, matrix in matrices.items():
        array = np.asarray(matrix, dtype="<f4")
        span = [len(data), len(data) + array.nbytes]
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": span}
        data += array.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


# ---------------------------------------------------------------------------------------------
# Checking: a forward pass in NumPy and the scores


def attention_of(document, weights, head_count, scale=SCALE):
    """Returns the attention weights of a document, (head, query, key)."""
    x = np.array(document["embeddings"], dtype=float)
    q, k = (
        (x @ np.array(weights[name], dtype=float)).reshape(len(x), head_count, -1)
        for name in ("W_Q", "W_K")
    )
    scores = scale * np.einsum("ihd,jhd->hij", q, k)
    powers = np.exp(scores - scores.max(axis=2, keepdims=True))
    return powers / powers.sum(axis=2, keepdims=True)


def relation_rows(documents, name):
    """Yields (document number, query, set of right keys, n_key) for each row of a relation."""
    for number, document in enumerate(documents):
        for relation in document["relations"]:
            if relation["name"] == name:
                keys = {}
                for query, key in relation["pairs"]:
                    keys.setdefault(query, set()).add(key)
                for query, right in keys.items():
                    yield number, query, right, len(document["tokens"])


def rate_of(maps, rows):
    """Returns the share of rows whose strongest key, self left out, is a right one."""
    hits = 0
    for number, query, right, _ in rows:
        row = maps[number][query].copy()
        row[query] = -1
        hits += int(np.argmax(row)) in right
    return hits / len(rows)


def weight_of(maps, rows):
    """Returns the mean share of a row's attention that the right keys get."""
    return float(np.mean([sum(maps[n][q][k] for k in right) for n, q, right, _ in rows]))


def baseline_of(rows):
    """Returns (rate, offset) of the best single fixed offset."""
    offsets = [o for o in range(-MAX_WORDS, MAX_WORDS + 1) if o != 0]
    rates = [(sum(q + o in right for _, q, right, _ in rows) / len(rows), o) for o in offsets]
    return max(rates, key=lambda pair: pair[0])


def previous_of(maps):
    """Returns the mean weight of the previous word over the rows that have one."""
    return float(np.mean([m[i][i - 1] for m in maps for i in range(1, len(m))]))


def measure(documents, weights, head_count):
    """Returns a list for each head: (previous, {relation: (rate, weight on right keys)})."""
    maps = [attention_of(document, weights, head_count) for document in documents]
    result = []
    for head in range(head_count):
        own = [m[head] for m in maps]
        rates = {}
        for name in RELATIONS.values():
            rows = list(relation_rows(documents, name))
            rates[name] = (rate_of(own, rows), weight_of(own, rows))
        result.append((previous_of(own), rates))
    return result


def print_table(title, measured):
    """Prints previous, and rate (weight on the right keys) of each relation, a head a line."""
    print(title)
    print(f"  {'head':6}{'previous':>10}" + "".join(f"{n:>20}" for n in RELATIONS.values()))
    for head, (previous, rates) in enumerate(measured):
        cells = "".join(f"{rate:12.3f} ({weight:.3f})" for rate, weight in rates.values())
        print(f"  H{head:<5}{previous:10.3f}{cells}")


def coverage_of(measured):
    """Returns (best single head, many heads) over the relations, as in "coverage"."""
    table = [[rate for rate, _ in rates.values()] for _, rates in measured]
    return max(np.mean(row) for row in table), float(np.mean(np.max(table, axis=0)))


def check_quiet_rows(document, weights):
    """Asserts that rows to which a head does not apply are uniform, the others sharp."""
    maps = attention_of(document, weights, N_HEADS)
    n = len(document["tokens"])
    asked = {r["name"]: {q for q, _ in r["pairs"]} for r in document["relations"]}
    for head, name in enumerate(RELATIONS.values(), start=1):
        for query in range(n):
            applies = query in asked.get(name, set())
            assert applies or np.allclose(maps[head][query], 1 / n), (head, query)
    assert np.allclose(maps[0][0], 1 / n, atol=1e-4)


def check(documents):
    """Measures everything the examples promise, prints it, and asserts it."""
    creature, _, more = documents
    weights = creature["weights"]
    four = measure(more, weights, N_HEADS)
    one = measure(more, weights, 1)
    print_table(f"creatures.ndjson, four heads, {len(more)} sentences: rate (weight)", four)
    print_table("the same sentences and weights in one head", one)
    print_table("creature.json, four heads", measure([creature], weights, N_HEADS))
    print_table("one-head.json", measure([creature], weights, 1))
    for name in RELATIONS.values():
        rows = list(relation_rows(more, name))
        baseline, offset = baseline_of(rows)
        several = sum(len(right) > 1 for _, _, right, _ in rows)
        print(
            f"{name}: {len(rows)} rows, {several} with several right keys, "
            f"best fixed offset {offset:+d} right in {baseline:.3f}"
        )
        best = max(rates[name][0] for _, rates in four)
        assert len(rows) >= 20 and best - baseline >= 0.3, name
    single, many = coverage_of(four)
    wide, _ = coverage_of(one)
    print(f"coverage: many heads {many:.3f}, best single head {single:.3f}; one-head {wide:.3f}")
    assert four[0][0] >= 0.9 and many >= 0.95 and single < 0.5 and wide < 0.5
    for head, name in enumerate(RELATIONS.values(), start=1):
        assert four[head][1][name][0] == 1.0 and four[head][1][name][1] >= 0.95, name
    for document in [creature] + more:
        check_quiet_rows(document, weights)


def main():
    """Writes the files, or only checks them with --check."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="measure and print; write nothing")
    arguments = parser.parse_args()
    documents = make_documents()
    if arguments.check:
        check(documents)
        return 0
    creature, one_head, more = documents
    EXAMPLES.mkdir(parents=True, exist_ok=True)
    write_json(EXAMPLES / "creature.json", creature)
    write_json(EXAMPLES / "one-head.json", one_head)
    write_ndjson(EXAMPLES / "creatures.ndjson", more)
    write_safetensors(EXAMPLES / "creature-heads.safetensors", creature["weights"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
