#!/usr/bin/env bash
# A dense soup of B3/S23 on a torus, on one core, against QuickLife of Golly (bgolly; Debian: apt-get install golly), which has
# the same soup on an empty plane, where it is faster than on a torus:
#   bench/automata.sh [CELLS a side, default 8192] [GENERATIONS, 2048] [ROUNDS, 3]
# Times are of the processor (what other programs take of the machine does not count), less those of the same run without a
# generation. In each round all run one after the other, on the same start; told are medians, and ratios of medians. Rules are
# Conway's Life, which the program has a form of its own for, HighLife, which takes the form for all, and a byte a cell; then a
# glider on the same torus beside the soup, Brian's Brain in two bits a cell against Golly's Generations, a table of eight states (Langton's
# loops) against RuleLoader, Bosco (R5) beside a byte a cell, and acorn on the plane, whole programs with their starts. Bits a cell: what the process holds at
# its peak, start and results as bytes included.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
tessera=${TESSERA:-$root/build/release/tessera}
n=${1:-8192} generations=${2:-2048} rounds=${3:-3}
golly=$((generations / 16 > 0 ? generations / 16 : 1)) # it is slower
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$root/bench/make_soup_case.sh" case "$n" 0
seconds() { # command: what it takes of the processor
  local TIMEFORMAT='%U %S'
  { time "$@" > log 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
ours() { # generations, settings
  local many=$1
  shift
  seconds "$tessera" run case --quiet --set "automatonProperties:stop={ generations $many; }" --set controlDict:writeControl=none "$@"
}
median() { tr ' ' '\n' | grep . | sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { print a - b }'; }

bgolly=$(command -v bgolly || true)
if [ -n "$bgolly" ]; then
  "$tessera" run case --quiet
  "$tessera" convert case/results/000000.h5:/fields/state soup.rle > log
  sed 's|rule = [^ ]*|rule = /2/3|' soup.rle > brain.rle
  sed 's|rule = [^ ]*|rule = Langtons-Loops|' soup.rle > loops.rle
fi
printf 'x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' > case/constant/glider.rle
glider=(--set 'automatonProperties:initial={ type pattern; file "constant/glider.rle"; }')
printf 'x = 7, y = 3, rule = B3/S23\nbo$3bo$2o2b3o!\n' > acorn.rle
bosco='' table='' loader='' acorn='' quick_acorn=''
soup='' high='' bytes='' empty='' quick='' brain='' slow='' few=$((generations / 8 > 0 ? generations / 8 : 1))
for _ in $(seq "$rounds"); do
  none=$(ours 0)
  soup+=" $(less "$(ours "$generations")" "$none")"
  peak=$(sed -nE 's/.*"peakBytesPerRankMax": ([0-9.e+]+).*/\1/p' case/postProcessing/report.json)
  high+=" $(less "$(ours "$generations" --set automatonProperties:rule=B36/S23)" "$none")"
  bytes+=" $(less "$(ours "$few" --set automatonProperties:storage=bytes)" "$(ours 0 --set automatonProperties:storage=bytes)")"
  empty+=" $(less "$(ours $((generations * 1024)) "${glider[@]}")" "$(ours 0 "${glider[@]}")")"
  brain+=" $(less "$(ours "$((generations / 4))" --set automatonProperties:rule=/2/3)" "$(ours 0 --set automatonProperties:rule=/2/3)")"
  bosco+=" $(less "$(ours "$few" --set automatonProperties:rule=R5,C0,M1,S33..57,B34..45,NM)" "$(ours 0 --set automatonProperties:rule=R5,C0,M1,S33..57,B34..45,NM)")"
  table+=" $(less "$(ours "$few" --set automatonProperties:rule=Langtons-Loops)" "$(ours 0 --set automatonProperties:rule=Langtons-Loops)")"
  acorn+=" $(seconds "$tessera" automaton acorn.rle --generations 5206 --quiet)"
  [ -z "$bgolly" ] || quick_acorn+=" $(seconds "$bgolly" -a QuickLife -q -q -m 5206 acorn.rle)"
  [ -z "$bgolly" ] || loader+=" $(less "$(seconds "$bgolly" -a RuleLoader -q -q -m 8 -i 8 loops.rle)" "$(seconds "$bgolly" -a RuleLoader -q -q -m 0 loops.rle)")"
  [ -z "$bgolly" ] || slow+=" $(less "$(seconds "$bgolly" -a Generations -q -q -m "$golly" -i "$golly" brain.rle)" "$(seconds "$bgolly" -a Generations -q -q -m 0 brain.rle)")"
  [ -z "$bgolly" ] || quick+=" $(less "$(seconds "$bgolly" -a QuickLife -q -q -m "$golly" -i "$golly" soup.rle)" "$(seconds "$bgolly" -a QuickLife -q -q -m 0 soup.rle)")"
done
rate() { awk -v n="$n" -v g="$1" -v s="$(median <<< "$2")" 'BEGIN { printf "%.2f", n * n * g / s / 1e9 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'; }
ours=$(rate "$generations" "$soup") any=$(rate "$generations" "$high") byte=$(rate "$few" "$bytes") still=$(rate $((generations * 1024)) "$empty")
brain=$(rate "$((generations / 4))" "$brain")
bosco=$(rate "$few" "$bosco") table=$(rate "$few" "$table") loader=$([ -n "$bgolly" ] && rate 8 "$loader" || echo 0)
peer=$([ -n "$bgolly" ] && rate "$golly" "$quick" || echo 0)
slow=$([ -n "$bgolly" ] && rate "$golly" "$slow" || echo 0)
row() { # name, rate, the peer's name and rate
  printf '%-34s %9s Gcell/s   %s times %s\n' "$1" "$2" "$([ "${4:-$peer}" = 0 ] && echo - || ratio "$2" "${4:-$peer}")" "${3:-QuickLife}"
}
printf 'B3/S23, soup of %s x %s cells on a torus, processor time, medians of %s rounds\n' "$n" "$n" "$rounds"
row 'Golly QuickLife' "$peer"
row 'a bit a cell' "$ours"
row 'the same, B36/S23' "$any"
row 'a byte a cell' "$byte"
row 'a glider on the same torus' "$still" 'the soup' "$ours"
row "Golly Generations, Brian's Brain" "$slow" Generations "$slow"
row 'the same, two bits a cell' "$brain" Generations "$slow"
row "Golly RuleLoader, Langton's loops" "$loader" RuleLoader "$loader"
row 'the same, a byte a cell' "$table" RuleLoader "$loader"
row 'Bosco' "$bosco" 'life in bytes' "$byte"
printf 'acorn to generation 5206: %s s, QuickLife %s s\n' "$(median <<< "$acorn")" "$(median <<< "${quick_acorn:-0}")"
printf 'peak of a run: %s bits a cell\n' "$(awk -v p="$peak" -v n="$n" 'BEGIN { printf "%.1f", 8 * p / n / n }')"
printf '{"bench": "automata", "cells": %s, "quickLife": %s, "bits": %s, "otherRule": %s, "bytes": %s, "glider": %s, "generations": %s, "brain": %s, "table": %s, "ruleLoader": %s, "bosco": %s, "ratio": %s, "peakBytes": %s}\n' \
  "$n" "$peer" "$ours" "$any" "$byte" "$still" "$slow" "$brain" "$table" "$loader" "$bosco" "$([ "$peer" = 0 ] && echo null || ratio "$ours" "$peer")" "$peak"
