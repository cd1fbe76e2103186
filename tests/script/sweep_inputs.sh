#!/usr/bin/env bash
# Sweeps and studies notice input that has changed since tasks were finished, wherever it lies; tables are those of the last sweep; errors name
# the lines of sweepDict; what would be taken for something else is refused.
set -eu
. "$SOURCE/tests/support/fails.sh"
. "$SOURCE/tests/support/sweeps.sh"
sweep() { "$TESSERA" sweep case "$@" > log 2>&1; }
refused() { # what is said; sweepDict on standard input
  local code=0
  cat > case/system/sweepDict
  sweep --count || code=$?
  [ $code = 1 ] && grep -q -e "$1" log || { cat log; fail "exit code $code, expected 1 and '$1'"; }
}
volume() { # file, rows of 16 cells that are light, of 16 rows; the others are occupied
  { head -c $((16 * $2)) /dev/zero | tr '\0' '\377'; head -c $((16 * (16 - $2))) /dev/zero; } > "$1"
}
make_case() { # what follows `input`
  rm -rf case
  mkdir -p case/system case/constant
  echo 'application percolation;' > case/system/controlDict
  echo 'cells (16 16 1);' > case/system/gridDict
  echo "input { $1 } frame none;" > case/constant/percolationProperties
}

# 1. a volume beside the case, that an entry names
rm -rf shared
mkdir -p shared
volume shared/a.raw 8
make_case 'type picture; file "../shared/a.raw:16x16:uint8"; level 100; '
cat > case/system/sweepDict << 'END'
axes { level (50 150); }
settings ("constant/percolationProperties:input.level={level}");
results (occupation);
END
sweep
cp case/sweep/tasks.csv before.csv
sweep
[ "$(value tasksOfThisRun)" = 0 ] || { cat log; fail 'tasks with the same volume were run again'; }
touch shared/a.raw
sweep
[ "$(value tasksOfThisRun)" = 0 ] || { cat log; fail 'a small file of the same content was taken for another one'; }
volume shared/a.raw 4
sweep
[ "$(value tasksOfThisRun)" = 2 ] || { cat log; fail 'tasks of a volume that has changed were not run again'; }
grep -q 'Finished, but run again: 2 tasks, since ../shared/a.raw:16x16:uint8 has changed' log || { cat log; fail 'not told what has changed'; }
grep -q '^50,0.75,' case/sweep/tasks.csv && grep -q '^50,0.5,' before.csv || { cat case/sweep/tasks.csv; fail 'numbers of the old volume'; }
# as it was before: what was found then holds
volume shared/a.raw 8
sweep
[ "$(value tasksOfThisRun)" = 0 ] && cmp case/sweep/tasks.csv before.csv || { cat log; fail 'the volume as it was before'; }

# 2. files of an axis, outside of the case and in it, of which one changes and keeps its size
for folder in ../shared volumes; do
  rm -rf case/sweep
  mkdir -p case/volumes
  for file in a b; do volume "case/$folder/$file.raw" 8; done
  cat > case/system/sweepDict << END
axes { file { files "$folder/*.raw"; } }
settings ("constant/percolationProperties:input.file={file}:16x16:uint8");
results (occupation);
END
  sweep
  volume "case/$folder/b.raw" 12
  sweep
  [ "$(value tasksOfThisRun)" = 1 ] && grep -q "b.raw,0.25," case/sweep/tasks.csv || { cat log; fail "an axis of files in $folder"; }
done
# a large one counts by the time of its change
head -c 1100000 /dev/zero > case/volumes/b.raw
sed -i 's/16x16:uint8/1000x1100:uint8/' case/system/sweepDict
rm -r case/volumes/a.raw case/system/gridDict case/sweep
sweep
sweep
[ "$(value tasksOfThisRun)" = 0 ] || { cat log; fail 'a large volume was taken for another one'; }
printf '\377' | dd of=case/volumes/b.raw conv=notrunc status=none
sweep
[ "$(value tasksOfThisRun)" = 1 ] || { cat log; fail 'a change in a large volume was not seen'; }

# 3. a folder of the case that is a link, a file that is included from beside it
make_case 'type random; probability $p; seed 1;'
mkdir -p shared/more
echo 'first' > shared/more/notes
ln -s ../../shared/more case/constant/more
ln -s .. case/constant/above
echo 'p 0.3;' > shared/p
sed -i '1i #include "../../shared/p"' case/constant/percolationProperties
cat > case/system/sweepDict << 'END'
axes { seed (1 2); }
settings ("constant/percolationProperties:input.seed={seed}");
END
sweep
sweep
[ "$(value tasksOfThisRun)" = 0 ] || { cat log; fail 'the same links'; }
echo 'p 0.6;' > shared/p
sweep
[ "$(value tasksOfThisRun)" = 2 ] && grep -q 'since .*shared/p has changed' log || { cat log; fail 'an included file outside of the case'; }
echo 'second' > shared/more/notes
code=0
sweep || code=$?
[ $code = 1 ] && grep -q "these results were made with 'case'" log || { cat log; fail 'a change in a folder that is a link'; }
[ -e case/sweep/tasks.csv ] || fail 'a sweep that was refused took the tables away'

