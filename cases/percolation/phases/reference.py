# SPDX-License-Identifier: Apache-2.0
"""The medium of this case, and its conductivity without the program: finite volumes with a sparse direct solver. Needs numpy and
scipy:  python3 reference.py [make]  (make writes constant/medium.npy anew)"""
import pathlib
import sys

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

here = pathlib.Path(__file__).resolve().parent
SIGMA = {1: 1.0, 2: 10.0, 3: 0.05}
N, SQUARE = 64, 16


def medium():
    """Squares of 16 cells of phases 1 and 2, the sides of the picture through the middle of squares; a layer of phase 3 on top."""
    i = np.arange(N)
    board = 1 + ((i[:, None] + SQUARE // 2) // SQUARE + (i[None, :] + SQUARE // 2) // SQUARE) % 2
    return np.vstack([board, np.full((8, N), 3)])


def conductivity(s, axis):
    """Between the sides of an axis, half a cell from the electrodes."""
    number = np.arange(s.size).reshape(s.shape)
    rows, columns, values, right = [], [], [], np.zeros(s.size)
    for a in (0, 1):
        low, high = np.moveaxis(number, a, 0)[:-1].ravel(), np.moveaxis(number, a, 0)[1:].ravel()
        g = 2 / (1 / s.ravel()[low] + 1 / s.ravel()[high])
        for p, q, v in ((low, low, g), (high, high, g), (low, high, -g), (high, low, -g)):
            rows.append(p), columns.append(q), values.append(v)
    first, last = np.moveaxis(number, axis, 0)[0], np.moveaxis(number, axis, 0)[-1]
    for end in (first, last):
        rows.append(end), columns.append(end), values.append(2 * s.ravel()[end])
    right[first] = 2 * s.ravel()[first]
    a = coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))).tocsr()
    u = spsolve(a, right)
    current = (2 * s.ravel()[last] * u[last]).sum()
    return current * s.shape[axis] / s.shape[1 - axis]


m = medium()
if sys.argv[1:] == ["make"]:
    np.save(here / "constant/medium.npy", m.astype(np.uint8))
s = np.vectorize(SIGMA.get)(m)
print(f"x {conductivity(s, 1):.9g}, y {conductivity(s, 0):.9g}")
board = s[:N]
print(f"board alone: x {conductivity(board, 1):.9g}, y {conductivity(board, 0):.9g}, Dykhne {10**0.5:.9g}")
four = np.where(m[:N] == 1, 1.0, 4.0)
print(f"1 and 4: {conductivity(four, 0):.6g}")
share = {p: (m == p).mean() for p in SIGMA}
mean = sum(share[p] * v for p, v in SIGMA.items())
print(f"Wiener {1 / sum(share[p] / v for p, v in SIGMA.items()):.9g} {mean:.9g}")
for s0 in (0.05, 10.0):
    print(f"Hashin-Shtrikman {1 / sum(share[p] / (v + s0) for p, v in SIGMA.items()) - s0:.9g}")
