#!/usr/bin/env bash
# Tables and pictures of an earlier run are not left among those of a run that writes none of them: they are moved, and only what a run
# has written itself.
set -eu
. "$SOURCE/tests/support/fails.sh"
run() { "$TESSERA" run case "$@" > log 2>&1; }
rm -rf case
mkdir -p case/system case/constant
echo 'application percolation;' > case/system/controlDict
echo 'cells (32 32 1);' > case/system/gridDict
properties() { echo "input { type random; probability 0.7; seed 1; } $*" > case/constant/percolationProperties; }
there() { for file; do [ -e "case/$file" ] || { cat log; fail "no $file"; }; done; }
gone() { for file; do [ ! -e "case/$file" ] || { cat log; fail "$file is left"; }; done; }

properties 'thickness yes;'
run
there postProcessing/poreSizes.csv postProcessing/clusterSizes.csv results/backbone.png
python3 -c "
import json
files = json.load(open('case/postProcessing/report.json'))['files']
assert {'postProcessing/poreSizes.csv', 'postProcessing/clusterSizes.csv', 'results/backbone.png'} <= set(files), files" || fail 'files of the report'
# the same again, and files of the user's own
echo mine > case/postProcessing/mine.csv
echo mine > case/results/mine.png
run
there postProcessing/poreSizes.csv postProcessing/mine.csv results/mine.png
gone postProcessing/earlier results/earlier

# a run that ends with an error moves nothing
properties 'thickness yess;'
! run || fail 'yess'
there postProcessing/poreSizes.csv

# without the analysis
properties ''
run
grep -q "moved to folders 'earlier': .*postProcessing/poreSizes.csv" log || { cat log; fail 'not told'; }
gone postProcessing/poreSizes.csv
there postProcessing/earlier/poreSizes.csv postProcessing/clusterSizes.csv postProcessing/mine.csv results/mine.png
run
! grep -q earlier log || { cat log; fail 'moved again'; }

# a run that goes on keeps what was there, and tells of it: the next one that begins anew moves it
properties 'thickness yes;'
run
properties ''
run --set system/controlDict:startFrom=latestTime
there postProcessing/poreSizes.csv
run
gone postProcessing/poreSizes.csv

# what is in `earlier` is of one run
properties 'thickness yes; clusterTable yes;'
run
mkdir -p case/results/earlier && echo mine > case/results/earlier/mine.txt
properties 'thickness yes;'
run
there postProcessing/earlier/clusters.csv results/earlier/mine.txt
gone postProcessing/earlier/poreSizes.csv
properties ''
run
there postProcessing/earlier/poreSizes.csv
gone postProcessing/earlier/clusters.csv

# whatever stands in a report, nothing but tables and pictures of these folders is moved
echo mine > case/notes.csv
properties ''
python3 - << 'PY'
import json
report = json.load(open('case/postProcessing/report.json'))
report['files'] = ['notes.csv', '../case/notes.csv', 'postProcessing/../notes.csv', 'system/controlDict', 'postProcessing/report.json', 7]
json.dump(report, open('case/postProcessing/report.json', 'w'))
PY
run
there notes.csv system/controlDict postProcessing/report.json

# another case with the same folder for its results: the time series of the first one would name its snapshots
for name in first second; do
  rm -rf $name
  cp -r "$SOURCE/cases/life/glider_gun" $name
done
rm -rf out
"$TESSERA" run first --output out --quiet
cp out/results/first.xdmf out/results/mine.xdmf
"$TESSERA" run second --output out > log 2>&1
grep -q 'time series of a run of another case, first.xdmf, is moved to out/results/earlier' log || { cat log; fail 'not told of the time series'; }
[ ! -e out/results/first.xdmf ] && [ -s out/results/earlier/first.xdmf ] && [ -s out/results/second.xdmf ] && [ -s out/results/mine.xdmf ] ||
  fail "time series of two cases: $(ls out/results out/results/earlier)"
"$TESSERA" run second --output out > log 2>&1
! grep -q 'time series of' log || { cat log; fail 'its own time series'; }
# at the same time they are refused
(
  exec 9< out
  flock 9
  exec sleep 1000
) &
while flock -n out true; do :; done
code=0
"$TESSERA" run first --output out > log 2>&1 || code=$?
[ $code = 4 ] && grep -q '^tessera: out: process .* is running' log || { cat log; fail "a folder for results that is in use: exit code $code"; }
kill $!
exit $failed
