#!/usr/bin/env python3
"""Times a transformer of GPT-2-small or BERT-base shape written with PyTorch's modules, and writes
the same random weights as a Hugging Face folder, so that mha-viz can run the same model.

  bench_torch_model.py gpt2 --threads 2
  bench_torch_model.py gpt2 --write DIR --write-ids ids.txt --no-timing
  bench_torch_model.py gpt2 --attention out/attention.npy       # difference to PyTorch's attention
  bench_torch_model.py gpt2 --beside 'mha-viz run ...'          # a command, timed in turns with PyTorch
  bench_torch_model.py gpt2 --write DIR --size-mb 2000 --no-timing

Results are one JSON object on stdout, times in seconds. A forward pass goes from ids to the last
hidden state, without a head for the vocabulary, and returns the attention of all layers: what
output_attentions=True gives in transformers. Softmax(Q K^T) is written out for that, as there.
Weights come from a fixed seed; Q and K are drawn wider than at the start of a training, so that
attention is not uniform. Needs Debian's python3-torch.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import golden_files

SEED = 6
PAUSE = 0.3
LAYER_BYTES = 4 * 7_087_872  # float32 parameters of one layer of 768 with 3072 inside, both models
GPT2 = {
    "activation_function": "gelu_new", "architectures": ["GPT2Model"], "attn_pdrop": 0.1,
    "bos_token_id": 50256, "embd_pdrop": 0.1, "eos_token_id": 50256, "initializer_range": 0.02,
    "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12,
    "n_inner": None, "n_layer": 12, "n_positions": 1024, "reorder_and_upcast_attn": False,
    "resid_pdrop": 0.1, "scale_attn_by_inverse_layer_idx": False, "scale_attn_weights": True,
    "torch_dtype": "float32", "use_cache": True, "vocab_size": 50257,
}
BERT = {
    "architectures": ["BertModel"], "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1, "hidden_size": 768, "initializer_range": 0.02,
    "intermediate_size": 3072, "layer_norm_eps": 1e-12, "max_position_embeddings": 512,
    "model_type": "bert", "num_attention_heads": 12, "num_hidden_layers": 12, "pad_token_id": 0,
    "position_embedding_type": "absolute", "torch_dtype": "float32", "type_vocab_size": 2,
    "use_cache": True, "vocab_size": 30522,
}


# ---------------------------------------------------------------------------------------------
# The models


def attend(q, k, v, n_heads, mask):
    """Returns output (batch, token, d_model) and weights (batch, head, query, key)."""
    batch, n_tokens, width = q.shape
    q, k, v = (x.view(batch, n_tokens, n_heads, -1).transpose(1, 2) for x in (q, k, v))
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(width // n_heads)
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v).transpose(1, 2).reshape(batch, n_tokens, width), weights


class GPT2Block(nn.Module):
    """Pre-norm layer: Q, K and V from one matrix, GELU by the tanh formula."""

    def __init__(self, config):
        super().__init__()
        width, eps = config["n_embd"], config["layer_norm_epsilon"]
        self.n_heads = config["n_head"]
        self.ln_1, self.ln_2 = nn.LayerNorm(width, eps), nn.LayerNorm(width, eps)
        self.c_attn, self.c_proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.c_fc, self.mlp_proj = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.activation = nn.GELU(approximate="tanh")

    def forward(self, x, mask):
        q, k, v = self.c_attn(self.ln_1(x)).chunk(3, dim=-1)
        output, weights = attend(q, k, v, self.n_heads, mask)
        x = x + self.c_proj(output)
        return x + self.mlp_proj(self.activation(self.c_fc(self.ln_2(x)))), weights

    # Names in a checkpoint; GPT-2 keeps its matrices as [in, out].
    NAMES = {"ln_1": "ln_1", "ln_2": "ln_2", "c_attn": "attn.c_attn", "c_proj": "attn.c_proj",
             "c_fc": "mlp.c_fc", "mlp_proj": "mlp.c_proj"}


class GPT2Model(nn.Module):
    """Token and position embeddings, layers, a final norm."""

    def __init__(self, config):
        super().__init__()
        self.wte = nn.Embedding(config["vocab_size"], config["n_embd"])
        self.wpe = nn.Embedding(config["n_positions"], config["n_embd"])
        self.layers = nn.ModuleList(GPT2Block(config) for _ in range(config["n_layer"]))
        self.ln_f = nn.LayerNorm(config["n_embd"], config["layer_norm_epsilon"])

    def forward(self, ids):
        n_tokens = ids.shape[1]
        x = self.wte(ids) + self.wpe(torch.arange(n_tokens))
        mask = torch.ones(n_tokens, n_tokens, dtype=torch.bool).triu(1)
        attention = []
        for layer in self.layers:
            x, weights = layer(x, mask)
            attention.append(weights)
        return self.ln_f(x), attention

    def checkpoint(self):
        """Yields (name, tensor) as transformers writes them."""
        yield "wte.weight", self.wte.weight
        yield "wpe.weight", self.wpe.weight
        for index, layer in enumerate(self.layers):
            for ours, theirs in GPT2Block.NAMES.items():
                module, name = getattr(layer, ours), f"h.{index}.{theirs}"
                transpose = isinstance(module, nn.Linear)
                yield name + ".weight", module.weight.T if transpose else module.weight
                yield name + ".bias", module.bias
        yield "ln_f.weight", self.ln_f.weight
        yield "ln_f.bias", self.ln_f.bias


class BertLayer(nn.Module):
    """Post-norm layer: a norm after each residual, GELU by the error function."""

    def __init__(self, config):
        super().__init__()
        width, inner = config["hidden_size"], config["intermediate_size"]
        self.n_heads = config["num_attention_heads"]
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.output, self.norm = nn.Linear(width, width), nn.LayerNorm(width, config["layer_norm_eps"])
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.last_norm = nn.LayerNorm(width, config["layer_norm_eps"])
        self.activation = nn.GELU()

    def forward(self, x):
        output, weights = attend(self.query(x), self.key(x), self.value(x), self.n_heads, None)
        x = self.norm(x + self.output(output))
        return self.last_norm(x + self.down(self.activation(self.up(x)))), weights

    NAMES = {"query": "attention.self.query", "key": "attention.self.key",
             "value": "attention.self.value", "output": "attention.output.dense",
             "norm": "attention.output.LayerNorm", "up": "intermediate.dense",
             "down": "output.dense", "last_norm": "output.LayerNorm"}


class BertModel(nn.Module):
    """Word, position and type embeddings with a norm, and layers; no pooler."""

    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.words = nn.Embedding(config["vocab_size"], width)
        self.positions = nn.Embedding(config["max_position_embeddings"], width)
        self.types = nn.Embedding(config["type_vocab_size"], width)
        self.norm = nn.LayerNorm(width, config["layer_norm_eps"])
        self.layers = nn.ModuleList(BertLayer(config) for _ in range(config["num_hidden_layers"]))

    def forward(self, ids):
        places = torch.arange(ids.shape[1])
        x = self.norm(self.words(ids) + self.positions(places) + self.types(torch.zeros_like(ids)))
        attention = []
        for layer in self.layers:
            x, weights = layer(x)
            attention.append(weights)
        return x, attention

    def checkpoint(self):
        """Yields (name, tensor) as transformers writes them."""
        for ours, theirs in (("words", "word"), ("positions", "position"), ("types", "token_type")):
            yield f"embeddings.{theirs}_embeddings.weight", getattr(self, ours).weight
        yield "embeddings.LayerNorm.weight", self.norm.weight
        yield "embeddings.LayerNorm.bias", self.norm.bias
        for index, layer in enumerate(self.layers):
            for ours, theirs in BertLayer.NAMES.items():
                module, name = getattr(layer, ours), f"encoder.layer.{index}.{theirs}"
                yield name + ".weight", module.weight
                yield name + ".bias", module.bias


def draw(model):
    """Draws all parameters: norms near 1, biases small, Q and K wide, the rest as at a start."""
    torch.manual_seed(SEED)
    for name, parameter in model.named_parameters():
        is_norm = parameter.dim() == 1 and name.endswith("weight")
        nn.init.normal_(parameter, mean=1.0 if is_norm else 0.0, std=0.02)
        if name.endswith(("query.weight", "key.weight")):
            parameter.data *= 3
        if name.endswith("c_attn.weight"):
            parameter.data[: 2 * parameter.shape[1]] *= 3


def make_model(kind, n_layers):
    """Returns the config and the model with its random weights."""
    config = dict(GPT2 if kind == "gpt2" else BERT)
    config["n_layer" if kind == "gpt2" else "num_hidden_layers"] = n_layers
    model = (GPT2Model if kind == "gpt2" else BertModel)(config).eval()
    draw(model)
    return config, model


# ---------------------------------------------------------------------------------------------
# Files


def write_model(folder, config, model):
    """Writes config.json and model.safetensors (F32), tensor by tensor."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(dict(sorted(config.items())), indent=2) + "\n")
    tensors = list(model.checkpoint())
    entries = [(name, "F32", tensor.shape, 4 * tensor.numel()) for name, tensor in tensors]
    path = folder / "model.safetensors"
    with open(path, "wb") as file:
        file.write(golden_files.header(entries))
        for _, tensor in tensors:
            file.write(tensor.detach().contiguous().numpy().tobytes())
    return path.stat().st_size


