#!/usr/bin/env bash
# tessera automaton PATTERN: the pattern's own rule and size, on any ranks; what is kept, and what is refused.
set -u
rm -rf kept empty refused restless moved1 moved3 tessera-automaton-*
. "$SOURCE/tests/support/fails.sh"
number() { sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$1" | head -n 1; }

# a glider, and HighLife's replicator: 12 cells after 12 generations that are two of it
printf 'x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' > glider.rle
printf 'x = 5, y = 5, rule = B36/S23\n2b3o$bo2bo$o3bo$o2bo$3o!\n' > 'the replicator.rle'
for ranks in 1 3; do
  "$MPIEXEC" -n $ranks "$TESSERA" automaton glider.rle --report glider.json > log 2>&1 || fail "$ranks ranks: $(cat log)"
  [ "$(number glider.json population)" = 5 ] || fail "$ranks ranks: a glider of $(number glider.json population) cells"
  [ "$(number glider.json generation)" = 64 ] || fail "$ranks ranks: generation $(number glider.json generation), expected 64"
  grep -q 'rule B3/S23' log || fail "$ranks ranks: the log does not tell the rule"
done
"$TESSERA" automaton 'the replicator.rle' --generations 12 --report replicator.json > log 2>&1 || fail "$(cat log)"
[ "$(number replicator.json population)" = 24 ] || fail "replicator: $(number replicator.json population) cells, expected 24"
[ "$(find . -name 'tessera-automaton-*')" = '' ] || fail 'a case without --case stays behind'

# a ship in space, as Golly's 3D.lua writes it: after ten generations it is what it was, ten cells on
printf '3D version=1 size=40 pos=19,18,18\nx=2 y=4 z=4 rule=3D4,7/5,8\n$bo$bo/bo$bo$bo$oo/oo$bo$bo$bo/$bo$bo!\n' > ship.rle3
"$MPIEXEC" -n 2 "$TESSERA" automaton ship.rle3 --generations 10 --report ship.json > log 2>&1 || fail "$(cat log)"
[ "$(number ship.json population)" = 14 ] || fail "ship: $(number ship.json population) cells, expected 14"
"$TESSERA" automaton ship.rle3 --generations 0 --report start.json --quiet || fail 'a ship that stays'
[ "$(sed -n 's/.*"state": "\(.*\)".*/\1/p' ship.json)" != "$(sed -n 's/.*"state": "\(.*\)".*/\1/p' start.json)" ] || fail 'the ship has not moved'
grep -q 'size=40 pos=19,18,18 is not taken' log || fail "the log does not tell what of the first line is not taken: $(cat log)"

# a plane without end: the glider is where it is after a long way, and goes on from a snapshot, on other ranks
rm -rf far
"$TESSERA" automaton glider.rle --generations 4000 --case far --quiet > log 2>&1 || fail "$(cat log)"
place() { tr -d ' \n' < "$1" | sed 's/.*"box":{"lo":\[\([-0-9,]*\)\].*/\1/'; }
[ "$(place far/postProcessing/report.json)" = 1000,-1003 ] || fail "a glider at $(place far/postProcessing/report.json), expected 1000,-1003"
sed -i 's/generations 4000/generations 10000/' far/constant/automatonProperties
echo 'startFrom latestTime;' >> far/system/controlDict
"$MPIEXEC" -n 3 "$TESSERA" run far > log 2>&1 || fail "$(cat log)"
grep -q 'Goes on from .*004000.h5' log || fail "does not go on: $(cat log)"
[ "$(place far/postProcessing/report.json)" = 2500,-2503 ] || fail "a glider at $(place far/postProcessing/report.json), expected 2500,-2503"
far=$(sed -n 's/.*"state": "\(.*\)".*/\1/p' far/postProcessing/report.json)
"$MPIEXEC" -n 2 "$TESSERA" automaton glider.rle --generations 10000 --report far.json --quiet || fail 'ten thousand generations'
[ "$far" = "$(sed -n 's/.*"state": "\(.*\)".*/\1/p' far.json)" ] || fail 'going on gives another hash'
"$TESSERA" convert far/results/010000.h5:/fields/state far.rle > log 2>&1 || fail "$(cat log)"
grep -q '^#CXRLE Pos=2500,2500$' far.rle || fail "$(cat far.rle), expected its place"
grep -q 'rule = B3/S23' far.rle || fail "$(cat far.rle), expected its rule"

# HashLife: the same generation has the same hash, on any ranks; what is too large for tiles takes it by itself
for ranks in 1 2; do
  "$MPIEXEC" -n $ranks "$TESSERA" automaton glider.rle --generations 10000 --algorithm hash --report hash.json > log 2>&1 || fail "$(cat log)"
  grep -q 'by HashLife in' log || fail "the log does not tell the algorithm: $(cat log)"
  [ "$far" = "$(sed -n 's/.*"state": "\(.*\)".*/\1/p' hash.json)" ] || fail "$ranks ranks: HashLife gives another hash"
done
rm -rf hash
"$TESSERA" automaton glider.rle --generations 5000 --algorithm hash --case hash --quiet || fail 'a case of HashLife'
sed -i 's/generations 5000/generations 10000/' hash/constant/automatonProperties
echo 'startFrom latestTime;' >> hash/system/controlDict
"$TESSERA" run hash --quiet || fail 'HashLife does not go on'
[ "$far" = "$(sed -n 's/.*"state": "\(.*\)".*/\1/p' hash/postProcessing/report.json)" ] || fail 'going on by HashLife gives another hash'
{ # two gliders 2^20 cells apart
  printf '[M2] (golly 2.0)\n#R B3/S23\n.*$..*$***$$$$$\n'
  for level in $(seq 4 20); do echo "$level $((level - 3)) 0 0 0"; done
  echo '21 18 0 0 18'
} > wide.mc
"$TESSERA" automaton wide.mc --generations 65536 --report wide.json > log 2>&1 || fail "$(cat log)"
grep -q 'by HashLife in' log || fail "a pattern of 10^12 cells is not taken to HashLife: $(cat log)"
[ "$(number wide.json population)" = 10 ] || fail "two gliders: $(number wide.json population) cells, expected 10"
"$TESSERA" automaton wide.mc --generations 65536 --algorithm tiles --report tiles.json --quiet || fail 'two gliders by tiles'
[ "$(sed -n 's/.*"state": "\(.*\)".*/\1/p' wide.json)" = "$(sed -n 's/.*"state": "\(.*\)".*/\1/p' tiles.json)" ] || fail 'tiles give another hash'

# the tree of what is too large for a file of cells: it goes on from it, a signal writes it, and it is a pattern
state() { sed -n 's/.*"state": "\(.*\)".*/\1/p' "$1"; }
rm -rf wide
"$TESSERA" automaton wide.mc --generations 32768 --case wide --quiet > log 2>&1 || fail "$(cat log)"
[ -s wide/results/032768.mc ] || fail "no tree of the end: $(ls wide/results)"
"$TESSERA" automaton wide/results/032768.mc --generations 32768 --report half.json --quiet || fail 'a tree is no pattern'
[ "$(state half.json)" = "$(state wide.json)" ] || fail 'a tree as pattern gives another hash'
sed -i 's/generations 32768/generations 65536/' wide/constant/automatonProperties
echo 'startFrom latestTime;' >> wide/system/controlDict
"$MPIEXEC" -n 2 "$TESSERA" run wide > log 2>&1 || fail "$(cat log)"
grep -q 'Goes on from .*032768.mc' log || fail "does not go on: $(cat log)"
[ "$(state wide/postProcessing/report.json)" = "$(state wide.json)" ] || fail 'going on from a tree gives another hash'
sed -i 's/generations 65536/generations 100000000000/' wide/constant/automatonProperties
echo 'series { every 1; }' >> wide/constant/automatonProperties
"$TESSERA" run wide > log 2>&1 &
pid=$!
for _ in $(seq 100); do grep -q 'Goes on from' log && break; sleep 0.1; done
sleep 0.5
kill -TERM $pid
wait $pid || fail "SIGTERM: exit code $?"
grep -q 'by SIGTERM: results/[0-9]*.mc holds all' log || fail "$(tail -n 3 log)"
# a phase that never comes to rest ends where the run is asked to
mkdir -p restless/constant restless/system
echo 'application cellularAutomaton;' > restless/system/controlDict
echo 'cells (9 9 1);' > restless/system/gridDict
echo 'rule { expression "1 - state"; untilStill yes; } maxRepeats 1000000000000; initial { type uniform; value 1; } stop { generations 3; }' > restless/constant/automatonProperties
"$TESSERA" run restless > log 2>&1 &
pid=$!
for _ in $(seq 100); do grep -q 'Rule of the case' log && break; sleep 0.1; done
kill -TERM $pid
code=0
wait $pid || code=$?
{ [ $code = 4 ] && grep -q 'had not come to rest after [0-9]* repeats in generation 0 when the run was asked to end' log; } ||
  fail "a phase that never rests, SIGTERM: exit code $code, $(tail -n 1 log)"

"$TESSERA" convert glider.rle glider.mc > log 2>&1 || fail "$(cat log)"
"$TESSERA" automaton glider.mc --report mc.json --quiet || fail 'a converted glider'
[ "$(state mc.json)" = "$(state glider.json)" ] || fail 'a converted glider has another hash'

# the case is kept, and runs again
"$TESSERA" automaton glider.rle --rule B36/S23 --generations 30 --margin 40 --case kept --quiet > log 2>&1 || fail "$(cat log)"
[ ! -s log ] || fail "--quiet says: $(cat log)"
cells=$(tr -d ' \n' < kept/postProcessing/report.json | sed 's/.*"grid":{"cells":\[\([0-9,]*\)\].*/\1/')
[ "${cells%%,1*}" = 83,83 ] || fail "margin 40: $cells cells"
[ -s kept/results/000030.h5 ] && [ -s kept/results/state.png ] || fail 'no results of a kept case'
before=$(sed -n 's/.*"state": "\(.*\)".*/\1/p' kept/postProcessing/report.json)
"$TESSERA" run kept --quiet || fail 'a kept case does not run again'
[ "$(sed -n 's/.*"state": "\(.*\)".*/\1/p' kept/postProcessing/report.json)" = "$before" ] || fail 'a kept case gives other bits'

# a rule that a file beside the pattern holds: the diode of three cells that move to the right, one a generation
mkdir -p rules
cat > rules/To-the-right.rule <<'RULE'
@RULE To-the-right
@TABLE
n_states:3
neighborhood:vonNeumann
symmetries:none
var any={0,1,2}
var north=any
var east=any
var south=any
any,north,east,south,2,2
any,north,east,south,1,1
any,north,east,south,0,0
RULE
printf 'x = 3, y = 1, rule = To-the-right\nABA!\n' > rules/p.rle
for ranks in 1 3; do
  "$MPIEXEC" -n $ranks "$TESSERA" automaton rules/p.rle --generations 12 --case moved$ranks --quiet > log 2>&1 || fail "$(cat log)"
  [ -s moved$ranks/constant/To-the-right.rule ] || fail 'a kept case has not its rule'
  "$TESSERA" convert "moved$ranks/results/000012.h5:/fields/state" moved$ranks.rle > log 2>&1 || fail "$(cat log)"
  grep -q 'Pos=12,0' moved$ranks.rle || fail "$ranks ranks: $(cat moved$ranks.rle), expected the cells 12 to the right of column 0"
done
"$TESSERA" run moved1 --quiet || fail 'a kept case with a rule of a file does not run again'

refuses automaton 1 'kept: is there already' glider.rle --case kept
refuses automaton 1 "unknown rule 'B9'" glider.rle --rule B9 --case refused
mkdir -p empty
refuses automaton 1 "unknown rule 'B9'" glider.rle --rule B9 --case empty
{ [ ! -e refused ] && [ -d empty ] && [ -z "$(ls empty)" ]; } || fail "refused commands leave $(ls -d refused/* empty/*)"
"$TESSERA" automaton glider.rle --case empty --generations 1 --quiet || fail 'an empty folder is no case'
refuses automaton 1 'none.rle: .*No such file' none.rle
refuses automaton 1 "unknown rule 'B9'" glider.rle --rule B9
refuses automaton 1 "no Nowhere.rule in " glider.rle --rule Nowhere
sed 's/generations.*/generations 1; }/; s/unbounded/unbounded; left fixed 0/' far/constant/automatonProperties > properties
cp properties far/constant/automatonProperties
"$TESSERA" run far > out 2> err && fail 'sides beside unbounded are not refused'
grep -q left err || fail "$(cat err)"
refuses automaton 1 'expected a name' glider.rle --rule 'B3"/S23'
refuses automaton 1 'on a grid, but --algorithm is of a plane' glider.rle --algorithm hash --margin 9
refuses automaton 1 'looks 2 cells far' glider.rle --algorithm hash --rule R2,C0,M1,S3..8,B5..7,NM
# the margin is that of any rule, whose range times generations is no number any more
sed 's/B3.S23/R2,C0,M1,S3..8,B0..7,NM/' glider.rle > range2.rle
refuses automaton 1 "entry 'margin' is '9223372036854775806', expected a number from 0 to" range2.rle --generations 4611686018427387904
# errors in the case that goes away name what the user gave
printf 'x = 3, y = 3, rule = B3/S23\nbo$2bq$3o!\n' > bad.rle
refuses automaton 1 "^tessera: bad.rle:2: found '\$' behind 'q', expected a state" bad.rle
sed 's/S23/S23:T2,9/' glider.rle > narrow.rle
refuses automaton 1 '^tessera: the case made of narrow.rle: constant/automatonProperties:1: ' narrow.rle
refuses automaton 2 'algorithm' glider.rle --algorithm quick
refuses automaton 2 'PATTERN is required'
refuses automaton 2 '' glider.rle --generations -1
exit $failed
