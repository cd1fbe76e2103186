#!/usr/bin/env bash
# Tiles leave a slowed rank while the run goes on, and the result keeps its bits. What is decided when is tested by a clock that
# the test turns: tests/mpi/run_balance_test.cpp.
set -eu
. "$SOURCE/tests/support/fails.sh"
run() { # ranks, slowdown, arguments
  local ranks=$1 slow=$2
  shift 2
  if ! TESSERA_SLOWDOWN=$slow "$MPIEXEC" -n "$ranks" "$TESSERA" run case "$@" --report "$PWD/report.json" > log 2>&1; then
    cat log
    exit 1
  fi
}
temperature() { sed -n 's/^ *"T": "\([0-9a-f]*\)".*/\1/p' report.json; } # its hash
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([-0-9a-f.]*\).*/\1/p" report.json | head -n 1; }

rm -rf case
cp -r "$SOURCE/cases/life/glider_gun" case
options=(--set 'gridDict:cells=(512 512 1)' --set 'gridDict:tile=(64 32 1)'
  --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }'
  --set 'automatonProperties:stop={ generations 400; }' --set controlDict:writeControl=none)
run 1 '' "${options[@]}"
expected=$(value state)
[ -n "$expected" ] || fail "the report holds no hash"

run 3 1:20 "${options[@]}" --set balanceDict:moveCost=0
[ "$(value state)" = "$expected" ] || fail "other bits after tiles moved"
[ "$(value moves)" -ge 1 ] || { cat report.json; fail "no tile left a rank slowed 20 times"; }
grep -q 'Balance: ' log || fail "the log does not tell that tiles moved"
[ -s case/postProcessing/speeds.json ] || fail "the speeds are not kept"
# the partition of the report is that of the end, with the speeds that it is for
cat > partition.py << 'PY'
import json
r = json.load(open('report.json'))
p = r['partition']
times = [c / w for c, w in zip(p['cells'], p['weights'])]
expected = max(times) / (sum(p['cells']) / sum(p['weights'])) - 1
assert abs(p['imbalance'] - expected) < 1e-9, (p, expected)
assert r['balance']['moves'] == 0 or len(set(p['weights'])) > 1, p
PY
python3 partition.py || fail 'imbalance of the partition after tiles moved'

# times of an emulated cluster are not those of this machine
cp case/postProcessing/speeds.json kept.json
before=$(cat kept.json)
TESSERA_EMULATE=speeds=1,1,0.1 run 3 '' "${options[@]}" --set balanceDict:moveCost=0
[ "$(cat case/postProcessing/speeds.json)" = "$before" ] || fail 'an emulated run keeps its speeds'
python3 partition.py || fail 'imbalance of the partition of an emulated run'
rm case/postProcessing/speeds.json
TESSERA_EMULATE=speeds=1,1,0.1 run 3 '' "${options[@]}" --set balanceDict:moveCost=0
[ ! -e case/postProcessing/speeds.json ] || fail 'an emulated run keeps speeds'

# tiles chosen by the program: few and large ones first; with a slow rank found, so many that it has a share, too
automatic=(--set 'gridDict:cells=(1024 1024 1)' --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }'
  --set 'automatonProperties:stop={ generations 600; }' --set controlDict:writeControl=none)
rm -f case/postProcessing/speeds.json
run 1 '' "${automatic[@]}"
expected=$(value state)
run 2 1:20 "${automatic[@]}" --set balanceDict:moveCost=0
[ "$(value state)" = "$expected" ] || fail "other bits after tiles changed their shape"
grep -q 'Balance: now ' log || { cat log; fail "the tiles did not change with a rank slowed 20 times"; }
run 2 1:20 "${automatic[@]}"
[ "$(value state)" = "$expected" ] || fail "other bits with tiles for speeds that were kept"
rm -f case/postProcessing/speeds.json

