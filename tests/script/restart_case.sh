#!/usr/bin/env bash
# What a run that goes on believes, and what it completes: what a kill left undone at the last step is made again, files that were
# being written go, a case that has changed is refused or told, names of times stay apart, and an end that is never reached is none.
set -eu
. "$SOURCE/tests/support/fails.sh"
hash_of() { # report, field
  sed -n "s/.*\"$2\": \"\([0-9a-f]*\)\".*/\1/p" "$1"
}
heat() { # settings
  local options=()
  for setting in "$@"; do options+=(--set "$setting"); done
  "$TESSERA" run case --report "$PWD/report.json" "${options[@]}" > log 2>&1
}
make_heat() {
  rm -rf case
  cp -r "$SOURCE/tests/data/laplacian_small" case
}
refused() { # what is said, settings: exit code 1 and one line
  local code=0 what=$1
  shift
  heat "$@" || code=$?
  [ $code = 1 ] || fail "$*: exit code $code, expected 1"
  grep -q "$what" log || { tail -n 3 log; fail "$*: no line '$what'"; }
}
told() { # what is said, settings
  local what=$1
  shift
  heat "$@" || { tail -n 3 log; fail "$*: refused"; }
  grep -q "$what" log || { head -n 20 log; fail "$*: no line '$what'"; }
}
from=controlDict:startFrom=latestTime

