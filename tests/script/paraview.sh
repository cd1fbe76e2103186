#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ParaView reads the results back with the same numbers; its scripts look at a run, on any number of ranks with the same
# pictures; a ParaView that listens sees the run. Skipped (77) where ParaView, its module or a virtual display is not there.
set -u
failed=0
fail() {
  echo "FAILED: $*"
  failed=1
}
skip() {
  echo "skipped: $*"
  exit 77
}
command -v pvpython > /dev/null || skip "no pvpython (the packages paraview and python3-paraview)"
scripts=$SOURCE/tests/support/paraview
export TESSERA_ALLOW_CODE=1  # scripts of the cases made here
report() { # FILE EXPRESSION of r, the report: prints it
  python3 -c "import json,sys; r = json.load(open(sys.argv[1])); print($2)" "$1"
}
holds() { # EXPRESSION WHAT
  python3 -c "import sys; sys.exit(0 if ($1) else 1)" || fail "$2: $1"
}
make_cable() { # NAME: three cables on 141 x 113 cells
  rm -rf "$1"
  cp -r "$SOURCE/cases/heat/three_cables" "$1"
  sed -i 's/(564 452 1)/(141 113 1)/' "$1/system/blockMeshDict"
}

# 1. XDMF series by both readers, OpenFOAM time directories ascii and binary; the numbers are those of T.csv
history() { # CASE: time min max mean of steps 5 and 10
  awk -F, '$1 == 432000 || $1 == 864000 { print $1, $2, $3, $4 }' "$1/postProcessing/T.csv"
}
same_numbers() { # KIND FILE TOLERANCE: ParaView reads floats from OpenFOAM's files, doubles from XDMF
  timeout 120 pvpython "$scripts/read_back.py" "$1" "$2" T > read.log 2>&1
  history written > history.log
  python3 - "$3" << 'PYTHON' || { tail -n 5 read.log; fail "$1 $2 gives other numbers"; }
import sys
read = [list(map(float, line.split())) for line in open('read.log') if line.count(' ') == 5 and line[0].isdigit()]
told = [list(map(float, line.split())) for line in open('history.log')]
tolerance = float(sys.argv[1])
near = lambda a, b: abs(a - b) <= tolerance * abs(b)
ok = len(read) == len(told) == 2
for (t, cells, lo, hi, size, integral), (time, least, most, mean) in zip(read, told):
    # sums over 15933 cells are printed with ten digits
    ok = ok and t == time and cells == 15933 and near(lo, least) and near(hi, most) and abs(integral / size / mean - 1) < tolerance + 1e-8
sys.exit(0 if ok else 1)
PYTHON
}
for format in ascii binary; do
  make_cable written
  timeout 300 "$MPIEXEC" -n 2 "$TESSERA" run written --quiet --set controlDict:writeMesh=yes --set controlDict:writeFormat=$format \
    --set controlDict:writeInterval=5 || fail "the run that writes"
  touch written/written.foam
  same_numbers foam written/written.foam 1e-7
done
same_numbers xdmf2 written/results/written.xdmf 1e-12
same_numbers xdmf3 written/results/written.xdmf 1e-12

# what follows needs the module and a display
[ "$failed" = 0 ] || exit 1
[ -e "$BUILD/lib/libtessera_insitu_legacy.so" ] || skip "results are read back; no Catalyst (built without paraview-dev)"
command -v Xvfb > /dev/null || skip "results are read back; no virtual display (the package xvfb)"
display=$SOURCE/tools/with_display

# 2. a script that renders is refused without a display, one that is no Python with file and line
make_cable seen
cat > seen/system/inSituDict << 'DICT'
implementation legacy;
fields (T);
scripts
{
    temperature { file "temperature.py"; channels (grid preview); executeInterval 5; args ("lo=293" "hi=340"); }
    grid { file "grid.py"; channels (grid); executeInterval 1000; args ("lo=293" "hi=340"); }
}
DICT
cp "$scripts/grid.py" seen/
code=0
env -u DISPLAY timeout 100 "$TESSERA" run seen --quiet > log 2>&1 || code=$?
[ $code = 1 ] && grep -q 'inSituDict:5: .*no display' log || { cat log; fail "without a display: exit code $code"; }
echo 'def (:' > seen/wrong.py
code=0
timeout 100 "$TESSERA" run seen --quiet --set inSituDict:scripts.grid.file=wrong.py --set inSituDict:scripts.temperature.renders=no \
  --set inSituDict:scripts.grid.renders=no > log 2>&1 || code=$?
