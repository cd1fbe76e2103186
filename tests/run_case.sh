#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a case as its own regression test, on copies in the working directory:
#
#   run_case.sh CASE_DIR        with TESSERA (the program) and MPIEXEC (the launcher) in the environment
#
# 1. on one rank and on three: the report must hold what the case's file `expect` says;
# 2. the final state must have the same bits on both (`hash` in the reports);
# 3. every line of an `sh` block of the case's README.md that starts with `build/release/tessera` must work, as it is written.
#
# Of a case with system/sweepDict that is `tessera sweep` in the place of `tessera run`, and its report.
set -euo pipefail
: "${TESSERA:?the program to test}" "${MPIEXEC:?the launcher of MPI programs}"
source=$(cd "${1:?a case directory}" && pwd)
name=$(basename "$source")
case_path=cases/$(basename "$(dirname "$source")")/$name

fail() { echo "$case_path: $1" >&2; exit 1; }

# A command whose output is shown only if it fails.
quietly() {
  local log=$1; shift
  "$@" > "$log" 2>&1 || { local code=$?; tail -n 40 "$log" >&2; fail "exit code $code: $*"; }
}

# The case without the results of earlier runs (results/, postProcessing/, times other than 0).
copy_to() {
  local entry
  rm -rf "$1"
  mkdir -p "$1"
  for entry in "$source"/*; do
    case $(basename "$entry") in
      results | postProcessing | sweep | study | [1-9]* | 0.*) ;;
      *) cp -R "$entry" "$1" ;;
    esac
  done
}

verb=run report=postProcessing/report.json
[ ! -e "$source/system/sweepDict" ] || verb=sweep report=sweep/report.json

# The report's object `hash`: one line a field.
hashes() { sed -n '/^  "hash": {/,/^  }/p' "$1/$report" | grep '": "'; }

one=one_rank/$name three=three_ranks/$name
copy_to "$one"
copy_to "$three"
quietly one_rank.log "$TESSERA" $verb "$one"
quietly three_ranks.log "$MPIEXEC" -n 3 "$TESSERA" $verb "$three"
for copy in "$one" "$three"; do
  "$TESSERA" expect "$copy" || fail "$copy: the report is not what 'expect' says"
done

hashes "$one" > one_rank.hash || fail "the report holds no hash"
hashes "$three" > three_ranks.hash || fail "the report of three ranks holds no hash"
diff one_rank.hash three_ranks.hash || fail "one rank and three ranks differ in their final state"

commands=$(sed -n '/^```sh$/,/^```$/p' "$source/README.md" | grep '^build/release/tessera ') || fail "README.md shows no command"
readme=$PWD/readme/$name
copy_to "$readme"
while IFS= read -r line; do
  command=${line/#build\/release\/tessera/'"$TESSERA"'}
  command=${command//"$case_path"/'"$readme"'}
  TESSERA=$TESSERA readme=$readme quietly readme.log bash -c "$command" < /dev/null
done <<< "$commands"
echo "$case_path: one rank, three ranks and the README's commands agree"
