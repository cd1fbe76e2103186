// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/transfer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera::solvers::multigrid {
namespace {

int order(Offset const& e) { return (e[0] != 0) + (e[1] != 0) + (e[2] != 0); }

/// A line across an inner axis that lies one beyond the end of a periodic level, from the other side: neighbours of
/// ghost cells are not held there.
int inside(Slab const& slab, int axis, int line) {
  int const n = slab.held(axis);
  return axis != slab.outer() && slab.periodic(axis) ? (line + n) % n : line;
}

constexpr int block = 256;  // kept columns that are worked on together
using Block = std::array<double, block>;

/// Columns of a fine row that belong to a block of kept columns; mostly every other one.
struct Cells {
  int n = 0;
  bool every_other = true;
  std::array<int, block> column;
  void add(int x) {
    every_other = every_other && (n == 0 || x == column[n - 1] + 2);
    column[n++] = x;
  }
  /// to_i = row[column_i]
  void take(double const* row, Block& to) const {
    if (every_other) {
      double const* const first = row + column[0];
      for (int i = 0; i < n; ++i) to[i] = first[2 * i];
    } else {
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) to[i] = row[column[i]];
    }
  }
};

/// What all rows share: the columns of the kept ones and beside them by blocks, and how far the next kept column is.
class Columns {
 public:
  Columns(Slab const& fine, Lines const& lines, std::vector<int> const& kept) {
    for (int offset = -1; offset <= 1; ++offset)
      for (std::size_t first = 0; first < kept.size(); first += block) add(fine, lines, kept, first, offset);
  }
  struct Part {
    Cells cells;
    Block beside{};       // 1 where the column is removed, or the kept one itself
    Block near{}, far{};  // 1 where the next kept column at this offset is one column away, or two
    bool any_near = false;
  };
  Part const& of(int offset, int first) const {
    return parts_[static_cast<std::size_t>(offset + 1) * (parts_.size() / 3) + static_cast<std::size_t>(first / block)];
  }

 private:
  void add(Slab const& fine, Lines const& lines, std::vector<int> const& kept, std::size_t first, int offset) {
    Part b;
    for (std::size_t i = 0; i < std::min<std::size_t>(block, kept.size() - first); ++i) {
      int const column = kept[first + i];
      b.cells.add(inside(fine, 0, column + offset));
      b.beside[i] = offset == 0 || lines.removed(column + offset);
      auto const next = static_cast<core::Count>(first + i) + offset;
      if (offset == 0 || !lines.exists(next)) continue;
      core::Count const apart = std::abs(lines.at(next) - column);
      b.near[i] = apart == 1;
      b.far[i] = apart == 2;
      b.any_near = b.any_near || apart == 1;
    }
    parts_.push_back(std::move(b));
  }
  std::vector<Part> parts_;  // by offset, then from left to right
};

/// A neighbour in the equation of a removed cell at the offset o from a kept cell, seen in the directions of o.
struct Term {
  Array<double> const* conductance;
  Offset from;                // the cell that the conductance is stored at, from the removed cell
  int known = -1;             // number of the kept cell's weight at the neighbour, if it lies towards the kept cell
  int sides = 0;              // directions of o in which it is off the removed cell ...
  std::array<int, 3> side{};  // ... and on which side: 2 d + (upper)
};

std::vector<Term> terms(Level<double> const& fine, Offset const& o) {
  auto const& around = fine.around();
  std::vector<Term> result;
  for (int n = 0; n < around.count(); ++n) {
    bool const lower = n < around.centre();
    Term term{fine.conductance(lower ? n : around.opposite(n)), lower ? Offset{} : around[n], -1, 0, {}};
    if (n == around.centre() || term.conductance == nullptr) continue;
    Offset rest = o;
    bool towards = true;
    for (std::size_t d = 0; d < 3; ++d) {
      int const e = around[n][d];
      if (o[d] == 0 || e == 0) continue;
      towards = towards && e == -o[d];
      rest[d] = 0;
      term.side[term.sides++] = static_cast<int>(2 * d + (e > 0));
    }
    if (term.sides > 0 && towards) term.known = around.number(rest);
    result.push_back(term);
  }
  return result;
}

}  // namespace

