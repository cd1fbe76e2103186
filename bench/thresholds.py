#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Percolation thresholds of every lattice against published values, by `tessera sweep` alone.

    bench/thresholds.py [--samples 400] [--ranks 2] [--only NAME,...]

Each sample has a threshold of its own: the share of sites (or bonds) at which a cluster first winds round the torus. Its mean over the
samples of a size L goes to p_c as L^(-1/nu); a line through three sizes, weighted by their standard errors, gives p_c with an error.
Told are p_c, its error, the published value and the difference in errors; the last column is the slope of the deviations' logarithm
over that of L, which is -1/nu: -0.75 in the plane, -1.14 in space.

Published: square, honeycomb, kagome, triangular: exact, or Jacobsen, J. Phys. A 48 (2015) 454003; square 8: Feng, Deng, Bloete, Phys.
Rev. E 78 (2008) 031136; cubic 6: Wang et al., Phys. Rev. E 87 (2013) 052107; cubic 18 and 26: Xun, Hao, Ziff, Phys. Rev. E 103 (2021)
022126; bcc, fcc: Lorenz, Ziff, Phys. Rev. E 57 (1998) 230 (bonds), J. Phys. A 31 (1998) 8147 (sites).
"""
import argparse
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESSERA = os.environ.get("TESSERA", str(ROOT / "build/release/tessera"))
NU = {2: 4 / 3, 3: 0.8765}
SIZES = {2: (36, 72, 144), 3: (12, 18, 30)}  # multiples of 6: honeycomb and kagome go round the torus

# name: (entries of the case, dimensions, p_c of sites, p_c of bonds or None)
LATTICES = {
    "square": ("lattice square;", 2, 0.59274605, 0.5),
    "square 8": ("lattice square; connectivity 8;", 2, 0.40725395, None),
    "triangular": ("lattice triangular;", 2, 0.5, 0.34729636),
    "honeycomb": ("lattice honeycomb;", 2, 0.69704024, 0.65270364),
    "kagome": ("lattice kagome;", 2, 0.65270364, 0.52440499),
    "cubic 6": ("lattice cubic; connectivity 6;", 3, 0.3116077, 0.2488118),
    "cubic 18": ("lattice cubic; connectivity 18;", 3, 0.1373045, None),
    "cubic 26": ("lattice cubic; connectivity 26;", 3, 0.0976445, None),
    "bcc": ("lattice bcc;", 3, 0.2459615, 0.1802875),
    "fcc": ("lattice fcc;", 3, 0.1992365, 0.1201635),
}


def write_case(folder, entries, kind, dimensions, size, published, samples):
    (folder / "constant").mkdir(parents=True)
    (folder / "system").mkdir()
    layers = size if dimensions == 3 else 1
    width = 10 * size ** (-1 / NU[dimensions])  # far beyond the spread of thresholds
    (folder / "system/controlDict").write_text("application percolation;\nwriteControl none;\n")
    (folder / "system/gridDict").write_text(
        f"cells ({size} {size} {layers});\nperiodic (yes yes {'yes' if dimensions == 3 else 'no'});\n")
    (folder / "constant/percolationProperties").write_text(
        f"input {{ type {kind}; probability 0.5; seed 1; }}\n{entries}\nframe none;\ndirection all;\nfields ();\n")
    low, high = max(published - width, 0.001), min(published + width, 0.999)
    (folder / "system/sweepDict").write_text(
        f"axes {{ p ({low} {high}); seed {{ samples {samples}; }} }}\n"
        'settings ( "constant/percolationProperties:input.probability={p}" "constant/percolationProperties:input.seed={seed}" );\n'
        "threshold { axis p; of wrapsAny; tolerance 1e-5; }\nresults (wrapsAny);\n")


def mean_threshold(folder, ranks):
    """Mean, its standard error, and the samples' standard deviation."""
    command = ["mpirun", "-n", str(ranks), TESSERA] if ranks > 1 else [TESSERA]
    done = subprocess.run([*command, "sweep", str(folder), "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"thresholds: the sweep failed\n{done.stdout}{done.stderr}")
    with open(folder / "sweep/thresholds.csv") as file:
        values = [float(row["threshold"]) for row in csv.DictReader(file)]
    mean = sum(values) / len(values)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return mean, deviation / math.sqrt(len(values)), deviation


def line(x, y, error):
    """Value at x = 0 of the line through weighted points, its error, and the slope."""
    w = [1 / e**2 for e in error]
    s, sx, sy = sum(w), sum(a * b for a, b in zip(w, x)), sum(a * b for a, b in zip(w, y))
    sxx, sxy = sum(a * b * b for a, b in zip(w, x)), sum(a * b * c for a, b, c in zip(w, x, y))
    d = s * sxx - sx * sx
    return (sxx * sy - sx * sxy) / d, math.sqrt(sxx / d), (s * sxy - sx * sy) / d


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--samples", type=int, default=400)
    arguments.add_argument("--ranks", type=int, default=2)
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    only = [name for name in options.only.split(",") if name]
    print(f"{'lattice':<12}{'of':<7}{'p_c':>10}{'error':>9}{'published':>12}{'errors off':>12}{'-1/nu':>8}")
    for name, (entries, dimensions, of_sites, of_bonds) in LATTICES.items():
        for kind, published in (("random", of_sites), ("bonds", of_bonds)):
            if published is None or (only and name not in only):
                continue
            means, errors, deviations = [], [], []
            for size in SIZES[dimensions]:
                with tempfile.TemporaryDirectory() as folder:
                    case = pathlib.Path(folder) / "case"
                    write_case(case, entries, kind, dimensions, size, published, options.samples)
                    mean, error, deviation = mean_threshold(case, options.ranks)
                means.append(mean)
                errors.append(error)
                deviations.append(deviation)
            x = [size ** (-1 / NU[dimensions]) for size in SIZES[dimensions]]
            p, error, _ = line(x, means, errors)
            logs = [math.log(size) for size in SIZES[dimensions]]
            _, _, slope = line(logs, [math.log(d) for d in deviations], [1] * len(logs))
            what = "bonds" if kind == "bonds" else "sites"
            off = (p - published) / error
            print(f"{name:<12}{what:<7}{p:>10.5f}{error:>9.5f}{published:>12.6f}{off:>12.1f}{slope:>8.2f}", flush=True)
            print(json.dumps({"bench": "thresholds", "lattice": name, "of": what, "p_c": p, "error": error,
                              "published": published, "errors_off": off, "slope": slope}), flush=True)


main()