[ $code = 1 ] && grep -q 'wrong.py: .*line 1' log || { cat log; fail "a script that is no Python: exit code $code"; }

# 3. the same pictures and numbers on one and on four ranks
for ranks in 1 4; do
  rm -rf seen/postProcessing
  timeout 400 "$display" "$MPIEXEC" -n $ranks "$TESSERA" run seen --quiet > log 2>&1 || { cat log; fail "run on $ranks ranks"; }
  ! grep -q 'WARN' log || { cat log; fail "ParaView warns on $ranks ranks"; }
  rm -rf ranks$ranks
  cp -r seen/postProcessing ranks$ranks
done
for picture in T_000005 T_000010 grid_000010; do
  timeout 60 pvpython "$scripts/compare_pictures.py" ranks1/inSitu/$picture.png ranks4/inSitu/$picture.png > log 2>&1 || fail "$picture"
  read -r difference colours < <(tail -n 1 log)
  holds "float('${difference:-100}') < 1" "$picture differs on 4 ranks, percent"
  # more colours than frame and text have: the field is in the picture
  holds "int('${colours:-0}') > 60" "$picture shows a field"
done
for ranks in 1 4; do
  r=ranks$ranks/report.json
  holds "abs($(report $r "r['inSitu']['values']['area']") - 3.2) < 1e-9" "every cell once, area"
  holds "abs($(report $r "r['inSitu']['values']['integral'] / 3.2 / r['results']['mean']") - 1) < 1e-9" "integral of T"
  holds "$(report $r "r['inSitu']['values']['maximum']") == $(report $r "r['results']['max']")" "maximum"
  holds "$(report $r "r['inSitu']['calls']") == 2" "calls"
  # 10 steps, 2 calls: what a call takes, what that is a step, and all of it with the start
  holds "$(report $r "0 < r['inSitu']['secondsPerStep'] < r['inSitu']['secondsPerCall'] <= r['time']['inSitu']")" "the cost is told"
  # borders between tiles are there to be seen, also on one rank
  holds "$(report $r "r['grid']['tiles']") > 1" "several tiles"
done
# no seams: the grid in one tile gives the picture that the grid in many tiles gives
rm -rf seen/postProcessing
timeout 400 "$display" "$TESSERA" run seen --quiet --set 'decomposeParDict:tile=(141 113 1)' > log 2>&1 || { cat log; fail "run in one tile"; }
holds "$(report seen/postProcessing/report.json "r['grid']['tiles']") == 1" "one tile"
for picture in T_000010 grid_000010; do
  timeout 60 pvpython "$scripts/compare_pictures.py" seen/postProcessing/inSitu/$picture.png ranks4/inSitu/$picture.png > log 2>&1 || fail "$picture"
  read -r difference colours < <(tail -n 1 log)
  holds "float('${difference:-100}') < 0.02" "$picture of many tiles differs from that of one, percent"
done
holds "abs($(report ranks1/report.json "r['inSitu']['values']['length']") / $(report ranks4/report.json "r['inSitu']['values']['length']") - 1) < 1e-9" \
  "length of an isotherm over tile borders"
[ "$(wc -l < ranks4/inSitu/maximum.csv)" = 3 ] || fail "maximum.csv"

# 4. the same script afterwards, on the written series
timeout 200 "$display" pvbatch "$BUILD/share/tessera/pipelines/temperature.py" written/results/written.xdmf lo=293 hi=340 > log 2>&1 ||
  { cat log; fail "pvbatch"; }
last=$(ls written/postProcessing/inSitu/T_*.png 2> /dev/null | tail -n 1)
if timeout 60 pvpython "$scripts/compare_pictures.py" "$last" ranks4/inSitu/T_000010.png > log 2>&1; then
  holds "$(tail -n 1 log | cut -d' ' -f1) < 1" "the picture made afterwards differs, percent"
else
  cat log
  fail "no picture afterwards"
fi

# 5. clusters and backbone
rm -rf clusters
cp -r "$SOURCE/cases/percolation/random" clusters
cat > clusters/system/inSituDict << 'DICT'
scripts { picture { file "percolation.py"; channels (preview); } }
DICT
for ranks in 1 2; do
  timeout 300 "$display" "$MPIEXEC" -n $ranks "$TESSERA" run clusters --quiet --set 'gridDict:cells=(128 128 1)' > log 2>&1 ||
    { cat log; fail "percolation on $ranks ranks"; }
  cp clusters/postProcessing/inSitu/backbone_000000.png backbone$ranks.png
