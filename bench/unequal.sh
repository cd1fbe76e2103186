#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ranks of unequal speed on two cores.
#   unequal.sh [heat|cable|slow|middle|all] [steps 3000] [rounds 3]
# heat, cable: rank 0 has the first core alone, ranks 1 and 2 share the second (speeds about 2 : 1 : 1). Wall time of the
#   steps with equal shares, with automatic weights (a first run that begins equal and moves tiles, then runs that begin
#   with its speeds) and with weights 2 1 1 by hand. The ideal is the sum of the ranks' speeds: 1 / (1 / a + 1 / b + 1 / c),
#   where a, b and c are the times of three single ranks that do the whole case each, on these cores and all at once.
#   Beside it the sum of the cores' speeds, with one such rank on each; two ranks with a core each; and half the time of
#   one rank while the other core rests.
#   Explicit heat, 2048 x 2048, tiles as chosen by the program; 10 steps of the three-cable case of 1 M cells with
#   PCG-DIC. Medians over the rounds of times over the ideal of the same round: the variants of a round follow each other, so
#   that a machine that changes its speed changes it for all. The times themselves go to stderr.
# slow: two ranks with a core each, the second slowed 2, 4 and 10 times by TESSERA_SLOWDOWN: imbalance (slowest over mean,
#   less 1) in the windows that are measured after 10 steps of explicit heat, of 20 steps of the cable case, and of 60 of the
#   same on a quarter of the cells, in 98 tiles, which stays in the caches; median and worst, a line each round.
# middle: the second of two ranks is slowed 4 times in the middle of the run: moves until the imbalance is back under 5 %;
#   and a run whose ranks stay alike, in which no tile should move.
set -eu
what=${1:-all} steps=${2:-3000} rounds=${3:-3}
here=$(cd "$(dirname "$0")/.." && pwd)
tessera=${TESSERA:-$here/build/release/tessera}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_hwloc_base_binding_policy=none OMP_NUM_THREADS=1

wall() { # case: the wall time of its last run's steps; ranks that wait for the files of another count the wait, so the least
  python3 -c '
import json, sys
t = json.load(open(sys.argv[1] + "/postProcessing/report.json"))["time"]["ofRanks"]
print("%.3f" % min(map(sum, zip(*(t[part] for part in ("compute", "halo", "reduce", "rebalance", "idle"))))))' "$1"
}
ranks() { # number, case, settings: rank 0 on the first core, all others on the second
  local n=$1 folder=$2
  shift 2
  mpirun -np "$n" bash -c 'core=$((OMPI_COMM_WORLD_RANK > 0)); exec taskset -c $core "$@"' - "$tessera" run "$folder" --quiet "$@" >&2
  wall "$folder"
}
alone() { # core, case, settings
  local core=$1 folder=$2
  shift 2
  taskset -c "$core" "$tessera" run "$folder" --quiet "$@" >&2
  wall "$folder"
}
together() { # cores, case, settings: single ranks on these cores at once, each with the whole case, as if each did its share
  local cores=$1 folder=$2 core n=0
  shift 2
  for core in $cores; do
    n=$((n + 1))
    rm -rf "$folder.$n" "$folder.$n.time"
    cp -r "$folder" "$folder.$n"
    alone "$core" "$folder.$n" "$@" > "$folder.$n.time" &
  done
  wait
  cat $(seq -f "$folder.%g.time" "$n") | awk '{ speed += 1 / $1 } END { printf "%.3f\n", 1 / speed }'
}

study() { # name, case, settings
  local name=$1 folder=$2 n kind
  shift 2
  for ((n = 0; n < rounds; ++n)); do
    echo "half $(alone 0 "$folder" "$@")"
    echo "cores $(together '0 1' "$folder" "$@")"
    echo "ideal $(together '0 1 1' "$folder" "$@")"
    echo "two $(ranks 2 "$folder" "$@" --set 'decomposeParDict:processorWeights=(1 1)')"
    echo "equal $(ranks 3 "$folder" "$@" --set 'decomposeParDict:processorWeights=(1 1 1)')"
    echo "hand $(ranks 3 "$folder" "$@" --set 'decomposeParDict:processorWeights=(2 1 1)')"
    rm -f "$folder/postProcessing/speeds.json"
    echo "first $(ranks 3 "$folder" "$@")"
    echo "automatic $(ranks 3 "$folder" "$@")"
  done | tee "$work/times" >&2
  python3 - "$name" "$work/times" << 'END'
import json, statistics, sys
name, kinds = sys.argv[1], {}
for line in open(sys.argv[2]):
    kind, seconds = line.split()
    kinds.setdefault(kind, []).append(float(seconds))
kinds["half"] = [t / 2 for t in kinds["half"]]
def ratio(kind, to):
    return statistics.median(t / i for t, i in zip(kinds[kind], kinds[to]))
print("%s: medians of %d rounds, over the ideal of the same round, %.2f s" % (
    name, len(kinds["ideal"]), statistics.median(kinds["ideal"])))
print("  two ranks with a core each %.2f of the sum of the cores' speeds, half of one rank alone %.2f" % (
    ratio("two", "cores"), ratio("half", "cores")))
print("  2 : 1 : 1: equal shares %.2f; automatic, first run %.2f, later runs %.2f; by hand %.2f" % tuple(
    ratio(kind, "ideal") for kind in ("equal", "first", "automatic", "hand")))
print(json.dumps({"bench": "unequal", "case": name, **kinds}))
END
}

