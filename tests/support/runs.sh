# SPDX-License-Identifier: Apache-2.0
# Sourced by tests that compare runs on ranks of several nodes: needs SOURCE and fails.sh. Makes cases of which the answer is known to
# the bit and the traffic by hand; `of` and `hash_of` read reports.

of() { # report, entry of its "halo", or "nodes"
  tr -d ' \n' < "$1" | sed 's/.*\("nodes":[0-9]*\).*"halo":{\([^}]*\)}.*/\1,\2,/; s/.*"'"$2"'":\([0-9]*\),.*/\1/'
}
hash_of() { # report
  tr -d ' \n' < "$1" | sed -n 's/.*"hash":{\([^}]*\)}.*/\1/p'
}

# Life on four tiles of 64 x 64, those of a row on neighbouring ranks: each rank sends a row, a column and a corner
life_case() {
  rm -rf life
  cp -r "$SOURCE/cases/life/glider_gun" life
  life=(--set 'gridDict:cells=(128 128 1)' --set 'gridDict:tile=(64 64 1)' --set automatonProperties:haloDepth=1 --set automatonProperties:storage=bytes
    --set 'automatonProperties:initial={ type random; probability 0.4; seed 3; }'
    --set 'automatonProperties:stop={ generations 50; }' --set balanceDict:rebalance=no)
  quarters=(--set decomposeParDict:method=manual --set 'decomposeParDict:manualCoeffs.owners=(0 1 2 3)')
}
heat_case() {
  rm -rf heat
  cp -r "$SOURCE/cases/heat/three_cables" heat
  sed -i 's/( *564 452 1 *)/(120 96 1)/' heat/system/blockMeshDict
  # in order of the ranks; Scotch numbers its parts as it likes
  heat=(--set 'decomposeParDict:tile=(30 24 1)' --set decomposeParDict:method=simple
    --set 'fvSolution:solvers.T={ solver PCG; preconditioner diagonal; tolerance 1e-6; relTol 0; }')
}
# What four ranks sent in the life case: three messages a rank and round
expect_life_traffic() { # report, how many of a round's three messages go through shared memory, their bytes
  local rounds messages bytes shared shared_bytes
  rounds=$(of "$1" rounds) messages=$(of "$1" messages) bytes=$(of "$1" bytes)
  shared=$(of "$1" sharedMessages) shared_bytes=$(of "$1" sharedBytes)
  [ "$rounds" = 200 ] || fail "$1: $rounds rounds of halos on four ranks, expected 200"
  [ "$messages" = 600 ] || fail "$1: $messages messages, expected 600"
  [ "$bytes" = $((200 * 129)) ] || fail "$1: $bytes bytes, expected $((200 * 129))"
  [ "$shared" = $((200 * $2)) ] || fail "$1: $shared messages through shared memory, expected $((200 * $2))"
  [ "$shared_bytes" = $((200 * $3)) ] || fail "$1: $shared_bytes bytes through shared memory, expected $((200 * $3))"
}
