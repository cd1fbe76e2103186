#!/usr/bin/env bash
# A plan from samples to verdicts: table, report, page, deadline; a machine that is measured; what is refused.
set -eu
. "$SOURCE/tests/support/fails.sh"
rm -rf case
bash "$SOURCE/bench/make_cable_case.sh" 160 128 case 10000 1e-6 2
cat > cluster <<'END'
node      nodes=8 ranks=4 contention=1,1.3 memory=8e9 watts=140 idleWatts=60 price=0.1
network:  latency=5e-5 bandwidth=1.1e8
memory:   latency=1e-6 bandwidth=5e9
END
small="--repeats 1 --sample-cells 16384"
# shellcheck disable=SC2086
plan() { "$TESSERA" plan case $small "$@" > log 2>&1; }
holds() { # what python says is true of the report
  [ "$(python3 -c "import json; r = json.load(open('report.json')); p = r['points']; print($1)")" = True ] || { cat log; fail "not so: $1"; }
}
plan --machine cluster --report report.json --page page.html --deadline 100h
grep -q 'Deadline of .* s: holds from' log && grep -q 'How the numbers were obtained' log && grep -q '^Best: ' log || { cat log; fail 'no verdict'; }
holds "[x['ranks'] for x in p if not x['spread']] == [1, 2, 4, 8, 16, 32]"
holds "{(x['ranks'], x['nodes']) for x in p} >= {(2, 1), (2, 2), (8, 2), (8, 8), (32, 8)}"
holds "all(x['seconds']['round'] >= x['seconds']['compute'] > 0 and x['memory']['fits'] for x in p)"
holds "all((x['traffic']['bytesBetweenNodes'] > 0) == (x['nodes'] > 1) and x['joules'] > 0 and x['cost'] > 0 for x in p)"
holds "all(abs(x['nodeHours'] - x['nodes'] * x['seconds']['run'] / 3600) < 1e-9 for x in p)"
holds "r['deadline']['holds'] and r['limitReached'] and p[r['fastest']]['front'] and p[r['best']]['front']"
holds "min(x['seconds']['run'] for x in p) == p[r['fastest']]['seconds']['run']"
# the order of the tiles tells how often DIC's ranks wait for one another: few of 26 messages do beside that
holds "[x['ranks'] for x in r['criticalPaths']] == [2, 4, 8] and r['criticalPaths'][0]['messages'] < 8"
[ "$(grep -c '<svg ' page.html)" = 3 ] || fail 'the page has other than three plots'
[ ! -e case/results ] && [ ! -e case/postProcessing ] || fail 'samples wrote into the case'
# this machine as it is measured, and read again; its kernel line is the one that is taken
plan --measure -o here
grep -q '^localhost program=.* ranks=' here && grep -q '^kernel: name=' here || { cat here; fail 'no machine was written'; }
plan --report here.json
grep -q 'on this machine' log && grep -q '"machine": "this machine"' here.json || { cat log; fail 'no plan of this machine'; }
code=0
plan --machine here --deadline 0.001s || code=$?
[ $code = 4 ] && grep -q 'does not hold' log || { cat log; fail "a deadline that is too short: exit code $code"; }
grep -q 'kernel .* of the file' log || { cat log; fail 'the kernel line is not used'; }
"$MPIEXEC" -n 2 "$TESSERA" plan --measure > log 2>&1
grep -q '^memory: *latency=.* bandwidth=' log || { cat log; fail 'no link was measured'; }
# multigrid exchanges on every level, one exchange after the other; what ranks lose here is no latency of a network
sed -i 's/preconditioner DIC/preconditioner multigrid/' case/system/fvSolution
plan --machine cluster --report report.json
holds "3 < r['criticalPaths'][0]['messages'] < 40"
grep -q 'One after the other in an iteration' log || { cat log; fail 'the plan does not say what lies in a round one after the other'; }

refused() { # what is said; arguments; exit code 2 where only the command line is wrong
  local what=$1 code=0 expected=1
  case $what in *'expected either'* | *'CASE is missing'* | *'2 weeks'*) expected=2 ;; esac
  shift
  "$TESSERA" plan "$@" > log 2>&1 || code=$?
  [ $code = $expected ] && grep -q -- "$what" log || { cat log; fail "exit code $code, expected $expected and '$what'"; }
}
refused 'expected either --machine FILE or --measure' case --machine cluster --measure
refused 'CASE is missing' --machine cluster
# before any sample is run
code=0
echo > file
plan --machine cluster --report file/r.json || code=$?
[ $code = 4 ] && [ "$(wc -l < log)" = 1 ] || { cat log; fail "a report that cannot be written: exit code $code, expected 4 and one line"; }
refused 'a rating makes its meshes as it runs' "$SOURCE/cases/cables/trough" --machine cluster
refused "'2 weeks', expected a number above 0" case --machine cluster --deadline '2 weeks'
for wrong in "--measure --deadline 2h" "--measure --page p.html" "--measure --report r.json" "-o here" "--report="; do
  code=0
  # shellcheck disable=SC2086
  "$TESSERA" plan case $wrong > log 2>&1 || code=$?
  [ $code = 2 ] || { cat log; fail "plan $wrong: exit code $code, expected 2"; }
done
echo 'node nodes=2' > bad
refused 'has 2 nodes, expected a line network:' case --machine bad
echo 'node ranks=2 spede=1' > bad
refused "bad:1: .*speed" case --machine bad
echo 'node ranks=2' > bad
refused 'expected a line memory:' case --machine bad
exit $failed
