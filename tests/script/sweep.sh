#!/usr/bin/env bash
# Sweeps: the same tables on any number of ranks and teams, after kills, and with more values; what fails is told and tried again.
set -eu
. "$SOURCE/tests/support/fails.sh"
. "$SOURCE/tests/support/sweeps.sh"
sweep() { "$TESSERA" sweep case "$@" > log 2>&1; }
ranks() { # number, options
  local n=$1
  shift
  "$MPIEXEC" -n "$n" "$TESSERA" sweep case "$@" > log 2>&1
}
table() { sed -n 's/.*"tasks": "\([0-9a-f]*\)".*/\1/p' case/sweep/report.json; }
children() { # of a process, as /proc has them
  cat "/proc/$1/task/"*/children 2> /dev/null || true
}

make_case() {
  rm -rf case
  mkdir -p case/system case/constant
  echo 'application percolation;' > case/system/controlDict
  echo 'cells (32 32 1);' > case/system/gridDict
  echo 'input { type random; probability 0.6; seed 1; } frame none;' > case/constant/percolationProperties
}
sweep_dict() { # what follows the axes
  cat > case/system/sweepDict << EOF
axes { L (24 ${2:-40}); p (0.3 0.9); seed { samples ${1:-30}; } }
settings
(
    "system/gridDict:cells=({L} {L} 1)"
    "constant/percolationProperties:input.probability={p}"
    "constant/percolationProperties:input.seed={seed}"
);
threshold { axis p; of spans; tolerance 1e-3; }
${3:-}
EOF
}

# 1. one process; its thresholds against a run of its own at either end of a bracket
make_case
sweep_dict
sweep
whole=$(table)
rm -rf whole
cp -r case/sweep whole
[ "$(value failed)" = 0 ] || fail 'tasks failed'
[ "$(wc -l < case/sweep/thresholds.csv)" = 61 ] || fail 'thresholds'
IFS=, read -r L seed low high _ < <(sed -n 2p case/sweep/thresholds.csv)
rm -f spans
for p in "$low" "$high"; do
  "$TESSERA" run case --report r.json --set "system/gridDict:cells=($L $L 1)" --set "percolationProperties:input.probability=$p" \
    --set "percolationProperties:input.seed=$seed" > log
  grep -o '"spans": [a-z]*' r.json >> spans
done
[ "$(tr '\n' ' ' < spans)" = '"spans": false "spans": true ' ] || fail "bracket: $(cat spans)"

# 2. again: nothing is left to do; more samples: those alone
sweep
[ "$(value tasksOfThisRun)" = 0 ] || fail 'finished tasks were done again'
[ "$(table)" = "$whole" ] || fail 'another table from what was kept'
sweep_dict 31
sweep
more=$(value tasksOfThisRun)
[ "$more" -gt 4 ] && [ "$more" -lt 60 ] || fail "one sample more took $more tasks"

# 3. ranks and teams
sweep_dict
for n in 2 3 4; do
  ranks $n --anew
  [ "$(table)" = "$whole" ] || fail "$n ranks: another table"
done
sweep_dict 30 40 'ranks 2;'
ranks 3 --anew
[ "$(table)" = "$whole" ] || fail 'teams: another table'
for file in tasks.csv statistics.csv thresholds.csv; do cmp case/sweep/$file whole/$file || fail "teams: another $file"; done
# each task its own number of ranks: by its size, and by what a rank may have
for ranks in '"L > 30 ? 4 : 1"' '{ cells 1000; most 2; }' '{ memory 1e12; }'; do
  sweep_dict 30 40 "ranks $ranks;"
  for n in 3 4; do
    ranks $n --anew
    [ "$(table)" = "$whole" ] || fail "ranks $ranks on $n: another table"
  done
