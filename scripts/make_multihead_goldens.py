#!/usr/bin/env python3
"""Makes tests/goldens/multihead: state dicts of torch.nn.MultiheadAttention and
torch.nn.TransformerEncoder with an input x and what PyTorch computes from them.

Each NAME.safetensors holds the state dict, "x" (tokens, d_model), "expected.attention" (head, query,
key) or, for an encoder, "expected.attention.L" for each layer, and "expected.output" of the last
attention module. NAME.json names the number of heads and the flags. Needs Debian's python3-torch;
the same bytes on every run."""

import json
import pathlib
import struct

import torch

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests/goldens/multihead"


def save(path, tensors):
    """Writes float32 tensors as a .safetensors file."""
    header, data = {}, b""
    for name, tensor in tensors.items():
        raw = tensor.detach().to(torch.float32).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def widen(module):
    """Draws parameters wide enough that attention is far from uniform."""
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.6)


def attention_case(name, d_model, n_heads, n_tokens, causal=False, n_context=0, **options):
    """One nn.MultiheadAttention run on itself, or on a context of n_context tokens."""
    module = torch.nn.MultiheadAttention(d_model, n_heads, batch_first=True, **options).eval()
    widen(module)
    x = torch.randn(1, n_tokens, d_model)
    mask = None
    if causal:
        mask = torch.triu(torch.ones(n_tokens, n_tokens, dtype=torch.bool), 1)
    context = torch.randn(1, n_context, module.kdim) if n_context else x
    double = module.double()
    output, weights = double(x.double(), context.double(), context.double(), attn_mask=mask,
                             need_weights=True, average_attn_weights=False)
    tensors = dict(module.state_dict())
    if n_context:
        tensors["context"] = context[0]
    tensors |= {"x": x[0], "expected.attention": weights[0], "expected.output": output[0]}
    save(FOLDER / f"{name}.safetensors", tensors)
    (FOLDER / f"{name}.json").write_text(json.dumps({"n_heads": n_heads, "causal": causal}) + "\n")


def encoder_case(name, d_model, n_heads, n_layers, n_tokens):
    """A TransformerEncoder with PyTorch's defaults, layer by layer."""
    layer = torch.nn.TransformerEncoderLayer(d_model, n_heads, dim_feedforward=2 * d_model,
                                             batch_first=True, dropout=0.0)
    encoder = torch.nn.TransformerEncoder(layer, n_layers).eval().double()
    widen(encoder)
    x = torch.randn(1, n_tokens, d_model).float()
    tensors = dict(encoder.state_dict()) | {"x": x[0]}
    hidden = x.double()
    for index, module in enumerate(encoder.layers):
        output, weights = module.self_attn(hidden, hidden, hidden, need_weights=True,
                                           average_attn_weights=False)
        tensors[f"expected.attention.{index}"] = weights[0]
        tensors["expected.output"] = output[0]
        hidden = module(hidden)
    save(FOLDER / f"{name}.safetensors", tensors)
    (FOLDER / f"{name}.json").write_text(json.dumps({"n_heads": n_heads, "causal": False}) + "\n")


def main():
    """Writes all cases."""
    torch.manual_seed(20)
    FOLDER.mkdir(parents=True, exist_ok=True)
    attention_case("plain", 16, 4, 6)
    attention_case("causal", 12, 3, 7, causal=True)
    attention_case("no-bias", 8, 2, 5, bias=False)
    attention_case("bias-kv", 16, 4, 5, add_bias_kv=True)
    attention_case("cross", 12, 3, 4, n_context=6)
    attention_case("separate-projections", 12, 2, 6, n_context=7, kdim=10, vdim=10)
    encoder_case("encoder", 16, 4, 3, 6)


if __name__ == "__main__":
    main()
