# SPDX-License-Identifier: Apache-2.0
"""Distances in masks."""
from __future__ import annotations

from typing import Any, Sequence, Union

import numpy as np

from . import _core
from ._held import axes, lengths, mask_array


def distance(mask: Any, size: Union[float, Sequence[float]] = 1.0, *, periodic: Any = "") -> np.ndarray:
    """Euclidean distance from the centre of each cell of a mask to that of the nearest cell that is not in it.

    mask      bool or integers, (ny, nx) or (nz, ny, nx): the cells that are not 0
    size      of a cell: one length, or (dx, dy, dz); the distances are in its unit
    periodic  axes that close on themselves: "x", "xy", True for all

    An array of float64 of the mask's shape: 0 off the mask, infinity where there is nothing but the mask. Exact, not an approximation.
    Under mpirun all ranks call it with the same mask, share the work, and get the whole answer, the same bits.
    """
    given = mask_array("mask", mask)
    found = _core.distance(given, lengths("size", size, given.shape), axes("periodic", periodic, given.shape))
    return found.reshape(given.shape)
