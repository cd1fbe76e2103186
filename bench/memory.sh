#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Memory of a large torus of two states on one rank: bits a cell at the peak, as the run measured and as `tessera check` foretold.
#   bench/memory.sh [CELLS a side, default 16384] [GENERATIONS, 24]
# The run has a random start, a hash and a picture at its end; it writes no snapshot. What the program takes by itself is the peak of
# a run of 64 x 64 cells.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tessera=${TESSERA:-$root/build/release/tessera}
n=${1:-16384} generations=${2:-24}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
peak_of() { # cells a side, generations
  "$root/bench/make_soup_case.sh" case "$1" "$2"
  "$tessera" run case --quiet --set controlDict:writeControl=none --report report.json
  sed -n 's/.*"peakBytesPerRankMax": \([0-9.e+]*\).*/\1/p' report.json
}
program=$(peak_of 64 "$generations")
peak=$(peak_of "$n" "$generations")
foretold=$("$tessera" check case --set controlDict:writeControl=none | sed -n 's/.* about \([0-9.]* [kMGT]\?B\) of memory.*/\1/p')
wall=$(sed -n 's/.*"wall": \([0-9.e+-]*\).*/\1/p' report.json)
awk -v n="$n" -v g="$generations" -v p="$peak" -v own="$program" -v f="$foretold" -v wall="$wall" 'BEGIN {
  printf "B3/S23, %s^2 cells, %s generations, one rank: %.3g GB at the peak, of which %.0f MB are the program; ", n, g, p / 1e9, own / 1e6
  printf "%.2f bits a cell, %.2f with the program; check said %s; %.1f s\n", 8 * (p - own) / n / n, 8 * p / n / n, f, wall
  printf "{\"bench\": \"memory\", \"cells\": %s, \"peakBytes\": %.0f, \"programBytes\": %.0f, \"bitsPerCell\": %.3f, \"check\": \"%s\", ", n, p, own, 8 * p / n / n, f
  printf "\"wallSeconds\": %s}\n", wall }'
