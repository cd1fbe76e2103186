#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Routers: large pictures loaded on several ranks beside reading the file once with cat and decoding it on one core into memory, in turns;
# and load times of trees as predicted beside those measured.
#   bench/routers.sh [SIZE 16384] [RANKS 4] [ROUNDS 3] [FORMATS "pbm pgm png"]
# Each round starts cat, the decoder and the loading program anew; the least of each counts. Prints JSON, a line a format:
#   ratio          load / (cat + decode) by the wall clock; at most 1.5
#   ratioProcessor the same by processor time of the busiest rank: what the wall clock says where each rank has a core of its own
#   aboveShareMiB  most memory of a rank above its own cells while it loads; at most 64
#   same           whether the ranks hold the same cells as one rank alone
# BENCH: folder of the programs, build/release/bench.
set -euo pipefail
size=${1:-16384} ranks=${2:-4} rounds=${3:-3} formats=${4:-pbm pgm png}
here=$(cd "$(dirname "$0")" && pwd)
bench=${BENCH:-$here/../build/release/bench}
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_rmaps_base_oversubscribe=1
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

least() { sort -g | head -1; }
most() { sort -g | tail -1; }
key() { sed -n "s/.*\"$1\":\"\{0,1\}\([0-9a-f.e+-]*\).*/\1/p" "$2"; }
for format in $formats; do
  file=$work/picture.$format
  "$bench/routers" make "$file" "$size"
  cat "$file" > /dev/null  # from now on in the page cache for all
  "$bench/routers" load "$file" > "$work/one"
  for _ in $(seq "$rounds"); do
    TIMEFORMAT=%R
    { time cat "$file" > /dev/null; } 2>> "$work/cat.$format"
    TIMEFORMAT='%U %S'
    { time cat "$file" > /dev/null; } 2>> "$work/cpu.$format"
    "$bench/routers" decode "$file" >> "$work/decode.$format"
    mpirun -np "$ranks" "$bench/routers" load "$file" >> "$work/load.$format"
  done
  cat=$(least < "$work/cat.$format") decode=$(key decode "$work/decode.$format" | least) load=$(key seconds "$work/load.$format" | least)
  processor=$(awk -v c="$(awk '{ print $1 + $2 }' "$work/cpu.$format" | least)" -v d="$(key processor "$work/decode.$format" | least)" \
    -v l="$(key processorBusiest "$work/load.$format" | least)" 'BEGIN { print l / (c + d) }')
  [ "$(cat "$work/one" "$work/load.$format" > "$work/all"; key hash "$work/all" | sort -u | wc -l)" = 1 ] && same=true || same=false
  awk -v f="$format" -v s="$size" -v r="$ranks" -v c="$cat" -v d="$decode" -v l="$load" -v a="$(key aboveShareMiB "$work/load.$format" | most)" \
    -v share="$(key shareMiB "$work/load.$format" | most)" -v bytes="$(stat -c %s "$file")" -v same="$same" -v p="$processor" 'BEGIN {
      printf "{\"bench\":\"routers\",\"format\":\"%s\",\"size\":%d,\"ranks\":%d,\"fileMiB\":%.1f,\"cat\":%.3f,\"decode\":%.3f,\"load\":%.3f,", f, s, r, bytes / 1048576, c, d, l
      printf "\"ratio\":%.2f,\"ratioProcessor\":%.2f,\"shareMiB\":%.1f,\"aboveShareMiB\":%.1f,\"same\":%s}\n", l / (c + d), p, share, a, same }'
  rm "$file"
done
for n in 2 4 8 16; do mpirun -np "$n" "$bench/routers" predict 256 | grep -v '"bench"'; done
