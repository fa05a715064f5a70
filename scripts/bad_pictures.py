"""Broken PNG and JPEG files for make_bad_files.py, and the valid ones they derive from."""

import struct
import zlib


def png_chunk(kind, content):
    """Returns one chunk of a PNG."""
    return (struct.pack(">I", len(content)) + kind + content
            + struct.pack(">I", zlib.crc32(kind + content)))


def png(width=2, height=1, depth=8, color=2, rows=b"\0" + bytes(range(6)), data=None, more=b""):
    """Returns a PNG of 2 x 1 pixels; `more` are chunks between its header and its data."""
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    data = zlib.compress(rows) if data is None else data
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + more + png_chunk(b"IDAT", data)
            + png_chunk(b"IEND", b""))


def jpeg(width=8, height=8, scan=b"\x64", **changes):
    """Returns a grey JPEG of one block, 178 everywhere; `changes` replace segments by their names."""
    # The only code of each Huffman table is 0: six bits of a difference, and the end of a block.
    codes = b"\1" + bytes(15)
    segments = {
        "quantisation": b"\xff\xdb" + struct.pack(">HB", 67, 0) + b"\x08" * 64,
        "frame": b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\1\x11\0",
        "dc": b"\xff\xc4" + struct.pack(">HB", 20, 0) + codes + b"\6",
        "ac": b"\xff\xc4" + struct.pack(">HB", 20, 0x10) + codes + b"\0",
        "start": b"\xff\xda\0\x08\1\1\0\0\x3f\0",
    }
    return b"\xff\xd8" + b"".join((segments | changes).values()) + scan + b"\xff\xd9"


def pictures():
    """Yields names and contents of broken pictures."""
    good_png, good_jpeg = png(), jpeg()
    yield "empty.png", b""
    yield "gif.png", b"GIF89a\1\0\1\0\0\0\0;"
    yield "cut-in-signature.png", good_png[:6]
    yield "cut-in-header.png", good_png[:20]
    yield "header-missing.png", good_png[:8] + good_png[33:]
    yield "width-zero.png", png(width=0)
    yield "side-too-long.png", png(width=16385)
    yield "side-2-to-31.png", png(height=2**31)
    yield "pixels-too-many.png", png(width=16000, height=16000)
    yield "depth-unknown.png", png(depth=7)
    yield "color-unknown.png", png(color=5)
    yield "palette-missing.png", png(color=3)
    yield "palette-too-long.png", png(color=3, more=png_chunk(b"PLTE", bytes(3 * 257)))
    yield "filter-unknown.png", png(rows=b"\x09" + bytes(6))
    yield "data-missing.png", png(data=b"")
    yield "data-garbled.png", png(data=b"\x78\x9c" + b"\xff" * 12)
    yield "data-too-short.png", png(rows=b"\0" + bytes(2))
    yield "chunk-length-2-to-31.png", good_png[:33] + b"\x80\0\0\0IDAT"
    yield "cut-after-start.jpg", good_jpeg[:3]
    yield "cut-in-table.jpg", good_jpeg[:40]
    yield "size-zero.jpg", jpeg(width=0)
    yield "side-too-long.jpg", jpeg(width=65535)
    yield "pixels-too-many.jpg", jpeg(width=16000, height=16000)
    yield "frame-missing.jpg", jpeg(frame=b"")
    yield "components-none.jpg", jpeg(frame=b"\xff\xc0\0\x08\x08\0\x08\0\x08\0")
    yield "table-codes-too-many.jpg", jpeg(dc=b"\xff\xc4\0\x17\0\4" + bytes(15) + b"\1\2\3\4")
    yield "table-codes-over-256.jpg", jpeg(ac=b"\xff\xc4\0\x14\x10" + b"\x4a" * 16 + b"\0")
    yield "scan-component-unknown.jpg", jpeg(start=b"\xff\xda\0\x08\1\7\0\0\x3f\0")
    yield "difference-too-long.jpg", jpeg(dc=b"\xff\xc4\0\x14\0\1" + bytes(15) + b"\x30")
