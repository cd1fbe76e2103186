#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pores between overlapping spheres: tessera.thickness and tessera.drainage beside the same with scipy's distance transform and labels.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/pores.py [EDGE [REPEATS]]

scipy goes size by size, as PoreSpy does by default, through 25 sizes of equal ratios; Tessera has all sizes there are. One thread each; the two
take turns."""
import statistics
import sys
import time

import numpy as np
from scipy import ndimage

import tessera

edge = int(sys.argv[1]) if len(sys.argv) > 1 else 150
repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
rng = np.random.default_rng(1)
radius = 8
pores = np.ones((edge,) * 3, bool)
count = int(0.84 / (4.19 * radius**3) * (edge + 2 * radius) ** 3)
for centre in rng.uniform(-radius, edge + radius, (count, 3)):
    box = tuple(slice(max(0, int(c) - radius - 1), max(0, int(c) + radius + 2)) for c in centre)
    z, y, x = np.ogrid[box]
    pores[box] &= ((z - centre[0]) ** 2 + (y - centre[1]) ** 2 + (x - centre[2]) ** 2 > radius**2)[: pores[box].shape[0], : pores[box].shape[1], : pores[box].shape[2]]


def by_sizes(joined):
    distance = ndimage.distance_transform_edt(pores)
    result = np.zeros(pores.shape)
    for size in np.geomspace(distance.max(), 1, 25):
        centres = distance >= size
        if joined:
            labels = ndimage.label(centres)[0]
            ends = np.unique(labels[0])
            centres = np.isin(labels, ends[ends > 0])
        if centres.any():
            near = ndimage.distance_transform_edt(~centres) < size
            result[near & (result == 0)] = size
    return result


jobs = {
    "thickness": (lambda: tessera.thickness(pores).thickness, lambda: by_sizes(False)),
    "drainage": (lambda: tessera.drainage(pores, "z").drainage, lambda: by_sizes(True)),
}
tessera.ranks()
print(f"{edge}^3, porosity {pores.mean():.3f}")
for job, pair in jobs.items():
    seconds = ([], [])
    for _ in range(repeats):
        for which, function in enumerate(pair):
            begin = time.perf_counter()
            found = function()
            seconds[which].append(time.perf_counter() - begin)
    ours, theirs = (statistics.median(s) for s in seconds)
    print(f"{job:<12} {ours:7.2f} s, scipy {theirs:7.2f} s: {theirs / ours:.1f} times")