done
sweep_dict 30 40 'ranks "L > 30 ? 4 : 1";'
ranks 4 --anew
grep -q '^40,.*,4$' case/sweep/costs.csv && grep -q '^24,.*,1$' case/sweep/costs.csv || fail 'ranks of tasks'
for ranks in '"0.5 * q"' '"L - 30"' '{ most 2; }' '{ cells 0; }' '{ cells 9; cels 9; }'; do
  sweep_dict 30 40 "ranks $ranks;"
  code=0
  ranks 2 --anew || code=$?
  [ $code = 1 ] && grep -q 'sweepDict:[0-9]*: ' log || { cat log; fail "ranks $ranks: exit code $code"; }
done
# several tasks read a file, and the nodes are two
rm -rf volumes
cp -r "$SOURCE/cases/percolation/subvolumes" volumes
sed -i 's/samples 8/samples 3/' volumes/system/sweepDict
"$TESSERA" sweep volumes > log 2>&1
grep '"tasks": "' volumes/sweep/report.json > alone
TESSERA_NODES=0,0,1,1 "$MPIEXEC" -n 4 "$TESSERA" sweep volumes --anew > log 2>&1
grep -q 'teams of 1 to 4 ranks' log || { cat log; fail 'files on two nodes'; }
grep '"tasks": "' volumes/sweep/report.json | cmp - alone || fail 'files on two nodes: another table'

# 4. killed at any moment, gone on with other numbers of ranks; long enough for a fast machine not to be done before
sweep_dict 90 400
sweep --anew
whole=$(table)
tasks=$(value tasks)
rm -r case/sweep
counted=0
for pause in 0.3 0.6 0.45 0.8 0.5 0.7; do
  "$MPIEXEC" -n 2 "$TESSERA" sweep case > log 2>&1 &
  pid=$!
  sleep "$pause"
  if [ "$counted" = 2 ]; then kill -TERM $pid; else kill -KILL $(children $pid) $pid || true; fi
  wait $pid || true
  counted=$((counted + 1))
done
before=$(cat case/sweep/tasks.[0-9]* | grep -vc '^#') || true
[ "$before" -gt 0 ] || fail 'nothing was kept'
sweep
[ "$(table)" = "$whole" ] || fail 'kills: another table'
[ "$(value tasksOfThisRun)" -le $((tasks - before + 6)) ] || fail "kills: $(value tasksOfThisRun) of $tasks tasks with $before kept"

# 5. a task that fails is told and tried again; the others stay
make_case
sweep_dict 3 '40 -1'
code=0
sweep || code=$?
[ $code = 4 ] || { cat log; fail "a failing task: exit code $code"; }
grep -q 'failed, such as L=-1 p=0.3 seed=1: .*cells' log || { cat log; fail 'no reason'; }
grep -q '^-1,0.3,1,,*.*cells' case/sweep/tasks.csv || fail 'no error in the table'
code=0
sweep || code=$?
[ $code = 4 ] && [ "$(value tasksOfThisRun)" = 6 ] || fail 'failed tasks were not tried again'

# 6. another case under the same folder is refused; what cannot be read is told with its place
echo 'cells (33 32 1);' > case/system/gridDict
code=0
sweep || code=$?
[ $code = 1 ] && grep -q "tasks.0:.*these results were made with 'case'.*--anew" log || { cat log; fail 'another case'; }
sweep_dict 3 40 'threshhold 3;'
code=0
sweep --anew || code=$?
[ $code = 1 ] && grep -q "sweepDict:.*threshhold.*did you mean" log || { cat log; fail 'misspelt'; }
sed -i 's/input.seed={seed}/input.sead={seed}/; /threshhold/d' case/system/sweepDict
code=0
sweep --anew || code=$?
[ $code = 1 ] && grep -q 'sead' log || { cat log; fail 'an entry nobody knows'; }
make_case
sweep_dict 2 40 'results (spans spans);'
code=0
sweep || code=$?
[ $code = 1 ] && [ ! -e case/sweep ] && grep -q "sweepDict:[0-9]*: .*'spans' is there twice" log || { cat log; fail 'a column twice'; }
# a name that no report has is told after the first round; its tasks stay
sweep_dict 2
sed -i 's/of spans/of spanz/' case/system/sweepDict
code=0
sweep || code=$?
[ $code = 1 ] && grep -q "sweepDict:[0-9]*: unknown number 'spanz'; did you mean 'spans'" log || { cat log; fail 'a number nobody found'; }
[ ! -e case/sweep/tasks.csv ] || fail 'tables of a number nobody found'
sweep_dict 2
sweep
[ "$(value tasksOfThisRun)" = $(($(value tasks) - 8)) ] || fail 'tasks of the first round were done again'

