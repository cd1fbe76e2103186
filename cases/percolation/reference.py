# SPDX-License-Identifier: Apache-2.0
"""What the percolation cases should find, computed without the program: needs numpy and scipy.

    python3 cases/percolation/reference.py cubic | porous | triangular | monte_carlo

Sites are drawn by Philox4x32-10 with the number of the cell as counter; clusters are connected components of a graph
(scipy.sparse.csgraph); the backbone is the biconnected component that holds the edge between a source joined to all inlet
sites and a sink joined to all outlet sites (Hopcroft & Tarjan 1973, without recursion); shortest paths go breadth first;
currents come from a sparse direct solver on the backbone. Arrays are indexed (z, y, x)."""
import json
import os
import sys

import numpy as np
from scipy import ndimage
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.sparse.linalg import spsolve

STEPS = {"square4": [(0, 0, 1), (0, 1, 0)],
         "triangular": [(0, 0, 1), (0, 1, 0), (0, 1, 1)],
         "cubic6": [(0, 0, 1), (0, 1, 0), (1, 0, 0)]}
OPEN = (False, False, False)


def uniform(seed, sample, cells):
    low, shift = np.uint64(0xffffffff), np.uint64(32)
    c = [cells & low, cells >> shift, np.zeros_like(cells), np.full_like(cells, sample)]
    key = [np.uint64(seed) & low, np.uint64(seed) >> shift]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> shift) ^ c[1] ^ key[0], b & low, (a >> shift) ^ c[3] ^ key[1], a & low]
        key = [(key[0] + np.uint64(0x9E3779B9)) & low, (key[1] + np.uint64(0xBB67AE85)) & low]
    return ((c[1] << shift | c[0]) >> np.uint64(11)).astype(float) * 2.0**-53


def draw(shape, seed, sample=0):
    return uniform(seed, sample, np.arange(np.prod(shape), dtype=np.uint64)).reshape(shape)


def threshold(u, crosses):
    """The random number of the site with which the medium first crosses, sites becoming occupied in the order of their numbers."""
    order = np.sort(u.ravel())
    low, high = 0, u.size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if crosses(u <= order[middle - 1]) else (middle, high)
    return order[high - 1]


def bonds(mask, lattice, periodic=OPEN):
    """Pairs of numbers of neighbouring occupied sites."""
    number, found = np.arange(mask.size).reshape(mask.shape), []
    for step in STEPS[lattice]:
        other, there, inside = mask, number, np.ones(mask.shape, bool)
        for axis, s in enumerate(step):
            if s:
                other, there = np.roll(other, -s, axis), np.roll(there, -s, axis)
                if not periodic[axis]:
                    inside[tuple(-1 if a == axis else slice(None) for a in range(3))] = False
        both = inside & mask & other
        found.append(np.stack([number[both], there[both]], 1))
    return np.concatenate(found)


def graph(pairs, n):
    i, j = np.r_[pairs[:, 0], pairs[:, 1]], np.r_[pairs[:, 1], pairs[:, 0]]
    return csr_matrix((np.ones(len(i), np.int8), (i, j)), (n, n))


def clusters(mask, pairs):
    label = connected_components(graph(pairs, mask.size), directed=False)[1]
    label[~mask.ravel()] = -1
    return label


def backbone(mask, pairs, inlet, outlet):
    n = mask.size
    s, t = n, n + 1
    ports = [(s, c) for c in np.flatnonzero(inlet & mask)] + [(t, c) for c in np.flatnonzero(outlet & mask)]
    g = graph(np.concatenate([pairs, np.array(ports + [(s, t)])]), n + 2)
    begin, neighbour = g.indptr.tolist(), g.indices.tolist()
    number, low, parent, following = [0] * (n + 2), [0] * (n + 2), [-1] * (n + 2), begin[:]
    # down the edge s t first: what is still on the stack when the search is back at t is the block of that edge
    number[s] = low[s] = 1
    number[t] = low[t] = count = 2
    parent[t], stack, path = s, [t], [t]
    while path:
        v = path[-1]
        if following[v] < begin[v + 1]:
            w = neighbour[following[v]]
            following[v] += 1
            if w == parent[v]:
                continue
            if number[w]:
                low[v] = min(low[v], number[w])
            else:
                count += 1
                number[w] = low[w] = count
                parent[w] = v
                stack.append(w)
                path.append(w)
        else:
            path.pop()
            if path:
                u = path[-1]
                low[u] = min(low[u], low[v])
                if low[v] >= number[u]:
                    while stack.pop() != v:
                        pass
    block = np.zeros(n + 2, bool)
    block[stack] = True
    return block[:n].reshape(mask.shape)


