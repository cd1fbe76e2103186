#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A fluid in space (D3Q19) on one core, against what memory allows: 19 populations of 8 bytes read and written, 304 B a cell, at the rate of
# a copy (bench/copy) measured in the same rounds:
#   bench/fluid.sh [CELLS a side, default 128] [GENERATIONS, 20] [ROUNDS, 3] [MEDIUM, ball]
# MEDIUM: ball (solid, 0.31 of the box), open (no walls), random (a tenth of the cells solid, walls round every cell).
# Times of the fluid are what the processor ran of the program itself (what other programs take of the machine does not count, nor does
# the system, which clears pages at the start for longer or shorter than all generations take), less those of the same run without a
# generation; a copy's is the best of nine. Told are medians.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tessera=${TESSERA:-$root/build/release/tessera} copy=${COPY:-$root/build/release/bench/copy}
n=${1:-128} generations=${2:-20} rounds=${3:-3} medium=${4:-ball}
case $medium in
  ball) solid="type ball; value 1; centre ($((n / 2)) $((n / 2)) $((n / 2))); radius $((n * 42 / 100));" ;;
  open) solid='type uniform; value 0;' ;;
  random) solid='type random; probability 0.1; seed 7;' ;;
  *) sed -n '3,6p' "$0" >&2; exit 2 ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p case/constant case/system
printf 'application cellularAutomaton;\nwriteControl none;\n' > case/system/controlDict
printf 'cells (%s %s %s);\nperiodic (yes yes yes);\n' "$n" "$n" "$n" > case/system/gridDict
cat > case/constant/automatonProperties << END
rule      D3Q19;
force     (1e-6 0 0);
initial   { solid { $solid } }
stop      { generations 0; }
END
seconds() { # generations: what they take of the processor
  local TIMEFORMAT='%U'
  { time "$tessera" run case --quiet --set "automatonProperties:stop={ generations $1; }" > log 2>&1; } 2>&1
}
median() { tr ' ' '\n' | grep . | sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
times='' copies=''
for _ in $(seq "$rounds"); do
  none=$(seconds 0) all=$(seconds "$generations")
  times+=" $(awk -v a="$all" -v b="$none" 'BEGIN { print a - b }')"
  copies+=" $("$copy" 1024)"
done
awk -v m="$medium" -v n="$n" -v g="$generations" -v t="$(median <<< "$times")" -v c="$(median <<< "$copies")" 'BEGIN {
  rate = n * n * n * g / t / 1e6; moved = rate * 304e-3
  printf "D3Q19 (%s), %s^3 cells, one core: %.1f Mcell/s, %.1f GB/s of 304 B a cell; a copy %.1f GB/s: %.0f %%\n", m, n, rate, moved, c, 100 * moved / c
  printf "{\"bench\": \"fluid\", \"medium\": \"%s\", \"cells\": %s, \"mcells\": %.2f, \"copy\": %.2f, \"ratio\": %.3f}\n", m, n, rate, c, moved / c }'
