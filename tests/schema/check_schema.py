#!/usr/bin/env python3
"""Checks that the JSON Schemas of data/schema agree with the shipped examples and goldens.

  - both schemas are valid draft 2020-12, closed (additionalProperties false) and described;
  - every data/examples/*.json, every line of *.ndjson and every golden's input is valid;
  - documents that use each field of the format are valid, and broken ones are not;
  - an attention.json that the tool would write is valid under both schemas.

With arguments, checks these files instead: attention.json by the attention schema, other names by
the input schema (.ndjson line by line). Exit code 0: all agree, 1: something does not, 77: not run
because python3-jsonschema is missing.
"""

import copy
import json
import sys
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("SKIPPED: python3-jsonschema (with draft 2020-12) is not installed")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "data" / "schema"

PLAIN = {
    "tokens": ["a", "b"],
    "embeddings": [[1, 0], [0, 1]],
    "attention": {"n_heads": 1},
    "weights": {"W_Q": [[1, 0], [0, 1]], "W_K": [[1, 0], [0, 1]], "W_V": [[1, 0], [0, 1]]},
}
COMPUTED = {
    "format": "mha-viz attention 1",
    "tokens": ["a", "b"],
    "key_tokens": ["a", "b"],
    "axes": ["layer", "head", "query", "key"],
    "selection": ["L0H0"],
    "attention_weights": [[[[1, 0], [0.25, 0.75]]]],
    "attention": {"causal": True},
}

