# SPDX-License-Identifier: Apache-2.0
"""Porosity, spanning pores and conductivity along z of each box, without the program: percolation/reference.py.  python3 reference.py"""
import pathlib
import sys

import numpy as np

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
from reference import explore  # noqa: E402

for name in "abc":
    pores = np.fromfile(here / "constant/volumes" / f"{name}.raw", np.uint8).reshape(24, 24, 24) < 128
    for edge in 12, 16, 20, 24:
        rows = []
        for corner in range(8):
            i, j, k = ((24 - edge) * (corner >> bit & 1) for bit in range(3))
            box = pores[k:k + edge, j:j + edge, i:i + edge]
            found = explore(box, "cubic6", 0, 2)
            rows.append((box.mean(), found.get("conductance", 0) / edge, found["spanningSites"]))
        mean, deviation = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
        print(f"volume {name}, edge {edge}: porosity {mean[0]:.7f} ({deviation[0]:.7f}), conductivity {mean[1]:.7f} "
              f"({deviation[1]:.7f}), spanning pores {mean[2]:.3f}")
