# SPDX-License-Identifier: Apache-2.0
"""Each sample's threshold without the program: sites become occupied one by one in the order of their random numbers, and bisection
over that order finds the site that first joins bottom and top (scipy.ndimage.label); the conductance of the backbone there, by scipy's
sparse solver. Needs numpy, scipy and networkx:  python3 reference.py"""
import sys
import pathlib

import numpy as np
from scipy.ndimage import label

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from reference import draw, explore, threshold  # noqa: E402


def spans(mask):
    labels = label(mask)[0]
    return bool(set(labels[0][labels[0] > 0]) & set(labels[-1]))


def mean(x):
    return f"mean {x.mean():.7f}, standard error {x.std(ddof=1) / len(x)**0.5:.7f}, deviation {x.std(ddof=1):.7f}"


for L in (16, 32, 64, 128):
    media = [draw((L, L), seed) for seed in range(1, 201)]
    t = np.array([threshold(u, spans) for u in media])
    print(f"L {L}: {mean(t)}", flush=True)
    if L <= 64:
        g = np.array([explore((u <= at)[None], "square4", 1, bond=1)["conductance"] for u, at in zip(media, t)])
        print(f"L {L}, conductance: {mean(g)}", flush=True)