done
timeout 60 pvpython "$scripts/compare_pictures.py" backbone1.png backbone2.png > log 2>&1
holds "$(tail -n 1 log | cut -d' ' -f1) < 1" "backbone differs on 2 ranks, percent"
holds "$(tail -n 1 log | cut -d' ' -f2) >= 4" "four kinds of cells"

# 6. SIGTERM still belongs to the engine
rm -rf life
cp -r "$SOURCE/cases/life/glider_gun" life
cp "$scripts/count.py" life/
cat > life/system/inSituDict << 'DICT'
scripts { count { file "count.py"; channels (grid); executeInterval 50; } }
DICT
timeout 200 "$TESSERA" run life --set 'gridDict:cells=(300 290 1)' --set 'automatonProperties:stop={ generations 100000000; }' \
  --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }' > log 2>&1 &
pid=$!
for ((n = 0; n < 600; n++)); do
  [ -s life/postProcessing/inSitu/counts ] && break
  kill -0 $pid 2> /dev/null || break
  sleep 0.1
done
kill -TERM "$pid"
code=0
wait "$pid" || code=$?
[ $code = 0 ] && ls life/results/*.h5 > /dev/null || { tail -n 5 log; fail "SIGTERM: exit code $code"; }

# 7. a ParaView that listens connects and reads a value that the run had
make_cable live
cp "$scripts/live.py" live/
port=$((20000 + RANDOM % 20000))
cat > live/system/inSituDict << DICT
fields (T);
scripts { live { file "live.py"; channels (grid); args ("port=$port"); } }
DICT
: > client.log
timeout 150 "$display" pvpython --force-offscreen-rendering "$scripts/live_client.py" $port 120 > client.log 2>&1 &
client=$!
for ((n = 0; n < 600; n++)); do
  grep -q '^listening' client.log && break
  sleep 0.1
done
timeout 150 "$MPIEXEC" -n 2 "$TESSERA" run live --quiet --set controlDict:deltaT=8640 --set controlDict:writeInterval=100 > log 2>&1 ||
  { cat log; fail "the run that is looked at"; }
wait $client || { cat client.log; fail "the listener"; }
read -r _ cells _ most < <(grep '^value' client.log)
holds "int('${cells:-0}') >= 15933" "cells seen live"
holds "any(abs(float('${most:-0}') / float(row.split(',')[2]) - 1) < 1e-12 for row in list(open('live/postProcessing/T.csv'))[1:])" \
  "the maximum seen live is that of a step"

# 8. fields are handed over, not copied: from a small grid to a large one the peak of memory grows alike with a script that
# sees all cells and without it, but for a tenth of the field
rm -rf warm
mkdir -p warm/constant warm/system
echo 'application cellularAutomaton; writeControl none;' > warm/system/controlDict
cat > warm/constant/automatonProperties << 'DICT'
rule heat; diffusivity 0.2; deltaT 1; haloDepth 1;
initial { type random; probability 0.5; seed 1; }
stop { generations 4; }
DICT
cp "$scripts/count.py" warm/
peak() { # CELLS A SIDE: of a run
  timeout 200 "$TESSERA" run warm --quiet --set "gridDict:cells=($1 $1 1)" > log 2>&1 || { cat log; fail "explicit heat on $1 x $1"; }
  report warm/postProcessing/report.json "int(r['memory']['peakBytesPerRankMax'])"
}
without=($(peak 500) $(peak 4000))
echo 'scripts { count { file "count.py"; channels (grid); executeInterval 2; } }' > warm/system/inSituDict
with=($(peak 500) $(peak 4000))
[ "$(wc -l < warm/postProcessing/inSitu/counts)" -ge 4 ] || fail "the script did not see explicit heat"
field=$((8 * (4000 * 4000 - 500 * 500))) more=$((with[1] - with[0] - without[1] + without[0]))
echo "peak of memory: $more bytes more with the script, of a field of $field"
[ $((10 * more)) -lt $field ] || fail "memory grows by $more bytes more with a script, for $field bytes of field"

[ "$failed" = 0 ] && echo "ParaView sees what the engine has"
exit "$failed"
