#!/usr/bin/env bash
# Two hosts of two ranks each: network namespaces with names, addresses and a /dev/shm of their own on this machine, joined
# by a bridge, and a remote shell for Open MPI that enters them. Ranks of a host share memory, those of two exchange
# messages; the bits are those of one rank; and when all ranks are killed and one host has lost its memory, the run goes on
# from the other's.
set -eu
. "$SOURCE/tests/support/fails.sh"
. "$SOURCE/tests/support/runs.sh"
skip() {
  echo "$*"
  exit 77
}
"$MPIEXEC" --version 2> /dev/null | grep -qE 'Open MPI|OpenRTE' || skip "the remote shell below is for Open MPI"
command -v ip > /dev/null || skip "iproute2 is not installed"
a=ts${$}a b=ts${$}b bridge=ts${$}
net=10.$((77 + $$ / 250 % 100)).$(($$ % 250 + 1))
export MEMORY
MEMORY=$(mktemp -d /dev/shm/tessera-hosts-XXXXXX 2> /dev/null) || skip "there is no /dev/shm to write to"
down() {
  for host in $a $b; do
    kill -KILL $(ip netns pids $host 2> /dev/null) 2> /dev/null || true
    ip netns del $host 2> /dev/null || true
  done
  ip link del $bridge 2> /dev/null || true
  rm -rf "$MEMORY"
}
trap down EXIT
up() {
  local n=2 host
  ip link add $bridge type bridge && ip addr add $net.1/24 dev $bridge && ip link set $bridge up || return 1
  for host in $a $b; do
    ip netns add $host && ip link add v$host type veth peer name e0 netns $host && ip link set v$host master $bridge up &&
      ip -n $host addr add $net.$n/24 dev e0 && ip -n $host link set e0 up && ip -n $host link set lo up || return 1
    mkdir "$MEMORY/$host"
    n=3
  done
  ip netns exec $a unshare --uts --mount sh -c "hostname $a && mount --bind $MEMORY/$a /dev/shm"
}
up > log 2>&1 || skip "this machine makes no network namespaces: $(tail -n 1 log)"
cat > remote_shell << 'END'
#!/bin/sh
# remote_shell HOST COMMAND...
host=$1
shift
exec ip netns exec "$host" unshare --uts --mount \
  sh -c 'hostname "$0" && mount --bind "$MEMORY/$0" /dev/shm && exec sh -c "$*"' "$host" "$@"
END
chmod +x remote_shell
on_hosts() { # order of ranks, arguments of tessera
  local by=$1
  shift
  "$MPIEXEC" --mca plm_rsh_agent "$PWD/remote_shell" --mca oob_tcp_if_include $net.0/24 --mca btl_tcp_if_include $net.0/24 \
    --host $a:2,$b:2 -n 4 --map-by "$by" "$TESSERA" "$@"
}
on_hosts slot list rules > log 2>&1 || { cat log; skip "Open MPI does not start on the namespaces"; }

life_case
heat_case
"$TESSERA" run life "${life[@]}" --quiet --report "$PWD/life1.json"
"$TESSERA" run heat "${heat[@]}" --quiet --report "$PWD/heat1.json"
cp -r "$SOURCE/cases/percolation/random" percolation
percolation=(--set 'gridDict:cells=(200 200 1)' --set 'gridDict:tile=(50 50 1)' --set decomposeParDict:method=simple)
"$TESSERA" run percolation "${percolation[@]}" --quiet --report "$PWD/percolation1.json"
shared=(--set routerDict:transport=sharedMemory)
for by in slot node; do # one host after the other, or in turn
  on_hosts $by run life "${life[@]}" "${quarters[@]}" "${shared[@]}" --quiet --report "$PWD/life-$by.json" > log 2>&1 || fail "life: $(cat log)"
  expect_life_traffic life-$by.json 1 64 # rows of tiles on a host, or columns
  for run in heat percolation; do
    declare -n options=$run
    on_hosts $by run $run "${options[@]}" "${shared[@]}" --quiet --report "$PWD/$run-$by.json" > log 2>&1 || fail "$run: $(cat log)"
    shared_messages=$(of $run-$by.json sharedMessages)
    [ "$shared_messages" -gt 0 ] && [ "$shared_messages" -lt "$(of $run-$by.json messages)" ] ||
      fail "$run-$by: $shared_messages of $(of $run-$by.json messages) messages went through shared memory"
  done
  for run in life heat percolation; do
    [ "$(of $run-$by.json nodes)" = 2 ] || fail "$run-$by: $(of $run-$by.json nodes) nodes, expected 2"
    [ -n "$(hash_of ${run}1.json)" ] && [ "$(hash_of $run-$by.json)" = "$(hash_of ${run}1.json)" ] ||
      fail "$run-$by: other bits than on one rank"
  done
done

# the state in the nodes' memory, of which one is lost
life_case
life+=(--set 'automatonProperties:stop={ generations 30000; }' --set controlDict:startFrom=latestTime
  --set controlDict:writeControl=timeStep --set controlDict:writeInterval=1000000)
"$TESSERA" run life "${life[@]}" --quiet --report "$PWD/life1.json"
life_case_again=("${life[@]}" --set 'controlDict:checkpoint={ every 50; data 2; parity 2; }')
rm -rf life
cp -r "$SOURCE/cases/life/glider_gun" life
on_hosts slot run life "${life_case_again[@]}" > run.log 2>&1 &
mpirun=$!
newest() { find "$MEMORY" -path '*/tessera-*' -name '*-*.*' | sed -n 's!.*/\(0[0-9]*\)-[^/]*$!\1!p' | sort | tail -n 1; }
for ((n = 0; n < 1200; n++)); do
  kill -0 $mpirun 2> /dev/null || break
  found=$(newest)
  [ -n "$found" ] && [ $((10#$found)) -ge 3 ] && break
  sleep 0.05
done
kill -KILL $(ip netns pids $a) $(ip netns pids $b) 2> /dev/null || fail "there was nothing to kill: $(tail -n 2 run.log)"
wait $mpirun || true
[ -d "$(echo "$MEMORY/$b"/tessera-*)" ] || fail "the second host kept nothing: $(ls -R "$MEMORY" | head -n 20)"
rm -rf "${MEMORY:?}/$b"
mkdir "$MEMORY/$b"
on_hosts slot run life "${life_case_again[@]}" --report "$PWD/resumed.json" > log 2>&1 || fail "the run did not go on: $(tail -n 5 log)"
grep -q 'Goes on from the checkpoint in memory of step' log || { head -n 20 log; fail "memory was not used"; }
[ "$(hash_of resumed.json)" = "$(hash_of life1.json)" ] || fail "after the loss of a host: other bits than uninterrupted"
exit $failed
