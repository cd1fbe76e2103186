#!/usr/bin/env bash
# Cases of three cables with random cells, places, conductivities, solver and tolerance run in OpenFOAM's laplacianFoam and here from
# the same directory: fields agree to 10 times the solver's tolerance or 1e-8 (relative, on average), function objects' files have the same
# words, averages and gradients agree alike, and OpenFOAM and ParaView open what was written. Left out where OpenFOAM is not installed.
#   openfoam.sh [CASES [SEED]]
set -eu
cases=${1:-4} seed=${2:-7}
: "${WM_PROJECT_DIR:=/usr/share/openfoam}"
export WM_PROJECT_DIR
for tool in blockMesh setFields topoSet laplacianFoam checkMesh python3; do
  command -v "$tool" > /dev/null || { echo "left out: no $tool"; exit 77; }
done

numbers() { # file of a field: the values of internalField, a line each
  awk '/^internalField/ { on = 1 } on && /^\)/ { exit } on && /^[-0-9.e+]+$/ { if (n++) print }' "$1"
}
words() { # file of a function object: its text without numbers
  sed -E 's/[-+]?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?/#/g; s/[ \t]+/ /g' "$1"
}
taken() { # log: time, field, initial and final residual, iterations and ExecutionTime of each step, by the rules of foamLog: the
  # word after a string, without , and :
  awk 'function word(after) { split(substr($0, index($0, after) + length(after)), w); gsub("[,:]", "", w[1]); return w[1] }
    /^[ \t]*Time = / { time = word("Time = ") }
    /Solving for/ { solved = solved " " word("Solving for ") " " word("Initial residual = ") " " word("Final residual = ") " " word("No Iterations ") }
    /ExecutionTime = / && solved { print time solved, word("ExecutionTime = "); solved = "" }' "$1"
}
fail() { echo "case $n ($*)"; cat "$dir/PARAMETERS"; exit 1; }

rm -rf runs && mkdir runs
for n in $(seq "$cases"); do
  dir=runs/case$n
  read -r nx ny x yc metal insulation solver tolerance scheme < <(awk -v seed="$((seed * 1000 + n))" 'BEGIN {
    srand(seed); split("DICPCG GAMG PCGGAMG", s)
    printf "%d %d %.3f %.3f %.4g %.4g %s 1e-%d %s\n", 48 + rand() * 50, 48 + rand() * 40, 0.6 + rand() * 0.3, 0.5 + rand() * 0.6,
      10 ^ (rand() * 3), 10 ^ (-2 + rand() * 2), s[1 + int(rand() * 3)], 7 + int(rand() * 5), rand() < 0.5 ? "orthogonal" : "corrected" }')
  XC="$x 1.0 1.3" YC=$yc R1=0.06 R2=0.11 LAM_METAL=$metal LAM_INS=$insulation SNGRAD=$scheme FORMAT=ascii \
    bash "$SOURCE/tests/support/make_case.sh" "$nx" "$ny" "$dir" "$solver" "$tolerance" 3
  cat >> "$dir/system/controlDict" << END
