# SPDX-License-Identifier: Apache-2.0
"""Clusters, backbones, paths and currents of arrays."""
from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

import numpy as np

from ._core import InputError
from ._held import axes, grid_array, lengths, mask_array, run, same_shape
from ._report import Report, Result

_masks = ("occupied", "spanning", "backbone", "dangling", "articulation", "red", "marked", "region")


class Percolation(Result):
    """What was found in a medium.

    Arrays, where they were asked for: `label`, `spanning`, `backbone`, `dangling`, `articulation`, `red` (masks are of bool; with
    direction="all" they are called `backbone_x` and so on), `thickness`, `drainage`, `geodesic` (of float32). Numbers, named as in the report of `tessera run`: `spans`,
    `clusters`, `largestCluster`, `spanningSites`, `backboneSites`, `shortestPath`, `tortuosity`, `conductivity` ...
    Tables, named as the files of `tessera run` (`tables["clusters"]["sites"]`): of clusterTable, phaseTable, thickness and drainage.
    """

    def __init__(self, report: Report, fields: dict, log: list):
        for name, array in fields.items():
            if name.split("_")[0] in _masks:
                fields[name] = array.view(np.bool_)
        super().__init__(report, fields, log)

    @property
    def tables(self) -> dict:
        """Tables by name, each a dictionary of arrays by column."""
        found = self.report.get("tables", {})
        return {name: {column: np.array(values, float) for column, values in table.items()} for name, table in found.items()}

    @property
    def sites(self) -> int:
        """Sites of the backbone."""
        return self.results["backboneSites"]


