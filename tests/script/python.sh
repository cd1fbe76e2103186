#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Python package: the script of docs/python.md runs; arrays give the hashes of the command, on one and three ranks, and touch no
# file; labels, automata, heat are those of other programs; errors, Ctrl-C, mpi4py; the installed package.
set -u
ls "$BUILD"/python/tessera/_core*.so > /dev/null 2>&1 || { echo "built without Python: install pybind11-dev python3-dev python3-numpy"; exit 77; }
python=${PYTHON:-/usr/bin/python3}
export PYTHONPATH=$BUILD/python PYTHONDONTWRITEBYTECODE=1
rm -rf -- * .[!.]*
failed=0
expect() { # what, command
  local what=$1
  shift
  "$@" > out 2> err && return
  echo "$what: failed"
  tail -n 30 out err
  failed=1
}

# 1. the guide, block by block in one program
ln -s "$SOURCE/cases" cases
awk '/^```python$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$SOURCE/docs/python.md" > guide.py
expect 'docs/python.md' "$python" guide.py

# 2. the same hashes as the command, on one and three ranks
checks=$SOURCE/tests/support/python_checks.py
expect 'media' "$python" "$checks" make
for case in medium_*; do expect "tessera run $case" "$TESSERA" run "$case" --quiet; done
for ranks in 1 3; do
  expect "hashes, $ranks ranks" "$MPIEXEC" -n $ranks "$python" "$checks" compare
  expect "bits, $ranks ranks" "$MPIEXEC" -n $ranks "$python" "$checks" bits
  cp out bits.$ranks
  expect "copies, $ranks ranks" "$MPIEXEC" -n $ranks "$python" "$checks" copies
  expect "distances, $ranks ranks" "$MPIEXEC" -n $ranks "$python" "$checks" distances
  expect "regions, $ranks ranks" env SOURCE="$SOURCE" "$MPIEXEC" -n $ranks "$python" "$checks" regions
  expect "an error on $ranks ranks" "$MPIEXEC" -n $ranks "$python" "$checks" errors
done
[ -s bits.1 ] && cmp bits.1 bits.3 || { echo 'other bits on three ranks'; cat bits.1 bits.3; failed=1; }

# 3. against other programs, and nothing is written
mkdir empty
(cd empty && expect 'other programs' "$python" "$checks" others; mv out ../out; mv err ../err; exit "$failed") || failed=1
[ -z "$(ls -A empty)" ] || { echo "files were written: $(ls -A empty)"; failed=1; }

# 4. Ctrl-C ends a run
for what in automaton heat; do
  "$python" "$checks" endless $what > out 2> err &
  pid=$!
  while ! grep -q begins out; do kill -0 $pid 2> /dev/null || break; sleep 0.1; done
  sleep 1
  kill -INT $pid
  for _ in {1..300}; do kill -0 $pid 2> /dev/null || break; sleep 0.1; done
  kill -KILL $pid 2> /dev/null && echo "Ctrl-C, $what: goes on after 30 s"
  wait $pid
  code=$?
  [ "$code" = 0 ] && grep -q interrupted out || { echo "Ctrl-C, $what: exit code $code"; cat out err; failed=1; }
done
[ ! -e '<automaton>' ] || { echo 'what was interrupted has left a file'; failed=1; }

# 5. an error of one rank alone ends all of them
"$MPIEXEC" -n 3 "$python" -c "
import numpy as np, tessera
if tessera.rank() == 1: raise ValueError('rank 1 alone')
tessera.label(np.ones((64, 64), bool))" > out 2> err
code=$?
[ "$code" != 0 ] && grep -q 'rank 1 alone' err || { echo "an error of one rank: exit code $code"; cat out err; failed=1; }

# ranks that are given something else all say so, and go on
expect 'other arrays on a rank' "$MPIEXEC" -n 3 "$python" -c "
import numpy as np, tessera
rank = tessera.rank()
medium = np.ones((16, 16), bool)
other = medium.copy()
other[3, 4] = rank != 1
calls = [lambda: tessera.label(other), lambda: tessera.label(medium, connectivity=8 if rank == 1 else 4),
         lambda: tessera.distance(other), lambda: tessera.label(medium[:8] if rank == 1 else medium),
         lambda: tessera.heat(1.0, shape=(8, 8), start=300.0 + (rank == 1), left=300, step=1.0),
         lambda: tessera.heat(1.0, shape=(8, 8), start=np.full((8, 8), 300.0) if rank == 1 else 300.0, left=300, step=1.0),
         lambda: tessera.distance(medium) if rank == 1 else tessera.label(medium)]
for n, call in enumerate(calls):
    try:
        call()
    except tessera.InputError as error:
        assert 'rank 1' in str(error) and 'other arrays or arguments' in str(error), (n, error)
    else:
        raise AssertionError(n)
assert tessera.label(medium).clusters == 1"

# calls from several threads: one at a time, whatever they are, and always said so
expect 'threads' "$python" -c "
import threading
import numpy as np, tessera
medium = np.random.default_rng(1).random((512, 512)) < 0.6
whole = tessera.label(medium).clusters
said, found = [], []
def work(call):
    for n in range(20):
        try:
            found.append(call())
        except tessera.RunError as error:
            said.append(str(error))
        except Exception as error:
            said.append(repr(error))
calls = [lambda: tessera.label(medium).clusters == whole, lambda: tessera.distance(medium).shape == medium.shape] * 2
threads = [threading.Thread(target=work, args=(call,)) for call in calls]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) + len(said) == 80 and all(found) and said, (len(found), len(said))
assert set(said) == {'another thread is running Tessera: one call at a time'}, set(said)"

# 6. beside mpi4py, whoever starts MPI
if "$python" -c 'import mpi4py' 2> /dev/null; then
  for order in 'from mpi4py import MPI; import tessera' 'import tessera; tessera.rank(); from mpi4py import MPI'; do
    expect "$order" "$MPIEXEC" -n 2 "$python" -c "$order
import numpy as np
assert MPI.COMM_WORLD.Get_size() == tessera.ranks() == 2
assert tessera.label(np.ones((3, 4), bool)).clusters == 1
assert MPI.COMM_WORLD.allreduce(1) == 2"
    expect "$order, without mpirun" "$python" -c "$order
import numpy as np
assert tessera.label(np.ones((3, 4), bool)).clusters == MPI.COMM_WORLD.Get_size() == 1"
  done
fi

# 7. as it is installed
expect 'install' cmake --install "$BUILD" --prefix "$PWD/installed"
place=$(dirname "$(ls -d installed/lib/python3*/*/tessera)")
expect 'the installed package' env PYTHONPATH="$PWD/$place" "$python" -c "
import tessera
assert tessera.__file__.startswith('$PWD/installed'), tessera.__file__
assert tessera.automaton('W90', [[0, 0, 0, 1, 0, 0, 0]], 1).state.tolist() == [[0, 0, 1, 0, 1, 0, 0]]"
exit $failed
