# SPDX-License-Identifier: Apache-2.0
"""What tests/script/python.sh asks of the package: make | compare | bits | copies | distances | regions | errors | others | endless."""
import copy
import json
import os
import pickle
import signal
import sys

import numpy as np

import tessera

rng = np.random.default_rng(5)
spheres = np.zeros((40, 36, 44), bool)
z, y, x = np.mgrid[:40, :36, :44]
for _ in range(60):
    c = rng.random(3) * (40, 36, 44)
    spheres |= (z - c[0]) ** 2 + (y - c[1]) ** 2 + (x - c[2]) ** 2 < 36
# name: (medium, further entries of percolationProperties, the same for Python, function)
media = {
    "plane": (rng.random((150, 170)) < 0.61, "", {}, tessera.percolation),
    "plane_all": (rng.random((90, 120)) < 0.65, "direction all; conductivity yes;",
                  {"direction": "all", "conductivity": True}, tessera.percolation),
    "eight": (rng.random((150, 170)) < 0.45, "connectivity 8; direction x; shortestPath no; fields (spanning backbone articulation red);",
              {"connectivity": 8, "direction": "x"}, tessera.backbone),
    "labels": (rng.random((30, 40, 50)) < 0.3, "method lattice; connectivity 18; backbone no; shortestPath no; fields (label);",
               {"connectivity": 18}, tessera.label),
    "spheres": (~spheres, "conductivity yes; shortestPath no; fields ();", {}, tessera.conductivity),
    "pores": (~spheres, "direction y;", {"direction": "y"}, tessera.percolation),
    "thick": (~spheres, "direction z; method lattice; backbone no; shortestPath no; thickness yes; fields (thickness);", {}, tessera.thickness),
    "drained": (~spheres, "direction x; method lattice; backbone no; shortestPath no; drainage yes; trapping yes; fields (drainage);",
                {"direction": "x", "trapping": True}, tessera.drainage),
    "core": (~spheres, "region { type cylinder; } conductivity yes; thickness yes; fields (region backbone thickness);",
             {"region": "cylinder", "conductivity": True, "thickness": True, "fields": ["region", "backbone", "thickness"]},
             tessera.percolation),
    "part": (~spheres, "region { type box; from (3 2 5); to (40 30 36); outside solid; } direction x; drainage yes;",
             {"region": {"type": "box", "from": (3, 2, 5), "to": (40, 30, 36), "outside": "solid"}, "direction": "x", "drainage": True},
             tessera.percolation),
    "paths": (~spheres, "geodesic yes; fields (geodesic);", {"geodesic": True, "fields": ["geodesic"]}, tessera.percolation),
    "bytes": ((rng.random((64, 64)) < 0.7).astype(np.uint8) * 200, "definition D2; method lattice;",
              {"definition": "D2", "method": "lattice"}, tessera.percolation),
    "whole": ((rng.random((20, 20, 20)) < 0.4).astype(np.int64) * 7, "connectivity 26;", {"connectivity": 26}, tessera.percolation),
}  # fmt: skip


def make():
    """A case for the command of each medium."""
    for name, (medium, entries, _, _) in media.items():
        folder = f"medium_{name}"
        os.makedirs(folder + "/system")
        os.makedirs(folder + "/constant")
        np.save(folder + "/constant/medium.npy", medium)
        with open(folder + "/system/controlDict", "w") as out:
            out.write("application percolation;")
        with open(folder + "/constant/percolationProperties", "w") as out:
            out.write('input { type picture; file "constant/medium.npy"; level 0.5; occupied light; } ' + entries)