# 4. a study makes the runs of such files again, too
make_case 'type picture; file "../shared/a.raw:16x16:uint8"; level 100;'
cat > case/system/studyDict << 'END'
axes { level (50 150); }
settings ("constant/percolationProperties:input.level={level}");
repeats 1;
END
volume shared/a.raw 8
"$TESSERA" study case > log 2>&1
"$TESSERA" study case > log 2>&1
grep -q 'Goes on: 2 runs are finished$' log || { cat log; fail 'a study of the same volume'; }
volume shared/a.raw 4
"$TESSERA" study case > log 2>&1
grep -q 'Goes on: 0 runs are finished, 2 more' log && grep -q '^2 of 2: ' log || { cat log; fail 'a study of another volume'; }

# 5. tables are those of the last sweep; files of the user stay
make_case 'type random; probability 0.6; seed 1;'
cat > case/system/sweepDict << 'END'
axes { p (0.3 0.9); seed { samples 4; } }
settings ("constant/percolationProperties:input.probability={p}" "constant/percolationProperties:input.seed={seed}");
threshold { axis p; of spans; tolerance 1e-1; }
histograms { of (threshold); }
END
sweep
for file in thresholds histograms statistics; do [ -e case/sweep/$file.csv ] || fail "no $file.csv"; done
echo mine > case/sweep/mine.csv
cat > case/system/sweepDict << 'END'
axes { p (0.3 0.9); }
settings ("constant/percolationProperties:input.probability={p}");
END
sweep --count
[ -e case/sweep/thresholds.csv ] || fail 'tables went where tasks were only counted'
sweep
for file in thresholds histograms statistics; do [ ! -e case/sweep/$file.csv ] || fail "$file.csv of an earlier sweep"; done
[ -e case/sweep/mine.csv ] || fail "a file of the user's own went"
[ "$(wc -l < case/sweep/tasks.csv)" = 3 ] || fail 'tasks.csv'
# what the log says was taken
cat > case/system/sweepDict << 'END'
axes { p { from 0; to 1; step 0.1; } L (16 32); m (2 4); seed { samples 3; first 7; } }
together ((L m));
settings ("constant/percolationProperties:input.probability={p}" "constant/percolationProperties:input.seed={seed}"
          "system/gridDict:cells=({L} {m} 1)");
END
sweep --count
for line in 'p: 0 0.1 0.2 ... 1 (11 values)' 'L (together with m): 16 32' 'seed: samples 7 to 9'; do
  grep -qF "Axis $line" log || { cat log; fail "not told: $line"; }
done

# 6. errors name the line of the axis
refused 'case/system/sweepDict:3: p = 1.5: percolationProperties:input.probability=1.5: .*expected' << 'END'
axes
{
    p (1.5 0.5);
}
settings ("percolationProperties:input.probability={p}");
END
refused 'case/system/sweepDict:3: q = 2, p = 1.5: percolationProperties:input.probability=3: .*expected' << 'END'
axes
{
    q (2);
    p (1.5 0.5);
}
settings ("percolationProperties:input.probability={q * p}");
END
refused "case/system/sweepDict:4: settings: gridDict:cels=(8 8 1): unknown entry 'cels'" << 'END'
axes { p (0.5); }
settings ("percolationProperties:input.probability={p}"

          "gridDict:cels=(8 8 1)");
END

# 7. what would be taken for something else
refused "sweepDict:1: x = 1: system/controlDict:colour=1: nothing reads 'colour'" << 'END'
axes { x (1 2); }
settings ("system/controlDict:colour={x}");
END
refused "sweepDict:4: settings: 'percolationProperties:input.probability' is set twice, with 'constant/percolationProperties:input" << 'END'
axes { p (0.3 0.9); }
settings
( "constant/percolationProperties:input.probability={p}"
  "percolationProperties:input.probability=0.5" );
END
refused "sweepDict:2: settings: 'percolationProperties:input' is set twice, with 'percolationProperties:input.seed'" << 'END'
axes { p (0.3 0.9); seed { samples 2; } }
settings ("percolationProperties:input.seed={seed}" "percolationProperties:input={ type random; probability 0.5; }" "f:e={p}");
END
refused "sweepDict:1: entry 'p' stands in line 1 already" <<< 'axes { p (0.3 0.9); p (1 2); }
settings ("percolationProperties:input.probability={p}");'
for line in startFrom=latestTime writeControl=none; do
  refused "sweepDict:2: settings: 'controlDict:${line%=*}' would say nothing" << END
axes { p (0.3 0.9); }
settings ("percolationProperties:input.probability={p}" "controlDict:$line");
END
done
for expression in 'L = 64 ? 0.3 : 0.6' 'L, p' 'L + q' 'l'; do
  refused "sweepDict:2: settings: .*'$expression'" << END
axes { L (32 64); p (0.3 0.6); }
settings ("percolationProperties:input.probability={$expression}" "gridDict:cells=({L} {L} 1)" "percolationProperties:input.seed={10*p}");
END
done
cat > case/system/sweepDict << 'END'
axes { p (0.3 0.9); }
settings ("percolationProperties:input.probability={p}");
END
code=0
sweep --count --set constant/percolationProperties:input.probability=0.5 || code=$?
[ $code = 1 ] && grep -q -e "--set .*: 'percolationProperties:input.probability' is set for each task by case/system/sweepDict:2" log ||
  { cat log; fail "an entry of the command line that tasks set, too: exit code $code"; }
exit $failed
