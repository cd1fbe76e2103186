#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# PCG with DIC beside OpenFOAM's DICPCG on the same system, one core each, taking turns; prints nanoseconds of processor time a cell and
# iteration of both (medians) and their ratio. OpenFOAM's time is the difference of a long and a short run, so that reading the case and
# assembling do not count; ours is a whole solve.
#   bench/pcg_dic.sh [NX 1128] [NY 903] [ITERATIONS 300] [ROUNDS 3]     BENCH: folder of the programs, build/release/bench
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
if [ $peer = no ]; then
  echo "OpenFOAM DICPCG: peer missing (install the package openfoam)"
  exit 0
fi
o=$(echo "$other" | median)
echo "OpenFOAM DICPCG: $o ns a cell and iteration  (runs:$other)"
awk -v m="$m" -v o="$o" -v c=$((nx * ny)) 'BEGIN { printf "ratio: %.2f\n{\"bench\": \"pcg_dic\", \"cells\": %d, \"tessera\": %s, \"openfoam\": %s, \"ratio\": %.3f}\n", o / m, c, m, o, o / m }'
