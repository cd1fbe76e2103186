// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pores_check.hpp"

namespace tessera::tests {

TEST(Pores, EqualTheSlowWayOnShuffledTiles) {
  check_pores(*shuffled_layout({14, 11, 9}, {5, 4, 3}), ca::make_lattice("cubic", 6), 0.6, 1);
  check_pores(*shuffled_layout({14, 11, 9}, {3, 4, 5}, {true, true, false}), ca::make_lattice("cubic", 18), 0.8, 2);
  check_pores(*shuffled_layout({40, 23, 1}, {7, 6, 1}), ca::make_lattice("square", 4), 0.6, 3);
  check_pores(*shuffled_layout({40, 23, 1}, {9, 23, 1}, {false, true, false}), ca::make_lattice("square", 8), 0.9, 4);
}

TEST(ClusterTable, EqualsSumsOverTheCellsOnShuffledTiles) {
  check_cluster_table(*shuffled_layout({14, 11, 9}, {5, 4, 3}, {false, true, false}), ca::make_lattice("cubic", 6), 0.4,
                      1, 1);
  check_cluster_table(*shuffled_layout({41, 22, 1}, {6, 7, 1}), ca::make_lattice("square", 4), 0.5, 2, 3);
}

}  // namespace tessera::tests
