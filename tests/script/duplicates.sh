#!/usr/bin/env bash
# A sweep's late tasks are begun twice: the tables are those of one rank, whoever is slow, with kills, with folders that are kept, with
# tasks that fail. Whose attempt counts: tests/mpi/run_duplicates_test.cpp; which tasks are late: tests/unit/run_stragglers_test.cpp.
set -eu
. "$SOURCE/tests/support/fails.sh"
. "$SOURCE/tests/support/sweeps.sh"
. "$SOURCE/tests/support/kills.sh"
slow() { # who is slow, ranks, options
  local of=$1 n=$2
  shift 2
  TESSERA_SLOWDOWN=$of "$MPIEXEC" -n "$n" "$TESSERA" sweep case "$@" > log 2>&1
}
copied() { # what: a copy was begun, and one that won
  [ "$(value copies)" -ge 1 ] && [ "$(value copiesWon)" -ge 1 ] || { cat log; fail "$1: $(value copies) copies, $(value copiesWon) won"; }
}
same() { # what: the tables of one rank, each task once, and nothing of attempts that were dropped
  local file
  for file in tasks.csv statistics.csv; do cmp "case/sweep/$file" "whole/$file" || { cat log; fail "$1: another $file"; }; done
  [ -z "$(cat case/sweep/tasks.[0-9]* | grep -o '"key":"[^"]*"' | sort | uniq -d)" ] || fail "$1: tasks are recorded twice"
  [ -z "$(find case/sweep -name 'scratch*')" ] || fail "$1: an attempt has left its folder"
}

# 1. equal tasks, some tenths of a second each; one of the ranks, the first of all or the last, takes longer for one than the other for all
rm -rf case whole kept  # an earlier test's, made by another commit
mkdir -p case/system case/constant
echo 'application cellularAutomaton; writeControl timeStep; writeInterval 250;' > case/system/controlDict
echo 'cells (256 256 1); tile (256 256 1);' > case/system/gridDict
printf 'initial { type random; seed 3; }\nstop { generations 1000; }\nrule "B3/S23";\nstorage bytes;\n' > case/constant/automatonProperties
sweep_dict() { # what follows the axes
  cat > case/system/sweepDict << EOF
axes { seed { samples 6; } }
settings ("constant/automatonProperties:initial.seed={seed}");
results (population hash.state);
$1
EOF
}
sweep_dict ''
"$TESSERA" sweep case > log
[ "$(value copies)" = 0 ] || fail 'copies on one rank'
cp -r case/sweep whole
for of in 1:400 0:400; do
  slow $of 2 --anew
  copied "slow rank $of"
  grep -q 'begun a second time' log || { cat log; fail 'the log tells of no copy'; }
  same "slow rank $of"
done
slow 3:400 4 --anew
same 'four ranks'

# 2. teams of two ranks
sweep_dict 'ranks 2;'
slow 2:400,3:400 4 --anew
copied teams
same teams

# 3. not where it is not wanted
sweep_dict 'duplicates no;'
slow 1:4 2 --anew
[ "$(value copies)" = 0 ] && [ "$(value copiesWon)" = 0 ] || fail 'duplicates no: copies were begun'
same 'duplicates no'

# 4. tasks that are kept: each attempt has a folder of its own until it counts
sweep_dict 'keep yes;'
"$TESSERA" sweep case --anew > log
cp -r case/sweep kept
slow 1:400 2 --anew
copied keep
same keep
for seed in 1 2 3 4 5 6; do
  diff -r "case/sweep/seed=$seed/results" "kept/seed=$seed/results" || fail "keep: other results of seed $seed"
  cmp <(grep -A 3 '"hash"' "case/sweep/seed=$seed/postProcessing/report.json") \
    <(grep -A 3 '"hash"' "kept/seed=$seed/postProcessing/report.json") || fail "keep: another hash of seed $seed"
done

# 5. killed at any moment ($KILLS of them, 5), while copies are at work, too, and gone on with other numbers of ranks
rm -r case/sweep
killed=0 wanted=${KILLS:-5}
for ((tries = 0; killed < wanted && tries < 8 * wanted; tries++)); do
  n=$((tries % 3 + 2))
  # a sweep with nothing left to do has nothing to be killed at
  [ "$(cat case/sweep/tasks.[0-9]* 2> kill.log | grep -c '"key"')" -lt 6 ] || rm -r case/sweep
  TESSERA_SLOWDOWN=1:400 setsid "$MPIEXEC" -n $n "$TESSERA" sweep case > log 2>&1 &
  session=$!
  sleep "0.$((RANDOM % 9))$((RANDOM % 9 + 1))"
  begun=$(processes_of session $session)
  if [ -n "$begun" ] && kill -KILL $begun 2> kill.log; then killed=$((killed + 1)); fi
  wait $session || true
done
[ "$killed" = "$wanted" ] || fail "$killed sweeps were killed, expected $wanted"
slow 1:400 2
same kills
for seed in 1 2 3 4 5 6; do
  diff -r "case/sweep/seed=$seed/results" "kept/seed=$seed/results" || fail "kills: other results of seed $seed"
done

# 6. tasks that fail at their end, and so on both ranks: a row each
rm -r case
cp -r "$SOURCE/tests/data/laplacian_small" case
sed -i 's/(16 12 1)/(64 48 1)/' case/system/blockMeshDict
sed -i 's/nonuniform List<scalar> 12 *(.*)/uniform 310/' case/0/T
echo 'mustConverge yes; solvers { T { solver PCG; preconditioner DIC; tolerance 1e-14; relTol 0; maxIter 1; } }' > case/system/fvSolution
cat > case/system/sweepDict << 'EOF'
axes { n { from 1; to 6; steps 6; } }
settings ("system/controlDict:endTime={200 * (1000 + n)}");
EOF
code=0
slow 1:400 2 || code=$?
[ $code = 4 ] || { cat log; fail "failing tasks: exit code $code"; }
[ "$(value copies)" -ge 1 ] || { cat log; fail 'failing tasks: no copy'; }
[ "$(value failed)" = 6 ] && [ "$(grep -c 'did not converge' case/sweep/tasks.csv)" = 6 ] || { cat case/sweep/tasks.csv; fail 'failing tasks: rows'; }
[ -z "$(find case/sweep -name 'tasks.[0-9]*')" ] || fail 'failing tasks are recorded as finished'

# 7. an application without steps, which cannot be called back
rm -r case
mkdir -p case/system case/constant
echo 'application percolation;' > case/system/controlDict
echo 'cells (24 24 1);' > case/system/gridDict
echo 'input { type random; probability 0.6; seed 1; } frame none;' > case/constant/percolationProperties
cat > case/system/sweepDict << 'EOF'
axes { seed { samples 6; } }
settings ("constant/percolationProperties:input.seed={seed}");
duplicates yes;
EOF
slow 1:400 2
grep -q 'No task is begun twice' log && [ "$(value copies)" = 0 ] || { cat log; fail 'copies of what cannot be called back'; }
sed -i '/duplicates/d' case/system/sweepDict

# 8. what cannot be meant
echo 'duplicates perhaps;' >> case/system/sweepDict
code=0
"$TESSERA" sweep case > log 2>&1 || code=$?
[ $code = 1 ] && grep -q 'sweepDict:3:.*duplicates.*perhaps' log || { cat log; fail 'duplicates perhaps'; }
exit $failed