balance() { # case, what is asked of the report's windows: ten or middle
  python3 - "$1/postProcessing/report.json" "$2" << 'END'
import json, statistics, sys
report = json.load(open(sys.argv[1]))
balance, what = report["balance"], sys.argv[2]
windows = balance["windows"]
if what == "ten":  # after the moves of the first ten steps
    late = [100 * w["imbalance"] for w in windows if w["steps"][0] > 10]
    moves = [w["tilesMoved"] > 0 for w in windows if w["steps"][1] <= 10]
    after = "%.1f %% (median of %d windows, worst %.1f %%)" % (statistics.median(late), len(late), max(late)) if late else "not measured"
    print("imbalance at the start %.1f %%, after 10 steps %s; %d moves, %d of them in 10 steps; cells %s" % (
        100 * windows[0]["imbalance"], after, balance["moves"], sum(moves), report["partition"]["cells"]))
else:
    moves, worst = 0, 0
    for w in windows:
        worst = max(worst, w["imbalance"])
        if worst > 0.3 and w["imbalance"] <= 0.05: break
        moves += w["tilesMoved"] > 0
    print("%d moves in the run; imbalance at most %.1f %%, %s; at last %.1f %%" % (
        balance["moves"], 100 * worst, "under 5 %% after %d moves" % moves if worst > 0.3 else "no rank was slow",
        100 * balance["imbalance"]))
END
}

if [ "$what" != cable ]; then
  mkdir -p "$work/heat/constant" "$work/heat/system"
  echo 'application cellularAutomaton; writeControl none;' > "$work/heat/system/controlDict"
  echo 'cells (2048 2048 1);' > "$work/heat/system/gridDict"
  cat > "$work/heat/constant/automatonProperties" << END
rule heat; diffusivity 0.2; deltaT 1;
initial { type random; probability 0.5; seed 1; }
boundary { left fixed 0; right fixed 0; bottom fixed 0; top fixed 0; }
stop { generations $steps; }
END
fi
if [ "$what" != heat ]; then
  "$here/bench/make_cable_case.sh" 1120 896 "$work/cable" 20000 1e-6 10
  "$here/bench/make_cable_case.sh" 560 448 "$work/implicit" 20000 1e-6 20
fi
case $what in heat | all) study 'explicit heat, 2048 x 2048' "$work/heat" ;; esac
case $what in cable | all) study 'cable, 1.0 M cells, 10 steps, PCG-DIC' "$work/cable" ;; esac
case $what in
  slow | all)
    for factor in 2 4 10; do
      for folder in heat implicit cable; do
        case $folder in
          heat) more=() ;;
          implicit) more=(--set controlDict:endTime=5184000 --set 'decomposeParDict:tile=(80 32 1)') ;;
          cable) more=(--set controlDict:endTime=1728000) ;;
        esac
        for ((n = 0; n < rounds; ++n)); do
          rm -f "$work/$folder/postProcessing/speeds.json"
          TESSERA_SLOWDOWN=1:$factor ranks 2 "$work/$folder" "${more[@]}" > /dev/null
          echo "$folder, rank 1 slowed $factor times: $(balance "$work/$folder" ten)"
        done
      done
    done
    ;;
esac
case $what in
  middle | all)
    for folder in heat implicit; do
      late=2
      [ $folder = heat ] || late=1
      for slow in '' 1:4:$late; do
        rm -f "$work/$folder/postProcessing/speeds.json"
        more=()
        # long enough that half of the run is slowed
        [ $folder = heat ] && more=(--set "automatonProperties:stop={ generations $((4 * steps)); }")
        [ $folder = heat ] || more=(--set controlDict:endTime=86400000)
        TESSERA_SLOWDOWN=$slow ranks 2 "$work/$folder" "${more[@]}" > /dev/null
        echo "$folder, ${slow:-alike}: $(balance "$work/$folder" middle)"
      done
    done
    ;;
esac
