"""The tiny models of tests/goldens/models: their configs and their random tensors.

Each case is a config as a real model of the family has it, with small numbers, and what a reader
that gets something wrong would do instead ("wrong": other values of the config, or tensors that are
forgotten). make_model_goldens.py writes them and proves that each mistake would show.
"""

import math
import zlib

import numpy as np

import golden_files
import golden_forward

BASE = {
    "attention_dropout": 0.0, "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu",
    "hidden_size": 16, "initializer_range": 0.02, "intermediate_size": 22,
    "max_position_embeddings": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
    "num_key_value_heads": 2, "rms_norm_eps": 1e-05, "rope_theta": 10000.0,
    "tie_word_embeddings": False, "torch_dtype": "float32", "use_cache": True, "vocab_size": 29,
}
LLAMA = BASE | {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "attention_bias": False,
    "mlp_bias": False, "pretraining_tp": 1, "rope_scaling": None, "transformers_version": "4.46.0",
}
MISTRAL = BASE | {
    "architectures": ["MistralForCausalLM"], "model_type": "mistral", "sliding_window": 7,
    "transformers_version": "4.42.0",
}
QWEN2 = BASE | {
    "architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "max_window_layers": 2,
    "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "sliding_window": 6,
    "tie_word_embeddings": True, "transformers_version": "4.43.1", "use_sliding_window": False,
}
QWEN3 = BASE | {
    "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "attention_bias": False,
    "head_dim": 8, "max_window_layers": 2, "rms_norm_eps": 1e-06, "rope_scaling": None,
    "rope_theta": 1000000.0, "sliding_window": None, "tie_word_embeddings": True,
    "transformers_version": "4.51.0", "use_sliding_window": False,
}


def without(config, *names):
    """Returns the config without these fields."""
    return {name: value for name, value in config.items() if name not in names}


def yarn(**fields):
    """Returns the rope_scaling of YaRN with these fields."""
    return {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16} | fields


LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 36, "rope_type": "llama3"}
YARN_BOUNDS = yarn(attention_factor=1.3, beta_fast=0.8, beta_slow=0.2) | {"type": "yarn"}
del YARN_BOUNDS["rope_type"]
YARN_MSCALE = yarn(mscale=1.5, mscale_all_dim=0.5, truncate=False, beta_fast=0.7, beta_slow=0.15)


def changed(rule, **fields):
    """Returns a mistake: rope_scaling with other fields; None takes a field away."""
    rule = {name: value for name, value in (rule | fields).items() if value is not None}
    return {"rope_scaling": rule}