/// Sets the weights of a transfer, offset by offset, block of columns by block.
class Weights {
 public:
  Weights(Level<double> const& fine, Transfer<double>& transfer)
      : fine_(fine),
        transfer_(transfer),
        columns_(fine.slab(), transfer.lines(0), transfer.columns_) {}

  void set() {
    auto const& around = fine_.around();
    for (int directions = 1; directions <= 3; ++directions)
      for (int n = 0; n < around.count(); ++n) {
        bool possible = order(around[n]) == directions;
        for (int d = 0; d < 3; ++d) possible = possible && (around[n][d] == 0 || transfer_.lines(d).coarsened());
        if (possible) set_offset(n);
      }
  }

 private:
  void set_offset(int number) {
    Offset const o = fine_.around()[number];
    auto const all = terms(fine_, o);
    Slab const& coarse = transfer_.coarse_;
    Array<double> weights(coarse);
    coarse.for_each_row(coarse.part(), [&](int k, int j) {
      core::Count const z = transfer_.lines(2).at(transfer_.global(coarse, 2, k)) + o[2],
                        y = transfer_.lines(1).at(transfer_.global(coarse, 1, j)) + o[1];
      if ((o[2] != 0 && !transfer_.lines(2).removed(z)) || (o[1] != 0 && !transfer_.lines(1).removed(y))) return;
      int const fine_k = inside(fine_.slab(), 2, transfer_.local(fine_.slab(), 2, z)),
                fine_j = inside(fine_.slab(), 1, transfer_.local(fine_.slab(), 1, y));
      for (int first = 0; first < coarse.held(0); first += block)
        set_block(o, all, weights.row(k, j), k, j, fine_k, fine_j, first);
    });
    coarse.collect(weights);
    transfer_.weights_[number] = std::move(weights);
  }

  void set_block(Offset const& o, std::vector<Term> const& terms, double* weights, int k, int j, int fine_k, int fine_j,
                 int first) const {
    auto const& columns = columns_.of(o[0], first);
    Cells const& cells = columns.cells;
    auto const n = static_cast<std::size_t>(cells.n);
    Block all{}, across{}, sum{};
    std::array<Block, 6> side{};
    for (Term const& t : terms) {
      double const* const f = t.conductance->row(fine_k + t.from[2], fine_j + t.from[1]) + t.from[0];
      double const* const known =
          t.known < 0 || t.known == fine_.around().centre() ? nullptr : transfer_.weights(t.known).row(k, j) + first;
      Block coupling;
      cells.take(f, coupling);
      for (std::size_t i = 0; i < n; ++i) all[i] += coupling[i];
      if (t.sides == 0) continue;
      for (std::size_t i = 0; i < n; ++i) across[i] += coupling[i];
      for (int s = 0; s < t.sides; ++s)
        for (std::size_t i = 0; i < n; ++i) side[t.side[static_cast<std::size_t>(s)]][i] += coupling[i];
      if (t.known >= 0)
        for (std::size_t i = 0; i < n; ++i) sum[i] += known != nullptr ? coupling[i] * known[i] : coupling[i];
    }
    Block mass;
    cells.take(fine_.row_sums().row(fine_k, fine_j), mass);
    for (std::size_t i = 0; i < n; ++i) {
      double weakest = across[i];
      for (std::size_t d = 0; d < 3; ++d)
        if (o[d] != 0) weakest = std::min({weakest, side[2 * d][i], side[2 * d + 1][i]});
      // Dendy's rule: the row sum counts where a_ii > (1 + |weakest / a_ii|) sum of the others
      double const m = mass[i], diagonal = m + all[i];
      double const below = across[i] + (diagonal > (1 + std::abs(weakest / diagonal)) * all[i] ? m : 0);
      weights[static_cast<std::size_t>(first) + i] = columns.beside[i] > 0 && below > 0 ? sum[i] / below : 0;
    }
  }

