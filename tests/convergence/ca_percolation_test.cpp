// SPDX-License-Identifier: Apache-2.0
#include "ca/percolation.hpp"
#include "tests/support/automata.hpp"

#include <gtest/gtest.h>

namespace tessera::tests {

/// All interiors of the 7 x 7 grid, many beside each other between the same bars, parted by white columns: a grid of its
/// own for each would take minutes. The backbone (D2) of one does not depend on the others, and neither does that by D1
/// where it spans: only where it does not, its arches are backbone because others span.
class Mosaic {
 public:
  static constexpr int inner = 5, step = inner + 1, blocks = 8192;

  Mosaic()
      : layout_(make_layout({step * blocks + 1, inner + 2, 1}, {2048, inner + 2, 1})),
        field_("occupied", *layout_, 1),
        percolator_(*layout_) {
    ca::frame(field_, ca::Direction::y);
  }

  /// Draws the interiors of numbers first .. first + blocks - 1.
  void draw(std::uint64_t first) {
    auto const cells = field_.host();
    for_each_column([&](int slot, int i, int block, int column) {
      for (int row = 0; row < inner; ++row)
        cells(slot, 0, row + 1, i) =
            column < 0 ? 0 : (first + static_cast<std::uint64_t>(block)) >> (row * inner + column) & 1;
    });
  }

  struct Sums {
    std::int64_t spanning = 0, d1 = 0, d2 = 0;
  };
  Sums count() {
    Sums sums;
    auto const sites = find(ca::Definition::D2), sites_d1 = find(ca::Definition::D1);
    for (std::size_t block = 0; block < blocks; ++block) {
      if (sites[block] == 0) continue;
      ++sums.spanning;
      sums.d1 += sites_d1[block];
      sums.d2 += sites[block];
    }
    return sums;
  }

 private:
  template <class F>
  void for_each_column(F const& f) const {
    for (int slot = 0; slot < layout_->tiles(); ++slot) {
      auto const& info = layout_->info(slot);
      for (int i = 0; i < info.ni; ++i) {
        int const x = static_cast<int>(info.i0) + i;
        f(slot, i, (x - 1) / step, x == 0 || (x - 1) % step == inner ? -1 : (x - 1) % step);
      }
    }
  }
  /// Sites of the backbone of each block.
  std::vector<int> find(ca::Definition definition) {
    auto const& result = percolator_.run(field_, {.definition = definition,
                                                  .label = false,
                                                  .spanning = false,
                                                  .articulation = false,
                                                  .red = false,
                                                  .clusters = false});
    std::vector<int> sites(blocks, 0);
    auto const cells = std::as_const(*result.backbone).host();
    for_each_column([&](int slot, int i, int block, int column) {
      if (column < 0) return;
      for (int row = 1; row <= inner; ++row) sites[block] += cells(slot, 0, row, i);
    });
    return sites;
  }

  std::unique_ptr<core::Layout> layout_;
  core::Field<std::uint8_t> field_;
  ca::Percolator percolator_;
};

// The number of spanning ones is in OEIS A359576; the sums are those of a block search on each grid.
TEST(Percolation, GivesTheGoldenSumsOfSeven) {
  Mosaic mosaic;
  Mosaic::Sums sums;
  for (std::uint64_t first = 0; first < std::uint64_t{1} << 25; first += Mosaic::blocks) {
    mosaic.draw(first);
    auto const part = mosaic.count();
    sums.spanning += part.spanning;
    sums.d1 += part.d1;
    sums.d2 += part.d2;
  }
  EXPECT_EQ(sums.spanning, 10056959);
  EXPECT_EQ(sums.d1, 113789786);
  EXPECT_EQ(sums.d2, 108960554);
}

}  // namespace tessera::tests
