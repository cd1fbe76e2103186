#!/usr/bin/env bash
# `launch --slurm` writes a batch script and submits it; a job that Slurm begins again goes on from its last snapshot. The script is
# checked everywhere, jobs are run where Slurm's daemons are installed (tools/setup --with-slurm) and root may start them.
set -eu
. "$SOURCE/tests/support/fails.sh"
rm -rf case slurm
cp -r "$SOURCE/cases/life/glider_gun" case
cat > machine <<END
any program=$TESSERA ranks=2 slurm=--partition=all slurm=--time=10
node7 program=$TESSERA ranks=1 threads=4 devices=0,1
END
"$TESSERA" launch machine case --slurm --dry-run --set 'automatonProperties:stop={ generations 5; }' > script
bash -n script || fail 'no script of the shell'
for line in '#SBATCH --ntasks=2 --cpus-per-task=1 --partition=all --time=10' '#SBATCH hetjob' \
  '#SBATCH --ntasks=1 --cpus-per-task=4 --nodelist=node7 --gpus=2'; do
  grep -qxF -e "$line" script || { cat script; fail "no line '$line'"; }
done
# what srun would be given, by the shell itself
words=$(srun() { printf '%s\n' "$@"; } && . ./script)
[ "$(grep -c '^automatonProperties:stop={ generations 5; }$' <<< "$words")" = 2 ] && grep -qx ':' <<< "$words" || fail "srun's words: $words"
words=$(srun() { printf '%s\n' "$@"; } && SLURM_RESTART_COUNT=1 && . ./script)
[ "$(grep -c '^system/controlDict:startFrom=latestTime$' <<< "$words")" = 2 ] || fail "begun again: $words"
# a sweep as an array: one script for its shards and for the tables
echo "any program=$TESSERA ranks=2 threads=3 slurm=--time=10" > machine
"$TESSERA" launch machine case --slurm --sweep 8 --dry-run --set 'automatonProperties:stop={ generations 5; }' > script
grep -qxF '#SBATCH --ntasks=2 --cpus-per-task=3 --time=10' script || { cat script; fail 'the array asks for something else'; }
words=$(srun() { printf '%s\n' "$@"; } && SLURM_ARRAY_TASK_ID=5 && . ./script)
[ "$(tail -n 2 <<< "$words" | tr '\n' ' ')" = '--shard 5/8 ' ] || fail "a job of the array: $words"
words=$(srun() { printf '%s\n' "$@"; } && . ./script)
[ "$(tail -n 1 <<< "$words")" = 'automatonProperties:stop={ generations 5; }' ] || fail "the job for the tables: $words"
refused() { # what is said, line, options
  local code=0
  echo "$2" > machine
  "$TESSERA" launch machine case "${@:3}" > log 2>&1 || code=$?
  [ $code = 1 ] && grep -q "machine:1: .*$1" log || { cat log; fail "'$2': exit code $code, expected 1 and '$1'"; }
}
refused "'any' is for Slurm" "any program=$TESSERA"
refused 'slurm= is for Slurm' "node7 program=$TESSERA slurm=--time=1"
refused 'localhost says nothing to Slurm' "localhost program=$TESSERA" --slurm
refused 'expected an option of sbatch' "any program=$TESSERA slurm=time" --slurm
refused 'localhost says nothing to Slurm' "localhost program=$TESSERA" --slurm --sweep 4

for program in munged slurmctld slurmd; do
  PATH=$PATH:/usr/sbin command -v $program > /dev/null || { echo "no $program: jobs are not run"; exit $failed; }
done
[ "$(id -u)" = 0 ] || { echo 'not root: jobs are not run'; exit $failed; }
if [ -e /etc/slurm/slurm.conf ] && ! grep -q 'ClusterName=tessera' /etc/slurm/slurm.conf; then
  echo 'a cluster is configured here: jobs are not run'
  exit $failed
fi
PATH=$PATH:/usr/sbin
cluster=$PWD/slurm host=$(hostname -s)
mkdir -p "$cluster/ctld" "$cluster/spool" /etc/slurm /run/munge /var/log/munge /var/lib/munge
chown munge: /run/munge /var/log/munge /var/lib/munge
stop() {
  for name in slurmd slurmctld munged; do [ ! -s "$cluster/$name.pid" ] || kill "$(head -n 1 "$cluster/$name.pid")" 2> /dev/null || true; done
  rm -f /etc/slurm/slurm.conf
}
trap stop EXIT
pgrep -x munged > /dev/null || { su -s /bin/sh munge -c /usr/sbin/munged && pgrep -x munged > "$cluster/munged.pid"; }
cat > /etc/slurm/slurm.conf <<END
ClusterName=tessera
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
ReturnToService=2
StateSaveLocation=$cluster/ctld
SlurmdSpoolDir=$cluster/spool
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.pid
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_interval=1,requeue_setup_env_fail
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
slurmctld > log 2>&1
slurmd >> log 2>&1
until sinfo -h 2> /dev/null | grep -q idle; do sleep 0.2; done

ranks=$(nproc)
echo "any program=$TESSERA ranks=$((ranks < 2 ? 1 : 2))" > machine
long=(--set 'automatonProperties:stop={ generations 1000000; }' --set controlDict:writeInterval=50000)
"$TESSERA" run case --quiet "${long[@]}" --report "$PWD/alone.json"
rm -rf case/results
"$TESSERA" launch machine case --slurm "${long[@]}" --report "$PWD/report.json" > log 2>&1
job=$(sed -n 's/^Submitted batch job //p' log)
until ls case/results/*.h5 > /dev/null 2>&1; do sleep 0.1; done
scontrol requeue "$job"
# Slurm lets a job wait two minutes before it begins again, unless it is told to hurry
until [ "$(squeue -h -j "$job" -o %t)" = PD ]; do sleep 0.2; done
scontrol update JobId="$job" StartTime=now 2> log || true
while squeue -h -j "$job" 2> log | grep -q .; do sleep 0.5; done
grep -q 'Goes on from' case/slurm-*.log || { cat case/slurm-*.log; fail 'the job that began again did not go on'; }
[ "$(grep -o '"state": *"[0-9a-f]*"' report.json)" = "$(grep -o '"state": *"[0-9a-f]*"' alone.json)" ] || fail 'another hash'

# a sweep as an array of jobs, and the job that makes its tables
cat > case/constant/automatonProperties <<END
rule B3/S23; initial { type random; seed 1; } stop { generations 20; }
END
cat > case/system/sweepDict <<END
axes { cells (48 64 80); seed { samples 4; } }
settings ("gridDict:cells=({cells} {cells} 1)" "automatonProperties:initial.seed={seed}");
END
"$TESSERA" sweep case --quiet
mv case/sweep whole
"$TESSERA" launch machine case --slurm --sweep 3 > log 2>&1
job=$(sed -n 's/^Submitted batch job //p' log)
while squeue -h -j "$job" 2> log | grep -q .; do sleep 0.5; done
cmp case/sweep/tasks.csv whole/tasks.csv || { cat case/slurm-*.log; fail 'the array found other tables'; }
ls case/sweep/tasks.*of3.* > log 2>&1 || { cat log; fail 'no shard was run as a job of the array'; }
exit $failed
