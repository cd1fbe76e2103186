// SPDX-License-Identifier: Apache-2.0
#include "core/comm/node.hpp"
#include "core/grid/field.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/transports.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <set>
#include <thread>

using namespace tessera::core;
using namespace tessera::tests;

namespace tessera::tests {

struct Wave {
  TileInfo const* info;
  KOKKOS_FUNCTION double operator()(int slot, int k, int j, int i) const {
    Index const x = info[slot].global(k, j, i);
    return 1.0 / static_cast<double>(1 + x.i + 7 * x.j + 100 * x.k) - 0.01;
  }
};

/// Every halo cell within `depth` that is reached holds the number of the cell it stands for; others and cells outside the grid are
/// untouched.
template <class T>
void expect_right_halo(Field<T> const& field, int depth, Reach reach) {
  auto const& layout = field.layout();
  auto const& grid = layout.grid();
  auto const v = field.host();
  auto const n = grid.cells();
  std::array<int, 3> d{};
  for (int a = 0; a < 3; ++a) d[a] = grid.thin(a) ? 0 : depth;
  auto const wrap = [&](Count x, std::size_t a) {
    return grid.periodic(static_cast<int>(a)) ? ((x % n[a]) + n[a]) % n[a] : x;
  };
  for (int s = 0; s < layout.tiles(); ++s) {
    auto const& t = layout.info(s);
    for (int k = -d[2]; k < t.nk + d[2]; ++k)
      for (int j = -d[1]; j < t.nj + d[1]; ++j)
        for (int i = -d[0]; i < t.ni + d[0]; ++i) {
          auto const side = [](int x, int cells) { return (x >= cells) - (x < 0); };
          int const di = side(i, t.ni), dj = side(j, t.nj), dk = side(k, t.nk);
          bool const own = di == 0 && dj == 0 && dk == 0;
          if (!own && !reach.has(di, dj, dk)) {
            ASSERT_EQ(v(s, k, j, i), T(99)) << "tile " << t.tile << " at " << i << " " << j << " " << k;
            continue;
          }
          Index const x{wrap(t.i0 + i, 0), wrap(t.j0 + j, 1), wrap(t.k0 + k, 2)};
          T const expected = grid.box().contains(x) ? static_cast<T>(grid.number(x)) : T(99);
          ASSERT_EQ(v(s, k, j, i), expected) << "tile " << t.tile << " at " << i << " " << j << " " << k;
        }
  }
}

void add_to_own(Field<std::int64_t>& field, std::int64_t more) {
  auto const v = field.host();
  for_own_cells(field.layout(), [&](int s, int k, int j, int i) { v(s, k, j, i) += more; });
}

/// Every cell of the grid within `depth` of a tile holds its number and `more`, those outside -1.
void expect_numbers(Field<std::int64_t> const& field, int depth, std::int64_t more) {
  auto const& grid = field.layout().grid();
  auto const v = field.host();
  for (int s = 0; s < field.layout().tiles(); ++s) {
    auto const& t = field.layout().info(s);
    for (int j = -depth; j < t.nj + depth; ++j)
      for (int i = -depth; i < t.ni + depth; ++i) {
        Index const x{t.i0 + i, t.j0 + j, 0};
        std::int64_t const expected = grid.box().contains(x) ? grid.number(x) + more : -1;
        ASSERT_EQ(v(s, 0, j, i), expected) << "tile " << t.tile;
      }
  }
}

template <class T>
void check_halo(Grid const& shape, int depth, Reach reach) {
  Comm const world;
  auto const grid = std::make_shared<Grid const>(shape);
  for (Transport const by : transports)
    for (auto const& owners : owner_tables(*grid, world.size())) {
      By const chosen(by);
      Layout const layout(grid, owners, world);
      Field<T> field("number", layout, depth, T(99));
      fill_by_number(field);
      Halo halo(layout, depth, reach);
      halo.exchange(field);
      expect_right_halo(field, depth, reach);
      EXPECT_EQ(halo.interior().count() + halo.edge().count(), layout.tiles());
      EXPECT_LT(halo.neighbours(), world.size());
    }
}

/// Cells of other ranks within `depth` of this rank's tiles, once for each tile that they are near to: what a rank must be
/// sent. Counted cell by cell.
Count cells_around(Layout const& layout, int depth, std::set<int>& from) {
  auto const& grid = layout.grid();
  Count cells = 0;
  for (int s = 0; s < layout.tiles(); ++s) {
    auto const& t = layout.info(s);
    for (int j = -depth; j < t.nj + depth; ++j)
      for (int i = -depth; i < t.ni + depth; ++i) {
        Index const x{t.i0 + i, t.j0 + j, 0};
        if (!grid.box().contains(x)) continue;
        int const owner = layout.owner(grid.tile_number({x.i / grid.tile()[0], x.j / grid.tile()[1], 0}));
        if (owner == layout.comm().rank()) continue;
        ++cells;
        from.insert(owner);
      }
  }
  return cells;
}

}  // namespace tessera::tests

