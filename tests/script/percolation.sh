#!/usr/bin/env bash
# tessera percolation IMAGE: what is occupied, which numbers come out, where the picture goes, what is kept, what is refused.
set -u
rm -rf kept both named tessera-percolation-* ./*.png
. "$SOURCE/tests/support/fails.sh"
number() { sed -n "s/.*\"$2\": \([0-9]*\).*/\1/p" "$1" | head -n 1; }
expect() { [ "$(number "$1" "$2")" = "$3" ] || fail "$1: $2 is $(number "$1" "$2"), expected $3"; }

# grey values of 5 x 4 cells, from the top. Below 100: a column that crosses from bottom to top, with one cell beside it
# that leads nowhere, and a cell alone
cat > 'the medium.pgm' <<'PGM'
P2
5 4
255
200  10 200 200 200
200  10 200 200  50
200  10  60 200 200
200  10 200 200 200
PGM
for ranks in 1 3; do
  "$MPIEXEC" -n $ranks "$TESSERA" percolation 'the medium.pgm' --level 100 --report $ranks.json > log 2>&1 || fail "$ranks ranks: $(cat log)"
  expect $ranks.json clusters 2
  expect $ranks.json largestCluster 5
  expect $ranks.json backboneSites 4
  expect $ranks.json danglingSites 1
  grep -q 'occupied: below 100' log || fail "$ranks ranks: the log does not tell what is occupied: $(cat log)"
  [ -s 'the medium.percolation.png' ] || fail "$ranks ranks: no picture"
  rm -f 'the medium.percolation.png'
done
cmp <(grep backbone 1.json) <(grep backbone 3.json) || fail 'other results on three ranks'
[ "$(find . -name 'tessera-percolation-*')" = '' ] || fail 'a case without --case stays behind'

# values from 50 up without the light ones, as whole numbers; light ones; the best two parts; eight neighbours; both axes
"$TESSERA" percolation --phases 50,60 'the medium.pgm' --report phases.json --quiet > log 2>&1 || fail "$(cat log)"
[ ! -s log ] || fail "--quiet says: $(cat log)"
expect phases.json largestCluster 1
"$TESSERA" percolation 'the medium.pgm' --occupied light --report light.json --quiet || fail 'light cells'
expect light.json largestCluster 10
"$TESSERA" percolation 'the medium.pgm' --otsu --connectivity 8 --direction all --picture both/crossings.png --report both.json > log 2>&1 ||
  fail "$(cat log)"
expect both.json clusters 2
[ -s both/crossings_x.png ] && [ -s both/crossings_y.png ] || fail "--picture: $(ls both)"
grep -q 'spans  *no  *yes' log || fail "no table of both axes: $(cat log)"

# the picture goes where it is said, by the whole name; nothing else is written
mkdir named
cp 'the medium.pgm' named/rock.jpg
cp 'the medium.pgm' named/rock_y.png
for name in a.b.png plain named/d/..x.png; do
  "$TESSERA" percolation 'the medium.pgm' --level 100 --picture $name --report named.json > log 2>&1 || fail "--picture $name: $(cat log)"
  [ -s "${name/%plain/plain.png}" ] || fail "--picture $name: $(ls . named)"
done
"$TESSERA" percolation named/rock.jpg --level 100 --direction y --picture named/rock.png --quiet || fail 'a .png beside a .jpg'
[ -s named/rock.png ] && cmp -s 'the medium.pgm' named/rock.jpg || fail "--picture named/rock.png: $(ls named)"
refuses percolation 2 '--picture named/rock.jpg: expected the name of a .png file' named/rock.jpg --level 100 --picture named/rock.jpg
refuses percolation 2 '--picture named/: expected the name of a .png file' named/rock.jpg --picture named/
refuses percolation 2 '--picture .*rock_y.png: would be written over named/rock_y.png' named/rock_y.png --picture named/../named/rock_y.png
refuses percolation 2 '--picture named/rock_y.png: would be written over named/rock_y.png' named/rock_y.png --direction all --picture named/rock.png
refuses percolation 2 '--picture .*/rock_y.png: would be written over' 'the medium.pgm' --region "$PWD/named/rock_y.png" --picture named/rock_y.png
cmp -s 'the medium.pgm' named/rock_y.png || fail 'a refused picture is written over its input'

# a cell that is no number is told as one
printf '\0\0\300\177\0\0\0\0\0\0\200\077\0\0\0\0' > nan.raw
"$TESSERA" percolation nan.raw:2x2x1:float32 --level 0.5 --picture nan > log 2>&1 || fail "a cell that is no number: $(cat log)"
grep -q ': 1 cell is not a number: not occupied' log || fail "a cell that is no number: $(cat log)"

# the sample alone: a disc of radius 2, without the cell alone; a mask, without the foot of the column
"$TESSERA" percolation 'the medium.pgm' --level 100 --region cylinder --report disc.json --quiet || fail '--region cylinder'
expect disc.json sites 12
expect disc.json clusters 1
expect disc.json largestCluster 5
cat > mask.pgm <<'PGM'
P2
5 4
1
0 1 1 1 1
0 1 1 1 1
0 1 1 1 1
0 0 0 1 1
PGM
"$TESSERA" percolation 'the medium.pgm' --level 100 --region mask.pgm --report mask.json > log 2>&1 || fail "--region mask.pgm: $(cat log)"
expect mask.json sites 14
expect mask.json clusters 2
expect mask.json largestCluster 4
grep -q 'Region: mask, 14 sites (70.00 % of the cells), from (1 0 0) to (5 4 1)' log || fail "--region mask.pgm: $(cat log)"

# the case is kept, runs again from anywhere, and gives the same bits
"$TESSERA" percolation 'the medium.pgm' --level 100 --conductivity --case kept --quiet > log 2>&1 || fail "$(cat log)"
[ -s kept/results/000000.h5 ] && [ -s kept/results/backbone.png ] || fail 'no results of a kept case'
# four resistors in a row: one voltage, so that a quarter of a current of one
grep -q '"conductance": 0.25' kept/postProcessing/report.json || fail "$(grep conductance kept/postProcessing/report.json)"
before=$(grep '"backbone": "' kept/postProcessing/report.json)
(cd / && "$TESSERA" run "$OLDPWD/kept" --quiet) || fail 'a kept case does not run again'
[ "$(grep '"backbone": "' kept/postProcessing/report.json)" = "$before" ] || fail 'a kept case gives other bits'

refuses percolation 1 'kept: is there already' 'the medium.pgm' --case kept
refuses percolation 2 'excludes' 'the medium.pgm' --case other --picture p.png
refuses percolation 1 'none.png: .*No such file' none.png
refuses percolation 1 'the medium has one cell along it' 'the medium.pgm' --direction z
refuses percolation 1 'connectivity.*is 6, expected 4 or 8' 'the medium.pgm' --connectivity 6
refuses percolation 1 "percolationProperties:2: entry 'file' is .*nowhere.pgm', which cannot be read: No such file" 'the medium.pgm' --region nowhere.pgm
refuses percolation 2 'tessera: command line: IMAGE is required; `tessera percolation --help` tells more'
refuses percolation 2 'at most 1.*--level,--threshold' 'the medium.pgm' --level 3 --otsu
refuses percolation 2 '--phases' 'the medium.pgm' --phases 1 --occupied dark
refuses percolation 2 "--phases: '1,,2', expected whole numbers, such as 1,2" 'the medium.pgm' --phases 1,,2
refuses percolation 2 '--direction' 'the medium.pgm' --direction up
[ "$(find . -name 'tessera-percolation-*')" = '' ] || fail 'a refused image leaves a case behind'
exit $failed
