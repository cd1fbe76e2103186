# SPDX-License-Identifier: Apache-2.0
"""What the cases of automata should find, computed without the program: needs numpy.

    python3 cases/automata/reference.py gray_scott | ising | sandpile | wireworld

Cells are drawn by Philox4x32-10 as docs/automata.md says. Arrays are indexed (y, x)."""
import math
import os
import re
import sys

import numpy as np

u64 = np.uint64


def philox(counter, seed):
    low, shift = u64(0xffffffff), u64(32)
    c = [np.asarray(x, u64) for x in counter]
    key = [u64(seed) & low, u64(seed) >> shift]
    for _ in range(10):
        a, b = u64(0xD2511F53) * c[0], u64(0xCD9E8D57) * c[2]
        c = [(b >> shift) ^ c[1] ^ key[0], b & low, (a >> shift) ^ c[3] ^ key[1], a & low]
        key = [(key[0] + u64(0x9E3779B9)) & low, (key[1] + u64(0xBB67AE85)) & low]
    return c


def counter(shape, step, last):
    n = np.arange(np.prod(shape), dtype=u64)
    return [n & u64(0xffffffff), n >> u64(32), np.full_like(n, step), np.full_like(n, last)]


def start(shape, seed):
    """Numbers of a start in [0, 1), 53 bits."""
    c = philox(counter(shape, 0, 0), seed)
    return ((c[1] << u64(32) | c[0]) >> u64(11)).astype(float).reshape(shape) * 2.0**-53


def uniform(shape, seed, step, phase=0, k=0):
    """near.uniform(k) of all cells."""
    c = philox(counter(shape, step, (1 << 31) + (phase << 24) + (k // 4 << 16)), seed)
    return c[k % 4].astype(float).reshape(shape) * 2.0**-32


def beside(a, edge=None):
    """The cells on the left, on the right, below and above: of a torus, or `edge` beyond the sides."""
    if edge is None:
        return np.roll(a, 1, 1), np.roll(a, -1, 1), np.roll(a, 1, 0), np.roll(a, -1, 0)
    p = np.pad(a, 1, constant_values=edge)
    return p[1:-1, :-2], p[1:-1, 2:], p[:-2, 1:-1], p[2:, 1:-1]


def gray_scott(generations=6000, n=160, feed=0.0367, kill=0.0649, du=0.16, dv=0.08):
    u, v, square = np.ones((n, n)), np.zeros((n, n)), np.s_[70:90, 70:90]
    u[square] = (0.45 + (0.55 - 0.45) * start((n, n), 1))[square]
    v[square] = (0.2 + (0.3 - 0.2) * start((n, n), 2))[square]
    for _ in range(generations):
        reaction = u * v * v
        w, e, s, t = beside(u)
        next_u = u + du * ((w + e) + (s + t) - 4 * u) - reaction + feed * (1 - u)
        w, e, s, t = beside(v)
        v = v + dv * ((w + e) + (s + t) - 4 * v) + reaction - (feed + kill) * v
        u = next_u
    return {name: (a.min(), a.max(), math.fsum(a.ravel()) / a.size) for name, a in (("u", u), ("v", v))}


def ising(temperature=2.0):
    """Onsager's energy and Yang's magnetisation of a spin of the endless lattice."""
    k2 = 2 / temperature
    kappa = 2 * math.sinh(k2) / math.cosh(k2)**2
    a, b = 1.0, math.sqrt(1 - kappa**2)  # the complete elliptic integral by the arithmetic-geometric mean
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    first = math.pi / (2 * a)
    energy = -1 / math.tanh(k2) * (1 + 2 / math.pi * (2 * math.tanh(k2)**2 - 1) * first)
    return {"energy": energy, "magnetisation": (1 - math.sinh(k2)**-4)**0.125}


def sandpile(n=64, rain=1e-4, until=12000, seed=5, every=50):
    z = (4 * start((n, n), 1)).astype(int)
    step = 0
    rows = []  # of the series: topplings
    while True:
        high = z >= 4
        if step % every == 0:
            rows.append(high.sum())
            if step >= until and rows[-1] == 0:
                return {"mean": z.mean(), "generation": step, "topplings": sum(rows) / len(rows)}
        z = z - 4 * high + sum(x.astype(int) for x in beside(high, False))
        if step < until:
            z += uniform((n, n), seed, step) < rain
        step += 1


def wireworld(generations=200, since=51):
    text = open(os.path.join(os.path.dirname(__file__), "wireworld/constant/diodes.rle")).read().split("y = 8")[1]
    runs = re.sub(r"(\d+)([.ABC$])", lambda m: int(m[1]) * m[2], re.sub(r"\s|!", "", text))
    s = np.array([[".ABC".index(c) for c in row.ljust(28, ".")] for row in runs.split("$")])
    heads, right = [], []
    for g in range(generations + 1):
        head = np.pad(s == 1, 1)
        if g >= since:
            heads.append(int(head.sum()))
            right.append((s[:, 16:] == 1).sum(axis=1))
        near = sum(np.roll(head, (j, i), (0, 1)) for j in (-1, 0, 1) for i in (-1, 0, 1) if i or j)[1:-1, 1:-1]
        s = np.select([s == 1, s == 2, (s == 3) & ((near == 1) | (near == 2))], [2, 3, 1], s)
    upper, lower = np.sum(right, axis=0)[1], np.sum(right, axis=0)[6]
    return {"heads": np.mean(heads), "deviation": np.std(heads), "behind the diodes": (int(upper), int(lower))}


if __name__ == "__main__":
    print({"gray_scott": gray_scott, "ising": ising, "sandpile": sandpile, "wireworld": wireworld}[sys.argv[1]]())
