// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/redistribution.hpp"

#include "core/grid/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

namespace tessera::solvers::multigrid {
namespace detail {

/// Where the cells of tiles lie in a slab that has all of them.
struct InSlab {
  core::TileInfo const* info;
  core::Index first;  ///< of the slab
  struct Place {
    int layer, row;
    core::Count column;
  };
  explicit InSlab(core::Tiles const& tiles, Slab const& slab)
      : info(tiles.info.data()),
        first{0, slab.outer() == 1 ? slab.first() : 0, slab.outer() == 2 ? slab.first() : 0} {}
  KOKKOS_FUNCTION Place operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    return {static_cast<int>(x.k - first.k), static_cast<int>(x.j - first.j), x.i};
  }
};

/// Cells of tiles into such a slab.
template <class T>
struct LoadCell {
  core::FieldView<double const> from;
  ArrayView<T> to;
  InSlab in_slab;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    auto const at = in_slab(slot, k, j, i);
    to.row(at.layer, at.row)[at.column] = static_cast<T>(from(slot, k, j, i));
  }
};

/// to += x + factor p, from such slabs to the cells of tiles
template <class T>
struct AddCell {
  ArrayView<double const> x;
  ArrayView<T const> p;
  core::FieldView<double> to;
  InSlab in_slab;
  double factor;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    auto const at = in_slab(slot, k, j, i);
    to(slot, k, j, i) +=
        x.row(at.layer, at.row)[at.column] + factor * static_cast<double>(p.row(at.layer, at.row)[at.column]);
  }
};

/// What is left of a row sum that is zero but for the rounding of its terms becomes zero.
template <class T, int K>
struct DropRounding {
  CouplingsView<T, K> couplings;
  ArrayView<T> row_sums;
  struct Row {
    typename CouplingsView<T, K>::Row f;
    T* m;
    KOKKOS_FUNCTION void operator()(int i) const {
      constexpr double epsilon = std::numeric_limits<double>::epsilon();
      double sum = 0;
      TESSERA_UNROLL(3)
      for (int c = 0; c < K; ++c) sum += static_cast<double>(f.lower(c, i)) + static_cast<double>(f.upper(c, i));
      double const of = static_cast<double>(m[i]);
      m[i] = (of < 0 ? -of : of) < 8 * epsilon * sum ? T(0) : m[i];
    }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const { return {couplings.row(k, j), row_sums.row(k, j)}; }
};

}  // namespace detail
namespace {

core::Count& along(core::Index& x, int axis) { return axis == 2 ? x.k : axis == 1 ? x.j : x.i; }

/// The axes of a matrix in the order of the numbers of their lower neighbours.
std::vector<int> axes_of(StencilMatrix const& matrix) {
  std::vector<int> axes;
  for (int axis = 2; axis >= 0; --axis)
    if (matrix.has(axis)) axes.push_back(axis);
  return axes;
}

}  // namespace

/// Cuts the outer axis in proportion to the cells that each rank owns, or evenly where that leaves one with too few lines.
Slab Redistribution::make_slab(core::Layout const& layout, std::shared_ptr<MemoryPool> pool) {
  auto const& grid = layout.grid();
  auto const cells = grid.cells();
  auto const ranks = static_cast<std::size_t>(layout.comm().size());
  core::Count const lines = cells[2] > 1 ? cells[2] : cells[1];
  std::vector<core::Count> owned(ranks, 0);
  for (int tile = 0; tile < grid.tiles(); ++tile) owned[layout.owner(tile)] += grid.tile_box(tile).cells();
  auto const cut = [&](auto const& share) {
    std::vector<core::Count> starts{0};
    core::Count sum = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      sum += share(r);
      starts.push_back(sum);
    }
    for (core::Count& s : starts)
      s = static_cast<core::Count>(
          std::llround(static_cast<double>(lines) * static_cast<double>(s) / static_cast<double>(sum)));
    return starts;
  };
  auto const fewest = [](std::vector<core::Count> const& starts) {
    core::Count n = starts.back();
    for (std::size_t r = 0; r + 1 < starts.size(); ++r) n = std::min(n, starts[r + 1] - starts[r]);
    return n;
  };
  auto starts = cut([&](std::size_t r) { return owned[r]; });
  if (fewest(starts) < 2 * Slab::depth) starts = cut([](std::size_t) { return core::Count{1}; });
  bool const whole = ranks == 1 || fewest(starts) < 2 * Slab::depth || cells[0] * cells[1] * cells[2] <= Slab::direct;
  if (ranks == 1) starts.clear();
  return Slab(layout.comm(), cells, {grid.periodic(0), grid.periodic(1), grid.periodic(2)}, std::move(starts), whole,
              std::move(pool));
}

