#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every blockMeshDict of OpenFOAM's examples, as the mesh of a small case of laplacianFoam: which are taken, and what comes of them.

    openfoam_examples.py [check]          a line each: accepted, or refused and why; then the refusals by cause
    openfoam_examples.py compare [SEED]   after check, of a random half of the accepted ones: the largest difference of T from OpenFOAM's

Templates of m4 go through m4 first, and the grading of turbulentFlatPlate's is filled in, as their Allrun scripts do. What OpenFOAM's own blockMesh refuses is told apart in `compare`.
TESSERA names the program, EXAMPLES the folder, CELLS the largest mesh that is run (200000), TMP where cases are made
(./openfoam_examples); MESH=polyMesh: compare reads the mesh from the files that blockMesh made. Exit code 1 where a case differs by more than 1e-7 K.
"""
import collections
import gzip
import os
import random
import re
import shutil
import subprocess
import sys

what = sys.argv[1] if len(sys.argv) > 1 else "check"
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
here = os.path.dirname(os.path.abspath(__file__))
tessera = os.path.abspath(os.environ.get("TESSERA", here + "/../build/release/tessera"))
examples = os.environ.get("EXAMPLES", "/usr/share/doc/openfoam-examples/examples")
largest = int(os.environ.get("CELLS", "200000"))
poly_mesh = os.environ.get("MESH") == "polyMesh"
folder = os.environ.get("TMP", "openfoam_examples")
os.environ.setdefault("WM_PROJECT_DIR", "/usr/share/openfoam")
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

HEAD = "FoamFile {{ version 2.0; format ascii; class {}; object {}; }}\n"
CONTROL = """application laplacianFoam; startFrom startTime; startTime 0; stopAt endTime; endTime {end}; deltaT {step};
writeControl timeStep; writeInterval 3; writeFormat ascii; writePrecision 14; timePrecision 10;
"""
SCHEMES = """ddtSchemes { default Euler; } gradSchemes { default Gauss linear; } divSchemes { default none; }
laplacianSchemes { default Gauss linear corrected; } interpolationSchemes { default linear; } snGradSchemes { default corrected; }
"""
SOLUTION = """solvers { T { solver PCG; preconditioner DIC; tolerance 1e-13; relTol 0; maxIter 5000; } }
SIMPLE { nNonOrthogonalCorrectors 0; }
"""


def write(case, name, kind, text):
    os.makedirs(os.path.dirname(f"{case}/{name}"), exist_ok=True)
    with open(f"{case}/{name}", "w") as out:
        out.write(HEAD.format(kind, os.path.basename(name)) + text)


def run(command, case, seconds=300):
    try:
        done = subprocess.run(command, cwd=case, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return 124, "ran too long"


def all_meshes():
    found = []
    for path, _, files in os.walk(examples):
        found += [f"{path}/{name}" for name in files if name.startswith("blockMeshDict")]
    return sorted(found)


def make(mesh, case):
    """A case round the mesh: the files beside it that it may include, and a uniform T."""
    shutil.rmtree(case, ignore_errors=True)
    home = os.path.dirname(mesh)
    while os.path.basename(home) in ("system", "constant", "polyMesh") or "/system/" in home + "/" or "/constant/" in home + "/":
        home = os.path.dirname(home)
    for path, _, files in os.walk(home):
        for name in files:
            if os.path.getsize(f"{path}/{name}") < 200000:
                to = f"{case}/{os.path.relpath(path, home)}"
                os.makedirs(to, exist_ok=True)
                shutil.copy(f"{path}/{name}", to)
    shutil.rmtree(f"{case}/0", ignore_errors=True)
    os.makedirs(f"{case}/system", exist_ok=True)
    for name in ("fvOptions", "setFieldsDict", "topoSetDict", "decomposeParDict", "blockMeshDict", "fvSolution", "fvSchemes", "controlDict"):
        for at in ("system", "constant", "constant/polyMesh"):
            for end in ("", ".gz"):
                if os.path.exists(f"{case}/{at}/{name}{end}"):
                    os.remove(f"{case}/{at}/{name}{end}")
    text = (gzip.open(mesh, "rt", errors="replace") if mesh.endswith(".gz") else open(mesh, errors="replace")).read()
    if ".m4" in mesh:
        beside = case + "/" + os.path.relpath(os.path.dirname(mesh), home)
        text = subprocess.run(["m4"], input=text, cwd=beside, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    if mesh.endswith(".template"):
        text = text.replace("GRADING", "50000")  # for y+ 0.05
    with open(f"{case}/system/blockMeshDict", "w") as out:
        out.write(text)
    # files that it includes by names relative to itself
    beside = os.path.dirname(mesh)
    for name in os.listdir(beside):
        if os.path.isfile(f"{beside}/{name}") and not os.path.exists(f"{case}/system/{name}") and not name.startswith("blockMeshDict."):
            if name not in ("fvOptions", "setFieldsDict", "topoSetDict", "decomposeParDict", "blockMeshDict.gz"):
                shutil.copy(f"{beside}/{name}", f"{case}/system/{name}")
    write(case, "system/fvSchemes", "dictionary", SCHEMES)
    write(case, "system/fvSolution", "dictionary", SOLUTION)
    write(case, "system/controlDict", "dictionary", CONTROL.format(end=3, step=1))
    write(case, "constant/transportProperties", "dictionary", "DT DT [0 2 -1 0 0 0 0] 1;\n")
    # names of patches go before what setConstraintTypes says of types
    planes = re.findall(r"(\w+)\s*\{\s*type\s+symmetryPlane", text) + re.findall(r"symmetryPlane\s+(\w+)\s*\(", text)
    temperature(case, '".*" { type fixedValue; value uniform 300; }\n' + "".join(f"{name} {{ type symmetryPlane; }}\n" for name in planes))


def temperature(case, patches):
    write(case, "0/T", "volScalarField", f"""dimensions [0 0 0 1 0 0 0]; internalField uniform 310;
