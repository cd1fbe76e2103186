#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What each build makes of the memory that it computes in: life, explicit heat, labels, backbone, multigrid-PCG and DIC-PCG by
# the Serial program on one core, the same by one rank a core, OpenMP with all cores, and CUDA where there is a device.
#   backends.sh [side 4096] [rounds 3] [JOB ...]      JOB: life heat labels backbone multigrid dic (default: all)
# Prints cells a second (of solvers: cells times iterations) in medians, and as share of the bandwidth of a copy there, counting
# what has to be moved at least: the state read and written (life 2 B, heat 16 B a cell and step), the medium read and labels
# or mask written (5 and 2 B), what docs/backends.md says of an iteration (multigrid 96, DIC 80 B). More than 1 is work in caches.
# Programs: build/release, build/omp, build/cuda, with -DTESSERA_BENCH=ON (target bench_copy); those that are not there are left out.
set -eu
side=${1:-4096} rounds=${2:-3}
shift $(($# < 2 ? $# : 2))
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/bench/jobs.sh"
make_jobs "$side"
jobs=("$@")
[ ${#jobs[@]} -gt 0 ] || jobs=("${all_jobs[@]}")
cores=$(nproc)
declare -A bytes=([life]=2 [heat]=16 [labels]=5 [backbone]=2 [multigrid]=96 [dic]=80)
export OMP_NUM_THREADS=$cores

rate() { # job: cells a second of the report
  python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
cells = 1
for n in r["grid"]["cells"]: cells *= n
work = cells * sum(sum(s["iterations"]) for s in r["solvers"].values()) if r.get("solvers") else cells * max(r["steps"], 1)
print(work / float(sys.argv[2]))' "$work/report.json" "$(job_seconds)"
}
echo "| build | job | Mcells/s | of a copy |"
echo '|---|---|---|---|'
measure() { # what it is called, folder of the build, command in front ...
  local name=$1 build=$here/build/$2
  shift 2
  [ -x "$build/tessera" ] && [ -x "$build/bench/copy" ] || return 0
  local copy
  copy=$("$@" "$build/bench/copy")
  echo "| $name | copy, GB/s | $copy | |"
  for job in "${jobs[@]}"; do
    for ((n = 0; n < rounds; ++n)); do
      run_job "$job" "$@" "$build/tessera"
      rate
    done | python3 -c '
import statistics, sys
median = statistics.median(map(float, sys.stdin))
name, job, copy, size = sys.argv[1:]
print(f"| {name} | {job} | {median / 1e6:.0f} | {median * float(size) / (float(copy) * 1e9):.2f} |")' "$name" "$job" "$copy" "${bytes[$job]}"
  done
}
measure "Serial, 1 core" release env
[ "$cores" = 1 ] || measure "Serial, $cores ranks" release mpirun -n "$cores"
measure "OpenMP, $cores threads" omp env
measure "CUDA" cuda env