# 7. keep yes: each task's results
make_case
sweep_dict 1 40 'keep yes;'
sweep
for file in log results postProcessing/report.json; do [ -e "case/sweep/L=24_p=0.3_seed=1/$file" ] || fail "keep: no $file"; done
[ ! -e case/results ] || fail 'results in the case itself'

# 8. shards as jobs of their own, at the same time and on other ranks; each once, and the rest in a sweep of all
make_case
sweep_dict
rm -rf case/sweep
shard() { "$TESSERA" sweep case --shard "$1" > "log.${1%/*}" 2>&1; }
shard 0/3 &
first=$!
"$MPIEXEC" -n 2 "$TESSERA" sweep case --shard 1/3 > log.1 2>&1
wait $first || { cat log.0; fail 'shard 0 of 3'; }
[ ! -e case/sweep/tasks.csv ] || fail 'a shard made tables'
shard 1/3
grep -q '40 tasks of shard 1/3, 0 of them' log.1 || { cat log.1; fail 'a shard that is finished was run again'; }
code=0
sweep --shard 2/3 --anew || code=$?
[ $code = 2 ] && grep -q -e '--anew forgets' log || { cat log; fail "a shard --anew: exit code $code"; }
code=0
sweep --shard 3/3 || code=$?
[ $code = 2 ] && grep -q "is '3/3', expected I/N" log || { cat log; fail "--shard 3/3: exit code $code"; }
# while a shard is at work the sweep of all is kept out, and so is the same shard
mkdir -p case/sweep/lock.2of3.
(
  flock -s 8
  code=0
  sweep || code=$?
  [ $code != 0 ] && grep -q 'is running this case' log || { cat log; fail "beside a shard: exit code $code"; }
  flock 9
  code=0
  sweep --shard 2/3 || code=$?
  [ $code != 0 ] && grep -q 'is running this case' log || { cat log; fail "the same shard twice: exit code $code"; }
  exit $failed
) 8< case 9< case/sweep/lock.2of3. || fail 'locks'
sweep
[ "$(table)" = "$(sed -n 's/.*"tasks": "\([0-9a-f]*\)".*/\1/p' whole/report.json)" ] || fail 'shards: another table'
[ "$(value tasksOfThisRun)" -lt "$(($(wc -l < case/sweep/tasks.csv) - 80))" ] || fail 'what shards had found was run again'
for file in tasks.csv statistics.csv thresholds.csv; do cmp case/sweep/$file whole/$file || fail "shards: another $file"; done
ls case/sweep | grep -q '^lock\.' && fail 'locks are left'

# 9. all tables in one file, the same numbers as in the others
make_case
sweep_dict 20 40 'histograms { of (threshold backboneSites); bins 7; }'
sweep
"${PYTHON:-/usr/bin/python3}" - <<'PY' || fail 'tables.h5 or histograms.csv'
import csv, math, subprocess
def read(name):
    with open(f'case/sweep/{name}.csv') as f: return list(csv.DictReader(f))
rows = read('histograms')
thresholds = [float(r['threshold']) for r in read('thresholds') if r['threshold']]
assert len(rows) == 2 * 2 * 7, len(rows)
of = [r for r in rows if r['quantity'] == 'threshold']
assert sum(int(r['count']) for r in of) == len(thresholds) > 30
for r in of[:7]:
    low, high, last = float(r['low']), float(r['high']), r is of[6]
    found = [t for t, row in zip(thresholds, [x for x in read('thresholds') if x['threshold']])
             if row['L'] == r['L'] and low <= t and (t <= high if last else t < high)]
    assert len(found) == int(r['count']), (r, found)
