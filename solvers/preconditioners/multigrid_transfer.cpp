// SPDX-License-Identifier: Apache-2.0
#include "solvers/preconditioners/multigrid_transfer.hpp"

#include "core/error.hpp"
#include "core/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::solvers::multigrid {
namespace {

int order(Offset const& e) { return (e[0] != 0) + (e[1] != 0) + (e[2] != 0); }

core::Index moved(core::Index const& c, Offset const& e) { return {c.i + e[0], c.j + e[1], c.k + e[2]}; }

}  // namespace

bool Transfer::can(core::Grid const& grid) {
  bool any = false;
  for (std::size_t a = 0; a < 3; ++a) {
    if (grid.cells()[a] <= 2) continue;
    if (grid.tile()[a] == 1) return false;
    any = true;
  }
  return any;
}

Transfer::Transfer(Level const& fine, Entries const& entries)
    : fine_(&fine.layout()),
      around_(fine.around()),
      finest_(fine.positions().finest),
      lines_{Lines(fine, 0), Lines(fine, 1), Lines(fine, 2)} {
  auto const& grid = fine.grid();
  core::Grid::Shape cells, tile;
  for (std::size_t a = 0; a < 3; ++a) {
    cells[a] = lines_[a].coarse_cells();
    tile[a] = lines_[a].coarse_tile();
  }
  auto coarse = std::make_shared<core::Grid const>(
      core::Grid::unit(cells, tile, {grid.periodic(0), grid.periodic(1), grid.periodic(2)}));
  core::expect(coarse->tile_lattice() == grid.tile_lattice(), "a coarse level has another lattice of tiles");
  coarse_layout_ = std::make_unique<core::Layout>(std::move(coarse), fine_->owners(), fine_->comm());
  coarse_ = coarse_layout_.get();
  halo_ = std::make_unique<core::Halo>(*coarse_);
  set_weights(entries);
}

std::array<Lines::Along, 3> Transfer::along(int slot) const {
  auto const& t = fine_->info(slot);
  return {lines_[0].along(t.i0), lines_[1].along(t.j0), lines_[2].along(t.k0)};
}

namespace {

/// The equation of a removed cell at the offset o from a kept cell.
class Equation {
 public:
  Equation(Neighbourhood const& around, Offset const& o) : centre_(around.centre()) {
    for (int n = 0; n < around.count(); ++n) {
      if (n == centre_) continue;
      // the neighbour seen in the directions of o: whether it is off the cell, and towards the kept cell
      Entry entry{n, -1, 0, {}};
      Offset rest = o;
      bool towards = true;
      for (std::size_t d = 0; d < 3; ++d) {
        int const e = around[n][d];
        if (o[d] == 0 || e == 0) continue;
        towards = towards && e == -o[d];
        rest[d] = 0;
        entry.side[static_cast<std::size_t>(entry.sides++)] = static_cast<int>(2 * d + (e > 0));
      }
      if (entry.sides > 0 && towards) entry.known = around.number(rest);
      entries_.push_back(entry);
    }
    for (std::size_t d = 0; d < 3; ++d)
      if (o[d] != 0) directions_.push_back(d);
  }

  /// The weight of the kept cell at the removed one, which lies at `place`; known(n) is its weight at the offset n.
  template <class Known>
  double weight(Entries const& a, core::Count place, Known const& known) const {
    double all = 0, across = 0, sum = 0;
    double side[6] = {};
    for (auto const& e : entries_) {
      double const coupling = -a.at(e.number, place);
      if (coupling == 0) continue;
      all += coupling;
      if (e.sides == 0) continue;
      across += coupling;
      for (int s = 0; s < e.sides; ++s) side[e.side[static_cast<std::size_t>(s)]] += coupling;
      if (e.known >= 0) sum += coupling * known(e.known);
    }
    double weakest = across;
    for (std::size_t d : directions_) weakest = std::min({weakest, side[2 * d], side[2 * d + 1]});
    // Dendy's rule: the row sum counts where a_ii > (1 + |weakest / a_ii|) sum of the others
    double const diagonal = a.at(centre_, place);
    if (diagonal > (1 + std::abs(weakest / diagonal)) * all) across += diagonal - all;
    return across > 0 ? sum / across : 0;
  }

