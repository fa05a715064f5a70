#!/usr/bin/env python3
"""Makes tests/goldens/*.json: inputs with the attention and output that another engine gives.

Each file is {"input": <an mha-viz document>, "expected": {"attention", "output"}} where
attention is [layer][head][query][key] and output is [layer][query][d_model], the output of the
layer before any residual is added. All arithmetic is float64 in PyTorch. Inputs are rounded to 6
significant digits before they are used, so the numbers in the file are exactly the numbers that
were computed with; expected numbers are rounded to 10 decimals.

Two independent ways are compared here: the formulas written out with torch operations, and
torch.nn.MultiheadAttention wherever that module has the feature. They must agree to 1e-12.

Semantics that the cases fix
  "attention" at the top gives defaults; a layer's "attention" overrides them field by field.
  A fully masked row has weights 0, so its output is b_O (or 0).
  Without W_O the output is the heads side by side, n_heads * d_head wide.
  "positions": "sinusoidal" is added once, to the embeddings and to those of the context.
  A bias of null means that the query may not attend to that key.
"""

import math
import sys
from pathlib import Path

import numpy as np
import torch

from make_designed_heads import compact, pretty

GOLDENS = Path(__file__).resolve().parent.parent / "tests" / "goldens"
AGREEMENT = 1e-12
DEFAULT_THETA = 10000.0
torch.set_default_dtype(torch.float64)


# ---------------------------------------------------------------------------------------------
# The formulas, one small function a step


def tensor(values):
    """Returns nested lists as a float64 tensor."""
    return torch.tensor(values, dtype=torch.float64)


def per_head(weights, name, heads):
    """Returns W_name as (head, d_model, d_head), from the fused or the per-head form."""
    matrix = tensor(weights[name])
    if matrix.dim() == 3:
        return matrix
    return matrix.reshape(matrix.shape[0], heads, -1).permute(1, 0, 2)


def project(x, weights, name, heads):
    """Returns X W + b for every head, (head, position, d_head)."""
    result = torch.matmul(x, per_head(weights, "W_" + name, heads))
    if "b_" + name in weights:
        result = result + tensor(weights["b_" + name]).reshape(heads, 1, -1)
    return result


def rope(x, first_position, rule):
    """Returns x (head, position, d_head) turned by RoPE."""
    d_rot = int(round(x.shape[2] * rule.get("fraction", 1)))
    half = d_rot // 2
    positions = torch.arange(x.shape[1]) + first_position
    frequency = rule.get("theta", DEFAULT_THETA) ** (-2 * torch.arange(half).double() / d_rot)
    turn = torch.polar(torch.ones(x.shape[1], half), positions[:, None] * frequency)
    if rule.get("pairing", "half") == "half":
        pairs = torch.complex(x[..., :half].contiguous(), x[..., half:d_rot].contiguous()) * turn
        turned = torch.cat([pairs.real, pairs.imag], dim=-1)
    else:
        pairs = torch.view_as_complex(x[..., :d_rot].reshape(*x.shape[:2], half, 2).contiguous())
        turned = torch.view_as_real(pairs * turn).flatten(-2)
    return torch.cat([turned, x[..., d_rot:]], dim=-1)


def alibi_slopes(n_heads):
    """Returns the slope of each head (Press et al. 2022)."""
    power = 2 ** int(math.floor(math.log2(n_heads)))
    slopes = [2.0 ** (-8.0 * (h + 1) / power) for h in range(power)]
    finer = [2.0 ** (-4.0 * (h + 1) / power) for h in range(2 * power)]
    return tensor(slopes + finer[0::2][: n_heads - power])


def split_bias(values):
    """Returns (numbers with null as 0, where attention is allowed), both (head or 1, q, k)."""
    array = np.array(values, dtype=object)
    allowed = np.array([item is not None for item in array.ravel()]).reshape(array.shape)
    numbers = np.where(allowed, array, 0.0).astype(float)
    shape = (-1,) + array.shape[-2:]
    return torch.tensor(numbers).reshape(shape), torch.tensor(allowed).reshape(shape)