# name: fields put into PLAIN (None removes a field)
GOOD_CHANGES = {
    "only text": {"tokens": None, "embeddings": None, "attention": None, "weights": None,
                  "text": "a b"},
    "only ids": {"tokens": None, "embeddings": None, "attention": None, "weights": None,
                 "ids": [464, 3797], "token_types": [0, 1]},
    "padded ids": {"tokens": None, "embeddings": None, "attention": None, "weights": None,
                   "ids": [464, 3797], "valid_keys": [True, False]},
    "two texts": {"tokens": None, "embeddings": None, "attention": None, "weights": None,
                  "text": "who sat?", "text_pair": "the cat sat"},
    "files": {"embeddings": {"file": "x.npy"},
              "attention": {"n_heads": 2, "bias": {"file": "b.safetensors", "name": "bias"}},
              "weights": {"W_Q": {"file": "w.safetensors", "name": "q"}, "W_K": {"file": "k.npy"},
                          "W_V": {"file": "v.npy"}, "b_O": {"file": "o.npy"}}},
    "stored weights": {"weights": {"file": "layer.safetensors", "layout": "out_in",
                                   "names": {"W_Q": "q", "W_K": "k", "W_V": "v", "b_V": "c"}}},
    "stored weights beside one written here": {
        "weights": {"file": "layer.safetensors", "W_O": [[1, 0], [0, 1]], "b_O": {"file": "o.npy"}}},
    "written weights by rows of outputs": {"weights": {**PLAIN["weights"], "layout": "out_in"}},
    "embeddings without tokens": {"tokens": None},
    "context without tokens": {"context": {"embeddings": [[1, 2]]}},
    "ids beside tokens": {"ids": [1, 2]},
    "random weights": {"weights": {"random": {"seed": 7}}},
    "per-head weights": {"weights": {"W_Q": [[[1], [0]]], "W_K": [[[1], [0]]], "W_V": [[[1], [0]]],
                                     "W_O": [[[1, 0]]], "b_Q": [0]}},
    "whole rule": {"attention": {
        "n_heads": 4, "n_kv_heads": 2, "d_head": 16, "scale": 0.25, "temperature": 1,
        "causal": True, "window": 128, "softcap": 50,
        "position": {"kind": "rope", "theta": 10000, "pairing": "half", "fraction": 1},
        "mask": [[True, False], [True, True]], "valid_keys": [True, True],
        "bias": [[[0, None], [0.5, 1]]]}},
    "alibi, 2-D bias": {"attention": {"position": {"kind": "alibi"}, "bias": [[0, None], [1, 2]]}},
    "cross-attention": {"context": {"tokens": ["c"], "embeddings": [[1, 2]]},
                        "positions": "sinusoidal"},
    "stack": {"weights": None, "residual": True,
              "layers": [{"weights": {"random": {"seed": 1}}}, {"attention": {"window": 2}}]},
    "relations": {"relations": [{"name": "subject-verb", "pairs": [[0, 1]]}]},
    "precomputed": {"embeddings": None, "weights": None,
                    "attention_weights": [[[[0.5, None], [0, 1]]]]},
}
BAD_CHANGES = {
    "unknown field": {"embedings": [[1, 0], [0, 1]]},
    "unknown field of attention": {"attention": {"n_head": 4}},
    "unknown field of weights": {"weights": {**PLAIN["weights"], "W_q": [[1]]}},
    "unknown field of a layer": {"layers": [{"mlp": {}}]},
    "unknown field of rope": {"attention": {"position": {"kind": "rope", "base": 1}}},
    "unknown field of a relation": {"relations": [{"name": "r", "pairs": [], "kind": 1}]},
    "unknown field of a context": {"context": {"tokens": ["c"], "text": "c"}},
    "unknown field of a file": {"embeddings": {"file": "x.npy", "key": "x"}},
    "unknown field of random": {"weights": {"random": {"sead": 7}}},
    "tensor without a name": {"embeddings": {"file": "x.safetensors"}},
    "no tokens": {"tokens": []},
    "nothing to attend to": {"tokens": None, "embeddings": None},
    "tokens and text": {"text": "a b"},
    "ids and text": {"tokens": None, "text": "a b", "ids": [1, 2]},
    "empty context": {"context": {}},
    "second text without a first": {"text_pair": "a b"},
    "padding in numbers": {"tokens": None, "embeddings": None, "attention": None, "weights": None,
                           "ids": [1, 2], "valid_keys": [1, 0]},
    "empty text": {"tokens": None, "text": ""},
    "token that is a number": {"tokens": ["a", 1]},
    "embeddings in words": {"embeddings": [["1", "0"], ["0", "1"]]},
    "null in embeddings": {"embeddings": [[1, None], [0, 1]]},
    "embeddings without rows": {"embeddings": []},
    "embeddings too deep": {"embeddings": [[[1, 0], [0, 1]]]},
    "no heads": {"attention": {"n_heads": 0}},
    "half a head": {"attention": {"n_heads": 1.5}},
    "negative scale": {"attention": {"scale": -1}},
    "zero temperature": {"attention": {"temperature": 0}},
    "window of zero": {"attention": {"window": 0}},
    "fraction above one": {"attention": {"position": {"kind": "rope", "fraction": 1.5}}},
    "unknown pairing": {"attention": {"position": {"kind": "rope", "pairing": "both"}}},
    "unknown kind of position": {"attention": {"position": {"kind": "learned"}}},
    "mask of numbers": {"attention": {"mask": [[1, 0], [1, 1]]}},
    "causal in words": {"attention": {"causal": "yes"}},
    "unknown positions": {"positions": "learned"},
    "weights without W_V": {"weights": {"W_Q": [[1]], "W_K": [[1]]}},
    "weights of two kinds": {"weights": {**PLAIN["weights"], "random": {"seed": 1}}},
    "unknown layout": {"weights": {"file": "w.safetensors", "layout": "in_in"}},
    "pair of three": {"relations": [{"name": "r", "pairs": [[0, 1, 2]]}]},
    "negative index": {"relations": [{"name": "r", "pairs": [[0, -1]]}]},
    "residual without layers": {"residual": True},
    "key_tokens without attention_weights": {"key_tokens": ["a", "b"]},
    "attention_weights of one head only": {"attention_weights": [[0.5, 0.5], [0, 1]]},
    "other format": {"attention_weights": [[[[1, 0], [0, 1]]]], "format": "mha-viz attention 9"},
}
BAD_ATTENTION_CHANGES = {
    "no key_tokens": {"key_tokens": None},
    "unknown field": {"weights": {"random": {}}},
    "scale in the rule": {"attention": {"scale": 1}},
    "weight above one": {"attention_weights": [[[[1, 0], [0.25, 1.75]]]]},
    "other axes": {"axes": ["head", "layer", "query", "key"]},
    "selection in words": {"selection": ["layer 0 head 0"]},
}


class Report:
    """Counts what was checked and prints what failed."""

    def __init__(self):
        self.checked = 0
        self.failed = 0

    def expect(self, condition, message):
        """Counts one check; prints the message when it failed."""
        self.checked += 1
        if not condition:
            self.failed += 1
            print(f"FAILED: {message}")


