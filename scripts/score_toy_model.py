#!/usr/bin/env python3
"""Measures the bundled toy model with `mha-viz score`: heads are picked on one half of the held-out
sentences, and the rates are those of the other half.

  score_toy_model.py [--model DIR]...      prints the tables of docs/models.md: of the bundled model, or
                                           of models that train_toy_model.py wrote

A head qualifies for a relation with rate >= 0.6 and gain >= 0.2 on the first half. "Its own head" gives
as many relations as possible a head each (a maximum matching over qualifying heads, without the
previous-word head; among equals the better rates).
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOY = ROOT / "data" / "models" / "toy"
MIN_RATE, MIN_GAIN = 0.6, 0.2


def scores_of(binary, model, half):
    command = [binary, "score", TOY / f"heldout-{half}.ndjson", "--format", "json"]
    if model:
        command += ["--model", model]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


def rates(scores):
    """{relation: {head: rate}} of the relations as they are named, not reversed."""
    out = {}
    for head in scores["heads"]:
        for relation in head["relations"]:
            if not relation["reversed"]:
                out.setdefault(relation["name"], {})[head["head"]] = relation["rate"]
    return out


def named(scores):
    return {r["name"]: r for r in scores["relations"] if not r["reversed"]}


def matching(candidates):
    """{relation: head}: augmenting paths, better heads first."""
    taken = {}

    def place(relation, seen):
        for head in candidates[relation]:
            if head in seen:
                continue
            seen.add(head)
            if head not in taken or place(taken[head], seen):
                taken[head] = relation
                return True
        return False

    for relation in candidates:
        place(relation, set())
    return {relation: head for head, relation in taken.items()}


def print_table(binary, model):
    pick, report = scores_of(binary, model, "pick"), scores_of(binary, model, "report")
    picked, reported = rates(pick), rates(report)
    previous = max(pick["heads"], key=lambda head: head["previous"]["value"])["head"]
    candidates = {}
    for name, relation in named(pick).items():
        heads = sorted(picked[name], key=picked[name].get, reverse=True)
        good = lambda h: picked[name][h] >= MIN_RATE and picked[name][h] - relation["baseline"] >= MIN_GAIN
        candidates[name] = [head for head in heads if good(head) and head != previous]
    own = matching(candidates)
    print("| relation | rows | baseline (offset) | best head | rate | gain | its own head | rate | gain |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, relation in named(report).items():
        best = max(picked[name], key=picked[name].get)
        cells = []
        for head in (best, own.get(name)):
            if head is None:
                cells += ["-", "", ""]
                continue
            rate = reported[name][head]
            cells += [head, f"{rate:.2f}", f"{rate - relation['baseline']:+.2f}"]
        baseline = f"{relation['baseline']:.2f} ({relation['baseline_offset']:+d})"
        print(f"| {name} | {relation['rows']} | {baseline} | {' | '.join(cells)} |")
    value = next(head for head in report["heads"] if head["head"] == previous)["previous"]["value"]
    print(f"\nPrevious word: {previous}, mean weight {value:.2f}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=ROOT / "build" / "release" / "mha-viz")
    parser.add_argument("--model", action="append", metavar="DIR", help="the bundled model without it")
    args = parser.parse_args()
    for model in args.model or [None]:
        if model:
            print(f"\n{model}\n")
        print_table(args.binary, model)


main()
