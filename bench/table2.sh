#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The published experiment on unequal machines ("On Efficiency of the OpenFOAM-based Parallel Solver for the Heat Transfer in
# Electrical Power Cables", NESUS 2014, table 2) on two cores: three ranks, of which one has a core alone and two share the
# other, weights of the faster one 1.6, 1.7, and automatic; DIC-PCG, GAMG and PCG with multigrid on the three-cable case.
#   table2.sh [nx 1120] [ny 896] [rounds 3]
# Prints a table as published: N iterations a step, T wall time of the 10 steps without start and files [s], t = T / N / 10
# [s]; best time of the rounds. Automatic: a first run, which begins equal and moves tiles, then runs with its speeds.
set -eu
nx=${1:-1120} ny=${2:-896} rounds=${3:-3}
here=$(cd "$(dirname "$0")/.." && pwd)
tessera=${TESSERA:-$here/build/release/tessera}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMP_NUM_THREADS=1
"$here/bench/make_cable_case.sh" "$nx" "$ny" "$work/case" 20000 1e-6 10

run() { # solver, settings: iterations a step, seconds, cells of each rank
  local entry=$1
  shift
  mpirun -np 3 bash -c 'core=$((OMPI_COMM_WORLD_RANK > 0)); exec taskset -c $core "$@"' - \
    "$tessera" run "$work/case" --quiet --set "fvSolution:solvers.T={ $entry tolerance 1e-6; relTol 0; maxIter 20000; }" "$@" >&2
  python3 -c '
import json, sys
r = json.load(open(sys.argv[1] + "/postProcessing/report.json"))
t, cells = r["time"]["ofRanks"], r["partition"]["cells"]
seconds = min(map(sum, zip(*(t[part] for part in ("compute", "halo", "reduce", "rebalance", "idle")))))
print("%.1f %.3f %s" % (r["solvers"]["T"]["averageIterations"], seconds,
                        "/".join("%.0f" % (100 * c / sum(cells)) for c in cells)))' "$work/case"
}
best() { sort -g -k 2 | head -n 1; }

declare -A entry=([DIC-PCG]='solver PCG; preconditioner DIC;' [GAMG]='solver GAMG; smoother DIC;'
  [multigrid-PCG]='solver PCG; preconditioner multigrid;')
echo "| $nx x $ny cells | | 1.6 | 1.7 | automatic, first run | automatic, later runs |"
echo '|---|---|---|---|---|---|'
for solver in DIC-PCG GAMG multigrid-PCG; do
  for w in 1.6 1.7; do
    for ((n = 0; n < rounds; ++n)); do run "${entry[$solver]}" --set "decomposeParDict:processorWeights=($w 1 1)"; done | best
  done > "$work/rows"
  for ((n = 0; n < rounds; ++n)); do
    rm -f "$work/case/postProcessing/speeds.json"
    run "${entry[$solver]}"
  done | best >> "$work/rows"
  for ((n = 0; n < rounds; ++n)); do run "${entry[$solver]}"; done | best >> "$work/rows"
  awk -v solver="$solver" '{ N[NR] = $1; T[NR] = $2; cells[NR] = $3 } END {
    printf "| %s | N |", solver; for (n = 1; n <= NR; ++n) printf " %s |", N[n]
    printf "\n| | T |"; for (n = 1; n <= NR; ++n) printf " %.2f |", T[n]
    printf "\n| | t |"; for (n = 1; n <= NR; ++n) printf " %.4f |", T[n] / N[n] / 10
    printf "\n| | cells [%%] |"; for (n = 1; n <= NR; ++n) printf " %s |", cells[n]
    printf "\n" }' "$work/rows"
done
