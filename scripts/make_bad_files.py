#!/usr/bin/env python3
"""Makes the broken files in tests/bad_files, and in tests/bad_files/valid those they derive from.

Each differs from a valid file in one thing, and no two for one reader in the same thing. What each
must be told is in tests/bad_files/expected.json, which is kept by hand. Run without arguments to
write the files; --check only says whether those that are there are the same.
"""

import argparse
import json
import pathlib
import struct
import sys
import zlib

from bad_pictures import jpeg, pictures, png

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "tests" / "bad_files"

FLOATS = struct.pack("<6f", 1, 2, 3, 4, 5, 6)

# ---------------------------------------------------------------------------------------------
# Builders: valid files by default


def npy_raw(header, data=FLOATS, version=1):
    """Returns an .npy file with this header text."""
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def npy(descr="'<f4'", order="False", shape="(2, 3)", data=FLOATS):
    """Returns an .npy file from the values of its header's keys."""
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"
    text += " " * (53 - len(text) % 64 if len(text) % 64 <= 53 else 117 - len(text) % 64)
    return npy_raw(text.encode("latin-1") + b"\n", data)


def tensor(dtype="F32", shape=(2, 3), offsets=(0, 24), **changes):
    """Returns the description of one tensor; a change to None removes the field."""
    entry = {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets), **changes}
    return {name: value for name, value in entry.items() if value is not None}


def safetensors_raw(header, data=FLOATS, length=None):
    """Returns a safetensors file with this header text and, if given, a wrong length of it."""
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def safetensors(tensors, data=FLOATS):
    """Returns a safetensors file of these descriptions."""
    return safetensors_raw(json.dumps(tensors).encode(), data)


class Member:
    """One member of a zip archive; every field may be changed to something wrong."""

    def __init__(self, name, content, deflated=False, **changes):
        self.name = name if isinstance(name, bytes) else name.encode()
        self.checksum = zlib.crc32(content)
        self.size = len(content)
        self.method = 8 if deflated else 0
        self.raw = zlib.compress(content, 9)[2:-4] if deflated else content
        self.flags = 0
        self.local_name = self.name
        self.local_signature = b"PK\3\4"
        for field, value in changes.items():
            assert hasattr(self, field), field
            setattr(self, field, value)

    def common(self, name):
        """Returns the fields that the local header and the directory share."""
        return struct.pack("<HHHIIIIHH", 20, self.flags, self.method, 0x210000, self.checksum,
                           len(self.raw), self.size, len(name), 0)

    def local(self):
        """Returns the local header and the content."""
        return self.local_signature + self.common(self.local_name) + self.local_name + self.raw

    def entry(self, offset):
        """Returns the entry in the directory."""
        return (b"PK\1\2" + struct.pack("<H", 20) + self.common(self.name) +
                struct.pack("<HHHII", 0, 0, 0, 0, offset) + self.name)


def archive(*members, disk=0, n_entries=None, directory_offset=None, comment_length=0, tail=b""):
    """Returns a zip archive."""
    out, directory = b"", b""
    for member in members:
        directory += member.entry(len(out))
        out += member.local()
    count = len(members) if n_entries is None else n_entries
    offset = len(out) if directory_offset is None else directory_offset
    end = struct.pack("<HHHHIIH", disk, disk, count, count, len(directory), offset, comment_length)
    return out + directory + b"PK\5\6" + end + tail


def index(weight_map):
    """Returns a shard index with this map, given as JSON text."""
    return ('{"metadata": {"total_size": 24}, "weight_map": ' + weight_map + "}").encode()


# ---------------------------------------------------------------------------------------------
# The files


