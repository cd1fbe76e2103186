#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Threads against ranks, on two cores: each job on two threads of one rank, on two ranks, and on one thread, of the same program
# built with OpenMP; and on one rank of the Serial program (build/release) where that is there. Medians of rounds in turn.
#   threads.sh [side 4096] [rounds 5] [JOB ...]      JOB: life heat labels backbone multigrid dic (default: all)
# Prints for each job the seconds of its steps (compute, halo, reduce and idle of the report, the slowest rank's) and ratios to
# two ranks. PROGRAM=... names the program (default: build/omp/tessera; tools/check --backend omp builds it).
set -eu
side=${1:-4096} rounds=${2:-5}
shift $(($# < 2 ? $# : 2))
here=$(cd "$(dirname "$0")/.." && pwd)
program=${PROGRAM:-$here/build/omp/tessera} serial=$here/build/release/tessera
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMP_PROC_BIND=${OMP_PROC_BIND:-false}

automaton() { # folder, entries of automatonProperties
  mkdir -p "$work/$1/system" "$work/$1/constant"
  echo "application cellularAutomaton; writeControl none;" > "$work/$1/system/controlDict"
  echo "cells ($side $side 1); periodic (x y);" > "$work/$1/system/gridDict"
  echo "initial { type random; probability 0.4; seed 3; } $2" > "$work/$1/constant/automatonProperties"
}
percolation() { # folder, analysis
  mkdir -p "$work/$1/system" "$work/$1/constant"
  echo "application percolation; writeControl none;" > "$work/$1/system/controlDict"
  echo "cells ($side $side 1);" > "$work/$1/system/gridDict"
  echo "input { type random; probability 0.6; seed 1; } $2" > "$work/$1/constant/percolationProperties"
}
declare -A arguments=()
automaton life 'rule "B3/S23"; stop { generations 200; }'
automaton heat 'rule heat; diffusivity 0.2; deltaT 1; stop { generations 50; }'
percolation labels 'backbone no; shortestPath no;'
percolation backbone 'backbone yes; shortestPath no;'
cables=$((side * side / 4))
nx=$(awk -v n=$cables 'BEGIN { printf "%d", int(sqrt(n * 564 / 452) / 4) * 4 }')
"$here/bench/make_cable_case.sh" "$nx" $((cables / nx)) "$work/multigrid" 20000 1e-6 10
cp -r "$work/multigrid" "$work/dic"
arguments[multigrid]='solver PCG; preconditioner multigrid;'
arguments[dic]='solver PCG; preconditioner DIC;'

seconds() { # job, command in front
  local job=$1 set=()
  shift
  [ -z "${arguments[$job]:-}" ] || set=(--set "fvSolution:solvers.T={ ${arguments[$job]} tolerance 1e-6; relTol 0; maxIter 20000; }")
  "$@" run "$work/$job" --quiet "${set[@]}" --report "$work/report.json" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  python3 -c '
import json, sys
t = json.load(open(sys.argv[1]))["time"]["ofRanks"]
print("%.4f" % max(map(sum, zip(*(t[part] for part in ("compute", "halo", "reduce", "idle"))))))' "$work/report.json"
}
jobs=("$@")
[ ${#jobs[@]} -gt 0 ] || jobs=(life heat labels backbone multigrid dic)
echo "| job | Serial, 1 rank [s] | 1 thread [s] | 2 ranks [s] | 2 threads [s] | 2 threads / 2 ranks | 1 thread / Serial |"
echo '|---|---|---|---|---|---|---|'
for job in "${jobs[@]}"; do
  for ((n = 0; n < rounds; ++n)); do
    one=$(OMP_NUM_THREADS=1 seconds "$job" "$program")
    if [ -x "$serial" ]; then alone=$(seconds "$job" "$serial"); else alone=nan; fi
    ranks=$(OMP_NUM_THREADS=1 seconds "$job" mpirun -n 2 "$program")
    threads=$(OMP_NUM_THREADS=2 seconds "$job" "$program")
    echo "$alone $one $ranks $threads"
  done > "$work/rows"
  python3 -c '
import statistics as s, sys
rows = [list(map(float, line.split())) for line in open(sys.argv[1])]
alone, one, ranks, threads = (s.median(column) for column in zip(*rows))
a, b = s.median(r[3] / r[2] for r in rows), s.median(r[1] / r[0] for r in rows)
print(f"| {sys.argv[2]} | {alone:.3f} | {one:.3f} | {ranks:.3f} | {threads:.3f} | {a:.2f} | {b:.2f} |")' "$work/rows" "$job"
done