Redistribution::Redistribution(core::Layout const& layout, std::shared_ptr<MemoryPool> pool)
    : layout_(layout),
      slab_(make_slab(layout, std::move(pool))) {
  auto const& grid = layout.grid();
  int const me = layout.comm().rank(), ranks = layout.comm().size();
  for (int tile = 0; tile < grid.tiles(); ++tile) {
    int const owner = layout.owner(tile);
    core::Box const whole = grid.tile_box(tile);
    for (int r = 0; r < ranks; ++r) {
      if (owner != me && r != me) continue;
      core::Box box = whole;
      if (!slab_.starts().empty()) {
        core::Count& lo = along(box.lo, slab_.outer());
        core::Count& hi = along(box.hi, slab_.outer());
        lo = std::max(lo, slab_.starts()[r]);
        hi = std::min(hi, slab_.starts()[static_cast<std::size_t>(r) + 1]);
      }
      if (box.empty()) continue;
      if (owner == me && r == me)
        local_.push_back({layout.slot(tile), box, whole});
      else if (owner == me)
        away_[r].push_back({layout.slot(tile), box, whole});
      else
        here_[owner].push_back({-1, box, whole});
    }
  }
}

Redistribution::Buffers Redistribution::buffers(Pieces const& pieces) {
  Buffers result;
  for (auto const& [rank, list] : pieces) {
    core::Count cells = 0;
    for (Piece const& p : list) cells += p.box.cells();
    result[rank].resize(cells);
  }
  return result;
}

void Redistribution::exchange(Buffers& out, Buffers& in) const {
  constexpr core::Tag tag = core::Tag::multigrid_tiles;
  core::Comm const& comm = layout_.comm();
  core::Requests requests;
  for (auto& [rank, values] : in)
    comm.start_receive(rank, std::as_writable_bytes(std::span<double>(values)), tag, requests);
  for (auto& [rank, values] : out) comm.start_send(rank, std::as_bytes(std::span<double>(values)), tag, requests);
  core::Comm::wait_all(requests);
}

template <class T>
void Redistribution::load(core::Field<double> const& from, Array<T>& to) const {
  if (to.on_device()) {
    if (is_local()) {
      auto const& tiles = from.layout().all();
      return core::for_each("tiles to slab", tiles,
                            detail::LoadCell<T>{from.view(), to.view(), detail::InSlab(tiles, slab_)});
    }
    Array<T> here(slab_);
    load(from, here);
    return to.copy(here);
  }
  auto const field = from.host();
  move(
      away_, here_,
      [&](Piece const& p, core::Count k, core::Count j) {
        return [f = tile_row(field, p, k, j)](core::Count i) { return f[i]; };
      },
      [&](Piece const& p, core::Count k, core::Count j) {
        return [t = to.row(layer(k), row(j)) + p.box.lo.i](core::Count i, double x) { t[i] = static_cast<T>(x); };
      });
  if (slab_.whole()) slab_.collect(to, 0);
}

template <class T>
void Redistribution::add(Array<double> const& x, Array<T> const& p, double factor, core::Field<double>& to) const {
  if (x.on_device()) {
    if (is_local()) {
      auto const& tiles = to.layout().all();
      return core::for_each("slab to tiles", tiles,
                            detail::AddCell<T>{x.view(), p.view(), to.view(), detail::InSlab(tiles, slab_), factor});
    }
    Array<double> x_here(slab_);
    Array<T> p_here(slab_);
    x_here.copy(x);
    p_here.copy(p);
    return add(x_here, p_here, factor, to);
  }
  put(
      [&](int k, int j) {
        return [x = x.row(k, j), p = p.row(k, j), factor](core::Count i) {
          return x[i] + factor * static_cast<double>(p[i]);
        };
      },
      to, [](double& a, double b) { a += b; });
}

Level<double> Redistribution::matrix(StencilMatrix const& matrix, bool device) const {
  Neighbourhood const around(slab_.cells());
  std::vector<int> numbers;
  for (int const axis : axes_of(matrix)) {
    Offset lower{};
    lower[axis] = -1;
    numbers.push_back(around.number(lower));
  }
  Level<double> level(slab_.on_device(device && slab_.fits_device()), numbers);
  renew(matrix, level);
  return level;
}

template <class T>
void Redistribution::renew(StencilMatrix const& matrix, Level<T>& level) const {
  Slab const& slab = level.slab();
  auto const axes = axes_of(matrix);
  for (std::size_t n = 0; n < axes.size(); ++n) {
    load(matrix.face(axes[n]), level.conductances()[n]);
    slab.complete(level.conductances()[n]);
  }
  load(matrix.row_sums(), level.row_sums());
  detail::with_couplings(axes.size(), [&](auto K) {
    slab.for_each_cell("row sums", slab.lines(0),
                       detail::DropRounding<T, K()>{level.template couplings<K()>(), level.row_sums().view()});
  });
  slab.complete(level.row_sums());
}

template void Redistribution::renew(StencilMatrix const&, Level<float>&) const;
template void Redistribution::renew(StencilMatrix const&, Level<double>&) const;

template void Redistribution::load(core::Field<double> const&, Array<float>&) const;
template void Redistribution::load(core::Field<double> const&, Array<double>&) const;

template void Redistribution::add(Array<double> const&, Array<float> const&, double, core::Field<double>&) const;
template void Redistribution::add(Array<double> const&, Array<double> const&, double, core::Field<double>&) const;

}  // namespace tessera::solvers::multigrid
