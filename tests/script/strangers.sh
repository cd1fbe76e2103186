#!/usr/bin/env bash
# A case may be a stranger's: its code runs only where that is allowed, its links and names lead to no file outside, what it lets
# us read comes to an end, and what cannot be written is found at the start.
set -u
. "$SOURCE/tests/support/expect_error.sh"

runs() { # what, pattern, then arguments of tessera: exit code 0, and a line that fits the pattern
  local what=$1 pattern=$2
  shift 2
  "$TESSERA" "$@" > out 2> err || fail "$what: exit code $?: $(cat err)"
  grep -E "$pattern" out > /dev/null || fail "$what: no line with '$pattern': $(cat out)"
}
fails_at_start() { # what, pattern, then arguments of tessera: exit code 4, one line, no step made
  local what=$1 pattern=$2 code=0
  shift 2
  "$TESSERA" "$@" > out 2> err || code=$?
  [ $code = 4 ] && grep -E "^tessera: .*$pattern" err > /dev/null || fail "$what: exit code $code, $(cat err)"
  if grep -E '^(Time =|.*generation)' out > /dev/null; then fail "$what: found after steps were made"; fi
}
check_tells() { # what, pattern, then arguments of check: exit code 1 and an error that fits
  local what=$1 pattern=$2 code=0
  shift 2
  "$TESSERA" check case "$@" > out 2> err || code=$?
  [ $code = 1 ] && grep -E "$pattern" err > /dev/null || fail "$what: exit code $code, no '$pattern': $(cat err)"
}
small=(--set 'automatonProperties:stop={ generations 8; }')
victim() { # a file that no case may change
  echo precious > victim
}
unharmed() { # what
  [ "$(cat victim)" = precious ] || fail "$1: a file outside the case was written"
}

