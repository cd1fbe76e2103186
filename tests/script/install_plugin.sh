#!/usr/bin/env bash
# A rule built outside the tree by the lines of docs/plugins.md, against the installed package, is compiled with the flags of the
# library and runs by `libs (...)`; a plugin that claims a name taken is refused.
set -eu
rm -rf installed plugin case
cmake --install "$BUILD" --prefix "$PWD/installed" > install.log
mkdir -p plugin/build
cat > plugin/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.25)
project(parity CXX)
find_package(Tessera REQUIRED)
add_library(parity MODULE parity.cpp)
target_link_libraries(parity PRIVATE Tessera::tessera)
END
cat > plugin/parity.cpp << 'END'
#include "ca/rule.hpp"
namespace parity {
/// Fredkin's replicator: the parity of the four neighbours.
struct Parity {
  static constexpr auto stencil = tessera::core::von_neumann<2>();
  KOKKOS_FUNCTION tessera::ca::State operator()(tessera::ca::State, tessera::ca::Near<Parity> near) const { return near.count(1) % 2; }
};
[[maybe_unused]] static bool const added = tessera::ca::add_rule<Parity>(RULE_NAME, "parity of four neighbours");
}  // namespace parity
END
build() { # rule name
  cmake -G Ninja -S plugin -B plugin/build -DCMAKE_PREFIX_PATH="$PWD/installed" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
    -DCMAKE_CXX_FLAGS="-DRULE_NAME='\"$1\"'" > plugin.log
  cmake --build plugin/build >> plugin.log
}
cp -r "$SOURCE/cases/life/glider_gun" case
program=$PWD/installed/bin/tessera
settings=(--set "controlDict:libs=(\"$PWD/plugin/build/libparity.so\")" --set automatonProperties:rule=parity
  --set 'automatonProperties:stop={ generations 32; }' --quiet --allow-code)

build parity
# what makes a rule of the tree fast, and its bits, come with the package
grep -o '"command": .*ca/rules/life.cpp' "$BUILD/compile_commands.json" | tr ' ' '\n' | grep -E '^-(O|f|march|mcpu)' | grep -v -e '-fPIC' -e '-fopenmp' | sort -u > flags
[ -s flags ] || { echo 'no flags of the tree'; exit 1; }
while read -r flag; do
  grep -q -e " $flag " plugin/build/compile_commands.json || { echo "the plugin is compiled without $flag"; exit 1; }
done < flags
"$program" run case "${settings[@]}"
population=$(sed -n 's/.*"population": *\([0-9]*\).*/\1/p' case/postProcessing/report.json)
[ "$population" -gt 0 ] || { echo "population $population"; exit 1; }

build life
for ranks in 1 3; do
  if "$MPIEXEC" -n $ranks "$program" run case "${settings[@]}" 2> err; then
    echo "a second rule called life was accepted on $ranks ranks"
    exit 1
  fi
  [ "$(grep -c "^tessera: .*two plugins claim the rule 'life'" err)" = 1 ] || { cat err; exit 1; }
done
