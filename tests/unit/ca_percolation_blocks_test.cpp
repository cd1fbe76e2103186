// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/kernels.hpp"
#include "ca/parts/tile_parts.hpp"
#include "ca/plane/blocks.hpp"

#include <gtest/gtest.h>
#include <random>

namespace tessera::ca::percolation {
namespace {

template <class F>
void for_each_tile_of_cells(F const& f) {
  unsigned seed = 1;
  for (int ni : {1, 2, 3, 62, 63, 64, 126, 300, 512, 1100})
    for (int nj : {1, 2, 40})
      for (double p : {0.0, 0.3, 0.55, 0.6, 0.65, 0.8, 1.0}) {
        std::mt19937_64 random(++seed);
        std::bernoulli_distribution draw(p);
        BitTile tile;
        tile.shape(ni, nj, 1);
        for (int r = 0; r < tile.rows(); ++r)
          for (int x = 0; x < tile.columns(); ++x) tile.set(r, x, draw(random));
        SCOPED_TRACE(testing::Message() << ni << " x " << nj << ", p = " << p);
        f(tile);
        if (testing::Test::HasFailure()) return;
      }
}

// One call may take more cells away with wide vectors than without; what is left in the end is the same.
TEST(Blocks, ArePrunedAlikeWithWideVectorsAndWithout) {
  if (parts::wide_kernels() == nullptr) GTEST_SKIP() << "no wide vectors here";
  for_each_tile_of_cells([](BitTile const& black) {
    BitTile plain = black, wide = black;
    for (BitTile last; last.bits != plain.bits;) {
      last = plain;
      prune_portable(plain);
    }
    for (BitTile last; last.bits != wide.bits;) {
      last = wide;
      prune_wide(wide);
    }
    EXPECT_EQ(plain.bits, wide.bits);
    for (int r = 0; r < black.rows(); ++r)
      for (int x = 0; x < black.columns(); ++x)
        if (r <= 1 || r >= black.nj || x <= 1 || x >= black.ni) {
          EXPECT_EQ(plain.test(r, x), black.test(r, x));
        }
  });
}

TEST(Blocks, AreClassifiedAlikeWithWideVectorsAndWithout) {
  if (parts::wide_kernels() == nullptr) GTEST_SKIP() << "no wide vectors here";
  for_each_tile_of_cells([](BitTile const& black) {
    parts::TileParts faces;
    BitTile& white = faces.bits = black;
    for (int r = 0; r < white.rows(); ++r)
      for (int w = 0; w < white.words; ++w) white.row(r)[w] = ~black.row(r)[w] & black.valid(w);
    parts::find_parts(faces, 1, make_lattice("square", 8), parts::Measure::none);
    Edges plain, wide;
    classify_portable(black, faces.runs, faces.of, plain);
    classify_wide(black, faces.runs, faces.of, wide);
    EXPECT_EQ(plain.beside.bits, wide.beside.bits);
    EXPECT_EQ(plain.below.bits, wide.below.bits);
    EXPECT_EQ(plain.split_a.bits, wide.split_a.bits);
    EXPECT_EQ(plain.split_b.bits, wide.split_b.bits);
  });
}

}  // namespace
}  // namespace tessera::ca::percolation
