#!/usr/bin/env python3
"""Computes tests/goldens/models a second time, in PyTorch, and compares: with golden_forward.py to
1e-11 and with the committed files to float32's rounding.

It is written in another way on purpose: all heads in one tensor, keys repeated for grouped queries,
PyTorch's scaled_dot_product_attention with a mask built from bands, RoPE as a product of complex
numbers over neighbouring pairs (the layout of the paper; rows of Q and K are brought there first),
and the scalings of RoPE pair by pair with the wavelengths of the documentation.

  check_model_goldens.py [FOLDER...]      default: all folders of tests/goldens/models

Needs Debian's python3-torch.
"""

import math
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import golden_files
from golden_forward import Decoder

FOLDER = Path(__file__).resolve().parent.parent / "tests/goldens/models"
AGREEMENT, ROUNDING = 1e-11, 1e-6
RESULTS = ("attention", "hidden", "last_hidden_state", "logits")
torch.set_default_dtype(torch.float64)


def sdpa(query, key, value, mask):
    """PyTorch's attention; until 2.0 it has an underscore and returns a pair."""
    if hasattr(functional, "scaled_dot_product_attention"):
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return functional._scaled_dot_product_attention(query, key, value, attn_mask=mask)[0]


# ---------------------------------------------------------------------------------------------
# RoPE


def llama3_pair(frequency, rule):
    """The frequency of one pair under the scaling of Llama 3.1, by its wavelength."""
    context, wavelength = rule["original_max_position_embeddings"], 2 * math.pi / frequency
    if wavelength < context / rule["high_freq_factor"]:
        return frequency
    if wavelength > context / rule["low_freq_factor"]:
        return frequency / rule["factor"]
    smooth = (context / wavelength - rule["low_freq_factor"]) / (
        rule["high_freq_factor"] - rule["low_freq_factor"])
    return frequency * (smooth + (1 - smooth) / rule["factor"])


def yarn_pair(pair, frequency, config, rule, theta, d_head):
    """The frequency of one pair under YaRN; the bounds are where theta^(2 pair / d_head) turns
    beta times within the original context."""
    context = rule.get("original_max_position_embeddings", config["max_position_embeddings"])
    bounds = []
    for name, default in (("beta_fast", 32), ("beta_slow", 1)):
        wavelength = context / rule.get(name, default)
        bounds.append(math.log(wavelength / (2 * math.pi), theta) * d_head / 2)
    if rule.get("truncate", True):
        bounds = [math.floor(bounds[0]), math.ceil(bounds[1])]
    low, high = max(bounds[0], 0), min(bounds[1], d_head - 1)
    if pair <= low:
        return frequency
    if pair >= high:
        return frequency / rule["factor"]
    kept = (high - pair) / (high - low)
    return frequency * kept + frequency / rule["factor"] * (1 - kept)


def yarn_factor(rule):
    """What the rotated queries and keys are multiplied by."""
    if "attention_factor" in rule:
        return rule["attention_factor"]
    log = 0.1 * math.log(rule["factor"])
    if "mscale" in rule and "mscale_all_dim" in rule:
        return (log * rule["mscale"] + 1) / (log * rule["mscale_all_dim"] + 1)
    return log + 1


def turns(config, n_tokens, d_head):
    """Returns e^(i angle) times the factor: (token, pair), complex."""
    rule = config.get("rope_parameters") or config.get("rope_scaling") or {}
    theta = rule.get("rope_theta", config.get("rope_theta"))
    kind = rule.get("rope_type", rule.get("type", "default"))
    longest = config["max_position_embeddings"]
    if kind == "dynamic" and n_tokens > longest:
        scale = 1 + rule["factor"] * (n_tokens - longest) / longest
        theta = theta * scale ** (d_head / (d_head - 2))
    frequencies = []
    for pair in range(d_head // 2):
        frequency = 1 / math.pow(theta, 2 * pair / d_head)
        if kind == "linear":
            frequency /= rule["factor"]
        elif kind == "llama3":
            frequency = llama3_pair(frequency, rule)
        elif kind == "yarn":
            frequency = yarn_pair(pair, frequency, config, rule, theta, d_head)
        frequencies.append(frequency)
    angles = torch.outer(torch.arange(n_tokens).double(), torch.tensor(frequencies))
    size = yarn_factor(rule) if kind == "yarn" else 1.0
    return torch.polar(torch.full_like(angles, size), angles)


def turn(heads, factors):
    """Turns (head, token, d_head) whose pairs (t, t + d_head/2) are first made neighbours."""
    pairs = heads.unflatten(-1, (2, -1)).transpose(-1, -2).contiguous()
    return torch.view_as_real(torch.view_as_complex(pairs) * factors).flatten(-2)


# ---------------------------------------------------------------------------------------------
# The model


def window_of(config, layer):
    """Returns the window of a layer, or 0."""
    window = config.get("sliding_window") or 0
    if config["model_type"] == "mistral":
        return window
    if config["model_type"] == "llama" or not config["use_sliding_window"]:
        return 0
    if "layer_types" in config:
        return window if config["layer_types"][layer] == "sliding_attention" else 0
    return window if layer >= config["max_window_layers"] else 0


def norm(x, weight, eps):
    """RMSNorm."""
    return weight * (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps))


