#!/usr/bin/env bash
# Wrong input of heat conduction gets one line that names file and line, and exit code 1, on one rank and on three: values without
# sense, dimensions, missing and misspelt entries, bodies without a unique temperature. A step that does not converge gives exit
# code 3 where the case asks for it.
set -u
. "$SOURCE/tests/support/expect_error.sh"

spoil() { # what, pattern, then pairs of file and sed script for a copy of the case $base
  local what=$1 pattern=$2
  shift 2
  fresh "$base"
  while [ $# -gt 0 ]; do
    edit "$1" "$2"
    shift 2
  done
  expect_error "$what" "$pattern" run case
}
properties=constant/transportProperties

base=heat/slab
spoil 'lambda = 0' 'transportProperties:[0-9]+: lambda .*is 0, expected a value > 0' $properties '/^lambda/s/ 1;/ 0;/'
spoil 'lambda(T) < 0' 'transportProperties:[0-9]+: lambda in cell \([0-9 ]+\) is -1, expected a value > 0' $properties '/^lambda/s/ 1;/ polynomial ((-1 0));/'
spoil 'rhoC < 0' 'transportProperties:[0-9]+: rhoC is -2, expected a value > 0' $properties '/^rhoC/s/ 1;/ -2;/'
spoil 'lambda = nan' "transportProperties:[0-9]+: entry 'lambda' is '.*nan', expected a number, constant" $properties '/^lambda/s/ 1;/ nan;/'
spoil 'dimensions of lambda' 'transportProperties:[0-9]+: dimensions \[1 1 -3 0 0 0 0\], expected \[1 1 -3 -1 0 0 0\]' \
  $properties '/^lambda/s/-3 -1/-3 0/'
spoil 'dimensions of T' '0/T:[0-9]+: dimensions \[0 0 0 2 0 0 0\], expected \[0 0 0 1 0 0 0\]' 0/T 's/0 0 0 1/0 0 0 2/'
spoil 'nan in T' "0/T:[0-9]+: entry 'internalField' is 'uniform nan', expected a finite number" 0/T 's/uniform 400/uniform nan/'
spoil 'nan in a list of T' "0/T:[0-9]+: value 2 of internalField .* is 'nan', expected a finite number" \
  0/T 's/uniform 400/nonuniform List<scalar> 65(1 2 nan 4)/'
spoil 'values of T' '0/T:[0-9]+: internalField has 64 values, but the grid has 65 x 1 x 1' \
  0/T 's/uniform 400/nonuniform List<scalar> 64(1 2 3 4)/'
spoil 'inf on a patch' "0/T:[0-9]+: entry 'value' is 'uniform inf', expected a finite number" 0/T '/left/s/300/inf/'
spoil 'a fraction above 1' "0/T:16: entry 'valueFraction' has the value 1.5, expected 0 to 1" \
  0/T '/left/s/fixedValue; value uniform 300;/mixed; refValue uniform 300; refGradient uniform 0; valueFraction uniform 1.5;/'
spoil 'a coefficient below 0' "0/T:16: entry 'h' has the value -5, expected a number from 0 on" \
  0/T '/left/s/fixedValue; value uniform 300;/externalWallHeatFluxTemperature; mode coefficient; Ta 300; h uniform -5;/'
spoil 'a coefficient that falls below 0' "0/T:16: entry 'h' has the value -[0-9.]+ at time 0.01[0-9]*, expected a number from 0 on" \
  0/T '/left/s/fixedValue; value uniform 300;/convective; Tinf 300; h table ((0 5) (0.01 5) (0.02 -6) (1 -6));/'
spoil 'a patch without an entry' "0/T:[0-9]+: boundaryField has no entry for the patch 'left'" 0/T '/^    left/d'
spoil 'a patch that is not there' "0/T:[0-9]+: unknown patch 'lefd'; did you mean 'left'" 0/T 's/^    left.*/&\n    lefd { type zeroGradient; }/'
spoil 'a misspelt boundary condition' "0/T:[0-9]+: .*boundary condition 'fixdValue' .* not supported, supported: .*convective cyclic empty externalWallHeatFluxTemperature fixedGradient fixedValue mixed symmetry symmetryPlane uniformFixedGradient uniformFixedValue wedge zeroGradient; did you mean 'fixedValue'" 0/T '/left/s/fixedV/fixdV/'
spoil 'a boundary condition without a value' "0/T:[0-9]+: .*'value'" 0/T '/left/s/value uniform 300;//'
spoil 'nothing tied to a temperature' 'no unique solution' 0/T 's/fixedValue/zeroGradient/' system/fvSchemes 's/Euler/steadyState/'
for entry in endTime deltaT application; do
  spoil "no $entry" "controlDict:[0-9]+: .*'$entry'" system/controlDict "/^$entry/d"
  spoil "misspelt $entry" "controlDict:[0-9]+: .*'$entry" system/controlDict "s/^$entry/x$entry/"
done
spoil 'misspelt keyword of controlDict' "controlDict:[0-9]+: unknown entry 'writeIntervall'; did you mean 'writeInterval'" \
  system/controlDict 's/^writeInterval/writeIntervall/'
spoil 'misspelt keyword of fvSolution' "fvSolution:[0-9]+: unknown entry 'tolerence'; did you mean 'tolerance'" system/fvSolution 's/tolerance/tolerence/'
spoil 'unknown solver' "fvSolution:[0-9]+: unknown solver 'PGC'; did you mean 'PCG'" system/fvSolution 's/PCG/PGC/'
spoil 'no solver of T' "fvSolution:[0-9]+: .*'T'" system/fvSolution 's/^    T$/    U/'
spoil 'negative tolerance' "fvSolution:[0-9]+: entry 'tolerance' is '-1', expected a number of at least 0" system/fvSolution 's/1e-12/-1/'
spoil 'unknown time scheme' "fvSchemes:[0-9]+: .*'Euller'" system/fvSchemes 's/Euler/Euller/'
spoil 'no time scheme' "fvSchemes:[0-9]+: .*'ddtSchemes'" system/fvSchemes '/^ddtSchemes/d'
spoil 'misspelt keyword of gridDict' "gridDict:[0-9]+: unknown entry 'cell'; did you mean 'cells'|gridDict:[0-9]+: .*'cells'" system/gridDict 's/^cells/cell /'
spoil 'no lambda' "transportProperties:[0-9]+: 'lambda' is missing" $properties '/^lambda/d'
spoil 'misspelt keyword of transportProperties' "transportProperties:[0-9]+: unknown entry 'region'; did you mean 'regions'" \
  $properties '$s/$/\nregion { }/'

base=heat/three_cables
spoil 'dimensions of DT' '0/DT:[0-9]+: dimensions \[0 2 -2 0 0 0 0\], expected \[0 2 -1 0 0 0 0\]' 0/DT 's/0 2 -1/0 2 -2/'
spoil 'DT < 0 in some cells' '0/DT:[0-9]+: DT in cell \([0-9 ]+\) is -1.19.*, expected a value > 0' system/setFieldsDict 's/DT 1.19/DT -1.19/'
spoil 'DT = 0 on a patch' "0/DT:[0-9]+: DT on the patch '[a-z]+' is 0, expected a value > 0" \
  0/DT 's/type *zeroGradient;/type fixedValue; value uniform 0;/'
spoil 'a field that setFields does not find' "setFieldsDict:[0-9]+: .*unknown field 'DTT'; did you mean 'DT'" system/setFieldsDict 's/Value DT 4/Value DTT 4/'
spoil 'unknown source of cells' "setFieldsDict:[0-9]+: .*'cylinderToCel'" system/setFieldsDict '0,/cylinderToCell/s//cylinderToCel/'
spoil 'unknown action' "topoSetDict:[0-9]+: .*'newe'" system/topoSetDict '0,/action new/s//action newe/'
spoil 'unknown source of heat' "fvOptions:[0-9]+: .*'scalarSemiImplictSource'" system/fvOptions 's/SemiImplicit/SemiImplict/'
spoil 'unknown zone' "fvOptions:[0-9]+: .*'conducter'; did you mean 'conductor'|fvOptions:[0-9]+: unknown cellZone 'conducter'" \
  system/fvOptions 's/\(cellZone *\)conductor/\1conducter/'
spoil 'misspelt keyword of blockMeshDict' "blockMeshDict:[0-9]+: .*'vertice" system/blockMeshDict 's/^vertices/vertice/'
spoil 'misspelt keyword of fvOptions' "fvOptions:[0-9]+: .*'volumMode'.*'volumeMode'|fvOptions:[0-9]+: .*'volumeMode'" system/fvOptions 's/volumeMode/volumMode/'

# steps that do not converge
for ranks in 1 3; do
  for must in yes no; do
    fresh heat/three_cables
    edit system/fvSolution "s/maxIter .*/maxIter 3;/; s/^SIMPLE/mustConverge $must;\n&/"
    "$MPIEXEC" -n $ranks "$TESSERA" run case > out 2> err
    code=$?
    if [ $code != "$([ $must = yes ] && echo 3 || echo 0)" ] || ! grep -q 'Not every step converged' out; then
      echo "a step that does not converge, $ranks ranks, mustConverge $must: exit code $code"
      tail -3 out
      cat err
      failed=1
    fi
  done
done
exit $failed
