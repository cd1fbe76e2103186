#!/usr/bin/env bash
# Predictions of `tessera plan` beside measurements on this machine.
#   plan.sh [SIZES "256x205 512x410 1024x820"; "": the emulated clusters alone] [SOLVERS "DIC GAMG multigrid"] [STEPS 3] [ROUNDS 3] [PLANS 3]
# The three-cable case, solvers PCG with DIC and multigrid, and GAMG: time of an iteration on 1 and 2 ranks and memory of the largest rank,
# planned as a user would for this machine, from samples as large as `plan` makes them by itself. Then
# emulated clusters (docs/studies.md) on the middle mesh: two nodes of one rank, the second half as fast, two nodes of two ranks, alike and the second half
# as fast, and four nodes of two. ROUNDS runs come before each of PLANS plans and as many after it;
# the fastest is told, as samples are the fastest of their runs: what others do on the machine slows a run, and nothing hastens it. A row has
# the medians of the plans and of what was measured round them, and of their ratios the median, the least and the largest: a machine that is
# not alone changes its speed between a plan and a run.
set -euo pipefail
sizes=${1-256x205 512x410 1024x820} solvers=${2:-DIC GAMG multigrid} steps=${3:-3} rounds=${4:-3} plans=${5:-3}
here=$(cd "$(dirname "$0")" && pwd)
tessera=${TESSERA:-$here/../build/release/tessera}
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_rmaps_base_oversubscribe=1
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_case() { # size, solver
  local entry="solver PCG; preconditioner $2;"
  [ "$2" != GAMG ] || entry='solver GAMG; smoother DIC; agglomerator faceAreaPair; nCellsInCoarsestLevel 100; mergeLevels 1; cacheAgglomeration true;'
  rm -rf "$work/case"
  bash "$here/make_cable_case.sh" "${1%x*}" "${1#*x}" "$work/case" 10000 1e-6 "$steps"
  sed -i "s/solver [A-Z]*; .*tolerance/$entry tolerance/" "$work/case/system/fvSolution"
}
plan() { # options
  "$tessera" plan "$work/case" --quiet "$@" > "$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 4; }
}
measure() { # file for rows, ranks, environment NAME=VALUE ..., arguments after --: adds seconds an iteration and bytes of the largest rank
  local rows=$1 n=$2 env=()
  shift 2
  while [ "$1" != -- ]; do env+=(-x "$1"); shift; done
  shift
  for ((i = 0; i < rounds; ++i)); do
    mpirun -np "$n" "${env[@]}" "$tessera" run "$work/case" --quiet --report "$work/run.json" "$@" > "$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 4; }
    python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
print(next(iter(r["solvers"].values()))["secondsPerIteration"], r["memory"]["peakBytesPerRankMax"])' "$work/run.json" >> "$rows"
  done
}
note() { # ranks, nodes, file of rows, file of pairs: adds measured and planned seconds and bytes
  python3 -c '
import json, statistics, sys
ranks, nodes = int(sys.argv[2]), int(sys.argv[3])
seconds, memory = (pick(column) for pick, column in zip((min, statistics.median), zip(*(map(float, line.split()) for line in open(sys.argv[4])))))
p = next(x for x in json.load(open(sys.argv[1]))["points"] if x["ranks"] == ranks and x["nodes"] == nodes)
print(seconds, p["seconds"]["round"], memory, p["memory"]["bytesPerRankMax"])' "$work/plan.json" "$1" "$2" "$3" >> "$4"
}
row() { # label, ranks, file of pairs
  python3 -c '
import statistics, sys
rows = [list(map(float, line.split())) for line in open(sys.argv[3])]
seconds, planned, memory, room = (statistics.median(column) for column in zip(*rows))
off = sorted(100 * (r[1] / r[0] - 1) for r in rows)
print("| %s | %s | %.3f | %.3f | %+.0f %% (%+.0f .. %+.0f) | %.0f | %.0f | %+.0f %% |" % (sys.argv[1], sys.argv[2], 1e3 * seconds, 1e3 * planned,
    statistics.median(off), off[0], off[-1], memory / 1e6, room / 1e6, 100 * (room / memory - 1)))' "$@"
}

