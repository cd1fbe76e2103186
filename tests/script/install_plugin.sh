#!/usr/bin/env bash
# What is built outside the tree by the lines of docs/plugins.md, against the installed package, is compiled with the flags of the
# library and runs: a rule, a model, words of heat, a method of percolation by `libs (...)`, a program that runs cases. A plugin that
# claims a name taken is refused.
set -eu
rm -rf installed plugin case
cmake --install "$BUILD" --prefix "$PWD/installed" > install.log
mkdir -p plugin/build
cat > plugin/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.25)
project(outside C CXX)
find_package(Tessera REQUIRED)
add_library(parity MODULE parity.cpp)
target_link_libraries(parity PRIVATE Tessera::tessera)
add_library(lamps MODULE lamps.cpp)
target_link_libraries(lamps PRIVATE Tessera::tessera)
add_library(heat_words MODULE heat_words.cpp)
target_link_libraries(heat_words PRIVATE Tessera::tessera)
add_library(counted MODULE counted.cpp)
target_link_libraries(counted PRIVATE Tessera::tessera)
add_executable(runner runner.cpp)
target_link_libraries(runner PRIVATE Tessera::tessera)
END
# the sources of docs/plugins.md
awk '/^```cpp$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$SOURCE/docs/plugins.md" > blocks
awk '/^\/\/ lamps.cpp/ { out = "plugin/lamps.cpp" } /^\/\/ runner.cpp/ { out = "plugin/runner.cpp" } out { print > out }' blocks
cat > plugin/parity.cpp << 'END'
#include "ca/rule.hpp"
#include <stdexcept>
namespace parity {
/// Fredkin's replicator: the parity of the four neighbours.
struct Parity {
  static constexpr auto stencil = tessera::core::von_neumann<2>();
  KOKKOS_FUNCTION tessera::ca::State operator()(tessera::ca::State, tessera::ca::Near<Parity> near) const { return near.count(1) % 2; }
};
/// One whose constructor throws what is no error of Tessera's.
struct Angry {
  static constexpr auto stencil = tessera::core::von_neumann<2>();
  Angry() = default;
  explicit Angry(tessera::ca::RuleContext&) { throw std::runtime_error("no such table"); }
  KOKKOS_FUNCTION tessera::ca::State operator()(tessera::ca::State c, tessera::ca::Near<Angry>) const { return c; }
};
[[maybe_unused]] static bool const added = tessera::ca::add_rule<Parity>(RULE_NAME, "parity of four neighbours") &&
                                           tessera::ca::add_rule<Angry>(RULE_NAME "_angry", "throws");
}  // namespace parity
END
cat > plugin/heat_words.cpp << 'END'
#include "io/foam/sources.hpp"
#include "run/models/heat/side_conditions.hpp"
namespace heat_words {
using namespace tessera;
/// A side at 350 K.
struct Hot final : run::heat::ConditionType {
  run::heat::SideCondition read(run::heat::PatchEntry const&) const override {
    return run::heat::SideCondition::constant({solvers::Boundary::Type::fixed_value, 350});
  }
};
/// 2000 W/m3.
struct Glow final : io::foam::SourceType {
  void read(io::foam::SourceEntry const& in, io::foam::HeatSource& source) const override {
    source.where = in.dictionary.location();
    source.Su = 2000;
  }
};
[[maybe_unused]] static bool const added = run::heat::add_condition<Hot>("hot", "350 K") &&
                                           io::foam::add_source<Glow>("glow", "2000 W/m3", "");
}  // namespace heat_words
END
cat > plugin/counted.cpp << 'END'
#include "ca/clusters.hpp"
#include "run/models/percolation/method.hpp"
namespace counted {
using namespace tessera;
using namespace run::percolation;
/// Spanning clusters alone.
struct Counted final : Method {
  std::vector<std::string> fields() const override { return {"occupied"}; }
  void start(Settings const& settings, Medium const&, core::Layout const&) override { lattice = settings.lattice; }
  Crossed cross(Query const& query) override {
    auto const axis = static_cast<std::size_t>(query.crossing.axis);
    auto const spanning = ca::find_clusters(query.occupied, {.lattice = lattice}).spanning[axis];
    Crossed found;
    found.name = query.crossing.name;
    found.spans = static_cast<bool>(spanning);
    found.flag("spans", found.spans);
    found.count("spanningClusters", spanning.clusters);
    found.count("spanningSites", spanning.sites);
    return found;
  }
  ca::Lattice lattice;
};
[[maybe_unused]] static bool const added = add_method<Counted>("counted", "spanning clusters alone");
}  // namespace counted
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
grep -oE '"command": .*(ca/rules/life\.cpp|tessera_ca\.dir/Unity/unity_0_cxx\.cxx)' "$BUILD/compile_commands.json" | tr ' ' '\n' | grep -E '^-(O|f|march|mcpu)' | grep -v -e '-fPIC' -e '-fopenmp' | sort -u > flags
[ -s flags ] || { echo 'no flags of the tree'; exit 1; }
while read -r flag; do
  grep -q -e " $flag " plugin/build/compile_commands.json || { echo "the plugin is compiled without $flag"; exit 1; }
