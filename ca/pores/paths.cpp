// SPDX-License-Identifier: Apache-2.0
#include "ca/pores/paths.hpp"

#include "ca/lattices/cell_mail.hpp"
#include "ca/lattices/lattice_steps.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tessera::ca {
namespace {

using core::Count;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A search over tiles and ranks. Cost tells what a path costs: `Cost::onto(cost of the path so far, slot, cell's place, step)` when it
/// goes on to a neighbour by a step of the lattice, and `Cost::into(that, slot, place)` when it enters the cell there, which only the tile that
/// owns the cell is asked; neither is ever less than its argument.
template <class Cost>
class Search {
 public:
  Search(core::Layout const& layout, Lattice const& lattice)
      : layout_(layout),
        least_("least", layout, lattice.depth(), infinity),
        known_(least_.host()),
        steps_(lattice, layout.grid(), known_),
        mail_(layout),
        waiting_(static_cast<std::size_t>(layout.tiles())) {}

  /// `open(s, k, j, i)` and `source(s, k, j, i)` of own cells. Collective.
  template <class Open, class Source>
  core::Field<double> run(Cost const& cost, double window, Open const& open, Source const& source) {
    cell_.assign(static_cast<std::size_t>(known_.tile_stride) * waiting_.size(), closed);
    core::for_each_tile_on_host("sources of paths", layout_, [&](int slot) {
      core::TileInfo const& tile = layout_.info(slot);
      steps_.for_each_ring(tile, [&](int k, int j, int i) {
        if (steps_.in_grid(tile.global(k, j, i)))
          cell(slot)[steps_.at(k, j, i)] = elsewhere;
        else
          known_(slot, k, j, i) = -infinity;  // no path is better
      });
      core::for_cells(tile, [&](int k, int j, int i) {
        if (!open(slot, k, j, i)) {
          known_(slot, k, j, i) = -infinity;
          return;
        }
        cell(slot)[steps_.at(k, j, i)] = own;
        if (source(slot, k, j, i)) arrive(cost, slot, steps_.at(k, j, i), cost.start);
      });
    });
    for (;;) {
      double first = infinity;
      for (auto const& heap : waiting_)
        if (!heap.empty()) first = std::min(first, heap.front().cost);
      first = layout_.comm().min(first);
      if (first == infinity) break;
      core::for_each_tile_on_host("paths", layout_, [&](int slot) { visit(cost, slot, first + window); });
      mail_.deliver();
      core::for_each_tile_on_host("mail of paths", layout_, [&](int slot) {
        for (auto const& letter : mail_.inbox(slot))
          arrive(cost, slot, steps_.at(letter.k, letter.j, letter.i), letter.value);
      });
    }
    core::for_each_on_host("no paths", layout_, [&](int s, int k, int j, int i) {
      if (known_(s, k, j, i) == -infinity) known_(s, k, j, i) = infinity;
    });
    return std::move(least_);
  }

 private:
  enum Cell : std::uint8_t { closed, own, elsewhere };
  struct Waiting {
    double cost;
    Count at;
  };
  /// The first of a heap is the cheapest.
  static bool later(Waiting const& a, Waiting const& b) { return a.cost > b.cost; }

  std::uint8_t* cell(int slot) { return cell_.data() - steps_.first_of_ring() + known_.tile_stride * slot; }

  void arrive(Cost const& cost, int slot, Count at, double value) {
    double& known = known_.row(slot, 0, 0)[at];
    double const here = cost.into(value, slot, at);
    if (!(here < known)) return;
    known = here;
    auto& heap = waiting_[static_cast<std::size_t>(slot)];
    heap.push_back({here, at});
    std::push_heap(heap.begin(), heap.end(), later);
  }

