#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exponents of percolation at the threshold, in the plane and in space, against published values, by `tessera run` alone.

    /usr/bin/python3 bench/exponents.py [--samples 1.0] [--ranks 2] [--only 2|3]

Means over the samples that span between two bars, of sizes L, and a weighted fit of log mean = a + x log L + b / L: x, its standard error,
and how many of them it lies off the published exponent. --samples: a factor. Samples are seeded: a second call
gives the same numbers, on any ranks. A table, and one row of JSON a quantity. Some six minutes on one core;
wants numpy."""
import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESSERA = os.environ.get("TESSERA", str(ROOT / "build/release/tessera"))

# dimensions: entries of the case, {L: samples}, {quantity: (published exponent, its error)}
# Plane: 91/48 and 3/4 exact; backbone, P. Nolin et al. 2023; path, Z. Zhou et al. 2012; t/nu = 0.9826(8), P. Grassberger 1999.
# Space: X. Xu et al. 2014 (2.52293, d_min 1.3756, 1/nu 1.1410); backbone, M. Rintoul and H. Nakanishi 1994;
# t/nu = 2.283(3), B. Kozlov and M. Lagues 2010, and a conductance goes like L^(1 - t/nu).
STUDIES = {
    2: (
        "probability 0.59274605; {} lattice square; connectivity 4; definition D2; direction y;",
        {32: 40000, 64: 30000, 128: 10000, 256: 4000, 512: 1500},
        {"spanningSites": (91 / 48, 0), "backboneSites": (1.6433332, 0), "redSites": (0.75, 0),
         "shortestPath": (1.13077, 0.00002), "conductance": (-0.9826, 0.0008)},
    ),
    3: (
        "probability 0.3116077; {} lattice cubic; connectivity 6; direction z; backbone yes; shortestPath yes;",
        {16: 30000, 24: 20000, 32: 12000, 48: 6000, 64: 3500, 96: 1500},
        {"spanningSites": (2.52293, 0.0001), "backboneSites": (1.87, 0.03), "redSites": (1.1410, 0.0015),
         "shortestPath": (1.3756, 0.0006), "conductance": (-1.283, 0.003)},
    ),
}


def means(dimensions, entries, size, samples, ranks):
    """{quantity: (mean, standard error)} over the samples that span."""
    with tempfile.TemporaryDirectory() as folder:
        case = pathlib.Path(folder)
        (case / "constant").mkdir()
        (case / "system").mkdir()
        (case / "system/controlDict").write_text("application percolation;\nwriteControl none;\n")
        (case / "system/gridDict").write_text(f"cells ({size} {size} {size if dimensions == 3 else 1});\n")
        before, after = entries.split("{}")
        (case / "constant/percolationProperties").write_text(
            f"input {{ type random; {before} samples {samples}; seed {1000 + size}; }}\nframe none;\n{after} conductivity yes;\n")
        command = ["mpirun", "-n", str(ranks), TESSERA] if ranks > 1 else [TESSERA]
        done = subprocess.run([*command, "run", str(case), "--quiet"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"exponents: the run failed\n{done.stdout}{done.stderr}")
        found = json.loads((case / "postProcessing/report.json").read_text())["results"]["ensemble"][0]
    return {name: (found[name]["spanning"]["mean"], found[name]["spanning"]["error"]) for name in STUDIES[dimensions][2]}


def exponent(sizes, values, errors):
    """x of log value = a + x log L + b / L by weighted least squares, its standard error, and chi^2 a degree of freedom."""
    sizes, values, errors = np.array(sizes, float), np.array(values), np.array(errors)
    rows = np.stack([np.ones_like(sizes), np.log(sizes), 1 / sizes], axis=1) * (values / errors)[:, None]
    right = np.log(values) * values / errors
    solution, _, _, _ = np.linalg.lstsq(rows, right, rcond=None)
    covariance = np.linalg.inv(rows.T @ rows)
    chi = float(np.sum((rows @ solution - right) ** 2) / (len(sizes) - 3))
    return solution[1], math.sqrt(covariance[1, 1] * max(1.0, chi)), chi


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--samples", type=float, default=1.0)
    arguments.add_argument("--ranks", type=int, default=2)
    arguments.add_argument("--only", type=int, choices=[2, 3])
    options = arguments.parse_args()
    print(f"{'':<4}{'quantity':<16}{'exponent':>10}{'error':>9}{'published':>11}{'errors off':>12}{'chi^2':>7}")
    for dimensions, (entries, sizes, quantities) in STUDIES.items():
        if options.only not in (None, dimensions):
            continue
        table = {size: means(dimensions, entries, size, max(50, round(n * options.samples)), options.ranks)
                 for size, n in sizes.items()}
        for name, (published, doubt) in quantities.items():
            x, error, chi = exponent(list(table), *zip(*(table[size][name] for size in table)))
            off = (x - published) / math.hypot(error, doubt)
            print(f"{dimensions}-D {name:<16}{x:>10.4f}{error:>9.4f}{published:>11.4f}{off:>12.1f}{chi:>7.1f}", flush=True)
            print(json.dumps({"bench": "exponents", "dimensions": dimensions, "quantity": name, "exponent": x, "error": error,
                              "published": published, "errors_off": off, "chi2": chi}), flush=True)


main()
