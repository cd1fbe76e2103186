#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The house keeps its floors: who may include whom, where kernels are started, and where foreign libraries are named.
set -u
cd "${SOURCE:-$(dirname "$0")/../..}" || exit 1
floors="core ca solvers partition io"
faults=0

fault() {  # text of "FILE:LINE:code" lines, and what is wrong with them
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
  fault "$(code '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$floor" | grep -vE "#[[:space:]]*include[[:space:]]*\"($floor|core)/")" \
    "$floor may include only itself and core, as \"folder/file.hpp\""
done

present=$(for floor in $floors tools; do [ -d "$floor" ] && echo "$floor"; done)
# shellcheck disable=SC2086
{
  fault "$(code 'Kokkos::parallel_(for|reduce|scan)' $present | grep -v '^core/sweep\.hpp:')" "only core/sweep.hpp starts kernels"
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
LIBRARIES
}

[ "$faults" = 0 ] && echo "floors are kept"
exit "$faults"
