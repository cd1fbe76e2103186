#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills runs at random moments and lets them go on until they end: the results must be those of an unbroken run, to the bit, no
# file may be missing, and nothing may be left over.
#   bench/kills.sh [KILLS] [SEED] [KIND ...]       (default: 200 kills over all kinds, some ten minutes)
# KIND: automaton, dic, multigrid, samples, tiles; -memory behind the first three: with checkpoints in memory, too.
# Killed are one rank, all ranks, or mpirun, by SIGKILL; each start is on 1 to 4 ranks (2 to 4 with checkpoints in memory).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
SOURCE=${SOURCE:-$here}
TESSERA=${TESSERA:-$here/build/release/tessera}
MPIEXEC=${MPIEXEC:-mpirun}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
. "$SOURCE/tests/support/fails.sh"
. "$SOURCE/tests/support/kills.sh"
kills=${1:-200} seed=${2:-1}
[ $# -gt 2 ] && shift 2 || set -- automaton automaton-memory dic dic-memory multigrid multigrid-memory samples tiles
RANDOM=$seed
scratch=$(mktemp -d)
memory=$(mktemp -d /dev/shm/tessera-kills-XXXXXX)
trap 'rm -rf "$memory"' EXIT
cd "$scratch"

make_case() { # kind: a fresh case, and the options of its runs
  rm -rf case
  options=(--set controlDict:startFrom=latestTime --quiet)
  case $1 in
  automaton*)
    cp -r "$SOURCE/cases/life/glider_gun" case
    options+=(--set 'gridDict:cells=(300 290 1)' --set 'gridDict:tile=(64 64 1)' --set controlDict:writeControl=timeStep
      --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }' --set controlDict:writeInterval=400
      --set 'automatonProperties:stop={ generations 4000; }')
    ;;
  dic* | multigrid*)
    cp -r "$SOURCE/tests/data/laplacian_small" case
    sed -i 's/(16 12 1)/(48 40 1)/' case/system/blockMeshDict
    sed -i 's/nonuniform List<scalar> 12 *(.*)/uniform 310/' case/0/T
    local preconditioner=DIC
    [ "${1%-memory}" = dic ] || preconditioner=multigrid
    sed -i "s/^solvers.*/solvers { T { solver PCG; preconditioner $preconditioner; tolerance 1e-9; relTol 0; } }/" case/system/fvSolution
    options+=(--set 'decomposeParDict:tile=(12 10 1)' --set controlDict:endTime=800 --set controlDict:deltaT=1
      --set fvSchemes:ddtSchemes.default=backward --set fvSolution:extrapolate=yes --set controlDict:writeInterval=100
      --set 'controlDict:functions={ least { type fieldMinMax; fields (T); writeControl timeStep; writeInterval 7; } }')
    ;;
  samples | tiles)
    cp -r "$SOURCE/cases/percolation/monte_carlo" case
    options+=(--set percolationProperties:input.samples=60 --set percolationProperties:input.eachSample=yes
      --set 'gridDict:tile=(16 64 1)' --set "percolationProperties:input.sharing=$1")
    ;;
  *) echo "kills.sh: unknown kind '$1'" >&2; exit 2 ;;
  esac
  least=1
  case $1 in *-memory)
    least=2
    options+=(--set "controlDict:checkpoint={ every 37; data 1; parity 1; folder \"$memory\"; }")
    ;;
  esac
}
# What a run leaves: names of all files; fields by the report's hash; tables by their bytes
outcome() {
  (cd case && find results postProcessing [0-9]* -type f ! -name speeds.json 2> /dev/null | sort) # speeds: of runs on several ranks
  tr -d ' \n' < case/postProcessing/report.json | sed 's/.*"hash":{\([^}]*\)}.*/\1/'
  echo
  (cd case && find postProcessing -name '*.csv' -o -name '*.dat' | sort | xargs -r cksum)
}
now() { date +%s%N; }
start() { # on some ranks; leaves the session in `session`
  ranks=$((least + RANDOM % (5 - least)))
  setsid "$MPIEXEC" -n "$ranks" "$TESSERA" run case "${options[@]}" > log 2>&1 &
  session=$!
}
ranks_of_run() {
  local p
  for p in $(processes_of session "$session"); do
    if [ "$(cat "/proc/$p/comm" 2> /dev/null)" = tessera ]; then echo "$p"; fi
  done
}
strike() { # who
  local some=($(ranks_of_run))
  case $1 in
  rank) set -- ${some[*]:+${some[RANDOM % ${#some[@]}]}} ;;
  ranks) set -- "${some[@]}" ;;
  mpirun) set -- "$session" ;;
  esac
  [ $# -gt 0 ] && kill -KILL "$@" 2> kill.log
}
# Waits for the run; those whose mpirun is gone end by themselves, a little later. Open MPI's mpirun sometimes waits for ever
# for ranks that were killed while they began: it is killed, too, 10 s after the last of them.
settle() {
  code=0
  local without=0
  while [ -e "/proc/$session/stat" ] && [ "$(cut -d' ' -f3 "/proc/$session/stat" 2> /dev/null)" != Z ]; do
    if [ -n "$(ranks_of_run)" ]; then without=0; else without=$((without + 1)); fi
    if [ $without = 50 ]; then
      kill -KILL "$session" 2> kill.log || true
      stuck=$((stuck + 1))
    fi
    sleep 0.2
  done
  wait "$session" 2> /dev/null || code=$?
  for ((n = 0; n < 200; n++)); do
    [ -z "$(processes_of session "$session")" ] && return
    sleep 0.1
  done
  kill -KILL $(processes_of session "$session") 2> kill.log || true
  outlived=$((outlived + 1))
}
compare() { # kind
  rounds=$((rounds + 1))
  if ! outcome > found.txt || ! cmp -s whole.txt found.txt; then
    wrong=$((wrong + 1))
    fail "$1: another outcome than that of an unbroken run (kept in $scratch/$1-$rounds):"
    diff whole.txt found.txt | head -n 8 || true
    cp -r case "$scratch/$1-$rounds"
  fi
  local left
  left=$(find case -name '*.part'; find "$memory" -mindepth 1)
  if [ -n "$left" ]; then
    over=$((over + 1))
    fail "$1: left over: $(echo "$left" | head -n 3 | tr '\n' ' ')"
    rm -rf "${memory:?}"/*
  fi
}

printf '%-18s %6s %6s %7s %7s %7s %9s %9s %8s\n' kind kills rank ranks mpirun rounds 'outcomes' 'left over' seconds
printf '%-18s %6s %6s %7s %7s %7s %9s %9s %8s\n' '' '' '' '' '' '' wrong '' ''
total=0 number=0 stuck=0
for kind in "$@"; do
  number=$((number + 1))
  goal=$((kills * number / $# - total))
  begun=$(now)
  make_case "$kind"
  "$MPIEXEC" -n "$least" "$TESSERA" run case "${options[@]}" > log 2>&1 || { cat log; fail "$kind: the unbroken run failed"; continue; }
  lasts=$(((($(now) - begun) / 1000000)))
  outcome > whole.txt
  killed=0 rounds=0 wrong=0 over=0 outlived=0 one=0 many=0 above=0
  make_case "$kind"
  while [ $killed -lt $goal ]; do
    start
    sleep "$(printf '%d.%03d' $((RANDOM % (lasts + 1) / 1000)) $((RANDOM % 1000)))"
    who=($(printf 'rank\nranks\nmpirun\n'))
    who=${who[RANDOM % 3]}
    hit=no
    if strike $who; then hit=yes; fi
    settle
    # whether it was hit or had ended is seen by its code
    if [ $code = 0 ] && [ -s case/postProcessing/report.json ]; then
      compare "$kind"
      make_case "$kind"
      continue
    fi
    if [ $hit = no ]; then
      cat log
      fail "$kind: exit code $code of a run that nobody killed"
      make_case "$kind"
      killed=$((killed + 1))
      continue
    fi
    killed=$((killed + 1))
    case $who in rank) one=$((one + 1)) ;; ranks) many=$((many + 1)) ;; *) above=$((above + 1)) ;; esac
  done
  "$MPIEXEC" -n $((least + 1)) "$TESSERA" run case "${options[@]}" > log 2>&1 || { cat log; fail "$kind: does not go on after the last kill"; }
  compare "$kind"
  total=$((total + killed))
  printf '%-18s %6d %6d %7d %7d %7d %9d %9d %8d\n' "$kind" $killed $one $many $above $rounds $wrong $over $((($(now) - begun) / 1000000000))
  [ $outlived = 0 ] || fail "$kind: $outlived runs whose mpirun was killed went on for 20 s"
done
echo "$total kills, seed $seed; $stuck times mpirun did not see the end of its ranks"
[ $failed = 1 ] || rm -rf "$scratch"
exit $failed
