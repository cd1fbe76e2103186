# SPDX-License-Identifier: Apache-2.0
"""Cellular automata on arrays."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np

from ._core import InputError
from ._held import axes, grid_array, run
from ._report import Result
from ._text import Words


class Automaton(Result):
    """The `state` that an automaton came to, an array of the start's shape, or one for each field of its rule; `generation`,
    `population` (cells that are not 0), and `period` where one was asked for and found."""

    @property
    def counts(self) -> dict:
        """How many cells are in each state, of a rule with one field."""
        if len(self.fields) != 1:
            raise InputError(f"counts is of rules with one field, not of {', '.join(self.fields)}")
        states, cells = np.unique(next(iter(self.fields.values())), return_counts=True)
        return dict(zip(states.tolist(), cells.tolist()))


def automaton(
    rule: Union[str, Mapping[str, Any]],
    state: Any,
    generations: Optional[int] = None,
    *,
    periodic: Any = "",
    boundary: Optional[Mapping[str, str]] = None,
    stop: Optional[Mapping[str, Any]] = None,
    tile: Optional[Sequence[int]] = None,
    **parameters: Any,
) -> Automaton:
    """Runs an automaton in memory: no file is read or written.

    rule        a name of `tessera list rules`, a rulestring such as "B3/S23", "W30", "345/2/4", or formulas as they stand in a case:
                {"states": 2, "expression": "count(state) == 3 || (state && count(state) == 2)"}
    state       the start: integers or bool (floats for rules of real numbers), (ny, nx) with row 0 at the bottom, or (nz, ny, nx);
                of a rule of several fields {"u": array, "v": array}, all of one shape: fields that are left out begin with 0
    generations how many to run
    periodic    axes that close on themselves: "x", "xy", True for all
    boundary    of sides that are not periodic: {"left": "fixed 1", "top": "reflecting"}; default: fixed 0, or the rule's own bounds
    stop        {"stable": True} or {"period": 60}: ends there; with generations: at most so many
    parameters  of the rule, as in constant/automatonProperties: `tessera help RULE`

    Under mpirun all ranks call it with the same state, share the work, and get the whole answer; the bits are the same.
    Ctrl-C ends it after the generation under way.
    """
    if "initial" in parameters:
        raise InputError("initial is given, but the start is `state`; expected one of the two")
    fields = {name: grid_array(name, array) for name, array in (state if isinstance(state, Mapping) else {"state": state}).items()}
    if len({array.shape for array in fields.values()}) != 1:
        raise InputError(f"state has the shapes {[array.shape for array in fields.values()]}, expected one shape")
    starts = {name: {"type": "pattern", "file": name, "position": [0, 0, 0]} for name in fields}
    start = next(iter(fields.values()))
    closed = axes("periodic", periodic, start.shape)
    sides = {"x": ("left", "right"), "y": ("bottom", "top"), "z": ("back", "front")}
    given = dict(boundary or {})
    for axis, close in zip("xyz", closed):
        for side in sides[axis] if close else ():
            if given.setdefault(side, "periodic") != "periodic":
                raise InputError(f"boundary has {side} {given[side]!r}, but periodic={periodic!r} closes {axis}; expected one of the two")
    stops = {key: Words("") if value is True else value for key, value in (stop or {}).items() if value is not False}
    if generations is not None:
        if "generations" in stops:
            raise InputError(f"stop has 'generations' beside generations={generations!r}, expected one of the two")
        stops["generations"] = generations
    nz, ny, nx = start.shape if start.ndim == 3 else (1, *start.shape)
    properties = {
        "rule": rule,
        "initial": starts if isinstance(state, Mapping) else starts["state"],
        "boundary": {side: Words(value) for side, value in given.items()} or None,
        "stop": stops,
        **parameters,
    }
    dictionaries = {
        "system/controlDict": {"application": "cellularAutomaton"},
        "system/gridDict": {"cells": [nx, ny, nz], "tile": tile},
        "constant/automatonProperties": properties,
    }
    return run("automaton", dictionaries, fields, start.shape, Automaton)
