#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a conductivity that depends on T costs: three cables in soil, steps of a day, on one core. The soil conducts 1 W/(m K),
# or 1.4 - 0.0014 T, or half as well above 35 degrees (dry-out, a table); all else is the same. Conductivities are taken at the old
# T, one solution a step (nOuterCorrectors 1), or until T changes by less than 1 mK:
#   bench/nonlinear.sh [NX, default 800] [NY, 640] [ROUNDS, 5] [STEPS, 40]
# Times are of the processor (what other programs take of the machine does not count), less those of the same run of one step: of the
# steps after the first. Told are medians, also of the ratios to the linear run of the same round, and the solutions a step (outer
# iterations).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tessera=${TESSERA:-$here/../build/release/tessera}
nx=${1:-800} ny=${2:-640} rounds=${3:-5} steps=${4:-40}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$here/make_cable_case.sh" "$nx" "$ny" "$folder/case" 1000 1e-6 "$steps"
cd "$folder"
rm case/0/DT case/system/setFieldsDict
sed -i 's/laplacianFoam/heatConduction/; s/writeControl timeStep/writeControl none/' case/system/controlDict
sed -i 's/(0.01 0)/(24000 0)/' case/system/fvOptions
sed -i 's/(DT,T)/(lambda,T)/' case/system/fvSchemes
cat > case/constant/transportProperties << END
lambda 1;
rhoC   2.4e6;
regions { conductor { cellZone conductor; lambda 384; } }
END
cat > case/system/fvSolution << END
solvers { T { solver PCG; preconditioner multigrid; tolerance 1e-6; } }
SIMPLE { nOuterCorrectors 1; outerTolerance 1e-3; }
END
seconds() { # lambda of the soil, outer iterations, steps: what they take of the processor
  local TIMEFORMAT='%U %S'
  { time "$tessera" run case --quiet --set "transportProperties:lambda=$1" --set "fvSolution:SIMPLE.nOuterCorrectors=$2" \
    --set "controlDict:endTime=$(($3 * 86400))" > log 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
ratios() { # each of the first list over that of the second
  paste <(tr ' ' '\n' <<< "$1" | grep .) <(tr ' ' '\n' <<< "$2" | grep .) | awk '{ print $1 / $2 }'
}
median() { tr ' ' '\n' | grep . | sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }
falling='polynomial ((1.4 0) (-0.0014 1))' dry='table ((0 1) (307.15 1) (309.15 0.5) (1000 0.5))'
soils=(1 "$falling" "$falling" "$dry" "$dry")
names=('linear' 'lambda(T), one solution' 'lambda(T), converged' 'dry-out, one solution' 'dry-out, converged')
most=(1 1 50 1 50)
times=('' '' '' '' '') outer=('' '' '' '' '')
for _ in $(seq "$rounds"); do
  for n in 0 1 2 3 4; do
    one=$(seconds "${soils[n]}" "${most[n]}" 1) all=$(seconds "${soils[n]}" "${most[n]}" "$steps")
    times[n]+=" $(awk -v a="$all" -v b="$one" -v n="$steps" 'BEGIN { print (a - b) / (n - 1) }')"
    outer[n]=$(python3 -c 'import json
print(sum(json.load(open("case/postProcessing/report.json"))["solvers"]["T"].get("outerIterations", [1] * '"$steps"')) / '"$steps"')')
  done
done
for n in 0 1 2 3 4; do
  awk -v name="${names[n]}" -v t="$(median <<< "${times[n]}")" -v r="$(ratios "${times[n]}" "${times[0]}" | median)" -v o="${outer[n]}" -v c="$((nx * ny))" 'BEGIN {
    printf "%-24s %d cells: %.3f s a step, %.2f times a linear one, %s solutions a step\n", name, c, t, r, o
    printf "{\"bench\": \"nonlinear\", \"soil\": \"%s\", \"cells\": %d, \"seconds\": %.4f, \"ratio\": %.3f}\n", name, c, t, r }'
done