def percolation(
    medium: Any,
    *,
    lattice: Optional[str] = None,
    connectivity: Optional[int] = None,
    direction: Optional[str] = None,
    periodic: Any = "",
    inlet: Any = None,
    outlet: Any = None,
    region: Any = None,
    frame: Optional[str] = None,
    definition: Optional[str] = None,
    method: Optional[str] = None,
    propagation: Optional[str] = None,
    update: Optional[str] = None,
    backbone: Optional[bool] = None,
    shortestPath: Optional[bool] = None,
    conductivity: Optional[bool] = None,
    electrodes: Optional[str] = None,
    verify: Optional[bool] = None,
    effectiveConductivity: Optional[bool] = None,
    conductivities: Any = None,
    interpolate: Optional[bool] = None,
    phaseTable: Optional[bool] = None,
    phaseValues: Optional[Sequence[int]] = None,
    clusterTable: Optional[bool] = None,
    leastSites: Optional[int] = None,
    thickness: Optional[bool] = None,
    drainage: Optional[bool] = None,
    trapping: Optional[bool] = None,
    geodesic: Optional[bool] = None,
    size: Any = 1.0,
    fields: Optional[Sequence[str]] = None,
    tile: Optional[Sequence[int]] = None,
) -> Percolation:
    """All that `application percolation` finds in a medium held in memory: no file is read or written.

    medium        bool or integers, (ny, nx) with row 0 at the bottom, or (nz, ny, nx): occupied where it is not 0
    lattice       square (default of one layer), triangular, cubic (default of several)
    connectivity  4 or 8 (square), 6 (triangular), 6, 18 or 26 (cubic); the first is the default
    direction     x, y, z or all: from the low to the high side; default: y of one layer, z of several
    periodic      axes that close on themselves: "x", "xy", True for all; along them it is asked whether a cluster wraps
    inlet, outlet instead of direction: left, right, bottom, top, back, front, or masks of the medium's shape
    region        what belongs to the sample, all the rest being left out: a mask of the medium's shape, "cylinder" (the largest along z), or
                  the entries of `region`: {"type": "cylinder", "axis": "x", "centre": (20, 20), "radius": 18}
    conductivities  with effectiveConductivity, of cells by their values: {1: 1.0, 2: 0.05} or ((1, 1.0), (2, 0.05))
    verify        the currents of conductivity are solved for on the spanning clusters, too; RunError where they are not the same
    size          of a cell: one length, or (dx, dy, dz): the unit of thickness, drainage and geodesic
    tile          cells of a tile (nx, ny, nz); results do not depend on it
    Of conductivities and phaseValues the medium's values are looked at, whole numbers from 0 on; else whether they are 0.
    Others as in constant/percolationProperties: `tessera help percolation`.

    Where nothing is said the defaults are those of `tessera run` with an input of type picture, and so are the bits and
    hashes. Under mpirun all ranks call it with the same medium, share the work, and get the whole answer.
    Raises InputError for what does not fit together.
    """
    given = mask_array("medium", medium)
    by_value = bool(effectiveConductivity or phaseTable)
    if by_value:
        given = grid_array("medium", medium)
        if given.dtype.kind == "b":
            given = given.view(np.uint8)
        if given.dtype.kind == "i" and given.min() < 0:
            raise InputError(f"medium holds {given.min()}, expected values of 0 or more: cells of 0 are empty, all others occupied")
    if isinstance(conductivities, Mapping):
        conductivities = tuple(conductivities.items())
    arrays = {"medium": given}
    threshold = {"level": 0.5, "occupied": "light"}

    def mask(name: str, value: Any) -> dict:
        arrays[name] = same_shape(name, mask_array(name, value), given.shape)
        return {"file": name, **threshold}

    def port(name: str, value: Any) -> Any:
        return value if value is None or isinstance(value, str) else mask(name, value)

    if isinstance(region, str):
        region = {"type": region}
    elif region is not None and not isinstance(region, Mapping):
        region = {"type": "mask", **mask("region", region)}

    properties = {
        "input": {"type": "picture", "file": "medium", **threshold},
        "lattice": lattice,
        "connectivity": connectivity,
        "direction": direction,
        "inlet": port("inlet", inlet),
        "outlet": port("outlet", outlet),
        "region": region,
        "frame": frame,
        "definition": definition,
        "method": method,
        "propagation": propagation,
        "update": update,
        "backbone": backbone,
        "shortestPath": shortestPath,
        "conductivity": conductivity,
        "electrodes": electrodes,
        "verify": verify,
        "effectiveConductivity": effectiveConductivity,
        "conductivities": conductivities,
        "interpolate": interpolate,
        "phaseTable": phaseTable,
        "phaseValues": None if phaseValues is None else list(phaseValues),
        "clusterTable": clusterTable,
        "leastSites": leastSites,
        "thickness": thickness,
        "drainage": drainage,
        "trapping": trapping,
        "geodesic": geodesic,
        "fields": None if fields is None else list(fields),
    }
    cells = (1,) * (3 - given.ndim) + given.shape
    whole = [length * n for length, n in zip(lengths("size", size, given.shape), cells[::-1])]
    dictionaries = {
        "system/controlDict": {"application": "percolation"},
        "system/gridDict": {"periodic": axes("periodic", periodic, given.shape), "size": whole, "tile": tile},
        "constant/percolationProperties": properties,
    }
    return run("medium", dictionaries, arrays, given.shape, Percolation)


def _way(medium: Any, region: Any) -> str:
    """An axis along which the medium has several cells; in space that of a cylinder."""
    shape = mask_array("medium", medium).shape
    if max(shape) == 1:
        raise InputError(f"medium has the shape {shape}, expected several cells along an axis")
    if isinstance(region, Mapping) and len(shape) == 3 and min(shape) > 1:
        return region.get("axis", "z")
    if len(shape) == 3 and shape[0] > 1:
        return "z"
    return "y" if shape[-2] > 1 else "x"


def label(medium: Any, *, lattice: Optional[str] = None, connectivity: Optional[int] = None, periodic: Any = "",
          region: Any = None) -> Percolation:  # fmt: skip
    """Clusters of occupied cells.

    medium: bool or integers, (ny, nx) with row 0 at the bottom, or (nz, ny, nx). The answer has `label`, an array of integers:
    0 where nothing is, else 1 + the raster number of the first cell of the cluster, so that labels are the same for any ranks
    and tiles; and the numbers `clusters`, `largestCluster`, `occupation`, `spans`. Keywords as of `percolation`.
    """
    return percolation(medium, lattice=lattice, connectivity=connectivity, periodic=periodic, region=region,
                       direction=_way(medium, region), method="lattice", backbone=False, shortestPath=False, fields=["label"])  # fmt: skip


