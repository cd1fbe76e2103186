#!/usr/bin/env bash
# Ranks of one node exchange halos through memory that they share, those of two by messages: the same bits, a message for
# each neighbouring rank, the bytes of the fringe. Ranks dealt out to the nodes in turn are put in order; weights stay with
# their ranks.
set -eu
. "$SOURCE/tests/support/fails.sh"
. "$SOURCE/tests/support/runs.sh"
run() { # ranks, report, arguments of tessera run
  local ranks=$1 report=$2
  shift 2
  "$MPIEXEC" -n "$ranks" "$TESSERA" run "$@" --quiet --report "$PWD/$report" > log 2>&1 || { cat log; exit 1; }
}
shared=(--set routerDict:transport=sharedMemory)
life_case
heat_case
unset TESSERA_NODES
run 1 life1.json life "${life[@]}"
run 1 heat1.json heat "${heat[@]}"
[ "$(of life1.json messages)" = 0 ] || fail "one rank sent messages"
same() { # report, report of one rank
  [ -n "$(hash_of "$2")" ] && [ "$(hash_of "$1")" = "$(hash_of "$2")" ] || fail "$1: other bits than $2"
}

run 4 messages.json life "${life[@]}" "${quarters[@]}" --set routerDict:transport=messages
expect_life_traffic messages.json 0 0
run 4 one.json life "${life[@]}" "${quarters[@]}" "${shared[@]}"
if [ "$(of one.json sharedMessages)" = 0 ]; then
  echo "this machine has no shared memory for MPI's windows: /dev/shm"
  exit 77
fi
expect_life_traffic one.json 3 129
[ "$(of one.json nodes)" = 1 ] || fail "one machine counts as $(of one.json nodes) nodes"
run 4 auto.json life "${life[@]}" "${quarters[@]}"
[ "$(of auto.json sharedMessages)" = $((3 * 4 * 47)) ] || fail "auto: $(of auto.json sharedMessages) messages through shared memory, expected 564: from the fourth round on"

export TESSERA_NODES=0,0,1,1
run 4 two.json life "${life[@]}" "${quarters[@]}" "${shared[@]}"
expect_life_traffic two.json 1 64
[ "$(of two.json nodes)" = 2 ] || fail "two nodes count as $(of two.json nodes)"

# dealt out in turn: the owners by hand are the ranks of the start, so that now diagonal and column share memory
export TESSERA_NODES=0,1,1,0
run 4 turns.json life "${life[@]}" "${quarters[@]}" "${shared[@]}"
expect_life_traffic turns.json 1 1
export TESSERA_NODES=0,1,0,1
run 4 columns.json life "${life[@]}" "${quarters[@]}" "${shared[@]}"
expect_life_traffic columns.json 1 64
run 4 weights.json life "${life[@]}" --set gridDict:tile='(16 16 1)' --set 'decomposeParDict:processorWeights=(1 2 3 4)'
tr -d ' \n' < weights.json | grep -q '"weights":\[1.0,3.0,2.0,4.0\]' || fail "weights did not stay with their ranks"
run 4 heat4.json heat "${heat[@]}"
[ "$(of heat4.json sharedMessages)" -gt 0 ] || fail "heat: nothing went through shared memory"
[ "$(of heat4.json sharedMessages)" -lt "$(of heat4.json messages)" ] || fail "heat: all went through shared memory, on two nodes"
same heat4.json heat1.json
for report in messages one auto two turns columns weights; do same $report.json life1.json; done

refused() { # text, TESSERA_NODES, arguments
  local text=$1 nodes=$2 code=0
  shift 2
  TESSERA_NODES=$nodes "$MPIEXEC" -n 2 "$TESSERA" run life "${life[@]}" "$@" > log 2>&1 || code=$?
  [ "$code" = 1 ] && grep -q "$text" log || { cat log; fail "TESSERA_NODES=$nodes $*: exit code $code, expected 1 and '$text'"; }
}
refused "TESSERA_NODES holds 'b'" 0,b
refused 'TESSERA_NODES has 3 nodes, expected one for each of 2 ranks' 0,0,1
refused "unknown transport 'window'; valid: auto messages sharedMemory" 0,0 --set routerDict:transport=window

exit $failed
