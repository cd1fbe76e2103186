#!/usr/bin/env bash
# Wrong input gets one line that names file and line, and exit code 1, on one rank and on three; nothing hangs.
set -u
. "$SOURCE/tests/support/expect_error.sh"

expect_error 'missing case' 'nowhere: no such case' run nowhere
fresh percolation/random
expect_error 'unknown setting' "unknown file 'controlDic'" run case --set controlDic:endTime=1
rm case/constant/percolationProperties
expect_error 'missing file' 'constant/percolationProperties: no such file' run case
fresh percolation/random
edit constant/percolationProperties 's/0\.60\?;/1.5;/'
expect_error 'p outside [0, 1]' "percolationProperties:[0-9]+: .*probability.*1\.5" run case
fresh percolation/random
edit constant/percolationProperties 's/0\.60\?;/many;/'
expect_error 'wrong type' "percolationProperties:[0-9]+: entry 'probability' is 'many', expected a number" run case
fresh percolation/random
edit constant/percolationProperties 's/^method/methode/'
expect_error 'misspelt keyword' "percolationProperties:[0-9]+: unknown entry 'methode'; did you mean 'method'" run case
fresh percolation/random
edit system/gridDict 's/^cells.*/cells (64 64);/'
expect_error 'wrong list length' "gridDict:[0-9]+: .*2.*expected.*3" run case
fresh percolation/random
edit system/controlDict 's/^application.*/application percolatoin;/'
expect_error 'unknown application' "controlDict:[0-9]+: .*unknown application 'percolatoin'; did you mean 'percolation'" run case
fresh percolation/picture
: > case/constant/medium.png
expect_error 'unreadable picture' 'medium.png: ' run case
cp "$SOURCE/cases/percolation/picture/constant/medium.png" whole.png
head -c 3000 whole.png > case/constant/medium.png
expect_error 'truncated picture' 'medium.png: ' run case
fresh heat/slab
edit constant/transportProperties 's/^\(lambda .*\] *\)[0-9.e+-]*;/\1-1;/'
expect_error 'lambda <= 0' 'lambda' run case
fresh heat/slab
edit system/fvSolution 's/preconditioner *DIC/preconditioner DCI/'
expect_error 'unknown preconditioner' "fvSolution:[0-9]+: unknown preconditioner 'DCI'; did you mean 'DIC'" run case
fresh heat/slab
edit system/controlDict 's/startTime;/lastTime;/'
expect_error 'restart' "controlDict:[0-9]+: .*lastTime" run case
fresh life/glider_gun
edit constant/automatonProperties 's/^rule.*/rule "B3\/S2x";/'
expect_error 'malformed rule' "automatonProperties:[0-9]+: .*B3/S2x" run case
fresh life/glider_gun
printf 'x = 3, y = 1, rule = B36/S23\n3o!\n' > case/constant/p.rle
edit constant/automatonProperties 's/"constant\/gosper.*/"constant\/p.rle";/'
expect_error 'a pattern as a picture' "automatonProperties:[0-9]+: (entry 'file' )?is 'constant/p.rle', a pattern.*type pattern" run case
edit constant/automatonProperties 's/picture;/pattern;/; /threshold/d; /occupied/d'
expect_error 'another rule' "automatonProperties:[0-9]+: .*constant/p.rle.*'B36/S23'.*'B3/S23'" run case
printf 'x = 3, y = 1, rule = Nowhere\n3o!\n' > case/constant/p.rle
edit constant/automatonProperties '/^rule/d'
expect_error 'a rule that is nowhere' "p.rle: .*no Nowhere.rule in case/constant, [^,]*Rules\$" run case
for type in pattern snapshot picture; do
  fresh life/glider_gun
  edit constant/automatonProperties "s/\"constant\/gosper.*/\"constant\/nope\";/; s/picture;/$type;/"
  expect_error "no file of a $type" "automatonProperties:[0-9]+: entry 'file' is 'constant/nope', which cannot be read: No such file" run case
done
"$TESSERA" fly case > out 2> err
[ $? = 2 ] || { echo 'unknown command: expected exit code 2'; failed=1; }
fresh heat/slab
for words in list --version 'help life' 'check case'; do
  "$TESSERA" $words > /dev/full 2> err
  code=$?
  { [ $code = 4 ] && grep -q 'cannot write all that was printed' err; } ||
    { echo "$words on a full disk: exit code $code, '$(cat err)', expected 4 and a line that says so"; failed=1; }
done
exit $failed
