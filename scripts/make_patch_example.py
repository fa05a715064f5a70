#!/usr/bin/python3
"""Writes a synthetic picture and synthetic attention of 14 x 14 patches behind one CLS token.

    scripts/make_patch_example.py FOLDER
    mha-viz draw FOLDER/patches.npy --grid 14x14 --prefix 1 --image FOLDER/scene.png \\
        --heads L0H0 --query "0;9,3;4,10" -o scene-attention.png

Head 0: patches attend to patches of the same colour; head 1: to their neighbours.
"""
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

SIDE = 14
PIXELS = 16  # of a patch


def scene() -> np.ndarray:
    """A sun and a house on a meadow, (224, 224, 3)."""
    size = SIDE * PIXELS
    y, x = np.mgrid[0:size, 0:size]
    picture = np.empty((size, size, 3), np.float64)
    picture[:] = np.stack([120 + y / 4, 170 + y / 6, np.full_like(y, 235)], axis=-1)
    picture[y > 150 + 8 * np.sin(x / 25)] = (88, 150, 70)
    picture[(x - 170) ** 2 + (y - 60) ** 2 < 30**2] = (250, 205, 60)
    picture[(x > 30) & (x < 96) & (y > 118) & (y < 178)] = (170, 70, 55)
    picture[(y > 84) & (y <= 118) & (abs(x - 63) < (y - 80) * 1.1)] = (90, 55, 50)
    picture[(x > 54) & (x < 72) & (y > 144) & (y < 178)] = (60, 40, 35)
    return picture.clip(0, 255).astype(np.uint8)


def attention(picture: np.ndarray) -> np.ndarray:
    """(2 heads, 197, 197); rows add up to 1."""
    means = picture.reshape(SIDE, PIXELS, SIDE, PIXELS, 3).mean((1, 3)).reshape(-1, 3)
    row, col = np.divmod(np.arange(SIDE * SIDE), SIDE)
    colour = np.linalg.norm(means[:, None] - means[None], axis=-1)
    place = np.hypot(row[:, None] - row[None], col[:, None] - col[None])
    scores = np.zeros((2, SIDE * SIDE + 1, SIDE * SIDE + 1))
    scores[0, 1:, 1:] = -colour / 12
    scores[1, 1:, 1:] = -place
    yellow = np.linalg.norm(means - np.array([250, 205, 60]), axis=-1)
    scores[0, 0, 1:] = -yellow / 25
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32)


def png(picture: np.ndarray) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = picture.shape
    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows))
            + chunk(b"IEND", b""))


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    picture = scene()
    (folder / "scene.png").write_bytes(png(picture))
    np.save(folder / "patches.npy", attention(picture))


if __name__ == "__main__":
    main()
