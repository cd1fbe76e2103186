# SPDX-License-Identifier: Apache-2.0
from typing import Any

import numpy as np

class InputError(ValueError):
    """Wrong input; the text has file and line where there are such."""

class RunError(RuntimeError):
    """Failed while running, although the input is right."""

version: str

def rank() -> int:
    """Number of this process among those of mpirun; 0 without it."""

def ranks() -> int:
    """Processes that mpirun started; 1 without it."""

def end_in_error() -> None: ...
def run_case(directory: str, settings: list[str], report: str, output: str, quiet: bool, allow_code: bool) -> dict[str, Any]: ...
def run_held(name: str, texts: dict[str, str], arrays: dict[str, np.ndarray]) -> dict[str, Any]: ...
def hash_of(array: np.ndarray) -> str: ...
def read_rows(path: str) -> np.ndarray: ...
def read_snapshot(file: str) -> dict[str, Any]: ...
def snapshots_in(folder: str) -> dict[int, str]: ...
def distance(mask: np.ndarray, lengths: list[float], periodic: tuple[bool, ...]) -> np.ndarray: ...
def heat(
    cells: list[int],
    lengths: list[float],
    periodic: tuple[bool, ...],
    values: dict[str, Any],
    sides: list[tuple[str, float, float, float]],
    dt: float,
    steps: int,
    scheme: str,
    solver: str,
) -> dict[str, Any]: ...