  void visit(Cost const& cost, int slot, double last) {
    auto& heap = waiting_[static_cast<std::size_t>(slot)];
    double* const known = known_.row(slot, 0, 0);
    std::uint8_t const* const what = cell(slot);
    core::TileInfo const& info = layout_.info(slot);
    while (!heap.empty() && heap.front().cost <= last) {
      Waiting const from = heap.front();
      std::pop_heap(heap.begin(), heap.end(), later);
      heap.pop_back();
      if (known[from.at] < from.cost) continue;  // reached by a cheaper way meanwhile
      for (int n = 0; n < steps_.size(); ++n) {
        Count const to = from.at + steps_.step(n);
        double const value = cost.onto(from.cost, n);
        if (!(value < known[to])) continue;
        if (what[to] != elsewhere) {
          arrive(cost, slot, to, value);
          continue;
        }
        known[to] = value;  // sent no worse again
        core::Index const x = steps_.local(to);
        mail_.post(slot, {info.i0 + x.i, info.j0 + x.j, info.k0 + x.k}, value);
      }
    }
  }

  core::Layout const& layout_;
  core::Field<double> least_;
  core::FieldView<double> known_;
  graph::LatticeSteps steps_;
  graph::CellMail<double> mail_;
  std::vector<std::uint8_t> cell_;  ///< with the strides of the costs
  std::vector<std::vector<Waiting>> waiting_;
};

struct Lengths {
  std::vector<double> step;
  double start = 0;
  double onto(double before, int n) const { return before + step[static_cast<std::size_t>(n)]; }
  double into(double before, int, Count) const { return before; }
};

struct Highest {
  core::FieldView<double const> cost;
  double start = -infinity;
  double onto(double before, int) const { return before; }
  double into(double before, int slot, Count at) const {
    core::FieldView<double const> const& c = cost;
    return std::max(before, c.row(slot, 0, 0)[at]);
  }
};

}  // namespace

core::Field<double> path_lengths(core::Field<std::uint8_t> const& open, core::Field<std::uint8_t> const& source,
                                 Lattice const& lattice) {
  core::Layout const& layout = open.layout();
  core::Grid const& grid = layout.grid();
  Lengths lengths;
  double longest = 0;
  for (core::Index const& d : lattice.offsets()) {
    std::array<Count, 3> const n{d.i, d.j, d.k};
    double square = 0;
    bool there = true;
    for (std::size_t a = 0; a < 3; ++a) {
      core::Axis const& axis = grid.axis(static_cast<int>(a));
      double const x = static_cast<double>(n[a]) * axis.length() / static_cast<double>(axis.cells());
      square += x * x;
      there = there && (n[a] == 0 || !grid.thin(static_cast<int>(a)));
    }
    if (!there) continue;  // as LatticeSteps has them
    lengths.step.push_back(std::sqrt(square));
    longest = std::max(longest, lengths.step.back());
  }
  auto const tile = grid.tile();
  double const window = longest * static_cast<double>(std::max({tile[0], tile[1], tile[2]})) / 2;
  auto const is_open = open.host();
  auto const is_source = source.host();
  return Search<Lengths>(layout, lattice)
      .run(
          lengths, window, [&](int s, int k, int j, int i) { return is_open(s, k, j, i) != 0; },
          [&](int s, int k, int j, int i) { return is_source(s, k, j, i) != 0; });
}

core::Field<double> lowest_passes(core::Field<double> const& cost, core::Field<std::uint8_t> const& source,
                                  Lattice const& lattice) {
  core::Layout const& layout = cost.layout();
  // as deep a ring as the search's own, so that both have the same strides
  core::Field<double> with_ring("cost", layout, lattice.depth(), infinity);
  double low = infinity, high = -infinity;
  core::for_own_cells(layout, [&, from = cost.host(), to = with_ring.host()](int s, int k, int j, int i) {
    double const c = to(s, k, j, i) = from(s, k, j, i);
    if (c == infinity) return;
    low = std::min(low, c);
    high = std::max(high, c);
  });
  low = layout.comm().min(low);
  high = layout.comm().max(high);
  double const window = high > low ? (high - low) / 64 : 0;
  auto const costs = std::as_const(with_ring).host();
  auto const is_source = source.host();
  return Search<Highest>(layout, lattice)
      .run(
          Highest{costs}, window, [&](int s, int k, int j, int i) { return costs(s, k, j, i) < infinity; },
          [&](int s, int k, int j, int i) { return is_source(s, k, j, i) != 0; });
}

}  // namespace tessera::ca
