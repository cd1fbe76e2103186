# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# The jobs of threads.sh and backends.sh, which source this file: `make_jobs SIDE` writes their cases below $work, `run_job JOB
# COMMAND...` runs one with that command in front and leaves $work/report.json. $here: the repository.
all_jobs=(life heat labels backbone multigrid dic)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMP_PROC_BIND=${OMP_PROC_BIND:-false}
declare -A arguments=([multigrid]='solver PCG; preconditioner multigrid; maxIter 20000;' [dic]='solver PCG; preconditioner DIC; maxIter 300;')

automaton() { # folder, side, entries of automatonProperties
  mkdir -p "$work/$1/system" "$work/$1/constant"
  echo "application cellularAutomaton; writeControl none;" > "$work/$1/system/controlDict"
  echo "cells ($2 $2 1); periodic (yes yes no);" > "$work/$1/system/gridDict"
  echo "initial { type random; probability 0.4; seed 3; } $3" > "$work/$1/constant/automatonProperties"
}
percolation() { # folder, cells, analysis
  mkdir -p "$work/$1/system" "$work/$1/constant"
  echo "application percolation; writeControl none;" > "$work/$1/system/controlDict"
  echo "cells ($2);" > "$work/$1/system/gridDict"
  echo "input { type random; probability 0.6; seed 1; } $3" > "$work/$1/constant/percolationProperties"
}
make_jobs() { # side: of automata and media; heat conduction has a quarter of their cells
  automaton life "$1" 'rule "B3/S23"; stop { generations 1000; }'
  automaton heat "$1" 'rule heat; diffusivity 0.2; deltaT 1; stop { generations 300; }'
  # in the plane the backbone is always found: labels alone are those of a cube of as many cells
  local cells=$(($1 * $1 / 4)) nx edge
  edge=$(awk -v n="$1" 'BEGIN { printf "%d", exp(log(n) * 2 / 3) }')
  percolation labels "$edge $edge $edge" 'backbone no; shortestPath no;'
  percolation backbone "$1 $1 1" 'backbone yes; shortestPath no;'
  nx=$(awk -v n=$cells 'BEGIN { printf "%d", int(sqrt(n * 564 / 452) / 4) * 4 }')
  "$here/bench/make_cable_case.sh" "$nx" $((cells / nx)) "$work/multigrid" 20000 1e-6 10
  # 300 iterations a step: it takes thousands on so many cells
  "$here/bench/make_cable_case.sh" "$nx" $((cells / nx)) "$work/dic" 20000 1e-6 2
}
run_job() { # job, command in front
  local job=$1 set=()
  shift
  [ -z "${arguments[$job]:-}" ] || set=(--set "fvSolution:solvers.T={ ${arguments[$job]} tolerance 1e-6; relTol 0; }")
  "$@" run "$work/$job" --quiet "${set[@]}" --report "$work/report.json" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
}
# seconds of the steps: compute, halo, reduce and idle of rank 0; others also wait in a reduction while it draws a picture in the end
job_seconds() {
  python3 -c '
import json, sys
t = json.load(open(sys.argv[1]))["time"]["ofRanks"]
print("%.4f" % sum(t[part][0] for part in ("compute", "halo", "reduce", "idle")))' "$work/report.json"
}
