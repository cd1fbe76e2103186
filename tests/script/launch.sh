#!/usr/bin/env bash
# launch writes the mpirun command for a machine file and runs it; ranks of another version or with another case are named.
set -eu
failed=0
fail() {
  echo "$*"
  cat log
  failed=1
}
rm -rf case other
cp -r "$SOURCE/cases/life/glider_gun" case
small=(--set 'gridDict:cells=(128 128 1)' --set 'gridDict:tile=(32 32 1)' --set 'automatonProperties:stop={ generations 5; }'
  --set 'automatonProperties:initial={ type random; seed 3; }')
cat > machine <<END
# two builds on one host
localhost program=$TESSERA ranks=1 threads=1
localhost program=$TESSERA ranks=2 devices=0,1
END
"$TESSERA" launch machine case --dry-run > log
expected="mpirun -np 1 -x OMP_NUM_THREADS=1 $TESSERA run case : -np 2 -x OMP_NUM_THREADS=1 -x CUDA_VISIBLE_DEVICES=0,1 $TESSERA run case"
[ "$(cat log)" = "$expected" ] || fail "the command is not $expected"
"$TESSERA" launch machine case "${small[@]}" --report "$PWD/report.json" > log 2>&1 || fail "the launched run failed"
grep -q '"ranks": 3' report.json || fail "the run has not three ranks"

# what this machine has: the program's backend decides, and is told
echo "localhost program=$TESSERA cores=auto" > machine
"$TESSERA" launch machine case --dry-run > log
grep -qE '^localhost: [0-9]+ ranks of [0-9]+ threads on [0-9]+ cores in [0-9]+ sockets \((Serial|OpenMP|fenced OpenMP)\)$' log &&
  grep -qE '^mpirun .*-np [0-9]+ ' log || fail "cores=auto chooses nothing"

refused() { # pattern, line of the machine file
  local code=0
  echo "$2" > machine
  "$TESSERA" launch machine case > log 2>&1 || code=$?
  [ "$code" = 1 ] && grep -q "^tessera: machine:1: .*$1" log || fail "machine file '$2': exit code $code, expected 1 and '$1'"
}
refused "'program' is missing" 'node1 ranks=2'
refused "ranks is '0', expected a whole number" 'node1 program=x ranks=0'
refused "unknown key 'rank'; did you mean 'ranks'" 'node1 program=x rank=2'
refused 'does not tell its backend' 'node1 program=/no/such/tessera cores=4'
refused "devices is 'a'" 'node1 program=x devices=a'
refused 'does not tell its backend' 'localhost program=/bin/ls cores=auto'
if "$TESSERA" --version | grep -q '(Serial)$'; then
  echo "localhost program=$TESSERA threads=4" > machine
  "$TESSERA" launch machine case --dry-run > log
  grep -q "^machine:1: threads=4, of which .* takes one a rank" log || fail "threads of a program without are not told of"
fi

# one rank sees other files under the same name
cp -r case other
echo '// changed' >> other/system/gridDict
mkdir -p a b
ln -sfn ../case a/case
ln -sfn ../other b/case
code=0
"$MPIEXEC" -n 2 -wdir "$PWD/a" "$TESSERA" run case "${small[@]}" : -n 1 -wdir "$PWD/b" "$TESSERA" run case "${small[@]}" \
  > log 2>&1 || code=$?
[ "$code" = 1 ] && grep -q '^tessera: rank 2 on .* has another case' log || fail "another case on rank 2: exit code $code"
exit $failed
