#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The command routers, and a picture loaded through routers of several sorts: the same bits, and what they did in the report.
set -u
failed=0
fault() {
  echo "$1"
  [ -f log ] && cat log
  failed=1
}
says() { # text, command ...
  local text=$1
  shift
  "$@" > log 2>&1 || fault "exit code $? of $*"
  grep -qF -- "$text" log || fault "$* does not say '$text'"
}
refuses() { # exit code, text, command ...
  local code=$1 text=$2
  shift 2
  "$@" > log 2>&1
  [ $? = "$code" ] || fault "$*: expected exit code $code"
  grep -qF -- "$text" log || fault "$* does not say '$text'"
}

# the published example: d r^2 = 10368 >= 100 x 100, three hops
says '8 x 36^2 = 10368 cells >= 10000' "$TESSERA" routers --cells 100 100 --neighbours 8 --radix 36
says 'Hops     3: every cell' "$TESSERA" routers --cells 100 100
says 'radix 36, 1 level' "$TESSERA" routers --cells 100 100
says 'not every cell is reached' "$TESSERA" routers --cells 100 100 --radix 35 --levels 1
# 2000 chunks of 512 KiB on two ranks, half of each crosses at 1 GiB/s: 1999 x 0.122 ms, 0.244 ms for the last, 1 us for the messages
says '0.2443' "$TESSERA" routers --cells 100 100 --ranks 2 --bytes 1048576000 --latency 1e-9 --bandwidth 1073741824
says '*        2        3        4' "$TESSERA" routers --cells 9 9 --ranks 16 --radix 2 --latency 1e-6 --bandwidth 1e9
says 'latency' "$MPIEXEC" -n 2 "$TESSERA" routers --cells 100 100
refuses 1 'expected --latency and --bandwidth' "$TESSERA" routers --cells 100 100 --ranks 2
refuses 1 'expected 2 or more' "$TESSERA" routers --cells 100 100 --radix 1
refuses 2 'cells' "$TESSERA" routers --cells 100

rm -rf case
cp -r "$SOURCE/cases/percolation/picture" case
run() { # ranks, settings
  local ranks=$1
  shift
  "$MPIEXEC" -n "$ranks" "$TESSERA" run case --report report.json "$@" > log 2>&1 || fault "run on $ranks ranks: $*"
  sed -n '/"hash": {/,/}/p' report.json
}
value() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*$/\1/p" report.json | tail -1; }
one=$(run 1)
[ -n "$one" ] || fault "no hash in the report"
[ "$(run 4 --set routerDict:radix=1 --set routerDict:chunkSize=4096)" = "$one" ] || fault "other bits through a chain"
[ "$(value hops)" = 3 ] || fault "a chain of 4 ranks has 3 hops, the report says '$(value hops)'"
[ "$(value bytes)" -gt 0 ] || fault "the report counts no bytes"
[ "$(run 4 --set routerDict:levels=1 --set routerDict:radix=auto)" = "$one" ] || fault "other bits through a tree"
[ "$(value radix)" = 2 ] || fault "the smallest radix for 4 ranks in one level is 2, the report says '$(value radix)'"
[ "$(run 4 --set routerDict:ranksPerNode=2)" = "$one" ] || fault "other bits through two nodes"
[ "$(value hops)" = 2 ] || fault "a rank of the second of two nodes is 2 hops away, the report says '$(value hops)'"
# a picture that can be read from any row is read by as many ranks as asked for, one that has to be unpacked by one
[ "$(run 4 --set routerDict:readers=4)" = "$one" ] || fault "other bits where several readers are asked for"
[ "$(value readers)" = 1 ] || fault "a PNG is read by one rank, the report says '$(value readers)'"
"$TESSERA" convert case/constant/medium.png case/constant/medium.pgm > log 2>&1 || fault "no PGM of the picture"
[ "$(run 4 --set routerDict:readers=4 --set percolationProperties:input.file=constant/medium.pgm)" = "$one" ] ||
  fault "other bits through four readers"
[ "$(value readers)" = 4 ] || fault "four readers are asked for, the report says '$(value readers)'"
[ "$(run 4 --set percolationProperties:input.file=constant/medium.pgm)" = "$one" ] || fault "other bits of the PGM"
[ "$(value readers)" = 1 ] || fault "one reader is enough for a small file, the report says '$(value readers)'"
refuses 1 'readers' "$TESSERA" run case --set routerDict:readers=0
refuses 1 'do not reach 4 ranks' "$MPIEXEC" -n 4 "$TESSERA" run case --set routerDict:levels=0 --set routerDict:radix=2
refuses 1 'radix' "$TESSERA" run case --set routerDict:radix=0
refuses 1 'unknown entry' "$TESSERA" run case --set routerDict:radius=3
exit "$failed"
