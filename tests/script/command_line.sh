#!/usr/bin/env bash
# A wrong command line ends with exit code 2 and one line, and what a command writes takes the place of nothing but its like.
set -u
. "$SOURCE/tests/support/fails.sh"

wrong() { # what the line says, command and arguments
  local says=$1
  shift
  refuses "$1" 2 "^tessera: command line: .*$says" "${@:2}"
  [ "$(wc -l < err)" = 1 ] || fail "$*: $(wc -l < err) lines, expected one"
}
rm -rf case results
cp -r "$SOURCE/cases/life/glider_gun" case
wrong 'expected FILE:entry.path=value' check case --set foo
wrong 'expected FILE:entry.path=value' run case --set foo
wrong "is '3/3', expected I/N" sweep case --shard 3/3
wrong "'x', expected numbers above 0" decompose case -n 3 --weights 1,x,1
wrong 'expected one for each of 3' decompose case -n 3 --weights 1,1
wrong "is '1', expected a number above 0 with s, min, h or d" plan case --deadline 1
wrong 'CASE is missing' plan
wrong "unknown name 'nosuch'" help nosuch
wrong "unknown kind 'nosuch'" list nosuch
"$MPIEXEC" -n 2 "$TESSERA" check case --set foo > out 2> err
[ $? = 2 ] || fail "check --set foo on two ranks: exit code $?, expected 2"

# --set takes one text
"$TESSERA" check --set controlDict:purgeWrite=1 case > log 2>&1 || fail "--set in front of CASE: $(cat log)"
for command in 'check' 'run' 'decompose -n 2'; do
  # shellcheck disable=SC2086
  "$TESSERA" $command case --set controlDict:purgeWrite=1 b=2 > log 2>&1
  [ $? = 2 ] || fail "$command case --set a=1 b=2: $(cat log)"
done

# nothing of the case, of its results or of another command is written over
"$TESSERA" run case --quiet || fail 'the run'
snapshot=$(find case/results -name '*.h5' | head -n 1)
ln -s system/controlDict case/link
ln case/system/controlDict case/hard
cp "$SOURCE/cases/percolation/picture/constant/medium.png" medium.png
printf 'x = 3, y = 3\nbo$2bo$3o!\n' > glider.rle
find case medium.png glider.rle -type f -exec md5sum {} + | sort > before
for file in case/system/controlDict "$snapshot" case/link case/hard case/expect case/postProcessing/speeds.json \
  case/postProcessing/new.csv case/results/new.json case/system/new.json case/0/new.json; do
  [ -e "$file" ] && says='would be written over a file that is not' || says='lies among the files'
  wrong "--report $file: $says" run case --report "$file"
done
mkdir results
wrong '--report other/results/r.json: lies among' run case --output other --report other/results/r.json
wrong '--report glider.rle: would be written over' automaton glider.rle --report glider.rle
wrong '--report medium.png: would be written over' percolation medium.png --report medium.png
wrong '--picture p.png: is the file of --report' percolation medium.png --report p.png --picture p.png
wrong '--page ./x: is the file of --report' plan case --report x --page ./x
wrong '--page case/system/controlDict: would be' plan case --page case/system/controlDict
wrong '--report case/postProcessing/report.json: would be' plan case --report case/postProcessing/report.json
wrong '--output case/system/controlDict: would be' plan case --measure --output case/system/controlDict
find case medium.png glider.rle -type f -exec md5sum {} + | sort > after
cmp -s before after || fail "written over: $(diff before after)"
for file in r.json case/r.json case/postProcessing/mine.json /dev/null; do
  for time in new again; do
    "$TESSERA" run case --quiet --report "$file" > log 2>&1 || fail "--report $file, $time: $(cat log)"
  done
done

# a report that is none is named, and the other cases are told
mkdir -p damaged/postProcessing cut/postProcessing old/postProcessing
echo '[]' > damaged/postProcessing/report.json
head -c 500 case/postProcessing/report.json > cut/postProcessing/report.json
echo '{}' > old/postProcessing/report.json
"$TESSERA" summary damaged cut case old nowhere > out 2> err
[ $? = 1 ] || fail "summary: exit code $?, expected 1"
for name in damaged cut old nowhere; do
  grep -q "^tessera: $name/postProcessing/report.json: .*expected\|^tessera: nowhere/.*no report" err || fail "summary of $name: $(cat err)"
done
[ "$(wc -l < err)" = 4 ] && ! grep -q json.exception err || fail "summary: $(cat err)"
grep -q '^case$' out && [ "$(grep -c '^  report ' out)" = 1 ] || fail "summary: $(cat out)"
exit $failed
