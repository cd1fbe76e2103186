#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes a case: a soup of B3/S23, half of its cells alive, on a torus of CELLS x CELLS cells, that runs GENERATIONS.
#   bench/make_soup_case.sh FOLDER CELLS GENERATIONS
set -eu
mkdir -p "$1/constant" "$1/system"
printf 'application cellularAutomaton;\n' > "$1/system/controlDict"
printf 'cells (%s %s 1);\n' "$2" "$2" > "$1/system/gridDict"
cat > "$1/constant/automatonProperties" << END
rule      "B3/S23";
initial   { type random; probability 0.5; seed 7; }
boundary  { left periodic; right periodic; bottom periodic; top periodic; }
stop      { generations $3; }
END
