# SPDX-License-Identifier: Apache-2.0
"""What the cases of automata should find, computed without the program: needs numpy.

    python3 cases/automata/reference.py avalanches | brians_brain | forest_fire | gray_scott | ising | langtons_loop | sandpile | wireworld
    python3 cases/automata/reference.py exponents cases/automata/avalanches/postProcessing/series.csv

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


def avalanches(n=32, generations=12000, since=2000, seed=7):
    """Means over avalanches, and Dhar's exact mean size: that of the sums over rows of the inverse of the toppling matrix."""
    def common(step, k):
        last = (1 << 31) + (k // 4 << 16)
        c = philox([np.array([x]) for x in (0xffffffff, 0xffffffff, step, last)], seed)
        return int(float(c[k % 4][0]) * 2.0**-32 * n)

    z = (4 * start((n, n), 2)).astype(int)
    sizes, areas = [0], [0]
    for step in range(generations):
        z[common(step, 1), common(step, 0)] += 1
        toppled = np.zeros((n, n), int)
        while (high := z >= 4).any():
            toppled += high
            z = z - 4 * high + sum(x.astype(int) for x in beside(high, False))
        sizes.append(toppled.sum())
        areas.append((toppled > 0).sum())
    line = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    matrix = np.kron(line, np.eye(n)) + np.kron(np.eye(n), line)
    exact = np.linalg.solve(matrix, np.ones(n * n)).mean()
    return {"size": np.mean(sizes[since:]), "deviation": np.std(sizes[since:]), "area": np.mean(areas[since:]),
            "mean": z.mean(), "size by Dhar": exact}


def exponents(series):
    """Those of avalanche sizes and areas, P(s) ~ s^-exponent, between 8 and 1024, from the rows of a series.csv."""
    table = np.genfromtxt(series, delimiter=",", names=True)
    found = {}
    for name in ("size", "area"):
        values = table[name][len(table) // 10:]  # once the pile has tuned itself
        edges = 2.0**np.arange(3, 11)
        density = np.histogram(values, edges)[0] / np.diff(edges)
        found[name] = -np.polyfit(np.log(edges[:-1] * 2**0.5), np.log(density), 1)[0]
    return found


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


def brians_brain(n=256, generations=1000, since=501, seed=4):
    s = (3 * start((n, n), seed)).astype(int)
    firing = []
    for g in range(generations + 1):
        fires = s == 1
        if g >= since:
            firing.append(int(fires.sum()))
        near = sum(np.roll(fires, (j, i), (0, 1)) for j in (-1, 0, 1) for i in (-1, 0, 1) if i or j)
        last = s
        s = np.select([s == 1, s == 2, near == 2], [2, 0, 1], 0)
    counts = np.bincount(last.flat, minlength=3)
    return {"firing": np.mean(firing), "deviation": np.std(firing), "states": counts.tolist(), "hash": hash_of(np.flipud(last))}


def forest_fire(n=256, growth=0.02, lightning=1e-5, generations=4000, since=1001, seed=3):
    s = (2 * start((n, n), 1)).astype(int)
    rows = []
    for step in range(generations + 1):
        if step >= since:
            rows.append(np.bincount(s.flat, minlength=3))
        draw = uniform((n, n), seed, step)
        near = np.logical_or.reduce(beside(s == 2))
        s = np.select([s == 2, s == 0], [0, draw < growth], np.where(near | (draw < lightning), 2, 1))
    empty, trees, fires = np.mean(rows, axis=0)
    return {"states": rows[-1].tolist(), "means": (empty, trees, fires), "density": trees / n**2, "growth": growth * empty,
            "trees a lightning": fires / (lightning * trees)}


def hash_of(states):
    """The report's hash of a field of whole numbers, as core/grid/field.hpp says; rows of the array run downwards."""
    def mix(x):
        x = (x ^ (x >> u64(30))) * u64(0xbf58476d1ce4e5b9)
        x = (x ^ (x >> u64(27))) * u64(0x94d049bb133111eb)
        return x ^ (x >> u64(31))

    values = np.flipud(states).astype(u64).ravel()
    return f"{int(mix(mix(np.arange(values.size, dtype=u64) + u64(0x9e3779b97f4a7c15)) ^ values).sum(dtype=u64)):016x}"


def langtons_loop(generations=151, margin=16):
    """Cells that live, in each state, and where the first loop lies once more as it was at the start, turned or not: (turns, y, x)."""
    folder = os.path.join(os.path.dirname(__file__), "langtons_loop/constant/")
    table = {}
    for line in re.findall(r"^[0-7]{6}$", open(folder + "LangtonsLoop.rule").read(), re.M):
        centre, near, become = line[0], line[1:5], int(line[5])
        for turn in range(4):
            table.setdefault(centre + near[turn:] + near[:turn], become)
    text = open(folder + "loop.rle").read().split("LangtonsLoop\n")[1]
    runs = re.sub(r"(\d+)([.A-G$])", lambda m: int(m[1]) * m[2], re.sub(r"\s|!", "", text))
    loop = np.array([[".ABCDEFG".index(c) for c in row.ljust(15, ".")] for row in runs.split("$")])
    s = np.pad(loop, margin)
    for _ in range(generations):
        left, right, above, below = beside(s, 0)
        keys = zip(s.flat, above.flat, right.flat, below.flat, left.flat)
        s = np.array([table.get("".join(map(str, k)), k[0]) for k in keys]).reshape(s.shape)
    found = []
    for turns in range(4):
        old = np.rot90(loop, turns)
        for y in range(s.shape[0] - old.shape[0] + 1):
            for x in range(s.shape[1] - old.shape[1] + 1):
                if (s[y:y + old.shape[0], x:x + old.shape[1]] == old).all():
                    found.append((turns, y - margin, x - margin))
    return {"hash": hash_of(s), "population": int((s > 0).sum()), "states": np.bincount(s.flat, minlength=8).tolist(), "loops": found}


if __name__ == "__main__":
    if sys.argv[1] == "exponents":
        print(exponents(sys.argv[2]))
    else:
        print({"avalanches": avalanches, "brians_brain": brians_brain, "forest_fire": forest_fire, "gray_scott": gray_scott, "ising": ising,
               "langtons_loop": langtons_loop, "sandpile": sandpile, "wireworld": wireworld}[sys.argv[1]]())
