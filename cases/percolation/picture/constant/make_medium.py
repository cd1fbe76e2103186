#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes medium.png: the pores between the stones of a gravel bed, black, and the stones, white.

    make_medium.py GRAVEL.PNG medium.png

GRAVEL.PNG is skimage/data/gravel.png of scikit-image (Debian package python3-skimage), 512 x 512 pixels, 8 bits grey.
Needs python3-numpy, python3-scipy and python3-pil. The result is part of the case: this script only documents it.
"""
import sys

import numpy
from PIL import Image
from scipy import ndimage

SOURCE, RESULT = sys.argv[1:]
grey = numpy.asarray(Image.open(SOURCE).convert("L")).astype(float)
# The camera's noise and the texture of a stone's face are finer than a gap: smooth with a Gaussian of one pixel.
smooth = ndimage.gaussian_filter(grey, sigma=1.0)
# Gaps lie in the shade, darker than their surroundings by a margin: compare with the mean over 25 x 25 pixels, about one stone.
# The margin, 4 of 255 levels, is the largest whole one for which the pores still percolate.
around = ndimage.uniform_filter(smooth, size=25)
pore = smooth <= around - 4
Image.fromarray(~pore).convert("1", dither=Image.Dither.NONE).save(RESULT, optimize=True)