def attend(x, get, config, mask, factors):
    """One attention module: output (token, d_model) and weights (head, query, key)."""
    n_heads = config["num_attention_heads"]
    repeats = n_heads // config["num_key_value_heads"]
    q, k, v = (functional.linear(x, get(f"{s}_proj.weight"), get(f"{s}_proj.bias")) for s in "qkv")
    d_head = q.shape[1] // n_heads
    q, k, v = (side.unflatten(1, (-1, d_head)).transpose(0, 1) for side in (q, k, v))
    if config["model_type"] == "qwen3":
        q = norm(q, get("q_norm.weight"), config["rms_norm_eps"])
        k = norm(k, get("k_norm.weight"), config["rms_norm_eps"])
    q, k = turn(q, factors), turn(k, factors)
    k, v = (side.repeat_interleave(repeats, dim=0) for side in (k, v))
    identity = torch.eye(len(x)).expand(n_heads, -1, -1)
    weights = torch.nan_to_num(sdpa(q, k, identity, mask.expand(n_heads, -1, -1)))
    output = torch.nan_to_num(sdpa(q, k, v, mask.expand(n_heads, -1, -1)))
    output = output.transpose(0, 1).flatten(1)
    return functional.linear(output, get("o_proj.weight"), get("o_proj.bias")), weights


def forward(config, tensors, ids, valid_keys):
    """Returns what golden_forward.Decoder.forward returns, as tensors."""
    n_tokens, eps = len(ids), config["rms_norm_eps"]
    tensors = {name: torch.from_numpy(values) for name, values in tensors.items()}
    x = functional.embedding(ids, tensors["model.embed_tokens.weight"])
    d_head = config.get("head_dim", config["hidden_size"] // config["num_attention_heads"])
    factors = turns(config, n_tokens, d_head)
    attention, hidden = [], []
    for layer in range(config["num_hidden_layers"]):
        def get(name, prefix=f"model.layers.{layer}."):
            return tensors.get(prefix + name)

        band = torch.ones(n_tokens, n_tokens).tril()
        if window_of(config, layer):
            band = band.triu(1 - window_of(config, layer))
        mask = (band * valid_keys).bool()
        normed = norm(x, get("input_layernorm.weight"), eps)
        output, weights = attend(normed, lambda name: get("self_attn." + name), config, mask, factors)
        x = x + output
        normed = norm(x, get("post_attention_layernorm.weight"), eps)
        gate, up = (functional.linear(normed, get(f"mlp.{s}_proj.weight"), get(f"mlp.{s}_proj.bias"))
                    for s in ("gate", "up"))
        x = x + functional.linear(functional.silu(gate) * up, get("mlp.down_proj.weight"),
                                  get("mlp.down_proj.bias"))
        attention.append(weights)
        hidden.append(x)
    last = norm(x, tensors["model.norm.weight"], eps)
    head = "model.embed_tokens" if config["tie_word_embeddings"] else "lm_head"
    logits = functional.linear(last, tensors[head + ".weight"])
    return {"attention": torch.stack(attention), "hidden": torch.stack(hidden),
            "last_hidden_state": last, "logits": logits}


def compare(folder):
    """Prints the largest differences of a folder; returns whether they are small."""
    config, tensors = golden_files.read_model(folder)
    expected = golden_files.read(folder / "expected.safetensors")
    prefixes = [name[: -len("ids")] for name in expected if name.endswith("ids")]
    worst_numpy = worst_file = 0.0
    for prefix in prefixes:
        ids = expected[prefix + "ids"]
        valid_keys = expected.get(prefix + "valid_keys", np.ones(len(ids)))
        ours = forward(config, tensors, torch.from_numpy(ids), torch.from_numpy(valid_keys * 1.0))
        other = Decoder(config, tensors).forward(ids, valid_keys)
        for name in RESULTS:
            if prefix + name in expected:
                result = ours[name].numpy()
                worst_numpy = max(worst_numpy, np.abs(result - other[name]).max())
                worst_file = max(worst_file, np.abs(result - expected[prefix + name]).max())
    print(f"{folder.name}: NumPy {worst_numpy:.1e}, file {worst_file:.1e}, {len(prefixes)} examples")
    return worst_numpy <= AGREEMENT and worst_file <= ROUNDING


def main():
    folders = [Path(name) for name in sys.argv[1:]]
    folders = folders or sorted(path.parent for path in FOLDER.glob("*/config.json"))
    return 0 if all([compare(folder) for folder in folders]) and folders else 1


if __name__ == "__main__":
    sys.exit(main())
