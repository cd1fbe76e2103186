#!/usr/bin/env bash
# What a newcomer meets first: the help is the program's own and comes once, errors name the entry, variables that nobody uses are
# told and pass.
set -u
. "$SOURCE/tests/support/expect_error.sh"

fail() {
  echo "$1"
  cat out err
  failed=1
}
# 1. help: once, on any number of ranks, without Kokkos' options
helps() { # exit code, ranks, arguments
  local want=$1 ranks=$2 code
  shift 2
  if [ "$ranks" = 1 ]; then "$TESSERA" "$@" > out 2> err; else "$MPIEXEC" -n "$ranks" "$TESSERA" "$@" > out 2> err; fi
  code=$?
  [ $code = "$want" ] || fail "tessera $*, $ranks ranks: exit code $code, expected $want"
  [ "$(grep -c '^Usage: tessera' out)" = 1 ] || fail "tessera $*, $ranks ranks: not one help"
  ! grep -q -e '--kokkos-help' -e 'Kokkos Core' out err || fail "tessera $*, $ranks ranks: help of Kokkos"
}
helps 2 1
helps 2 3
helps 0 3 --help
helps 0 3 run --help
for command in --help run check decompose list help compare convert; do helps 0 1 $command --help; done
"$TESSERA" list rules --kokkos-num-threads=1 > out 2> err || fail 'an argument of Kokkos'
"$TESSERA" run --kokko-threads=1 case > out 2> err
[ $? = 2 ] && [ "$(wc -l < err)" -le 3 ] || fail 'an unknown argument: expected exit code 2 and a line'

refused() { # pattern, arguments: exit code 2, in few words
  local pattern=$1
  shift
  "$TESSERA" "$@" > out 2> err
  [ $? = 2 ] && grep -q -e "$pattern" err && [ "$(wc -c < err)" -lt 200 ] || fail "tessera $*: expected exit code 2 and '$pattern'"
}
refused "ranks: '0', expected a number above 0" decompose -n 0 case
refused "tolerance: 'nan', expected a number from 0 on" compare a b --tolerance nan
refused 'rule: is empty, expected a rule' automaton x.rle --rule ''
printf 'x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n' > x.rle
expect_error 'margin of a bounded rule' "x.rle: is for a rule with bounds of its own, 'B3/S23:T30,30', but --margin" \
  automaton x.rle --rule B3/S23:T30,30 --margin 5
"$TESSERA" automaton x.rle --margin 5 --quiet > out 2> err || fail 'a margin without bounds'

# 2. errors name the entry
fresh percolation/cubic
edit constant/percolationProperties 's/^connectivity.*/connectivity 14;/'
expect_error 'connectivity' "percolationProperties:[0-9]+: entry 'connectivity' is 14, expected 6 or 18 or 26" run case
fresh percolation/random
expect_error 'backbone' "entry 'backbone' is no, expected yes: in the plane it is always found" \
  run case --set percolationProperties:backbone=no

# 3. variables that nobody uses
fresh heat/three_cables
files='system/blockMeshDict system/controlDict system/setFieldsDict system/topoSetDict system/fvOptions system/fvSchemes system/fvSolution 0/T'
for file in $files; do echo 'W 3;' >> "case/$file"; done
"$TESSERA" check case > out 2> err || fail 'variables: refused'
for file in $files; do # OpenFOAM does not look at other things than blocks in fvOptions, nor we at the rest of fvSchemes
  case $file in *fvOptions | *fvSchemes) continue ;; esac
  grep -q "$file:[0-9]*: 'W' is used by nobody: taken for a variable" out || fail "the variable of $file is not told"
done
fresh heat/slab
echo 'W 3;' >> case/system/gridDict
expect_error 'gridDict is no file of OpenFOAM' "gridDict:[0-9]+: unknown entry 'W'" run case

# 4. help knows the words of cases
explains() { # name, pattern
  "$TESSERA" help "$1" > out 2> err && grep -q -e "$2" out || fail "help $1"
}
explains automaton '^cellularAutomaton (applications)'
explains B36/S23 '^life (rules)'
explains heat '    diffusivity 1e-5;'
explains W30 '^wolfram (rules)'
explains LIFE '"B3/S23";'
explains scalarSemiImplicitSource 'sources .*explicit VALUE; implicit VALUE'
explains conductorLosses 'KEY table ((0 100)'
explains table 'outOfBounds clamp'
explains fieldMinMax 'location yes'
explains convective 'Tinf VALUE'
explains periodic 'boundary {'
explains multigrid preconditioners
explains PETSc methods
explains manual dataFile
explains hdf5 'endings of files: .h5'
explains png '^png (writers)'
"$TESSERA" help conductorLoses > out 2> err
[ $? = 2 ] && grep -q "unknown name 'conductorLoses'; did you mean conductorLosses?" err || fail 'help of a misspelt name'
"$TESSERA" help ultigri > out 2> err || fail 'a part of one name alone'
"$TESSERA" list > out 2> err
for kind in applications rules methods preconditioners smoothers partitioners readers writers functions sources boundaryConditions percolationMethods sides values; do
  grep -q "^$kind$" out || fail "list has no $kind"
done
"$TESSERA" list source > out 2> err
[ $? = 2 ] && grep -q "unknown kind 'source'; did you mean 'sources'" err || fail 'list of an unknown kind'

# 5. a list of cells as OpenFOAM writes it, in constant/; another number of subdomains than ranks
fresh heat/slab
cells=$(sed -n 's/^cells *(\([0-9]*\) .*/\1/p' case/system/gridDict)
cat > case/system/decomposeParDict << 'DICT'
numberOfSubdomains 4; method manual; manualCoeffs { dataFile "owners"; }
DICT
{
  printf 'FoamFile\n{\n    class labelList;\n    format ascii;\n}\n%s\n(\n' "$cells"
  for ((n = 0; n < cells; n++)); do echo $((2 * n / cells)); done
  echo ')'
} > case/constant/owners
"$MPIEXEC" -n 2 "$TESSERA" run case --set 'gridDict:tile=(8 1 1)' > out 2> err || fail 'owners of cells'
grep -q "constant/owners:6: taken for the ranks of $cells cells" out || fail 'how the owners are taken is not told'
grep -q 'numberOfSubdomains is 4, but there are 2 ranks' out || fail 'numberOfSubdomains is not told'
cd case && "$MPIEXEC" -n 2 "$TESSERA" run . --set 'gridDict:tile=(8 1 1)' > ../out 2> ../err
[ $? = 0 ] || fail 'owners of cells, from inside of the case'
cd ..

# 6. a run alone makes nothing in the folder for temporary files, where runs that start and end at once would be in each other's way
fresh heat/slab
TMPDIR=/dev/null/none "$TESSERA" run case > out 2> err || fail 'without a folder for temporary files'
exit $failed
