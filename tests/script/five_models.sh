#!/usr/bin/env bash
# Five models as a user writes them, outside the tree and in at most 30 lines each: Brian's Brain, a forest fire, Gray-Scott, majority in
# space, a sandpile. On 1 and on 3 ranks they give the same bits, those of numpy with the same draws.
set -eu
[ -n "${PYTHON:-}" ] && "$PYTHON" -c 'import numpy' 2> /dev/null || { echo 'needs numpy'; exit 77; }
rm -rf installed plugin cases
cmake --install "$BUILD" --prefix "$PWD/installed" > install.log
mkdir -p plugin/build
cat > plugin/CMakeLists.txt << 'END_OF_FILE'
cmake_minimum_required(VERSION 3.25)
project(models C CXX)
find_package(Tessera REQUIRED)
add_library(models MODULE brain.cpp fire.cpp turing.cpp vote.cpp sand.cpp)
set_target_properties(models PROPERTIES UNITY_BUILD ON)
target_link_libraries(models PRIVATE Tessera::tessera)
END_OF_FILE
cat > plugin/brain.cpp << 'END_OF_FILE'
#include "ca/rule.hpp"
namespace brain {
using namespace tessera::ca;
/// Brian's Brain: 0 ready, 1 firing, 2 tired.
struct Brain {
  static constexpr int states = 3;
  static constexpr auto stencil = tessera::core::moore<2>();
  KOKKOS_FUNCTION State operator()(State centre, Near<Brain> near) const {
    return centre == 1 ? 2 : centre == 0 && near.count(1) == 2 ? 1 : 0;
  }
};
[[maybe_unused]] static bool const added = add_rule<Brain>("brain", "Brian's Brain");
}  // namespace brain
END_OF_FILE
cat > plugin/fire.cpp << 'END_OF_FILE'
#include "ca/rule.hpp"
namespace fire {
using namespace tessera::ca;
/// 0 empty, 1 tree, 2 fire.
struct Fire {
  static constexpr int states = 3;
  static constexpr bool random = true;
  static constexpr auto stencil = tessera::core::von_neumann<2>();
  double growth = 0.05, lightning = 0.001;
  void parameters(Parameters& in) {
    in("growth", growth, {0, 1}, "of trees");
    in("lightning", lightning, {0, 1}, "on trees");
  }
  KOKKOS_FUNCTION State operator()(State centre, Near<Fire> near) const {
    if (centre == 2) return 0;
    if (centre == 0) return near.uniform() < growth ? 1 : 0;
    return near.count(2) > 0 || near.uniform(1) < lightning ? 2 : 1;
  }
};
[[maybe_unused]] static bool const added = add_rule<Fire>("fire", "a forest that burns");
}  // namespace fire
END_OF_FILE
cat > plugin/turing.cpp << 'END_OF_FILE'
#include "ca/rule.hpp"
namespace turing {
using namespace tessera::ca;
/// Gray-Scott.
struct Turing {
  struct State {
    double u, v;
    static constexpr auto fields = names("u", "v");
  };
  static constexpr auto stencil = tessera::core::von_neumann<2>();
  double feed = 0.04, kill = 0.06;
  void parameters(Parameters& in) {
    in("feed", feed, "F");
    in("kill", kill, "k");
  }
  KOKKOS_FUNCTION State operator()(State c, Near<Turing> near) const {
    double const u = near(-1).u + near(1).u + near(0, -1).u + near(0, 1).u - 4 * c.u;
    double const v = near(-1).v + near(1).v + near(0, -1).v + near(0, 1).v - 4 * c.v;
    double const r = c.u * c.v * c.v;
    return {c.u + 0.2 * u - r + feed * (1 - c.u), c.v + 0.1 * v + r - (feed + kill) * c.v};
  }
};
[[maybe_unused]] static bool const added = add_rule<Turing>("turing", "Gray-Scott");
}  // namespace turing
END_OF_FILE
cat > plugin/vote.cpp << 'END_OF_FILE'
#include "ca/rule.hpp"
namespace vote {
using namespace tessera::ca;
/// The majority of a cell and its 26 neighbours.
struct Vote {
  static constexpr int states = 2;
  static constexpr auto stencil = tessera::core::moore<3>();
  KOKKOS_FUNCTION State operator()(State centre, Near<Vote> near) const { return near.count(1) + centre > 13; }
};
[[maybe_unused]] static bool const added = add_rule<Vote>("vote", "majority in space");
}  // namespace vote
END_OF_FILE
cat > plugin/sand.cpp << 'END_OF_FILE'
#include "ca/rule.hpp"
namespace sand {
using namespace tessera::ca;
/// The abelian sandpile.
struct Sand {
  using State = std::int32_t;
  static constexpr auto stencil = tessera::core::von_neumann<2>();
  static constexpr auto quantities = names("topplings");
  KOKKOS_FUNCTION State operator()(State z, Near<Sand> near) const {
    return z % 4 + near(-1) / 4 + near(1) / 4 + near(0, -1) / 4 + near(0, 1) / 4;
  }
  double quantity(int, State z, Near<Sand>) const { return z / 4; }
};
[[maybe_unused]] static bool const added = add_rule<Sand>("sand", "a sandpile");
}  // namespace sand
END_OF_FILE
for file in plugin/*.cpp; do
  [ "$(wc -l < "$file")" -le 30 ] || { echo "$file has more than 30 lines"; exit 1; }
done
cmake -G Ninja -S plugin -B plugin/build -DCMAKE_PREFIX_PATH="$PWD/installed" > plugin.log
cmake --build plugin/build >> plugin.log
program=$PWD/installed/bin/tessera

make_case() { # name cells properties
  mkdir -p "cases/$1/system" "cases/$1/constant"
  echo "application cellularAutomaton; libs (\"$PWD/plugin/build/libmodels.so\");" > "cases/$1/system/controlDict"
  echo "cells $2; tile (16 7 3);" > "cases/$1/system/gridDict"
  echo "rule $1; $3 series { every 1; }" > "cases/$1/constant/automatonProperties"
}
around='boundary { left periodic; right periodic; bottom periodic; top periodic; }'
make_case brain '(45 31 1)' "initial { type random; low 0; high 2; seed 4; } $around stop { generations 60; }"
make_case fire '(45 31 1)' "initial { type random; probability 0.6; seed 4; } seed 9; growth 0.1; $around stop { generations 60; }"
make_case turing '(45 31 1)' "initial { u { type random; low 0.5; high 1; seed 4; } v { type random; low 0; high 0.5; seed 5; } }
  $around stop { generations 60; }"
make_case vote '(19 17 13)' 'initial { type random; seed 4; } stop { generations 20; }'
make_case sand '(45 31 1)' 'initial { type random; low 0; high 5; seed 4; } stop { generations 900; when "topplings == 0"; }'
hashes() { sed -n '/^  "hash": {/,/^  }/p' "cases/$1/postProcessing/report.json" | grep '": "'; }
for model in brain fire turing vote sand; do
  "$program" run cases/$model --quiet --allow-code
  hashes $model > one.hash
  cp cases/$model/postProcessing/series.csv one.csv
  "$MPIEXEC" -n 3 "$program" run cases/$model --quiet --allow-code
  hashes $model | diff one.hash - || { echo "$model: 1 and 3 ranks differ"; exit 1; }
  diff one.csv cases/$model/postProcessing/series.csv || { echo "$model: the series of 1 and 3 ranks differ"; exit 1; }
done
cat > compare.py << 'END_OF_FILE'
import glob, os, subprocess, sys
import numpy as np
sys.path.insert(0, os.environ["SOURCE"] + "/cases/automata")
from reference import beside, start, uniform
def check(model, **expected):
    last = sorted(glob.glob(f"cases/{model}/results/*.h5"))[-1]
    for field, value in expected.items():
        subprocess.run([sys.argv[1], "convert", f"{last}:/fields/{field}", "field.npy"], check=True, stdout=subprocess.DEVNULL)
        found = np.load("field.npy").reshape(value.shape)
        assert np.array_equal(found, value), f"{model}: {np.sum(found != value)} cells of {field} differ"
shape = 31, 45
z = (3 * start(shape, 4)).astype(int)
for _ in range(60):
    fires = sum(np.roll(z == 1, (a, b), (0, 1)).astype(int) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b)
    z = np.where(z == 1, 2, (z == 0) & (fires == 2))
check("brain", state=z)
z = (start(shape, 4) < 0.6).astype(int)
for g in range(60):
    burns = sum(x.astype(int) for x in beside(z == 2)) > 0
    lit = burns | (uniform(shape, 9, g, k=1) < 0.001)
    z = np.where(z == 2, 0, np.where(z == 0, uniform(shape, 9, g) < 0.1, 1 + lit))
check("fire", state=z)
u, v = 0.5 + 0.5 * start(shape, 4), 0.5 * start(shape, 5)
for _ in range(60):
    sums = [w + e + s + t - 4 * a for a in (u, v) for w, e, s, t in [beside(a)]]
    r = u * v * v
    u, v = u + 0.2 * sums[0] - r + 0.04 * (1 - u), v + 0.1 * sums[1] + r - (0.04 + 0.06) * v
check("turing", u=u, v=v)
z = (start((13, 17, 19), 4) < 0.5).astype(int)
for _ in range(20):
    p = np.pad(z, 1)
    z = (sum(p[a:a + 13, b:b + 17, c:c + 19] for a in range(3) for b in range(3) for c in range(3)) > 13).astype(int)
check("vote", state=z)
z = (6 * start(shape, 4)).astype(int)
while (z > 3).any():
    z = z % 4 + sum(beside(z // 4, 0))
check("sand", state=z)
END_OF_FILE
"$PYTHON" compare.py "$program"
