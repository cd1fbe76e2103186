#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Meshes that OpenFOAM made are read from constant/polyMesh: blockMesh's, whose blockMeshDict is away then, ascii and binary, and the
# same behind renumberMesh, whose cells lie in any order. T is laplacianFoam's, value by value in the order of the files, and that of the
# blockMeshDict. Left out where OpenFOAM is not installed.
set -eu
: "${WM_PROJECT_DIR:=/usr/share/openfoam}"
export WM_PROJECT_DIR
for tool in blockMesh renumberMesh subsetMesh setFields topoSet laplacianFoam python3; do
  command -v "$tool" > /dev/null || { echo "left out: no $tool"; exit 77; }
done

numbers() { # file of a field: the values of internalField, a line each
  awk '/^internalField/ { on = 1 } on && /^\)/ { exit } on && /^[-0-9.e+]+$/ { if (n++) print }' "$1"
}
differ() { # two files of numbers: the largest difference
  paste "$1" "$2" | awk 'NF != 2 { exit 1 } { d = $1 > $2 ? $1 - $2 : $2 - $1; if (d > worst) worst = d } END { print NR, worst + 0 }'
}
made() { # FOLDER: a case, the same for all
  rm -rf "$1"
  FORMAT=ascii PRECISION=17 XC="0.8 1.0 1.3" R1=0.06 R2=0.11 bash "$SOURCE/tests/support/make_case.sh" 60 48 "$1" DICPCG 1e-13 3
}

rm -rf runs && mkdir runs
made runs/dict
"$MPIEXEC" -n 2 "$TESSERA" run runs/dict > runs/dict.log 2>&1 || { tail -5 runs/dict.log; exit 1; }
end=$(awk '$1 == "endTime" { print $2 + 0 }' runs/dict/system/controlDict)
numbers "runs/dict/$end/T" > expected

for kind in ascii binary renumbered holes; do
  made "runs/$kind"
  made "runs/$kind.foam"
  (
    cd "runs/$kind.foam"
    [ "$kind" != binary ] || sed -i 's/^writeFormat.*/writeFormat binary;/' system/controlDict
    blockMesh
    sed -i 's/^writeFormat.*/writeFormat ascii;/' system/controlDict
    if [ "$kind" = holes ]; then
      printf 'FoamFile { version 2.0; format ascii; class dictionary; object topoSetDict; }\nactions ( %s );\n' \
        '{ name kept; type cellSet; action new; source boxToCell; box (-1 -1 -1) (9 9 9); }
         { name kept; type cellSet; action subtract; source cylinderToCell; p1 (1.7 0.4 -1); p2 (1.7 0.4 1); radius 0.2; }' > dict
      cp system/topoSetDict kept
      cp dict system/topoSetDict
      topoSet
      cp kept system/topoSetDict
      subsetMesh -overwrite -patch top kept
      rm -rf constant/polyMesh/sets
    fi
    [ "$kind" != renumbered ] || renumberMesh -overwrite
    cp -r constant/polyMesh kept_mesh
    setFields
    topoSet
    laplacianFoam
  ) > "runs/$kind.foam.log" 2>&1 || { tail -20 "runs/$kind.foam.log"; exit 1; }
  rm "runs/$kind/system/blockMeshDict"
  cp -r "runs/$kind.foam/kept_mesh" "runs/$kind/constant/polyMesh"
  "$MPIEXEC" -n 2 "$TESSERA" run "runs/$kind" > "runs/$kind.log" 2>&1 || { tail -5 "runs/$kind.log"; exit 1; }
  grep -q "^Mesh of constant/polyMesh" "runs/$kind.log" || { echo "$kind: the log tells no mesh"; exit 1; }
  numbers "runs/$kind.foam/$end/T" > theirs
  numbers "runs/$kind/$end/T" > ours
  echo "$kind: values and largest difference from laplacianFoam [K]: $(differ theirs ours)"
  differ theirs ours | awk '{ exit !($1 > 2000 && $2 < 1e-9) }' || exit 1
  case $kind in
    ascii | binary) differ expected ours | awk '{ exit !($1 == 2880 && $2 < 1e-9) }' || { differ expected ours; exit 1; } ;;
    renumbered) ! cmp -s <(cut -c1-9 theirs) <(cut -c1-9 expected) || { echo "renumberMesh left the order as it was"; exit 1; } ;;
  esac
done
