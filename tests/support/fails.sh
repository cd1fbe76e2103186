# SPDX-License-Identifier: Apache-2.0
# For scripts that go on after a failure, and end with `exit $failed`.
failed=0
fail() { # what is wrong
  echo "$*"
  failed=1
}
# A command that ends such a script itself, by `set -e`, is named with the last lines of `log`: without this a failure is silent.
set -E
trap 'code=$?; [[ $- != *e* ]] || echo "line $LINENO: exit code $code of: $BASH_COMMAND"; [[ $- != *e* ]] || [ ! -f log ] || tail -n 5 log' ERR
