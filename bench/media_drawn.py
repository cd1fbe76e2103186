# SPDX-License-Identifier: Apache-2.0
"""Random media, each from its number alone, as media.py gives them to the program, and what is known of them."""
import pathlib
import sys

import media_oracle as oracle
import numpy as np
from scipy import ndimage

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cases/percolation"))
import reference  # noqa: E402

SITES = {"square 4": 0.593, "square 8": 0.407, "triangular 6": 0.5, "honeycomb 3": 0.697, "kagome 4": 0.653, "cubic 6": 0.312,
         "cubic 18": 0.137, "cubic 26": 0.098, "bcc 8": 0.246, "fcc 12": 0.199}  # fmt: skip
BONDS = {"square 4": 0.5, "triangular 6": 0.347, "honeycomb 3": 0.653, "kagome 4": 0.524, "cubic 6": 0.249, "bcc 8": 0.18,
         "fcc 12": 0.12}  # fmt: skip
APART = "square 4", "honeycomb 3", "cubic 6", "bcc 8"
FAMILIES = ["plane", "plane", *SITES, "listed", "listed", "bonds", "bonds", "phases", "pores", "pores"]
SIDES = "left", "right", "bottom", "top", "back", "front"


class Drawn:
    """One medium: what is asked (`dictionaries`, `arrays`) and what is known of it."""

    def __init__(self, n):
        self.n, self.rng = n, np.random.default_rng([7, n])
        self.family = FAMILIES[n % len(FAMILIES)]
        self.asked, self.arrays, self.input, self.region = {}, {}, {}, None
        self.choose_lattice()
        self.choose_cells()
        self.choose_sites()
        self.choose_ends()
        self.choose_more()
        self.choose_grid()

    def one(self, *values):
        return values[self.rng.integers(len(values))]

    def chance(self, p):
        return self.rng.random() < p

    def choose_lattice(self):
        f = self.family
        self.bonds = f == "bonds"
        self.lattice = f if f in SITES else "square 4" if f == "plane" else self.one(*BONDS) if self.bonds else self.one(
            "square 4", "square 8", "cubic 6", "cubic 26", "cubic 18", "cubic 6")  # fmt: skip
        self.flat = self.lattice.split()[0] in ("square", "triangular", "honeycomb", "kagome")
        if f == "listed":
            self.flat = self.chance(0.5)
            far = int(self.one(1, 2, 2, 3, 8))
            steps = set()
            wanted = int(self.rng.integers(1, 12)) + (not self.flat)
            while len(steps) < wanted and (far > 1 or len(steps) < 3):
                d = tuple(int(x) for x in self.rng.integers(-far, far + 1, 3) * (1, 1, not self.flat))
                if d != (0, 0, 0) and tuple(-x for x in d) not in steps:
                    steps.add(d)
            if not self.flat and not any(d[2] for d in steps):
                steps.add((0, 0, 1))
            self.steps, self.lattice = sorted(steps), "listed"
            self.asked["lattice"] = {"neighbours": self.steps}
            return
        self.steps = oracle.STEPS[self.lattice]
        name, connectivity = self.lattice.split()
        if self.lattice != "square 4" or self.chance(0.5):
            self.asked |= {"lattice": name, "connectivity": int(connectivity)}

    def choose_cells(self):
        most = 18 if self.family in ("phases", "pores") or self.bonds else 36
        if self.flat:
            cells = [*self.rng.integers(2, most, 2), 1]
            if self.chance(0.25):  # thin, or rows of several words
                cells = [self.rng.integers(2, 4 * most), self.rng.integers(1, 8), 1]
            if self.chance(0.4):
                cells = [cells[1], cells[0], 1]
        else:
            most = most // 3 + (2 if self.bonds or most > 18 else 4)
            cells = list(self.rng.integers(2, most, 3))
            if self.chance(0.2):
                cells[self.rng.integers(3)] = self.rng.integers(1, 3)
            if self.chance(0.15):
                cells[self.rng.integers(3)] = self.rng.integers(10, 4 * most)
            if cells[2] == 1 and self.family == "listed":
                cells[2] = 2
            while np.prod(cells) > 2500 or np.prod(cells) > 700 and self.family in ("phases", "pores"):
                cells[np.argmax(np.array(cells) < max(cells))] //= 2
                cells = [max(c, 1) for c in cells]
        if max(cells) == 1:
            cells[1] = 5
        self.periodic = [c > 1 and self.family != "plane" and self.chance(0.25) for c in cells]
        period = {"honeycomb": 3, "kagome": 2}.get(self.lattice.split()[0], 1)
        cells = [int(c + -c % period) if round_ else int(c) for c, round_ in zip(cells, self.periodic)]
        self.sites_along, self.cells, self.wide = tuple(cells), tuple(cells), [1.0, 1.0, 1.0]
        if self.family not in ("phases", "pores") and self.chance(0.3):
            self.wide = [float(self.one(0.5, 1, 2.5)) for _ in cells]
        elif self.chance(0.5):
            self.wide = [float(self.one(0.25, 3, 1e-6))] * 3

    def choose_sites(self):
        """What is occupied, in a frame that is left out here; how the program is told."""
        p = {"phases": 0.6, "pores": 0.6, "listed": min(0.9, 1.6 / len(self.steps))}.get(self.family)
        p = p or (BONDS if self.bonds else SITES)[self.lattice]
        p = float(min(1, p * self.rng.uniform(0.85, 1.6))) if self.chance(0.9) else float(self.one(0.02, 0.93, 1))
        x = oracle.places(self.cells)
        seed = int(self.rng.integers(1 << 40))
        self.frame, self.numbers = "none", oracle.number(x, self.cells)
        random = self.chance(0.4) and self.family not in ("phases", "pores")
        if self.family == "plane":
            self.frame = self.one("inside", "outside", "none") if min(self.cells[:2]) >= 3 else self.one("outside", "none")
            random = self.chance(0.5)
            if self.chance(0.8) or self.frame != ("inside" if random else "outside"):
                self.asked["frame"] = self.frame
            edge = {"inside": -1, "outside": 1}.get(self.frame, 0)
            grown = (self.cells[0] + 2 * max(edge, 0), self.cells[1] + 2 * max(edge, 0), 1)
            if edge < 0:  # the outermost cells are the frame
                self.whole = self.cells
                self.cells = (self.cells[0] - 2, self.cells[1] - 2, 1)
                x = oracle.places(self.cells)
            if edge:
                self.numbers = oracle.number(x + (1, 1, 0), grown)
        if self.bonds:
            return self.draw_bonds(p, seed)
        self.x, self.exists = x, oracle.exists(self.lattice, x)
        if random:
            self.input = {"type": "random", "probability": p, "seed": seed}
            self.there = self.exists & (reference.uniform(seed, 0, self.numbers.astype(np.uint64)) < p)
        else:
            noise = self.rng.random(self.cells[::-1])
            if self.chance(0.5):
                noise = ndimage.gaussian_filter(noise, self.one(0.5, 1, 2), mode="wrap")
            level = np.quantile(noise, p) if p < 1 else 2
            self.there = self.exists & (noise < level).ravel()
            array = (noise < level).astype(self.one("u1", "i4", "f4"))
            self.input = {"type": "picture", "file": "medium", "level": 0.5, "occupied": "light"}
            if self.family == "phases":
                array = np.digitize(noise, np.quantile(noise, [0.25, 0.5, 0.8])).astype(self.one("u1", "i4", "f4"))
                self.there = np.isin(array, (1, 2)).ravel()
                self.input = {"type": "picture", "file": "medium", "phases": [1, 2]}
            self.values = array.ravel().astype(float)
            if self.frame == "inside":
                array = np.pad(array[0], 1, constant_values=1)[None]
            self.arrays["medium"] = array
        self.nodes = oracle.Graph(self.there, *oracle.links(self.cells, self.steps, self.periodic)[:3])

    def draw_bonds(self, p, seed):
        n = np.array(self.cells)
        wide = np.where(n == 1, 1, np.where(self.periodic, 2 * n, 2 * n - 1))
        site, x = oracle.exists(self.lattice, x := oracle.places(self.cells)), x
        cell = oracle.number(2 * x, wide)
        there, may = np.zeros(wide.prod(), bool), np.zeros(wide.prod(), bool)
        there[cell[site]] = True
        ends = []
        a, b, _, d = oracle.links(self.cells, self.steps, self.periodic)
        both = site[a] & site[b]
        a, d = a[both], d[both]
        for half in 0, 1:  # from a site to its bond, from the bond to the other site
            begin = (2 * x[a] + half * d) % wide
            to = begin + d
            ends.append((oracle.number(begin, wide), oracle.number(to % wide, wide), to // wide))
        bond = ends[1][0]
        may[bond] = True
        there |= may & (reference.uniform(seed, 0, np.arange(wide.prod(), dtype=np.uint64)) < p)
        self.input = {"type": "bonds", "probability": p, "seed": seed}
        self.is_bond, self.is_site = may, np.zeros(wide.prod(), bool)
        self.is_site[cell[site]] = True
        self.cells = tuple(int(c) for c in wide)
        self.x, self.there = oracle.places(self.cells), there
        self.exists = self.is_site | may
        a, b, turns = (np.concatenate(part) for part in zip(*ends))
        self.nodes, self.full = oracle.Graph(there, a, b, turns), (a, b, turns)

    def choose_region(self):
        space = min(self.cells) > 1
        kind = self.one("mask", "mask", "box", "cylinder")
        centre = (self.x + 0.5) * self.wide
        if kind == "cylinder" and not (space or self.cells[2] == 1 and min(self.cells[:2]) > 1):
            kind = "mask"
        if kind == "mask":
            smooth = ndimage.gaussian_filter(self.rng.random(self.cells[::-1]), self.one(0.01, 1, 2))
            inside = (smooth > np.quantile(smooth, self.one(0.1, 0.3, 0.5))).ravel()
            asked = {"type": "mask", "file": "region", "level": 0.5, "occupied": "light"}
            self.arrays["region"] = inside.reshape(self.cells[::-1]).astype("u1")
        elif kind == "box":
            corners = np.sort(self.rng.uniform(-1, np.array(self.cells) + 1, (2, 3)), axis=0) * self.wide
            corners[:, np.array(self.cells) == 1] = [[-1], [9e9]]
            inside = ((centre >= corners[0]) & (centre <= corners[1])).all(1)
            asked = {"type": "box", "from": corners[0].tolist(), "to": corners[1].tolist()}
        else:
            self.along = int(self.rng.integers(3)) if space else 2
            across = [a for a in range(3) if a != self.along]
            middle = np.array([self.cells[a] * self.wide[a] * self.rng.uniform(0.4, 0.6) for a in across])
            radius = max(self.cells[a] * self.wide[a] for a in across) * self.rng.uniform(0.3, 0.6)
            inside = ((centre[:, across] - middle) ** 2).sum(1) <= radius**2
            asked = {"type": "cylinder", "axis": "xyz"[self.along], "centre": middle.tolist(), "radius": radius}
        inside &= self.exists
        if not inside.any():
            return
        if self.chance(0.3):
            asked["outside"] = "solid"
        self.region, self.asked["region"], self.exists = inside, asked, inside
        self.solid_outside = "outside" in asked
        self.there = self.there & inside
        self.nodes = oracle.Graph(self.there, *oracle.links(self.cells, self.steps, self.periodic)[:3])

    def layer(self, side):
        x = self.x[:, side // 2]
        return (self.is_site if self.bonds else self.exists) & (x == self.bounds[side % 2, side // 2])

    def choose_ends(self):
        self.along = -1
        if self.family != "plane" and not self.bonds and self.chance(0.25):
            self.choose_region()
        box = self.exists if self.region is not None else np.ones(len(self.x), bool)
        self.bounds = np.array([self.x[box].min(0), self.x[box].max(0)])
        several = [a for a in range(3) if (self.whole if self.frame == "inside" else self.cells)[a] > 1]
        mantle = self.region is not None and self.along >= 0 and self.cells[2] > 1
        open_ = [a for a in several if not self.periodic[a]]
        self.crossings = []
        if self.family != "plane" and self.chance(0.25) and not (self.family in ("phases", "pores") and not open_):
            self.choose_ports([] if mantle else open_)
        elif self.family == "plane" and self.chance(0.15):
            axis = self.one(*several)
            ends = [2 * axis, 2 * axis + 1][:: self.one(1, -1)]
            self.asked |= {"inlet": SIDES[ends[0]], "outlet": SIDES[ends[1]]}
            self.cross("xyz"[axis], axis, *(self.layer(side) for side in ends))
        else:
            axes = [self.along] if mantle else several if self.chance(0.4) else [self.one(*several)]
            if self.family in ("phases", "pores") and not any(a in open_ for a in axes):
                self.periodic[axes[0]] = False
                self.nodes = oracle.Graph(self.there, *oracle.links(self.cells, self.steps, self.periodic)[:3])
            self.asked["direction"] = "all" if axes == several else "xyz"[axes[0]]
            for a in axes:
                self.cross("xyz"[a], a, self.layer(2 * a), self.layer(2 * a + 1))

    def cross(self, name, axis, inlet, outlet):
        self.crossings.append((name, axis, axis >= 0 and self.periodic[axis], inlet, outlet))

    def choose_ports(self, open_):
        sides = [s for a in open_ for s in (2 * a, 2 * a + 1)]
        ends, chosen = [], []
        for name in "inlet", "outlet":
            left = [s for s in sides if s not in chosen]
            if left and self.chance(0.6):
                chosen.append(self.one(*left))
                self.asked[name] = SIDES[chosen[-1]]
                ends.append(self.layer(chosen[-1]))
                continue
            chosen.append(-1)
            mask = self.rng.random(len(self.x)) < self.one(0.02, 0.1, 0.5)
            self.arrays[name] = mask.reshape(self.cells[::-1]).astype("u1")
            self.asked[name] = {"file": name, "level": 0.5, "occupied": "light"}
            ends.append(mask & self.exists & (self.is_site if self.bonds else True))
        axis = chosen[0] // 2 if min(chosen) >= 0 and chosen[0] // 2 == chosen[1] // 2 else -1
        self.cross("xyz"[axis] if axis >= 0 else "ports", axis, *ends)

    def choose_more(self):
        ended = any(not periodic for _, _, periodic, _, _ in self.crossings)
        whole = all(not periodic for _, _, periodic, _, _ in self.crossings)
        apart = not self.bonds or self.lattice in APART
        side = all(axis >= 0 for _, axis, _, _, _ in self.crossings)
        framed = self.lattice == "square 4" and self.flat and side and not (self.bonds or any(self.periodic))
        framed = framed and self.region is None
        self.plane, self.definition = framed and (self.family == "plane" or self.chance(0.3)), "D2"
        if framed and not self.plane:
            self.asked["method"] = "lattice"
        elif self.plane:
            if self.family != "plane":
                self.frame = "none" if self.input["type"] == "random" else self.one("none", "outside")
                self.asked["frame"] = self.frame
            self.definition = self.one("D1", "D1", "D2")
            if self.definition == "D2" or self.chance(0.5):
                self.asked["definition"] = self.definition
            if self.chance(0.2):
                self.asked["propagation"] = "synchronous"
        self.backbone = self.plane or ended and apart and not self.chance(0.07)
        if self.backbone != (ended and apart):
            self.asked["backbone"] = self.backbone
        self.path = ended and apart and not self.chance(0.1)
        if ended and apart and not self.path:
            self.asked["shortestPath"] = False
        self.fields = ["occupied", "label", "spanning"]
        if self.backbone:
            self.fields += ["backbone", "articulation", "red", "dangling"]
        if self.region is not None:
            self.fields.append("region")
        self.current = whole and apart and self.chance(0.7)
        if self.current:
            picture = self.input["type"] == "picture"
            self.bond = self.one(1, 2)
            self.asked["conductivity"] = True
            if self.bond != (2 if picture else 1) or self.chance(0.5):
                self.asked["electrodes"] = "faces" if self.bond == 2 else "sites"
            if self.backbone and self.chance(0.2):
                self.asked["verify"] = True
            self.fields += ["potential", "flux", "dissipation"]
        if self.family == "phases":
            self.sigma = [0.0 if self.chance(0.3) else float(10 ** self.rng.uniform(-2, 1)) for _ in range(4)]
            self.asked |= {"phaseTable": True, "phaseValues": [0, 1, 2, 3], "effectiveConductivity": True,
                           "conductivities": [[v, s] for v, s in enumerate(self.sigma)]}  # fmt: skip
        if self.family == "pores":
            self.asked |= {"geodesic": True, "thickness": True, "drainage": True}
            self.trapping = self.chance(0.6)
            if self.trapping:
                self.asked["trapping"] = True
            self.fields += ["thickness", "drainage", "geodesic"]
        self.asked["fields"] = [f for f in self.fields if self.chance(0.9)]
        self.fields = self.asked["fields"] + ["distance"]  # which is a function of the package, of cells of any lengths
        self.stretched = [self.wide[0] * x for x in (1, 1.5, 0.7)]

    def choose_grid(self):
        told = self.whole if self.frame == "inside" else self.sites_along if self.bonds else self.cells
        tile = None
        if self.chance(0.8):
            tile = [int(self.one(1, 2, 3, 5, 8, c, 64)) if c > 1 else 1 for c in self.cells]
            while np.prod([-(-c // t) for c, t in zip(self.cells, tile)]) > 60:
                tile = [t + 1 if c > 1 else 1 for c, t in zip(self.cells, tile)]
        self.grid = {"periodic": self.periodic, "tile": tile, "size": [w * c for w, c in zip(self.wide, told)]}
        if self.input["type"] != "picture":
            self.grid["cells"] = list(told)
        self.weights = self.rng.uniform(0.3, 1, 16) if self.chance(0.5) else None

    def axes_closed(self):
        return "".join(axis for axis, closed in zip("xyz", self.periodic) if closed)

    def dictionaries(self, ranks):
        """Of a case."""
        result = {"system/controlDict": {"application": "percolation"}, "system/gridDict": self.grid,
                  "constant/percolationProperties": {"input": self.input} | self.asked}  # fmt: skip
        if self.weights is not None:
            result["system/decomposeParDict"] = {"numberOfSubdomains": ranks, "method": "hierarchical",
                                                 "processorWeights": self.weights[:ranks].tolist()}  # fmt: skip
        return result
