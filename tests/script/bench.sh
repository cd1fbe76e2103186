#!/usr/bin/env bash
# The scripts of bench/ can be read by their shells, and the jobs that threads.sh and backends.sh time run, on small grids.
set -eu
for script in "$SOURCE"/bench/*.sh; do bash -n "$script"; done
for script in "$SOURCE"/bench/*.py; do python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$script"; done
here=$SOURCE work=$PWD
. "$SOURCE/bench/jobs.sh"
make_jobs 96
for job in "${all_jobs[@]}"; do
  run_job "$job" "$TESSERA"
  seconds=$(job_seconds)
  awk -v s="$seconds" 'BEGIN { exit !(s > 0) }' || { echo "$job: took '$seconds' s, expected more than none"; exit 1; }
  rm report.json
done
