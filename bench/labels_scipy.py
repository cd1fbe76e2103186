#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A peer of the benchmark percolation: scipy.ndimage.label.

    labels_scipy.py FILE L ROUNDS
Prints the times for black with 4 and white with 8 neighbours, and the numbers of clusters. The labels are written to an
array that is there already.
"""
import sys
import time

import numpy
import scipy.ndimage

side, rounds = int(sys.argv[2]), int(sys.argv[3])
black = numpy.fromfile(sys.argv[1], dtype=numpy.uint8).reshape(side, side)
labels = numpy.empty((side, side), dtype=numpy.int32)
for name, mask, structure in (
    ("black4", black, None),
    ("white8", 1 - black, numpy.ones((3, 3), dtype=int)),
):
    for n in range(rounds + 1):
        start = time.process_time()
        clusters = scipy.ndimage.label(mask, structure=structure, output=labels)
        if n > 0:
            print(name, time.process_time() - start)
    print(name + "_clusters", clusters)