def changed(document, changes):
    """Returns a copy of the document with the changes made; None removes a field."""
    result = copy.deepcopy(document)
    for name, value in changes.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = value
    return result


def load_schema(name):
    """Returns the schema as plain JSON."""
    return json.loads((SCHEMAS / name).read_text(encoding="utf-8"))


def documents_in(path):
    """Yields (place, document) for a JSON file or for each line of an NDJSON file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ndjson":
        for number, line in enumerate(text.splitlines(), start=1):
            yield f"{path}:{number}", json.loads(line)
    else:
        yield str(path), json.loads(text)


def first_error(validator, document):
    """Returns the first error as text, or an empty string."""
    for error in validator.iter_errors(document):
        place = "/".join(str(part) for part in error.absolute_path)
        return f"at '/{place}': {error.message[:200]}"
    return ""


def check_closed(report, name, schema, place="", is_schema=True):
    """Checks that every object is closed and that every field is described."""
    if isinstance(schema, list):
        for item in schema:
            check_closed(report, name, item, place)
        return
    if not isinstance(schema, dict):
        return
    if is_schema and "properties" in schema and not place.endswith(("/if", "/then")):
        closed = schema.get("additionalProperties") is False
        report.expect(closed, f"{name}{place}: additionalProperties is not false")
        for field, value in schema["properties"].items():
            described = "description" in value or "$ref" in value
            report.expect(described, f"{name}{place}/{field}: has no description")
    for key, value in schema.items():
        holds_names = is_schema and key in ("properties", "$defs")
        check_closed(report, name, value, f"{place}/{key}", not holds_names)


def check_examples(report, validator):
    """Checks every shipped example and the input of every golden."""
    examples = ROOT / "data" / "examples"
    paths = sorted(examples.glob("*.json")) + sorted(examples.glob("*.ndjson"))
    report.expect(paths, f"no examples in {examples}")
    for path in paths:
        for place, document in documents_in(path):
            error = first_error(validator, document)
            report.expect(not error, f"{place} {error}")
    for path in sorted((ROOT / "tests" / "goldens").glob("*.json")):
        error = first_error(validator, json.loads(path.read_text(encoding="utf-8"))["input"])
        report.expect(not error, f"{path} {error}")


def check_variants(report, input_validator, attention_validator):
    """Checks documents made here: good ones pass, broken ones do not."""
    for name, changes in {"plain": {}, **GOOD_CHANGES}.items():
        error = first_error(input_validator, changed(PLAIN, changes))
        report.expect(not error, f"'{name}' should be valid: {error}")
    for name, changes in BAD_CHANGES.items():
        error = first_error(input_validator, changed(PLAIN, changes))
        report.expect(error, f"'{name}' should not be valid")
    rule = {"mask": [[True, False], [True, True]]}
    layered = {"attention": None, "layers": [{"attention": rule}]}
    for name, document in (("whole", COMPUTED), ("layered", changed(COMPUTED, layered))):
        for validator in (attention_validator, input_validator):
            error = first_error(validator, document)
            report.expect(not error, f"attention.json, {name}, should be valid: {error}")
    for name, changes in BAD_ATTENTION_CHANGES.items():
        error = first_error(attention_validator, changed(COMPUTED, changes))
        report.expect(error, f"attention.json, '{name}', should not be valid")


def check_files(report, paths, input_validator, attention_validator):
    """Checks the files named on the command line."""
    for path in map(Path, paths):
        validator = attention_validator if path.name == "attention.json" else input_validator
        for place, document in documents_in(path):
            error = first_error(validator, document)
            report.expect(not error, f"{place} {error}")


def main(paths):
    """Runs the checks; returns the exit code."""
    report = Report()
    schemas = {name: load_schema(name) for name in ("input.schema.json", "attention.schema.json")}
    for name, schema in schemas.items():
        Draft202012Validator.check_schema(schema)
        check_closed(report, name, schema)
    input_validator, attention_validator = map(Draft202012Validator, schemas.values())
    if paths:
        check_files(report, paths, input_validator, attention_validator)
    else:
        check_examples(report, input_validator)
        check_variants(report, input_validator, attention_validator)
    print(f"{report.checked} checks, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
