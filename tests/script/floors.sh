#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The house keeps its floors: who may include whom, how much a floor promises at its top, and where kernels are started,
# messages are sent, instructions of one processor and foreign libraries are named, and that a type has one definition.
set -u
cd "${SOURCE:-$(dirname "$0")/../..}" || exit 1
floors="core ca solvers partition io run"
faults=0

fault() {  # lines FILE:LINE:code or FILE, and what is wrong with them
  [ -z "$1" ] && return
  faults=1
  printf '%s\n' "$1" | while IFS= read -r line; do printf '%s\n    %s\n' "$line" "$2"; done
}
code() {  # grep in sources under the folders, without lines that are comments
  local pattern=$1
  shift
  grep -rnE --include='*.cpp' --include='*.hpp' --include='*.h' "$pattern" "$@" 2>/dev/null | grep -vE '^[^:]+:[0-9]+:[[:space:]]*//'
}

for floor in $floors; do
  [ -d "$floor" ] || continue
  below="$floor|core"
  [ "$floor" = run ] && below="core|ca|solvers|partition|io|run"
  fault "$(code '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$floor" | grep -vE "#[[:space:]]*include[[:space:]]*\"($below)/")" \
    "$floor may include only ${below//|/, }, as \"folder/file.hpp\""
  headers=$(find "$floor" -maxdepth 1 -name '*.hpp' | sort)
  [ "$(echo "$headers" | wc -l)" -gt 6 ] && fault "$headers" "$floor promises more than six headers at its top: what keeps a promise goes one level down"
  for other in $floors; do
    [ "$other" = "$floor" ] || fault "$(code "\b$other::detail::" "$floor")" "what $other keeps in detail is its own"
  done
done

present=$(for floor in $floors tools python; do [ -d "$floor" ] && echo "$floor"; done)
# shellcheck disable=SC2086
{
  fault "$(code 'Kokkos::parallel_(for|reduce|scan)' $present | grep -vE '^core/grid/(sweep|folds)\.hpp:')" "only core/grid/sweep.hpp starts kernels"
  fault "$(code '\bMPI_[A-Z][a-z]\w*[[:space:]]*\(' $present | grep -vE '^(core/comm/|[^:]*\.[a-z0-9]+\.cpp:)')" \
    "only core/comm calls MPI, and files NAME.LIBRARY.cpp, whose libraries want it"
  fault "$(code '#[[:space:]]*include[[:space:]]*<(immintrin|x86intrin|arm_neon)\.h>|\b_mm[0-9]*_' $present | grep -vE '^[^:]*\.avx512\.(cpp|hpp):')" \
    "instructions of one processor belong in a file NAME.avx512.cpp or .hpp"
  fault "$(code '#[[:space:]]*include[[:space:]]*[<"](CLI/|spdlog/)' $present | grep -v '^tools/')" "CLI11 and spdlog belong to tools"
  while read -r lib headers; do
    fault "$(code "#[[:space:]]*include[[:space:]]*[<\"]([^>\"]*/)?($headers)[>\"]" $present | grep -vE "^[^:]*\.$lib\.(cpp|hpp):")" \
      "this header belongs in a file NAME.$lib.cpp"
  done <<'LIBRARIES'
scotch scotchf?\.h
ptscotch ptscotchf?\.h
hdf5 (hdf5[a-z_]*|H5[A-Za-z]*)\.h
petsc petsc[a-z]*\.h
catalyst vtk[A-Za-z0-9]*\.h
catalyst2 catalyst[a-z_]*\.(h|hpp)
png png\.h
tiff tiff(io)?\.h(xx)?
isal isa-l[a-z_]*\.h|isa-l/[a-z0-9_]*\.h
cairo cairo[a-z-]*\.h
pybind pybind11/[a-z_/]*\.h
eigen Eigen/[A-Za-z]*
LIBRARIES

  fault "$(python3 tests/script/host_only.py)" "what computes on the host alone has a reason, of which docs/backends.md tells"
  fault "$(python3 tests/script/one_definition.py $present tests/support)" "two types of one name: linkers take the functions of one for both"

  # every header has a reader beside its own source
  read_by=$(grep -rhoE --include='*.cpp' --include='*.hpp' --include='*.h' --include='*.md' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+"' $present tests bench cases docs |
    sed 's/.*"\(.*\)"/\1/' | sort | uniq -c | awk '{ print $2, $1 }')
  for header in $(find $present -name '*.hpp' | sort); do
    stem=${header%.hpp}
    readers=$(echo "$read_by" | awk -v h="$header" '$1 == h { print $2 }')
    own=$(grep -lE "#[[:space:]]*include[[:space:]]*\"$header\"" "$stem".cpp "$stem".*.cpp 2>/dev/null | wc -l)
    [ "$((${readers:-0} - own))" -gt 0 ] || fault "$header" "nobody reads this header but its own source"
  done
}

[ "$faults" = 0 ] && echo "floors are kept"
exit "$faults"