def shortest_path(mask, pairs, inlet, outlet):
    g, seen = graph(pairs, mask.size), (inlet & mask).ravel()
    front, end, sites = np.flatnonzero(seen), (outlet & mask).ravel(), 1
    while len(front):
        if end[front].any():
            return sites
        front = np.unique(g[front].indices)
        front = front[~seen[front]]
        seen[front] = True
        sites += 1
    return None


def conductance(mask, pairs, inlet, outlet, bond):
    """Current from the inlet at potential 1 to the outlet at 0, through `bond` at each site there."""
    m = mask.ravel()
    number = np.full(m.size, -1)
    number[m] = np.arange(m.sum())
    i, j = number[pairs].T
    i, j = i[(i >= 0) & (j >= 0)], j[(i >= 0) & (j >= 0)]
    g_in, g_out, n = inlet.ravel()[m] * float(bond), outlet.ravel()[m] * float(bond), m.sum()
    diagonal = np.bincount(i, minlength=n) + np.bincount(j, minlength=n) + g_in + g_out
    k = np.arange(n)
    a = coo_matrix((np.r_[diagonal, -np.ones(2 * len(i))], (np.r_[k, i, j], np.r_[k, j, i])), (n, n))
    return float((g_in * (1 - spsolve(a.tocsc(), g_in))).sum())


def explore(mask, lattice, axis, bond=None, periodic=OPEN):
    pairs = bonds(mask, lattice, periodic)
    label = clusters(mask, pairs).reshape(mask.shape)
    inlet, outlet = np.zeros(mask.shape, bool), np.zeros(mask.shape, bool)
    inlet[tuple(0 if a == axis else slice(None) for a in range(3))] = True
    outlet[tuple(-1 if a == axis else slice(None) for a in range(3))] = True
    sizes = np.bincount(np.unique(label[mask], return_inverse=True)[1])
    both = np.intersect1d(label[inlet & mask], label[outlet & mask])
    found = {"occupation": float(mask.mean()), "clusters": len(sizes), "largestCluster": int(sizes.max()),
             "spans": len(both) > 0, "spanningClusters": len(both), "spanningSites": int(np.isin(label, both).sum())}
    if len(both):
        block = backbone(mask, pairs, inlet, outlet)
        found["backboneSites"] = int(block.sum())
        found["danglingSites"] = found["spanningSites"] - found["backboneSites"]
        found["shortestPath"] = shortest_path(mask, pairs, inlet, outlet)
        if bond:
            found["conductance"] = conductance(block, pairs, inlet, outlet, bond)
    return found


def thickness(mask, square):
    """Of the largest balls over the cells. Lengths here are in cells."""
    diameter = 2 * np.sqrt(cover(square, lambda size: square >= size)[mask])
    return {"meanThickness": diameter.mean(), "thicknessDeviation": diameter.std(), "largestThickness": diameter.max()}


def cover(square, centres):
    """The largest size at which a ball about one of the centres of that size holds a cell."""
    result = np.zeros_like(square)
    for size in np.unique(square)[:0:-1]:
        centre = centres(size)
        if centre.any():
            near = np.rint(ndimage.distance_transform_edt(~centre) ** 2) < size
            result[near & (result == 0)] = size
    return result


def sides(mask, axis):
    inlet, outlet = np.zeros_like(mask), np.zeros_like(mask)
    inlet[(slice(None),) * axis + (0,)] = True
    outlet[(slice(None),) * axis + (-1,)] = True
    return inlet, outlet


def drained(mask, square, axis):
    """Drainage from one side to the other, size by size, with what is cut off from the outlet trapped."""
    inlet, outlet = sides(mask, axis)
    result, trapped, through = np.zeros_like(square), np.zeros_like(mask), 0

    def joined(cells, to):
        labels = ndimage.label(cells)[0]
        return np.isin(labels, np.unique(labels[to & cells])) & cells

    for size in np.unique(square)[:0:-1]:
        trapped |= mask & (result == 0) & ~joined(mask & (result == 0), outlet)
        centre = joined(square >= size, inlet)
        if centre.any():
            near = np.rint(ndimage.distance_transform_edt(~centre) ** 2) < size
            result[near & mask & (result == 0) & ~trapped] = size
            if not through and (centre & outlet).any():
                through = size
    trapped |= mask & (result == 0) & ~joined(mask & (result == 0), outlet)
    return {"breakthroughDiameter": 2 * through**0.5, "drainedShare": (result > 0).sum() / mask.sum(), "trappedSites": int(trapped.sum())}


