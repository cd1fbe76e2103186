#!/usr/bin/env bash
# A study of each kind: what is measured, what does not count, what a second run repeats, what is refused.
set -eu
. "$SOURCE/tests/support/fails.sh"
automaton() { # a small random soup
  rm -rf case
  cp -r "$SOURCE/cases/life/glider_gun" case
  cat > case/constant/automatonProperties <<END
rule "B3/S23";
initial { type random; seed 3; }
stop { generations 40; }
END
  echo 'cells (256 256 1); tile (64 64 1);' > case/system/gridDict
}
study() { # lines of studyDict, on standard input
  cat > case/system/studyDict
  "$TESSERA" study case "$@" > log 2>&1
}
number() { # path in study/report.json, as python has it
  python3 -c "import json; r = json.load(open('case/study/report.json')); print($1)"
}
holds() { # what python says is true
  [ "$(number "$1")" = True ] || { cat log; fail "not so: $1"; }
}
refused() { # what is said; lines of studyDict on standard input
  local code=0
  study || code=$?
  [ $code = 1 ] && grep -q "$1" log || { cat log; fail "exit code $code, expected 1 and '$1'"; }
}

# strong scaling; tiles and halos change nothing
automaton
study <<'END'
axes { ranks (1 2 3); depth (1 4); }
settings ("constant/automatonProperties:haloDepth={depth}");
same { axes (ranks depth); }
repeats 2;
END
holds "len(r['points']) == 6 and all(p['counted'] == 2 for p in r['points']) and r['along'] == 'ranks' and not r['weak']"
holds "len({p['answer']['hash.state'] for p in r['points']}) == 1"
holds "all(abs(p['efficiency'] * int(p['axes']['ranks']) - p['speedUp']) < 1e-9 for p in r['points'])"
holds "all(p['speedUp'] == 1 for p in r['points'] if p['axes']['ranks'] == '1')"
holds "all(p['seconds']['least'] <= p['seconds']['median'] <= p['seconds']['most'] for p in r['points'])"
[ "$(wc -l < case/study/runs.csv)" = 13 ] || fail 'runs.csv has other rows'
[ ! -e case/results ] && [ ! -e case/postProcessing ] && [ ! -e case/study/run ] || fail 'runs wrote into the case'
grep -q '^| ranks | depth | runs | seconds' case/study/study.md || fail 'no table in study.md'
[ "$(grep -c '<svg ' case/study/study.html)" = 4 ] || fail "study.html has $(grep -c '<svg ' case/study/study.html) plots"
python3 -c "
import xml.dom.minidom, re
text = open('case/study/study.html').read()
for svg in re.findall(r'<svg .*?</svg>', text, re.S): xml.dom.minidom.parseString(svg)
assert 'http' not in text" || fail 'study.html is not whole, or wants other files'

# the same again makes no run, one more repeat makes six
"$TESSERA" study case > log 2>&1
grep -q 'Goes on: 12 runs are finished' log && ! grep -q '^[0-9]* of 12:' log || { cat log; fail 'runs were made again'; }
sed -i 's/repeats 2/repeats 3/' case/system/studyDict
"$TESSERA" study case > log 2>&1
[ "$(grep -c '^[0-9]* of 18:' log)" = 6 ] || { cat log; fail 'other than six runs for one more repeat'; }

# killed at a moment: finished runs are there
rm -rf case/study log
: > log # the lines of the run before are none of its own
"$TESSERA" study case >> log 2>&1 &
study=$!
until [ "$(grep -c '^[0-9]* of 18:' log)" -ge 3 ]; do sleep 0.05; done
kill -TERM $study
wait $study
grep -q 'Stopped by a signal' log || fail 'no line on the signal'
"$TESSERA" study case > log 2>&1
grep -q 'Goes on: [3-9] runs are finished' log || { cat log; fail 'the runs before the signal are lost'; }

# weak scaling: the grid grows with the ranks, another answer for each
automaton
study <<'END'
axes { ranks (1 2); rows (128 256); }
together ((ranks rows));
settings ("system/gridDict:cells=(256 {rows} 1)");
repeats 1;
END
holds "r['weak'] and all(p['counted'] == 1 for p in r['points']) and len({p['answer']['hash.state'] for p in r['points']}) == 2"
holds "abs(r['points'][1]['efficiency'] * r['points'][1]['seconds']['median'] / r['points'][0]['seconds']['median'] - 1) < 1e-9"

