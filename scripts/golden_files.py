"""Reads and writes .safetensors files for the scripts that make goldens of models.

A file is the length of a JSON header (8 bytes, little-endian), the header, and the numbers. The same
tensors give the same bytes. Arrays are float64 here; the type in the file is given by name.
"""

import json
import struct

import numpy as np

PLAIN_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8"}


def to_bf16(values):
    """Returns the upper 16 bits of each float32, rounded to nearest, ties to even."""
    bits = np.ascontiguousarray(values, dtype="<f4").view("<u4").astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2")


def from_bf16(raw):
    """Returns bfloat16 bytes as float64."""
    return (np.frombuffer(raw, "<u2").astype("<u4") << 16).view("<f4").astype(np.float64)


def rounded(values, dtype):
    """Returns float64 values as a file of this type gives them back."""
    if dtype == "BF16":
        return from_bf16(to_bf16(values).tobytes()).reshape(values.shape)
    return values.astype(PLAIN_TYPES[dtype]).astype(np.float64)


def header(entries):
    """Returns the start of a file of tensors, each (name, type, shape, number of bytes)."""
    fields, begin = {"__metadata__": {"format": "pt"}}, 0
    for name, kind, shape, n_bytes in entries:
        offsets = [begin, begin + n_bytes]
        fields[name] = {"dtype": kind, "shape": list(shape), "data_offsets": offsets}
        begin += n_bytes
    text = json.dumps(fields, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def encode(tensors, dtype="F32"):
    """Returns the bytes of a file: integers as I64, everything else as this type."""
    entries, data = [], []
    for name, values in tensors.items():
        kind = "I64" if np.issubdtype(values.dtype, np.integer) else dtype
        array = to_bf16(values) if kind == "BF16" else values.astype(PLAIN_TYPES[kind])
        data.append(np.ascontiguousarray(array).tobytes())
        entries.append((name, kind, values.shape, len(data[-1])))
    return header(entries) + b"".join(data)


def decode(data):
    """Returns {name: array} of the bytes of a file: I64 as int64, everything else as float64."""
    (size,) = struct.unpack("<Q", data[:8])
    tensors = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        raw, kind = data[8 + size + begin : 8 + size + end], entry["dtype"]
        if kind == "BF16":
            flat = from_bf16(raw)
        else:
            flat = np.frombuffer(raw, PLAIN_TYPES[kind])
            flat = flat.astype(np.int64 if kind == "I64" else np.float64)
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def read(path):
    """Returns {name: array} of a .safetensors file."""
    return decode(path.read_bytes())


def read_model(folder):
    """Returns the config and the tensors of a model folder, from one file or from its shards."""
    config = json.loads((folder / "config.json").read_text())
    index = folder / "model.safetensors.index.json"
    if not index.exists():
        return config, read(folder / "model.safetensors")
    tensors = {}
    for shard in sorted(set(json.loads(index.read_text())["weight_map"].values())):
        tensors |= read(folder / shard)
    return config, tensors


def model_files(tensors, dtype, shards=1):
    """Returns {file name: bytes} of a model: model.safetensors, or shards with their index."""
    if shards == 1:
        return {"model.safetensors": encode(tensors, dtype)}
    names, files, weight_map = list(tensors), {}, {}
    for shard in range(shards):
        part = names[shard * len(names) // shards : (shard + 1) * len(names) // shards]
        file = f"model-{shard + 1:05}-of-{shards:05}.safetensors"
        files[file] = encode({name: tensors[name] for name in part}, dtype)
        weight_map |= {name: file for name in part}
    width = 2 if dtype in ("F16", "BF16") else 4
    total = sum(values.size for values in tensors.values()) * width
    index = {"metadata": {"total_size": total}, "weight_map": dict(sorted(weight_map.items()))}
    files["model.safetensors.index.json"] = (json.dumps(index, indent=2) + "\n").encode()
    return files
