# SPDX-License-Identifier: Apache-2.0
"""Heat conduction on arrays."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._core import InputError
from ._held import axes, grid_array, lengths, same_shape
from ._text import entries

_sides = ("left", "right", "bottom", "top", "back", "front")


class Heat:
    """Temperatures: `T` [K], of the shape that the body has; `min`, `max`, `mean` [K].

    `balance` [W]: `in` through each side, `produced` by sources, `stored`, and `error`, what is left of their sum. `iterations`
    of the linear solver, one number a solution. `hash` is the fingerprint of T.
    """

    def __init__(self, found: Mapping[str, Any], shape: tuple):
        self.T: np.ndarray = found["T"].reshape(shape)
        self.balance: dict = found["balance"]
        self.min: float = found["min"]
        self.max: float = found["max"]
        self.mean: float = found["mean"]
        self.iterations: list = found["iterations"]
        self.hash: str = found["hash"]

    def as_dict(self) -> dict:
        """All of it by name."""
        return dict(self.__dict__)

    def __repr__(self) -> str:
        through = ", ".join(f"{side} {heat:.6g}" for side, heat in self.balance["in"].items() if heat != 0)
        b = self.balance
        return (f"tessera.Heat\n  T {self.T.shape}: {self.min:.6g} .. {self.max:.6g} K, mean {self.mean:.6g} K\n"
                f"  in through {through or 'no side'} W\n"
                f"  produced {b['produced']:.6g} W, stored {b['stored']:.6g} W, error {b['error']:.3g} W\n"
                f"  iterations {sum(self.iterations)} in {len(self.iterations)} solutions")  # fmt: skip


def _side(name: str, value: Any) -> tuple:
    """(kind, value, weight, gradient) as the library wants a side."""
    if value is None:
        return ("closed", 0.0, 1.0, 0.0)
    if isinstance(value, Mapping):
        keys = set(value)
        if keys == {"h", "Tinf"}:
            return ("convective", float(value["Tinf"]), float(value["h"]), 0.0)
        if keys == {"flux"}:
            return ("flux", 0.0, 1.0, float(value["flux"]))
        raise InputError(f"{name} is {value!r}, expected a temperature, {{'h': , 'Tinf': }} or {{'flux': }}")
    return ("fixed", float(value), 1.0, 0.0)


def heat(
    conductivity: Any,
    source: Any = 0.0,
    *,
    size: Union[float, Sequence[float]] = 1.0,
    shape: Optional[Sequence[int]] = None,
    left: Any = None,
    right: Any = None,
    bottom: Any = None,
    top: Any = None,
    back: Any = None,
    front: Any = None,
    periodic: Any = "",
    start: Any = 0.0,
    capacity: Any = 1.0,
    step: Optional[float] = None,
    steps: int = 1,
    scheme: str = "Euler",
    solver: Optional[Mapping[str, Any]] = None,
) -> Heat:
    """Heat conduction in a box of equal cells, capacity dT/dt = div(conductivity grad T) + source: steady, or in implicit steps.

    conductivity [W/(m K)], source [W/m3], start [K] (the first T), capacity [J/(m3 K)]: a number, or an array (ny, nx) with row
                 0 at the bottom, or (nz, ny, nx)
    size         of a cell [m]: one length, or (dx, dy, dz); a plane is one cell thick, its default 1 m
    shape        of the body, needed where none of these is an array
    left, right (along x), bottom, top (y), back, front (z): a temperature [K]; {"h": W/(m2 K), "Tinf": K} of a fluid; {"flux": W/m2}
                 flowing in; None: insulated
    periodic     axes that close on themselves: "x", "xy"
    step, steps  length of a time step [s], and how many; without step: the steady state
    scheme       Euler, CrankNicolson or backward
    solver       as in fvSolution; default: {"solver": "PCG", "preconditioner": "multigrid", "tolerance": 1e-10, "relTol": 0}

    Conductivities between cells are harmonic means: exact across a jump. Under mpirun all ranks call it with the same arrays,
    share the work, and get the whole answer, the same bits. Raises InputError where nothing ties a steady body to a temperature,
    RunError where the solver does not converge.
    """
    values: dict = {"lambda": conductivity, "q": source, "T": start, "rhoC": capacity}
    body = None if shape is None else tuple(shape)
    for name, value in values.items():
        if np.ndim(value) == 0:
            values[name] = float(value)
            continue
        values[name] = grid_array(name, np.asanyarray(value, dtype=float))
        body = values[name].shape if body is None else body
        same_shape(name, values[name], body)
    if body is None or len(body) not in (2, 3):
        raise InputError(f"shape is {shape}, expected (ny, nx) or (nz, ny, nx), or one of the properties as an array")
    cells = [*body[::-1], 1][:3]
    if step is not None and not step > 0:
        raise InputError(f"step is {step!r}, expected a time above 0 s, or None for the steady state")
    if steps < 1 or (step is None and steps != 1):
        raise InputError(f"steps is {steps!r}, expected " + ("1 or more" if step is not None else "none without step"))
    closed = axes("periodic", periodic, body)
    sides = [_side(name, value) for name, value in zip(_sides, (left, right, bottom, top, back, front))]
    for n, side in enumerate(_sides):
        if closed[n // 2] and sides[n][0] != "closed":
            raise InputError(f"{side} has a condition, expected none: the axis is periodic")
    sides = [("cyclic", 0.0, 1.0, 0.0) if closed[n // 2] else side for n, side in enumerate(sides)]
    entry = {"solver": "PCG", "preconditioner": "multigrid", "tolerance": 1e-10, "relTol": 0}
    text = entries(entry if solver is None else solver)
    found = _core.heat(cells, lengths("size", size, body), closed, values, sides, step or 0.0, steps, scheme, text)
    return Heat(found, body)
