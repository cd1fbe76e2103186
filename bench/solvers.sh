#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# PCG with multigrid beside its peers on three buried cables, 10 steps, tolerance 1e-6, taking turns; prints medians, ratios, iterations,
# memory a cell, and JSON.
#   bench/solvers.sh [SIZES "1128x903"] [RANKS "1 2"] [ROUNDS 3] [PEERS "pfmg1 pfmg2 boomer petsc openfoam", or "" for none]
# Libraries: set-up and 10 steps on the same matrix, best of two for each peer's step. OpenFOAM (PCG preconditioned by GAMG): whole command
# against whole command on the same case, mesh and fields included, and the steps alone by its log.
# With 1 and more ranks: our speed-up beside the ratio of the memory bandwidth that the machine gives to as many ranks, both measured here.
# BENCH: folder of the programs, build/release/bench. BENCH_CLOCK=processor: processor time instead of the wall clock, for one rank on a
# machine that others use, too. Peers that are not installed are left out with a word.
set -euo pipefail
sizes=${1:-1128x903} ranks=${2:-1 2} rounds=${3:-3} peers=${4-pfmg1 pfmg2 boomer petsc openfoam}
here=$(cd "$(dirname "$0")" && pwd)
bench=${BENCH:-$here/../build/release/bench} tessera=${TESSERA:-$here/../build/release/tessera}
export WM_PROJECT_DIR=${WM_PROJECT_DIR:-/usr/share/openfoam} OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_rmaps_base_oversubscribe=1
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

median() { sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
key() { sed -n "s/.*\"$1\": \([0-9.e+-]*\).*/\1/p"; }
launch() { if [ "$1" = 1 ]; then "${@:2}"; else mpirun -np "$@"; fi; }
seconds() { # of a command, silent; processor time where asked for
  local TIMEFORMAT='%R %U %S' t
  t=$({ time "$@" > "$work/out" 2>&1; } 2>&1) || { tail -5 "$work/out" >&2; exit 4; }
  if [ "${BENCH_CLOCK:-}" = processor ]; then echo "$t" | awk '{ print $2 + $3 }'; else echo "$t" | awk '{ print $1 }'; fi
}
run() { # name, ranks, nx, ny
  case $1 in
    tessera) launch "$2" "$bench/solvers" "$3" "$4" 10 ;;
    petsc) launch "$2" "$bench/solvers_petsc" "$3" "$4" 10 ;;
    *) launch "$2" "$bench/solvers_hypre" "$3" "$4" 10 "$1" ;;
  esac 2> "$work/error" | grep '"bench"' >> "$work/$1" || { tail -5 "$work/error" >&2; exit 4; }
}
row() { printf '%-24s %6s %8s %9s %9s %9s %7s %7s %7s  %s\n' "$@"; }
have() { [ -x "$bench/solvers_$1" ] || { echo "peer missing: solvers_$1 was not built (tools/setup --with-peers)"; false; }; }

openfoam() { # nx, ny: whole commands, one rank
  command -v laplacianFoam > /dev/null || { echo "peer missing: install the package openfoam"; return; }
  bash "$here/make_cable_case.sh" "$1" "$2" "$work/case" 1000 1e-6 10
  local gamg='{ preconditioner GAMG; smoother DIC; agglomerator faceAreaPair; nCellsInCoarsestLevel 100; mergeLevels 1; cacheAgglomeration true; }'
  cp -r "$work/case" "$work/ours"
  sed -i "s/preconditioner DIC;/preconditioner $gamg/" "$work/case/system/fvSolution"
  sed -i 's/preconditioner DIC;/preconditioner multigrid;/' "$work/ours/system/fvSolution"
  : > "$work/foam_whole"; : > "$work/foam_steps"; : > "$work/our_whole"
  theirs() { (cd "$work/case" && rm -rf constant/polyMesh && blockMesh && setFields && topoSet && laplacianFoam); }
  mine() { "$tessera" run "$work/ours"; }
  for _ in $(seq "$rounds"); do
    seconds mine >> "$work/our_whole"
    cp -r "$work/case/0" "$work/zero"
    seconds theirs >> "$work/foam_whole"
    # from the first step's time to the last: nine steps of ten
    awk '/^ExecutionTime/ { t = $3; if (!n++) first = t } END { print (t - first) * n / (n - 1) }' "$work/out" >> "$work/foam_steps"
    rm -rf "$work/case/0"; mv "$work/zero" "$work/case/0"
  done
  local w t s m
  w=$(median < "$work/foam_whole") s=$(median < "$work/foam_steps") m=$(median < "$work/our_whole") t=$(key steps < "$work/tessera" | median)
  awk -v w="$w" -v s="$s" -v m="$m" -v t="$t" -v n="$1x$2" 'BEGIN {
    printf "OpenFOAM PCG-GAMG, whole command: %.2f s, tessera run: %.2f s, ratio %.1f; steps alone %.2f s and %.3f s, ratio %.1f\n", w, m, w / m, s, t, s / t
    printf "{\"bench\": \"solvers_openfoam\", \"mesh\": \"%s\", \"openfoam\": %.3f, \"tessera\": %.3f, \"ratio\": %.2f, \"steps_ratio\": %.2f}\n", n, w, m, w / m, s / t }'
}

