# SPDX-License-Identifier: Apache-2.0
"""Each sample's threshold without the program: sites become occupied one by one in the order of their random numbers, and bisection
over that order finds the site that first joins bottom and top (scipy.ndimage.label). Needs numpy and scipy:  python3 reference.py"""
import sys
import pathlib

import numpy as np
from scipy.ndimage import label

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from reference import draw, threshold  # noqa: E402


def spans(mask):
    labels = label(mask)[0]
    return bool(set(labels[0][labels[0] > 0]) & set(labels[-1]))


for L in (16, 32, 64, 128):
    t = np.array([threshold(draw((L, L), seed), spans) for seed in range(1, 201)])
    print(f"L {L}: mean {t.mean():.7f}, standard error {t.std(ddof=1) / len(t)**0.5:.7f}, deviation {t.std(ddof=1):.7f}")
