# SPDX-License-Identifier: Apache-2.0
"""Runs of cases that stand in memory alone."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Type

import numpy as np

from . import _core
from ._core import InputError
from ._report import Report, Result
from ._text import entries

_types = {"b1", "u1", "i1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"}


def grid_array(name: str, values: Any) -> np.ndarray:
    """An array (ny, nx) or (nz, ny, nx) without gaps, of a type that the library reads; a copy only where it must be."""
    if np.ma.is_masked(values):
        raise InputError(f"{name} is a masked array, whose mask would be lost; expected one without: array.filled(VALUE)")
    array = np.asarray(values)
    if array.ndim not in (2, 3) or array.size == 0:
        raise InputError(f"{name} has the shape {array.shape}, expected (ny, nx) or (nz, ny, nx)")
    if array.dtype.str[1:] not in _types:
        raise InputError(f"{name} is of {array.dtype}, expected bool, an integer of at most 64 bits, or a float of 32 or 64")
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))


def mask_array(name: str, values: Any) -> np.ndarray:
    """The same, 1 where a value is not 0."""
    array = grid_array(name, values)
    if array.dtype.kind == "f":
        raise InputError(f"{name} is of {array.dtype}, expected bool or integers; for a grey image write image < limit")
    if array.dtype.kind == "b" or array.dtype == np.uint8:
        return array.view(np.uint8)
    return (array != 0).view(np.uint8)


def same_shape(name: str, values: np.ndarray, shape: tuple) -> np.ndarray:
    """The array, if it has the shape that is wanted."""
    if values.shape != shape:
        raise InputError(f"{name} has the shape {values.shape}, expected {shape}")
    return values


def axes(name: str, value: Any, shape: tuple) -> tuple:
    """Of "xy", True or "": whether x, y, z are named. True names all axes of several cells."""
    if value is True:
        value = "".join(axis for axis, cells in zip("xyz", shape[::-1]) if cells > 1)
    value = value or ""
    if not isinstance(value, str) or any(c not in "xyz" for c in value):
        raise InputError(f"{name} is {value!r}, expected axes such as 'x', 'xy', or True for all")
    return tuple(axis in value for axis in "xyz")


def lengths(name: str, value: Any, shape: tuple) -> list:
    """Lengths of a cell along x, y, z: of one number, of three, or of two in the plane, whose cells are 1 thick otherwise, too."""
    if np.ndim(value) == 0:
        result = [float(value), float(value), float(value) if len(shape) == 3 else 1.0]
    else:
        result = [float(length) for length in value]
    if len(result) == 2 and len(shape) == 2:
        result.append(1.0)
    if len(result) != 3 or not all(0 < length < float("inf") for length in result):
        raise InputError(f"{name} is {value!r}, expected one length above 0, or (dx, dy, dz)")
    return result


def run(
    name: str,
    dictionaries: Mapping[str, Mapping[str, Any]],
    arrays: Mapping[str, np.ndarray],
    shape: tuple,
    result: Type[Result] = Result,
    accept: Optional[int] = None,
) -> Result:
    """Runs a case of these dictionaries by file. Its fields get the shape; `accept`: a further exit code that is no error."""
    texts = {file: entries(values) for file, values in dictionaries.items()}
    done = _core.run_held(f"<{name}>", texts, dict(arrays))
    if done["code"] not in (0, accept):
        raise _core.RunError(f"{name}: {done['failure'] or 'did not converge'}")
    fields = {key: array.reshape(shape) for key, array in done["fields"].items()}
    return result(Report(done["report"]), fields, done["log"])
