"""Decoder transformers of the Llama kind in NumPy and double precision: Llama, Mistral, Qwen2, Qwen3.

Written from the papers and from the documentation of the config fields, and as plainly as possible:
one loop over heads, one mask, no caches. It is the reference for tests/goldens/models, so it shares
nothing with the program.

  RMSNorm              Zhang and Sennrich 2019: x / sqrt(mean(x^2) + eps) * w
  RoPE                 Su et al. 2021, pairs (t, t + d_head/2); angle = position * frequency[t]
  grouped queries      Ainslie et al. 2023: query head h reads kv head floor(h / (n_heads/n_kv_heads))
  SwiGLU               Shazeer 2020: W_down (silu(W_gate x) * W_up x)
  window               Jiang et al. 2023 (Mistral 7B): key j is visible to query i where 0 <= i - j < W
  rope scaling         linear (Chen et al. 2023), dynamic NTK, YaRN (Peng et al. 2023), Llama 3.1

Matrices are stored as nn.Linear has them, [out, in]: y = x W^T + b.
"""

import math

import numpy as np

DEFAULT_THETA = 10000.0


# ---------------------------------------------------------------------------------------------
# What a config says


def head_size(config):
    """Returns d_head: the field head_dim where it is given, else d_model / n_heads."""
    return config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]


def rope_rule(config):
    """Returns the base and the scaling of RoPE.

    Until version 4 of transformers they are rope_theta and rope_scaling (null: no scaling), with the
    kind under "rope_type" or, older, "type"; from version 5 on both are in rope_parameters.
    """
    rule = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    theta = rule.get("rope_theta") or config.get("rope_theta") or DEFAULT_THETA
    return theta, rule.get("rope_type") or rule.get("type") or "default", rule


def layer_windows(config):
    """Returns the window of each layer, None where a layer sees all earlier keys.

    Mistral: sliding_window holds for all layers. Qwen2, Qwen3: only with use_sliding_window, and then
    in the layers that layer_types calls "sliding_attention" or, without that list, in the layers from
    max_window_layers on. Llama has no windows.
    """
    n_layers, window = config["num_hidden_layers"], config.get("sliding_window")
    if config["model_type"] == "mistral":
        return [window] * n_layers
    if config["model_type"] == "llama" or not config.get("use_sliding_window") or window is None:
        return [None] * n_layers
    kinds = config.get("layer_types")
    if kinds is None:
        return [window if i >= config["max_window_layers"] else None for i in range(n_layers)]
    return [window if kind == "sliding_attention" else None for kind in kinds]


# ---------------------------------------------------------------------------------------------
# RoPE and its scalings


def llama3_frequencies(plain, rule):
    """Llama 3.1: slow turns are divided by the factor, fast ones kept, those between mixed.

    What counts is how often a pair turns within the original context: up to low_freq_factor times
    is slow, high_freq_factor times and more is fast.
    """
    turns = rule["original_max_position_embeddings"] * plain / (2 * math.pi)
    low, high = rule["low_freq_factor"], rule["high_freq_factor"]
    kept = np.clip((turns - low) / (high - low), 0, 1)
    return kept * plain + (1 - kept) * plain / rule["factor"]


def yarn_bound(turns, d_head, theta, context):
    """Returns the (fractional) pair that turns this often within the original context."""
    return d_head * math.log(context / (2 * math.pi * turns)) / (2 * math.log(theta))


def yarn_attention_factor(rule, factor):
    """Returns what cos and sin are multiplied by: the paper's 0.1 ln(s) + 1 unless it is given.

    mscale and mscale_all_dim (DeepSeek) replace it by a ratio, only where both are there and not 0.
    """
    if rule.get("attention_factor") is not None:
        return rule["attention_factor"]

    def scaled(weight):
        return 0.1 * weight * math.log(factor) + 1 if factor > 1 else 1.0

    if rule.get("mscale") and rule.get("mscale_all_dim"):
        return scaled(rule["mscale"]) / scaled(rule["mscale_all_dim"])
    return scaled(1)


