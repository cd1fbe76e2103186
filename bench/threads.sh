#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Threads against ranks, on two cores: each job on two threads of one rank, on two ranks, and on one thread, of the same program
# built with OpenMP; and on one rank of the Serial program (build/release) where that is there. Medians of rounds in turn.
#   threads.sh [side 4096] [rounds 5] [JOB ...]      JOB: life heat labels backbone multigrid dic (default: all)
# Prints for each job the seconds of its steps (compute, halo, reduce and idle of the report, of rank 0) and ratios to
# two ranks. PROGRAM=... names the program (default: build/omp/tessera; tools/check --backend omp builds it).
set -eu
side=${1:-4096} rounds=${2:-5}
shift $(($# < 2 ? $# : 2))
here=$(cd "$(dirname "$0")/.." && pwd)
program=${PROGRAM:-$here/build/omp/tessera} serial=$here/build/release/tessera
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/bench/jobs.sh"
make_jobs "$side"
seconds() { run_job "$@" && job_seconds; }
jobs=("$@")
[ ${#jobs[@]} -gt 0 ] || jobs=("${all_jobs[@]}")
echo "| job | Serial, 1 rank [s] | 1 thread [s] | 2 ranks [s] | 2 threads [s] | 2 threads / 2 ranks | 1 thread / Serial |"
echo '|---|---|---|---|---|---|---|'
for job in "${jobs[@]}"; do
  for ((n = 0; n < rounds; ++n)); do
    one=$(OMP_NUM_THREADS=1 seconds "$job" "$program")
    if [ -x "$serial" ]; then alone=$(seconds "$job" "$serial"); else alone=nan; fi
    ranks=$(OMP_NUM_THREADS=1 seconds "$job" mpirun -n 2 "$program")
    threads=$(OMP_NUM_THREADS=2 seconds "$job" "$program")
    echo "$alone $one $ranks $threads"
  done > "$work/rows"
  python3 -c '
import statistics as s, sys
rows = [list(map(float, line.split())) for line in open(sys.argv[1])]
alone, one, ranks, threads = (s.median(column) for column in zip(*rows))
a, b = s.median(r[3] / r[2] for r in rows), s.median(r[1] / r[0] for r in rows)
print(f"| {sys.argv[2]} | {alone:.3f} | {one:.3f} | {ranks:.3f} | {threads:.3f} | {a:.2f} | {b:.2f} |")' "$work/rows" "$job"
done