TEST(Halo, CarriesFacesEdgesAndCornersAcrossRanks) {
  check_halo<std::int32_t>(Grid::unit({37, 23, 1}, {8, 7, 1}), 1, Reach::all);
  check_halo<double>(Grid::unit({37, 23, 1}, {8, 7, 1}), 3, Reach::all);
  check_halo<std::int64_t>(Grid::unit({17, 11, 9}, {6, 5, 4}), 2, Reach::all);
  check_halo<float>(Grid::unit({64, 1, 1}, {16, 1, 1}), 2, Reach::all);
}

TEST(Halo, CarriesOnlyFacesWhenAsked) { check_halo<std::int32_t>(Grid::unit({17, 11, 9}, {6, 5, 4}), 1, Reach::faces); }

TEST(Halo, CarriesWhatAnOffsetReachesOneWay) {
  EXPECT_EQ(Reach::of({2, 0, 0}).opposite(), Reach::of({-1, 0, 0}));
  EXPECT_EQ(Reach::of({0, 0, 0}), Reach::none);
  auto const corner = Reach::of({1, -1, 1});
  EXPECT_TRUE(corner.has(1, 0, 1) && corner.has(0, -1, 0) && !corner.has(-1, 0, 0) && !corner.has(0, 0, 0));
  for (Offset const o : {Offset{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {-1, 1, 0}, {1, 0, -1}, {-1, -1, -1}, {0, 0, 0}})
    for (bool const round : {false, true}) {
      check_halo<std::int32_t>(Grid::unit({17, 11, 9}, {6, 5, 4}, {round, round, round}), 2, Reach::of(o));
      check_halo<double>(Grid::unit({17, 11, 9}, {6, 5, 4}, {round, false, false}), 1, Reach::of(o) | Reach::faces);
      check_halo<double>(Grid::unit({9, 5, 1}, {4, 3, 1}, {round, round, false}), 7, Reach::of(o));
    }
}

TEST(Halo, WrapsPeriodicAxes) {
  check_halo<std::int32_t>(Grid::unit({20, 12, 1}, {8, 6, 1}, {true, true, false}), 2, Reach::all);
  check_halo<std::int32_t>(Grid::unit({20, 12, 6}, {8, 6, 6}, {true, false, true}), 1, Reach::all);
}

TEST(Halo, MayBeDeeperThanATile) {
  check_halo<std::int32_t>(Grid::unit({13, 10, 1}, {4, 3, 1}), 5, Reach::all);
  check_halo<std::int32_t>(Grid::unit({9, 7, 1}, {4, 3, 1}, {true, true, false}), 11, Reach::all);
}

TEST(Halo, SendsOneMessageToEachNeighbouringRankWithTheCellsOfTheFringe) {
  Comm const world;
  if (world.size() != 4) GTEST_SKIP() << "the count below is for 4 ranks";
  auto const grid = std::make_shared<Grid const>(Grid::unit({32, 32, 1}, {4, 4, 1}));
  std::vector<int> quarters(64);
  for (int t = 0; t < 64; ++t) quarters[t] = (t / 8 / 4) * 2 + (t % 8) / 4;
  Layout const layout(grid, quarters, world);
  Halo const halo(layout, 1, Reach::faces);
  EXPECT_EQ(halo.neighbours(), 2);
  EXPECT_EQ(halo.cells_sent(), 2 * 16);  // two faces of 16 cells
}

TEST(Halo, CountsAMessageForEachNeighbourAndTheBytesOfTheFringeOnBothTransports) {
  Comm const world;
  auto const nodes = memory_nodes(world);
  auto const me = static_cast<std::size_t>(world.rank());
  auto const grid = std::make_shared<Grid const>(Grid::unit({37, 23, 1}, {8, 7, 1}));
  for (Transport const by : transports)
    for (auto const& owners : owner_tables(*grid, world.size())) {
      By const chosen(by);
      Layout const layout(grid, owners, world);
      Field<float> field("number", layout, 2);
      Halo halo(layout, 2);
      std::set<int> from;
      Count const cells = world.sum(cells_around(layout, 2, from));
      HaloCounts const before = halo_counts();
      halo.exchange(field);
      halo.exchange(field);
      HaloCounts const now = halo_counts();
      auto const neighbours = static_cast<std::int64_t>(from.size());
      auto const near = std::count_if(from.begin(), from.end(), [&](int rank) { return nodes[rank] == nodes[me]; });
      EXPECT_EQ(now.messages - before.messages, 2 * neighbours);
      EXPECT_EQ(now.rounds - before.rounds, neighbours > 0 ? 2 : 0);
      EXPECT_EQ(world.sum(now.bytes - before.bytes), 2 * 4 * cells);
      bool const shares = on_host && by == Transport::shared_memory && node_of(world) != nullptr;
      EXPECT_EQ(now.shared_messages - before.shared_messages, shares ? 2 * near : 0);
      EXPECT_LE(now.shared_bytes - before.shared_bytes, now.bytes - before.bytes);
      EXPECT_EQ(now.shared_bytes - before.shared_bytes == now.bytes - before.bytes, neighbours == (shares ? near : 0));
    }
}

TEST(Halo, GoesOverToSharedMemoryInTheFourthRound) {
  Comm const world;
  auto const layout = shuffled_layout({40, 40, 1}, {8, 8, 1});
  Field<std::int32_t> field("number", *layout, 1, 99);
  fill_by_number(field);
  Halo halo(*layout);
  std::int64_t const before = halo_counts().shared_messages;
  for (int n = 0; n < 3; ++n) halo.exchange(field);
  EXPECT_EQ(halo_counts().shared_messages, before);
  halo.exchange(field);
  bool const all_share = on_host && node_of(world) != nullptr && node_of(world)->size() == world.size();
  EXPECT_LE(halo_counts().shared_messages, before + halo.neighbours());
  EXPECT_EQ(halo_counts().shared_messages == before + halo.neighbours(), all_share || halo.neighbours() == 0);
  expect_right_halo(field, 1, Reach::all);
}

// Ranks go through many rounds at their own pace: what was packed must not be overwritten before it is read. Two plans
// alternate, one changes its type and grows, plans come and go in the same memory.
TEST(Halo, KeepsRoundsApartWhileRanksAreOfUnequalSpeed) {
  Comm const world;
  auto const layout = shuffled_layout({60, 44, 1}, {7, 6, 1});
  By const chosen(Transport::shared_memory);
  Halo first(*layout, 1);
  for (int again = 0; again < 3; ++again) {
    Halo second(*layout, 2);
    Field<std::int64_t> a("a", *layout, 2), b("b", *layout, 2);
    Field<std::uint8_t> c("c", *layout, 1);
    for (int round = 0; round < 40; ++round) {
      // the value of a cell tells its number and the round
      a.fill(-1);
      b.fill(-1);
      fill_by_number(a);
      fill_by_number(b);
      add_to_own(a, 10'000 * round);
      add_to_own(b, 10'000 * round + 5'000);
      first.start(a);
      second.start(b);
      if ((round + world.rank()) % 7 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
      first.finish(a);
      second.finish(b);
      expect_numbers(a, 1, 10'000 * round);
      expect_numbers(b, 2, 10'000 * round + 5'000);
      if (round % 10 != 3) continue;
      c.fill(99);
      fill_by_number(c);
      first.exchange(c);  // smaller values in the room for larger ones
      expect_right_halo(c, 1, Reach::all);
    }
  }
}

TEST(Sum, HasTheSameBitsForEveryOwnerTable) {
  Comm const world;
  auto const grid = std::make_shared<Grid const>(Grid::unit({123, 77, 3}, {16, 16, 2}));
  Layout const alone(grid, std::vector<int>(grid->tiles(), 0), world);
  double const reference = sum("wave", alone, Wave{alone.all().info.data()});
  double serial = 0;
  for (Count k = 0; k < 3; ++k)
    for (Count j = 0; j < 77; ++j)
      for (Count i = 0; i < 123; ++i) serial += 1.0 / static_cast<double>(1 + i + 7 * j + 100 * k) - 0.01;
  EXPECT_NEAR(reference, serial, 1e-11);  // 28 413 terms below 1, rounding 1e-16 each
  for (auto const& owners : owner_tables(*grid, world.size())) {
    Layout const layout(grid, owners, world);
    Wave const wave{layout.all().info.data()};
    EXPECT_EQ(sum("wave", layout, wave), reference);
    EXPECT_EQ(tessera::core::max("wave", layout, wave), 0.99);
    EXPECT_EQ(tessera::core::min("wave", layout, wave), 1.0 / (1 + 122 + 7 * 76 + 200) - 0.01);
  }
}

TEST(Hash, TellsFieldsApartAndNotLayouts) {
  Comm const world;
  std::string digits;
  for (Grid::Shape tile : {Grid::Shape{0, 0, 0}, {16, 16, 1}, {5, 9, 1}}) {
    auto const grid = std::make_shared<Grid const>(Grid::unit({61, 45, 1}, tile));
    for (auto const& owners : owner_tables(*grid, world.size())) {
      Layout const layout(grid, owners, world);
      Field<double> field("number", layout, 1);
      fill_by_number(field);
      std::string const h = hash(field);
      EXPECT_EQ(h.size(), 16u);
      if (digits.empty()) digits = h;
      EXPECT_EQ(h, digits);
      if (layout.slot(0) >= 0) field.host()(layout.slot(0), 0, 0, 1) = 1.5;
      EXPECT_NE(hash(field), digits);
    }
  }
}

TEST(Comm, ExchangesBlocksWithWhomeverItLikes) {
  Comm const world;
  std::map<int, Bytes> outgoing;
  for (int to = world.rank() % 2; to < world.size(); to += 2) append(outgoing[to], 1000 * world.rank() + to);
  for (auto const& [from, data] : world.exchange(outgoing)) {
    EXPECT_EQ(world.rank() % 2, from % 2);
    EXPECT_EQ(ByteReader(data).take<int>(), 1000 * from + world.rank());
  }
}
