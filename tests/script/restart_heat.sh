#!/usr/bin/env bash
# A heat run that is killed at random moments, and each time started again from its latest snapshot on another number of ranks,
# ends with the bits of an uninterrupted one in its field and its tables; a signal ends it; purgeWrite, time directories, and a disk
# that is full. Each time scheme and solver: tests/mpi/run_heat_restart_test.cpp; stopAt: tests/mpi/run_control_test.cpp.
#   restart_heat.sh [KILLS]      (default 6; 50 takes some minutes)
set -eu
. "$SOURCE/tests/support/fails.sh"
. "$SOURCE/tests/support/kills.sh"
kills=${1:-6}
hash_of() { # report
  sed -n 's/.*"T": "\([0-9a-f]*\)".*/\1/p' "$1"
}
make_case() { # cells in x and y, endTime, then --set of ...
  rm -rf case
  cp -r "$SOURCE/tests/data/laplacian_small" case
  sed -i "s/(16 12 1)/($1 1)/" case/system/blockMeshDict
  [ "$1" = '16 12' ] || sed -i 's/nonuniform List<scalar> 12 *(.*)/uniform 310/' case/0/T
  sed -i 's/^solvers.*/solvers { T { solver PCG; preconditioner DIC; tolerance 1e-9; relTol 0; } }/' case/system/fvSolution
  cat >> case/system/controlDict << 'END'
functions
{
    point { type probes; fields (T); probeLocations ((0.5 0.4 0.005)); writeControl runTime; writeInterval 500; }
    extremes { type fieldMinMax; fields (T); }
    mean { type volFieldValue; fields (T); operation volAverage; writeControl writeTime; writeInterval 2; }
    line { type sets; fields (T); interpolationScheme cell; setFormat raw; writeControl writeTime;
           sets ( middle { type uniform; axis x; start (0.1 0.4 0.005); end (0.9 0.4 0.005); nPoints 9; } ); }
}
END
  options=(--set 'decomposeParDict:tile=(6 5 1)' --set "controlDict:endTime=$2" --set controlDict:startFrom=latestTime)
  shift 2
  for setting in "$@"; do options+=(--set "$setting"); done
}
same_tables() { # what, folder, folder
  diff -r "$2" "$3" -x report.json -x speeds.json > diff.log 2>&1 || { head -20 diff.log; fail "$1: tables differ"; }
}

# 1. killed at random moments; 3000 steps take some seconds, with a time scheme that looks back
settings=('fvSchemes:ddtSchemes.default=backward' fvSolution:extrapolate=yes controlDict:deltaT=2 'decomposeParDict:tile=(24 20 1)')
make_case '48 40' 6000 "${settings[@]}"
"$TESSERA" run case "${options[@]}" --set controlDict:writeInterval=20 --report "$PWD/whole.json" --quiet
expected=$(hash_of whole.json)
[ -n "$expected" ] || fail "the report holds no hash"
rm -rf whole
mv case/postProcessing whole
make_case '48 40' 6000 "${settings[@]}"
RANDOM=11
kill_runs "$kills" T "${options[@]}" --set controlDict:writeInterval=20
echo "$killed kills, at last at step $(ls case/results/*.h5 2> /dev/null | tail -n 1)"
"$TESSERA" run case "${options[@]}" --set controlDict:writeInterval=20 --report "$PWD/resumed.json" > log
[ "$(hash_of resumed.json)" = "$expected" ] || fail "after $killed kills: $(hash_of resumed.json), uninterrupted $expected"
same_tables "after $killed kills" whole case/postProcessing

# 2. a signal: results are written, exit code 0 and a line that says so; purgeWrite for snapshots and directories
for signal in USR1; do
  make_case '48 40' 1e9 controlDict:deltaT=2 controlDict:purgeWrite=2 controlDict:writeInterval=10
  "$TESSERA" run case "${options[@]}" > log 2>&1 &
  pid=$!
  until [ "$(ls case/results/*.h5 2> /dev/null | wc -l)" -ge 2 ] || ! kill -0 $pid; do sleep 0.1; done
  kill -$signal $pid
  code=0
  wait $pid || code=$?
  [ $code = 0 ] || fail "SIG$signal: exit code $code"
  grep -q "Stopped at time .* by SIG$signal" log || { tail -3 log; fail "SIG$signal: no line says so"; }
  [ "$(ls case/results/*.h5 | wc -l)" = 2 ] || fail "purgeWrite 2 left $(ls case/results/*.h5)"
  [ "$(find case -maxdepth 1 -name '[1-9]*' | wc -l)" = 2 ] || fail "purgeWrite 2 left $(ls case)"
done

# 3. time directories alone, as OpenFOAM leaves them
make_case '16 12' 2000 controlDict:writeInterval=5
"$TESSERA" run case "${options[@]}" --report "$PWD/whole.json" --quiet
rm -r case/results case/2000
"$MPIEXEC" -n 2 "$TESSERA" run case "${options[@]}" --report "$PWD/resumed.json" > log
grep -q 'Goes on from case/1000' log || { head log; fail "does not go on from the directory 1000"; }
# binary or 17 digits lose nothing
[ "$(hash_of resumed.json)" = "$(hash_of whole.json)" ] || fail "other bits from the directory 1000 on"
"$TESSERA" run case "${options[@]}" --set controlDict:startFrom=firstTime --report "$PWD/resumed.json" > log
[ "$(hash_of resumed.json)" = "$(hash_of whole.json)" ] || fail "firstTime: other bits"
"$TESSERA" run case "${options[@]}" --set controlDict:startFrom=startTime --set controlDict:startTime=1000 --report "$PWD/resumed.json" > log
[ "$(hash_of resumed.json)" = "$(hash_of whole.json)" ] || fail "startTime 1000: other bits"
grep -q 'Goes on from case/results/000005.h5' log || { head log; fail "startTime 1000: not from the snapshot"; }
if "$TESSERA" run case "${options[@]}" --set controlDict:startFrom=startTime --set controlDict:startTime=77 2> log; then
  fail "startTime 77 was accepted"
fi
grep -q '77/T' log || { cat log; fail "startTime 77: another message"; }

# 4. a disk that is full (here: files that may not grow): exit code 4 with the reason, the last good snapshot stays
for ranks in 1 3; do
  make_case '96 80' 1e9 controlDict:deltaT=2 'decomposeParDict:tile=(48 40 1)' \
    controlDict:writeControl=clockTime controlDict:writeInterval=2
  "$MPIEXEC" -n $ranks "$TESSERA" run case "${options[@]}" --quiet > log 2>&1 &
  pid=$!
  until [ "$(ls case/results/*.h5 2> /dev/null | wc -l)" -ge 2 ] || ! kill -0 $pid; do sleep 0.1; done
  sleep 0.7 # the limit comes when MPI's own files are there, between two snapshots
  for rank in $(processes_of parent $pid); do prlimit --pid "$rank" --fsize=100000; done
  code=0
  wait $pid || code=$?
  [ $code = 4 ] || { tail -5 log; fail "full disk, $ranks ranks: exit code $code, expected 4"; }
  grep -q '^tessera: .*case/.*File too large' log || { tail -5 log; fail "full disk, $ranks ranks: no reason"; }
  [ -z "$(ls case/results/*.part 2> /dev/null)" ] || fail "full disk, $ranks ranks, left: $(ls case/results)"
  last=$(ls case/results/*.h5 | tail -n 1)
  "$TESSERA" run case "${options[@]}" --set controlDict:stopAt=writeNow > log
  grep -q "Goes on from $last" log || { head -5 log; fail "after a full disk: the last good snapshot is not $last"; }
done
exit $failed
