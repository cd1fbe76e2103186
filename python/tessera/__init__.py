# SPDX-License-Identifier: Apache-2.0
"""Tessera: local rules on very large grids, from Python.

    import tessera
    report = tessera.run("cases/percolation/random")    # a case, as `tessera run` does
    found = tessera.backbone(medium)                    # an array, no file touched

Arrays are (ny, nx) with row 0 at the bottom, or (nz, ny, nx). Under mpirun every rank makes the same calls. docs/python.md has a
script for each use.
"""
import sys as _sys

from ._automata import Automaton, automaton
from ._cases import NotConverged, Snapshot, load, read, run
from ._core import InputError, RunError, rank, ranks
from ._core import end_in_error as _end_in_error
from ._core import version as __version__
from ._distance import distance
from ._heat import Heat, heat
from ._percolation import Percolation, backbone, conductivity, drainage, label, percolation, shortest_path, thickness
from ._report import Report, Result

__all__ = [
    "Automaton",
    "Heat",
    "InputError",
    "NotConverged",
    "Percolation",
    "Report",
    "Result",
    "RunError",
    "Snapshot",
    "automaton",
    "backbone",
    "conductivity",
    "distance",
    "drainage",
    "heat",
    "label",
    "load",
    "percolation",
    "rank",
    "ranks",
    "read",
    "run",
    "shortest_path",
    "thickness",
]

_hook_before = _sys.excepthook


def _say_and_end(kind, error, trace):
    """An error that nobody catches ends all ranks: the others may wait for this one."""
    _hook_before(kind, error, trace)
    _sys.stderr.flush()
    _end_in_error()


_sys.excepthook = _say_and_end
