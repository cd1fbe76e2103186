#!/usr/bin/env bash
# What a sweep costs beside its tasks: small tasks a second on one rank and in teams of two, and the time of 200 tasks whose costs
# spread over a factor 100 on two ranks, alike and with the second one four times slower, over the least time there is:
# the work over the sum of the ranks' rates. The work is what the same tasks take on one rank. Then two long tasks and two short
# ones with the second rank four times slower, which gets one of the long ones, with and without duplicates.
set -euo pipefail
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_rmaps_base_oversubscribe=1
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
shopt -s inherit_errexit
root=$(cd "$(dirname "$0")/.." && pwd)
tessera=${TESSERA:-$root/build/release/tessera}
rounds=${1:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp -r "$root/cases/life/glider_gun" case
printf 'initial { type random; seed 3; }\nstop { generations 1; }\nrule "B3/S23";\nstorage bytes;\n' > case/constant/automatonProperties

value() { sed -n "s/.*\"$1\": \([0-9.e-]*\),*$/\1/p" case/sweep/report.json | head -n 1; }
median() { sort -g | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }
sweep() { "$@" --quiet > log 2>&1 || { cat log >&2; exit 1; }; }

echo 'cells (8 8 1);' > case/system/gridDict
small() { # tasks, ranks of a task, command
  cat > case/system/sweepDict <<END
axes { seed { samples $1; } }
settings ("constant/automatonProperties:initial.seed={seed}");
ranks $2;
END
  shift 2
  for _ in $(seq "$rounds"); do
    sweep "$@" sweep case --anew
    awk "BEGIN { print $(value tasksOfThisRun) / $(value seconds) }"
  done | median
}
echo "tasks of one generation of 8 x 8 cells: $(small 10000 1 "$tessera") a second on one rank, $(small 10000 1 mpirun -n 2 "$tessera") on two"
echo "the same on a team of two ranks: $(small 1000 2 mpirun -n 2 "$tessera") a second"

echo 'cells (512 512 1); tile (512 512 1);' > case/system/gridDict
cat > case/system/sweepDict <<END
axes { n { from 0; to 199; steps 200; } }
settings ("constant/automatonProperties:stop.generations={rint(20 * 100 ^ (n / 199))}");
END
seconds_of() { sweep "$@" sweep case --anew && value seconds; }
for _ in $(seq "$rounds"); do
  alone=$(seconds_of "$tessera")
  echo "$alone $(seconds_of mpirun -n 2 "$tessera") $(TESSERA_SLOWDOWN=1:4 seconds_of mpirun -n 2 -x TESSERA_SLOWDOWN "$tessera")"
done > seconds
alike=$(awk '{ print $2 / ($1 / 2) }' seconds | median)
slowed=$(awk '{ print $3 / ($1 / 1.25) }' seconds | median)
echo "200 tasks, costs spread over 100: $alike of the least time on two ranks alike, $slowed with the second four times slower"

cat > case/system/sweepDict <<END
axes { generations (400 8000); k (1 2); }
settings ("constant/automatonProperties:stop.generations={generations}" "constant/automatonProperties:initial.seed={k}");
END
cp case/system/sweepDict without
echo 'duplicates no;' >> without
TESSERA_SLOWDOWN=1:4
export TESSERA_SLOWDOWN
for _ in $(seq "$rounds"); do
  alone=$(TESSERA_SLOWDOWN=0:1 seconds_of "$tessera")
  with=$(seconds_of mpirun -n 2 -x TESSERA_SLOWDOWN "$tessera")
  copies=$(value copies)
  mv case/system/sweepDict with && cp without case/system/sweepDict
  echo "$alone $with $(seconds_of mpirun -n 2 -x TESSERA_SLOWDOWN "$tessera") $copies"
  mv with case/system/sweepDict
done > seconds
echo "a long task on the slow rank: $(awk '{ print $2 / ($1 / 1.25) }' seconds | median) of the least time with duplicates" \
  "($(awk '{ print $4 }' seconds | median) copy), $(awk '{ print $3 / ($1 / 1.25) }' seconds | median) without"
