#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random cases (openfoam_case.py) in OpenFOAM's laplacianFoam and here, from the same directory, on 1 to 4 ranks:
#   openfoam_random.sh [CASES [SEED]]          cases SEED, SEED + 1, ...
# A line each: the mean and the largest difference of T relative to what is allowed, max(10 tolerance, 1e-8) of the largest T, and the
# iterations of OpenFOAM and ours. A source without cells, which OpenFOAM lets pass, is refused here. TESSERA names the program. Directories stay in ./openfoam_random; exit code 1 where a case differs.
set -u
cases=${1:-50} seed=${2:-1}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${TESSERA:=$here/../build/release/tessera}" "${MPIEXEC:=mpirun}" "${WM_PROJECT_DIR:=/usr/share/openfoam}"
export WM_PROJECT_DIR OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
  OMPI_MCA_hwloc_base_binding_policy=none
command -v laplacianFoam > /dev/null || { echo "left out: no laplacianFoam"; exit 0; }
TESSERA=$(realpath "$TESSERA")

rm -rf openfoam_random && mkdir openfoam_random
bad=0
for n in $(seq "$seed" $((seed + cases - 1))); do
  dir=openfoam_random/$n
  python3 "$here/openfoam_case.py" "$n" "$dir" || exit 1
  cp -r "$dir" "$dir.foam"
  solver=$(sed -n 's/^solver: //p' "$dir/PARAMETERS") ddt=$(sed -n 's/^ddt: //p' "$dir/PARAMETERS")
  printf '%4d %-12.12s %-52.52s ' "$n" "$ddt" "$solver"
  if ! (cd "$dir.foam" && blockMesh && setFields && topoSet && laplacianFoam) > "$dir.foam.log" 2>&1; then
    echo "OpenFOAM refuses: $(grep -A3 'FATAL' "$dir.foam.log" | sed -n 2p)"
    continue
  fi
  ranks=$((n % 4 + 1))
  if ! "$MPIEXEC" -np "$ranks" "$TESSERA" run "$dir" > "$dir.log" 2>&1; then
    if grep -q 'ranks are more than' "$dir.log"; then "$TESSERA" run "$dir" > "$dir.log" 2>&1; fi
    if refused=$(grep -m1 -o ': source .* has no cells' "$dir.log"); then
      echo "refused$refused"
      continue
    fi
  fi
  line=$(python3 "$here/openfoam_compare.py" "$dir.foam" "$dir" "$dir.foam.log" "$dir.log" 2>&1) || { bad=$((bad + 1)); tail -1 "$dir.log"; }
  echo "$line"
  # blocks are numbered one after the other there, so that DIC is another one
  grep -q 'several blocks: False' "$dir/PARAMETERS" && [[ $solver == *PCG*\ DIC\;* ]] && echo "$line" >> openfoam_random/dic
done
echo "$cases cases, $bad differ"
[ -f openfoam_random/dic ] && awk '{ d = $NF / $(NF - 1) - 1; if (d < 0) d = -d; if (d > worst) worst = d; a += $(NF - 1); b += $NF }
  END { printf "DICPCG, one block, %d cases: iterations %d and %d, largest difference of a case %.1f %%\n", NR, a, b, 100 * worst }' openfoam_random/dic
exit $((bad > 0))
