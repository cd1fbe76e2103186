#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes the three-cable case of bench/pcg_dic as an OpenFOAM case for laplacianFoam: lambda and q are divided by rho c = 2.4e6.
#   make_cable_case.sh NX NY FOLDER MAXITER [TOLERANCE 0] [STEPS 1]
set -eu
[ $# -ge 4 ] || { sed -n '3,4p' "$0" >&2; exit 2; }
nx=$1 ny=$2 folder=$3 most=$4 tolerance=${5:-0} steps=${6:-1}
mkdir -p "$folder"/{0,constant,system}

head_of() { printf 'FoamFile { version 2.0; format ascii; class %s; object %s; }\n' "$1" "$2"; }
field() { # name dimensions value boundary
  head_of volScalarField "$1"
  printf 'dimensions %s;\ninternalField uniform %s;\nboundaryField\n{\n' "$2" "$3"
  printf '  "(left|right|bottom|top)" { %s }\n  frontAndBack { type empty; }\n}\n' "$4"
}
cylinders() { # radius, what follows in the block
  for x in 0.8 1.0 1.2; do printf '  cylinderToCell { p1 (%s 0.9 -1); p2 (%s 0.9 1); radius %s; %s }\n' $x $x "$1" "$2"; done
}

field T '[0 0 0 1 0 0 0]' 293.15 'type fixedValue; value uniform 293.15;' > "$folder/0/T"
field DT '[0 2 -1 0 0 0 0]' 4.1666666666666667e-07 'type zeroGradient;' > "$folder/0/DT"
{
  head_of dictionary setFieldsDict
  printf 'defaultFieldValues ( volScalarFieldValue DT 4.1666666666666667e-07 );\nregions\n(\n'
  cylinders 0.045 'fieldValues ( volScalarFieldValue DT 1.1916666666666666e-07 );'
  cylinders 0.020 'fieldValues ( volScalarFieldValue DT 0.00016 );'
  printf ');\n'
} > "$folder/system/setFieldsDict"
{
  head_of dictionary topoSetDict
  printf 'actions\n(\n'
  action=new
  for x in 0.8 1.0 1.2; do
    printf '  { name conductor; type cellSet; action %s; source cylinderToCell; p1 (%s 0.9 -1); p2 (%s 0.9 1); radius 0.02; }\n' $action $x $x
    action=add
  done
  printf '  { name conductor; type cellZoneSet; action new; source setToCellZone; set conductor; }\n);\n'
} > "$folder/system/topoSetDict"
{
  head_of dictionary fvOptions
  printf 'heat { type scalarSemiImplicitSource; active yes; selectionMode cellZone; cellZone conductor; volumeMode specific;\n'
  printf '  injectionRateSuSp { T (0.01 0); } }\n'
} > "$folder/system/fvOptions"
{
  head_of dictionary blockMeshDict
  cat << MESH
scale 1;
vertices ( (0 0 0) (2 0 0) (2 1.6 0) (0 1.6 0) (0 0 0.01) (2 0 0.01) (2 1.6 0.01) (0 1.6 0.01) );
blocks ( hex (0 1 2 3 4 5 6 7) ($nx $ny 1) simpleGrading (1 1 1) );
edges ();
boundary
(
  bottom { type patch; faces ((0 1 5 4)); }
  right { type patch; faces ((1 2 6 5)); }
  top { type patch; faces ((2 3 7 6)); }
  left { type patch; faces ((3 0 4 7)); }
  frontAndBack { type empty; faces ((0 3 2 1) (4 5 6 7)); }
);
MESH
} > "$folder/system/blockMeshDict"
{
  head_of dictionary controlDict
  cat << CONTROL
application laplacianFoam;
startFrom startTime; startTime 0; stopAt endTime; endTime $((steps * 86400)); deltaT 86400;
writeControl timeStep; writeInterval 1000000; writeFormat binary; runTimeModifiable false;
CONTROL
} > "$folder/system/controlDict"
{
  head_of dictionary fvSchemes
  cat << SCHEMES
ddtSchemes { default Euler; }
gradSchemes { default Gauss linear; }
divSchemes { default none; }
laplacianSchemes { default none; laplacian(DT,T) Gauss harmonic orthogonal; }
interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
SCHEMES
} > "$folder/system/fvSchemes"
{
  head_of dictionary fvSolution
  printf 'solvers { T { solver PCG; preconditioner DIC; tolerance %s; relTol 0; maxIter %s; } }\n' "$tolerance" "$most"
  printf 'SIMPLE { nNonOrthogonalCorrectors 0; }\n'
} > "$folder/system/fvSolution"
