// SPDX-License-Identifier: Apache-2.0
#include "ca/pores/balls.hpp"

#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace tessera::ca {
namespace {

using core::Count;
using Squares = core::Field<std::int32_t>;

/// About a centre counted from a tile's first cell.
struct Ball {
  int i, j, k;
  std::int32_t square;
};

/// The whole numbers whose square is below `square` are those below this one; 0 for squares below 1.
Count reach(std::int32_t square) {
  return square <= 0 ? 0 : static_cast<Count>(std::ceil(std::sqrt(static_cast<double>(square))));
}

/// For a step to a neighbour along 1, 2 or 3 axes: the square from which a ball about the neighbour holds all cells of a ball here.
class Holding {
 public:
  /// For squares up to `largest`.
  Holding(std::array<bool, 3> const& thin, std::int32_t largest) {
    Count const r = reach(largest);
    std::array<Count, 3> n;
    for (std::size_t a = 0; a < 3; ++a) n[a] = thin[a] ? 1 : r;
    for (std::size_t along = 1; along <= 3; ++along) {
      auto& least = least_[along - 1];
      least.assign(static_cast<std::size_t>(largest) + 1, 0);
      // the axes that are not thin come first: a step along so many of them
      std::array<Count, 3> sorted = n;
      std::sort(sorted.begin(), sorted.end(), std::greater<>());
      for (Count z = 0; z < sorted[2]; ++z)
        for (Count y = 0; y < sorted[1]; ++y)
          for (Count x = 0; x < sorted[0]; ++x) {
            Count const square = x * x + y * y + z * z;
            if (square >= largest) break;
            Count const ahead = along == 1 ? x : along == 2 ? x + y : x + y + z;
            auto& far = least[static_cast<std::size_t>(square) + 1];
            far = std::max(far, square + 2 * ahead + static_cast<Count>(along) + 1);
          }
      for (std::size_t s = 1; s < least.size(); ++s) least[s] = std::max(least[s], least[s - 1]);
    }
  }
  Count operator()(std::size_t along, std::int32_t square) const {
    return least_[along - 1][static_cast<std::size_t>(square)];
  }

 private:
  std::array<std::vector<Count>, 3> least_;
};

struct Neighbour {
  int i, j, k;
  std::size_t along;
};

std::vector<Neighbour> neighbours(std::array<bool, 3> const& thin) {
  std::vector<Neighbour> result;
  for (int k = thin[2] ? 0 : -1; k <= (thin[2] ? 0 : 1); ++k)
    for (int j = thin[1] ? 0 : -1; j <= (thin[1] ? 0 : 1); ++j)
      for (int i = thin[0] ? 0 : -1; i <= (thin[0] ? 0 : 1); ++i)
        if (int const along = (i != 0) + (j != 0) + (k != 0); along > 0)
          result.push_back({i, j, k, static_cast<std::size_t>(along)});
  std::stable_sort(result.begin(), result.end(), [](auto const& a, auto const& b) { return a.along < b.along; });
  return result;
}

/// The balls that no neighbour's holds, by the tiles that they touch.
class Dealer {
 public:
  explicit Dealer(core::Layout const& layout) : layout_(layout), own_(static_cast<std::size_t>(layout.tiles())) {}

  /// `centre` in the grid.
  void deal(core::Index const& centre, std::int32_t square) {
    core::Grid const& grid = layout_.grid();
    auto const n = grid.cells();
    Count const r = reach(square) - 1;
    std::array<Count, 3> from{}, to{};  // images along periodic axes
    std::array<Count, 3> const at{centre.i, centre.j, centre.k};
    for (std::size_t a = 0; a < 3; ++a)
      if (grid.periodic(static_cast<int>(a)) && !grid.thin(static_cast<int>(a))) {
        // image m of the centre lies at `at + m n` and reaches into the grid
        from[a] = -((at[a] + r) / n[a]);
        to[a] = (n[a] - 1 - at[a] + r) / n[a];
      }
    for (Count z = from[2]; z <= to[2]; ++z)
      for (Count y = from[1]; y <= to[1]; ++y)
        for (Count x = from[0]; x <= to[0]; ++x)
          deal_image({at[0] + x * n[0], at[1] + y * n[1], at[2] + z * n[2]}, r, square);
  }

  /// Collective.
  std::vector<std::vector<Ball>> take() {
    core::Comm const& comm = layout_.comm();
    if (comm.size() > 1)
      for (auto const& [from, data] : comm.exchange(away_))
        for (core::ByteReader reader(data); !reader.done();) {
          int const tile = reader.take<int>();
          own_[static_cast<std::size_t>(layout_.slot(tile))].push_back(reader.take<Ball>());
        }
    return std::move(own_);
  }

