#!/usr/bin/env python3
"""Makes tests/goldens/models: tiny random Llama, Mistral, Qwen2 and Qwen3 models in the Hugging Face
layout, with what golden_forward.py computes from them in double precision.

  make_model_goldens.py            write all folders (the same bytes on every run)
  make_model_goldens.py --check    compare what is committed with what is computed now: configs and
                                   weights byte by byte, expected values to 1e-6
  make_model_goldens.py --traps    also print by how much each mistake of a reader would show
  make_model_goldens.py --against DIR
                                   compute the model of another folder that has an expected.safetensors
                                   (ids, attention, logits) and print the largest differences

README.md in the folder says what the files are. Needs Debian's python3-numpy.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

import golden_files
from golden_forward import Decoder, rope_frequencies
from golden_models import CASES, Dice, draw_tensors, forgotten

FOLDER = Path(__file__).resolve().parent.parent / "tests/goldens/models"
TOLERANCE = 1e-6
STRONG = 0.5  # every layer has a weight above this among the queries from FIRST_QUERY on
FIRST_QUERY = 5
VISIBLE_MISTAKE = 5e-4  # in the attention; ten times what float32 implementations are allowed
EXPECTED = ("attention", "hidden", "last_hidden_state", "logits")


def padded_example(model, dice, n_tokens, padding):
    """Returns an example whose first tokens are padding; positions count them, too."""
    ids = dice.ids(n_tokens, model.config["vocab_size"])
    ids[:padding] = 0
    valid_keys = (np.arange(n_tokens) >= padding).astype(np.int64)
    positions = np.arange(n_tokens)
    result = model.forward(ids, valid_keys, positions)
    # RoPE knows distances only: positions that start at the first real token give the same.
    shifted = model.forward(ids, valid_keys, positions - padding)
    assert np.abs(result["attention"] - shifted["attention"]).max() < 1e-12
    return {"ids": ids, "valid_keys": valid_keys, "positions": positions} | result


def examples(case, model, dice):
    """Returns {prefix: tensors of an example}; the prefix of the main example is empty."""
    vocabulary = model.config["vocab_size"]
    ids = dice.ids(case["tokens"], vocabulary)
    found = {"": {"ids": ids} | model.forward(ids)}
    for name, n_tokens in case.get("also", {}).items():
        found[name + "."] = {"ids": ids[:n_tokens]} | model.forward(ids[:n_tokens])
    if "padding" in case:
        found["padded."] = padded_example(model, dice, case["tokens"] - 2, case["padding"])
    return found


def attention_is_strong(attention):
    """True where every layer has a weight above STRONG that is not in the first rows."""
    return (attention[:, :, FIRST_QUERY:].max(axis=(1, 2, 3)) > STRONG).all()


def mistakes(case, model, ids, right):
    """Yields what a reader could get wrong and the largest difference in attention and logits."""
    for what, change in case["wrong"].items():
        config, tensors = model.config, model.tensors
        if isinstance(change, dict):
            config = {k: v for k, v in (config | change).items() if v is not None}
        else:
            tensors = forgotten(tensors, change)
        if not config.get("tie_word_embeddings") and "lm_head.weight" not in tensors:
            shape = (config["vocab_size"], config["hidden_size"])
            tensors = tensors | {"lm_head.weight": np.zeros(shape)}
        wrong = Decoder(config, tensors).forward(ids)
        yield what, *(np.abs(wrong[k] - right[k]).max() for k in ("attention", "logits"))


def make_case(name, case, show):
    """Returns {file name: bytes} of a folder, after checking that its mistakes would show."""
    dice, dtype = Dice(name), case.get("dtype", "F32")
    tensors = draw_tensors(case["config"], dice, dtype)
    model = Decoder(case["config"], tensors)
    found = examples(case, model, dice)
    main = found[""]
    assert attention_is_strong(main["attention"]), f"{name}: a layer without a strong weight"
    for what, attention, logits in mistakes(case, model, main["ids"], main):
        only_logits = "tied" in what
        assert (logits if only_logits else attention) > VISIBLE_MISTAKE, f"{name}: {what}: hidden"
        if show:
            print(f"  {name}: {what}: attention {attention:.1e}, logits {logits:.1e}")
    files = golden_files.model_files(tensors, dtype, case.get("shards", 1))
    config = dict(sorted(case["config"].items()))
    files["config.json"] = (json.dumps(config, indent=2) + "\n").encode()
    expected = {p + k: v for p, example in found.items() for k, v in example.items()}
    files["expected.safetensors"] = golden_files.encode(expected)
    return files


def same_expected(data, committed):
    """Returns the largest difference between two files of expected values, inf for other shapes."""
    ours, theirs = golden_files.decode(data), golden_files.decode(committed)
    if {k: v.shape for k, v in ours.items()} != {k: v.shape for k, v in theirs.items()}:
        return np.inf
    return np.max([np.abs(ours[k] - theirs[k]).max() for k in ours])  # NaN stays NaN


def check_case(name, files):
    """Prints what differs from the committed folder; returns whether nothing does."""
    folder = FOLDER / name
    present = {path.name for path in folder.glob("*")}
    if present != set(files):
        print(f"{name}: files differ: {sorted(present ^ set(files))}")
        return False
    good = True
    for file, data in files.items():
        committed = (folder / file).read_bytes()
        if file == "expected.safetensors":
            difference = same_expected(data, committed)
            if not difference <= TOLERANCE:
                print(f"{name}/{file}: differs by {difference:g}, allowed {TOLERANCE:g}")
                good = False
        elif data != committed:
            print(f"{name}/{file}: other bytes")
            good = False
    return good


def write_case(name, files):
    """Writes a folder."""
    (FOLDER / name).mkdir(parents=True, exist_ok=True)
    for file, data in files.items():
        (FOLDER / name / file).write_bytes(data)
    size = sum(len(data) for data in files.values())
    print(f"{name}: {size} bytes, {rope_frequencies(CASES[name]['config'], 1)[0].size} pairs")


def against(folder):
    """Compares the forward pass with the expected values of another folder."""
    model = Decoder(*golden_files.read_model(folder))
    expected = golden_files.read(folder / "expected.safetensors")
    result = model.forward(expected["ids"])
    for name in EXPECTED:
        if name in expected:
            print(f"{name}: {np.abs(result[name] - expected[name]).max():.2e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--traps", action="store_true")
    parser.add_argument("--against", type=Path, metavar="DIR")
    options = parser.parse_args()
    if options.against:
        against(options.against)
        return 0
    made = {name: make_case(name, case, options.traps) for name, case in CASES.items()}
    if options.check:
        folders = {path.parent.name for path in FOLDER.glob("*/config.json")}
        for name in sorted(folders - set(made)):
            print(f"{name}: nothing makes this folder")
        good = [check_case(name, files) for name, files in made.items()]
        print(f"{sum(good)} of {len(good)} models as committed")
        return 0 if all(good) and folders == set(made) else 1
    for name, files in made.items():
        write_case(name, files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