declare -A triad read total_of steps_of
bandwidth() { # of the ranks, all at once: best of three
  local i
  for i in 1 2 3; do launch "$1" "$bench/solvers_bandwidth"; done > "$work/bandwidth"
  triad[$1]=$(key triad < "$work/bandwidth" | sort -g | tail -1) read[$1]=$(key read < "$work/bandwidth" | sort -g | tail -1)
  echo "memory, $1 ranks: triad ${triad[$1]} GB/s, read ${read[$1]} GB/s"
}
speed_up() { # size, ranks: against one rank
  [ "$2" != 1 ] && [ -n "${triad[1]:-}" ] && [ -n "${total_of[$1,1]:-}" ] || return 0
  awk -v size="$1" -v n="$2" -v t="${total_of[$1,1]}" -v tn="${total_of[$1,$2]}" -v s="${steps_of[$1,1]}" -v sn="${steps_of[$1,$2]}" \
    -v m="${triad[1]}" -v mn="${triad[$2]}" -v r="${read[1]}" -v rn="${read[$2]}" 'BEGIN {
    printf "speed-up of tessera on %d ranks: %.2f in total, %.2f in the steps; of the memory bandwidth: triad %.2f, read %.2f\n", n, t / tn, s / sn, mn / m, rn / r
    printf "{\"bench\": \"solvers_speedup\", \"mesh\": \"%s\", \"ranks\": %d, \"total\": %.3f, \"steps\": %.3f, \"triad\": %.3f, \"read\": %.3f}\n", size, n, t / tn, s / sn, mn / m, rn / r }'
}

for n in $ranks; do bandwidth "$n"; done
for size in $sizes; do
  nx=${size%x*} ny=${size#*x}
  for n in $ranks; do
    names="tessera"
    for p in $peers; do
      case $p in
        openfoam) ;;
        petsc) have petsc && names="$names petsc" ;;
        *) have hypre && names="$names $p" ;;
      esac
    done
    for name in $names; do : > "$work/$name"; done
    for _ in $(seq "$rounds"); do for name in $names; do run "$name" "$n" "$nx" "$ny"; done; done
    row "$size, $n ranks" first mean set-up steps total bytes 'x step' 'x total' ''
    ours=$(key total < "$work/tessera" | median) our_steps=$(key steps < "$work/tessera" | median)
    total_of[$size,$n]=$ours steps_of[$size,$n]=$our_steps
    for name in $names; do
      total=$(key total < "$work/$name" | median) steps=$(key steps < "$work/$name" | median)
      row "$name" "$(key first < "$work/$name" | median)" "$(key mean < "$work/$name" | median)" "$(key setup < "$work/$name" | median)" \
        "$steps" "$total" "$(key bytes < "$work/$name" | median)" "$(awk "BEGIN { printf \"%.2f\", $steps / $our_steps }")" \
        "$(awk "BEGIN { printf \"%.2f\", $total / $ours }")" ""
      echo "{\"bench\": \"solvers_ratio\", \"mesh\": \"$size\", \"ranks\": $n, \"solver\": \"$name\", \"total\": $total, \"ratio\": $(awk "BEGIN { printf \"%.3f\", $total / $ours }")}"
    done
    speed_up "$size" "$n"
    case " $peers " in *" openfoam "*) [ "$n" != 1 ] || openfoam "$nx" "$ny" ;; esac
  done
done