 private:
  struct Entry {
    int number, known, sides;  // known: -1 where the neighbour does not lie towards the kept cell
    std::array<int, 3> side;
  };
  int centre_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> directions_;
};

}  // namespace

void Transfer::set_weights(Entries const& entries) {
  views_.resize(static_cast<std::size_t>(around_.count()));
  std::vector<int> numbers;
  for (int directions = 1; directions <= 3; ++directions)
    for (int n = 0; n < around_.count(); ++n) {
      Offset const& o = around_[n];
      bool possible = order(o) == directions;
      for (std::size_t d = 0; d < 3; ++d) possible = possible && (o[d] == 0 || lines_[d].coarsened());
      if (!possible) continue;
      numbers.push_back(n);
      View const w = weights_.emplace_back("P", *coarse_, 1).host();
      views_[static_cast<std::size_t>(n)] = w;
      Equation const equation(around_, o);
      core::for_each_tile_on_host("multigrid weights", *coarse_, [&](int slot) {
        auto const [x, y, z] = along(slot);
        for (int k = 0; k < z.coarse; ++k)
          for (int j = 0; j < y.coarse; ++j)
            for (int i = 0; i < x.coarse; ++i) {
              core::Index const f = moved({x.at(i), y.at(j), z.at(k)}, o);
              bool const removed = (o[0] == 0 || x.is_removed(static_cast<int>(f.i))) &&
                                   (o[1] == 0 || y.is_removed(static_cast<int>(f.j))) &&
                                   (o[2] == 0 || z.is_removed(static_cast<int>(f.k)));
              if (!removed) continue;
              core::Count const place = memory_place(w, slot, {i, j, k});
              w.first[place] =
                  equation.weight(entries, entries.place(slot, f), [&](int known) { return weight(known, place); });
            }
      });
    }
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    halo_->exchange(weights_[n]);
    views_[static_cast<std::size_t>(numbers[n])] = std::as_const(weights_[n]).host();
  }
}

Transfer::Terms Transfer::terms(std::array<std::array<int, 2>, 3> const& apart) const {
  Terms result(static_cast<std::size_t>(around_.count()));
  for (int p = 0; p < around_.count(); ++p)
    for (int q = 0; q < around_.count(); ++q)
      for (int n = 0; n <= around_.centre(); ++n) {
        // q as seen from the kept cell n
        Offset from;
        bool near = true;
        for (std::size_t d = 0; d < 3; ++d) {
          int const e = around_[n][d];
          from[d] = around_[p][d] + around_[q][d] - (e == 0 ? 0 : e < 0 ? -apart[d][0] : apart[d][1]);
          near = near && from[d] >= -1 && from[d] <= 1;
        }
        if (!near) continue;
        int const number = around_.number(from);
        bool const possible = number == around_.centre() || views_[static_cast<std::size_t>(number)].first != nullptr;
        if (possible)
          result[static_cast<std::size_t>(p)].push_back(
              {q, n, number, memory_step(std::as_const(weights_).front().host(), around_[n])});
      }
  return result;
}

