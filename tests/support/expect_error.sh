# SPDX-License-Identifier: Apache-2.0
# For scripts that spoil a case on purpose. `failed` becomes 1 where something else comes than what is expected. Needs SOURCE.
. "$SOURCE/tests/support/fails.sh"

expect_error() { # what, pattern, then arguments of tessera: one line that fits the pattern, exit code 1, on one rank and on three
  local what=$1 pattern=$2 ranks code lines
  shift 2
  for ranks in 1 3; do
    if [ "$ranks" = 1 ]; then "$TESSERA" "$@" > out 2> err; else "$MPIEXEC" -n 3 "$TESSERA" "$@" > out 2> err; fi
    code=$?
    lines=$(grep -c '^tessera: ' err)
    if [ "$code" != 1 ] || [ "$lines" != 1 ] || ! grep -E "^tessera: .*$pattern" err > /dev/null; then
      echo "$what, $ranks ranks: exit code $code, $lines lines, expected 1 line with '$pattern':"
      cat err
      failed=1
    fi
  done
}
fresh() { # case: a copy to spoil
  rm -rf case
  cp -r "$SOURCE/cases/$1" case
}
edit() { # file, sed script: which must change something
  cp "case/$1" before
  sed -i "$2" "case/$1"
  if cmp -s before "case/$1"; then
    echo "nothing to spoil in $1: $2"
    failed=1
  fi
}
