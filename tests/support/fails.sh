# SPDX-License-Identifier: Apache-2.0
# For scripts that go on after a failure, and end with `exit $failed`.
failed=0
fail() { # what is wrong
  echo "$*"
  failed=1
}
