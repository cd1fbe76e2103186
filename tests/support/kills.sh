# SPDX-License-Identifier: Apache-2.0
# Sourced by tests that kill runs: needs TESSERA, MPIEXEC and a function fail.

# Processes whose parent or session is ID, by /proc: a fresh machine has no ps.
processes_of() { # parent | session, ID
  local stat line of
  for stat in /proc/[0-9]*/stat; do
    { read -r line < "$stat"; } 2> /dev/null || continue
    set -- "$1" "$2" ${line##*) } # after the name in brackets: state, parent, group, session
    if [ "$1" = parent ]; then of=$4; else of=$6; fi
    if [ "$of" = "$2" ]; then stat=${stat%/stat}; echo "${stat#/proc/}"; fi
  done
}

# Starts a run of `case` so many times, on one, two and three ranks in turn, and kills it at a random moment; the snapshots it
# leaves must open. Counts in `killed`.
kill_runs() { # kills, field, arguments of tessera run
  local kills=$1 field=$2 n session begun file
  shift 2
  killed=0
  for ((n = 0; n < kills; n++)); do
    setsid "$MPIEXEC" -n $((n % 3 + 1)) "$TESSERA" run case "$@" > log 2>&1 &
    session=$!
    sleep "0.$((RANDOM % 9))$((RANDOM % 9 + 1))"
    begun=$(processes_of session $session) # mpirun gives its ranks groups of their own
    if [ -n "$begun" ] && kill -KILL $begun 2> kill.log; then killed=$((killed + 1)); fi
    wait $session || true
    for file in $(ls case/results/*.h5 2> /dev/null | tail -n 2); do
      "$TESSERA" compare "$file" "$file" --field "$field" > log 2>&1 || { cat log; fail "a kill left a broken snapshot: $file"; }
    done
  done
  [ "$killed" -gt 0 ] || fail "no run was killed"
}
