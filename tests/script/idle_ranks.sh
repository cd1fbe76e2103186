#!/usr/bin/env bash
# More ranks than tiles: those without a tile wait, everything works, and the answer is that of one rank.
set -u
. "$SOURCE/tests/support/fails.sh"

hashes() { # report
  sed -n '/"hash": {/,/}/p' "$1"
}
run() { # ranks, arguments of tessera run
  local ranks=$1
  shift
  if ! timeout 120 "$MPIEXEC" -n "$ranks" "$TESSERA" run "$@" --report "$PWD/report.json" > log 2>&1; then
    fail "$ranks ranks: $*"
    tail -n 3 log
  fi
}
same() { # what, tiles' log line or '', arguments: the hashes on one rank and on four
  local what=$1 told=$2 expected
  shift 2
  rm -rf case/results case/postProcessing
  run 1 case "$@"
  expected=$(hashes report.json)
  [ -n "$expected" ] || fail "$what: the report holds no hash"
  rm -rf case/results case/postProcessing report.json
  run 4 case "$@"
  [ "$(hashes report.json)" = "$expected" ] || fail "$what: other bits on four ranks"
  [ "$(grep -c "$told" log)" = 1 ] || fail "$what: the log has not one line '$told'"
}
fresh() { # case
  rm -rf case
  cp -r "$SOURCE/cases/$1" case
}

# automata: tiles by hand; chosen tiles become small enough where there are cells
fresh life/glider_gun
life=(--set 'gridDict:cells=(60 50 1)' --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }'
  --set 'automatonProperties:stop={ generations 12; }' --set 'controlDict:writeInterval=5')
one='3 of 4 ranks have no tile' two='2 of 4 ranks have no tile'
same 'life, one tile' "$one" "${life[@]}" --set 'gridDict:tile=(64 64 1)'
same 'life, two tiles' "$two" "${life[@]}" --set 'gridDict:tile=(32 64 1)' --set controlDict:preview.every=4
same 'life, two tiles, slabs' "$two" "${life[@]}" --set 'gridDict:tile=(32 64 1)' --set decomposeParDict:method=simple
same 'life, two tiles, owners by hand' "$one" "${life[@]}" --set 'gridDict:tile=(32 64 1)' --set decomposeParDict:method=manual \
  --set 'decomposeParDict:manualCoeffs.owners=(0 0)'
rm -rf case/results
run 4 case "${life[@]}" --set 'gridDict:cells=(31 3 1)'
grep -q 'no tile' log && fail 'tiles that the program chooses leave ranks idle on 31 x 3 cells'
run 4 case "${life[@]}" --set 'gridDict:cells=(3 2 1)'
grep -q 'ranks have no tile' log || fail 'six cells: no word of idle ranks'
# from a snapshot, and from a checkpoint in memory
run 1 case "${life[@]}" --set 'gridDict:tile=(32 64 1)'
expected=$(hashes report.json)
rm -f case/results/000012.h5
run 4 case "${life[@]}" --set 'gridDict:tile=(32 64 1)' --set controlDict:startFrom=latestTime
[ "$(hashes report.json)" = "$expected" ] || fail 'life: other bits after a restart'
grep -q 'Goes on from .*000010.h5' log || fail 'life: no restart'
mkdir -p memory
run 4 case "${life[@]}" --set 'gridDict:tile=(32 64 1)' --set 'controlDict:checkpoint={ every 3; folder "'"$PWD"'/memory"; }'
[ "$(hashes report.json)" = "$expected" ] || fail 'life: other bits with checkpoints in memory'

# percolation: in the plane, in space with currents, media of several samples
fresh percolation/random
same 'percolation' "$one" --set 'gridDict:cells=(40 30 1)' --set 'gridDict:tile=(64 64 1)'
same 'percolation, two tiles' "$two" --set 'gridDict:cells=(40 30 1)' --set 'gridDict:tile=(64 16 1)'
same 'percolation, paper' "$two" --set 'gridDict:cells=(40 30 1)' --set 'gridDict:tile=(64 16 1)' \
  --set percolationProperties:method=paper --set percolationProperties:propagation=synchronous
same 'percolation, synchronous' "$two" --set 'gridDict:cells=(40 30 1)' --set 'gridDict:tile=(64 16 1)' \
  --set percolationProperties:propagation=synchronous
volume=(--set 'gridDict:cells=(10 10 10)' --set percolationProperties:lattice=cubic --set percolationProperties:connectivity=6
  --set percolationProperties:frame=none --set percolationProperties:direction=all --set percolationProperties:definition=D2
  --set percolationProperties:backbone=yes --set percolationProperties:conductivity=yes)
same 'a medium of 10^3' "$one" "${volume[@]}" --set 'gridDict:tile=auto'
same 'a medium of 10^3, two tiles' "$two" "${volume[@]}" --set 'gridDict:tile=(10 10 5)'
for sharing in samples tiles; do
  run 4 case --set 'gridDict:cells=(10 10 1)' --set 'gridDict:tile=(16 16 1)' --set percolationProperties:input.samples=5 \
    --set "percolationProperties:input.sharing=$sharing"
  cp case/postProcessing/samples.csv "samples_$sharing.csv"
done
cmp -s samples_samples.csv samples_tiles.csv || fail 'samples: shared by tiles they differ'

# heat: every kind of solver
fresh heat/brick
heat=(--set controlDict:endTime=0.002 --set controlDict:writeInterval=2)
heat() { # word in the log, tile, solver
  same "heat, $3 $2" "$1" "${heat[@]}" --set "gridDict:tile=$2" --set 'gridDict:cells=(12 11 10)' \
    --set "fvSolution:solvers.T={ $3 tolerance 1e-8; relTol 0; maxIter 500; }"
}
for solver in 'solver PCG; preconditioner DIC;' 'solver PCG; preconditioner diagonal;' 'solver PCG; preconditioner GAMG;' \
  'solver PCG; preconditioner multigrid;' 'solver GAMG; smoother GaussSeidel;' 'solver smoothSolver; smoother symGaussSeidel;' \
  'solver auto; measure work;'; do
  heat "$two" '(64 64 5)' "$solver"
done
heat "$one" '(64 64 64)' 'solver PCG; preconditioner DIC;'
heat "$one" '(64 64 64)' 'solver PCG; preconditioner multigrid;'
exit $failed