# solvers and meshes
rm -rf case
cp -r "$SOURCE/tests/data/laplacian_small" case
study <<'END'
axes { preconditioner (DIC multigrid); ranks (1 2); }
settings ("system/fvSolution:solvers.T.preconditioner={preconditioner}" "system/controlDict:endTime=1000");
repeats 1;
measure solvers.T.solveSeconds;
same { of (hash solvers.T.averageIterations); }
END
holds "all(p['counted'] == 1 and p['iterations'] > 0 and p['secondsPerIteration'] > 0 for p in r['points'])"
holds "{p['iterations'] for p in r['points'][:2]} != {p['iterations'] for p in r['points'][2:]}"

# an answer that is another one does not count, nor does a run that fails
automaton
code=0
study <<'END' || code=$?
axes { ranks (1); seed (3 4); }
settings ("constant/automatonProperties:initial.seed={seed}");
same { axes (seed); }
repeats 2;
END
[ $code = 4 ] && grep -q 'hash.state is .* with ranks=1 seed=3' log || { cat log; fail "another answer: exit code $code"; }
holds "[p['counted'] for p in r['points']] == [2, 0] and r['points'][1]['seconds']['median'] is None"
code=0
study <<'END' || code=$?
axes { ranks (1 2); }
repeats 1;
machine { nodes (0 2); }
END
[ $code = 4 ] && holds "[p['counted'] for p in r['points']] == [1, 0] and 'exit code' in r['points'][1]['why']"

# ranks of another machine: 8 ranks on whatever cores there are, timed by their own clocks
study <<'END'
axes { ranks (1 2 8); }
repeats 1;
settings ("system/decomposeParDict:method=simple");
machine { speeds (1 1 1 1 1 1 1 0.25); nodes (0 0 0 0 1 1 1 1); network { latency 0.01; } }
END
holds "[p['counted'] for p in r['points']] == [1, 1, 1]"
holds "[e['wanted'] for e in r['emulation']] == [0.25, 1] and r['emulation'][0]['measured'] > 0"
grep -q 'Times are those of an emulated cluster: ranks on nodes (0 0 0 0 1 1 1 1)' log || { cat log; fail "the log does not say whose times these are"; }
grep -q 'share [0-9]* cores' log && fail "ranks of an emulated cluster share no cores"
# each of 8 ranks' steps waits for messages of the other node: 10 ms at least
holds "r['points'][2]['seconds']['median'] > 0.01 * 40"
cat > case/some.machine <<'END'
a program=x ranks=1 speed=0.5
b program=x ranks=1 nodes=2
network: latency=1e-5 bandwidth=1e9
END
study <<'END'
axes { ranks (3); }
repeats 1;
machine { file "some.machine"; }
END
grep -q 'nodes (0 1 2), of speeds (0.5 1 1) .* a message takes 1e-05 s + bytes / 1000000000 between nodes, no time within one' log || { cat log; fail "the machine of a file"; }
refused "'some.machine' has 3 ranks, expected 4 as in 'axes'" <<< 'axes { ranks (4); } machine { file "some.machine"; }'
refused "there is no file" <<< 'axes { ranks (4); } machine { file "none.machine"; }'
refused "threads.*expected 1 where 'machine' emulates" <<< 'axes { threads (2); } machine { nodes (0); }'
refused "speeds.*expected numbers above 0" <<< 'axes { ranks (2); } machine { speeds (1 0); }'

rm -f case/study/runs
refused "system/studyDict:[0-9]*: the report of a run has no number 'time.comput'; did you mean 'time.compute'?" <<< 'axes { ranks (1); } measure time.comput;'
rm -f case/study/runs
refused "system/studyDict:[0-9]*: the report of a run has no entry 'hash.stat'; did you mean 'hash.state'?" <<< 'axes { ranks (1); } same { of (hash hash.stat); }'
refused "no axis is called 'rank'" <<< 'axes { ranks (1 2); } along rank;'
refused "'0', expected whole numbers of at least 1" <<< 'axes { ranks (0 2); }'
refused "an entry for each of 4 ranks, there are 2" <<< 'axes { ranks (1 4); } machine { speeds (1 2); }'
refused "a column 'repeat' of their own" <<< 'axes { ranks (1); repeat (1 2); } settings ("a:b={repeat}");'
refused "a column 'seconds' of their own" <<< 'axes { ranks (1); seconds (1 2); } settings ("a:b={seconds}");'
refused "'seed' *is in none of the settings\|seed.*is in none of the settings" <<< 'axes { seed (1 2); } settings ();'
refused "repeat" <<< 'axes { ranks (1 2); } repeat 3;'
refused "runs that have finished\|'repeats'" <<< 'axes { ranks (1); seed { samples 3; } } settings ("constant/automatonProperties:initial.seed={seed}");'
code=0
"$MPIEXEC" -n 2 "$TESSERA" study case > log 2>&1 || code=$?
[ $code != 0 ] && grep -q 'study starts the ranks itself' log || { cat log; fail 'ran under mpirun'; }
exit $failed