def backbone(medium: Any, direction: Optional[str] = None, *, fields: Sequence[str] = ("spanning", "backbone", "articulation", "red"),
             **keywords: Any) -> Percolation:  # fmt: skip
    """The exact backbone: the cells on some path from end to end that visits no cell twice.

    medium: bool or integers, (ny, nx) with row 0 at the bottom, or (nz, ny, nx). The answer has the masks `spanning` (clusters from
    end to end), `backbone`, `articulation` (cells that separate) and `red` (cells on all paths), and the numbers `spans`,
    `backboneSites`, `danglingSites`, `redSites`. In the plane with 4 neighbours ends are bars of cells added outside
    (definition D1); elsewhere electrodes. Further keywords as of `percolation`.
    """
    return percolation(medium, direction=direction, shortestPath=False, fields=fields, **keywords)


def shortest_path(medium: Any, direction: Optional[str] = None, **keywords: Any) -> Percolation:
    """The shortest path from end to end: `shortestPath` [cells], None where nothing spans, and `tortuosity`, its ratio to
    that of a full medium. Keywords as of `percolation`."""
    return percolation(medium, direction=direction, shortestPath=True, fields=[], **keywords)


def conductivity(medium: Any, direction: Optional[str] = None, **keywords: Any) -> Percolation:
    """Current through the cells, each a resistor to its neighbours of faces, from end to end.

    The answer has `conductance` [of one face between two cells], `conductivity` (of a full medium: 1), `porosity` and
    `tortuosityFactor` = porosity / conductivity. Square 4 or cubic 6. With electrodes="faces" (default) half a cell lies between
    an electrode and the first cells, with "sites" a whole one. Further keywords as of `percolation`.
    """
    return percolation(medium, direction=direction, shortestPath=False, conductivity=True, fields=[], **keywords)


def thickness(medium: Any, size: Any = 1.0, *, periodic: Any = "", region: Any = None) -> Percolation:
    """How wide the occupied space is: `thickness`, on each occupied cell the diameter of the largest ball that fits between empty
    cells and holds it, 0 on empty ones, in the unit of `size`, the length of a cell; an array of float32. Exact.

    medium: bool or integers, (ny, nx) with row 0 at the bottom, or (nz, ny, nx). Numbers: `meanThickness`, `thicknessDeviation`,
    `largestThickness`, of the occupied cells; of those in a `region`, as of `percolation`, alone. Source: Hildebrand and Ruegsegger 1997, J. Microsc. 185:67.
    """
    return percolation(medium, size=size, periodic=periodic, region=region, direction=_way(medium, region), method="lattice",
                       backbone=False, shortestPath=False, thickness=True, fields=["thickness"])  # fmt: skip


def drainage(medium: Any, direction: Optional[str] = None, size: Any = 1.0, *, trapping: bool = False, **keywords: Any) -> Percolation:
    """Where a fluid that does not wet the walls goes when it is pressed in from the low side of an axis, or from `inlet`.

    The answer has `drainage`, on each occupied cell the diameter of the balls that enter it first, in the unit of `size`, the length
    of a cell, 0 where none does (float32); so `drainage >= d` is where the fluid is at the pressure of diameter d. Numbers:
    `breakthroughDiameter` (of the largest balls that get to the outlet), `drainedShare`; with trapping `trappedSites`, of cells cut off
    from the outlet, which are not entered. Further keywords as of `percolation`.
    """
    return percolation(medium, direction=direction, size=size, method="lattice", backbone=False, shortestPath=False, drainage=True,
                       trapping=trapping, fields=["drainage"], **keywords)  # fmt: skip
