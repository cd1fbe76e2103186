#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random cases (openfoam_case.py) in OpenFOAM's laplacianFoam and here, from the same directory, on 1 to 4 ranks:
#   openfoam_random.sh [CASES [SEED]]          cases SEED, SEED + 1, ...
# A line each: the mean and the largest difference of T relative to what is allowed, max(10 tolerance, 1e-8) of the largest T, and the
# iterations of OpenFOAM and ours. The solvers' tolerance bounds a mean over the cells; where a single cell differs by more than
# is allowed, both programs run again with tolerance 1e-12, and then the largest difference must be below 1e-8 (a second line).
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
compare() { # directory: a line; 1: the mean is above what is allowed, 2: a cell is
  python3 "$here/openfoam_compare.py" "$1.foam" "$1" "$1.foam.log" "$1.log" 2>&1
}
tightly() { # directory, ranks: both again with tolerance 1e-12
  local dir=$1.tight
  python3 "$here/openfoam_case.py" "${1##*/}" "$dir"
  sed -i -E 's/tolerance [0-9e-]+; relTol 0; maxIter/tolerance 1e-12; relTol 0; maxIter/' "$dir/system/fvSolution"
  sed -i 's/^tolerance: .*/tolerance: 1e-12/' "$dir/PARAMETERS"
  cp -r "$dir" "$dir.foam"
  openfoam "$dir.foam" && ours "$dir" "$2" && compare "$dir"
}

rm -rf openfoam_random && mkdir openfoam_random
bad=0 again=0
for n in $(seq "$seed" $((seed + cases - 1))); do
  dir=openfoam_random/$n
  python3 "$here/openfoam_case.py" "$n" "$dir" || exit 1
  cp -r "$dir" "$dir.foam"
  solver=$(sed -n 's/^solver: //p' "$dir/PARAMETERS") ddt=$(sed -n 's/^ddt: //p' "$dir/PARAMETERS")
  printf '%4d %-12.12s %-52.52s ' "$n" "$ddt" "$solver"
  if ! openfoam "$dir.foam"; then
    echo "OpenFOAM refuses: $(grep -A3 'FATAL' "$dir.foam.log" | sed -n 2p)"
    continue
  fi
  ranks=$((n % 4 + 1))
  if ! ours "$dir" "$ranks" && refused=$(grep -m1 -o ': source .* has no cells' "$dir.log"); then
    echo "refused$refused"
    continue
  fi
  line=$(compare "$dir")
  verdict=$?
  echo "$line"
  case $verdict in
    0) ;;
    2)
      again=$((again + 1))
      line2=$(tightly "$dir" "$ranks") || bad=$((bad + 1))
      printf '%4s %-12s %-52s %s\n' '' '' 'again with tolerance 1e-12, allowed 1e-8' "$line2"
      ;;
    *)
      bad=$((bad + 1))
      tail -1 "$dir.log"
      ;;
  esac
  # elsewhere blocks are numbered in another order there, so that DIC is another one
  grep -q 'in order: True' "$dir/PARAMETERS" && [[ $solver == *PCG*\ DIC\;* ]] && echo "$line" >> openfoam_random/dic
done
echo "$cases cases, $bad differ, $again run again"
[ -f openfoam_random/dic ] && awk '{ d = $NF / $(NF - 1) - 1; if (d < 0) d = -d; if (d > worst) worst = d; a += $(NF - 1); b += $NF }
  END { printf "DICPCG, blocks in order, %d cases: iterations %d and %d, largest difference of a case %.1f %%\n", NR, a, b, 100 * worst }' openfoam_random/dic
exit $((bad > 0))
