# Sourced by tests of sweeps.
value() { # a number of the sweep's report
  sed -n "s/^  \"$1\": \([0-9]*\),*/\1/p" case/sweep/report.json
}