  Level<double> const& fine_;
  Transfer<double>& transfer_;
  Columns columns_;
};

Transfer<double> make_transfer(Level<double> const& fine, Slab const& coarse, Transfer<double>::AllLines lines) {
  Transfer<double> transfer(fine.slab(), coarse, std::move(lines));
  Weights(fine, transfer).set();
  return transfer;
}

/// Forms the conductances of the Galerkin matrix, row of kept cells by row, block of columns by block.
class Galerkin {
 public:
  Galerkin(Level<double> const& fine, Transfer<double> const& transfer)
      : fine_(fine),
        transfer_(transfer),
        coarse_(transfer.coarse()),
        around_coarse_(coarse_.cells()),
        columns_(fine.slab(), transfer.lines(0), transfer.columns_) {}

  Level<double> matrix() {
    std::vector<int> numbers;
    for (int n = 0; n < around_coarse_.centre(); ++n) numbers.push_back(n);
    // the row sums first: what they need for a while is gone when the diagonal and the conductances come
    Level<double> level(coarse_, {});
    set_row_sums(level.row_sums());
    level.set_numbers(numbers);
    diagonal_ = fine_.diagonal();
    for (int n : numbers) {
      auto& f = level.conductances()[n];
      set_conductance(around_coarse_[n], f);
      coarse_.collect(f);
    }
    return level;
  }

 private:
  /// m = P^T (A (P 1)): no cancellation, and exact where the weights sum to one.
  void set_row_sums(Array<double>& m) const {
    Array<double> one(coarse_), ones(fine_.slab()), product(fine_.slab());
    one.fill(1);
    transfer_.interpolate(one, ones, 2);
    fine_.residual(product, ones, product, 1);  // -A (P 1): the right side is still zero
    transfer_.restrict_to(m, product);
    int const n = coarse_.held(0);
    coarse_.for_each_row(coarse_.part(), [&](int k, int j) {
      double* const row = m.row(k, j);
      for (int i = 0; i < n; ++i) row[i] = -row[i];
    });
    coarse_.collect(m);
  }

  /// f_cn = -sum over fine cells p, q of P_pc A_pq P_qn for the kept neighbour n of c at this offset.
  void set_conductance(Offset const& to, Array<double>& f) const {
    coarse_.for_each_row(coarse_.part(), [&](int k, int j) {
      Row row{k, j, {}, {}, {}};
      for (int d = 0; d < 3; ++d) {
        core::Count const here = transfer_.global(coarse_, d, d == 2 ? k : d == 1 ? j : 0);
        auto const s = static_cast<std::size_t>(d);
        if (d > 0 && !transfer_.lines(d).exists(here + to[s])) return;
        if (d > 0) {
          core::Count const at = transfer_.lines(d).at(here);
          row.fine[s] = transfer_.local(fine_.slab(), d, at);
          row.apart[s] = static_cast<int>(transfer_.lines(d).at(here + to[s]) - at);
          row.removed[s] = {transfer_.lines(d).removed(at - 1), true, transfer_.lines(d).removed(at + 1)};
        }
      }
      for (int first = 0; first < coarse_.held(0); first += block)
        set_block(to, row, f.row(k, j), first, std::min(block, coarse_.held(0) - first));
    });
  }

  /// A row of kept cells: where it lies in the fine level, how far the row of the neighbour is, and whether the lines
  /// beside are removed, by axis (y and z).
  struct Row {
    int k, j;
    std::array<int, 3> fine, apart;
    std::array<std::array<bool, 3>, 3> removed;
  };

