# SPDX-License-Identifier: Apache-2.0
"""A grey volume of a made-up sandstone, 40 x 40 x 40 voxels of one byte, x fastest: smooth Gaussian noise, ranked so that
35 % of the voxels are darker than half of 255 (the pores). Needs numpy and scipy:  python3 make_sample.py sample.raw"""
import sys
import numpy as np
from scipy.ndimage import gaussian_filter

noise = np.random.Generator(np.random.PCG64(2026)).standard_normal((40, 40, 40))
smooth = gaussian_filter(noise, (1.5, 1.5, 2.0), mode="wrap")
rank = smooth.ravel().argsort().argsort().reshape(smooth.shape) / smooth.size
grey = np.where(rank < 0.35, rank / 0.35 * 0.5, 0.5 + (rank - 0.35) / 0.65 * 0.5)
np.clip(np.floor(grey * 255), 0, 255).astype(np.uint8).tofile(sys.argv[1])