# name: config, number of tokens, type in the file, shards, mistakes that must show
CASES = {
    "llama2": {
        "config": LLAMA | {"num_attention_heads": 3, "num_key_value_heads": 3, "hidden_size": 18},
        "tokens": 18,
        "wrong": {"other eps": {"rms_norm_eps": 1e-06}, "other theta": {"rope_theta": 500000.0},
                  "tied": {"tie_word_embeddings": True}},
    },
    "llama3-rope": {
        "config": LLAMA | {"head_dim": 16, "num_attention_heads": 2, "num_key_value_heads": 1,
                           "rope_theta": 500000.0, "rope_scaling": LLAMA3,
                           "max_position_embeddings": 288, "torch_dtype": "bfloat16"},
        "tokens": 40, "dtype": "BF16",
        "wrong": {"no scaling": {"rope_scaling": None},
                  "linear": changed(LLAMA3, rope_type="linear"),
                  "other original context": changed(LLAMA3, original_max_position_embeddings=288)},
    },
    "llama-linear": {
        "config": LLAMA | {"rope_scaling": {"type": "linear", "factor": 3.0},
                           "torch_dtype": "float16", "hidden_size": 24},
        "tokens": 22, "dtype": "F16",
        "wrong": {"no scaling": {"rope_scaling": None}},
    },
    "llama-dynamic": {
        "config": LLAMA | {"max_position_embeddings": 12, "head_dim": 8,
                           "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}},
        "tokens": 20, "also": {"short": 9},
        "wrong": {"no scaling": {"rope_scaling": None},
                  "linear": {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}},
    },
    "llama-biases": {
        "config": LLAMA | {"attention_bias": True, "mlp_bias": True, "head_dim": 6,
                           "num_key_value_heads": 1},
        "tokens": 16,
        "wrong": {"no biases": ["bias"], "no o_proj.bias": ["o_proj.bias"],
                  "no mlp biases": ["up_proj.bias", "gate_proj.bias", "down_proj.bias"]},
    },
    "mistral-window": {
        "config": MISTRAL | {"head_dim": 6},
        "tokens": 20, "shards": 2, "padding": 3,
        "wrong": {"no window": {"sliding_window": None}, "window + 1": {"sliding_window": 8},
                  "window - 1": {"sliding_window": 6}},
    },
    "mistral-full": {
        "config": without(MISTRAL, "torch_dtype") | {
            "sliding_window": None, "rope_theta": 1000000.0, "head_dim": 8, "dtype": "float32",
            "num_key_value_heads": 1},
        "tokens": 18,
        "wrong": {"a window": {"sliding_window": 7}, "other theta": {"rope_theta": 10000.0}},
    },
    "mistral-yarn": {
        "config": MISTRAL | {"sliding_window": None, "rope_scaling": YARN_MSCALE, "head_dim": 8,
                             "rope_theta": 100.0},
        "tokens": 24,
        "wrong": {"no scaling": {"rope_scaling": None},
                  "truncated": changed(YARN_MSCALE, truncate=True),
                  "mscale not read": changed(YARN_MSCALE, mscale=None)},
    },
    "qwen2": {
        "config": QWEN2 | {"hidden_size": 24},
        "tokens": 18,
        "wrong": {"no biases": ["bias"], "no v_proj.bias": ["v_proj.bias"],
                  "the window": {"use_sliding_window": True, "max_window_layers": 0},
                  "not tied": {"tie_word_embeddings": False}},
    },
    "qwen2-window": {
        "config": QWEN2 | {"use_sliding_window": True, "max_window_layers": 1, "hidden_size": 16,
                           "num_hidden_layers": 3, "tie_word_embeddings": False},
        "tokens": 16,
        "wrong": {"no window": {"use_sliding_window": False},
                  "layers below": {"layer_types": ["sliding_attention"] + ["full_attention"] * 2},
                  "from layer 2": {"max_window_layers": 2},
                  "all layers": {"max_window_layers": 0}},
    },
    "qwen2-layer-types": {
        "config": without(QWEN2, "rope_theta", "torch_dtype") | {
            "use_sliding_window": True, "hidden_size": 16, "num_hidden_layers": 3,
            "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
            "dtype": "float32", "transformers_version": "5.0.0",
            "rope_parameters": {"rope_type": "default", "rope_theta": 300000.0}},
        "tokens": 16,
        "wrong": {"layer_types not read": {"layer_types": None},
                  "rope_parameters not read": {"rope_parameters": None}},
    },
    "qwen2-yarn": {
        "config": QWEN2 | {"rope_scaling": YARN_BOUNDS, "rope_theta": 100.0,
                           "num_attention_heads": 2, "num_key_value_heads": 1},
        "tokens": 24,
        "wrong": {"no scaling": {"rope_scaling": None},
                  "attention_factor not read": changed(YARN_BOUNDS, attention_factor=None),
                  "default betas": changed(YARN_BOUNDS, beta_fast=None, beta_slow=None)},
    },
    "qwen3": {
        "config": QWEN3,
        "tokens": 18,
        "wrong": {"no q_norm": ["q_norm.weight"], "no k_norm": ["k_norm.weight"],
                  "other theta": {"rope_theta": 10000.0}},
    },
    "qwen3-yarn": {
        "config": QWEN3 | {"head_dim": 16, "num_attention_heads": 2, "num_key_value_heads": 1,
                           "rope_theta": 1000.0, "max_position_embeddings": 128,
                           "rope_scaling": yarn(original_max_position_embeddings=32),
                           "torch_dtype": "bfloat16"},
        "tokens": 40, "dtype": "BF16",
        "wrong": {"no scaling": {"rope_scaling": None},
                  "no attention factor": {"rope_scaling": yarn(
                      original_max_position_embeddings=32, attention_factor=1.0)},
                  "current context": {"rope_scaling": yarn(
                      original_max_position_embeddings=128)}},
    },
}


class Dice:
    """Uniform numbers from a fixed seed. NumPy promises that RandomState gives the same for ever."""

    def __init__(self, name):
        self.source = np.random.RandomState(zlib.crc32(name.encode()))

    def uniform(self, shape, deviation, mean=0.0):
        """Numbers of this mean and standard deviation."""
        return mean + deviation * math.sqrt(3) * (2 * self.source.random_sample(shape) - 1)

    def ids(self, count, vocabulary):
        """Ids of tokens."""
        return (self.source.random_sample(count) * vocabulary).astype(np.int64)


def matrices(config):
    """Yields module, outputs, inputs, deviation and whether a bias belongs to it, for one layer.

    Queries and keys are drawn so that scores have a standard deviation near 3: attention is far
    from uniform, and yet float32 is good for 5 digits.
    """
    d_model, inner = config["hidden_size"], config["intermediate_size"]
    d_head, heads = golden_forward.head_size(config), config["num_attention_heads"]
    kv_width = d_head * config["num_key_value_heads"]
    bias, mlp_bias = config.get("attention_bias", False), config.get("mlp_bias", False)
    qkv_bias = bias or config["model_type"] == "qwen2"
    sharp = math.sqrt(3 / d_model)
    yield "self_attn.q_proj", d_head * heads, d_model, sharp, qkv_bias
    yield "self_attn.k_proj", kv_width, d_model, sharp, qkv_bias
    yield "self_attn.v_proj", kv_width, d_model, 1 / math.sqrt(d_model), qkv_bias
    yield "self_attn.o_proj", d_model, d_head * heads, 1 / math.sqrt(d_head * heads), bias
    yield "mlp.gate_proj", inner, d_model, 1.5 / math.sqrt(d_model), mlp_bias
    yield "mlp.up_proj", inner, d_model, 1.5 / math.sqrt(d_model), mlp_bias
    yield "mlp.down_proj", d_model, inner, 1 / math.sqrt(inner), mlp_bias


def draw_tensors(config, dice, dtype):
    """Returns all tensors of a model, as a file of this type gives them back."""
    d_model, vocabulary = config["hidden_size"], config["vocab_size"]
    # Small, so that the eps of the first norm shows.
    tensors = {"model.embed_tokens.weight": dice.uniform((vocabulary, d_model), 0.06)}
    for layer in range(config["num_hidden_layers"]):
        name = f"model.layers.{layer}."
        for module, outputs, inputs, deviation, has_bias in matrices(config):
            tensors[name + module + ".weight"] = dice.uniform((outputs, inputs), deviation)
            if has_bias:
                tensors[name + module + ".bias"] = dice.uniform((outputs,), 0.3)
        for norm in ("input_layernorm", "post_attention_layernorm"):
            tensors[name + norm + ".weight"] = dice.uniform((d_model,), 0.25, 1)
        if config["model_type"] == "qwen3":
            for side in "qk":
                norm = dice.uniform((golden_forward.head_size(config),), 0.4, 1.7)
                tensors[name + f"self_attn.{side}_norm.weight"] = norm
    tensors["model.norm.weight"] = dice.uniform((d_model,), 0.25, 1)
    if not config["tie_word_embeddings"]:
        tensors["lm_head.weight"] = dice.uniform((vocabulary, d_model), 1 / math.sqrt(d_model))
    return {key: golden_files.rounded(value, dtype) for key, value in tensors.items()}


def forgotten(tensors, endings):
    """Returns the tensors as a reader has them that forgets those with these endings."""
    def neutral(name, value):
        if not name.endswith(tuple(endings)):
            return value
        return np.zeros_like(value) if name.endswith("bias") else np.ones_like(value)
    return {name: neutral(name, value) for name, value in tensors.items()}