# ---- code of the case
rm -rf ./*
cat > own.cpp << 'END'
#include <cstdio>
__attribute__((constructor)) static void f() { std::puts("the stranger's code runs"); }
END
"${CXX:-c++}" -shared -fPIC own.cpp -o own.so || fail "no compiler"
for place in constant/own.so own.so ../own.so "$PWD/own.so"; do
  fresh life/glider_gun
  cp own.so case/constant/
  cp own.so case/
  echo "libs (\"$place\");" >> case/system/controlDict
  runs "check of $place" 'own.so is of the case and is not opened' check case
  grep -q "the stranger's code runs" out && fail "check of $place ran the code"
  TESSERA_ALLOW_CODE=1 "$TESSERA" check case > out 2> err || fail "check where code is allowed"
  grep -q "the stranger's code runs" out && fail "check of $place ran the code because it is allowed"
  expect_error "$place" 'controlDict:[0-9]+: .*own.so is code .*--allow-code' run case
  grep -q "the stranger's code runs" out && fail "$place: the code ran"
  runs "$place, allowed" "the stranger's code runs" run case --allow-code "${small[@]}"
  grep -q 'Code: opens .*own.so' out || fail "$place: nothing says what is opened"
done
TESSERA_ALLOW_CODE=1 "$TESSERA" run case "${small[@]}" > out 2> err || fail "allowed by the environment"
grep -q "the stranger's code runs" out || fail "allowed by the environment: not opened"
check_tells 'an unknown rule' "unknown rule 'parity'.*may come from .*own.so, which check does not open" \
  --set automatonProperties:rule=parity
echo 'localhost program=tessera ranks=2' > machines
runs 'launch' 'tessera run case .*--allow-code' launch machines case --dry-run --allow-code
fresh heat/slab
echo 'libs (fvOptions "libfieldFunctionObjects.so" libswak4Foam);' >> case/system/controlDict
runs "OpenFOAM's libraries" "fvOptions is OpenFOAM's, and is passed over" run case
fresh life/glider_gun
cat > case/system/inSituDict << 'END'
implementation recorder;
scripts { own { file "own.py"; } }
END
echo 'print(1)' > case/own.py
expect_error 'a script' 'inSituDict:2: .*own.py is code .*--allow-code' run case
runs 'check of a script' 'own.py is of the case and is not opened' check case
runs 'a script, allowed' 'Code: opens .*own.py' run case --allow-code "${small[@]}"

# ---- links and names
victim
for link in postProcessing/report.json.part postProcessing/report.json results/case.xdmf.part results/000200.h5.part results/000200.h5 \
  postProcessing/T.csv postProcessing/T.csv.part postProcessing/minmax/0/fieldMinMax.dat results/T.png.part; do
  fresh heat/slab
  echo 'functions { minmax { type fieldMinMax; fields (T); } }' >> case/system/controlDict
  mkdir -p "case/$(dirname $link)"
  ln -s "$PWD/victim" "case/$link"
  "$TESSERA" run case > out 2> err || fail "a link $link: $(cat err)"
  unharmed "$link"
done
for ranks in 1 2; do
  rm -rf case
  cp -r "$SOURCE/tests/data/laplacian_small" case
  rm -rf case/[1-9]*
  for time in 1000 2000; do
    mkdir -p case/$time/uniform
    ln -s "$PWD/victim" case/$time/T.part
    ln -s "$PWD/victim" case/$time/uniform/time.part
  done
  "$MPIEXEC" -n $ranks "$TESSERA" run case > out 2> err || fail "links in time directories: $(cat err)"
  unharmed 'a time directory'
done
fresh heat/slab
mkdir -p case/postProcessing
mkfifo case/postProcessing/report.json.part
"$TESSERA" run case > out 2> err || fail "a pipe in the place of a file: $(cat err)"
fresh heat/slab
echo 'functions { ../../escape { type fieldMinMax; fields (T); } }' >> case/system/controlDict
expect_error 'the name of a function object' "controlDict:[0-9]+: .*the function object '../../escape'" run case
fresh heat/slab
cat >> case/system/controlDict << 'END'
functions { s { type sets; fields (T); setFormat raw; sets ( "../../../../escape" { type cloud; axis xyz; points ((0.5 0.05 0.05)); } ); } }
END
expect_error 'the name of a set' "controlDict:[0-9]+: .*the set '../../../../escape'" run case

if [ -e "$BUILD/lib/libtessera_petsc.so" ]; then
  for options in "-ksp_monitor ascii:$PWD/victim" '-options_file victim'; do
    fresh heat/slab
    expect_error "PETSc's $options" "fvSolution.*names a file" run case \
      --set "fvSolution:solvers.T={ solver PETSc; options \"$options\"; tolerance 1e-6; relTol 0; }"
    unharmed "PETSc's $options"
  done
fi

# ---- what is read
mkdir -p outside/deep .hidden common
echo 'secret 1;' | tee outside/../../stranger_secret .hidden/secret > common/secret
fresh heat/slab
cp case/system/gridDict kept
for name in "/etc/passwd" "../../.hidden/secret" "../../../stranger_secret" "<etc>/../../../../etc/passwd"; do
  { cat kept; echo "#include \"$name\""; } > case/system/gridDict
  check_tells "#include of $name" "gridDict:[0-9]+: '#include \"$name\"'"
  grep -qE 'root:|secret 1' err && fail "$name: its content was shown"
done
ln -s /etc/passwd case/system/link
{ cat kept; echo '#include "link"'; } > case/system/gridDict
expect_error '#include of a link' 'lies in /etc, expected a file of the case' run case
{ cat kept; echo '#include "../../common/secret"'; } > case/system/gridDict
check_tells 'a file beside the case' "unknown entry 'secret'"
echo '// nothing' > common/shared
{ cat kept; echo '#include "../../common/shared"'; } > case/system/gridDict
runs 'a file beside the case' "^Reads $PWD/common/shared, which lies outside of the case$" check case
rm ../stranger_secret
ln -s loop case/system/loop
mkfifo pipe
for name in loop ../../pipe /dev/zero /proc/kmsg ..; do
  { cat kept; echo "#include \"$name\""; } > case/system/gridDict
  check_tells "#include of $name" "gridDict:[0-9]+: '#include"
done
for kind in folder pipe loop; do
  fresh life/glider_gun
  rm case/system/gridDict
  case $kind in
  folder) mkdir case/system/gridDict ;;
  pipe) mkfifo case/system/gridDict ;;
  loop) ln -s gridDict case/system/gridDict ;;
  esac
  expect_error "gridDict as a $kind" 'gridDict: (is a|cannot be read: Too many)' run case
done
fresh percolation/picture
rm case/constant/medium.png
mkfifo case/constant/medium.png
expect_error 'a pipe as a picture' 'medium.png: is a pipe, expected a file' run case
expect_error 'a pipe to convert' 'pipe: is a pipe, expected a file' convert pipe out.png
expect_error 'a device to compare' 'zero: is a device, expected a file' compare /dev/zero /dev/zero
rm -rf case
cp -r "$SOURCE/tests/data/laplacian_small" case
rm -rf case/[1-9]*
{ cat case/0/T; head -c 560000000 /dev/zero | tr '\0' '\n'; } | gzip -1 > case/0/T.gz
rm case/0/T
"$TESSERA" run case > out 2> err
[ $? = 1 ] && grep -q '^tessera: .*T.gz: unpacks to more than' err || fail "a bomb: $(cat err)"

# ---- what is written
fresh life/glider_gun
echo > case/results
fails_at_start 'results that are a file' 'results: cannot be written: .*is a file' run case
[ "$(ls case)" = "$(ls "$SOURCE/cases/life/glider_gun" | sed '/^postProcessing$/d' | sed '$a results' | sort)" ] ||
  fail "something was left behind: $(ls case)"
rm case/results
mkdir folder
fails_at_start 'a report that is a folder' 'folder: cannot be written: it is a folder' run case --report folder
fails_at_start 'a report nowhere' '/proc/nowhere.* cannot be written' run case --report /proc/nowhere/report.json
[ ! -e folder.part ] || fail "folder.part is left"
"$TESSERA" run case "${small[@]}" --quiet --report /dev/stdout > out 2> err || fail "a report to /dev/stdout: $(cat err)"
grep -q '"population"' out || fail "a report to /dev/stdout: $(cat out)"
if mknod null c 1 3 2> /dev/null && { : > null; } 2> /dev/null; then
  "$TESSERA" run case "${small[@]}" --report null > out 2> err || fail "a report to a device: $(cat err)"
  [ -c null ] || fail "the device is now a file"
fi
long=$(printf 'n%.0s' $(seq 100))
mkdir -p "$long/$long/$long/$long"
cp -r case "$long/$long/$long/$long/case"
"$MPIEXEC" -n 3 "$TESSERA" run "$PWD/$long/$long/$long/$long/case" "${small[@]}" > out 2> err || fail "a long path: $(cat err)"

# ---- one run at a time
(
  exec 9< case
  flock 9
  exec sleep 1000
) &
while flock -n case true; do :; done
fails_at_start 'a second run' 'case: process [0-9]+ is running this case' run case
kill $!
wait $! 2> /dev/null
"$TESSERA" run case "${small[@]}" > out 2> err || fail "after the first run: $(cat err)"
exit $failed