done < flags
"$program" run case "${settings[@]}"
population=$(sed -n 's/.*"population": *\([0-9]*\).*/\1/p' case/postProcessing/report.json)
[ "$population" -gt 0 ] || { echo "population $population"; exit 1; }

# what it is, without a case
"$program" list --libs "$PWD/plugin/build/libparity.so" rules | grep -q 'parity of four neighbours' || { echo "list --libs does not show the rule"; exit 1; }
"$program" help parity_rule --libs "$PWD/plugin/build/libnone.so" 2>&1 | grep -q "command line: --libs: cannot open '.*libnone.so'" || { echo "a library that is not there"; exit 1; }

# what a plugin throws itself names the entry that asks for it, and check tells the other errors, too
cp -r case angry
sed -i 's/^rule.*/rule parity_angry;/; s/^update /updte /' angry/constant/automatonProperties
sed -i 's/^application.*/application cellularAutomaton;\nlibs (parity);/' angry/system/controlDict
export LD_LIBRARY_PATH=$PWD/plugin/build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
said="angry/constant/automatonProperties:[0-9]*: .*'parity_angry' ends with an error of its own: no such table"
code=0
"$program" run angry > out 2> err || code=$?
[ $code = 1 ] && grep -q "^tessera: $said" err || { echo "a rule that throws: exit code $code"; cat err; exit 1; }
code=0
"$program" check angry > out 2> err || code=$?
[ $code = 1 ] && grep -q "^$said" err && grep -q "unknown entry 'updte'" err && grep -q '^2 errors' err ||
  { echo "check of a rule that throws: exit code $code"; cat err; exit 1; }
# one that is there, but lacks a symbol
echo 'void nowhere(void); void somewhere(void) { nowhere(); }' | cc -shared -fPIC -x c - -o plugin/build/libmissing.so
"$program" list --libs missing 2>&1 | grep -q 'undefined symbol: nowhere' || { echo 'a library that lacks a symbol: no such reason'; exit 1; }
"$program" list --libs absent 2>&1 | grep -q "cannot open 'absent': absent: .*No such file" || { echo 'a library that is not there: no such reason'; exit 1; }

build life
for ranks in 1 3; do
  if "$MPIEXEC" -n $ranks "$program" run case "${settings[@]}" 2> err; then
    echo "a second rule called life was accepted on $ranks ranks"
    exit 1
  fi
  [ "$(grep -c "^tessera: .*two plugins claim the rule 'life'" err)" = 1 ] || { cat err; exit 1; }
done

# a model of their own: snapshots, restart and report are the driver's
rm -rf case
cp -r "$SOURCE/cases/life/glider_gun" case
rm case/constant/automatonProperties
lamps=(--set "controlDict:libs=(\"$PWD/plugin/build/liblamps.so\")" --set controlDict:application=lamps --quiet --allow-code)
echo 'steps 3;' > case/constant/lampsProperties
"$MPIEXEC" -n 2 "$program" run case "${lamps[@]}"
[ -s case/results/000003.h5 ] || { echo 'the model wrote no snapshot'; exit 1; }
"$program" run case "${lamps[@]}" --set constant/lampsProperties:steps=5 --set controlDict:startFrom=latestTime
grep -q '"lit": *10800' case/postProcessing/report.json || { cat case/postProcessing/report.json; exit 1; }

# a boundary condition and a source of heat: the same as with the words that are there
rm -rf case
cp -r "$SOURCE/tests/data/laplacian_small" case
common=(--quiet --allow-code --set "controlDict:libs=(\"$PWD/plugin/build/libheat_words.so\")")
hash_of() { tr -d ' \n' < case/postProcessing/report.json | sed 's/.*"hash":{\([^}]*\)}.*/\1/'; }
sed -i 's/^ *left .*/    left { type fixedValue; value uniform 350; }/' case/0/T
"$program" run case "${common[@]}" \
  --set 'system/fvOptions:glow={ type scalarSemiImplicitSource; selectionMode all; volumeMode specific; sources { T (2000 0); } }'
there=$(hash_of)
sed -i 's/^ *left .*/    left { type hot; }/' case/0/T
"$program" run case "${common[@]}" --set 'system/fvOptions:glow={ type glow; selectionMode all; }'
[ "$(hash_of)" = "$there" ] || { echo "other temperatures by the plugin's words: $(hash_of), not $there"; exit 1; }

# a method of percolation: what the one that is there finds
rm -rf case
cp -r "$SOURCE/cases/percolation/triangular" case
common=(--quiet --allow-code --set "controlDict:libs=(\"$PWD/plugin/build/libcounted.so\")"
  --set percolationProperties:direction=y --set percolationProperties:backbone=no)
spanning() { tr -d ' \n' < case/postProcessing/report.json | grep -oE '"(spans|spanningClusters|spanningSites|shortestPath)":[a-z0-9]+'; }
"$program" run case "${common[@]}"
there=$(spanning)
"$MPIEXEC" -n 2 "$program" run case "${common[@]}" --set percolationProperties:method=counted
[ -n "$there" ] && [ "$(spanning)" = "$there" ] || { echo "the plugin's method finds $(spanning), not $there"; exit 1; }

# a program of a few lines that runs a case
rm -rf case
cp -r "$SOURCE/cases/life/glider_gun" case
"$MPIEXEC" -n 2 plugin/build/runner case > runner.log
"$program" expect case