dic=(--set fvSolution:solvers.T.solver=PCG --set fvSolution:solvers.T.preconditioner=DIC)
# implicit heat, whose steps are long: tiles move after the first ones
rm -rf case
cp -r "$SOURCE/cases/heat/three_cables" case
run 1 '' --set controlDict:endTime=345600 "${dic[@]}"
expected=$(temperature)
[ -n "$expected" ] || fail "the report holds no hash of T"
run 3 1:4 --set controlDict:endTime=345600 --set balanceDict:moveCost=0 "${dic[@]}"
[ "$(temperature)" = "$expected" ] || fail "other bits of T after tiles moved"
[ "$(value moves)" -ge 1 ] || { cat report.json; fail "no tile left a rank slowed 4 times in a heat case"; }
# from what the first iterations of the first step show; so that a steady state, which has no second step, gains from it
steady=("${dic[@]}" --set fvSchemes:ddtSchemes.default=steadyState --set controlDict:deltaT=1 --set controlDict:endTime=1)
for how in transient steady; do
  [ $how = transient ] && more=("${dic[@]}" --set controlDict:endTime=172800) || more=("${steady[@]}")
  rm -f case/postProcessing/speeds.json
  run 1 '' "${more[@]}"
  expected=$(temperature)
  run 3 1:60 "${more[@]}" --set balanceDict:moveCost=0
  [ "$(temperature)" = "$expected" ] || fail "$how: other bits of T after the first step began anew"
  tr -d ' \n' < report.json | grep -q '"windows":\[{"steps":\[0,0\],"imbalance":[0-9.]*,"tilesMoved":[1-9]' ||
    { cat report.json; fail "$how: no tile left a rank slowed 60 times before the first step ended"; }
done
if "$TESSERA" check case --set balanceDict:rebalanse=no > log 2>&1; then fail "a misspelt key of balanceDict was accepted"; fi

# PETSc's solvers, where they are installed: their sums depend on the ranks, so the same to the solver's tolerance
if [ -e "$(dirname "$TESSERA")/lib/libtessera_petsc.so" ]; then
  petsc=(--set 'fvSolution:solvers.T={ solver PETSc; tolerance 1e-9; relTol 0; }' --set controlDict:endTime=1728000
    --set controlDict:writeInterval=1728000 --set controlDict:writeControl=runTime)
  rm -f case/postProcessing/speeds.json
  run 1 '' "${petsc[@]}"
  rm -rf one
  mv case/results one
  run 3 1:4 "${petsc[@]}" --set balanceDict:moveCost=0 --set balanceDict:rebalance=yes --set 'decomposeParDict:processorWeights=(6 1 1)'
  [ "$(value moves)" -ge 1 ] || { cat report.json; fail "no tile left a rank that had most of them, with PETSc"; }
  "$TESSERA" compare one case/results --tolerance 1e-5 > log 2>&1 || { cat log; fail "another T with PETSc after tiles moved"; }
else
  echo 'PETSc: skipped, it is not installed'
fi

# the four parts of the time sum to the wall time, and the chart is drawn when asked for
run 3 '' --set controlDict:endTime=86400 "${dic[@]}" --set balanceDict:rankChart=yes
awk -v wall="$(value wall)" -v sum="$(value PROC) $(value L-IMB) $(value OVER) $(value BOOT)" 'BEGIN {
  n = split(sum, part, " ")
  whole = part[1] + part[2] + part[3] + part[4]
  exit !(n == 4 && wall > 0 && (whole / wall - 1)^2 < 1e-12 && part[1] > 0 && part[3] > 0) }' ||
  fail "PROC, L-IMB, OVER and BOOT do not make up the wall time"
grep -q '"ofRanks"' report.json || fail "the report does not hold each rank's time"
head -c 8 case/postProcessing/ranks.png | cmp -s - <(printf '\211PNG\r\n\032\n') || fail "no chart of the ranks"
exit $failed