CoarseMatrix Transfer::galerkin(Entries const& entries) {
  core::expect(coarse_layout_ != nullptr, "the Galerkin matrix of multigrid was formed already");
  int const centre = around_.centre();
  CoarseMatrix result{{finest_, {lines_[0].kept(), lines_[1].kept(), lines_[2].kept()}},
                      std::move(coarse_layout_),
                      core::Field<double>("diagonal", *coarse_, 1),
                      {}};
  std::vector<View> entry;
  for (int n = 0; n < centre; ++n) result.conductances.emplace_back("conductance", *coarse_, 1);
  for (auto& f : result.conductances) entry.push_back(f.host());
  entry.push_back(result.diagonal.host());

  // kept lines are one or two cells apart: the terms for each of the 4^D ways
  std::vector<Terms> ways;
  for (int way = 0; way < 64; ++way) {
    auto const apart = [&](int axis) {
      return std::array<int, 2>{1 + (way >> 2 * axis & 1), 1 + (way >> (2 * axis + 1) & 1)};
    };
    bool possible = true;
    for (int axis = 0; axis < 3; ++axis)
      possible = possible && (lines_[static_cast<std::size_t>(axis)].coarsened() || (way >> 2 * axis & 3) == 0);
    ways.push_back(possible ? terms({apart(0), apart(1), apart(2)}) : Terms{});
  }
  auto const way = [](Lines::Along const& a, int line) {
    return (a.at(line) - a.at(line - 1) - 1) + 2 * (a.at(line + 1) - a.at(line) - 1);
  };

  core::for_each_tile_on_host("multigrid product", *coarse_, [&](int slot) {
    auto const [x, y, z] = along(slot);
    for (int k = 0; k < z.coarse; ++k)
      for (int j = 0; j < y.coarse; ++j)
        for (int i = 0; i < x.coarse; ++i) {
          core::Count const c = memory_place(entry.back(), slot, {i, j, k});
          core::Count const fine = entries.place(slot, {x.at(i), y.at(j), z.at(k)});
          auto const& terms_here = ways[static_cast<std::size_t>(way(x, i) + 4 * way(y, j) + 16 * way(z, k))];
          // (P^T A P)_cn = sum over cells p near c, q near p of P_pc A_pq P_qn
          std::array<double, 14> sum{};
          for (int p = 0; p < around_.count(); ++p) {
            double const w = weight(p, c);
            if (w == 0) continue;
            core::Count const at = fine + entries.step(around_[p]);
            for (Term const& t : terms_here[static_cast<std::size_t>(p)])
              sum[static_cast<std::size_t>(t.n)] += w * entries.at(t.q, at) * weight(t.number, c + t.step);
          }
          for (int n = 0; n <= centre; ++n)
            entry[static_cast<std::size_t>(n)].first[c] =
                n == centre ? sum[static_cast<std::size_t>(n)] : -sum[static_cast<std::size_t>(n)];
        }
  });
  return result;
}

namespace {

/// Calls f(first, last, shift) for the kept lines whose position is 2 c + shift, from `first` on.
template <class F>
void for_each_part(Lines::Along const& x, int first, F const& f) {
  f(first, x.cut, x.shift);
  f(std::max(first, x.cut), x.coarse, x.shift - 1);
}

/// out_c += sum over the three fine cells around kept cell c, in one fine row, of weight x in. `own`: the row of the
/// kept cells themselves, where their own weight is 1.
template <bool own, class Weights>
void gather_row(double* out, double const* in, Lines::Along const& x, Weights const& w) {
  auto const at = [&](int c) { return own ? 1.0 : w.at[c]; };
  if (!x.coarsened) {
    TESSERA_INDEPENDENT
    for (int c = 0; c < x.coarse; ++c) out[c] += at(c) * in[c];
    return;
  }
  for_each_part(x, 0, [&](int first, int last, int shift) {
    double const* const i = in + shift;
    TESSERA_INDEPENDENT
    for (int c = first; c < last; ++c)
      out[c] += at(c) * i[2 * c] + w.before[c] * i[2 * c - 1] + w.after[c] * i[2 * c + 1];
  });
}

/// The transpose: out += weight x e over the cells of one fine row.
template <bool own, class Weights>
void scatter_row(double* out, double const* e, Lines::Along const& x, Weights const& w) {
  auto const at = [&](int c) { return own ? 1.0 : w.at[c]; };
  if (!x.coarsened) {
    TESSERA_INDEPENDENT
    for (int c = 0; c < x.coarse; ++c) out[c] += at(c) * e[c];
    return;
  }
  // a kept cell and the one before it; where that is kept as well, its weights here are 0
  int const first = x.at(0) == 0;
  if (first == 1) out[0] += at(0) * e[0];
  for_each_part(x, first, [&](int from, int last, int shift) {
    double* const o = out + shift;
    TESSERA_INDEPENDENT
    for (int c = from; c < last; ++c) {
      o[2 * c - 1] += w.after[c - 1] * e[c - 1] + w.before[c] * e[c];
      o[2 * c] += at(c) * e[c];
    }
  });
  if (int const c = x.coarse; x.is_removed(x.fine - 1))
    out[x.fine - 1] += w.after[c - 1] * e[c - 1] + w.before[c] * e[c];
}

/// The kept lines that a fine line takes its values from: itself, or the ones before and after; `offset` from there.
struct Sources {
  int count;
  int line[2], offset[2];
};
Sources sources(Lines::Along const& along, int line) {
  int const below = along.below[static_cast<std::size_t>(line)];
  if (!along.is_removed(line)) return {1, {below, 0}, {0, 0}};
  return {2, {below - 1, below}, {1, -1}};
}

}  // namespace

