# SPDX-License-Identifier: Apache-2.0
"""Numbers and fields that a run of a drawn medium should find, as docs/percolation.md defines them, from media_oracle.py."""
import media_oracle as oracle
import numpy as np
from media_drawn import Drawn


class Medium(Drawn):
    """One that tells what is to be found in it."""

    def expected(self):
        """Numbers by their path in the report, fields by name."""
        numbers, fields, several = {}, {}, len(self.crossings) > 1
        g, inside = self.nodes, self.exists
        _, sizes = g.clusters()
        if self.bonds:
            numbers["occupation"] = (self.there & self.is_bond).sum() / self.is_bond.sum() if self.is_bond.any() else None
        else:
            numbers["occupation"] = self.there.sum() / inside.sum()
            if self.current:
                numbers["porosity"] = numbers["occupation"]
        numbers |= {"clusters": len(sizes), "largestCluster": sizes.max(initial=0)}
        fields |= {"occupied": self.there, "region": inside}
        fields["label"] = np.where(g.label > 0, self.labels()[np.maximum(g.label - 1, 0)], 0)
        if self.family == "pores":
            walls = np.ones(len(inside), bool) if self.region is not None and self.solid_outside else inside
            self.balls = oracle.Balls(self.cells, self.periodic, self.there, walls & ~self.there)
            self.add_thickness(numbers, fields)
        if self.family == "phases":
            self.add_phases(numbers)
        for crossing in self.crossings:
            found, masks = self.across(*crossing)
            numbers |= {(f"directions.{crossing[0]}." if several else "") + key: value for key, value in found.items()}
            fields |= {key + ("_" + crossing[0] if several else ""): value for key, value in masks.items()}
        if several and all(c[2] for c in self.crossings):
            wraps = [numbers[f"directions.{c[0]}.wraps"] for c in self.crossings]
            numbers |= {"wrapsAny": any(wraps), "wrapsAll": all(wraps)}
        return numbers, fields

    def labels(self):
        """Of a cluster whose first cell it is, for each cell: by the cells of the input."""
        return 1 + (oracle.number(self.x + (1, 1, 0), self.whole) if self.frame == "inside" else np.arange(len(self.x)))

    def tables(self):
        """Rows of clusters.csv, and of clusterSizes.csv."""
        first, cells = self.x + (self.frame == "inside") * np.array((1, 1, 0)), np.array(self.cells)
        centre = (first * np.where(cells > 1, 0.5 if self.bonds else 1.0, 1.0) + 0.5) * self.wide
        rows, several = [], (cells > 1) | np.array([self.plane, self.plane, False])  # a frame gives an axis more cells
        for label, sites in zip(*self.nodes.clusters()):
            own = self.nodes.label == label
            low, high, middle = first[own].min(0), first[own].max(0), centre[own].mean(0)
            gyration = np.sqrt(((centre[own] - middle) ** 2).sum(1).mean())
            ends = np.stack([self.x[own].min(0) == self.bounds[0], self.x[own].max(0) == self.bounds[1]], 1)
            ends &= ~np.array(self.periodic)[:, None]
            rows.append([self.labels()[label - 1], sites, *low[several], *high[several], *middle[several], gyration,
                         *ends[several].ravel()])  # fmt: skip
        sizes = np.unique(self.nodes.clusters()[1], return_counts=True)
        return np.array(sorted(rows, key=lambda row: (-row[1], row[0])), float), np.stack(sizes, 1)

    def across(self, name, axis, periodic, inlet, outlet):
        g, numbers, fields = self.nodes, {}, {}
        labels = g.wrapping(axis) if periodic else g.joining(inlet, outlet)
        spanning = g.with_labels(labels)
        what = "wrapp" if periodic else "spann"
        numbers |= {"wraps" if periodic else "spans": len(labels) > 0, what + "ingClusters": len(labels),
                    what + "ingSites": spanning.sum()}  # fmt: skip
        fields["spanning"] = spanning
        if periodic:
            return numbers, fields
        conducting = spanning
        if self.backbone:
            bars = self.x[:, 1 - axis] if self.definition == "D1" else None
            conducting = self.add_blocks(spanning, g.blocks(inlet, outlet, bars), numbers, fields)
        if self.path:
            self.add_path(inlet, outlet, len(labels) > 0, numbers)
        if self.current:
            self.add_currents(axis, inlet, outlet, conducting, numbers, fields)
        if self.family == "phases":
            self.add_phases_across(axis, inlet, outlet, numbers)
        if self.family == "pores":
            self.add_pores_across(axis, inlet, outlet, numbers, fields)
        return numbers, fields

    def add_blocks(self, spanning, found, numbers, fields):
        fields |= dict(zip(("backbone", "articulation", "red"), found))
        backbone, articulation, red = found
        fields["dangling"] = spanning & ~backbone
        if self.bonds:
            numbers |= {"backboneSites": (backbone & self.is_site).sum(), "backboneBonds": (backbone & self.is_bond).sum(),
                        "redSites": (red & self.is_site).sum(), "redBonds": (red & self.is_bond).sum()}  # fmt: skip
        else:
            numbers |= {"backboneSites": backbone.sum(), "danglingSites": fields["dangling"].sum(),
                        "articulationSites": articulation.sum(), "redSites": red.sum()}  # fmt: skip
        return backbone

    def add_path(self, inlet, outlet, spans, numbers):
        numbers |= {"shortestPath": None, "tortuosity": None}
        if not spans:
            return
        a, b, turns = self.full if self.bonds else oracle.links(self.cells, self.steps, self.periodic)[:3]
        sites, straight = (g.hops(inlet, outlet) for g in (self.nodes, oracle.Graph(self.exists, a, b, turns)))
        if self.bonds:
            sites, straight = (sites + 1) // 2, (straight + 1) // 2
        numbers |= {"shortestPath": sites, "tortuosity": sites / straight}

    def section(self, axis):
        """Layers along an axis, and the mean number of sites in one."""
        layers = self.bounds[1, axis] - self.bounds[0, axis] + 1
        if self.bonds:
            layers = (layers + 1) // 2
        return layers, (self.is_site if self.bonds else self.exists).sum() / layers

    def add_currents(self, axis, inlet, outlet, conducting, numbers, fields):
        current, u, flux, heat = self.nodes.currents(2.0 if self.bonds else 1.0, inlet, outlet, self.bond)
        spans = conducting.any()
        current = current if spans else 0
        numbers["conductance"] = current
        fields["potential"] = np.where(conducting, u, -1)
        fields["flux"], fields["dissipation"] = (np.where(conducting, values, 0) for values in (flux, heat))
        if self.asked.get("verify"):
            numbers["currentOffBackbone"] = 0
        if axis < 0 or self.lattice not in ("square 4", "cubic 6"):
            return
        layers, area = self.section(axis)
        numbers["conductivity"] = current * (layers + (self.bond == 1)) / area
        if not self.bonds:
            numbers["tortuosityFactor"] = self.there.sum() / self.exists.sum() / numbers["conductivity"] if spans else None

    def add_phases(self, numbers):
        s = np.array(self.sigma)[self.values.astype(int)]
        self.s = np.where(self.exists, s, 0)
        s, d = s[self.exists], max(sum(c > 1 for c in self.cells), 1) - 1
        with np.errstate(divide="ignore"):
            numbers |= {"wienerLower": len(s) / (1 / s).sum(), "wienerUpper": s.mean(),
                        "hashinShtrikmanLower": len(s) / (1 / (s + d * s.min())).sum() - d * s.min(),
                        "hashinShtrikmanUpper": 0 if s.max() == 0 else len(s) / (1 / (s + d * s.max())).sum() - d * s.max()}
        self.phases = []
        for phase in range(4):
            there = self.exists & (self.values == phase)
            g = oracle.Graph(there, *oracle.links(self.cells, self.steps, self.periodic)[:3])
            _, sizes = g.clusters()
            self.phases.append(g)
            at = f"phases.{phase}."
            numbers |= {at + "sites": there.sum(), at + "share": there.sum() / self.exists.sum(), at + "clusters": len(sizes),
                        at + "largestCluster": sizes.max(initial=0)}  # fmt: skip

    def add_phases_across(self, axis, inlet, outlet, numbers):
        for phase, g in enumerate(self.phases):
            labels = g.joining(inlet, outlet)
            at = f"phases.{phase}."
            numbers |= {at + "spans": len(labels) > 0, at + "spanningClusters": len(labels),
                        at + "spanningSites": g.with_labels(labels).sum()}  # fmt: skip
        steps = oracle.STEPS["cubic 6"]
        g = oracle.Graph(self.s > 0, *oracle.links(self.cells, steps, self.periodic)[:3])
        joined = g.with_labels(g.joining(inlet, outlet))
        g = oracle.Graph(joined, g.a, g.b, g.turns)
        s = self.s[g.a], self.s[g.b]
        current = g.currents(2 / (1 / s[0] + 1 / s[1]), inlet, outlet, 2 * self.s)[0] if joined.any() else 0
        if axis < 0:
            numbers["effectiveConductance"] = current
        else:
            layers, area = self.section(axis)
            numbers["effectiveConductivity"] = current * layers / area

    def diameter(self, squares):
        squares = np.asarray(squares)
        return np.where(squares == np.iinfo(np.int32).max, np.inf, 2 * np.sqrt(squares) * self.wide[0])

    def add_thickness(self, numbers, fields):
        fields["thickness"] = self.diameter(self.balls.covered())
        lengths = np.sqrt(((oracle.apart(self.cells, self.periodic)[:, ~self.there] * self.stretched) ** 2).sum(2))
        fields["distance"] = lengths.min(1, initial=np.inf)
        d = fields["thickness"][self.there]
        with np.errstate(invalid="ignore"):
            mean, deviation = (d.mean(), d.std() if np.ptp(d) > 0 else d[0] - d[0]) if len(d) else (np.nan, np.nan)
        numbers |= {"meanThickness": mean, "thicknessDeviation": deviation, "largestThickness": d.max() if len(d) else None}

    def add_pores_across(self, axis, inlet, outlet, numbers, fields):
        a, b, turns, _ = oracle.links(self.cells, self.steps, self.periodic)
        all_of_it = oracle.Graph(np.ones(len(self.x), bool), a, b, turns)
        entered, through, trapped = self.balls.drained(all_of_it, inlet, outlet, self.trapping)
        fields["drainage"] = self.diameter(entered)
        sites = self.there.sum()
        numbers |= {"breakthroughDiameter": self.diameter(through) if through else None,
                    "drainedShare": (entered > 0).sum() / sites if sites else None}  # fmt: skip
        if self.trapping:
            numbers["trappedSites"] = trapped
        length = oracle.lengths(self.cells, self.periodic, self.wide, self.there, inlet)
        fields["geodesic"] = np.where(np.isinf(length), -1, length)
        ends = length[outlet & self.there]
        ends = ends[np.isfinite(ends)]
        numbers["shortestGeodesic"] = ends.min() if len(ends) else None
        if axis >= 0:
            straight = (self.section(axis)[0] - 1) * self.wide[axis]
            numbers["geodesicTortuosity"] = ends.mean() / straight if len(ends) and straight > 0 else None
