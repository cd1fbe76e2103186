#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Generate an OpenFOAM (v1912) case: three buried power cables, 2-D transient heat conduction.
#
#   make_case.sh NX NY OUTDIR SOLVER TOLERANCE NSTEPS
#
#     NX NY      cells in x and y (one block, uniform)
#     OUTDIR     directory to create (must not exist)
#     SOLVER     DICPCG | GAMG | PCGGAMG (conjugate gradients preconditioned by one GAMG cycle)
#     TOLERANCE  absolute tolerance of the linear solver on OpenFOAM's normalised L1 residual (relTol 0)
#     NSTEPS     implicit Euler steps
#
# Stock solver laplacianFoam solves      dT/dt - div(DT grad T) = Su
# and is used here with one rho*c for all materials, so it is exactly
#      rho*c dT/dt = div(lambda grad T) + q,   DT = lambda/(rho*c),   Su = q/(rho*c)
#
# Everything below can be overridden from the environment, for example
#      DELTAT=3600 FORMAT=ascii make_case.sh 160 128 mycase DICPCG 1e-10 10
#
set -eu
[ $# -eq 6 ] || { sed -n '2,20p' "$0" >&2; exit 2; }
NX=$1 NY=$2 OUT=$3 SOLVER=$4 TOL=$5 NSTEPS=$6

MODE=${MODE:-stock}                 # stock | rhoc
LX=${LX:-2.0}                       # domain width [m]
LY=${LY:-1.6}                       # domain height [m], y = LY is the ground surface
LZ=${LZ:-0.01}                      # thickness of the single cell layer [m] (2-D: no effect on T)
TB=${TB:-293.15}                    # initial and boundary temperature [K]
XC=${XC:-"0.8 1.0 1.2"}             # cable centres x [m]
YC=${YC:-0.9}                       # cable centres y [m] (0.7 m below the surface)
R1=${R1:-0.020}                     # conductor radius [m]
R2=${R2:-0.045}                     # outer radius of the insulation [m]
LAM_METAL=${LAM_METAL:-384}         # [W/(m K)]
LAM_INS=${LAM_INS:-0.286}
LAM_SOIL=${LAM_SOIL:-1.0}
RHOC=${RHOC:-2.4e6}                 # stock mode: one volumetric heat capacity [J/(m3 K)]
RHOC_METAL=${RHOC_METAL:-3.45e6}    # rhoc mode
RHOC_INS=${RHOC_INS:-2.4e6}
RHOC_SOIL=${RHOC_SOIL:-2.0e6}
Q=${Q:-24000}                       # heat source in the conductors [W/m3] (30.16 W/m per cable)
DELTAT=${DELTAT:-86400}             # time step [s]
MAXITER=${MAXITER:-20000}           # OpenFOAM's own default is 1000 and would cut DICPCG short
SMOOTHER=${SMOOTHER:-GaussSeidel}   # GAMG smoother
NCOARSE=${NCOARSE:-10}              # nCellsInCoarsestLevel (10 is OpenFOAM's default)
GAMG_EXTRA=${GAMG_EXTRA:-}          # further GAMG entries, e.g. "nPreSweeps 1; mergeLevels 1;"
SNGRAD=${SNGRAD:-orthogonal}        # orthogonal | corrected
FORMAT=${FORMAT:-binary}            # binary | ascii
PRECISION=${PRECISION:-16}          # digits for ascii output
NRANKS=${NRANKS:-2}                 # decomposeParDict
WEIGHTS=${WEIGHTS:-}                # e.g. "16 10": integer processor weights for scotch
FUNCTIONS=${FUNCTIONS:-0}           # 1: add example function objects

[ ! -e "$OUT" ] || { echo "$OUT exists" >&2; exit 1; }
mkdir -p "$OUT/0" "$OUT/constant" "$OUT/system"
num() { python3 -c "import sys; print('%.17g' % ($1))"; }

head_() { # class object
cat <<E
FoamFile
{
    version     2.0;
    format      ascii;
    class       $1;
    object      $2;
}

E
}
walls() { # text of one patch, four times
    for p in bottom right top left; do printf '    %-8s { %s }\n' "$p" "$1"; done
    printf '    frontAndBack { type empty; }\n'
}
field() { # name dims value patchentry
    head_ volScalarField "$1"
    printf 'dimensions      %s;\ninternalField   uniform %s;\nboundaryField\n{\n' "$2" "$3"
    walls "$4"; printf '}\n'
}
cylinders() { # radius, body printed inside each region
    for x in $XC; do
        printf '    cylinderToCell { p1 (%s %s -1); p2 (%s %s 1); radius %s; %s }\n' "$x" "$YC" "$x" "$YC" "$1" "$2"
    done
}

field T '[0 0 0 1 0 0 0]' "$TB" "type fixedValue; value uniform $TB;" > "$OUT/0/T"
if [ "$MODE" = stock ]; then
    DM=$(num "$LAM_METAL/$RHOC") DI=$(num "$LAM_INS/$RHOC") DS=$(num "$LAM_SOIL/$RHOC")
    SU=$(num "$Q/$RHOC")
    field DT '[0 2 -1 0 0 0 0]' "$DS" 'type zeroGradient;' > "$OUT/0/DT"
    SET_DEF="volScalarFieldValue DT $DS"
    SET_INS="fieldValues ( volScalarFieldValue DT $DI );"
    SET_MET="fieldValues ( volScalarFieldValue DT $DM );"
    APP=laplacianFoam LAP='laplacian(DT,T)' 
else
    SU=$Q
    field lambda '[1 1 -3 -1 0 0 0]' "$LAM_SOIL" 'type zeroGradient;' > "$OUT/0/lambda"
    field rhoC '[1 -1 -2 -1 0 0 0]' "$RHOC_SOIL" 'type zeroGradient;' > "$OUT/0/rhoC"
    SET_DEF="volScalarFieldValue lambda $LAM_SOIL volScalarFieldValue rhoC $RHOC_SOIL"
    SET_INS="fieldValues ( volScalarFieldValue lambda $LAM_INS volScalarFieldValue rhoC $RHOC_INS );"
    SET_MET="fieldValues ( volScalarFieldValue lambda $LAM_METAL volScalarFieldValue rhoC $RHOC_METAL );"
    APP=cableFoam LAP='laplacian(lambda,T)'
fi

{ head_ dictionary setFieldsDict
  printf 'defaultFieldValues ( %s );\nregions\n(\n' "$SET_DEF"
  cylinders "$R2" "$SET_INS"
  cylinders "$R1" "$SET_MET"
  printf ');\n'; } > "$OUT/system/setFieldsDict"

{ head_ dictionary topoSetDict
  printf 'actions\n(\n'
  act=new
  for x in $XC; do
    printf '    { name conductor; type cellSet; action %s; source cylinderToCell; p1 (%s %s -1); p2 (%s %s 1); radius %s; }\n' \
        $act "$x" "$YC" "$x" "$YC" "$R1"
    act=add
  done
  printf '    { name conductor; type cellZoneSet; action new; source setToCellZone; set conductor; }\n);\n'; } > "$OUT/system/topoSetDict"

{ head_ dictionary fvOptions
cat <<E
heat
{
    type            scalarSemiImplicitSource;
    active          yes;
    selectionMode   cellZone;
    cellZone        conductor;
    volumeMode      specific;
    injectionRateSuSp { T ($SU 0); }
}
E
} > "$OUT/system/fvOptions"

{ head_ dictionary blockMeshDict
cat <<E
scale 1;
vertices
(
    (0 0 0) ($LX 0 0) ($LX $LY 0) (0 $LY 0)
    (0 0 $LZ) ($LX 0 $LZ) ($LX $LY $LZ) (0 $LY $LZ)
);
blocks ( hex (0 1 2 3 4 5 6 7) ($NX $NY 1) simpleGrading (1 1 1) );
edges ();
boundary
(
    bottom { type patch; faces ((0 1 5 4)); }
    right  { type patch; faces ((1 2 6 5)); }
    top    { type patch; faces ((2 3 7 6)); }
    left   { type patch; faces ((3 0 4 7)); }
    frontAndBack { type empty; faces ((0 3 2 1) (4 5 6 7)); }
);
E
} > "$OUT/system/blockMeshDict"

{ head_ dictionary controlDict
cat <<E
application     $APP;
startFrom       startTime;
startTime       0;
stopAt          endTime;
endTime         $(num "$NSTEPS*$DELTAT");
deltaT          $DELTAT;
writeControl    timeStep;
writeInterval   $NSTEPS;
purgeWrite      0;
writeFormat     $FORMAT;
writePrecision  $PRECISION;
writeCompression off;
timeFormat      general;
timePrecision   8;
runTimeModifiable false;
E
if [ "$FUNCTIONS" = 1 ]; then cat <<E
functions
{
    minmax { type fieldMinMax; libs ("libfieldFunctionObjects.so"); fields (T); writeControl timeStep; writeInterval 1; }
    probes { type probes; libs ("libsampling.so"); fields (T); writeControl timeStep; writeInterval 1;
             probeLocations ( (1.0 $YC 0.005) (1.03 $YC 0.005) (1.0 1.2 0.005) ); }
    meanT  { type volFieldValue; libs ("libfieldFunctionObjects.so"); fields (T); operation volAverage;
             regionType cellZone; name conductor; writeFields false; log true; writeControl timeStep; writeInterval 1; }
    solverInfo { type solverInfo; libs ("libutilityFunctionObjects.so"); fields (T); writeControl timeStep; writeInterval 1; }
}
E
fi; } > "$OUT/system/controlDict"

{ head_ dictionary fvSchemes
cat <<E
ddtSchemes           { default Euler; }
gradSchemes          { default Gauss linear; }
divSchemes           { default none; }
laplacianSchemes     { default none; $LAP Gauss harmonic $SNGRAD; }
interpolationSchemes { default linear; }
snGradSchemes        { default $SNGRAD; }
E
} > "$OUT/system/fvSchemes"

GAMGCTL="smoother $SMOOTHER; nCellsInCoarsestLevel $NCOARSE; cacheAgglomeration yes; agglomerator faceAreaPair; $GAMG_EXTRA"
case $SOLVER in
    DICPCG)  LS="solver PCG; preconditioner DIC;" ;;
    GAMG)    LS="solver GAMG; $GAMGCTL" ;;
    PCGGAMG) LS="solver PCG; preconditioner { preconditioner GAMG; tolerance 0; relTol 0; $GAMGCTL }" ;;
    *) echo "unknown solver $SOLVER" >&2; exit 2 ;;