Transfer::RowWeights Transfer::row_weights(int oz, int oy, int slot, int k, int j) const {
  auto const row = [&](int ox) -> double const* {
    Offset const o{ox, oy, oz};
    if ((ox != 0 && !lines_[0].coarsened()) || order(o) == 0) return nullptr;
    return views_[static_cast<std::size_t>(around_.number(o))].row(slot, k, j);
  };
  return {row(-1), row(0), row(1)};
}

void Transfer::restrict_to(core::Field<double>& b, core::Field<double> const& r) const {
  View const bv = b.host();
  ConstView const rv = r.host();
  core::for_each_tile_on_host("multigrid restrict", *coarse_, [&](int slot) {
    auto const [x, y, z] = along(slot);
    for (int k = 0; k < z.coarse; ++k)
      for (int j = 0; j < y.coarse; ++j) {
        double* const out = bv.row(slot, k, j);
        std::fill(out, out + x.coarse, 0.0);
        for (int oz = -1; oz <= 1; ++oz)
          for (int oy = -1; oy <= 1; ++oy) {
            int const fk = z.at(k) + oz, fj = y.at(j) + oy;
            if ((oz != 0 && !z.is_removed(fk)) || (oy != 0 && !y.is_removed(fj))) continue;
            auto const w = row_weights(oz, oy, slot, k, j);
            if (oz == 0 && oy == 0)
              gather_row<true>(out, rv.row(slot, fk, fj), x, w);
            else
              gather_row<false>(out, rv.row(slot, fk, fj), x, w);
          }
      }
  });
}

void Transfer::interpolate(core::Field<double>& e, core::Field<double> const& from, core::Field<double>& to) const {
  halo_->exchange(e);
  ConstView const ev = std::as_const(e).host(), fv = from.host();
  View const tv = to.host();
  core::for_each_tile_on_host("multigrid interpolate", *fine_, [&](int slot) {
    auto const [x, y, z] = along(slot);
    for (int k = 0; k < z.fine; ++k)
      for (int j = 0; j < y.fine; ++j) {
        double* const out = tv.row(slot, k, j);
        double const* const in = fv.row(slot, k, j);
        if (out != in) std::copy(in, in + x.fine, out);
        auto const sz = sources(z, k), sy = sources(y, j);
        for (int a = 0; a < sz.count; ++a)
          for (int b = 0; b < sy.count; ++b) {
            double const* const row = ev.row(slot, sz.line[a], sy.line[b]);
            auto const w = row_weights(sz.offset[a], sy.offset[b], slot, sz.line[a], sy.line[b]);
            if (sz.count == 1 && sy.count == 1)
              scatter_row<true>(out, row, x, w);
            else
              scatter_row<false>(out, row, x, w);
          }
      }
  });
}

std::size_t Transfer::bytes() const {
  std::size_t sum = 0;
  for (auto const& w : weights_) sum += w.bytes();
  return sum;
}

}  // namespace tessera::solvers::multigrid
