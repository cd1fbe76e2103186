#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A sample of bench/media.py: random media of every lattice beside networkx and scipy, on one to four ranks.
set -u
python=${PYTHON:-/usr/bin/python3}
ls "$BUILD"/python/tessera/_core*.so > /dev/null 2>&1 || { echo "built without Python: install pybind11-dev python3-dev python3-numpy"; exit 77; }
"$python" -c 'import networkx, scipy' 2> /dev/null || { echo "no oracle: install python3-networkx python3-scipy"; exit 77; }
export PYTHONPATH=$BUILD/python PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
failed=0
for ranks in 1 2 3 4; do
  "$MPIEXEC" -n $ranks "$python" "$SOURCE/bench/media.py" 19 $((ranks * 19)) > out 2> err || { tail -n 40 out err; failed=1; }
done
# a line of cells in a frame: bounds of a medium of one dimension
"$python" "$SOURCE/bench/media.py" 1 21600 > out 2> err || { tail -n 40 out err; failed=1; }
exit $failed
