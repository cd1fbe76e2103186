#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The published table of the cable benchmark on this machine: mean iterations a step N, time of the 10 steps T [s] (set-up and solution),
# time an iteration t [s], for meshes, solvers and numbers of ranks.
#   bench/table1.sh [SIZES "1128x903"] [RANKS "1 2"] [SOLVERS "DIC MDIC GAMG multigrid"] [STEPS 10]
# Fewer than ten steps show what an iteration takes of the methods that take many.
# Source of the published one: On Efficiency of the OpenFOAM-based Parallel Solver for the Heat Transfer in Electrical Power Cables,
# First NESUS Workshop, 2014.
set -euo pipefail
sizes=${1:-1128x903} ranks=${2:-1 2} solvers=${3:-multigrid GAMG MDIC DIC} steps=${4:-10}
here=$(cd "$(dirname "$0")" && pwd)
tessera=${TESSERA:-$here/../build/release/tessera}
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_rmaps_base_oversubscribe=1
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
key() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p" "$work/report.json" | head -n 1; }

echo "| cells | solver | ranks | N | T [s] | t [s] |"
echo "|---|---|---|---|---|---|"
for size in $sizes; do
  nx=${size%x*} ny=${size#*x}
  bash "$here/make_cable_case.sh" "$nx" "$ny" "$work/case" 10000 1e-6 "$steps"
  for solver in $solvers; do
    entry="solver PCG; preconditioner $solver;"
    [ "$solver" != GAMG ] || entry='solver GAMG; smoother DIC; agglomerator faceAreaPair; nCellsInCoarsestLevel 100; mergeLevels 1; cacheAgglomeration true;'
    sed -i "s/solver [A-Z]*; .*tolerance/$entry tolerance/" "$work/case/system/fvSolution"
    for n in $ranks; do
      mpirun -np "$n" "$tessera" run "$work/case" --quiet --report "$work/report.json" > "$work/out" 2>&1 || { tail -5 "$work/out" >&2; exit 4; }
      awk -v c=$((nx * ny)) -v s="$solver" -v n="$n" -v i="$(key averageIterations)" -v a="$(key setupSeconds)" -v b="$(key solveSeconds)" -v steps="$steps" \
        'BEGIN { printf "| %d | %s | %d | %.1f | %.2f | %.4f |\n", c, s, n, i, a + b, b / (i * steps) }'
    done
  done
done
