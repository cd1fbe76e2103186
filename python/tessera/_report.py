# SPDX-License-Identifier: Apache-2.0
"""What a run found: the report, and results with their arrays."""
from __future__ import annotations

import json
from typing import Any, Iterator

import numpy as np

from . import _core


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.8g}"
    if isinstance(value, list) and len(value) > 6:
        return "[" + ", ".join(_shown(v) for v in value[:3]) + f", ... {len(value)} values]"
    return str(value)


def _lines(values: dict, path: str = "") -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _lines(value, path + key + ".")
        else:
            yield f"  {path + key:<28} {_shown(value)}"


class Report(dict):
    """A run's report as a dictionary: what `postProcessing/report.json` holds.

    `report["results"]` are the numbers that the application found, `report["hash"]` the fingerprints of the fields,
    `report["time"]` seconds by what they were spent on. The same on any number of ranks but for what it cost.
    """

    def __init__(self, text: str):
        super().__init__(json.loads(text))

    @property
    def results(self) -> dict:
        """The numbers that the application found."""
        return self.get("results", {})

    @property
    def hash(self) -> dict:
        """Fingerprints of the fields, by name."""
        return self.get("hash", {})

    def __repr__(self) -> str:
        cells = " x ".join(str(n) for n in self.get("grid", {}).get("cells", []))
        seconds = self.get("time", {}).get("wall", float("nan"))
        head = f"Report of {self.get('case')}: {self.get('application')}"
        if cells:
            head += f", {cells} cells"
        head += f", {self.get('ranks', 1)} rank{'s' if self.get('ranks', 1) != 1 else ''}, {seconds:.3g} s"
        lines = list(_lines(self.results)) + list(_lines(self.hash, "hash."))
        return "\n".join([head] + lines)


class Result:
    """What was found in an array: numbers and arrays as attributes.

    Every name of `fields` and of `results` is an attribute. Arrays have the shape of the input.
    """

    def __init__(self, report: Report, fields: dict, log: list):
        self.report = report  #: the whole report, as of a run of a case
        self.fields = fields  #: arrays by name
        self.log = log  #: the lines that a run of a case prints

    @property
    def results(self) -> dict:
        """Numbers by name, as in the report of a run."""
        return self.report.results

    @property
    def hash(self) -> dict:
        """Fingerprints of the arrays, by name: those that `tessera run` gives for the same input. Found when they are asked for."""
        return {name: _core.hash_of(array) for name, array in self.fields.items()}

    def as_dict(self) -> dict:
        """Numbers and arrays by name."""
        return {**self.results, **self.fields}

    def __getattr__(self, name: str) -> Any:
        if name in ("fields", "report"):  # pickle and copy ask before these are there
            raise AttributeError(name)
        if not name.startswith("_"):
            for values in (self.fields, self.report.results):
                if name in values:
                    return values[name]
        known = ", ".join([*self.fields, *self.report.results])
        raise AttributeError(f"there is no '{name}' here, expected one of {known}")

    def __dir__(self) -> list:
        return [*super().__dir__(), *self.fields, *self.results]

    def __repr__(self) -> str:
        lines = [f"tessera.{type(self).__name__}"]
        for name, array in self.fields.items():
            what = f"{array.dtype} {array.shape}"
            if array.dtype == np.bool_:
                what += f", {np.count_nonzero(array)} True"
            lines.append(f"  {name:<28} {what}")
        return "\n".join(lines + list(_lines(self.results)))
