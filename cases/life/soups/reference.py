# SPDX-License-Identifier: Apache-2.0
"""The soups without the program: cells drawn as percolation/reference.py draws sites, Life by numpy.roll on a torus, all samples of
a density side by side, and for each the first generation whose state was there before.  python3 reference.py   (needs numpy)"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "percolation"))
from reference import draw  # noqa: E402

L, PERIOD = 64, 256
for density in (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9):
    soups = np.array([draw((L, L), seed) < density for seed in range(1, 101)]).astype(np.uint8)
    left = np.arange(100)
    seen = [{soup.tobytes(): 0} for soup in soups]
    found = {}
    generation = 0
    while len(left):
        generation += 1
        rows = np.roll(soups, 1, 1) + soups + np.roll(soups, -1, 1)
        sums = np.roll(rows, 1, 2) + rows + np.roll(rows, -1, 2)
        soups = ((sums == 3) | ((sums == 4) & (soups == 1))).astype(np.uint8)
        keep = np.ones(len(left), bool)
        for n, soup in enumerate(soups):
            before = seen[n].get(soup.tobytes(), -PERIOD - 1)
            if generation - before <= PERIOD:
                found[left[n]] = generation, int(soup.sum()), generation - before
                keep[n] = False
            seen[n][soup.tobytes()] = generation
        left, soups, seen = left[keep], soups[keep], [s for s, k in zip(seen, keep) if k]
    table = np.array([found[n] for n in range(100)], float)
    print(f"density {density}: " + ", ".join(f"{name} {m:.6f} +- {e:.6f}" for name, m, e in zip(
        ("generation", "population", "period"), table.mean(0), table.std(0, ddof=1) / 10)))
