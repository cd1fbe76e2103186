#!/usr/bin/env bash
# The answer does not depend on the machine: the hashes of the final fields are equal on 1 to 4 ranks, for any tile size and for
# tiles dealt to the ranks at random.
set -eu
failed=0

hashes() { # report
  sed -n '/"hash": {/,/}/p' "$1"
}
run() { # ranks, arguments of tessera run
  local ranks=$1
  shift
  if ! "$MPIEXEC" -n "$ranks" "$TESSERA" run "$@" --quiet --report "$PWD/report.json" > log 2>&1; then
    cat log
    exit 1
  fi
}
dealt() { # tiles, ranks: owners at random, every rank at least once
  awk -v tiles="$1" -v ranks="$2" 'BEGIN { srand(11); printf "("; for (t = 0; t < tiles; t++) printf "%d ", t < ranks ? t : int(rand() * ranks); print ")" }'
}
same() { # what, expected hashes, actual hashes
  if [ "$2" != "$3" ]; then
    echo "$1: other bits"
    printf 'expected %s\nfound    %s\n' "$2" "$3"
    failed=1
  fi
}

# automata: any ranks, tiles and owners
automaton() { # case, tiles of 64 x 64, further arguments
  local case=$1 tiles=$2 reference= ranks tile
  shift 2
  cp -r "$SOURCE/cases/$case" case
  for ranks in 1 2 3 4; do
    for tile in auto '(16 16 1)' '(64 64 1)'; do
      run "$ranks" case "$@" --set "gridDict:tile=$tile"
      [ -n "$reference" ] || reference=$(hashes report.json)
      same "$case on $ranks ranks, tile $tile" "$reference" "$(hashes report.json)"
    done
    run "$ranks" case "$@" --set 'gridDict:tile=(64 64 1)' --set decomposeParDict:method=manual \
      --set "decomposeParDict:manualCoeffs.owners=$(dealt "$tiles" "$ranks")"
    same "$case on $ranks ranks, tiles dealt at random" "$reference" "$(hashes report.json)"
  done
  [ -n "$(echo "$reference" | grep -E '[0-9a-f]{16}')" ] || { echo "$case: the report holds no hash"; failed=1; }
  rm -r case
}

# solvers: any ranks and owners, tile shape by tile shape
cables() { # tile, tiles: 120 x 96 cells
  local tile=$1 tiles=$2 reference= ranks
  cp -r "$SOURCE/cases/heat/three_cables" case
  sed -i 's/( *564 452 1 *)/(120 96 1)/' case/system/blockMeshDict
  for ranks in 1 2 3 4; do
    run "$ranks" case --set "decomposeParDict:tile=$tile"
    [ -n "$reference" ] || reference=$(hashes report.json)
    same "three_cables on $ranks ranks, tile $tile" "$reference" "$(hashes report.json)"
    run "$ranks" case --set "decomposeParDict:tile=$tile" --set decomposeParDict:method=manual \
      --set "decomposeParDict:manualCoeffs.owners=$(dealt "$tiles" "$ranks")"
    same "three_cables on $ranks ranks, tile $tile, dealt at random" "$reference" "$(hashes report.json)"
  done
  rm -r case
}

rm -rf case
automaton life/glider_gun 25 --set 'gridDict:cells=(300 290 1)' --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }' \
  --set 'automatonProperties:stop={ generations 50; }'
automaton percolation/random 20 --set 'gridDict:cells=(300 200 1)'
automaton life/glider_gun 20 --set 'gridDict:cells=(300 200 1)' --set 'automatonProperties:rule=heat' \
  --set 'automatonProperties:diffusivity=0.2' --set 'automatonProperties:deltaT=1' \
  --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }' --set 'automatonProperties:stop={ generations 40; }'
cables '(16 16 1)' 48
cables '(64 32 1)' 6
exit $failed