boundaryField {{ #includeEtc "caseDicts/setConstraintTypes"
{patches} }}
""")


CAUSES = [
    (r"#codeStream|codeStream", "#codeStream"),
    (r"#calc", "#calc"),
    (r"#eval", "#eval"),
    (r"do not fill a box", "holes: blocks do not fill a box"),
    (r"not above corner 0", "local axes turned or mirrored (or degenerate)"),
    (r"is not a box along the axes", "block is not a box along the axes"),
    (r"named and projected vertices", "named or projected vertices"),
    (r"edges.*not supported|edges'.*expected an empty|edges are not", "edges (arcs, splines, projections)"),
    (r"graded differently|is graded along", "gradings differ"),
    (r"has \d+ cells along .*beside it", "non-conformal numbers of cells"),
    (r"beside several blocks", "blocks do not share whole faces"),
    (r"holds a part of the side|is empty on side|not two opposite sides", "cyclic or empty on a part of a side"),
    (r"'type'.*valid|unknown type|patch of type", "type of patch"),
    (r"mergePatchPairs", "mergePatchPairs"),
    (r"surfaces are not supported", "geometry"),
]


def cause(message):
    for pattern, name in CAUSES:
        if re.search(pattern, message):
            return name
    return "other"


def check():
    causes, accepted = collections.defaultdict(list), []
    for number, mesh in enumerate(all_meshes()):
        short, case = os.path.relpath(mesh, examples), f"{folder}/{number}"
        make(mesh, case)
        code, text = run([tessera, "check", os.path.abspath(case)], ".")
        if code == 0:
            accepted.append((number, mesh))
            print(f"{number:3d} accepted  {short}", flush=True)
            continue
        lines = [line for line in text.splitlines() if re.search(r":\d+:|error|expected|valid|no such", line)] or text.splitlines()[-1:] or [""]
        message = re.sub(r"^.*openfoam_examples/\d+/", "", lines[0])
        causes[cause(message)].append((short, message))
        print(f"{number:3d} refused   {short}: {message}", flush=True)
    with open(f"{folder}/accepted", "w") as out:
        out.writelines(f"{number} {mesh}\n" for number, mesh in accepted)
    print(f"\n{len(accepted)} accepted, {sum(map(len, causes.values()))} refused:")
    for name, list_ in sorted(causes.items(), key=lambda x: -len(x[1])):
        print(f"{len(list_):4d} {name}")
    return accepted


def values(path):
    text = open(path).read()
    text = text[text.index("internalField"):]
    uniform = re.match(r"internalField\s+uniform\s+(\S+);", text)
    if uniform:
        return [float(uniform.group(1))]
    found = re.match(r"internalField\s+nonuniform List<scalar>\s*\d+\s*\(", text)
    return [float(x) for x in text[found.end():text.index(")", found.end())].split()]


def compare(accepted):
    pick = random.Random(seed)
    chosen = sorted(pick.sample(accepted, (len(accepted) + 1) // 2))
    bad = worst_of_all = ran = 0
    for number, mesh in chosen:
        short, case = os.path.relpath(mesh, examples), f"{folder}/{number}"
        code, text = run(["blockMesh"], case)
        if code != 0:
            print(f"{number:3d} OpenFOAM's blockMesh fails: {short}", flush=True)
            continue
        head = open(f"{case}/constant/polyMesh/owner", errors="replace").read(2000)
        cells = int(re.search(r"nCells:\s*(\d+)", head).group(1))
        if cells > largest:
            print(f"{number:3d} left out, {cells} cells: {short}", flush=True)
            continue
        box = [[float(x) for x in p.split()] for p in re.search(r"bounding ?box.*?\(([^()]*)\)\s*\(([^()]*)\)", text, re.I).groups()]
        # patches in turn: hot, cold, insulated, heated
        conditions = ["type fixedValue; value uniform 300;", "type fixedValue; value uniform 330;", "type zeroGradient;",
                      f"type fixedGradient; gradient uniform {10 / max(b - a for a, b in zip(*box)):.6g};"]
        patches, turn = "", 0
        for name, kind in re.findall(r"^\s{4}(\S+)\s*\{\s*type\s+(\w+);", open(f"{case}/constant/polyMesh/boundary").read(), re.M):
            if kind == "symmetryPlane":
                patches += f"{name} {{ type symmetryPlane; }}\n"
            if kind in ("patch", "wall", "mappedPatch", "mappedWall"):
                patches += f"{name} {{ {conditions[turn % 4]} }}\n"
                turn += 1
        temperature(case, patches)
        size = max(b - a for a, b in zip(*box))
        step = f"{1e-3 * size * size:.6g}"
        write(case, "system/controlDict", "dictionary", CONTROL.format(end=f"{3 * float(step):.9g}", step=step))
        theirs = case + ".foam"
        shutil.rmtree(theirs, ignore_errors=True)
        shutil.copytree(case, theirs)
        if not poly_mesh:
            shutil.rmtree(f"{case}/constant/polyMesh")
        ours = [tessera, "run", os.path.abspath(case)] + ["--set", "controlDict:readMesh=yes"] * poly_mesh
        one, two = run(["laplacianFoam"], theirs), run(ours, ".")
        if one[0] or two[0]:
            side = "OpenFOAM" if one[0] else "ours"
            print(f"{number:3d} {side} stops: {short}: {(one if one[0] else two)[1].strip().splitlines()[-1][:200]}", flush=True)
            bad += two[0] != 0
            continue
        last = max((n for n in os.listdir(theirs) if re.fullmatch(r"[0-9.e+-]+", n)), key=float)
        mine = max((n for n in os.listdir(case) if re.fullmatch(r"[0-9.e+-]+", n)), key=float)
        a, b = values(f"{theirs}/{last}/T"), values(f"{case}/{mine}/T")
        n = max(len(a), len(b))
        a, b = (a * n if len(a) == 1 else a), (b * n if len(b) == 1 else b)
        worst = max(abs(x - y) for x, y in zip(a, b)) if len(a) == len(b) else float("inf")
        ran += 1
        bad += worst > 1e-7
        worst_of_all = max(worst, worst_of_all)
        print(f"{number:3d} {worst:8.1e} K  {cells:7d} cells, T {min(a):.6g} to {max(a):.6g}  {short}", flush=True)
    print(f"{len(chosen)} chosen, {ran} run in both, {bad} differ by more than 1e-7 K or stop; largest difference {worst_of_all:.2g} K")
    return bad


os.makedirs(folder, exist_ok=True)
if what == "check":
    check()
else:
    lines = [line.split(None, 1) for line in open(f"{folder}/accepted").read().splitlines()]
    sys.exit(compare([(int(number), mesh) for number, mesh in lines]) > 0)
