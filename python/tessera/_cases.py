# SPDX-License-Identifier: Apache-2.0
"""Cases in folders, and their results."""
from __future__ import annotations

import os
from typing import Any, Mapping, Optional, Union

import numpy as np

from . import _core
from ._report import Report
from ._text import setting

Path = Union[str, "os.PathLike[str]"]


class NotConverged(_core.RunError):
    """A case that demands convergence did not get it. Its results are written; `report` is their report."""

    def __init__(self, message: str, report: Report):
        super().__init__(message)
        self.report = report

    def __reduce__(self) -> tuple:
        return type(self), (str(self), self.report)


def run(
    case: Path,
    set: Optional[Mapping[str, Any]] = None,
    *,
    output: Optional[Path] = None,
    report: Optional[Path] = None,
    allow_code: bool = False,
    quiet: bool = True,
) -> Report:
    """Runs a case, as `tessera run CASE` does, and returns its report.

    case        folder of the case
    set         values laid over those of its files: {"constant/percolationProperties:input.seed": 3}; a text is taken as it
                would stand in the file, numbers, booleans, lists and dictionaries are written as they stand there
    output      folder for results and report (default: the case)
    report      where the report goes (default: postProcessing/report.json there)
    allow_code  libraries and scripts of the case may run
    quiet       print errors only

    Raises InputError (file and line in its text) for wrong input, RunError for what fails on the way, NotConverged where
    the case demands convergence. Ctrl-C ends a run in steps after the step under way, its state written, and a second
    one ends the process. Under mpirun all ranks call it and get the report.
    """
    settings = [f"{entry}={setting(value, entry)}" for entry, value in (set or {}).items()]
    done = _core.run_case(os.fspath(case), settings, os.fspath(report or ""), os.fspath(output or ""), quiet, allow_code)
    found = Report(done["report"])
    if done["code"] != 0:
        raise NotConverged(f"{os.fspath(case)}: did not converge, as the case demands", found)
    return found


class Snapshot:
    """Fields of a results file, read when they are asked for.

    `snapshot["T"]` or `snapshot.T` is an array (nz, ny, nx), or (ny, nx) where there is one layer; row 0 is at the bottom.
    x, y, z are the coordinates of cell centres [m], `step` and `time` [s] say when. A copy, or what is pickled, has the fields
    that have been read, and reads others from the same file.
    """

    def __init__(self, file: str):
        info = _core.read_snapshot(file)
        self.file = file
        self.step: int = info["step"]
        self.time: float = info["time"]
        self.cells = tuple(info["cells"])  #: nx, ny, nz
        self.names = tuple(info["fields"])  #: of the fields
        self.dictionaries: dict = info["provenance"]  #: texts of the case that it comes from, by file
        self._fields: dict = {}
        faces = []
        for axis, cells in enumerate(self.cells):
            given = np.asarray(info["faces"][axis])
            faces.append(given if len(given) == cells + 1 else np.linspace(given[0], given[-1], cells + 1))
        self.faces = tuple(faces)  #: coordinates of the faces along x, y, z [m]
        self.x, self.y, self.z = ((f[1:] + f[:-1]) / 2 for f in faces)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise KeyError(f"{self.file} has no field '{name}', expected one of {', '.join(self.names)}")
        if name not in self._fields:
            array = _core.read_rows(f"{self.file}:/fields/{name}")
            self._fields[name] = array[0] if len(array) == 1 else array
        return self._fields[name]

    def __getattr__(self, name: str) -> np.ndarray:
        if name in ("file", "names"):  # pickle and copy ask before these are there
            raise AttributeError(name)
        if not name.startswith("_") and name in self.names:
            return self[name]
        raise AttributeError(f"{self.file} has no field '{name}'")

    def keys(self) -> tuple:
        """Names of the fields."""
        return self.names

    def __dir__(self) -> list:
        return [*super().__dir__(), *self.names]

    def __repr__(self) -> str:
        ends = ", ".join(f"{axis} {f[0]:.6g} .. {f[-1]:.6g}" for axis, f in zip("xyz", self.faces))
        cells = " x ".join(str(n) for n in self.cells)
        return (f"Snapshot {self.file}: step {self.step}, time {self.time:.6g} s, {cells} cells, {ends} m\n"
                f"  fields {' '.join(self.names)}")  # fmt: skip


def read(path: Path, step: Optional[int] = None) -> Snapshot:
    """Results of a run: a file NNNNNN.h5, a folder of such files, or a case; of several the last, or that of `step`."""
    place = os.fspath(path)
    if os.path.isdir(place):
        inside = os.path.join(place, "results")
        folder = inside if os.path.isdir(inside) else place
        files = _core.snapshots_in(folder)
        if not files:
            raise _core.InputError(f"{folder}: holds no results NNNNNN.h5")
        if step is not None and step not in files:
            raise _core.InputError(f"{folder}: has no step {step}, expected one of {' '.join(map(str, files))}")
        place = files[max(files) if step is None else step]
    elif step is not None:
        raise _core.InputError(f"{place}: is one file, expected a folder where a step is named")
    return Snapshot(place)


def load(path: Path) -> np.ndarray:
    """The values of any file that `tessera list readers` knows, such as a picture, a TIFF stack, a volume or FILE.h5:/fields/T:
    an array (nz, ny, nx), or (ny, nx) where there is one layer, with row 0 at the bottom."""
    array = _core.read_rows(os.fspath(path))
    return array[0] if len(array) == 1 else array