def compare():
    """Numbers, hashes and arrays are those of the command."""
    for name, (medium, _, keywords, function) in media.items():
        found = function(medium, **keywords)
        with open(f"medium_{name}/postProcessing/report.json") as file:
            report = json.load(file)
        if found.fields:
            assert dict(found.hash) == report["hash"], name
        for key, value in report["results"].items():
            if key != "cells":
                assert found.results[key] == value, (name, key, found.results[key], value)
        if not os.path.isdir(f"medium_{name}/results") or not found.fields:
            continue
        snapshot = tessera.read(f"medium_{name}")
        assert set(found.fields) == set(snapshot.keys()), name
        assert snapshot.x[0] == snapshot.y[0] == snapshot.z[0] == 0.5 and snapshot.x[-1] == medium.shape[-1] - 0.5, name
        for key, array in found.fields.items():
            assert array.shape == medium.shape and (array.reshape(snapshot[key].shape) == snapshot[key]).all(), (name, key)


def bits():
    """Fingerprints of what no case of the command is compared with, from the first rank."""
    body = 1 + rng.random((12, 40, 50))
    steady = tessera.heat(body, 3.0, size=0.01, left=300.0, top={"h": 5.0, "Tinf": 280.0})
    warm = tessera.heat(body, 3.0, size=0.01, left=300.0, start=280.0, capacity=1e3, step=1.0, steps=3, scheme="CrankNicolson")
    depth = tessera.distance(media["spheres"][0], (1.0, 0.3, 0.7))
    life = tessera.automaton("B3/S23", rng.random((90, 130)) < 0.4, 77, periodic="x", boundary={"top": "fixed 1"})
    all_hashes = [steady.hash, warm.hash, life.hash["state"], str(depth.sum()), str(life.counts)]
    if tessera.rank() == 0:
        print(*all_hashes)


def same(a, b):
    """Whether two results hold the same numbers and arrays."""
    assert type(a) is type(b) and a.report == b.report and a.log == b.log and a.fields.keys() == b.fields.keys()
    assert all((a.fields[name] == b.fields[name]).all() for name in a.fields)


def copies():
    """Results, snapshots and the error that has a report go through pickle and copy."""
    ways = (lambda it: pickle.loads(pickle.dumps(it)), copy.copy, copy.deepcopy)
    medium = media["eight"][0]
    for way in ways:
        for found in (tessera.label(medium), tessera.automaton("B3/S23", medium, 3)):
            same(way(found), found)
        snapshot = tessera.read("medium_eight")
        read = snapshot.backbone
        again = way(snapshot)
        assert (again.backbone == read).all() and (again.red == snapshot.red).all() and again.names == snapshot.names
        raises(AttributeError, "no field 'colour'", getattr, again, "colour")
        error = way(tessera.NotConverged("it did not converge", tessera.label(medium).report))
        assert str(error) == "it did not converge" and error.report.results["clusters"] > 0


def distances():
    """To the nearest empty cell, round periodic axes."""
    depth = tessera.distance(media["spheres"][0], periodic="xz")
    zeros = np.argwhere(~media["spheres"][0])
    for cell in np.argwhere(media["spheres"][0])[::977]:
        d = np.abs(zeros - cell)
        for axis in (0, 2):
            d[:, axis] = np.minimum(d[:, axis], depth.shape[axis] - d[:, axis])
        assert depth[tuple(cell)] == np.sqrt((d**2).sum(1).min())


def regions():
    """A bent tube through pores beside what numpy and scipy find of them (cases/percolation/reference.py)."""
    try:
        from scipy import ndimage
    except ImportError:
        return
    sys.path.insert(0, os.environ["SOURCE"] + "/cases/percolation")
    import reference

    inside = (x - 21 - 4 * np.sin(z / 9)) ** 2 + (y - 18) ** 2 < 14**2
    mask = ~spheres & inside
    square = np.rint(ndimage.distance_transform_edt(~spheres | ~inside) ** 2).astype(int) * mask
    theirs = reference.explore(mask, "cubic6", 0, 2) | reference.thickness(mask, square) | reference.drained(mask, square, 0)
    theirs |= reference.geodesic(mask, 0)
    theirs["occupation"] = mask.sum() / inside.sum()
    theirs["conductivity"] = theirs["conductance"] * 40 / (inside.sum() / 40)
    theirs["tortuosityFactor"] = theirs["occupation"] / theirs["conductivity"]
    ours = tessera.percolation(~spheres, region=inside, conductivity=True, thickness=True, drainage=True, trapping=True, geodesic=True,
                               fields=["label", "thickness", "region", "occupied"], tile=(13, 11, 17))  # fmt: skip
    assert theirs["spans"] and 0 < theirs["trappedSites"] < mask.sum() and theirs["breakthroughDiameter"] > 0
    for key, value in theirs.items():
        assert np.isclose(ours.results[key], value, rtol=1e-8, atol=0), (key, ours.results[key], value)
    assert (ours.region == inside).all() and (ours.occupied == mask).all()
    same_clusters(ours.label, ndimage.label(mask)[0])
    assert (ours.thickness == np.float32(2 * np.sqrt(reference.cover(square, lambda size: square >= size) * mask))).all()
    assert tessera.thickness(~spheres, region=inside).hash["thickness"] == ours.hash["thickness"]
    assert tessera.label(~spheres, region=inside).hash["label"] == ours.hash["label"]


