#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ranks of really unequal speed on two cores: rank 0 has the first core alone, ranks 1 and 2 share the second (speeds about
# 2 : 1 : 1). Wall time of the steps with equal shares, with automatic weights (a first run that begins equal and moves
# tiles, then runs that begin with its speeds), and the ideal by the sum of speeds: 2 ranks' worth of cores at the speed of
# one rank on one core, half the time of that rank alone.
#   unequal.sh [heat|cable|all] [steps 400] [rounds 3]
# Explicit heat, 2048 x 2048; and 10 steps of the three-cable case of 1 M cells with PCG-DIC. Best of the rounds.
set -eu
what=${1:-all} steps=${2:-400} rounds=${3:-3}
here=$(cd "$(dirname "$0")/.." && pwd)
tessera=${TESSERA:-$here/build/release/tessera}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMP_NUM_THREADS=1

seconds() { # case, ranks, settings: the wall time without start and files
  local folder=$1 ranks=$2
  shift 2
  if [ "$ranks" = 1 ]; then
    taskset -c 0 "$tessera" run "$folder" --quiet "$@"
  else
    mpirun -np 3 bash -c 'core=$((OMPI_COMM_WORLD_RANK > 0)); exec taskset -c $core "$@"' - "$tessera" run "$folder" --quiet "$@"
  fi >&2
  python3 -c '
import json, sys
t = json.load(open(sys.argv[1] + "/postProcessing/report.json"))["time"]
print("%.3f" % (t["wall"] - t["boot"] - t["io"]))' "$folder"
}
best() { sort -g | head -n 1; }
study() { # name, case, settings
  local name=$1 folder=$2 alone equal first automatic n
  shift 2
  alone=$(for ((n = 0; n < rounds; ++n)); do seconds "$folder" 1 "$@"; done | best)
  equal=$(for ((n = 0; n < rounds; ++n)); do
    seconds "$folder" 3 "$@" --set 'decomposeParDict:processorWeights=(1 1 1)'; done | best)
  rm -f "$folder/postProcessing/speeds.json"
  first=$(seconds "$folder" 3 "$@")
  automatic=$(for ((n = 0; n < rounds; ++n)); do seconds "$folder" 3 "$@"; done | best)
  awk -v name="$name" -v alone="$alone" -v equal="$equal" -v first="$first" -v automatic="$automatic" 'BEGIN {
    ideal = alone / 2
    printf "%s: one rank %.2f s, ideal %.2f s; equal shares %.2f s (%.2f of ideal); automatic, first run %.2f s (%.2f), later runs %.2f s (%.2f)\n",
      name, alone, ideal, equal, equal / ideal, first, first / ideal, automatic, automatic / ideal
    printf "{\"bench\":\"unequal\",\"case\":\"%s\",\"alone\":%s,\"ideal\":%.3f,\"equal\":%s,\"first\":%s,\"automatic\":%s}\n",
      name, alone, ideal, equal, first, automatic }'
}

if [ "$what" != cable ]; then
  mkdir -p "$work/heat/constant" "$work/heat/system"
  echo 'application cellularAutomaton; writeControl none;' > "$work/heat/system/controlDict"
  echo 'cells (2048 2048 1);' > "$work/heat/system/gridDict"
  cat > "$work/heat/constant/automatonProperties" <<END
rule heat; diffusivity 0.2; deltaT 1;
initial { type random; probability 0.5; seed 1; }
boundary { left fixed 0; right fixed 0; bottom fixed 0; top fixed 0; }
stop { generations $steps; }
END
  study 'explicit heat, 2048 x 2048' "$work/heat"
fi
if [ "$what" != heat ]; then
  "$here/bench/make_cable_case.sh" 1120 896 "$work/cable" 20000 1e-6 10
  study 'cable, 1.0 M cells, 10 steps, PCG-DIC' "$work/cable"
fi
