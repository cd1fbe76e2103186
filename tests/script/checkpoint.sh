#!/usr/bin/env bash
# Checkpoints in memory: all ranks are killed, the pieces of as many ranks as the code stands are lost, and the run goes on from
# the rest, on other ranks, with the bits of an uninterrupted one; with one more lost it goes on from the last snapshot.
set -eu
. "$SOURCE/tests/support/fails.sh"
. "$SOURCE/tests/support/kills.sh"
hash_of() { # report, field
  sed -n "s/.*\"$2\": \"\([0-9a-f]*\)\".*/\1/p" "$1"
}
memory=$(mktemp -d /dev/shm/tessera-test-XXXXXX 2> /dev/null || mktemp -d "$PWD/memory-XXXXXX")
trap 'rm -rf "$memory"' EXIT
files() { find "$memory" -type f; }

life_case() {
  rm -rf case
  cp -r "$SOURCE/cases/life/glider_gun" case
  options=(--set 'gridDict:cells=(300 290 1)'
    --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }'
    --set 'automatonProperties:stop={ generations 6000; }')
  field=state
}
heat_case() {
  rm -rf case
  cp -r "$SOURCE/tests/data/laplacian_small" case
  sed -i 's/(16 12 1)/(48 40 1)/' case/system/blockMeshDict
  sed -i 's/nonuniform List<scalar> 12 *(.*)/uniform 310/' case/0/T
  sed -i 's/^solvers.*/solvers { T { solver PCG; preconditioner DIC; tolerance 1e-9; relTol 0; } }/' case/system/fvSolution
  options=(--set 'decomposeParDict:tile=(12 10 1)' --set controlDict:endTime=1500 --set controlDict:deltaT=1
    --set fvSchemes:ddtSchemes.default=backward --set fvSolution:extrapolate=yes)
  field=T
}
# Starts a run on four ranks and kills all of it once two checkpoints have followed the first snapshot.
start_and_kill() { # snapshots each so many steps
  "$MPIEXEC" -n 4 true # a machine may need some time for the first
  setsid "$MPIEXEC" -n 4 "$TESSERA" run case "${options[@]}" --set "controlDict:writeInterval=$1" > log 2>&1 &
  local session=$! first=
  for ((n = 0; n < 1200; n++)); do
    kill -0 $session 2> /dev/null || break
    if ls case/results/*.h5 > /dev/null 2>&1; then
      newest=$(files | sed -n 's!.*/\(0[0-9]*\)-[^/]*$!\1!p' | sort | tail -n 1)
      first=${first:-$newest}
      [ -n "$newest" ] && [ $((10#$newest)) -ge $((10#${first:-0} + 2)) ] && break
    fi
    sleep 0.05
  done
  kill -KILL $(processes_of session $session) 2> kill.log || fail "there was nothing to kill: $(tail -n 2 log)"
  wait $session || true
  # later snapshots may be newer than the last checkpoint
  ls case/results/*.h5 | tail -n +2 | xargs -r rm -f
  find case -maxdepth 1 -name '[1-9]*' | sort -V | tail -n +2 | xargs -r rm -rf
  [ "$(files | wc -l)" -ge 4 ] || fail "the kill left $(files | wc -l) files in memory"
}

for kind in life heat; do
  ${kind}_case
  options+=(--set controlDict:startFrom=latestTime --set controlDict:writeControl=timeStep)
  "$TESSERA" run case "${options[@]}" --set controlDict:writeInterval=1000000 --report "$PWD/whole.json" --quiet
  expected=$(hash_of whole.json $field)
  [ -n "$expected" ] || fail "the report holds no hash"
  options+=(--set "controlDict:checkpoint={ every 7; data 2; parity 2; folder \"$memory\"; }")
  # two ranks of four are lost; then three; on other numbers of ranks
  for lost in '2 6' '3 5'; do
    read -r number ranks <<< "$lost"
    ${kind}_case
    options+=(--set controlDict:startFrom=latestTime --set controlDict:writeControl=timeStep
      --set "controlDict:checkpoint={ every 7; data 2; parity 2; folder \"$memory\"; }")
    start_and_kill 500
    for ((rank = 4 - number; rank < 4; rank++)); do rm -f "$memory"/*/*.00000$rank; done
    "$MPIEXEC" -n "$ranks" "$TESSERA" run case "${options[@]}" --set controlDict:writeInterval=1000000 \
      --report "$PWD/resumed.json" > log 2>&1 || { tail -n 3 log; fail "$kind, $number lost: the run did not go on"; }
    [ "$(hash_of resumed.json $field)" = "$expected" ] ||
      fail "$kind, $number of 4 ranks lost: $(hash_of resumed.json $field), uninterrupted $expected"
    if [ "$number" = 2 ]; then
      grep -q 'Goes on from the checkpoint in memory of step' log || { head -n 20 log; fail "$kind: memory was not used"; }
    else
      grep -q 'lacks the pieces of 3 of 4 ranks, it stands the loss of 2; an earlier state is taken' log ||
        { head -n 20 log; fail "$kind: no line says that too much was lost"; }
      grep -q 'Goes on from.*results/.*h5' log || { head -n 20 log; fail "$kind: the snapshot was not used"; }
    fi
    [ "$(files | wc -l)" = 0 ] || fail "$kind: $(files | wc -l) files stay in memory after the end"
    [ "$(ls "$memory" | wc -l)" = 0 ] || fail "$kind: a folder stays in memory after the end"
  done
done

# what cannot be is refused before the run
refused() { # what is said, ranks, the entry
  if "$MPIEXEC" -n "$2" "$TESSERA" run case "${options[@]}" --set "controlDict:checkpoint={ $3 }" > log 2>&1; then
    fail "'$3' on $2 ranks was accepted"
  fi
  grep -q "$1" log || { cat log; fail "'$3' on $2 ranks: another message"; }
}
refused 'needs at least 4 ranks, there are 3' 3 "every 5; data 2; parity 2; folder \"$memory\";"
refused 'needs at least 2 ranks, there is 1' 1 "seconds 5; folder \"$memory\";"
refused 'is no folder to write to' 2 "every 5; folder \"$memory/none\";"
refused "unknown entry 'evry'" 2 'every 5; evry 6;'
refused 'nothing says when to save' 2 'data 1;'
exit $failed