 private:
  void deal_image(std::array<Count, 3> const& at, Count r, std::int32_t square) {
    core::Grid const& grid = layout_.grid();
    auto const n = grid.cells();
    std::array<Count, 3> low, high;
    for (std::size_t a = 0; a < 3; ++a) {
      bool const thin = grid.thin(static_cast<int>(a));
      low[a] = std::max<Count>(0, thin ? 0 : at[a] - r);
      high[a] = std::min<Count>(n[a] - 1, thin ? n[a] - 1 : at[a] + r);
      if (low[a] > high[a]) return;
    }
    core::Index const first = grid.tile_position(grid.tile_of({low[0], low[1], low[2]}));
    core::Index const last = grid.tile_position(grid.tile_of({high[0], high[1], high[2]}));
    for (Count k = first.k; k <= last.k; ++k)
      for (Count j = first.j; j <= last.j; ++j)
        for (Count i = first.i; i <= last.i; ++i) {
          int const tile = grid.tile_number({i, j, k});
          core::Index const lo = grid.tile_box(tile).lo;
          Ball const ball{static_cast<int>(at[0] - lo.i), static_cast<int>(at[1] - lo.j),
                          static_cast<int>(at[2] - lo.k), square};
          int const owner = layout_.owner(tile);
          if (owner == layout_.comm().rank()) {
            own_[static_cast<std::size_t>(layout_.slot(tile))].push_back(ball);
          } else {
            core::append(away_[owner], tile);
            core::append(away_[owner], ball);
          }
        }
  }

  core::Layout const& layout_;
  std::vector<std::vector<Ball>> own_;  ///< by slot
  std::map<int, core::Bytes> away_;
};

void write(Ball const& ball, core::TileInfo const& tile, core::FieldView<std::int32_t> const& values, int slot) {
  int const r = static_cast<int>(reach(ball.square)) - 1;
  for (int k = std::max(0, ball.k - r); k <= std::min(tile.nk - 1, ball.k + r); ++k)
    for (int j = std::max(0, ball.j - r); j <= std::min(tile.nj - 1, ball.j + r); ++j) {
      std::int64_t const y = j - ball.j, z = k - ball.k, rest = ball.square - y * y - z * z;
      if (rest <= 0) continue;
      int const half = static_cast<int>(reach(static_cast<std::int32_t>(rest))) - 1;
      int const from = std::max(0, ball.i - half), to = std::min(tile.ni - 1, ball.i + half);
      std::int32_t* const row = values.row(slot, k, j);
      for (int i = from; i <= to; ++i) row[i] = std::max(row[i], ball.square);
    }
}

}  // namespace

Squares largest_balls(Squares const& squares) {
  core::Layout const& layout = squares.layout();
  core::Grid const& grid = layout.grid();
  std::array<bool, 3> const thin{grid.thin(0), grid.thin(1), grid.thin(2)};
  Squares result({.name = "balls", .description = "square of the largest radius", .units = "1"}, layout, 0);
  Squares with_halo("squares", layout, 1, 0);
  core::for_each_on_host("squares", layout, [from = squares.host(), to = with_halo.host()](int s, int k, int j, int i) {
    to(s, k, j, i) = from(s, k, j, i);
  });
  core::Halo(layout).exchange(with_halo);
  auto const square = std::as_const(with_halo).host();
  std::int64_t largest = 0;
  core::for_own_cells(
      layout, [&](int s, int k, int j, int i) { largest = std::max<std::int64_t>(largest, square(s, k, j, i)); });
  largest = layout.comm().max(largest);
  if (largest == 0) return result;

  Holding const holding(thin, static_cast<std::int32_t>(largest));
  auto const beside = neighbours(thin);
  std::vector<std::vector<Ball>> kept(static_cast<std::size_t>(layout.tiles()));
  core::for_each_on_host("balls", layout, [&](int s, int k, int j, int i) {
    std::int32_t const here = square(s, k, j, i);
    if (here == 0) return;
    for (auto const& n : beside)
      if (square(s, k + n.k, j + n.j, i + n.i) >= holding(n.along, here)) return;
    kept[static_cast<std::size_t>(s)].push_back({i, j, k, here});
  });
  Dealer dealer(layout);
  for (int s = 0; s < layout.tiles(); ++s)
    for (Ball const& b : kept[static_cast<std::size_t>(s)]) dealer.deal(layout.info(s).global(b.k, b.j, b.i), b.square);
  kept = dealer.take();
  core::for_each_tile_on_host("write balls", layout, [&, values = result.host()](int s) {
    for (Ball const& b : kept[static_cast<std::size_t>(s)]) write(b, layout.info(s), values, s);
  });
  return result;
}

}  // namespace tessera::ca
