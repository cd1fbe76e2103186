#!/usr/bin/env bash
# A run begun in one program goes on in the other, from a time directory: OpenFOAM from ours, we from OpenFOAM's. Both end where a run
# of OpenFOAM ends that was not interrupted, in every time scheme. Then random cases of every kind: bench/openfoam_random.sh.
# Left out where OpenFOAM is not installed.
set -eu
: "${WM_PROJECT_DIR:=/usr/share/openfoam}"
export WM_PROJECT_DIR
for tool in blockMesh setFields topoSet laplacianFoam python3; do
  command -v "$tool" > /dev/null || { echo "left out: no $tool"; exit 77; }
done
rm -rf runs && mkdir runs

openfoam() { # directory: laplacianFoam from where it is
  (cd "$1" && laplacianFoam) > "$1.log" 2>&1 || { tail -20 "$1.log"; exit 1; }
}
ours() {
  "$MPIEXEC" -n 2 "$TESSERA" run "$1" > "$1.log" 2>&1 || { tail -5 "$1.log"; exit 1; }
}
up_to() { # directory, step at which the run ends
  sed -i "s/^startFrom .*/startFrom latestTime;/; s/^endTime .*/endTime $(($2 * 86400));/; s/^writeInterval .*/writeInterval 1;/
          s/^writeControl .*/writeControl timeStep;/; s/^timePrecision .*/timePrecision 9;/" "$1/system/controlDict"
}
numbers() {
  awk '/^internalField/ { on = 1 } on && /^\)/ { exit } on && /^[-0-9.e+]+$/ { if (n++) print }' "$1"
}
check() { # found, expected, what
  paste <(numbers "$1/518400/T") <(numbers "$2/518400/T") | awk -v what="$3" '
    NF != 2 { short = 1 }
    { d = $1 > $2 ? $1 - $2 : $2 - $1; if (d > worst) worst = d }
    # the tolerance 1e-12 of a residual, in the worst cell behind insulation of 1 to 1300
    END { printf "%s: largest difference %.2g K of %d cells\n", what, worst, NR; exit !(NR == 960 && !short && worst < 1e-7) }'
}

for scheme in Euler backward "CrankNicolson 1" "CrankNicolson 0.6"; do
  name=runs/${scheme// /}
  XC="1.0" R1=0.06 R2=0.15 FORMAT=ascii PRECISION=17 bash "$SOURCE/tests/support/make_case.sh" 40 24 "$name" DICPCG 1e-12 6
  sed -i "s/default Euler/default $scheme/" "$name/system/fvSchemes"
  grep -q "$scheme" "$name/system/fvSchemes"
  # sources and cells are the same in both programs; boundaries that vary show that times go on
  case "$scheme" in # OpenFOAM writes the coefficients of a sine as functions, and what a table does out of bounds beside it
    Euler) value="sine; uniformValueCoeffs { amplitude table ((0 5) (518400 20)); frequency 2e-6; level 293.15; scale 1; t0 3600; }" ;;
    backward) value="table ((0 293.15) (100000 303)); outOfBounds repeat;" ;;
    *) value="table ((0 293.15) (259200 303) (518400 280));" ;;
  esac
  sed -i "s/top .*/top { type uniformFixedValue; uniformValue $value value uniform 293.15; }/" "$name/0/T"
  # and a value of DT on a patch, that it goes on
  sed -i 's/^    top .*/    top { type fixedValue; value uniform 3e-6; }/' "$name/0/DT"
  grep -q 3e-6 "$name/0/DT"
  up_to "$name" 6
  cp -r "$name" "$name.whole"
  (cd "$name.whole" && blockMesh && setFields && topoSet) > "$name.log" 2>&1
  cp -r "$name.whole" "$name.first"
  openfoam "$name.whole"

  up_to "$name.first" 3
  openfoam "$name.first"
  up_to "$name.first" 6
  ours "$name.first"
  grep -q "Goes on from $name.first/259200\$" "$name.first.log" || [ "$scheme" = Euler ] || { head "$name.first.log"; exit 1; }
  check "$name.first" "$name.whole" "$scheme, OpenFOAM then ours"

  up_to "$name" 3
  ours "$name"
  cp -r "$name.whole/constant/polyMesh" "$name/constant/"
  up_to "$name" 6
  openfoam "$name"
  check "$name" "$name.whole" "$scheme, ours then OpenFOAM"
done

bash "$SOURCE/bench/openfoam_random.sh" 12 1001
