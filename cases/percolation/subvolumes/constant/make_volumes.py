# SPDX-License-Identifier: Apache-2.0
"""Writes volumes/a.raw, b.raw, c.raw: 24 x 24 x 24 voxels of noise, smoothed by 1, 1.5 and 2 voxels, pores (below 128) two voxels of
five on the average. Needs numpy and scipy."""
import pathlib

import numpy as np
from scipy.ndimage import gaussian_filter

for name, width in ("a", 1.0), ("b", 1.5), ("c", 2.0):
    noise = gaussian_filter(np.random.default_rng(7).standard_normal((24, 24, 24)), width, mode="wrap")
    grey = np.clip(128 + 60 * (noise - np.quantile(noise, 0.4)) / noise.std(), 0, 255).astype(np.uint8)
    grey.tofile(pathlib.Path(__file__).parent / "volumes" / f"{name}.raw")
