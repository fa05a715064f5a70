#!/usr/bin/env python3
"""Runs the NumPy and PyTorch recipes of docs/from-python.md and lets mha-viz read what they wrote.

Skips, saying so (exit 77), where numpy or torch is not installed. Usage: check_recipes.py MHA_VIZ"""

import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)


def read_back(binary, folder, *arguments):
    """Runs mha-viz on a file and returns its weights (layer, head, query, key)."""
    out = subprocess.run([binary, *arguments, "-o", "-", "--weights", "json", "--quiet"], cwd=folder,
                         check=True, capture_output=True, text=True).stdout
    return np.array(json.loads(out)["attention_weights"])


def main():
    """Each recipe must give back the weights that Python had."""
    binary = str(pathlib.Path(sys.argv[1]).resolve())
    torch.manual_seed(1)
    n_heads, d_model, n_tokens = 4, 16, 6
    mha = torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True).eval()
    x = torch.randn(1, n_tokens, d_model)
    _, weights = mha(x, x, x, need_weights=True, average_attn_weights=False)
    expected = weights.detach().numpy()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        layers = [expected[0], expected[0][::-1].copy()]
        np.savez(folder / "attentions.npz", **{f"attentions_{i}": a for i, a in enumerate(layers)})
        got = read_back(binary, folder, "attentions.npz")
        assert np.abs(got - np.array(layers)).max() < 1e-6, "layers in an npz"

        np.save(folder / "weights.npy", np.array(layers))
        assert np.abs(read_back(binary, folder, "weights.npy") - np.array(layers)).max() < 1e-6

        np.savez(folder / "mha.npz", attn=expected)
        assert np.abs(read_back(binary, folder, "mha.npz") - expected).max() < 1e-6, "weights"

        state = {k: v.numpy() for k, v in mha.state_dict().items()}
        np.savez(folder / "state.npz", x=x[0].numpy(), **state)
        got = read_back(binary, folder, "state.npz", "--n-heads", str(n_heads))
        assert np.abs(got - expected).max() < 1e-5, "parameters and X"

        qk = {}

        def keep(key):
            return lambda module, args, out: qk.__setitem__(
                key, out.detach()[0].unflatten(-1, (n_heads, -1)))

        q_proj, k_proj = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, d_model)
        q_proj.register_forward_hook(keep("layers.0.q"))
        k_proj.register_forward_hook(keep("layers.0.k"))
        q, k = q_proj(x), k_proj(x)
        np.savez(folder / "qk.npz", **{key: value.numpy() for key, value in qk.items()})
        got = read_back(binary, folder, "qk.npz", "--axes", "nhd", "--causal")
        split = [t[0].unflatten(-1, (n_heads, -1)).transpose(0, 1) for t in (q, k)]
        scores = split[0] @ split[1].transpose(1, 2) / (d_model // n_heads) ** 0.5
        scores = scores.masked_fill(torch.ones(n_tokens, n_tokens).triu(1).bool(), float("-inf"))
        assert np.abs(got[0] - scores.softmax(-1).detach().numpy()).max() < 1e-5, "Q and K"
    print("5 recipes give back their weights")


if __name__ == "__main__":
    main()
