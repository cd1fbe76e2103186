#!/usr/bin/env bash
# A run that is killed at random moments, and each time started again from its latest snapshot on another number of ranks, ends
# with the bits of an uninterrupted one; a signal ends it with a snapshot and exit code 0; ensembles keep what is finished. StopAt,
# damaged snapshots and wrong start times: tests/mpi/run_control_test.cpp, run_restart_test.cpp.
#   restart.sh [KILLS]      (default 6; 50 takes some minutes)
set -eu
. "$SOURCE/tests/support/fails.sh"
. "$SOURCE/tests/support/kills.sh"
kills=${1:-6}
hash_of() { # report
  sed -n 's/.*"state": "\([0-9a-f]*\)".*/\1/p' "$1"
}
generation() { # report
  sed -n 's/.*"generation": \([0-9]*\).*/\1/p' "$1"
}
make_case() { # when to stop
  rm -rf case
  cp -r "$SOURCE/cases/life/glider_gun" case
  options=(--set 'gridDict:cells=(300 290 1)' --set 'gridDict:tile=(64 64 1)'
    --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }'
    --set "automatonProperties:stop={ $1 }"
    --set controlDict:startFrom=latestTime --set controlDict:writeControl=timeStep --quiet)
}

# 1. killed at random moments; the period of the end shows only with the history that a snapshot holds
make_case 'period 40;'
"$TESSERA" run case "${options[@]}" --set controlDict:writeInterval=100 --report "$PWD/whole.json"
expected=$(hash_of whole.json)
[ -n "$expected" ] || fail "the report holds no hash"
make_case 'period 40;'
RANDOM=7
kill_runs "$kills" state "${options[@]}" --set controlDict:writeInterval=20
"$TESSERA" run case "${options[@]}" --set controlDict:writeInterval=100 --report "$PWD/resumed.json"
[ "$(hash_of resumed.json)" = "$expected" ] || fail "after $killed kills: $(hash_of resumed.json), uninterrupted $expected"
[ "$(generation resumed.json)" = "$(generation whole.json)" ] || fail "resumed run ends at another generation"

# 2. a signal: a snapshot, exit code 0 and a line that says so
for signal in TERM; do
  make_case 'generations 100000000;'
  "$TESSERA" run case "${options[@]/--quiet/--set=controlDict:purgeWrite=2}" --set controlDict:writeInterval=50 > log 2>&1 &
  pid=$!
  until [ "$(ls case/results/*.h5 2> /dev/null | wc -l)" -ge 2 ] || ! kill -0 $pid; do sleep 0.1; done
  kill -$signal $pid
  code=0
  wait $pid || code=$?
  [ $code = 0 ] || fail "SIG$signal: exit code $code"
  grep -q "by SIG$signal" log || { tail -3 log; fail "SIG$signal: no line says so"; }
  found=$(ls case/results/*.h5 | wc -l)
  [ "$found" = 2 ] || fail "purgeWrite 2 left $found snapshots"
done

# 3. ensembles: after a kill and after SIGTERM the finished samples are there, and the tables are those of an unbroken run
ensemble() { # samples, arguments of tessera run
  cp -rn "$SOURCE/cases/percolation/monte_carlo" . 2> /dev/null
  "$MPIEXEC" -n 2 "$TESSERA" run monte_carlo --set controlDict:startFrom=latestTime --set "percolationProperties:input.samples=$1" \
    --set percolationProperties:input.eachSample=yes "${@:2}"
}
tables() { cat monte_carlo/postProcessing/samples.csv monte_carlo/postProcessing/eachSample.csv; }
finished() { cat monte_carlo/postProcessing/samples.record 2> /dev/null | grep -cv '^#' || true; }
rm -rf monte_carlo
ensemble 100 --quiet
tables > whole.csv
rm -rf monte_carlo/postProcessing
for signal in KILL TERM; do
  before=$(finished)
  ensemble 1000000 > log 2>&1 &
  pid=$!
  until [ "$(finished)" -gt $((before + 40)) ] || ! kill -0 $pid 2> /dev/null; do sleep 0.02; done
  children=$(processes_of parent $pid)
  ranks=($(for p in $children; do processes_of parent "$p"; done))
  if [ $signal = KILL ]; then kill -KILL $children "${ranks[@]}" 2> kill.log || true; else kill -TERM "${ranks[-1]}"; fi
  code=0
  wait $pid || code=$?
done
[ $code = 0 ] || fail "an ensemble that got SIGTERM: exit code $code"
grep -q 'Stopped after [0-9]* of 7000000 samples by SIGTERM' log || { tail -3 log; fail 'an ensemble that got SIGTERM: no line says so'; }
ensemble 100 > log
grep -q 'Goes on from .*samples are there' log || { cat log; fail 'the ensemble did not go on'; }
tables | cmp - whole.csv || fail 'the ensemble that was killed and stopped has other tables'
exit $failed
