# SPDX-License-Identifier: Apache-2.0
# For scripts that go on after a failure, and end with `exit $failed`.
failed=0
fail() { # what is wrong
  echo "$*"
  failed=1
}
refuses() { # command of tessera, exit code, what the line says, arguments
  local command=$1 code=$2 says=$3 got=0
  shift 3
  "$TESSERA" "$command" "$@" > out 2> err || got=$?
  [ $got = "$code" ] || fail "$command $*: exit code $got, expected $code"
  grep -q -- "$says" err || fail "$command $*: '$(cat err)' does not say '$says'"
}
# A command that ends such a script itself, by `set -e`, is named with the last lines of `log`: without this a failure is silent.
set -E
trap 'code=$?; [[ $- != *e* ]] || echo "line $LINENO: exit code $code of: $BASH_COMMAND"; [[ $- != *e* ]] || [ ! -f log ] || tail -n 5 log' ERR