def npy_files():
    """Yields name and bytes of the broken .npy files."""
    good = npy()
    yield "empty", b""
    yield "magic", good.replace(b"NUMPY", b"NUMPX")
    yield "version-0", good[:6] + b"\0" + good[7:]
    yield "version-4", good[:6] + b"\4" + good[7:]
    yield "cut-after-version", good[:8]
    yield "cut-in-length", npy_raw(b"{}", version=2)[:10]
    yield "cut-in-header", good[:40]
    yield "header-length-0", npy_raw(b"")
    yield "header-length-past-end", good[:8] + b"\xff\xff" + good[10:]
    yield "header-length-2-to-32", npy_raw(b"{}", version=2)[:8] + b"\xff" * 4 + good[10:]
    yield "header-longer-than-64-kib", npy_raw(
        good[10:-25] + b" " * 65536 + b"\n", version=2)
    yield "header-no-dictionary", npy_raw(b"<f4 (2, 3)\n")
    yield "header-no-colon", npy_raw(b"{'descr' '<f4'}\n")
    yield "header-quote-open", npy_raw(b"{'descr': '<f4\n")
    yield "header-text-after-dictionary", npy_raw(good[10:-24].rstrip() + b" x\n")
    yield "header-not-text", npy_raw(b"\xff\xfe{\0'\0\n")
    yield "key-missing", npy_raw(b"{'descr': '<f4', 'shape': (2, 3)}\n")
    yield "key-twice", npy_raw(b"{'descr': '<f4', 'descr': '<f8', 'shape': (2, 3)}\n")
    yield "key-unknown", npy_raw(b"{'descr': '<f4', 'order': 'C', 'shape': (2, 3)}\n")
    yield "dtype-float128", npy("'<f16'")
    yield "dtype-complex", npy("'<c8'", shape="(3,)")
    yield "dtype-object", npy("'|O'")
    yield "dtype-record", npy("[('x', '<f4')]")
    yield "dtype-byte-order", npy("'!f4'")
    yield "fortran-order-number", npy(order="0")
    yield "shape-negative", npy(shape="(-2, -3)")
    yield "shape-fraction", npy(shape="(2.0, 3)")
    yield "shape-list", npy(shape="[2, 3]")
    yield "shape-open", npy_raw(b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3\n")
    yield "shape-number-overflow", npy(shape="(99999999999999999999, 3)")
    yield "shape-product-overflow", npy(shape="(4294967296, 4294967296)")
    yield "shape-bytes-overflow", npy(shape="(4611686018427387904,)")
    yield "data-missing", good[:-24]
    yield "data-cut-by-one-byte", good[:-1]
    yield "data-trailing", good + b"\0"


def safetensors_files():
    """Yields name and bytes of the broken safetensors files."""
    good = safetensors({"x": tensor()})
    two = {"a": tensor(shape=(3,), offsets=(0, 12)), "b": tensor(shape=(3,), offsets=(12, 24))}
    text = json.dumps({"x": tensor()})
    yield "cut-in-length", good[:7]
    yield "header-length-0", safetensors_raw(text.encode(), length=0)
    yield "header-length-one-too-many", safetensors_raw(b"{}", b"", length=3)
    yield "header-length-2-to-60", safetensors_raw(text.encode(), length=1 << 60)
    yield "header-length-2-to-64", safetensors_raw(text.encode(), length=(1 << 64) - 1)
    yield "header-cut", safetensors_raw(text.encode()[:20])
    yield "header-list", safetensors_raw(b'[{"x": 1}]')
    yield "header-trailing-text", safetensors_raw(text.encode() + b"x")
    yield "header-not-utf-8", safetensors_raw(text.replace("x", "\xff").encode("latin-1"))
    yield "header-zero-byte", safetensors_raw(text.encode() + b"\0")
    yield "nesting-depth", safetensors_raw(b'{"x":' * 100 + b"1" + b"}" * 100)
    yield "duplicate-name", safetensors_raw((text[:-1] + "," + text[1:]).encode())
    yield "duplicate-field", safetensors_raw(text.replace('"shape"', '"dtype"').encode())
    yield "entry-number", safetensors({"x": 3})
    yield "dtype-missing", safetensors({"x": tensor(dtype=None)})
    yield "dtype-unknown", safetensors({"x": tensor(dtype="F8_E4M3")})
    yield "dtype-number", safetensors({"x": tensor(dtype=32)})
    yield "shape-missing", safetensors({"x": tensor() | {"shape": 6}})
    yield "shape-negative", safetensors({"x": tensor(shape=(-2, -3))})
    yield "shape-fraction", safetensors({"x": tensor(shape=(2.5, 3))})
    yield "shape-text", safetensors({"x": tensor(shape=("2", 3))})
    yield "shape-number-overflow", safetensors({"x": tensor(shape=(1 << 60, 3))})
    yield "shape-product-overflow", safetensors({"x": tensor(shape=(1 << 40, 1 << 40))})
    yield "offsets-missing", safetensors(
        {"x": {"dtype": "F32", "shape": [2, 3]}})
    yield "offsets-one", safetensors({"x": tensor(offsets=(24,))})
    yield "offsets-negative", safetensors({"x": tensor(offsets=(-24, 0))})
    yield "offsets-reversed", safetensors({"x": tensor(offsets=(24, 0))})
    yield "offsets-past-end", safetensors({"x": tensor(offsets=(4, 28))})
    yield "offsets-other-size", safetensors({"x": tensor(offsets=(0, 20))})
    yield "offsets-overlap", safetensors(two | {"b": tensor(shape=(3,), offsets=(8, 20))})
    yield "offsets-equal", safetensors(two | {"b": tensor(shape=(3,), offsets=(0, 12))})
    yield "offsets-gap", safetensors(two | {"b": tensor(shape=(2,), offsets=(16, 24))})
    yield "offsets-late-start", safetensors({"x": tensor(shape=(5,), offsets=(4, 24))})
    yield "data-missing", good[:-24]
    yield "data-cut-by-one-byte", good[:-1]
    yield "data-trailing", good + b"\0"


def npz_files():
    """Yields name and bytes of the broken .npz files."""
    array = npy()
    stored, deflated = Member("x.npy", array), Member("y.npy", array, True)
    good = archive(stored, deflated)
    damaged = array[:-1] + b"\1"
    yield "empty", b""
    yield "text", b"this is no zip archive, only its name says so\n"
    yield "cut-by-one-byte", good[:-1]
    yield "cut-before-directory", good[:300]
    yield "data-trailing", good + b"\0"
    yield "comment-past-end", archive(stored, comment_length=7)
    yield "several-disks", archive(stored, disk=1)
    yield "directory-offset-past-end", archive(stored, directory_offset=1 << 30)
    yield "directory-offset-wrong", archive(stored, directory_offset=17)
    yield "directory-count-too-large", archive(stored, n_entries=2)
    yield "local-header-signature", archive(Member("x.npy", array, local_signature=b"PK\7\7"))
    yield "local-header-other-name", archive(Member("x.npy", array, local_name=b"z.npy"))
    yield "checksum-stored", archive(Member("x.npy", array, raw=damaged))
    yield "checksum-deflated", archive(Member("x.npy", array, True, checksum=0x12345678))
    yield "compression-bzip2", archive(Member("x.npy", array, method=12))
    yield "compression-unknown", archive(Member("x.npy", array, method=77))
    yield "encrypted", archive(Member("x.npy", array, flags=1))
    yield "duplicate-name", archive(stored, stored)
    yield "name-not-utf-8", archive(Member(b"\xff.npy", array, flags=1 << 11))
    yield "no-arrays", archive(Member("readme.txt", b"hello\n"))
    yield "size-stored", archive(Member("x.npy", array, size=1 << 30))
    yield "size-bomb", archive(Member("x.npy", array, True, size=(1 << 32) - 16))
    yield "size-too-large", archive(Member("x.npy", npy(shape="(4, 3)"), True,
                                           size=len(array) + 24))
    yield "size-too-small", archive(Member("x.npy", npy(shape="(1, 3)"), True,
                                           size=len(array) - 12))
    yield "deflate-garbled", archive(Member("x.npy", array, True, raw=b"\xff" * 60))
    yield "deflate-cut", archive(
        Member("x.npy", array, True, raw=zlib.compress(array, 9)[2:-20]))
    yield "member-empty", archive(Member("x.npy", b""))
    yield "member-text", archive(Member("x.npy", b"hello\n"))
    yield "member-cut-by-one-byte", archive(Member("x.npy", array[:-1]))
    yield "member-shape-overflow", archive(
        Member("x.npy", npy(shape="(4294967296, 4294967296)"), True))
    yield "member-dtype", archive(Member("x.npy", npy("'|O'")))


def index_files():
    """Yields name and bytes of the broken indexes of shards; one.safetensors is a good shard."""
    good = index('{"x": "one.safetensors"}')
    yield "cut", good[:-3]
    yield "no-map", b'{"metadata": {}}'
    yield "map-list", index('["x"]')
    yield "map-empty", index("{}")
    yield "map-nesting-depth", index('{"x":' * 100 + "1" + "}" * 100)
    yield "file-number", index('{"x": 1}')
    yield "file-empty", index('{"x": ""}')
    yield "file-zero-byte", index('{"x": "one\\u0000.safetensors"}')
    yield "duplicate-name", index('{"x": "one.safetensors", "x": "two.safetensors"}')
    yield "missing-shard", index('{"x": "one.safetensors", "y": "two.safetensors"}')
    yield "missing-tensor", index('{"x": "one.safetensors", "y": "one.safetensors"}')
    yield "leaves-folder", index('{"x": "../valid/x.safetensors"}')
    yield "absolute-path", index('{"x": "/etc/passwd"}')
    yield "shard-is-folder", index('{"x": "."}')
    yield "shard-is-npy", index('{"x": "sub/x.npy"}')
    yield "shard-cut", index('{"x": "sub/cut.safetensors"}')


def other_files():
    """Yields name and bytes of files that are recognised only to be refused."""
    yield "python.pkl", b"\x80\x04\x95\x06\0\0\0\0\0\0\0]\x94(K\1e."
    yield "torch-old.pt", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."
    yield "torch-new.pth", archive(Member("archive/data.pkl", b"\x80\x02}q\0."),
                                   Member("archive/data/0", FLOATS))
    yield "pickle-text.pkl", b"(lp0\nI1\na."
    yield "model.gguf", b"GGUF\3\0\0\0" + b"\0" * 16
    yield "cut.safetensors", b"\x80\x02\0\0\0\0\0\0" + b'{"x":'
    yield "text.safetensors", b"not a tensor in sight\n"


def documents():
    """Yields name and bytes of the broken JSON inputs."""
    row = '"tokens": ["a", "b"], "embeddings": [[1, 0], [0, 1]]'
    yield "empty", b""
    yield "white-space", b" \n\t\n"
    yield "cut", b'{"tokens": ["a", "b"'
    yield "list", b'["a", "b"]'
    yield "number", b"42"
    yield "comma-trailing", b'{"text": "a b",}'
    yield "comma-missing", b'{"text": "a b" "id": "x"}'
    yield "quotes-single", b"{'text': 'a b'}"
    yield "comment", b'{"text": "a b"} // a comment'
    yield "second-document", b'{"text": "a b"} {"text": "c"}\n'
    yield "string-open", b'{"text": "a b}'
    yield "string-control-character", b'{"text": "a\1b"}'
    yield "string-escape", b'{"text": "a\\qb"}'
    yield "string-surrogate", b'{"text": "a \\ud800"}'
    yield "encoding-latin-1", '{"text": "caf\xe9"}'.encode("latin-1")
    yield "encoding-overlong", b'{"text": "a\xc0\x80b"}'
    yield "encoding-utf-16", '\ufeff{"text": "a b"}'.encode("utf-16-le")
    yield "zero-byte", b'{"text": "a b"}\0'
    yield "nesting-depth", b'{"mask":' + b"[" * 100 + b"]" * 100 + b"}"
    yield "number-nan", b'{"tokens": ["a"], "embeddings": [[NaN]]}'
    yield "number-overflow", b'{"tokens": ["a"], "embeddings": [[1e999]]}'
    yield "number-beyond-float32", b'{"tokens": ["a"], "embeddings": [[1e39]]}'
    yield "number-leading-zero", b'{"tokens": ["a"], "embeddings": [[01]]}'
    yield "field-twice", b'{"text": "a", "text": "b"}'
    yield "field-unknown", b'{"txt": "a b"}'
    yield "field-wrong-type", b'{"text": ["a", "b"]}'
    yield "nothing-to-read", b"{}"
    yield "tokens-number", b'{"tokens": [1, 2]}'
    yield "tokens-none", b'{"tokens": []}'
    yield "embeddings-uneven", b'{"tokens": ["a", "b"], "embeddings": [[1, 0], [1]]}'
    yield "embeddings-null", b'{"tokens": ["a", "b"], "embeddings": [[1, 0], [null, 1]]}'
    yield "embeddings-count", b'{"tokens": ["a"], "embeddings": [[1, 0], [0, 1]]}'
    yield "embeddings-flat", b'{"tokens": ["a", "b"], "embeddings": [1, 0]}'
    yield "heads-zero", ("{" + row + ', "attention": {"n_heads": 0}}').encode()
    yield "heads-fraction", ("{" + row + ', "attention": {"n_heads": 1.5}}').encode()
    yield "heads-do-not-divide", ("{" + row + ', "attention": {"n_heads": 3, "n_kv_heads": 2}}'
                                  ).encode()
    yield "mask-size", ("{" + row + ', "attention": {"mask": [[true]]}}').encode()
    yield "mask-numbers", ("{" + row + ', "attention": {"mask": [[1, 0], [1, 1]]}}').encode()
    yield "weights-shape", ("{" + row + ', "weights": {"W_Q": [[1]], "W_K": [[1]]}}').encode()
    yield "weights-rows-not-1", b'{"attention_weights": [[[[0.5, 0.9], [0.1, 0.9]]]]}'
    yield "file-missing", b'{"embeddings": {"file": "none.npy"}}'
    yield "file-damaged", b'{"embeddings": {"file": "../npy/data-cut-by-one-byte.npy"}}'


def conllu_line(number, form, head="0", deprel="root"):
    """Returns a word's line of ten columns."""
    return "\t".join([number, form, "_", "X", "_", "_", head, deprel, "_", "_"]).encode() + b"\n"


def conllu_files():
    """Yields name and bytes of the broken treebanks."""
    one, two = conllu_line("1", "owls", "2", "nsubj"), conllu_line("2", "nap")
    yield "columns-spaces", one + two.replace(b"\t", b" ")
    yield "columns-nine", one + two.replace(b"\t_\n", b"\n")
    yield "columns-eleven", one + two.replace(b"\n", b"\t_\n")
    yield "number-zero", conllu_line("0", "owls") + two
    yield "number-text", conllu_line("one", "owls") + two
    yield "number-too-large", conllu_line("9" * 30, "owls") + two
    yield "number-left-out", one + conllu_line("3", "nap")
    yield "number-twice", one + one
    yield "empty-node-out-of-order", conllu_line("1.1", "so", "_", "_") + one + two
    yield "range-backwards", conllu_line("2-1", "owlsnap", "_", "_") + one + two
    yield "range-late", one + conllu_line("1-2", "owlsnap", "_", "_") + two
    yield "range-overlaps", (conllu_line("1-2", "owlsnap", "_", "_") + one
                             + conllu_line("2-3", "naps", "_", "_") + two)
    yield "range-beyond-the-end", conllu_line("1-3", "owlsnap", "_", "_") + one + two
    yield "head-text", one.replace(b"\t2\t", b"\ttwo\t") + two
    yield "head-negative", one.replace(b"\t2\t", b"\t-2\t") + two
    yield "head-itself", one.replace(b"\t2\t", b"\t1\t") + two
    yield "head-beyond-the-end", one.replace(b"\t2\t", b"\t3\t") + two
    yield "form-empty", one.replace(b"owls", b"") + two
    yield "relation-empty", one.replace(b"nsubj", b"") + two
    yield "root-missing", one + conllu_line("2", "nap", "1", "dep")
    yield "words-missing", b"# sent_id = owls-1\n\n" + one + two
    yield "comment-within", one + b"# sent_id = owls-2\n" + two
    yield "latin-1", one.replace(b"owls", b"\xe9t\xe9") + two
    yield "zero-byte", one + two.replace(b"nap", b"n\0p")


def all_files():
    """Returns path -> bytes."""
    good_npy, good_safetensors = npy(), safetensors({"x": tensor()})
    two = {"a": tensor(shape=(3,), offsets=(0, 12)), "b": tensor("F16", (6,), (12, 24))}
    files = {
        "valid/x.npy": good_npy,
        "valid/fortran.npy": npy("'>i2'", "True", "(3, 4)"),
        "valid/version-3.npy": npy_raw(good_npy[10:-24], version=3),
        "valid/x.npz": archive(Member("x.npy", good_npy), Member("y.npy", good_npy, True)),
        "valid/x.safetensors": good_safetensors,
        "valid/two.safetensors": safetensors({"__metadata__": {"format": "pt"}} | two),
        "valid/model.index.json": index('{"x": "x.safetensors", "a": "two.safetensors"}'),
        "valid/x.conllu": (b"# sent_id = owls-1\n" + conllu_line("1-2", "owlsnap", "_", "_")
                           + conllu_line("1", "owls", "2", "nsubj") + conllu_line("2", "nap")
                           + conllu_line("2.1", "too", "_", "_")),
        "valid/x.png": png(),
        "valid/x.jpg": jpeg(),
        "index/one.safetensors": good_safetensors,
        "index/sub/x.npy": good_npy,
        "index/sub/cut.safetensors": good_safetensors[:-4],
    }
    groups = [("npy", ".npy", npy_files), ("safetensors", ".safetensors", safetensors_files),
              ("npz", ".npz", npz_files), ("index", ".index.json", index_files),
              ("other", "", other_files), ("json", ".json", documents),
              ("conllu", ".conllu", conllu_files), ("picture", "", pictures)]
    for folder, suffix, make in groups:
        for name, content in make():
            path = f"{folder}/{name}{suffix}"
            assert path not in files, path
            assert content not in files.values() or not content, path
            files[path] = content
    return files


def main():
    """Writes or checks the files; the exit code says whether all is well."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    check = parser.parse_args().check
    wrong = 0
    for name, content in all_files().items():
        path = FOLDER / name
        if check:
            if not path.is_file() or path.read_bytes() != content:
                print(f"{name}: is not what this script makes")
                wrong += 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    print(f"{len(all_files())} files, {sum(map(len, all_files().values()))} bytes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
