#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two runs of one case, OpenFOAM's and ours: openfoam_compare.py FOAM_DIR DIR FOAM_LOG LOG.

One line: the mean and the largest difference of T, each divided by the largest |T| and by max(10 tolerance, 1e-8), so that 1 is
what is allowed; then the iterations of both. Exit code 2 where one of the two is above 1, 1 where they cannot be compared.
"""
import gzip
import os
import re
import struct
import sys

theirs, ours, their_log, our_log = sys.argv[1:5]


def latest(folder):
    return max((name for name in os.listdir(folder) if re.fullmatch(r"[0-9.e+-]+", name)), key=float)


def field(path):
    data = gzip.open(path + ".gz").read() if os.path.exists(path + ".gz") else open(path, "rb").read()
    head, rest = data.split(b"internalField", 1)
    uniform = re.match(rb"\s*uniform\s+(\S+);", rest)
    if uniform:
        return [float(uniform.group(1))]
    found = re.match(rb"\s*nonuniform List<scalar>\s*(\d+)\s*\(", rest)
    count, begin = int(found.group(1)), found.end()
    if re.search(rb"format\s+binary", head):
        return list(struct.unpack(f"<{count}d", rest[begin:begin + 8 * count]))
    return [float(x) for x in rest[begin:rest.index(b")", begin)].split()]


def iterations(log):
    return [int(n) for n in re.findall(r"Solving for T, .*No Iterations (\d+)", open(log).read())]


tolerance = float(re.search(r"tolerance: (\S+)", open(ours + "/PARAMETERS").read()).group(1))
a, b = field(f"{theirs}/{latest(theirs)}/T"), field(f"{ours}/{latest(ours)}/T")
if latest(theirs) != latest(ours):
    sys.exit(f"times {latest(theirs)} and {latest(ours)}")
if len(a) != len(b):
    if min(len(a), len(b)) > 1:
        sys.exit(f"{len(a)} and {len(b)} values")
    a, b = (a * len(b) if len(a) == 1 else a), (b * len(a) if len(b) == 1 else b)
allowed = max(10 * tolerance, 1e-8) * max(map(abs, a))
differences = [abs(x - y) for x, y in zip(a, b)]
mean, worst = sum(differences) / len(a) / allowed, max(differences) / allowed
one, two = iterations(their_log), iterations(our_log)
print(f"mean {mean:8.2g}  largest {worst:8.2g}  iterations {sum(one):6d} {sum(two):6d}")
sys.exit(0 if worst <= 1 else 2)
