#!/usr/bin/env bash
# decompose tells without MPI what each rank of a run would get, draws it, and refuses what a run would refuse.
set -eu
failed=0
fail() {
  echo "$*"
  cat log
  failed=1
}
rm -rf case
cp -r "$SOURCE/cases/life/glider_gun" case
size=(--set 'gridDict:cells=(512 512 1)' --set 'gridDict:tile=(64 32 1)')
"$TESSERA" decompose case -n 3 --weights 2,1,1 "${size[@]}" > log
# 128 tiles: half of the cells for the first rank, a quarter for each other
[ "$(awk '$1 == "0" { print $3 }' log)" = 131072 ] || fail "the faster rank has not half of the cells"
[ "$(awk '$1 ~ /^[012]$/ { n += $4 } END { print n }' log)" = 128 ] || fail "tiles are missing"
[ -s case/results/partition.png ] || fail "no picture"
head -c 8 case/results/partition.png | cmp -s - <(printf '\211PNG\r\n\032\n') || fail "the picture is no PNG"
# the table agrees with the run that follows
"$MPIEXEC" -n 3 "$TESSERA" run case "${size[@]}" --set 'automatonProperties:stop={ generations 1; }' \
  --set 'decomposeParDict:processorWeights=(2 1 1)' --report "$PWD/report.json" > run.log
ran=$(tr -d ' \n' < report.json | sed 's/.*"partition":{[^}]*"cells":\[\([^]]*\)\].*"edgeCut":\([0-9]*\).*/\1 \2/')
said=$(awk '$1 ~ /^[012]$/ { printf "%s%s", (n++ ? "," : ""), $3 } /^Edge cut/ { print " " $3 }' log)
[ "$ran" = "$said" ] || fail "the run has $ran, decompose said $said"
"$TESSERA" decompose case -n 100 "${size[@]}" > log
[ "$(awk '$4 ~ /^[0-9]+$/ && NF == 9 { n += $4 } END { print n }' log)" = 128 ] || fail "tiles are missing on 100 ranks"
# as in a run, a rank beyond the tiles has none
"$TESSERA" decompose case -n 129 "${size[@]}" > log
[ "$(awk '$1 == 128 { print $4 }' log)" = 0 ] || fail "129 ranks, 128 tiles: rank 128 has some"
# on two nodes the cut between them is the shorter one: half a square and not its quarters
"$TESSERA" decompose case -n 8 --ranks-per-node 4 "${size[@]}" > log
between=$(awk '/lie between nodes/ { print $1 }' log)
[ "${between:-9999}" -le 600 ] || fail "$between cells of the cut lie between nodes, expected about 512"
"$TESSERA" decompose case -n 8 --set 'decomposeParDict:scotchCoeffs={ domains (2 4); }' "${size[@]}" > other.log
[ "$(grep '^ *[0-7] ' log)" = "$(grep '^ *[0-7] ' other.log)" ] || fail "domains (2 4) give other shares than 4 ranks a node"
# percolation has tiles of its own choice
rm -rf case
mkdir -p case/system case/constant
echo 'application percolation; writeControl none;' > case/system/controlDict
echo 'cells (640 640 1);' > case/system/gridDict
echo 'input { type random; probability 0.6; seed 1; }' > case/constant/percolationProperties
"$TESSERA" decompose case -n 3 > log
"$MPIEXEC" -n 3 "$TESSERA" run case --report "$PWD/report.json" > run.log
ran=$(python3 -c 'import json; p = json.load(open("report.json"))["partition"]; print(*p["cells"])')
said=$(awk '$1 ~ /^[012]$/ { printf "%s%s", (n++ ? " " : ""), $3 }' log)
[ "$ran" = "$said" ] || fail "percolation has $ran, decompose said $said"
cp -r "$SOURCE/cases/life/glider_gun/." case

refused() { # exit code, pattern, arguments
  local expected=$1 pattern=$2 code=0
  shift 2
  "$TESSERA" decompose "$@" > log 2>&1 || code=$?
  [ "$code" = "$expected" ] && grep -q "^tessera: .*$pattern" log || fail "decompose $*: exit code $code, expected $expected and '$pattern'"
}
refused 2 "has 2 values, expected one for each of 3" case -n 3 --weights 1,1 "${size[@]}"
refused 2 "'x', expected numbers above 0" case -n 2 --weights 1,x "${size[@]}"
refused 1 'domains (3 4) make 12 ranks, expected 8' case -n 8 --set 'decomposeParDict:scotchCoeffs={ domains (3 4); }' "${size[@]}"
refused 1 'no such case' nowhere -n 2
code=0
"$TESSERA" decompose case > log 2>&1 || code=$?
[ "$code" = 2 ] || fail "without -n: exit code $code, expected 2"
exit $failed
