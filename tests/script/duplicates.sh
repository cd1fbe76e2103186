#!/usr/bin/env bash
# A sweep's late tasks are begun twice: the same tables as without, of which a slow rank's task would be the last to come.
set -eu
. "$SOURCE/tests/support/fails.sh"
ranks() { # number, options
  local n=$1
  shift
  "$MPIEXEC" -n "$n" "$TESSERA" sweep case "$@" > log 2>&1
}
value() { sed -n "s/^  \"$1\": \([0-9]*\),*/\1/p" case/sweep/report.json; }
tables() { # of the sweep, against those of a folder
  for file in tasks.csv statistics.csv; do cmp "case/sweep/$file" "$1/$file" || { cat log; fail "$2: another $file"; }; done
}
once() { # each finished task stands in the records once
  local n
  n=$(cat case/sweep/tasks.[0-9]* | grep -o '"key":"[^"]*"' | sort | uniq -d | wc -l)
  [ "$n" = 0 ] || fail "$1: tasks are recorded twice"
  ! ls case/sweep | grep -q scratch || fail "$1: an attempt has left its folder"
}

# eight equal tasks of some tenths of a second, in steps
mkdir -p case/system case/constant
echo 'application automaton;' > case/system/controlDict
echo 'cells (256 256 1); tile (256 256 1);' > case/system/gridDict
printf 'initial { type random; seed 3; }\nstop { generations 1500; }\nrule "B3/S23";\nstorage bytes;\n' > case/constant/automatonProperties
sweep_dict() { # samples, what follows
  cat > case/system/sweepDict << EOF
axes { seed { samples $1; } }
settings ("constant/automatonProperties:initial.seed={seed}");
results (population hash.state);
${2:-}
EOF
}
