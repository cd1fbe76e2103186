# SPDX-License-Identifier: Apache-2.0
"""Each sample's threshold without the program: sites become occupied one by one in the order of their random numbers, and bisection
over that order finds the site with which a cluster first wraps round y. A cluster that wraps joins a site to its own image in a torus
that is two or three times as long (a winding number is no multiple of both): components of that graph by scipy.sparse.csgraph.
    python3 reference.py [thresholds.csv]       needs numpy and scipy; of the program's table: its threshold from each size"""
import csv
import pathlib
import sys

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from reference import draw, threshold  # noqa: E402

STEPS = [(0, 1), (1, 0), (1, 1), (-1, 1), (0, 2), (2, 0)]  # (y, x)
AT_THRESHOLD = 0.521058  # share of tori that wrap round one axis at p_c


def joins_images(mask, times):
    size = mask.shape[0]
    tall = np.tile(mask, (times, 1))
    number = np.arange(tall.size).reshape(tall.shape)
    pairs = []
    for dy, dx in STEPS:
        other = np.roll(number, (-dy, -dx), (0, 1))
        both = tall & tall.ravel()[other]
        pairs.append(np.stack([number[both], other[both]]))
    i, j = np.concatenate(pairs, 1)
    label = connected_components(coo_matrix((np.ones(len(i), np.int8), (i, j)), (tall.size, tall.size)), directed=False)[1]
    label = label.reshape(tall.shape)
    return bool((label[:size][mask] == label[size:2 * size][mask]).any())


def wraps(mask):
    return joins_images(mask, 2) or joins_images(mask, 3)


def quantile(thresholds, share):
    """The value below which that share of them lies, and its standard error from halves of the order statistics beside it."""
    t = np.sort(thresholds)
    ranks = (np.arange(len(t)) + 0.5) / len(t)
    width = np.sqrt(share * (1 - share) / len(t))
    low, middle, high = np.interp([share - width, share, share + width], ranks, t)
    return middle, (high - low) / 2


def tell(size, thresholds):
    t = np.array(thresholds)
    middle, error = quantile(t, AT_THRESHOLD)
    print(f"L {size}: mean {t.mean():.7f}, standard error {t.std(ddof=1) / len(t)**0.5:.7f}, deviation {t.std(ddof=1):.7f}, "
          f"p_c {middle:.5f} +- {error:.5f}")


if len(sys.argv) > 1:
    rows = list(csv.DictReader(open(sys.argv[1])))
    for size in sorted({int(row["L"]) for row in rows}):
        tell(size, [float(row["threshold"]) for row in rows if int(row["L"]) == size])
    sys.exit()
for size in (32, 64, 128):
    tell(size, [threshold(draw((size, size), seed), wraps) for seed in range(1, 201)])
