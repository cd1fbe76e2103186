#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Currents on backbones of unlike media, beside scipy's sparse direct solve of the same potentials.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/currents.py [REPEATS [large]]

critical 64^3 (p = 0.3116), the square lattice at 2048^2 (pc), a path of 4751 cells and a pore of 6 x 6 cells wound through 96^3, a random volume of 64^3 at p = 0.5; `large`: pores
of 200^3 between spheres of radius 10, porosity 0.43 (a minute; no scipy). `seconds`: what tessera.conductivity takes longer than
tessera.backbone without fields, which finds the backbone as well, medians of turns by the clock; `solve`: of them what the report has as
solveSeconds. scipy: the matrix of the backbone's sites from its mask, and splu (minimum degree on A^T + A); the faster of two."""
import json
import statistics
import sys
import time

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

import tessera

repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
large = "large" in sys.argv


def spanning(shape, p):
    for seed in range(1, 1000):
        medium = np.random.default_rng(seed).random(shape) < p
        if tessera.backbone(medium, direction="yz"[len(shape) - 2], fields=[]).spans:
            return medium
    raise SystemExit("no medium spans")


def wound(n, width):
    """One pore of width x width cells through all layers of z: along x, then to the next row in y and back; walls of one cell where it is
    one cell wide, else of two. A pore one cell wide stays in one layer, rows apart from end to end, and its ends go on along z."""
    medium = np.zeros((n, n, n), bool)
    if width == 1:
        medium[n // 2, ::2] = True
        for row in range(1, n - 1, 2):
            medium[n // 2, row, n - 1 if row % 4 == 1 else 0] = True
        medium[: n // 2, 0, 0] = True
        last = n - 2 - n % 2
        medium[n // 2 :, last, n - 1 if last % 4 == 0 else 0] = True
        return medium
    pitch = width + 2
    rows, side, row, way = n // pitch, 0, 0, 1
    for layer in range(rows):
        z = slice(layer * pitch, layer * pitch + width)
        for step in range(rows):
            medium[z, row * pitch : row * pitch + width] = True
            side ^= 1
            x = slice(n - width, n) if side else slice(0, width)
            if step + 1 < rows:
                low = min(row, row + way)
                medium[z, low * pitch : (low + 1) * pitch + width, x] = True
                row += way
            else:
                top = (layer + 1) * pitch + width if layer + 1 < rows else n
                medium[layer * pitch : top, row * pitch : row * pitch + width, x] = True
        way = -way
    return medium


def between_spheres(n, porosity, radius):
    rng = np.random.default_rng(1)
    pores = np.ones((n,) * 3, bool)
    share = 1.0
    while share > porosity:
        centre = rng.uniform(-radius, n + radius, 3)
        box = tuple(slice(max(0, int(c) - radius - 1), max(0, int(c) + radius + 2)) for c in centre)
        z, y, x = np.ogrid[box]
        part = pores[box]
        part &= ((z - centre[0]) ** 2 + (y - centre[1]) ** 2 + (x - centre[2]) ** 2 > radius**2)[: part.shape[0], : part.shape[1], : part.shape[2]]
        share = pores.mean() if rng.random() < 0.01 else share
    return pores


def assembled(backbone):
    """Of unit resistors, potential 1 below the first layer and 0 above the last: matrix, right side, sites of the first layer."""
    number = np.full(backbone.shape, -1)
    sites = int(backbone.sum())
    number[backbone] = np.arange(sites)
    pairs = []
    for axis in range(backbone.ndim):
        here = np.moveaxis(number, axis, 0)
        both = (here[:-1] >= 0) & (here[1:] >= 0)
        pairs.append(np.stack([here[:-1][both], here[1:][both]]))
    a, b = np.concatenate(pairs, axis=1)
    inlet, outlet = number[0][number[0] >= 0], number[-1][number[-1] >= 0]
    degree = np.bincount(np.concatenate([a, b, inlet, outlet]), minlength=sites).astype(float)
    ones, own = -np.ones(len(a)), np.arange(sites)
    matrix = sparse.csc_matrix((np.concatenate([degree, ones, ones]), (np.concatenate([own, a, b]), np.concatenate([own, b, a]))))
    right = np.zeros(sites)
    right[inlet] = 1
    return matrix, right, inlet


def direct(backbone):
    """Seconds and conductance of scipy's assembling and factorisation."""
    seconds = []
    for _ in range(2):
        begin = time.perf_counter()
        matrix, right, inlet = assembled(backbone)
        potential = splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}, diag_pivot_thresh=0.0).solve(right)
        seconds.append(time.perf_counter() - begin)
    return min(seconds), float((1 - potential[inlet]).sum())


media = {
    "critical 64^3": (spanning((64,) * 3, 0.3116), True),
    "square 2048^2": (spanning((2048,) * 2, 0.592746), True),
    "path through 96^3": (wound(96, 1), True),
    "wound pore 96^3": (wound(96, 6), True),
    "random 64^3, p = 0.5": (spanning((64,) * 3, 0.5), False),
}
if large:
    media["spheres 200^3"] = (between_spheres(200, 0.43, 10), False)
for name, (medium, factor) in media.items():
    way = "yz"[medium.ndim - 2]
    times = {"with": [], "without": [], "solve": []}
    for _ in range(repeats if name != "spheres 200^3" else 1):
        begin = time.perf_counter()
        tessera.percolation(medium, direction=way, shortestPath=False, fields=[])
        middle = time.perf_counter()
        found = tessera.percolation(medium, direction=way, shortestPath=False, fields=[], conductivity=True, electrodes="sites")
        times["without"].append(middle - begin)
        times["with"].append(time.perf_counter() - middle)
        times["solve"].append(found.report["solvers"]["potential"]["solveSeconds"])
    potential = found.report["solvers"]["potential"]
    result = {
        "medium": name,
        "sites": found.backboneSites,
        "solver": potential["solver"],
        "iterations": potential["iterations"][0],
        "seconds": round(statistics.median(times["with"]) - statistics.median(times["without"]), 5),
        "solve": round(statistics.median(times["solve"]), 5),
    }
    if factor:
        masks = tessera.backbone(medium, direction=way)
        seconds, conductance = direct(np.asarray(masks.fields["backbone"]) > 0)
        result.update(scipy=round(seconds, 4), times_scipy=round(seconds / result["seconds"], 1), difference=abs(found.conductance / conductance - 1))
    print(json.dumps(result), flush=True)