def allowed_cells(rule, n_query, n_key):
    """Returns the keys each query may see by causal, window, valid_keys and mask: (q, k)."""
    distance = torch.arange(n_query)[:, None] + n_key - n_query - torch.arange(n_key)[None, :]
    allowed = torch.ones(n_query, n_key, dtype=torch.bool)
    if rule.get("causal"):
        allowed &= distance >= 0
    if "window" in rule:
        allowed &= distance.abs() < rule["window"]
    if "valid_keys" in rule:
        allowed &= torch.tensor(rule["valid_keys"])[None, :]
    if "mask" in rule:
        allowed &= torch.tensor(rule["mask"])
    return allowed


def masked_softmax(scores, allowed):
    """Returns the softmax over the allowed keys; a row without any is zero."""
    weights = torch.softmax(scores.masked_fill(~allowed, -math.inf), dim=-1)
    return weights.masked_fill(~allowed.any(dim=-1, keepdim=True), 0.0)


def scores_of(q, k, rule):
    """Returns (scores, allowed) after the scale, softcap, ALiBi, bias and temperature."""
    n_query, n_key = q.shape[1], k.shape[1]
    scores = torch.matmul(q, k.transpose(1, 2)) * rule.get("scale", 1 / math.sqrt(q.shape[2]))
    if "softcap" in rule:
        scores = rule["softcap"] * torch.tanh(scores / rule["softcap"])
    allowed = allowed_cells(rule, n_query, n_key)[None].expand_as(scores)
    if rule.get("position", {}).get("kind") == "alibi":
        distance = torch.arange(n_query)[:, None] + n_key - n_query - torch.arange(n_key)[None, :]
        scores = scores - alibi_slopes(len(q))[:, None, None] * distance.abs()
    if "bias" in rule:
        numbers, visible = split_bias(rule["bias"])
        scores, allowed = scores + numbers, allowed & visible
    return scores / rule.get("temperature", 1), allowed