def geodesic(mask, axis):
    """26 neighbours, lengths of straight lines."""
    number = np.full(mask.shape, -1)
    number[mask] = np.arange(mask.sum())
    rows, columns, lengths = [], [], []
    for step in np.ndindex(3, 3, 3):
        d = np.array(step) - 1
        if tuple(d) <= (0, 0, 0):
            continue
        here = tuple(slice(max(0, -x), n - max(0, x)) for x, n in zip(d, mask.shape))
        there = tuple(slice(max(0, x), n - max(0, -x)) for x, n in zip(d, mask.shape))
        both = mask[here] & mask[there]
        rows.append(number[here][both])
        columns.append(number[there][both])
        lengths.append(np.full(both.sum(), np.sqrt((d**2).sum())))
    n = mask.sum()
    matrix = coo_matrix((np.concatenate(lengths), (np.concatenate(rows), np.concatenate(columns))), (n, n)).tocsr()
    inlet, outlet = sides(mask, axis)
    length = dijkstra(matrix, directed=False, indices=number[inlet & mask], min_only=True)[number[outlet & mask]]
    length = length[np.isfinite(length)]
    return {"shortestGeodesic": length.min(), "geodesicTortuosity": length.mean() / (mask.shape[axis] - 1)}


def cubic():
    found = explore(draw((48, 48, 48), 2) < 0.34, "cubic6", 0, 1)
    return found | {"conductivity": found["conductance"] * 49 / 48**2}


def porous():
    here = os.path.dirname(os.path.abspath(__file__))
    grey = np.fromfile(os.path.join(here, "porous/constant/sample.raw"), np.uint8).reshape(40, 40, 40)
    mask = grey < 0.5 * 255
    square = np.rint(ndimage.distance_transform_edt(mask) ** 2).astype(int)
    result = thickness(mask, square)
    for name, axis in ("x", 2), ("y", 1), ("z", 0):
        found = explore(mask, "cubic6", axis, 2) | drained(mask, square, axis) | geodesic(mask, axis)
        sigma = found["conductance"] * 40 / 40**2
        result[name] = found | {"conductivity": sigma, "tortuosityFactor": found["occupation"] / sigma}
    return result


def triangular():
    """A tube, closed round x. A cluster wraps where a site and its image one period on are joined, in nine copies of the
    medium side by side."""
    mask, round_x = draw((1, 256, 256), 1) < 0.51, (False, False, True)
    copies = np.concatenate([mask] * 9, axis=2)
    label = clusters(copies, bonds(copies, "triangular")).reshape(256, 9, 256)
    joined = (label[:, 4] == label[:, 5]) & mask[0]
    own = clusters(mask, bonds(mask, "triangular", round_x))
    wrapping = np.unique(own[joined.ravel()])
    return {"wrappingClusters": len(wrapping), "wrappingSites": int(np.isin(own, wrapping).sum()),
            "along y": explore(mask, "triangular", 1, None, round_x)}


def monte_carlo():
    def mean(values):
        return [float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))]
    probabilities, rows = [0.55, 0.57, 0.58, 0.592746, 0.60, 0.61, 0.63], []
    draws = [draw((1, 64, 64), 1, s)[:, 1:-1, 1:-1] for s in range(100)]
    for p in probabilities:
        found = [explore(u < p, "square4", 1, 1) for u in draws]
        spanning = [f for f in found if f["spans"]]
        row = {"p": p, "spans": mean([f["spans"] for f in found]), "clusters": mean([f["clusters"] for f in found]),
               "backboneSites": mean([f.get("backboneSites", 0) for f in found])}
        for name in "spanningSites", "backboneSites", "shortestPath", "conductance":
            row[name + " of spanning samples"] = mean([f[name] for f in spanning])
        rows.append(row)
    return rows


if __name__ == "__main__":
    cases = {f.__name__: f for f in (cubic, porous, triangular, monte_carlo)}
    if len(sys.argv) != 2 or sys.argv[1] not in cases:
        sys.exit("usage: reference.py " + " | ".join(cases))
    print(json.dumps(cases[sys.argv[1]](), indent=1))
