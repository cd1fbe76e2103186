# SPDX-License-Identifier: Apache-2.0
"""Each sample's threshold without the program: sites become occupied one by one in the order of their random numbers, and bisection
over that order finds the site that first joins bottom and top (scipy.ndimage.label). Needs numpy and scipy:  python3 reference.py"""
import sys
import pathlib

import numpy as np
from scipy.ndimage import label

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from reference import draw  # noqa: E402


def spans(mask):
    labels = label(mask)[0]
    return bool(set(labels[0][labels[0] > 0]) & set(labels[-1]))


for L in (16, 32, 64, 128):
    thresholds = []
    for seed in range(1, 201):
        u = draw((L, L), seed)
        order = np.sort(u.ravel())
        low, high = 0, L * L
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if spans(u <= order[middle - 1]) else (middle, high)
        thresholds.append(order[high - 1])
    t = np.array(thresholds)
    print(f"L {L}: mean {t.mean():.7f}, standard error {t.std(ddof=1) / len(t)**0.5:.7f}, deviation {t.std(ddof=1):.7f}")