echo "| case | ranks | measured ms | planned ms | | measured MB | planned MB | |"
echo "|---|---|---|---|---|---|---|---|"
for size in $sizes; do
  for solver in $solvers; do
    make_case "$size" "$solver"
    rm -f "$work"/pairs.*
    for ((round = 0; round < plans; ++round)); do
      rm -f "$work"/rows.*
      for n in 1 2; do measure "$work/rows.$n" "$n" --; done
      plan --report "$work/plan.json"
      for n in 1 2; do
        measure "$work/rows.$n" "$n" --
        note "$n" 1 "$work/rows.$n" "$work/pairs.$n"
      done
    done
    for n in 1 2; do row "$size $solver" "$n" "$work/pairs.$n"; done
  done
done

size=$(echo "${sizes:-512x410}" | awk '{ print $(NF > 1 ? 2 : 1) }')
network=2e-5,1e9 memory=1e-6,5e9
describe() { # speeds of the nodes, ranks of each: $work/cluster, of the speed of the moment
  local contention kernel
  plan --measure -o "$work/measured"
  kernel=$(grep '^kernel:' "$work/measured")
  contention=$(sed -n 's/^localhost.* contention=1,\([0-9.e+-]*\).*/\1/p' "$work/measured")
  python3 -c '
import sys
speeds, ranks, c, kernel, network, memory = [float(x) for x in sys.argv[1].split(",")], int(sys.argv[2]), float(sys.argv[3] or 1), *sys.argv[4:]
# ranks lose in the memory of this machine, where two are at work at once; of two, the faster one has more cells and is alone in the end
n = ranks * len(speeds)
for node, speed in enumerate(speeds):
    both = min(speeds) / speed if n == 2 else 1
    print("n%d ranks=%d speed=%.4g" % (node, ranks, speed / (1 + (c - 1) * both)))
for name, link in ("network", network), ("memory", memory):
    print("%s: latency=%s bandwidth=%s overhead=0" % (name, *link.split(",")))  # emulated messages have none
print(kernel)' "$1" "$2" "$contention" "$kernel" "$network" "$memory" > "$work/cluster"
}
emulated() { # label, speeds of the nodes, ranks of each
  local nodes speeds n
  nodes=$(python3 -c 'import sys; n = len(sys.argv[1].split(",")); print(*[i for i in range(n) for _ in range(int(sys.argv[2]))], sep=",")' "$2" "$3")
  speeds=$(python3 -c 'import sys; print(*[s for s in sys.argv[1].split(",") for _ in range(int(sys.argv[2]))], sep=",")' "$2" "$3")
  n=$(($(tr -cd , <<< "$nodes" | wc -c) + 1))
  rm -f "$work/pairs"
  local run=("$work/rows" "$n" "TESSERA_NODES=$nodes" "TESSERA_EMULATE=speeds=$speeds network=$network memory=$memory" --
    --set "system/decomposeParDict:processorWeights=(${speeds//,/ })")
  for ((round = 0; round < plans; ++round)); do
    rm -f "$work/rows"
    measure "${run[@]}"
    describe "$2" "$3"
    plan --machine "$work/cluster" --report "$work/plan.json"
    measure "${run[@]}"
    note "$n" $((n / $3)) "$work/rows" "$work/pairs"
  done
  row "$1" "$n" "$work/pairs"
}
for solver in $solvers; do
  make_case "$size" "$solver"
  emulated "$size $solver, nodes 1 : 0.5" 1,0.5 1
  emulated "$size $solver, 2 nodes of 2" 1,1 2
  emulated "$size $solver, 2 nodes of 2, 1 : 0.5" 1,0.5 2
  emulated "$size $solver, 4 nodes of 2" 1,1,1,1 2
done
