# SPDX-License-Identifier: Apache-2.0
"""What is to be found in a small medium, by networkx, scipy and numpy alone.

Cells of the results' grid are the vertices of one graph: sites, and open bonds between them. Labels are scipy's connected
components; backbone and articulation sites networkx's biconnected components and articulation points of the spanning
clusters with a source, a sink and the edge between them; red sites the dominators of the sink, seen from the source;
currents a sparse direct solution of Kirchhoff's equations on all clusters that touch an end, dead ends and all; distances
those of all pairs of cells. Nothing here knows of tiles, ranks and pieces, or calls the library."""
import itertools

import networkx as nx
import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.sparse.linalg import splu

CORNERS = [d for d in itertools.product((-1, 0, 1), repeat=3) if d[::-1] > (0, 0, 0)]


def within(square):
    return [d for d in CORNERS if sum(x * x for x in d) <= square]


FLAT = [(1, 0, 0), (0, 1, 0)]
STEPS = {  # of each two opposite ones the first
    "square 4": FLAT, "square 8": FLAT + [(1, 1, 0), (1, -1, 0)],
    "triangular 6": FLAT + [(1, 1, 0)], "honeycomb 3": FLAT + [(1, 1, 0)], "kagome 4": FLAT + [(1, 1, 0)],
    "cubic 6": within(1), "cubic 18": within(2), "cubic 26": within(3),
    "bcc 8": within(1) + [(1, 1, 1)], "fcc 12": within(1) + [(1, -1, 0), (0, 1, -1), (1, 0, -1)],
}  # fmt: skip


def places(cells):
    """x, y, z of all cells, the first x first."""
    k, j, i = np.indices(cells[::-1]).reshape(3, -1)
    return np.stack([i, j, k], 1)


def number(x, cells):
    return (x[:, 2] * cells[1] + x[:, 1]) * cells[0] + x[:, 0]


def exists(lattice, x):
    """Which cells are sites of a lattice."""
    if lattice.startswith("honeycomb"):
        return (x[:, 0] + x[:, 1]) % 3 != 0
    return (x[:, 0] % 2 == 0) | (x[:, 1] % 2 == 0) if lattice.startswith("kagome") else np.ones(len(x), bool)


def links(cells, steps, periodic):
    """All pairs of cells a step apart: their numbers, how often round each axis the step goes, and the step."""
    x, n, found = places(cells), np.array(cells), []
    for d in steps:
        to = x + d
        turns = to // n
        inside = ((turns == 0) | np.array(periodic)).all(1)
        to -= turns * n
        found.append((number(x, n)[inside], number(to, n)[inside], turns[inside], np.tile(d, (inside.sum(), 1))))
    return [np.concatenate(part) for part in zip(*found)]


