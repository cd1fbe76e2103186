#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A random case of laplacianFoam on a rectilinear mesh: openfoam_case.py SEED DIR. What it has stands in DIR/PARAMETERS.

Blocks with gradings, patches that hold parts of a side, boundary conditions of every kind, fields set by shapes, zones with
sources, held cells, every time scheme, solver and format.
"""
import os
import random
import sys

seed, folder = int(sys.argv[1]), sys.argv[2]
pick = random.Random(seed)
said = {}
for sub in ("0", "constant", "system"):
    os.makedirs(f"{folder}/{sub}")


def note(key, value):
    said[key] = value
    return value


def number(lo, hi, logarithmic=False):
    if logarithmic:
        return float(f"{10 ** pick.uniform(*(map(__import__('math').log10, (lo, hi)))):.4g}")
    return float(f"{pick.uniform(lo, hi):.4g}")


def write(name, kind, text):
    head = f"FoamFile\n{{\n    version 2.0;\n    format ascii;\n    class {kind};\n    object {name.split('/')[-1]};\n}}\n"
    with open(f"{folder}/{name}", "w") as out:
        out.write(head + text)


# The mesh: a lattice of blocks, each axis in slabs of its own cells and grading.
dimensions = note("dimensions", pick.choices((1, 2, 3), (1, 8, 3))[0])
most = {1: 120, 2: 44, 3: 11}[dimensions]
several = note("several blocks", pick.random() < 0.6)
slabs = [pick.randint(1, 3) if several and a < dimensions else 1 for a in range(3)]
cells = [[pick.randint(3, most // slabs[a] + 3) if a < dimensions else 1 for _ in range(slabs[a])] for a in range(3)]
size = [number(0.1, 3) if a < dimensions else 0.01 for a in range(3)]
cuts = [[0.0] + sorted(float(f"{(s + pick.uniform(0.7, 1.3)) * size[a] / slabs[a]:.6g}") for s in range(slabs[a] - 1)) + [size[a]] for a in range(3)]
note("cells", cells)
periodic = [a < dimensions and pick.random() < 0.15 for a in range(3)]
note("periodic", periodic)


def grading(n):
    kind = pick.random()
    if kind < 0.4:
        return "1"
    if kind < 0.8 or n < 4:
        return str(pick.choice((number(0.2, 5), -number(1.5, 4))))
    return f"(({number(0.2, 0.8)} {number(0.3, 0.7)} {number(0.4, 3)}) ({number(0.2, 0.8)} {number(0.3, 0.7)} {number(0.4, 3)}))"


gradings = [[grading(n) for n in cells[a]] for a in range(3)]
note("gradings", gradings)
counts = [len(c) for c in cuts]
vertex = lambda i, j, k: (k * counts[1] + j) * counts[0] + i
places = [(i, j, k) for k in range(slabs[2]) for j in range(slabs[1]) for i in range(slabs[0])]
pick.shuffle(places)
if random.Random(f"order of blocks, {seed}").random() < 0.4:
    places.sort(key=lambda p: p[::-1])
# whether cells on both sides of a face of two blocks are numbered in the order of rows, so that DIC is the same here
note("in order", all(places.index(p) < places.index((*p[:a], p[a] + 1, *p[a + 1:])) for p in places for a in range(3) if p[a] + 1 < slabs[a]))
corners = lambda i, j, k: [vertex(i + a, j + b, k + c) for a, b, c in
                           ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))]
around = ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7))
blocks = ""
for i, j, k in places:
    zone = "hot " if (i, j, k) == places[0] else ""
    blocks += f"    hex ({' '.join(map(str, corners(i, j, k)))}) {zone}({cells[0][i]} {cells[1][j]} {cells[2][k]}) simpleGrading ({gradings[0][i]} {gradings[1][j]} {gradings[2][k]})\n"

# Patches: the faces of the blocks on a side go to one or several patches; sides may share a patch.
names = ("left", "right", "bottom", "top", "back", "front")
patches = {}  # name -> type, faces [(text, number of faces)], extra
for side in range(6):
    axis, high = side // 2, side % 2
    faces = []
    for place in places:
        if place[axis] == (slabs[axis] - 1 if high else 0):
            n = 1
            for a in range(3):
                n *= 1 if a == axis else cells[a][place[a]]
            faces.append(("(" + " ".join(str(corners(*place)[c]) for c in around[side]) + ")", n))
    if axis >= dimensions:
        patches.setdefault("flat", ["empty", [], ""])[1].extend(faces)
    elif periodic[axis]:
        # matched face by face, so in one order on both sides
        faces = [face for _, face in sorted(zip([p for p in places if p[axis] == (slabs[axis] - 1 if high else 0)], faces), key=lambda x: [x[0][a] for a in range(3) if a != axis])]
        patches[names[side]] = ["cyclic", faces, f"neighbourPatch {names[side ^ 1]};"]
    else:
        for face in faces:
            other = pick.random() < 0.4
            name = pick.choice(("heater", "outside")) if other else names[side]
            patches.setdefault(name, [pick.choice(("patch", "patch", "wall", "symmetry")) if not other else "wall", [], ""])[1].append(face)
patches = {name: patch for name, patch in patches.items() if patch[1]}
order = list(patches)
if not any(periodic):
    pick.shuffle(order)
boundary = "".join(f"    {name} {{ type {patches[name][0]}; {patches[name][2]} faces ({' '.join(f for f, _ in patches[name][1])}); }}\n" for name in order)
points = "".join(f"    ({x} {y} {z})\n" for z in cuts[2] for y in cuts[1] for x in cuts[0])
write("system/blockMeshDict", "dictionary", f"scale 1;\nvertices\n(\n{points});\nblocks\n(\n{blocks});\nedges ();\nboundary\n(\n{boundary});\n")

# T and what holds on the patches.
steady = note("steady", pick.random() < 0.15)
hot = number(280, 320)
tied = False


def condition(name):
    global tied
    kind, faces, _ = patches[name]
    if kind in ("empty", "cyclic", "symmetry"):
        return f"type {kind};"
    count = sum(n for _, n in faces)
    options = ["fixedValue", "list", "zeroGradient", "fixedGradient", "mixed", "table"]
    what = pick.choice(options)
    if (steady and not tied) or what in ("fixedValue", "list", "table"):
        tied = True
    if steady and what in ("zeroGradient", "fixedGradient") and not said.get("tied"):
        what = "fixedValue"
    said["tied"] = tied
    said[f"condition of {name}"] = what
    value = number(270, 330)
    if what == "fixedValue":
        return f"type fixedValue; value uniform {value};"
    if what == "list":
        return f"type fixedValue; value nonuniform List<scalar> {count}({' '.join(str(number(270, 330)) for _ in range(count))});"
    if what == "fixedGradient":
        return f"type fixedGradient; gradient uniform {number(-30, 30)};"
    if what == "mixed":
        return f"type mixed; refValue uniform {value}; refGradient uniform {number(-30, 30)}; valueFraction uniform {number(0.1, 0.9)}; value uniform {value};"
    if what == "table":
        return f"type uniformFixedValue; uniformValue table ((0 {value}) (3 {number(270, 330)}) (9 {number(270, 330)})); value uniform {value};"
    return "type zeroGradient;"


entries = {name: condition(name) for name in order}
write("0/T", "volScalarField", f"dimensions [0 0 0 1 0 0 0];\ninternalField uniform {hot};\nboundaryField\n{{\n"
      + "".join(f"    {name} {{ {entries[name]} }}\n" for name in order) + "}\n")
D = note("DT", number(1e-3, 1))
faces = random.Random(f"DT on patches, {seed}")  # of its own, so that cases keep what else they have


def diffusivity(name):
    """DT on a patch: that of the cells, or values of its own (which setFields takes from those of type calculated)."""
    count = sum(n for _, n in patches[name][1])
    if patches[name][0] in ("empty", "cyclic", "symmetry"):
        return f"type {patches[name][0]};"
    value = lambda: f"{D * 10 ** faces.uniform(-1, 1):.4g}"
    what = note(f"DT on {name}", faces.choice(("zeroGradient", "fixedValue", "list", "calculated")))
    if what == "zeroGradient":
        return "type zeroGradient;"
    if what == "list":
        return f"type fixedValue; value nonuniform List<scalar> {count}({' '.join(value() for _ in range(count))});"
    return f"type {what}; value uniform {value()};"


write("0/DT", "volScalarField", f"dimensions [0 2 -1 0 0 0 0];\ninternalField uniform {D};\nboundaryField\n{{\n"
      + "".join(f"    {name} {{ {diffusivity(name)} }}\n" for name in order) + "}\n")
write("constant/transportProperties", "dictionary", f"DT DT [0 2 -1 0 0 0 0] {D};\n")

# Shapes, zones, sources.
point = lambda: [pick.uniform(0.1, 0.9) * size[a] for a in range(3)]
text = lambda p: f"({p[0]:.5g} {p[1]:.5g} {p[2]:.5g})"
reach = lambda: number(0.1, 0.45) * min(size[:dimensions])


def shape():
    p = point()
    r = reach()
    kind = pick.choice(("cylinderToCell", "boxToCell", "sphereToCell", "rotatedBoxToCell"))
    said.setdefault("shapes", []).append(kind)
    if kind == "cylinderToCell":
        return f"{kind} {{ p1 {text([p[0], p[1], -1])}; p2 {text([p[0], p[1], 9])}; radius {r}; "
    if kind == "boxToCell":
        return f"{kind} {{ box {text([p[0] - r, p[1] - r, p[2] - 1])} {text([p[0] + r, p[1] + r, p[2] + 1])}; "
    if kind == "sphereToCell":
        return f"{kind} {{ centre {text(p)}; radius {r}; "
    return f"{kind} {{ origin {text([p[0], p[1], -1])}; i ({r} {r / 3:.4g} 0); j ({-r / 4:.4g} {r} 0); k (0 0 9); "


contrast = note("contrast", number(1, pick.choice((3, 100, 3000)), True))
regions = "".join(f"    {shape()} fieldValues (volScalarFieldValue DT {D * contrast ** pick.uniform(-1, 1):.5g}); }}\n" for _ in range(pick.randint(1, 4)))
if pick.random() < 0.3:
    regions += f"    {shape()} fieldValues (volScalarFieldValue T {number(280, 400)}); }}\n"
write("system/setFieldsDict", "dictionary", f"defaultFieldValues (volScalarFieldValue DT {D});\nregions\n(\n{regions});\n")
actions = ""
for action in ["new"] + pick.choices(("add", "delete", "invert", "subset"), k=pick.randint(0, 2)):
    if action == "invert":
        actions += "    { name some; type cellSet; action invert; }\n"
        continue
    kind, keys = shape().split(" { ")
    actions += f"    {{ name some; type cellSet; action {action}; source {kind}; {keys} }}\n"
    said.setdefault("actions", []).append(action)
write("system/topoSetDict", "dictionary", f"actions\n(\n{actions}    {{ name some; type cellZoneSet; action new; source setToCellZone; set some; }}\n);\n")
where = pick.choice(("all", "cellZone; cellZone some", "cellZone; cellZone hot", "cellSet; cellSet some"))
options = ""
if pick.random() < 0.7:
    mode = pick.choice(("specific", "absolute"))
    options += f"heat {{ type scalarSemiImplicitSource; active yes; selectionMode {where}; volumeMode {mode}; injectionRateSuSp {{ T ({number(-9, 9)} {pick.choice((0, number(-2, 0)))}); }} }}\n"
if pick.random() < 0.25:
    options += f"held {{ type scalarFixedValueConstraint; active yes; selectionMode cellZone; cellZone some; fieldValues {{ T {number(280, 330)}; }} }}\n"
if options:
    write("constant/fvOptions", "dictionary", options)
note("options", options.strip().replace("\n", " | "))

# Schemes, solvers, control.
ddt = note("ddt", "steadyState" if steady else pick.choice(("Euler", "Euler", "CrankNicolson 1", f"CrankNicolson {number(0, 1)}", "backward")))
gauss = note("laplacian", f"Gauss {pick.choice(('harmonic', 'linear'))} {pick.choice(('orthogonal', 'corrected', 'uncorrected', 'limited 0.5'))}")
write("system/fvSchemes", "dictionary", f"ddtSchemes {{ default {ddt}; }}\ngradSchemes {{ default Gauss linear; grad(T) Gauss linear; }}\ndivSchemes {{ default none; }}\n"
      f"laplacianSchemes {{ default none; laplacian(DT,T) {gauss}; }}\ninterpolationSchemes {{ default linear; }}\nsnGradSchemes {{ default {gauss.split(' ', 2)[2]}; }}\nfluxRequired {{ default no; T; }}\n")
tolerance = note("tolerance", f"1e-{pick.randint(6, 12)}")
solver = note("solver", pick.choice((
    "solver PCG; preconditioner DIC;", "solver PCG; preconditioner { preconditioner DIC; scope global; }",
    "solver PCG; preconditioner FDIC;", "solver PCG; preconditioner diagonal;", "solver PCG; preconditioner none;",
    "solver GAMG; smoother GaussSeidel;", "solver GAMG; smoother DICGaussSeidel;", "solver GAMG; smoother symGaussSeidel; nCellsInCoarsestLevel 20;",
    "solver PCG; preconditioner { preconditioner GAMG; smoother GaussSeidel; tolerance 1e-2; relTol 0; }",
    "solver smoothSolver; smoother symGaussSeidel; nSweeps 2;", "solver PBiCGStab; preconditioner DIC;")))
# with Crank-Nicolson v1912 forms the old derivative anew in each corrector, which spoils it: docs/openfoam.md
correctors = note("correctors", 0 if ddt.startswith("Crank") else pick.choice((0, 0, 1, 2)))
write("system/fvSolution", "dictionary", f"solvers {{ T {{ {solver} tolerance {tolerance}; relTol 0; maxIter 50000; }} }}\nSIMPLE {{ nNonOrthogonalCorrectors {correctors}; }}\n")
step = note("deltaT", 1 if steady else number(0.01, 3, True))
steps = 1 if steady else pick.randint(1, 6)
output = note("output", pick.choice(("writeFormat ascii; writePrecision 17;", "writeFormat binary;", "writeFormat ascii; writePrecision 17; writeCompression on;")))
write("system/controlDict", "dictionary", f"application laplacianFoam;\nstartFrom startTime;\nstartTime 0;\nstopAt endTime;\nendTime {step * steps:.12g};\ndeltaT {step};\n"
      f"writeControl timeStep;\nwriteInterval {steps};\npurgeWrite 0;\n{output}\ntimeFormat general;\ntimePrecision 6;\nrunTimeModifiable false;\n")
tile = [max(3, sum(cells[a]) // pick.randint(2, 4) + 1) if a < dimensions else 1 for a in range(3)]
write("system/decomposeParDict", "dictionary", f"numberOfSubdomains 2;\nmethod scotch;\ntile ({' '.join(map(str, tile))});\n")
with open(f"{folder}/PARAMETERS", "w") as out:
    for key, value in said.items():
        out.write(f"{key}: {value}\n")