writeMesh yes;
functions
{
    minmax { type fieldMinMax; libs ("libfieldFunctionObjects.so"); fields (T DT); }
    points { type probes; libs ("libsampling.so"); fields (T); probeLocations ((1.011 0.913 0.004) (9 9 9)); }
    meanT  { type volFieldValue; libs ("libfieldFunctionObjects.so"); fields (T); operation volAverage; regionType cellZone;
             name conductor; writeFields false; }
    top    { type surfaceFieldValue; libs ("libfieldFunctionObjects.so"); fields (T); operation areaAverage; regionType patch;
             name top; writeFields false; }
    info   { type solverInfo; libs ("libutilityFunctionObjects.so"); fields (T); }
    avg    { type fieldAverage; libs ("libfieldFunctionObjects.so"); writeControl writeTime;
             fields ( T { mean on; prime2Mean on; base time; } ); }
    grad   { type writeObjects; libs ("libutilityFunctionObjects.so"); writeControl writeTime; objects (T gradTx gradTy); }
    line   { type sets; libs ("libsampling.so"); interpolationScheme cellPoint; setFormat csv; fields (T);
             sets ( across { type uniform; axis x; start (0.013 0.717 0.004); end (1.987 0.841 0.004); nPoints 25; } ); }
}
END
  cp -r "$dir" "$dir.foam"
  (cd "$dir.foam" && blockMesh && setFields && topoSet && laplacianFoam) > "$dir.foam.log" 2>&1 || { tail -20 "$dir.foam.log"; fail OpenFOAM; }
  "$MPIEXEC" -n 2 "$TESSERA" run "$dir" > "$dir.log" 2>&1 || { tail -5 "$dir.log"; fail tessera; }
  end=$(awk '$1 == "endTime" { print $2 + 0 }' "$dir/system/controlDict")

  # fields: in the norm of the residual, a sum of absolute values relative to the largest T. In a single cell behind bad insulation
  # each program's own error may be a hundred times that, so the largest difference is shown and bounded loosely.
  numbers "$dir.foam/$end/T" > expected
  numbers "$dir/$end/T" > found
  [ "$(wc -l < expected)" -eq $((nx * ny)) ] || fail "$(wc -l < expected) values"
  paste expected found | awk -v tol="$tolerance" '
    { d = $1 > $2 ? $1 - $2 : $2 - $1; sum += d; if (d > worst) worst = d; if ($1 > most) most = $1 }
    END { limit = 10 * tol * most; if (limit < 1e-8 * most) limit = 1e-8 * most
          printf "mean difference %.2g K, largest %.2g K, allowed %.2g K\n", sum / NR, worst, limit
          exit !(sum / NR <= limit && worst <= 100 * limit) }' || fail fields

  # what follows from T: in K, K2 and K/m, with the cells' size of some 10 mm
  for field in TMean TPrime2Mean gradTx gradTy; do
    paste <(numbers "$dir.foam/$end/$field") <(numbers "$dir/$end/$field") | awk -v tol="$tolerance" -v field="$field" '
      { d = $1 > $2 ? $1 - $2 : $2 - $1; sum += d }
      END { limit = 3000 * tol; if (limit < 3e-6) limit = 3e-6
            if (field != "TMean") limit *= 100
            if (NF != 2 || !(sum / NR <= limit)) { printf "%s: mean difference %.2g, allowed %.2g\n", field, sum / NR, limit; exit 1 } }' \
      || fail "$field"
  done

  for file in $(cd "$dir.foam" && find postProcessing -type f); do
    [ -f "$dir/$file" ] || fail "no $file"
    [ "$(words "$dir.foam/$file")" = "$(words "$dir/$file")" ] || [ "${file##*/}" = solverInfo.dat ] \
      || { diff <(words "$dir.foam/$file") <(words "$dir/$file"); fail "$file"; }
  done
  for file in faces owner neighbour boundary; do
    cmp <(sed '1,/^}/d' "$dir.foam/constant/polyMesh/$file" | grep -v '^// \*\|^$') \
      <(sed '1,/^}/d' "$dir/constant/polyMesh/$file" | grep -v '^// \*\|^$') || fail "$file"
  done
  (cd "$dir" && checkMesh) 2>&1 | grep -q '^Mesh OK' || fail checkMesh
  # what foamLog takes from both logs: the same steps, solutions of T and initial residuals
  taken "$dir.foam.log" > expected
  taken "$dir.log" > found
  paste expected found | awk -v tol="$tolerance" '
    function far(a, b) { return a > 1.001 * b || b > 1.001 * a }
    { bad = bad || NF != 12 || $1 != $7 || $2 != $8 || far($3, $9) || !($10 > 0 && $10 <= tol) || $11 !~ /^[0-9]+$/ || $12 !~ /^[0-9.]+$/ }
    END { exit bad || NR != 3 }' || { paste expected found; fail log; }
done

command -v pvpython > /dev/null || exit 0
touch "runs/case1/case.foam"
cat > reader.py << 'END'
import sys
from vtkmodules.vtkIOGeometry import vtkOpenFOAMReader
reader = vtkOpenFOAMReader()
reader.SetFileName(sys.argv[1])
reader.UpdateInformation()
reader.EnableAllCellArrays()
times = reader.GetTimeValues()
reader.UpdateTimeStep(times.GetValue(times.GetNumberOfValues() - 1))
mesh = reader.GetOutput().GetBlock(0)
print(times.GetNumberOfValues(), mesh.GetNumberOfCells(), mesh.GetCellData().GetArray('T').GetRange()[1] > 293.2)
END
shown=$(pvpython reader.py runs/case1/case.foam 2> /dev/null | tail -1)
cells=$(numbers "runs/case1/$end/T" | wc -l)
[ "$shown" = "2 $cells True" ] || { echo "ParaView: '$shown', expected '2 $cells True'"; exit 1; }
