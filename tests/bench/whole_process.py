#!/usr/bin/env python3
"""Times mha-viz on data/examples/creature.json, whole process, all files written, in turns with a
numpy and matplotlib script that draws the same four heads and an overview. Needs Debian's
python3-numpy and python3-matplotlib for the comparison; without them it times mha-viz alone."""

import importlib.util
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BINARY = ROOT / "build/release/mha-viz"
EXAMPLE = ROOT / "data/examples/creature.json"
ROUNDS = 15

PEER = """
import json, sys
import numpy as np
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
d = json.load(open(sys.argv[1]))
x = np.array(d["embeddings"], np.float32)
w = {k: np.array(v, np.float32) for k, v in d["weights"].items() if k.startswith("W")}
h = d["attention"]["n_heads"]
if w["W_Q"].ndim == 3:
    w = {k: v.transpose(1, 0, 2).reshape(v.shape[1], -1) for k, v in w.items() if k != "W_O"}
q, k = (np.split(x @ w[n], h, 1) for n in ("W_Q", "W_K"))
s = [a @ b.T * d["attention"].get("scale", a.shape[1] ** -0.5) for a, b in zip(q, k)]
a = [np.exp(m - m.max(1, keepdims=True)) for m in s]
a = [m / m.sum(1, keepdims=True) for m in a]
def draw(ax, m):
    ax.imshow(m, vmin=0, vmax=1)
    ax.set_xticks(range(len(m)), d["tokens"], rotation=45, ha="right")
    ax.set_yticks(range(len(m)), d["tokens"])
for i, m in enumerate(a):
    fig, ax = plt.subplots(figsize=(6, 6), dpi=144)
    draw(ax, m)
    fig.tight_layout()
    fig.savefig(f"{sys.argv[2]}/h{i}.png")
fig, axes = plt.subplots(1, h, figsize=(4 * h, 4))
for ax, m in zip(axes, a):
    draw(ax, m)
fig.tight_layout()
fig.savefig(f"{sys.argv[2]}/all.png")
json.dump([m.tolist() for m in a], open(f"{sys.argv[2]}/a.json", "w"))
"""


def timed(command):
    """Seconds that the command takes, start to end."""
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


def main():
    """Prints median and smallest time of both."""
    has_peer = all(importlib.util.find_spec(m) for m in ("numpy", "matplotlib"))
    with tempfile.TemporaryDirectory() as folder:
        ours_command = [BINARY, EXAMPLE, "-o", f"{folder}/out", "--quiet"]
        peer_command = [sys.executable, "-c", PEER, EXAMPLE, folder]
        ours, peer = [], []
        for _ in range(ROUNDS):
            ours.append(timed(ours_command))
            if has_peer:
                peer.append(timed(peer_command))
    for name, times in (("mha-viz", ours), ("numpy + matplotlib", peer)):
        if times:
            print(f"{name:20} median {statistics.median(times) * 1e3:7.1f} ms, "
                  f"smallest {min(times) * 1e3:7.1f} ms")


if __name__ == "__main__":
    main()
