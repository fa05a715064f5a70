#!/usr/bin/python3
"""Writes src/render/colormap_tables.inc: the 256 colours of each colour map.

Needs Debian's python3-matplotlib, for the published tables only:
  viridis, magma  by Nathaniel Smith and Stefan van der Walt, released under CC0
                  (https://bids.github.io/colormap);
  cividis         by Jamie Nunez, Christopher Anderton and Ryan Renslow, released under CC0
                  (PLoS ONE 13(7), 2018).
blues and greys are our own: smooth curves through the stops below in CIE L*a*b*, with lightness
falling evenly from the paper (most blue stops: ColorBrewer's Blues by Cynthia Brewer, Apache 2.0).
diverging is our own as well, through the points below: on both sides of its two middle colours
lightness changes evenly and by the same amount, so that -x and +x are equally strong.

Usage: scripts/make_colormaps.py > src/render/colormap_tables.inc
"""
from matplotlib import cm
from math import cos, radians, sin

STOPS = {
    "blues": [0xFAFCFF, 0xE1EDF8, 0xC6DBEF, 0x9ECAE1, 0x6BAED6, 0x4292C6, 0x2171B5, 0x08519C,
              0x08306B, 0x061A40],
    "greys": [0xFCFCFC, 0x080808],
}

# (lightness, chroma, hue in degrees) from the middle to the ends; blue below, orange above.
DIVERGING = {
    "Diverging": ([(97, 0, 262), (86, 14, 255), (72, 30, 260), (55, 46, 268), (32, 46, 284)],
                  [(97, 0, 52), (86, 17, 52), (72, 41, 55), (55, 66, 53), (32, 52, 46)]),
    "DivergingOnDark": ([(13, 2, 272), (27, 24, 278), (45, 43, 272), (64, 42, 262), (84, 24, 245)],
                        [(13, 2, 272), (27, 28, 45), (45, 56, 55), (64, 62, 62), (84, 38, 78)]),
}


def to_linear(c):
    c /= 255.0
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def from_linear(c):
    c = min(max(c, 0.0), 1.0)
    return round(255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055))


WHITE = (0.95047, 1.0, 1.08883)


def to_lab(hex_color):
    r, g, b = (to_linear(hex_color >> s & 255) for s in (16, 8, 0))
    xyz = (0.4124564 * r + 0.3575761 * g + 0.1804375 * b,
           0.2126729 * r + 0.7151522 * g + 0.0721750 * b,
           0.0193339 * r + 0.1191920 * g + 0.9503041 * b)
    f = [t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116
         for t in (c / w for c, w in zip(xyz, WHITE))]
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def from_lab(lab):
    fy = (lab[0] + 16) / 116
    f = (fy + lab[1] / 500, fy, fy - lab[2] / 200)
    x, y, z = (w * (t ** 3 if t ** 3 > 216 / 24389 else (116 * t - 16) * 27 / 24389)
               for t, w in zip(f, WHITE))
    return (from_linear(3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
            from_linear(-0.9692660 * x + 1.8760108 * y + 0.0415560 * z),
            from_linear(0.0556434 * x - 0.2040259 * y + 1.0572252 * z))


def slope(points, k, c):
    """Of coordinate c over lightness at stop k: the mean of both sides."""
    sides = [(points[j + 1][c] - points[j][c]) / (points[j + 1][0] - points[j][0])
             for j in (k - 1, k) if 0 <= j < len(points) - 1]
    return sum(sides) / len(sides)


def curve(points, light, c):
    """Coordinate c (1: a*, 2: b*) at a lightness: cubic Hermite between the stops."""
    k = next((j for j in range(len(points) - 2) if light >= points[j + 1][0]), len(points) - 2)
    p, q = points[k], points[k + 1]
    h = q[0] - p[0]
    t = (light - p[0]) / h
    return ((2 * t ** 3 - 3 * t * t + 1) * p[c] + (t ** 3 - 2 * t * t + t) * h * slope(points, k, c) +
            (3 * t * t - 2 * t ** 3) * q[c] + (t ** 3 - t * t) * h * slope(points, k + 1, c))


def through_points(points, n):
    first, last = points[0][0], points[-1][0]
    lights = [first + (last - first) * i / (n - 1) for i in range(n)]
    return [from_lab((light, curve(points, light, 1), curve(points, light, 2)))
            for light in lights]


def from_middle(side):
    points = [(light, c * cos(radians(h)), c * sin(radians(h))) for light, c, h in side]
    darkening = through_points(sorted(points, reverse=True), 128)
    return darkening if points[0][0] > points[-1][0] else darkening[::-1]


def diverging(sides):
    below, above = (from_middle(side) for side in sides)
    return below[::-1] + above


def published(name):
    return [tuple(round(255 * c) for c in cm.get_cmap(name, 256)(i)[:3]) for i in range(256)]


def main():
    print("// Written by scripts/make_colormaps.py, which names the sources.")
    maps = {name: published(name) for name in ("viridis", "cividis", "magma")}
    maps.update({name: through_points([to_lab(s) for s in stops], 256)
                 for name, stops in STOPS.items()})
    maps = {name.capitalize(): colors for name, colors in maps.items()}
    maps.update({name: diverging(sides) for name, sides in DIVERGING.items()})
    for name, colors in maps.items():
        print(f"constexpr Colormap k{name} = {{{{")
        for i in range(0, 256, 5):
            print("    " + " ".join("{%d, %d, %d}," % c for c in colors[i:i + 5]))
        print("}};")


main()