# 1. (R3) the time directory and the series of the last snapshot come back, byte by byte, in every time scheme
for scheme in Euler 'CrankNicolson 0.9' 'CrankNicolson 1' backward; do
  make_heat
  for guess in no yes; do
    settings=("fvSchemes:ddtSchemes.default=$scheme" "fvSolution:extrapolate=$guess" controlDict:writeInterval=4 $from)
    rm -rf case/[1-9]* case/results case/postProcessing
    heat "${settings[@]}"
    hash=$(hash_of report.json T)
    rm -rf whole && cp -r case whole
    for lost in T uniform/time ALL; do
      if [ $lost = ALL ]; then rm -r case/2000; else mv case/2000/$lost case/2000/$lost.part; fi
      rm case/results/*.xdmf
      echo half > case/results/000012.h5.part
      echo half > case/results/case.xdmf.part
      echo half > case/postProcessing/T.csv.part
      echo mine > case/results/notes.part
      heat "${settings[@]}"
      grep -q 'written again from case/results/000010.h5' log || { cat log; fail "$scheme, $lost: no line"; }
      diff -r case whole -x report.json -x speeds.json -x notes.part > diff.log 2>&1 || { cat diff.log; fail "$scheme $guess: without $lost"; }
      [ -f case/results/notes.part ] || fail "a file that is not ours was deleted"
      rm case/results/notes.part
    done
    [ "$(hash_of report.json T)" = "$hash" ] || fail "$scheme: another hash"
  done
done

# 2. (R3) a damaged newest time directory is passed over, as snapshots are
make_heat
heat controlDict:writeInterval=5
hash=$(hash_of report.json T)
for damage in empty cut time; do
  rm -rf case/results
  case $damage in
    empty) : > case/2000/T ;;
    cut) head -c 400 case/1000/T > case/2000/T ;;
    time) head -c 60 case/1000/uniform/time > case/2000/uniform/time ;;
  esac
  told 'what was written before it is taken' $from controlDict:writeInterval=5
  grep -q 'Goes on from case/1000$' log || { cat log; fail "$damage: not from case/1000"; }
  [ "$(hash_of report.json T)" = "$hash" ] || fail "$damage: another hash"
done

# 3. (R4) names of times
make_heat
heat controlDict:timePrecision=1 controlDict:deltaT=15 controlDict:endTime=150 controlDict:writeInterval=1
[ "$(cd case && ls -d [1-9]* | sort -n | tr '\n' ' ')" = '15 30 45 60 75 90 105 120 135 150 ' ] || fail "names: $(ls case)"
grep -q 'Increased the timePrecision from 1 to 2 to distinguish between timeNames at time 15$' log || fail 'no line of 1 to 2'
grep -q 'Increased the timePrecision from 2 to 3' log || fail 'no line of 2 to 3'
rm -rf whole.post
cp -r case/postProcessing whole.post
rm case/results/000010.h5 case/results/000009.h5 && rm -r case/135 case/150
heat $from controlDict:timePrecision=1 controlDict:deltaT=15 controlDict:endTime=150 controlDict:writeInterval=1
[ -d case/135 ] && [ -d case/150 ] || fail "names after going on: $(ls case)"
diff -r case/postProcessing whole.post -x report.json -x speeds.json || fail 'tables after names were raised'
make_heat
mv case/0 case/1000000
heat controlDict:startTime=1000000 controlDict:endTime=1000003 controlDict:deltaT=1 controlDict:writeInterval=1 controlDict:timePrecision=6
[ "$(cd case && ls -d 1* | sort -n | tr '\n' ' ')" = '1000000 1000001 1000002 1000003 ' ] || fail "above a million: $(ls case)"

# 4. (R2) an end that is not meant to be reached: steps until a signal says so
for times in '1 1e30' '1e-6 1e15'; do
  read -r dt end <<< "$times"
  make_heat
  "$TESSERA" run case --set "controlDict:deltaT=$dt" --set "controlDict:endTime=$end" --set controlDict:writeInterval=1e30 > log 2>&1 &
  pid=$!
  until [ "$(wc -l < case/postProcessing/T.csv 2> /dev/null || echo 0)" -ge 4 ] || ! kill -0 $pid; do sleep 0.05; done
  kill -TERM $pid || fail "deltaT $dt, endTime $end: ended by itself"
  wait $pid || fail "deltaT $dt, endTime $end: exit code $?"
  grep -q 'by SIGTERM' log || { tail -n 2 log; fail "deltaT $dt, endTime $end: no line"; }
done

# 5. (R5) a case that has changed
rm -rf case
cp -r "$SOURCE/cases/heat/slab" case
heat controlDict:endTime=0.02 controlDict:writeInterval=10
last=$(ls case/results/*.h5 | tail -n 1)
end=controlDict:endTime=0.03
refused "$last: lies at 0 .. 1 along x, but the case's grid at 0 .. 2" $from $end 'gridDict:size=(2 0.1 0.1)'
refused "$last: lies at 0 .. 1 along x, but the case's grid at 1 .. 2" $from $end 'gridDict:origin=(1 0 0)'
refused "endTime 0.01 is before $last of time 0.02" $from controlDict:endTime=0.01
cp -r case same
told "another than that of $last: .*system/controlDict: deltaT" $from $end controlDict:deltaT=0.001
rm -rf case && cp -r same case
told "another than that of $last: .*fvSchemes: ddtSchemes.default" $from $end fvSchemes:ddtSchemes.default=backward
rm -rf case && cp -r same case
sed -i 's/uniform \([0-9]\)/uniform 1\1/' case/0/T
told "another than that of $last: case/0/T: boundaryField" $from $end
rm -rf case && mv same case
heat $from $end
if grep -q 'another than' log; then fail 'a case that has not changed is called another'; fi

rm -rf case
cp -r "$SOURCE/cases/life/glider_gun" case
heat 'automatonProperties:stop={ generations 40; }' controlDict:writeInterval=20
refused "the end is generation 30, but case/results/000040.h5 is of generation 40" $from 'automatonProperties:stop={ generations 30; }'
refused "the rule is 'B36/S23', but case/results/000040.h5 is of 'B3/S23'" $from 'automatonProperties:stop={ generations 60; }' automatonProperties:rule=B36/S23
told 'another than that of case/results/000040.h5: .*boundary.left fixed 0 -> reflecting' $from \
  'automatonProperties:stop={ generations 60; }' automatonProperties:boundary.left=reflecting
exit $failed