  void set_block(Offset const& to, Row const& row, double* f, int first, int n) const {
    Block sum{};
    auto const& next = columns_.of(to[0], first);
    auto const& around = fine_.around();
    for (int p = 0; p < around.count(); ++p) {
      Offset const& at = around[p];
      double const* const weight = weight_row(at, row.k, row.j);
      if (order(at) > 0 && weight == nullptr) continue;
      if (!row.removed[1][at[1] + 1] && at[1] != 0) continue;
      if (!row.removed[2][at[2] + 1] && at[2] != 0) continue;
      Cells const& cells = columns_.of(at[0], first).cells;
      Block t{};
      if (to[0] == 0) {
        add_terms(t, at, to, row, 0, nullptr, cells, first);
      } else {
        // kept columns are one or two columns apart
        add_terms(t, at, to, row, 2 * to[0], &next.far, cells, first);
        if (next.any_near) add_terms(t, at, to, row, to[0], &next.near, cells, first);
      }
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
        sum[i] += weight != nullptr ? weight[first + static_cast<int>(i)] * t[i] : t[i];
    }
    for (int i = 0; i < n; ++i) f[first + i] = -sum[i];
  }

  /// t += sum over q of A_pq P_qn, p at the offset `at` from the kept cell, in the columns `cells`, the neighbour n
  /// `apart` columns away.
  void add_terms(Block& t, Offset const& at, Offset const& to, Row const& row, int apart, Block const* mask,
                 Cells const& cells, int first) const {
    int const k = inside(fine_.slab(), 2, row.fine[2] + at[2]), j = inside(fine_.slab(), 1, row.fine[1] + at[1]);
    auto const& around = fine_.around();
    for (int q = 0; q < around.count(); ++q) {
      Offset const& e = around[q];
      Offset const u{at[0] + e[0] - apart, at[1] + e[1] - row.apart[1], at[2] + e[2] - row.apart[2]};
      if (std::abs(u[0]) > 1 || std::abs(u[1]) > 1 || std::abs(u[2]) > 1) continue;
      bool const own = order(u) == 0;
      double const* const weights = own ? nullptr : weight_row(u, row.k + to[2], row.j + to[1]);
      if (!own && weights == nullptr) continue;
      bool const centre = q == around.centre(), lower = q < around.centre();
      auto const* const entry = centre ? &diagonal_ : fine_.conductance(lower ? q : around.opposite(q));
      if (entry == nullptr) continue;
      Offset const from = lower ? Offset{} : e;
      double const* const a = entry->row(k + from[2], j + from[1]) + from[0];
      double const sign = centre ? 1 : -1;
      double const* const w = own ? nullptr : weights + first + to[0];
      Block term;
      cells.take(a, term);
      auto const n = static_cast<std::size_t>(cells.n);
      if (w != nullptr)
        for (std::size_t i = 0; i < n; ++i) term[i] *= w[i];
      if (mask != nullptr)
        for (std::size_t i = 0; i < n; ++i) term[i] *= (*mask)[i];
      for (std::size_t i = 0; i < n; ++i) t[i] += sign * term[i];
    }
  }

  double const* weight_row(Offset const& o, int k, int j) const {
    for (int d = 0; d < 3; ++d)
      if (o[d] != 0 && !transfer_.lines(d).coarsened()) return nullptr;
    if (order(o) == 0) return nullptr;
    auto const& w = transfer_.weights(fine_.around().number(o));
    return w.empty() ? nullptr : w.row(k, j);
  }

  Level<double> const& fine_;
  Transfer<double> const& transfer_;
  Slab const& coarse_;
  Neighbourhood around_coarse_;
  Columns columns_;
  Array<double> diagonal_;
};

Level<double> galerkin(Level<double> const& fine, Transfer<double> const& transfer) {
  return Galerkin(fine, transfer).matrix();
}

}  // namespace tessera::solvers::multigrid