class Graph:
    """Cells that are there, and links between them: ends a and b, turns round the axes."""

    def __init__(self, there, a, b, turns):
        both = there[a] & there[b]
        self.there, self.a, self.b, self.turns = there, a[both], b[both], turns[both]
        self.part = connected_components(self.matrix(np.ones(len(self.a))), directed=False)[1]
        least = np.full(there.size, there.size)
        np.minimum.at(least, self.part, np.arange(there.size))
        self.label = np.where(there, least[self.part] + 1, 0)

    def matrix(self, weights):
        n = self.there.size
        return coo_matrix((np.r_[weights, weights], (np.r_[self.a, self.b], np.r_[self.b, self.a])), (n, n)).tocsr()

    def clusters(self):
        """Labels, and cells of each."""
        return np.unique(self.label[self.there], return_counts=True)

    def with_labels(self, labels):
        return np.isin(self.label, labels) & self.there

    def joining(self, inlet, outlet):
        """Labels of clusters with cells in both."""
        return np.intersect1d(self.label[inlet & self.there], self.label[outlet & self.there])

    def wrapping(self, axis):
        """Labels of clusters in which a closed walk winds round the axis: each cell is so many turns from the first."""
        near = {}
        for a, b, t in zip(self.a.tolist(), self.b.tolist(), self.turns[:, axis].tolist()):
            near.setdefault(a, []).append((b, t))
            near.setdefault(b, []).append((a, -t))
        found, turns = set(), {}
        for start in near:
            if start in turns:
                continue
            turns[start], work = 0, [start]
            while work:
                v = work.pop()
                for w, t in near[v]:
                    if w not in turns:
                        turns[w] = turns[v] + t
                        work.append(w)
                    elif turns[w] != turns[v] + t:
                        found.add(int(self.label[v]))
        return np.array(sorted(found), int)

    def blocks(self, inlet, outlet, bars=None):
        """Backbone, articulation and red cells; of definition D1 a bar beside each end, cells in a row along `bars`."""
        n, s, t = self.there.size, -1, -2
        masks = [np.zeros(n, bool) for _ in range(3)]
        on = self.with_labels(self.joining(inlet, outlet))
        if not on.any():
            return masks
        inner = on[self.a]
        graph = nx.Graph(list(zip(self.a[inner].tolist(), self.b[inner].tolist())))
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        graph.add_edges_from((s, v) for v in np.flatnonzero(inlet & on).tolist())
        graph.add_edges_from((t, v) for v in np.flatnonzero(outlet & on).tolist())
        chain, cell = nx.immediate_dominators(graph.to_directed(), s), t
        while (cell := chain[cell]) != s:
            masks[2][cell] = True
        graph.add_edge(s, t)
        masks[1][[v for v in nx.articulation_points(graph) if v >= 0]] = True
        if bars is not None:
            graph = nx.Graph(list(zip(self.a.tolist(), self.b.tolist())))
            for end, mask, side in (s, inlet, 0), (t, outlet, 1):
                row = [(side, place) for place in range(int(bars.max()) + 1)]
                graph.add_edges_from(zip(row, row[1:]))
                graph.add_edges_from((end, cell) for cell in row)
                graph.add_edges_from(((side, int(bars[v])), int(v)) for v in np.flatnonzero(mask & self.there))
            graph.add_edge(s, t)
        block = next(c for c in nx.biconnected_components(graph) if s in c and t in c)
        masks[0][[v for v in block if not isinstance(v, tuple) and v >= 0]] = True
        return masks

    def hops(self, inlet, outlet):
        """Cells on a shortest path, None: there is none."""
        front, seen, cells = inlet & self.there, inlet & self.there, 1
        matrix = self.matrix(np.ones(len(self.a)))
        while front.any():
            if (front & outlet).any():
                return cells
            front = (matrix @ front > 0) & ~seen
            seen = seen | front
            cells += 1
        return None

    def currents(self, g, inlet, outlet, bond):
        """Conductance, and of each cell potential, flux and dissipation; `g` of each link, `bond` from each cell to an end."""
        n = self.there.size
        on = self.with_labels(np.union1d(self.label[inlet & self.there], self.label[outlet & self.there]))
        some = on[self.a] & (self.a != self.b)
        a, b, g = self.a[some], self.b[some], (g * np.ones(len(self.a)))[some]
        into, out = np.where(inlet & on, bond, 0.0), np.where(outlet & on, bond, 0.0)
        diagonal = into + out + np.bincount(a, g, n) + np.bincount(b, g, n) + ~on
        everything = np.arange(n)
        rows = (np.r_[everything, a, b], np.r_[everything, b, a])
        matrix = coo_matrix((np.r_[diagonal, -g, -g], rows), (n, n)).tocsc()
        factors = splu(matrix)
        u = factors.solve(into)
        for _ in range(2):
            u += factors.solve(into - matrix @ u)
        i = g * (u[a] - u[b])
        ends = into * (1 - u), out * u
        flux = 0.5 * (np.bincount(a, abs(i), n) + np.bincount(b, abs(i), n) + ends[0] + ends[1])
        heat = 0.5 * (np.bincount(a, i * i / g, n) + np.bincount(b, i * i / g, n)) + ends[0] * (1 - u) + ends[1] * u
        return ends[1].sum(), u, flux, heat


def apart(cells, periodic):
    """How many cells lie between all cells along x, y and z, over the nearest images."""
    x = places(cells)
    d = abs(x[:, None] - x[None])
    for axis in range(3):
        if periodic[axis]:
            d[:, :, axis] = np.minimum(d[:, :, axis], cells[axis] - d[:, :, axis])
    return d


def lengths(cells, periodic, width, there, inlet):
    """Of paths in straight lines between cells that share a face, an edge or a corner."""
    a, b, _, d = links(cells, CORNERS, periodic)
    both = there[a] & there[b]
    a, b, length = a[both], b[both], np.sqrt(((d[both] * width) ** 2).sum(1))
    _, once = np.unique(np.minimum(a, b) * there.size + np.maximum(a, b), return_index=True)  # steps to one cell are alike
    matrix = coo_matrix((length[once], (a[once], b[once])), (there.size, there.size)).tocsr()
    sources = np.flatnonzero(inlet & there)
    if not len(sources):
        return np.full(there.size, np.inf)
    return dijkstra(matrix, directed=False, indices=sources, min_only=True)


class Balls:
    """Pore sizes and drainage by all balls about all cells; squares of radii, in cells."""

    def __init__(self, cells, periodic, there, solid):
        self.there, self.square = there, (apart(cells, periodic).astype(np.int64) ** 2).sum(2)
        self.ball = np.where(there, self.square[:, solid].min(1, initial=np.iinfo(np.int32).max), 0)
        self.sizes = np.unique(self.ball[there])[::-1]

    def covered(self):
        return np.where(self.there, np.where(self.square < self.ball[None], self.ball[None], 0).max(1), 0)

    def drained(self, graph, inlet, outlet, trapping):
        """Entered at, breakthrough, cells trapped."""
        def joined(ends, cells):
            g = Graph(cells, graph.a, graph.b, graph.turns)
            return g.with_labels(np.unique(g.label[ends & cells]))

        result, trapped, through = np.zeros(self.there.size, int), np.zeros(self.there.size, bool), 0
        for size in [None, *self.sizes]:
            if size is not None:
                centres = joined(inlet, self.ball >= size)
                near = (self.square[:, centres] < size).any(1)
                result[near & self.there & (result == 0) & ~trapped] = size
                through = through or (size if (centres & outlet).any() else 0)
            if trapping:
                left = self.there & (result == 0)
                trapped |= left & ~joined(outlet, left)
        return result, through, int(trapped.sum())
