#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random cases (openfoam_case.py) in OpenFOAM's laplacianFoam and here, from the same directory, on 1 to 4 ranks:
#   openfoam_random.sh [CASES [SEED]]          cases SEED, SEED + 1, ...
# A line each: the mean and the largest difference of T relative to what is allowed, max(10 tolerance, 1e-8) of the largest T, and the
# iterations of OpenFOAM and ours. Tolerances bound a residual, of each step. Where a cell differs by more than is allowed, both
# programs run again with tolerance 1e-12: then it must differ by less than 1e-8, and the mean error that the case's own tolerance left
# in our T must be what is allowed. Two more lines: that difference, and both programs' own errors.
# A source without cells, which OpenFOAM lets pass, is refused here. TESSERA names the program. Directories stay in
# ./openfoam_random; exit code 1 where a case differs.
set -u
cases=${1:-50} seed=${2:-1}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${TESSERA:=$here/../build/release/tessera}" "${MPIEXEC:=mpirun}" "${WM_PROJECT_DIR:=/usr/share/openfoam}"
export WM_PROJECT_DIR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none
command -v laplacianFoam > /dev/null || { echo "left out: no laplacianFoam"; exit 0; }
TESSERA=$(realpath "$TESSERA")

openfoam() { # directory
  (cd "$1" && blockMesh && setFields && topoSet && laplacianFoam) > "$1.log" 2>&1
}
ours() { # directory, ranks
  "$MPIEXEC" -np "$2" "$TESSERA" run "$1" > "$1.log" 2>&1 ||
    { grep -q 'ranks are more than' "$1.log" && "$TESSERA" run "$1" > "$1.log" 2>&1; }
}
compare() { # two directories: a line; 2: a cell differs by more than is allowed
  python3 "$here/openfoam_compare.py" "$1" "$2" "$1.log" "$2.log" 2>&1
}
tightly() { # directory, ranks: both again with tolerance 1e-12; fails where what remains is not the error of the solvers
  local dir=$1.tight form='%4s %-12s %-52s %s\n' line error bad=0
  python3 "$here/openfoam_case.py" "${1##*/}" "$dir"
  sed -i -E 's/tolerance [0-9e-]+; relTol 0; maxIter/tolerance 1e-12; relTol 0; maxIter/' "$dir/system/fvSolution"
  sed -i 's/^tolerance: .*/tolerance: 1e-12/' "$dir/PARAMETERS"
  cp -r "$dir" "$dir.foam"
  openfoam "$dir.foam" || { bad=1; echo "OpenFOAM stops with $?:"; tail -5 "$dir.foam.log"; }
  ours "$dir" "$2" || { bad=1; echo "ours stops with $?:"; tail -5 "$dir.log"; }
  line=$(compare "$dir.foam" "$dir") || bad=1
  printf "$form" '' '' 'again with tolerance 1e-12, allowed 1e-8' "$line"
  line=$(compare "$dir" "$1")
  error=$(compare "$dir" "$1.foam")
  awk '{ exit !($2 <= 1) }' <<< "$line" || bad=1
  printf "$form" '' '' 'errors before: ours, OpenFOAM'"'"'s' "${line% iter*}; ${error% iter*}"
  return $bad
}

rm -rf openfoam_random && mkdir openfoam_random
bad=0 again=0
for n in $(seq "$seed" $((seed + cases - 1))); do
  dir=openfoam_random/$n
  python3 "$here/openfoam_case.py" "$n" "$dir" || exit 1
  cp -r "$dir" "$dir.foam"
  solver=$(sed -n 's/^solver: //p' "$dir/PARAMETERS") ddt=$(sed -n 's/^ddt: //p' "$dir/PARAMETERS")
  printf '%4d %-12.12s %-52.52s ' "$n" "$ddt" "$solver"
  if ! { openfoam "$dir.foam"; } 2> /dev/null; then
    reason=$(grep -A3 'FATAL' "$dir.foam.log" | sed -n 2p)
    echo "OpenFOAM stops: ${reason:-$(grep -o 'sigFpe' "$dir.foam.log"), $(grep -o ': source .* has no cells' <("$TESSERA" check "$dir" 2>&1))}"
    continue
  fi
  ranks=$((n % 4 + 1))
  if ! ours "$dir" "$ranks" && refused=$(grep -m1 -o ': source .* has no cells' "$dir.log"); then
    echo "refused$refused"
    continue
  fi
  line=$(compare "$dir.foam" "$dir")
  verdict=$?
  echo "$line"
  if [ $verdict = 2 ]; then
    again=$((again + 1))
    tightly "$dir" "$ranks" || bad=$((bad + 1))
  elif [ $verdict != 0 ]; then
    bad=$((bad + 1))
    tail -1 "$dir.log"
  fi
  # elsewhere blocks are numbered in another order there, so that DIC is another one
  grep -q 'in order: True' "$dir/PARAMETERS" && [[ $solver == *PCG*\ DIC\;* ]] && echo "$line" >> openfoam_random/dic
done
echo "$cases cases, $bad differ, $again run again"
[ -f openfoam_random/dic ] && awk '{ d = $NF / $(NF - 1) - 1; if (d < 0) d = -d; if (d > worst) worst = d; a += $(NF - 1); b += $NF }
  END { printf "DICPCG, blocks in order, %d cases: iterations %d and %d, largest difference of a case %.1f %%\n", NR, a, b, 100 * worst }' openfoam_random/dic
exit $((bad > 0))