def attend(x, context, rule, weights):
    """Returns (attention (head, query, key), output (query, d_model)) of one layer."""
    heads = rule["n_heads"]
    kv_heads = rule.get("n_kv_heads", heads)
    q = project(x, weights, "Q", heads)
    k, v = (project(context, weights, name, kv_heads) for name in "KV")
    if rule.get("position", {}).get("kind") == "rope":
        q = rope(q, k.shape[1] - q.shape[1], rule["position"])
        k = rope(k, 0, rule["position"])
    k, v = (part.repeat_interleave(heads // kv_heads, dim=0) for part in (k, v))
    attention = masked_softmax(*scores_of(q, k, rule))
    output = torch.matmul(attention, v).permute(1, 0, 2).reshape(len(x), -1)
    if "W_O" in weights:
        w_o = tensor(weights["W_O"])
        output = output @ w_o.reshape(-1, w_o.shape[-1])
    if "b_O" in weights:
        output = output + tensor(weights["b_O"])
    return attention, output


def sinusoidal(length, d_model):
    """Returns PE of Vaswani et al. 2017, (position, d_model)."""
    dimension = torch.arange(d_model)
    angle = torch.arange(length)[:, None] / 10000.0 ** (2 * (dimension // 2) / d_model)
    return torch.where(dimension % 2 == 0, torch.sin(angle), torch.cos(angle))


def embeddings_of(holder, document):
    """Returns the embeddings of the document or of its context, positions added."""
    x = tensor(holder["embeddings"])
    if document.get("positions") == "sinusoidal":
        x = x + sinusoidal(*x.shape)
    return x


def run(document):
    """Returns a list of (attention, output), one for each layer."""
    x = embeddings_of(document, document)
    context = embeddings_of(document["context"], document) if "context" in document else None
    layers = document.get("layers", [{"weights": document.get("weights")}])
    results = []
    for one in layers:
        rule = {**document["attention"], **one.get("attention", {})}
        attention, output = attend(x, x if context is None else context, rule, one["weights"])
        results.append((attention, output))
        x = output + x if document.get("residual") else output
    return results


# ---------------------------------------------------------------------------------------------
# The same by torch.nn.MultiheadAttention


def load_module(weights, n_heads):
    """Returns nn.MultiheadAttention with these fused weights."""
    d_model = len(weights["W_Q"])
    module = torch.nn.MultiheadAttention(d_model, n_heads, bias=True, batch_first=True)
    zero = [0.0] * d_model
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([tensor(weights["W_" + n]).T for n in "QKV"]))
        module.in_proj_bias.copy_(torch.cat([tensor(weights.get("b_" + n, zero)) for n in "QKV"]))
        module.out_proj.weight.copy_(tensor(weights["W_O"]).T)
        module.out_proj.bias.copy_(tensor(weights.get("b_O", zero)))
    return module.eval()


def module_mask(rule, n_query, n_key):
    """Returns the float mask that the module adds to its scores, (head, query, key)."""
    mask = torch.zeros(rule["n_heads"], n_query, n_key)
    allowed = allowed_cells(rule, n_query, n_key)[None].expand_as(mask)
    if rule.get("position", {}).get("kind") == "alibi":
        place = torch.arange(n_key)
        distance = (place[n_key - n_query :, None] - place).abs()
        mask = mask - alibi_slopes(rule["n_heads"])[:, None, None] * distance
    if "bias" in rule:
        numbers, visible = split_bias(rule["bias"])
        mask, allowed = mask + numbers, allowed & visible
    return mask.masked_fill(~allowed, -math.inf)


def check_against_module(document):
    """Asserts that nn.MultiheadAttention gives the same; a fully masked row is NaN there."""
    rule, weights = document["attention"], document["weights"]
    x = embeddings_of(document, document)
    keys = embeddings_of(document["context"], document) if "context" in document else x
    mask = module_mask(rule, len(x), len(keys))
    with torch.no_grad():
        output, attention = load_module(weights, rule["n_heads"])(
            x[None], keys[None], keys[None], attn_mask=mask, average_attn_weights=False
        )
    (ours, our_output), = run(document)
    seen = (~torch.isinf(mask)).any(dim=-1)
    assert (attention[0] - ours)[seen].abs().max() < AGREEMENT
    assert (output[0] - our_output)[seen.all(dim=0)].abs().max() < AGREEMENT


# ---------------------------------------------------------------------------------------------
# Cases

WORDS = "one two three four five six seven eight nine".split()


def shorten(array, digits=6):
    """Returns nested lists of numbers with at most 6 significant digits."""
    if isinstance(array, np.ndarray) and array.ndim > 0:
        return [shorten(row, digits) for row in array]
    return float(f"{float(array):.{digits}g}")


class Maker:
    """Draws the numbers of one case; the seed comes from the name, so cases do not move."""

    def __init__(self, name):
        self.random = np.random.RandomState(sum(ord(c) * 31**i for i, c in enumerate(name)) % 2**31)

    def normal(self, *shape, size=1.0):
        """Returns normal numbers times size, as nested lists."""
        return shorten(self.random.normal(size=shape) * size)

    def weights(self, d_model, heads, d_head, kv_heads=None, biases=False):
        """Returns fused weights, with biases where asked."""
        kv_heads = kv_heads or heads
        spread = 1.5 / math.sqrt(d_model)
        result = {
            "W_Q": self.normal(d_model, heads * d_head, size=spread),
            "W_K": self.normal(d_model, kv_heads * d_head, size=spread),
            "W_V": self.normal(d_model, kv_heads * d_head, size=spread),
            "W_O": self.normal(heads * d_head, d_model, size=spread),
        }
        if biases:
            for name, matrix in list(result.items()):
                result[name.replace("W", "b")] = self.normal(len(matrix[0]), size=0.5)
        return result

    def booleans(self, n_query, n_key, share=0.6):
        """Returns a mask of booleans in which every row sees at least one key."""
        mask = self.random.uniform(size=(n_query, n_key)) < share
        for i, row in enumerate(mask):
            row[i % n_key] = True
        return mask.tolist()


def simple(name, n=6, d_model=12, heads=2, d_head=None, biases=False, rule=None):
    """Returns (maker, document): self-attention with one layer and fused weights."""
    maker = Maker(name)
    rule = rule or {}
    d_head = d_head or d_model // heads
    attention = {"n_heads": heads, **rule}
    if d_head * heads != d_model:
        attention["d_head"] = d_head
    document = {
        "id": name,
        "tokens": WORDS[:n],
        "embeddings": maker.normal(n, d_model),
        "attention": attention,
        "weights": maker.weights(d_model, heads, d_head, rule.get("n_kv_heads"), biases),
    }
    return maker, document


def split_heads(weights, heads):
    """Returns fused weights in the per-head form."""
    result = {}
    for name, value in weights.items():
        array = np.array(value)
        if name == "W_O":
            array = array.reshape(heads, -1, array.shape[1])
        elif name.startswith("W_"):
            array = array.reshape(array.shape[0], heads, -1).transpose(1, 0, 2)
        result[name] = shorten(array)
    return result


def mask_cases():
    """Returns the cases about who may see whom."""
    cases = [
        simple("causal", n=7, rule={"causal": True}),
        simple("window-causal", n=8, rule={"causal": True, "window": 3}),
        simple("window-bidirectional", n=8, rule={"window": 3}),
        simple("padding-right", rule={"valid_keys": [True] * 4 + [False] * 2}),
        simple("padding-left-causal", biases=True,
               rule={"causal": True, "valid_keys": [False] * 2 + [True] * 4}),
    ]
    for name in ("mask", "mask-fully-masked-row"):
        maker, document = simple(name, n=6, heads=3, biases=True)
        document["attention"]["mask"] = maker.booleans(6, 6)
        cases.append((maker, document))
    document["attention"]["mask"][2] = [False] * 6
    for name, shape in (("bias-per-head", (2, 6, 6)), ("bias-2d", (6, 6)), ("bias-null", (6, 6))):
        maker, document = simple(name)
        document["attention"]["bias"] = maker.normal(*shape, size=1.5)
        cases.append((maker, document))
    document["attention"]["bias"][1][0] = document["attention"]["bias"][1][4] = None
    document["attention"]["bias"][3] = [None] * 6
    return cases


def score_cases():
    """Returns the cases about how scores are made."""
    rope_rules = {
        "rope-half": {"kind": "rope", "theta": 10000, "pairing": "half"},
        "rope-interleaved": {"kind": "rope", "theta": 10000, "pairing": "interleaved"},
        "rope-fraction": {"kind": "rope", "theta": 500, "pairing": "half", "fraction": 0.5},
        "rope-interleaved-fraction": {
            "kind": "rope", "theta": 100, "pairing": "interleaved", "fraction": 0.5},
        "rope-defaults": {"kind": "rope"},
    }
    cases = [
        simple("softcap", rule={"softcap": 1.5}),
        simple("temperature", rule={"temperature": 2.5}),
        simple("temperature-bias-softcap", rule={"temperature": 0.5, "softcap": 2}),
        simple("scale", rule={"scale": 0.1}),
        simple("gqa", d_model=16, heads=4, rule={"n_kv_heads": 2}),
        simple("gqa-biases-causal", n=5, d_model=12, heads=6, biases=True,
               rule={"n_kv_heads": 2, "causal": True}),
        simple("mqa", d_model=16, heads=4, rule={"n_kv_heads": 1}),
        simple("alibi-8-heads", n=7, d_model=16, heads=8,
               rule={"causal": True, "position": {"kind": "alibi"}}),
        simple("alibi-6-heads", n=7, d_model=12, heads=6, rule={"position": {"kind": "alibi"}}),
        simple("alibi-5-heads", n=5, d_model=10, heads=5, rule={"position": {"kind": "alibi"}}),
    ]
    maker, document = cases[2]
    document["attention"]["bias"] = maker.normal(6, 6)
    for name, rule in rope_rules.items():
        cases.append(simple(name, n=8, d_model=16, heads=2, rule={"position": rule}))
    return cases


def shape_cases():
    """Returns the cases about the form of weights and inputs."""
    cases = [
        simple("one-head", heads=1),
        simple("four-heads-biases", n=7, d_model=16, heads=4, biases=True),
        simple("d-head-not-d-model-by-heads", d_model=10, heads=3, d_head=4, biases=True),
        simple("one-token", n=1, d_model=8),
        simple("sinusoidal-positions", n=9, d_model=12),
        simple("sinusoidal-positions-odd", n=5, d_model=9, heads=3),
        simple("no-output-projection", d_model=10, heads=3, d_head=4, biases=True),
        simple("per-head-weights", d_model=12, heads=3, biases=True),
        simple("per-head-weights-gqa", d_model=12, heads=4, rule={"n_kv_heads": 2}),
    ]
    for _, document in cases[4:6]:
        document["positions"] = "sinusoidal"
    del cases[6][1]["weights"]["W_O"], cases[6][1]["weights"]["b_O"]
    cases[7][1]["weights"] = split_heads(cases[7][1]["weights"], 3)
    gqa = cases[8][1]["weights"]
    for name in gqa:
        gqa.update(split_heads({name: gqa[name]}, 2 if name in ("W_K", "W_V") else 4))
    for name in ("cross-attention", "cross-attention-sinusoidal"):
        maker, document = simple(name, n=5, d_model=12, heads=3, biases=True)
        document["positions"] = "sinusoidal" if "sinusoidal" in name else "none"
        document["context"] = {
            "tokens": [f"key {j}" for j in range(9)],
            "embeddings": maker.normal(9, 12),
        }
        cases.append((maker, document))
    document["attention"]["valid_keys"] = [True] * 7 + [False] * 2
    return cases


def stack(name, residual, rules, d_model=8, heads=2, n=6, biases=True):
    """Returns (maker, document): one layer for each rule, each with its own weights."""
    maker = Maker(name)
    defaults, *overrides = rules
    layers = []
    for override in overrides:
        rule = {**defaults, **override}
        d_head = rule.get("d_head", d_model // heads)
        one = {"attention": override} if override else {}
        one["weights"] = maker.weights(d_model, heads, d_head, rule.get("n_kv_heads"), biases)
        layers.append(one)
    document = {
        "id": name,
        "tokens": WORDS[:n],
        "embeddings": maker.normal(n, d_model),
        "attention": {"n_heads": heads, **defaults},
        "layers": layers,
    }
    if residual:
        document["residual"] = True
    return maker, document


def stack_cases():
    """Returns the stacks, and the case with everything in it."""
    different = [
        {"causal": True, "scale": 0.5},
        {"window": 3},
        {"causal": False, "position": {"kind": "rope", "theta": 50, "pairing": "interleaved"}},
        {"n_kv_heads": 1, "softcap": 2, "scale": 0.9},
    ]
    cases = [
        stack("stack-residual", True, different),
        stack("stack-no-residual", False, [{}, {}, {}, {}]),
        stack("stack-residual-sinusoidal", True, [{"causal": True}, {}, {}]),
    ]
    cases[2][1]["positions"] = "sinusoidal"
    everything = {
        "n_kv_heads": 2, "d_head": 4, "scale": 0.7, "temperature": 0.8, "causal": True,
        "window": 6, "softcap": 3,
        "position": {"kind": "rope", "theta": 300, "pairing": "half", "fraction": 0.5},
    }
    maker, document = stack("everything", True, [everything, {}, {"window": 4, "temperature": 1.5}],
                            d_model=12, heads=4, n=9)
    document["positions"] = "sinusoidal"
    document["attention"]["valid_keys"] = [False] + [True] * 8
    document["attention"]["mask"] = maker.booleans(9, 9, share=0.8)
    document["attention"]["bias"] = maker.normal(4, 9, 9)
    document["attention"]["bias"][1][5][3] = None
    cases.append((maker, document))
    return cases


def module_can(document):
    """Returns whether nn.MultiheadAttention has every feature of the document."""
    rule, weights = document["attention"], document.get("weights", {})
    known = {"n_heads", "causal", "window", "valid_keys", "mask", "bias", "position"}
    return (
        set(rule) <= known
        and rule.get("position", {}).get("kind") != "rope"
        and "W_O" in weights
        and not isinstance(weights["W_Q"][0][0], list)
    )


def expected_of(document):
    """Returns the "expected" part of a golden."""
    results = run(document)
    parts = {"attention": [a for a, _ in results], "output": [o for _, o in results]}
    return {
        name: [np.round(part.numpy(), 10).tolist() for part in layers]
        for name, layers in parts.items()
    }


def main():
    """Writes every golden and says how many were confirmed by nn.MultiheadAttention."""
    GOLDENS.mkdir(parents=True, exist_ok=True)
    cases = [document for _, document in
             shape_cases() + mask_cases() + score_cases() + stack_cases()]
    confirmed = 0
    for document in cases:
        if module_can(document):
            check_against_module(document)
            confirmed += 1
        golden = {"input": document, "expected": expected_of(document)}
        assert "NaN" not in compact(golden)
        path = GOLDENS / (document["id"] + ".json")
        path.write_text(pretty(golden) + "\n", encoding="utf-8")
    print(f"{len(cases)} goldens, {confirmed} confirmed by nn.MultiheadAttention to {AGREEMENT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