esac
{ head_ dictionary fvSolution
cat <<E
solvers
{
    T { $LS tolerance $TOL; relTol 0; maxIter $MAXITER; }
}
SIMPLE { nNonOrthogonalCorrectors 0; }
E
} > "$OUT/system/fvSolution"

{ head_ dictionary decomposeParDict
  printf 'numberOfSubdomains %s;\nmethod scotch;\n' "$NRANKS"
  [ -z "$WEIGHTS" ] || printf 'scotchCoeffs { processorWeights (%s); }\n' "$WEIGHTS"; } > "$OUT/system/decomposeParDict"

cat > "$OUT/PARAMETERS" <<E
nx=$NX ny=$NY cells=$((NX*NY)) solver=$SOLVER tolerance=$TOL nSteps=$NSTEPS mode=$MODE
LX=$LX LY=$LY LZ=$LZ TB=$TB XC=($XC) YC=$YC R1=$R1 R2=$R2
lambda metal=$LAM_METAL insulation=$LAM_INS soil=$LAM_SOIL
$( [ "$MODE" = stock ] && echo "rhoC=$RHOC DT metal=$DM insulation=$DI soil=$DS Su=$SU" || echo "rhoC metal=$RHOC_METAL insulation=$RHOC_INS soil=$RHOC_SOIL" )
q=$Q deltaT=$DELTAT maxIter=$MAXITER smoother=$SMOOTHER nCellsInCoarsestLevel=$NCOARSE gamgExtra=($GAMG_EXTRA) snGrad=$SNGRAD format=$FORMAT
E
