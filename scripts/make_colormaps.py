#!/usr/bin/python3
"""Writes src/render/colormap_tables.inc: the 256 colours of each colour map.

Needs Debian's python3-matplotlib, for the published tables only:
  viridis, magma  by Nathaniel Smith and Stefan van der Walt, released under CC0
                  (https://bids.github.io/colormap);
  cividis         by Jamie Nunez, Christopher Anderton and Ryan Renslow, released under CC0
                  (PLoS ONE 13(7), 2018).
blues and greys are our own: smooth curves through the stops below in CIE L*a*b*, with lightness
falling evenly from the paper.

Usage: scripts/make_colormaps.py > src/render/colormap_tables.inc
"""
from matplotlib import cm

STOPS = {
    "blues": [0xFAFCFF, 0xDCE9F6, 0xB4D2EA, 0x79B1DA, 0x3F88C2, 0x175EA0, 0x083575, 0x071B45],
    "greys": [0xFCFCFC, 0xE2E2E2, 0xBFBFBF, 0x959595, 0x6C6C6C, 0x474747, 0x252525, 0x080808],
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


def catmull_rom(p, t):
    return 0.5 * (2 * p[1] + (p[2] - p[0]) * t + (2 * p[0] - 5 * p[1] + 4 * p[2] - p[3]) * t * t +
                  (3 * p[1] - p[0] - 3 * p[2] + p[3]) * t ** 3)


def through_stops(stops):
    labs = [to_lab(s) for s in stops]
    light0, light1 = labs[0][0], labs[-1][0]
    labs = [labs[0]] + labs + [labs[-1]]
    colors = []
    for i in range(256):
        x = i / 255 * (len(stops) - 1)
        k = min(int(x), len(stops) - 2)
        near = labs[k:k + 4]
        _, a, b = (catmull_rom([lab[c] for lab in near], x - k) for c in range(3))
        colors.append(from_lab((light0 + (light1 - light0) * i / 255, a, b)))
    return colors


def published(name):
    return [tuple(round(255 * c) for c in cm.get_cmap(name, 256)(i)[:3]) for i in range(256)]


def main():
    print("// Written by scripts/make_colormaps.py, which names the sources.")
    maps = {name: published(name) for name in ("viridis", "cividis", "magma")}
    maps.update({name: through_stops(stops) for name, stops in STOPS.items()})
    for name, colors in maps.items():
        print(f"constexpr Colormap k{name.capitalize()} = {{{{")
        for i in range(0, 256, 5):
            print("    " + " ".join("{%d, %d, %d}," % c for c in colors[i:i + 5]))
        print("}};")


main()
