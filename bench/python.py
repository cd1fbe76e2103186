#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Python beside the command: the wall time of a call on an array of 200^3 over the time.compute of `tessera run` on the same medium.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python.py [EDGE [REPEATS]]

Calls and commands take turns, Tessera having started before the first. The command's time is without reading its file, and with the hashes of its fields, which Python
finds only when they are asked for."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import tessera

edge = int(sys.argv[1]) if len(sys.argv) > 1 else 200
repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 9
program = os.environ.get("TESSERA", "build/release/tessera")
tessera.ranks()
rng = np.random.default_rng(1)
z, y, x = np.mgrid[:edge, :edge, :edge]
pores = np.ones((edge,) * 3, bool)
for centre in edge * rng.random((900, 3)):
    low = np.maximum(0, centre.astype(int) - 12)
    box = tuple(slice(n, n + 25) for n in low)
    pores[box] &= (z[box] - centre[0]) ** 2 + (y[box] - centre[1]) ** 2 + (x[box] - centre[2]) ** 2 > 121
media = {"random, p = 0.34": rng.random(pores.shape) < 0.34, "pores between spheres": pores}
jobs = {
    "label": ("method lattice; backbone no; shortestPath no; fields (label);", tessera.label),
    "backbone": ("shortestPath no; fields (spanning backbone articulation red);", tessera.backbone),
    "conductivity": ("shortestPath no; conductivity yes; fields ();", tessera.conductivity),
}
for name, medium in media.items():
    for job, (entries, function) in jobs.items():
        with tempfile.TemporaryDirectory() as case:
            os.makedirs(case + "/system")
            os.makedirs(case + "/constant")
            np.save(case + "/constant/medium.npy", medium)
            with open(case + "/system/controlDict", "w") as out:
                out.write("application percolation; writeControl none;")
            with open(case + "/constant/percolationProperties", "w") as out:
                out.write('input { type picture; file "constant/medium.npy"; level 0.5; occupied light; } ' + entries)
            command, call = [], []
            for _ in range(repeats):
                subprocess.run([program, "run", case, "--quiet"], check=True)
                with open(case + "/postProcessing/report.json") as file:
                    report = json.load(file)
                command.append(report["time"]["compute"])
                begin = time.perf_counter()
                found = function(medium)
                call.append(time.perf_counter() - begin)
            assert not found.fields or found.hash == report["hash"]
            result = {
                "medium": name,
                "job": job,
                "command": statistics.median(command),
                "python": statistics.median(call),
                "ratio": statistics.median(call) / statistics.median(command),
                "ratioOfBest": min(call) / min(command),
            }
            print(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in result.items()}), flush=True)