def yarn_frequencies(plain, config, rule, theta, d_head):
    """YaRN: pairs before the first bound are kept, after the second divided, between them mixed.

    The mix is linear in the index of the pair, as in the authors' code and in transformers; the
    paper's equation has it linear in the number of turns.
    """
    context = rule.get("original_max_position_embeddings") or config["max_position_embeddings"]
    first = yarn_bound(rule.get("beta_fast") or 32, d_head, theta, context)
    last = yarn_bound(rule.get("beta_slow") or 1, d_head, theta, context)
    if rule.get("truncate", True):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, d_head - 1)
    if first == last:
        last += 0.001
    divided = np.clip((np.arange(d_head // 2) - first) / (last - first), 0, 1)
    return divided * plain / rule["factor"] + (1 - divided) * plain


def rope_frequencies(config, n_tokens):
    """Returns the angle of a pair for each step of position, and the factor of cos and sin."""
    theta, kind, rule = rope_rule(config)
    d_head = head_size(config)
    if kind == "dynamic":
        # The base grows with this input as soon as it is longer than the model's context.
        longest = config["max_position_embeddings"]
        growth = rule["factor"] * max(n_tokens, longest) / longest - (rule["factor"] - 1)
        theta *= growth ** (d_head / (d_head - 2))
    plain = theta ** (-2.0 * np.arange(d_head // 2) / d_head)
    if kind in ("default", "dynamic"):
        return plain, 1.0
    if kind == "linear":
        return plain / rule["factor"], 1.0
    if kind == "llama3":
        return llama3_frequencies(plain, rule), 1.0
    if kind == "yarn":
        frequencies = yarn_frequencies(plain, config, rule, theta, d_head)
        return frequencies, yarn_attention_factor(rule, rule["factor"])
    raise ValueError(f"rope_type '{kind}' is not written here")


def rotate(x, positions, frequencies, factor):
    """Turns x (token, d_head) by its positions; both halves of the result are times the factor."""
    angles = positions[:, None] * frequencies
    cos, sin = factor * np.cos(angles), factor * np.sin(angles)
    first, second = np.split(x, 2, axis=1)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=1)


# ---------------------------------------------------------------------------------------------
# The layers


def rms_norm(x, weight, eps):
    """Divides by the root of the mean square over the last axis."""
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * weight


def silu(x):
    """x times the logistic function of x."""
    return x / (1 + np.exp(-x))


def masked_softmax(scores, visible):
    """Softmax of each row over the keys that it sees; a row that sees none is 0."""
    scores = np.where(visible, scores, -np.inf)
    highest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(highest), highest, 0))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def visible_keys(n_tokens, window, valid_keys):
    """Returns (query, key): True where the query may attend to the key."""
    distance = np.arange(n_tokens)[:, None] - np.arange(n_tokens)
    visible = (distance >= 0) & (valid_keys[None, :] != 0)
    return visible if window is None else visible & (distance < window)


class Decoder:
    """A model given by its config and its tensors, named as in a Hugging Face folder."""

    def __init__(self, config, tensors):
        self.config = config
        self.tensors = tensors

    def linear(self, x, name):
        """x W^T, plus the bias where the checkpoint has one."""
        result = x @ self.tensors[name + ".weight"].T
        return result + self.tensors[name + ".bias"] if name + ".bias" in self.tensors else result

    def norm(self, x, name):
        """RMSNorm with the weight of this name."""
        return rms_norm(x, self.tensors[name + ".weight"], self.config["rms_norm_eps"])

    def attend(self, x, layer, visible, positions):
        """Returns the output (token, d_model) and the weights (head, query, key) of a layer."""
        name, d_head = f"model.layers.{layer}.self_attn.", head_size(self.config)
        n_heads = self.config["num_attention_heads"]
        n_kv_heads = self.config.get("num_key_value_heads") or n_heads
        frequencies, factor = rope_frequencies(self.config, len(x))
        queries, keys, values = (self.linear(x, name + kind + "_proj") for kind in "qkv")

        def head(matrix, index):
            return matrix[:, index * d_head : (index + 1) * d_head]

        weights, outputs = [], []
        for index in range(n_heads):
            source = index // (n_heads // n_kv_heads)
            q, k = head(queries, index), head(keys, source)
            if name + "q_norm.weight" in self.tensors:  # Qwen3: before the rotation
                q, k = self.norm(q, name + "q_norm"), self.norm(k, name + "k_norm")
            q, k = (rotate(side, positions, frequencies, factor) for side in (q, k))
            weights.append(masked_softmax(q @ k.T / math.sqrt(d_head), visible))
            outputs.append(weights[-1] @ head(values, source))
        return self.linear(np.concatenate(outputs, axis=1), name + "o_proj"), np.array(weights)

    def feed_forward(self, x, layer):
        """SwiGLU."""
        name = f"model.layers.{layer}.mlp."
        gate, up = self.linear(x, name + "gate_proj"), self.linear(x, name + "up_proj")
        return self.linear(silu(gate) * up, name + "down_proj")

    def forward(self, ids, valid_keys=None, positions=None):
        """Returns attention (layer, head, query, key), hidden (layer, token, d_model: the output of
        each layer, before the final norm), last_hidden_state (after it) and logits."""
        n_tokens = len(ids)
        valid_keys = np.ones(n_tokens) if valid_keys is None else valid_keys
        positions = np.arange(n_tokens) if positions is None else positions
        x = self.tensors["model.embed_tokens.weight"][ids]
        attention, hidden = [], []
        for layer, window in enumerate(layer_windows(self.config)):
            name = f"model.layers.{layer}."
            visible = visible_keys(n_tokens, window, valid_keys)
            normed = self.norm(x, name + "input_layernorm")
            output, weights = self.attend(normed, layer, visible, positions)
            x = x + output
            x = x + self.feed_forward(self.norm(x, name + "post_attention_layernorm"), layer)
            attention.append(weights)
            hidden.append(x)
        last = self.norm(x, "model.norm")
        tied = self.config.get("tie_word_embeddings", False)
        head = "model.embed_tokens" if tied else "lm_head"
        logits = last @ self.tensors[head + ".weight"].T
        return {"attention": np.array(attention), "hidden": np.array(hidden),
                "last_hidden_state": last, "logits": logits}