def raises(kind, text, call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
    except kind as error:
        assert text in str(error), str(error)
        return
    raise AssertionError(f"no {kind.__name__} with '{text}'")


def errors():
    """They are raised on all ranks, and the next call goes on."""
    medium = media["plane"][0]
    raises(tessera.InputError, "<medium>/constant/percolationProperties:1", tessera.percolation, medium, connectivity=5)
    raises(ValueError, "shape", tessera.label, np.zeros(5, bool))
    raises(tessera.InputError, "image < limit", tessera.label, np.zeros((5, 5)))
    raises(tessera.InputError, "shape", tessera.percolation, medium, inlet="left", outlet=np.ones((3, 3), bool))
    raises(tessera.InputError, "medium has the shape (1, 1), expected several cells", tessera.label, np.ones((1, 1), bool))
    raises(tessera.InputError, "expected axes", tessera.label, medium, periodic="w")
    raises(tessera.InputError, "did you mean", tessera.percolation, medium, fields=["backbon"])
    raises(tessera.InputError, "quotes", tessera.percolation, medium, lattice='square"; method "paper')
    raises(tessera.InputError, "expected words", tessera.automaton, "B3/S23", medium, 1, boundary={"left": "fixed 0; right open"})
    raises(tessera.InputError, "boundary has left 'fixed 1', but periodic='x' closes x", tessera.automaton, "B3/S23", medium, 1,
           periodic="x", boundary={"left": "fixed 1", "right": "fixed 1"})  # fmt: skip
    raises(tessera.InputError, "unknown field 'w'", tessera.automaton, "grayScott", {"u": medium + 0.5, "w": medium + 0.5}, 1)
    raises(tessera.InputError, "expected one shape", tessera.automaton, "grayScott", {"u": medium + 0.5, "v": np.ones((2, 2))}, 1)
    raises(tessera.InputError, "the start is `state`", tessera.automaton, "B3/S23", medium, 1, initial={"type": "random"})
    raises(tessera.InputError, "'generations' beside generations=30", tessera.automaton, "B3/S23", medium, 30, stop={"generations": 3})
    raises(tessera.InputError, "says what is beyond the sides", tessera.automaton, "B3/S23:T20,20", np.ones((20, 20), int), 1, periodic="x")
    raises(tessera.InputError, "B3/S2x", tessera.automaton, "B3/S2x", medium, 1)
    raises(tessera.InputError, "no such case", tessera.run, "nowhere")
    raises(tessera.InputError, "nowhere.h5", tessera.read, "nowhere.h5")
    raises(tessera.InputError, "has the shape", tessera.heat, np.ones((4, 5)), np.ones((5, 4)), left=1.0)
    raises(tessera.InputError, "temperature", tessera.heat, np.ones((4, 5)))
    raises(tessera.RunError, "did not converge", tessera.heat, np.ones((40, 50)), 1.0, left=1.0,
           solver={"solver": "PCG", "preconditioner": "none", "tolerance": 1e-12, "maxIter": 2})  # fmt: skip
    raises(tessera.InputError, "has the shape", tessera.label, medium, region=np.ones((3, 3), bool))
    raises(tessera.InputError, "leads to the mantle", tessera.percolation, media["spheres"][0], region="cylinder", direction="x")
    masked = np.ma.masked_array(np.ones((3, 4), int), np.eye(3, 4, dtype=bool))
    raises(tessera.InputError, "medium is a masked array, whose mask would be lost", tessera.label, masked)
    raises(tessera.InputError, "masked array", tessera.automaton, "B3/S23", masked, 1)
    raises(tessera.InputError, "lambda is a masked array", tessera.heat, masked, left=1.0)
    assert tessera.label(np.ma.masked_array(medium)).clusters == tessera.label(medium).clusters
    raises(tessera.InputError, "has none for the value 2", tessera.percolation, np.full((3, 4), 2), effectiveConductivity=True,
           conductivities={1: 1.0})  # fmt: skip
    raises(tessera.InputError, "holds -1", tessera.percolation, np.full((3, 4), -1), phaseTable=True, phaseValues=[1])
    raises(AttributeError, "clusters", getattr, tessera.label(medium), "cluster")
    assert tessera.label(medium).clusters > 0


def same_clusters(ours, theirs):
    """Whether two labels part the cells alike."""
    pairs = np.unique(np.stack([ours.ravel(), theirs.ravel()]), axis=1)
    assert len(np.unique(pairs[0])) == len(np.unique(pairs[1])) == pairs.shape[1]


def spread(medium):
    """Labels by flooding, faces as neighbours: slow and simple."""
    label = np.zeros(medium.shape, int)
    for start in zip(*np.nonzero(medium)):
        if label[start]:
            continue
        label[start], queue = label.max() + 1, [start]
        while queue:
            cell = queue.pop()
            for axis in range(medium.ndim):
                for step in (-1, 1):
                    near = list(cell)
                    near[axis] += step
                    near = tuple(near)
                    if 0 <= near[axis] < medium.shape[axis] and medium[near] and not label[near]:
                        label[near] = label[start]
                        queue.append(near)
    return label


def others():
    """Labels, Life, and heat beside computations of others."""
    for medium in (rng.random((17, 23)) < 0.5, rng.random((9, 11, 13)) < 0.35, np.ones((1, 6), bool), rng.random((1, 12, 15)) < 0.5):
        same_clusters(tessera.label(medium).label, spread(medium))
    try:
        from scipy import ndimage
    except ImportError:
        print("without scipy")
    else:
        big = rng.random((70, 80, 90)) < 0.3
        for mask, size in ((~big, (1, 1, 1)), (rng.random((40, 50, 60)) < 0.999, (0.3, 1.2, 2.0)), (big[0], (0.5, 2.0))):
            theirs = ndimage.distance_transform_edt(mask, sampling=size[::-1])
            assert np.allclose(tessera.distance(mask, size), theirs, rtol=1e-14)
        for connectivity, rank in ((6, 1), (18, 2), (26, 3)):
            theirs, count = ndimage.label(big, ndimage.generate_binary_structure(3, rank))
            ours = tessera.label(big, connectivity=connectivity)
            assert ours.clusters == count and ours.largestCluster == np.bincount(theirs.ravel())[1:].max()
            same_clusters(ours.label, theirs)
    board = rng.random((50, 60)) < 0.4
    ours = tessera.automaton("B3/S23", board, 30, periodic=True)
    for _ in range(30):
        near = sum(np.roll(board, (j, i), (0, 1)).astype(int) for j in (-1, 0, 1) for i in (-1, 0, 1)) - board
        board = (near == 3) | (board & (near == 2))
    assert (ours.state == board).all() and ours.population == board.sum() and ours.counts[1] == board.sum()
    # several fields; the same as formulas
    u, v = rng.random((20, 30)), rng.random((20, 30)) / 2
    for array in (u, v):
        array[0] = 0
    spots = tessera.automaton("grayScott", {"u": u, "v": v}, 1, periodic="xy", feed=0.04, kill=0.06)
    lap = {name: sum(np.roll(f, way, (0, 1)) for way in ((0, 1), (0, -1), (1, 0), (-1, 0))) - 4 * f for name, f in (("u", u), ("v", v))}
    assert np.allclose(spots.u, u + 0.16 * lap["u"] - u * v * v + 0.04 * (1 - u)) and np.allclose(spots.v, v + 0.08 * lap["v"] + u * v * v - 0.1 * v)
    assert spots.u.shape == (20, 30)
    grown = tessera.automaton({"fields": {"n": "int32"}, "expression": "n + x"}, np.zeros((3, 5), np.int32), 2)
    assert (grown.n == 2 * np.arange(5)).all() and grown.counts[8] == 3
    layers = rng.integers(0, 2, (6, 8, 10), dtype=np.int32)
    assert (tessera.automaton("B3/S23", layers[0], 0 + 1).state >= 0).all()
    torus = tessera.automaton("B3/S23", layers[0], 5, periodic="xy", boundary={"left": "periodic"})
    assert (tessera.automaton("B3/S23:T10,8", layers[0], stop={"generations": 5}).state == torus.state).all()
    # a steady body: the matrix of seven points, solved densely
    conductivity = 1 + 9 * rng.random((4, 5, 6))
    heat = rng.random((4, 5, 6))
    sides = {"left": 10.0, "top": {"h": 3.0, "Tinf": 20.0}, "front": {"flux": 2.0}}
    found = tessera.heat(conductivity, heat, size=(0.1, 0.2, 0.3), **sides, solver={"solver": "PCG", "preconditioner": "DIC", "tolerance": 1e-13})
    assert np.allclose(found.T, dense(conductivity, heat, (0.1, 0.2, 0.3)), rtol=1e-9)
    assert abs(found.balance["in"]["front"] - 2.0 * 30 * 0.02) < 1e-9
    # an implicit step of a body of one temperature, warmed alike
    warm = tessera.heat(np.ones((3, 3)), 5.0, start=1.0, capacity=2.0, step=0.5, steps=4)
    assert np.allclose(warm.T, 1 + 4 * 0.5 * 5 / 2)


def dense(conductivity, heat, size):
    """T of the steady body of `others`, by a dense matrix."""
    shape, volume = conductivity.shape, np.prod(size)
    a, b = np.zeros((heat.size, heat.size)), heat.ravel() * volume
    number = np.arange(heat.size).reshape(shape)
    for axis, d in zip((2, 1, 0), size):
        area = volume / d
        low, high = np.delete(number, -1, axis), np.delete(number, 0, axis)
        for p, n in zip(low.ravel(), high.ravel()):
            g = 2 * area / d / (1 / conductivity.flat[p] + 1 / conductivity.flat[n])
            a[[p, n, p, n], [p, n, n, p]] += [g, g, -g, -g]
    for p in number[:, :, 0].ravel():
        g = conductivity.flat[p] * (volume / size[0]) / (size[0] / 2)
        a[p, p] += g
        b[p] += g * 10.0
    for p in number[:, -1, :].ravel():
        g = (volume / size[1]) / (1 / 3.0 + size[1] / 2 / conductivity.flat[p])
        a[p, p] += g
        b[p] += g * 20.0
    for p in number[-1].ravel():
        b[p] += 2.0 * volume / size[2]
    return np.linalg.solve(a, b).reshape(shape)


def endless():
    """Runs until Ctrl-C comes, which a shell lets its background programs pass over."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tessera.rank()  # MPI is up
    try:
        print("begins", flush=True)
        if sys.argv[2] == "automaton":
            tessera.automaton("B3/S23", rng.random((300, 300)) < 0.4, 1_000_000_000, periodic=True)
        else:
            tessera.heat(np.ones((50, 50)), 1.0, left=0.0, step=1.0, steps=1_000_000_000)
    except KeyboardInterrupt:
        print("interrupted")
    assert tessera.label(np.ones((2, 2), bool)).clusters == 1


{"make": make, "compare": compare, "bits": bits, "copies": copies, "distances": distances, "regions": regions, "errors": errors, "others": others, "endless": endless}[sys.argv[1]]()
