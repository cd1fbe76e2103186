#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random media of every lattice through the Python package: each number, and each cell of each field, beside media_oracle.py.

    PYTHONPATH=build/release/python mpirun -n 3 /usr/bin/python3 bench/media.py [MEDIA [FIRST]]

Media (default 200) are numbered from FIRST (0), and each is drawn from its number alone (media_drawn.py): `media.py 1 4711`
is the one that a difference names, on any ranks. They are flat or in space, odd, thin or one cell wide; drawn or from
arrays; noise, blobs, nearly full; round periodic axes, within regions, from side to side or between masks; of sites or
bonds; on tiles of any size and unequal shares of the ranks. Each rank compares its own. Told is what was compared, by
family and by quantity, with the largest relative deviation (of a potential, flux or dissipation: over the difference of
potentials or the whole current). Exit code 1 where something differs. Needs networkx and scipy."""
import collections
import math
import os
import pickle
import re
import shutil
import sys
import tempfile
import time

import numpy as np
import tessera
from media_expected import Medium
from tessera import _held
from tessera._text import entries

TOLERANCE = 1e-10
TABLES = 25  # of each so many media one is run as a case, too, for its tables


def flat(values, path=""):
    """Numbers by their paths."""
    for key, value in values.items():
        if isinstance(value, dict):
            yield from flat(value, path + key + ".")
        else:
            yield path + key, value


class Comparison:
    """What was compared, and what differs."""

    def __init__(self):
        self.counts, self.worst, self.wrong = collections.Counter(), {}, collections.Counter()

    def numbers(self, medium, found, expected):
        found = {key: value for key, value in flat(found) if "steps." not in key}
        for key in sorted(found.keys() | expected.keys()):
            if key not in found or key not in expected:
                self.error(medium, key, f"is found by {'the program' if key in found else 'the oracle'} alone")
                continue
            ours, theirs, name = found[key], expected[key], key.split(".")[-1]
            if theirs is not None and not math.isfinite(theirs):
                theirs = None
            self.counts[medium.family, name] += 1
            self.counts[medium.family, "numbers"] += 1
            if theirs is None or ours is None or isinstance(ours, (bool, int)):
                right = ours == theirs
            else:
                off = abs(ours - theirs) / (abs(theirs) or 1)
                self.worst[name] = max(self.worst.get(name, 0), off)
                right = off <= (1e-8 if name == "currentOffBackbone" else TOLERANCE)
            if not right:
                self.error(medium, name, f"is {ours!r}, expected {theirs!r}")

    def fields(self, medium, found, expected, current):
        wanted = {f for f in expected if f.rsplit("_", 1)[0] in medium.fields}
        if wanted != set(found):
            self.error(medium, "fields", f"are {sorted(found)}, expected {sorted(wanted)}")
        for key in sorted(wanted & set(found)):
            ours, theirs, name = found[key], expected[key], key.rsplit("_", 1)[0]
            if medium.frame == "inside" and len(medium.crossings) == 1:
                ours = ours.reshape(medium.whole[1::-1])[1:-1, 1:-1].ravel()
            self.counts[medium.family, name] += 1
            self.counts[medium.family, "fields"] += 1
            if ours.dtype.kind == "f":
                single = ours.dtype == np.float32
                whole = {"potential": 1, "flux": current or 1, "dissipation": current or 1}
                scale = whole.get(name, np.maximum(abs(theirs), 1e-300))
                with np.errstate(invalid="ignore"):
                    off = np.where(ours == theirs, 0, abs(ours - theirs) / scale).max()
                self.worst[name] = max(self.worst.get(name, 0), off)
                right = off <= (1e-7 if single else TOLERANCE)
            else:
                right = np.array_equal(ours, theirs)
            if not right:
                cell = int(np.argmax(~np.isclose(ours, theirs, rtol=1e-9, atol=1e-12)))
                self.error(medium, name, f"is {ours[cell]!r} in cell {cell}, expected {theirs[cell]!r}")

    def add(self, medium, found):
        numbers, fields = medium.expected()
        self.counts[medium.family, "media"] += 1
        joined = [v for k, v in numbers.items() if k.split(".")[-1] in ("spans", "wraps") and "phases" not in k]
        self.counts[medium.family, "joined"] += any(joined)
        self.numbers(medium, found.results, numbers)
        currents = [v for k, v in numbers.items() if k.endswith("conductance")]
        self.fields(medium, found.fields, fields, max(currents, default=1))

    def tables(self, medium, found):
        for name, ours, theirs in zip(("clusters.csv", "clusterSizes.csv"), found, medium.tables()):
            self.counts[medium.family, name] += 1
            theirs = theirs.reshape(len(theirs), -1) if len(theirs) else theirs
            close = {"rtol": TOLERANCE, "atol": TOLERANCE * min(medium.wide)}
            if len(ours) != len(theirs) or len(theirs) and not np.allclose(ours, theirs, **close):
                self.error(medium, name, f"is {ours.tolist()}, expected {theirs.tolist()}")

    def error(self, medium, what, text):
        """Of one medium, in a line that tells all of it; of alike ones the first."""
        self.wrong[what] += 1
        if self.wrong[what] <= 3:
            print(f"medium {medium.n}, {medium.family}: {what} {text}\n    {medium.dictionaries(1)}", flush=True)


def tables_of(medium, ranks):
    """clusters.csv and clusterSizes.csv of the same medium as a case on the disk; on rank 0."""
    folder = f"{tempfile.gettempdir()}/media.{os.getppid()}"
    if tessera.rank() == 0:
        for name, array in medium.arrays.items():
            os.makedirs(f"{folder}/constant", exist_ok=True)
            np.save(f"{folder}/constant/{name}.npy", array)
        for file, values in medium.dictionaries(ranks).items():
            os.makedirs(os.path.dirname(f"{folder}/{file}"), exist_ok=True)
            with open(f"{folder}/{file}", "w") as out:
                out.write(re.sub(r"\bfile (\w+);", r'file "constant/\1.npy";', entries(values)))
    together(ranks)
    tessera.run(folder, {"constant/percolationProperties:clusterTable": True, "constant/percolationProperties:fields": []})
    if tessera.rank() == 0:
        found = []
        for name in "clusters", "clusterSizes":
            file = f"{folder}/postProcessing/{name}.csv"
            found.append(np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2) if os.path.exists(file) else np.zeros((0, 2)))
        shutil.rmtree(folder)
        return found
    return None


def together(ranks):
    """All ranks have come here."""
    tessera.label(np.ones((2, ranks), bool))


def summed(mine, ranks):
    """The comparisons of all ranks, by files that each writes."""
    name = f"{tempfile.gettempdir()}/media.{os.getppid()}."
    with open(f"{name}{tessera.rank()}", "wb") as out:
        pickle.dump(mine, out)
    together(ranks)  # all have written
    total = Comparison()
    for rank in range(ranks):
        with open(f"{name}{rank}", "rb") as file:
            part = pickle.load(file)
        total.counts.update(part.counts)
        total.wrong.update(part.wrong)
        for key, off in part.worst.items():
            total.worst[key] = max(total.worst.get(key, 0), off)
    together(ranks)  # all have read
    os.remove(f"{name}{tessera.rank()}")
    return total


def tell(total, ranks, seconds):
    families = sorted({family for family, _ in total.counts})
    media, wrong = sum(total.counts[f, "media"] for f in families), sum(total.wrong.values())
    print(f"{ranks} ranks, {seconds:.0f} s: {media} media, {wrong} differences", dict(total.wrong) or "")
    columns = {"media": 8, "joined": 8, "numbers": 10, "fields": 8}
    print(f"{'family':<14}" + "".join(f"{name:>{wide}}" for name, wide in columns.items()))
    for f in families:
        print(f"{f:<14}" + "".join(f"{total.counts[f, name]:>{wide}}" for name, wide in columns.items()))
    print(f"{'quantity':<24}{'compared':>10}{'largest deviation':>20}")
    for quantity in sorted({q for _, q in total.counts} - set(columns)):
        off = f"{total.worst[quantity]:.1e}" if quantity in total.worst else "none"
        print(f"{quantity:<24}{sum(total.counts[f, quantity] for f in families):>10}{off:>20}")


def main():
    media, first = (int(text) for text in (sys.argv[1:] + ["200", "0"][len(sys.argv) - 1 :]))
    rank, ranks, begin = tessera.rank(), tessera.ranks(), time.perf_counter()
    mine, waiting = Comparison(), []
    for n in range(first, first + media):
        medium = Medium(n)
        try:
            found = _held.run(str(n), medium.dictionaries(ranks), medium.arrays, -1)
            if medium.family == "pores":
                there = medium.there.reshape(medium.cells[::-1])
                found.fields["distance"] = tessera.distance(there, medium.stretched, periodic=medium.axes_closed()).ravel()
            if n % TABLES == 0:
                tables = tables_of(medium, ranks)
                if rank == 0:
                    mine.tables(medium, tables)
            if n % ranks == rank:
                waiting.append((medium, found))
        except (tessera.InputError, tessera.RunError) as error:  # on all ranks
            if rank == 0:
                mine.error(medium, "run", f"ends: {error}")
        if n % (16 * ranks) == 0 or n == first + media - 1:  # all ranks compare at a time, none waits for another
            for one in waiting:
                mine.add(*one)
            waiting = []
    total = summed(mine, ranks)
    if rank == 0:
        tell(total, ranks, time.perf_counter() - begin)
    sys.exit(1 if total.wrong else 0)


if __name__ == "__main__":
    main()
