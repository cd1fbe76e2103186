#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Memory of a large torus of two states on one rank: bits a cell at the peak, as the run measured and as `tessera check` foretold.
#   bench/memory.sh [CELLS a side, default 16384] [GENERATIONS, 24]
# The run has a random start and a hash at its end; it writes no snapshot.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tessera=${TESSERA:-$root/build/release/tessera}
n=${1:-16384} generations=${2:-24}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$root/bench/make_soup_case.sh" case "$n" "$generations"
foretold=$("$tessera" check case --set controlDict:writeControl=none | sed -n 's/.* about \([0-9.]* [kMGT]\?B\) of memory.*/\1/p')
"$tessera" run case --quiet --set controlDict:writeControl=none --report report.json
peak=$(sed -n 's/.*"peakBytesPerRankMax": \([0-9.e+]*\).*/\1/p' report.json)
awk -v n="$n" -v g="$generations" -v p="$peak" -v f="$foretold" 'BEGIN {
  printf "B3/S23, %s^2 cells, %s generations, one rank: %.2f GB at the peak, %.2f bits a cell; check said %s\n", n, g, p / 1e9, 8 * p / n / n, f
  printf "{\"bench\": \"memory\", \"cells\": %s, \"peakBytes\": %.0f, \"bitsPerCell\": %.3f, \"check\": \"%s\"}\n", n, p, 8 * p / n / n, f }'
