#!/usr/bin/env bash
# The answer does not depend on threads: a program built with OpenMP gives the bits of the Serial one with 1, 2 and 4 threads,
# and both together in one mpirun do. Runs where this build has threads and the release build is there.
set -eu
serial=$SOURCE/build/release/tessera
grep -q OPENMP "$BUILD/CMakeCache.txt" || { echo "skipped: this build has no threads"; exit 77; }
[ -x "$serial" ] && [ "$serial" != "$TESSERA" ] || { echo "skipped: no Serial build in build/release"; exit 77; }
export OMP_WAIT_POLICY=passive  # cores may be fewer than threads
failed=0

hashes() { sed -n '/"hash": {/,/}/p' report.json; }
run() { # command and arguments in front of `run`, -- , arguments of tessera run
  if ! "$@" --quiet --report "$PWD/report.json" > log 2>&1; then
    echo "failed: $*"
    cat log
    exit 1
  fi
}
check() { # what
  [ "$(hashes)" = "$expected" ] && return
  printf '%s, %s: other bits\nexpected %s\nfound    %s\n' "$name" "$1" "$expected" "$(hashes)"
  failed=1
}

same() { # case, arguments
  name=$*
  local case=$1 threads
  shift
  rm -rf case
  cp -r "$SOURCE/cases/$case" case
  [ ! -f case/system/blockMeshDict ] || sed -i 's/( *564 452 1 *)/(300 244 1)/' case/system/blockMeshDict
  run "$serial" run case "$@"
  expected=$(hashes)
  [ -n "$(echo "$expected" | grep -E '[0-9a-f]{16}')" ] || { echo "$name: the report holds no hash"; failed=1; }
  for threads in 1 2 4; do
    OMP_NUM_THREADS=$threads run "$TESSERA" run case "$@"
    check "$threads threads"
  done
  OMP_NUM_THREADS=2 run "$MPIEXEC" -n 1 "$serial" run case "$@" --quiet --report "$PWD/report.json" : -n 1 "$TESSERA" run case "$@"
  check "one Serial rank and one of two threads"
}

random='automatonProperties:initial={ type random; probability 0.4; seed 3; }'
same life/glider_gun --set 'gridDict:cells=(300 290 1)' --set "$random" --set 'automatonProperties:stop={ generations 50; }'
same life/glider_gun --set 'gridDict:cells=(300 200 1)' --set automatonProperties:rule=heat --set automatonProperties:diffusivity=0.2 \
  --set automatonProperties:deltaT=1 --set "$random" --set 'automatonProperties:stop={ generations 40; }'
same percolation/random --set 'gridDict:cells=(300 200 1)'
same percolation/triangular
same percolation/cubic
for solver in '{ solver PCG; preconditioner DIC; tolerance 1e-9; }' '{ solver PCG; preconditioner multigrid; tolerance 1e-9; }' \
  '{ solver PCG; preconditioner { preconditioner DIC; scope tile; } tolerance 1e-9; }' '{ solver GAMG; smoother GaussSeidel; tolerance 1e-9; }' \
  '{ solver PBiCGStab; preconditioner MDIC; tolerance 1e-9; }' '{ solver smoothSolver; smoother symGaussSeidel; tolerance 1e-3; maxIter 100; }'; do
  same heat/three_cables --set controlDict:endTime=172800 --set "fvSolution:solvers.T=$solver"
done
same heat/brick
exit $failed