def write_ids(path, ids):
    """Writes the ids as an input document (.json) or separated by commas."""
    text = json.dumps({"ids": ids}) if path.suffix == ".json" else ",".join(map(str, ids))
    path.write_text(text + "\n")


# ---------------------------------------------------------------------------------------------
# Measurements


def seconds(action):
    """Returns how long the action takes, once the threads of what ran before have gone to sleep: those
    of PyTorch and its BLAS poll for a while after a pass, on cores that a command beside it wants."""
    time.sleep(PAUSE)
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def summary(times):
    """Median, minimum and all times."""
    return {"median": statistics.median(times), "min": min(times), "all": times}


def time_forward(model, ids, repeats, command, clean_up):
    """Times forward passes, in turns with a command if there is one; each once before it counts.

    The command runs twice in a turn. A virtual machine may hand memory that has been free for some
    seconds back to its host, and a new process waits until it is there again ("command_cold"); the
    second run finds warm what the first left ("command"), as a pass of PyTorch finds its own.
    """
    def run(line):
        subprocess.run(line, shell=True, check=True, stdout=subprocess.DEVNULL)

    times = {"forward": [], "command_cold": [], "command": []}
    for _ in range(repeats + 1):
        times["forward"].append(seconds(lambda: model(ids)))
        for name in ("command_cold", "command") if command else ():
            times[name].append(seconds(lambda: run(command)))
            if clean_up:
                run(clean_up)
    result = {name: summary(each[1:]) for name, each in times.items() if each}
    if command:
        for name in ("command_cold", "command"):
            result[name]["ratio"] = result[name]["median"] / result["forward"]["median"]
    return result