try: import h5py
except ImportError: raise SystemExit
with h5py.File('case/sweep/tables.h5') as f:
    assert set(f) == {'tasks', 'statistics', 'thresholds', 'histograms'}, set(f)
    for name in f:
        for column in f[name]:
            for there, here in zip(f[name][column][:], (r[column] for r in read(name))):
                if isinstance(there, bytes): assert there.decode() == here, (name, column, there, here)
                else: assert float(here) == there if here else math.isnan(there), (name, column, there, here)
PY

# 10. without an axis of samples: log and report tell what each task found
make_case
cat > case/system/sweepDict << 'EOF'
axes { p (0 1); }
settings ("constant/percolationProperties:input.probability={p}");
results (spans occupation hash.backbone);
EOF
sweep
grep -q '^p = 1: spans 1; occupation 1$' log || { cat log; fail 'no line a task'; }
printf '%s\n' 'statistics.0.spans.mean 0 exact # empty' 'statistics.1.occupation.mean 1 exact # full' > case/expect
"$TESSERA" expect case --report case/sweep/report.json > log || { cat log; fail 'no number a task'; }
sed -i 's/spans occupation //' case/system/sweepDict
sweep --anew
! grep -q '^p = 1' log || { cat log; fail 'a line without a number'; }

# cases of several samples: means and errors of each probability are columns, called as in the report; a threshold of a share
make_case
cat > case/system/sweepDict << 'EOF'
axes { L (16 24); }
settings ("system/gridDict:cells=({L} {L} 1)");
results (ensemble.0.probability ensemble.0.spans.mean ensemble.1.spans.mean ensemble.1.backboneSites.spanning.mean);
EOF
sed -i 's/0.6; seed/(0 1); samples 3; seed/' case/constant/percolationProperties
sweep
[ "$(tail -n 1 case/sweep/tasks.csv)" = '24,0,0,1,576,' ] || { cat case/sweep/tasks.csv; fail 'columns of samples'; }
sed -i '/^results/d' case/system/sweepDict
sweep
head -n 1 case/sweep/tasks.csv | grep -q ',ensemble.1.clusters.mean,ensemble.1.clusters.error,' || fail "all columns of samples: $(head -n 1 case/sweep/tasks.csv)"
cat > case/system/sweepDict << 'EOF'
axes { p (0.3 0.9); }
settings ("constant/percolationProperties:input.probability={p}");
threshold { axis p; of ensemble.0.spans.mean; tolerance 0.01; }
EOF
sweep
IFS=, read -r low high _ < <(sed -n 2p case/sweep/thresholds.csv)
awk -v low="$low" -v high="$high" 'BEGIN { exit !(0.5 < low && low < high && high < 0.7) }' || fail "a threshold of three samples: $low $high"

# 11. a number of histograms that nobody found is told after the first round, as are others; results that were not kept are made again
make_case
sweep_dict 2 40 'histograms { of (spanz); }'
code=0
sweep --anew || code=$?
[ $code = 1 ] && grep -q "sweepDict:[0-9]*: .*unknown number 'spanz'; did you mean 'spans'" log || { cat log; fail 'histograms of a number nobody found'; }
[ "$(cat case/sweep/tasks.[0-9]* | grep -vc '^#')" = 8 ] || fail 'more than one round before a number nobody found was told'
sweep_dict 1
sweep --anew
sweep_dict 1 40 'keep yes;'
sweep
[ "$(value tasksOfThisRun)" = "$(value tasks)" ] && [ -e 'case/sweep/L=24_p=0.3_seed=1/log' ] || { cat log; fail 'results that were not kept'; }
sweep
[ "$(value tasksOfThisRun)" = 0 ] || fail 'results that were kept were made again'
exit $failed
