#!/usr/bin/env bash
# The memory that `tessera check` tells before a run is within a fifth of what the run takes at its peak, for unlike cases.
set -u
failed=0

dictionary() { # file: its text from standard input, with the header
  mkdir -p "case/$(dirname "$1")"
  { echo 'FoamFile { version 2.0; format ascii; class dictionary; object dictionary; }'; cat; } > "case/$1"
}
grid() { echo "cells ($1);" | dictionary system/gridDict; }
automaton() { # cells, rule, its keys
  rm -rf case
  grid "$1"
  echo 'application cellularAutomaton;' | dictionary system/controlDict
  dictionary constant/automatonProperties << END
rule $2; $3
initial { type random; probability 0.5; }
boundary { left periodic; right periodic; bottom periodic; top periodic; }
stop { generations 4; }
END
}
percolation() { # cells, input, other keys
  rm -rf case
  [ -z "$1" ] || grid "$1"
  echo 'application percolation;' | dictionary system/controlDict
  echo "input { $2 } $3" | dictionary constant/percolationProperties
}
heat() { # cells, type of the sides along z, ddt scheme, solver
  rm -rf case
  grid "$1"
  echo 'application heatConduction; endTime 2; deltaT 1; writeControl none;' | dictionary system/controlDict
  echo 'lambda 1; rhoC 1e6;' | dictionary constant/transportProperties
  echo "solvers { T { $4 tolerance 1e-4; relTol 0.1; maxIter 5; } }" | dictionary system/fvSolution
  dictionary system/fvSchemes << END
ddtSchemes { default $3; } laplacianSchemes { default Gauss harmonic orthogonal; }
gradSchemes { default Gauss linear; } divSchemes { default none; }
interpolationSchemes { default linear; } snGradSchemes { default orthogonal; }
END
  mkdir -p case/0
  cat > case/0/T << END
FoamFile { version 2.0; format ascii; class volScalarField; object T; }
dimensions [0 0 0 1 0 0 0];
internalField uniform 300;
boundaryField
{
    left { type fixedValue; value uniform 310; }
    "(right|bottom|top)" { type zeroGradient; }
    back { type $2; }
    front { type $2; }
}
END
}
peak() { # of the run, bytes
  sed -nE 's/.*"peakBytesPerRankMax": ([0-9.e+]+).*/\1/p' case/postProcessing/report.json
}
at_most() { # bits a cell of a grid of 16384 x 16384 that a run took beside the program, at its start, end and snapshots, too; what
  echo "$1 $program $(peak)" | awk -v what="$2" '{
    bits = 8 * ($3 - $2) / 16384 / 16384
    printf "%-40s %.2f bits a cell\n", what, bits
    exit !(NF == 3 && bits <= $1)
  }' || failed=1
}
compare() { # what
  local told
  "$TESSERA" check case > out 2> err && "$TESSERA" run case --quiet > out2 2> err
  if [ $? != 0 ]; then
    echo "$1:"
    cat out err
    failed=1
    return
  fi
  told=$(sed -nE 's/.*about ([0-9.e+]+) ([kMGT]?)B of memory on 1 rank$/\1 \2/p' out)
  echo "$told $(peak)" | awk -v what="$1" '{
    unit["k"] = 1e3; unit["M"] = 1e6; unit["G"] = 1e9
    told = $1 * unit[$2]; ratio = told / $3
    printf "%-40s told %6.1f MB, measured %6.1f MB: %.2f\n", what, told / 1e6, $3 / 1e6, ratio
    exit !(NF == 3 && ratio > 1 / 1.2 && ratio < 1.2)
  }' || failed=1
}

automaton '64 64 1' '"B3/S23"' ''
compare 'the program'
program=$(peak)
automaton '192 192 1' ising 'temperature 2; seed 1;'
compare 'a small automaton of bytes'
percolation '64 64 1' 'type random; probability 0.62;' ''
compare 'a small medium, its picture'
percolation '2000 100 1' 'type random; probability 0.62;' ''
compare 'a long medium, its picture'
percolation '40 40 40' 'type random; probability 0.4;' 'picture no;'
compare 'a small medium in space, no picture'
automaton '16384 16384 1' '"B3/S23"' ''
compare 'a bit a cell, generations ahead'
at_most 2.2 'a bit a cell, generations ahead'
automaton '8192 8192 1' '"B3/S23"' 'haloDepth 1;'
compare 'a bit a cell, one generation after the other'
automaton '8192 8192 1' '"345/2/4"' ''
compare 'two bits a cell, generations ahead'
automaton '8192 8192 1' '"B3/S23"' 'storage bytes;'
compare 'a byte a cell, generations ahead'
automaton '4096 4096 1' heat 'diffusivity 0.2; deltaT 1;'
compare 'a rule on doubles'
heat '1600 1200 1' empty Euler 'solver PCG; preconditioner DIC;'
compare 'PCG with DIC'
heat '1600 1200 1' empty Euler 'solver PCG; preconditioner multigrid;'
compare 'PCG with multigrid'
heat '1600 1200 1' empty Euler 'solver GAMG; smoother GaussSeidel;'
compare 'GAMG'
heat '120 110 100' zeroGradient backward 'solver PCG; preconditioner DIC;'
compare 'heat in space, backward'
percolation '6144 6144 1' 'type random; probability 0.59;' 'connectivity 8; backbone no; shortestPath no; fields (label);'
compare 'labels alone'
percolation '4096 4096 1' 'type random; probability 0.61;' ''
compare 'square lattice, all there is'
percolation '224 224 224' 'type random; probability 0.32;' 'fields (backbone);'
compare 'backbone in space near the threshold'
percolation '150 150 150' 'type random; probability 0.5;' 'fields (backbone);'
compare 'backbone in space, dense'
percolation '256 256 256' 'type random; probability 0.4;' 'fields (backbone); shortestPath no;'
compare 'backbone in space, no path'
percolation '224 224 224' 'type random; probability 0.4;' 'region { type cylinder; } fields (backbone);'
compare 'backbone in a cylinder'
percolation '6144 6144 1' 'type random; probability 0.62; samples 2;' ''
compare 'samples'
rm -rf case
mkdir -p case/constant
# channels along all axes, 6 of 16 cells wide
awk 'BEGIN { n = 160; for (k = 0; k < n; ++k) for (j = 0; j < n; ++j) { row = ""; for (i = 0; i < n; ++i) {
  a = (i % 16 < 6) + (j % 16 < 6) + (k % 16 < 6); row = row (a >= 2 ? "0" : "9") } printf "%s", row } }' > medium.raw
percolation '200 200 200' 'type random; probability 0.8;' 'backbone no; shortestPath no; thickness yes;'
compare 'pore sizes'
percolation '200 200 200' 'type random; probability 0.8;' 'backbone no; shortestPath no; drainage yes; trapping yes;'
compare drainage
percolation '' 'type picture; file "constant/medium.raw:160x160x160:uint8"; threshold 0.2;' 'fields (backbone);'
mkdir -p case/constant
mv medium.raw case/constant
compare 'backbone of an image'
exit $failed