def compare_attention(path, model, ids):
    """Returns the largest differences of a file (layer, head, query, key) to PyTorch's attention in
    float32 and in float64, and of these two to each other."""
    given = np.load(path, mmap_mode="r")
    single = torch.stack([weights[0] for weights in model(ids)[1]])
    if given.size != single.numel():
        raise SystemExit(f"{path}: expected shape {list(single.shape)}, got {list(given.shape)}")
    given = given.reshape(single.shape)
    worst = {"float32": 0.0, "float64": 0.0, "float32 to float64": 0.0}
    double = model.double()(ids)[1]
    for layer, exact in enumerate(double):
        exact, ours = exact[0].numpy(), single[layer].numpy()
        for name, difference in (("float32", given[layer] - ours), ("float64", given[layer] - exact),
                                 ("float32 to float64", ours - exact)):
            worst[name] = float(np.maximum(worst[name], np.abs(difference).max()))
    model.float()
    return worst | {"largest_weight": float(single.max()), "mean_row_maximum":
                    float(single.amax(dim=-1).mean())}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("kind", choices=["gpt2", "bert"])
    parser.add_argument("-n", type=int, default=512, help="number of tokens (512)")
    parser.add_argument("--threads", type=int, default=0, help="threads of PyTorch (its own choice)")
    parser.add_argument("--repeats", type=int, default=7, help="timed forward passes (7)")
    parser.add_argument("--layers", type=int, default=12, help="number of layers (12)")
    parser.add_argument("--size-mb", type=float, help="so many layers that the file has this size")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write config and weights")
    parser.add_argument("--write-ids", type=Path, metavar="FILE", help="write the ids")
    parser.add_argument("--attention", type=Path, metavar="FILE.npy", help="compare with this")
    parser.add_argument("--beside", metavar="COMMAND", help="shell command to time in turns")
    parser.add_argument("--clean-up", metavar="COMMAND", help="shell command after it, not timed")
    parser.add_argument("--no-timing", action="store_true", help="only write or compare")
    return parser.parse_args()


def main():
    options = parse()
    if options.threads:
        torch.set_num_threads(options.threads)
    n_layers = options.layers
    if options.size_mb:
        embeddings = 4 * 768 * (50257 + 1024 if options.kind == "gpt2" else 30522 + 512)
        n_layers = max(1, round((options.size_mb * 1e6 - embeddings) / LAYER_BYTES))
    config, model = make_model(options.kind, n_layers)
    ids = np.random.RandomState(SEED).randint(0, config["vocab_size"], options.n).tolist()
    batch = torch.tensor([ids])
    result = {"model": options.kind, "layers": n_layers, "n": options.n,
              "threads": torch.get_num_threads(), "torch": torch.__version__}
    if options.write:
        result["bytes"] = write_model(options.write, config, model)
    if options.write_ids:
        write_ids(options.write_ids, ids)
    with torch.inference_mode():
        if options.attention:
            result["difference"] = compare_attention(options.attention, model, batch)
        if not options.no_timing:
            result |= time_forward(model, batch, options.repeats, options.beside,
                                   options.clean_up)
    print(json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
