#!/usr/bin/env bash
# `tessera check` tells all errors of a case, none twice and none that follows from another, and answers for any size of grid.
set -u
. "$SOURCE/tests/support/expect_error.sh"

expect_errors() { # what, then one pattern a line that is expected, in their order
  local what=$1 code n=0
  shift
  "$TESSERA" check case > out 2> err
  code=$?
  for pattern in "$@"; do
    n=$((n + 1))
    sed -n "${n}p" err | grep -qE "^case/$pattern" || { echo "$what: line $n is not '$pattern'"; failed=1; }
  done
  [ "$code" = 1 ] && [ "$(tail -n 1 err)" = "$n errors" ] && [ "$(wc -l < err)" = $((n + 1)) ] && return
  echo "$what: exit code $code, expected 1 and $n errors:"
  cat err
  failed=1
}
answers() { # what, case, options: at once, in little memory
  local what=$1 name=$2
  shift 2
  (ulimit -v 2000000 && exec "$TESSERA" check "$SOURCE/cases/$name" "$@") > out 2> err
  [ $? = 0 ] && grep -q 'all entries valid, about .*B of memory on 1 rank' out && return
  echo "$what:"
  cat out err
  failed=1
}

fresh heat/slab
edit system/controlDict 's/^writeInterval.*/writeInterval -3;\npurgeWrite many;\nfunctions\n{\n    a { type fieldMinMax; fields (U); }\n    b { type heatFlux; }\n    c { type probes; fields (T); probeLocations ((0.5 0 0)); scheme 1; }\n}/'
edit system/fvSolution 's/tolerance .*/tolerance -1;/; s/DIC/DCI/; s/relTol .*/relTol 2;\nminIterr 1;/'
edit 0/T 's/left  .*/left { type fixdValue; value uniform 300; }/; s/right .*/right { type fixedValue; value uniform warm; }/'
edit constant/transportProperties 's/^lambda .*/lambda lambda [1 1 -3 -1 0 0 0] many;/; s/^rhoC .*/rhoC rhoC [1 1 1 1 0 0 0] 1;/'
cat > case/system/fvOptions << 'END'
a { type scalarSemiImplicitSource; selectionMode all; volumeMode specifc; sources { T (1 0); } }
b { type heater; }
c { type scalarSemiImplicitSource; selectionMode cellZone; cellZone nowhere; volumeMode specific; sources { T (1 0); } }
END
printf 'FoamFile { version 2.0; }\nactions (\n' > case/system/topoSetDict
expect_errors 'heat' \
  "0/T:16: .*boundary condition 'fixdValue' on the patch 'left'" \
  "0/T:17: entry 'value' is 'uniform warm'" \
  "constant/transportProperties:10: entry '[a-zA-Z]*' is '.*many', expected a number" \
  'constant/transportProperties:11: dimensions' \
  "system/controlDict:17: entry 'writeInterval' is '-3'" \
  "system/controlDict:18: entry 'purgeWrite' is 'many'" \
  "system/controlDict:21: entry 'fields': unknown field 'U'" \
  "system/controlDict:22: function object 'b' of type 'heatFlux'" \
  "system/controlDict:23: unknown entry 'scheme'" \
  "system/fvOptions:1: unknown volumeMode 'specifc'" \
  "system/fvOptions:2: source type 'heater'" \
  "system/fvSolution:17: unknown preconditioner 'DCI'" \
  "system/fvSolution:18: entry 'tolerance' is '-1'" \
  "system/fvSolution:19: entry 'relTol' is '2'" \
  "system/fvSolution:20: unknown entry 'minIterr'" \
  "system/topoSetDict:2: .*not closed"

fresh heat/ampacity
echo 'axes { cells (8 16); depth { from 1; to 2; } } settings ("system/gridDict:cells=({cells} 8 1)");' > case/system/sweepDict
echo 'axes { ranks (1 0); }' > case/system/studyDict
expect_errors 'sweep and study' "system/studyDict:1: .*'0', expected whole numbers of at least 1" \
  "system/sweepDict:1: .*'steps'"

fresh life/glider_gun
edit constant/automatonProperties 's/^rule.*/rule "B3\/S2x";/; s/^update /updte /; s/left  .*/left closed;/; s/threshold .*/threshold 2;/; s/generations .*/generations -1;/'
printf 'writeControl never;\n' >> case/system/controlDict
expect_errors 'automaton' 'constant/automatonProperties:10: .*B3/S2x' \
  "constant/automatonProperties:15: entry 'threshold' is '2'" 'constant/automatonProperties:21: .*closed' \
  "constant/automatonProperties:26: unknown entry 'updte'" "constant/automatonProperties:29: entry 'generations' is '-1'" "system/controlDict:[0-9]+: writeControl 'never'"

fresh heat/slab
for value in '1e-3 1' x; do
  "$TESSERA" check case --set "fvSolution:solvers.T.tolerance=$value" > out 2> err
  [ $? = 1 ] && [ "$(tail -n 1 err)" = '1 error' ] || { echo "tolerance=$value is told more than once:"; cat err; failed=1; }
done

fresh percolation/random
edit constant/percolationProperties 's/0\.60\?;/1.5;/; s/^method .*/method exakt;/'
edit system/gridDict 's/^cells.*/cells (64 64);/'
expect_errors 'percolation' "constant/percolationProperties:[0-9]+: entry 'probability' is '1.5'" "system/gridDict:[0-9]+: .*2 values, expected 3"

answers 'a large automaton' life/glider_gun --set 'gridDict:cells=(131072 131072 1)'
answers 'a large square' percolation/random --set 'gridDict:cells=(65536 65536 1)'
answers 'a large cube' percolation/cubic --set 'gridDict:cells=(2048 2048 2048)'
answers 'a large body' heat/brick --set 'gridDict:cells=(2048 2048 2048)'
answers 'a body of many tiles' heat/brick --set 'gridDict:cells=(2048 2048 2048)' --set 'gridDict:tile=(4 4 4)'
exit $failed
