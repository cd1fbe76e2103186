#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# PCG with DIC and MDIC beside OpenFOAM's DICPCG on the same system, taking turns.
#   bench/pcg_dic.sh [NX 1128] [NY 903] [ITERATIONS 300] [ROUNDS 3]     BENCH: folder of the programs, build/release/bench
# 1. Nanoseconds of processor time a cell and iteration on one core, medians, and their ratio. OpenFOAM's is the difference of a long and
#    a short run, so that reading the case and assembling do not count; ours is a whole solve.
# 2. Ten steps to a tolerance of 1e-6 with DIC and MDIC on one and two ranks: iterations a step, wall and processor seconds (of the busiest
#    rank), best of the rounds; the ratio is of processor time, which other work on the machine disturbs least. OpenFOAM's is that of an iteration, from 1, times the iterations of our DIC, which are its own; with STEPS=peer it is run in full.
set -euo pipefail
nx=${1:-1128} ny=${2:-903} iterations=${3:-300} rounds=${4:-3} short=10
here=$(cd "$(dirname "$0")" && pwd)
bench=${BENCH:-$here/../build/release/bench}
export WM_PROJECT_DIR=${WM_PROJECT_DIR:-/usr/share/openfoam}

ours() { "$bench/pcg_dic" "$nx" "$ny" "$iterations" 1 | sed -n 's/.*"nanoseconds": \([0-9.]*\).*/\1/p'; }
seconds() { # iterations
  sed -i "s/maxIter [0-9]*/maxIter $1/" "$case/system/fvSolution"
  (cd "$case" && laplacianFoam) | awk '/^ExecutionTime/ { t = $3 } END { print t }'
}
theirs() { awk -v long="$(seconds "$iterations")" -v brief="$(seconds $short)" -v n=$(((iterations - short) * nx * ny)) \
  'BEGIN { printf "%.3f\n", 1e9 * (long - brief) / n }'; }
median() { tr ' ' '\n' | sed '/^$/d' | sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

peer=no
if command -v laplacianFoam blockMesh setFields topoSet > /dev/null; then
  peer=yes
  case=$(mktemp -d)
  trap 'rm -rf "$case"' EXIT
  bash "$here/make_cable_case.sh" "$nx" "$ny" "$case" "$iterations"
  for step in blockMesh setFields topoSet; do (cd "$case" && $step > log.$step) || { tail -5 "$case/log.$step" >&2; exit 4; }; done
fi
mine= other=
for _ in $(seq "$rounds"); do
  mine="$mine $(ours)"
  [ $peer = no ] || other="$other $(theirs)"
done
m=$(echo "$mine" | median)
echo "tessera  DICPCG: $m ns a cell and iteration  (runs:$mine)"
o=
if [ $peer = no ]; then
  echo "OpenFOAM DICPCG: peer missing (install the package openfoam)"
else
  o=$(echo "$other" | median)
  echo "OpenFOAM DICPCG: $o ns a cell and iteration  (runs:$other)"
  awk -v m="$m" -v o="$o" -v c=$((nx * ny)) 'BEGIN { printf "ratio: %.2f\n{\"bench\": \"pcg_dic\", \"cells\": %d, \"tessera\": %s, \"openfoam\": %s, \"ratio\": %.3f}\n", o / m, c, m, o, o / m }'
fi

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
steps() { # ranks, preconditioner: iterations a step, seconds of set-up and steps, processor seconds of the steps, of the best round
  for _ in $(seq "$rounds"); do mpirun -np "$1" "$bench/pcg_dic" "$nx" "$ny" 0 0 "preconditioner $2;" 10; done |
    sed -n 's/.*"iterationsPerStep": \([0-9.]*\),.*"setupSeconds": \([0-9.]*\), "seconds": \([0-9.]*\), "processorSeconds": \([0-9.]*\)}/\1 \2 \3 \4/p' | sort -g -k4 | head -1
}
theirs_in_full= # seconds of ten steps
if [ $peer = yes ] && [ "${STEPS:-}" = peer ]; then
  bash "$here/make_cable_case.sh" "$nx" "$ny" "$case" 100000 1e-6 10
  (cd "$case" && setFields > log.setFields)
  theirs_in_full=$(seconds 100000)
  echo "OpenFOAM DICPCG, 10 steps: $theirs_in_full s"
fi
for ranks in 1 2; do
  for preconditioner in DIC MDIC; do
    read -r iterations_a_step setup wall busy < <(steps $ranks $preconditioner)
    awk -v p=$preconditioner -v r=$ranks -v i="$iterations_a_step" -v u="$setup" -v s="$wall" -v b="$busy" -v o="$o" -v c=$((nx * ny)) \
      -v n="${dic_iterations:=$iterations_a_step}" -v full="$theirs_in_full" 'BEGIN {
        # OpenFOAM: as measured in full, or its time a cell and iteration times the iterations of DIC
        t = full != "" ? full : o != "" ? 1e-9 * o * c * n * 10 : 0
        printf "tessera  %sPCG, 10 steps, %d ranks: %.1f iterations a step, set-up %.2f s, steps %.2f s (%.2f s of a processor)", p, r, i, u, s, b
        if (t) printf ", OpenFOAM on one rank (%s) %.1f s, ratio %.1f", full != "" ? "measured" : "its time an iteration", t, t / b
        printf "\n{\"bench\": \"pcg_dic_steps\", \"preconditioner\": \"%s\", \"ranks\": %d, \"cells\": %d, \"iterationsPerStep\": %s, \"setupSeconds\": %s, \"seconds\": %s, \"processorSeconds\": %s, \"openfoamSeconds\": %.3f}\n", p, r, c, i, u, s, b, t }'
  done
done
