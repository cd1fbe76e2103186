// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/columns.hpp"
#include "solvers/multigrid/transfer.hpp"

#include <utility>

namespace tessera::solvers::multigrid {
namespace detail {

/// A neighbour in the equation of a removed cell at the offset o from a kept cell, seen in the directions of o.
struct Term {
  ArrayView<double const> conductance;
  int from[3];                    ///< the cell that the conductance is stored at, from the removed cell
  ArrayView<double const> known;  ///< the kept cell's weights at the neighbour; none: 1
  bool is_known;                  ///< whether the neighbour lies towards the kept cell
  int sides;                      ///< directions of o in which it is off the removed cell ...
  int side[3];                    ///< ... and on which side: 2 d + (upper)
};

/// The weights of kept cells at the offset o.
template <int block>
struct SetWeights {
  ArrayView<double> weights;
  ArrayView<double const> row_sums;
  Term const* terms;
  int count;
  LinesView y, z;
  ColumnsView columns;
  int o[3], kept;
  struct Row {
    Term const* terms;
    int count;
    ColumnsView columns;
    bool in[3];  ///< directions of o
    int kept, k, j, fine_k, fine_j;
    double const* mass;
    double* weights;  ///< none: there is no removed cell
    KOKKOS_FUNCTION void operator()(int b) const {
      if (weights == nullptr) return;
      int const first = b * block;
      std::size_t const n = columns_in<block>(b, kept);
      double all[block] = {}, across[block] = {}, sum[block] = {}, side[6][block] = {};
      for (Term const* t = terms; t < terms + count; ++t) {
        double coupling[block];
        columns.take(b, n, t->conductance.row(fine_k + t->from[2], fine_j + t->from[1]) + t->from[0], coupling);
        for (std::size_t i = 0; i < n; ++i) all[i] += coupling[i];
        if (t->sides == 0) continue;
        for (std::size_t i = 0; i < n; ++i) across[i] += coupling[i];
        for (int s = 0; s < t->sides; ++s) {
          double(&of)[block] = side[t->side[s]];
          for (std::size_t i = 0; i < n; ++i) of[i] += coupling[i];
        }
        if (!t->is_known) continue;
        double const* const known = t->known.first == nullptr ? nullptr : t->known.row(k, j) + first;
        for (std::size_t i = 0; i < n; ++i) sum[i] += known != nullptr ? coupling[i] * known[i] : coupling[i];
      }
      double m[block], weakest[block];
      columns.take(b, n, mass, m);
      for (std::size_t i = 0; i < n; ++i) weakest[i] = across[i];
      for (int s = 0; s < 6; ++s)
        if (in[s / 2])
          for (std::size_t i = 0; i < n; ++i) weakest[i] = side[s][i] < weakest[i] ? side[s][i] : weakest[i];
      for (std::size_t i = 0; i < n; ++i) {
        // Dendy's rule: the row sum counts where a_ii > (1 + |weakest / a_ii|) sum of the others
        double const diagonal = m[i] + all[i], ratio = weakest[i] / diagonal;
        double const below = across[i] + (diagonal > (1 + (ratio < 0 ? -ratio : ratio)) * all[i] ? m[i] : 0);
        weights[first + i] = columns.beside[first + i] > 0 && below > 0 ? sum[i] / below : 0;
      }
    }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const {
    int const fine_k = z.at[k] + o[2], fine_j = y.at[j] + o[1];
    bool const there = (o[2] == 0 || z.removed(fine_k)) && (o[1] == 0 || y.removed(fine_j));
    Row result{};
    if (!there) return result;
    result.terms = terms;
    result.count = count;
    result.columns = columns;
    for (int d = 0; d < 3; ++d) result.in[d] = o[d] != 0;
    result.kept = kept;
    result.k = k;
    result.j = j;
    result.fine_k = z.inside(fine_k);
    result.fine_j = y.inside(fine_j);
    result.mass = row_sums.row(result.fine_k, result.fine_j);
    result.weights = weights.row(k, j);
    return result;
  }
};

}  // namespace detail
namespace {

int order(Offset const& e) { return (e[0] != 0) + (e[1] != 0) + (e[2] != 0); }

std::vector<detail::Term> terms(Level<double> const& fine, Transfer<double> const& transfer, Offset const& o) {
  auto const& around = fine.around();
  std::vector<detail::Term> result;
  for (int n = 0; n < around.count(); ++n) {
    bool const lower = n < around.centre();
    Array<double> const* const conductance = fine.conductance(lower ? n : around.opposite(n));
    if (n == around.centre() || conductance == nullptr) continue;
    detail::Term term{conductance->view(), {}, {}, true, 0, {}};
    Offset rest = o;
    for (std::size_t d = 0; d < 3; ++d) {
      int const e = around[n][d];
      if (!lower) term.from[d] = e;
      if (o[d] == 0 || e == 0) continue;
      term.is_known = term.is_known && e == -o[d];
      rest[d] = 0;
      term.side[term.sides++] = static_cast<int>(2 * d + (e > 0));
    }
    term.is_known = term.is_known && term.sides > 0;
    if (term.is_known && order(rest) > 0) term.known = transfer.weights(around.number(rest)).view();
    result.push_back(term);
  }
  return result;
}

}  // namespace

/// Sets the weights of a transfer, offset by offset.
class Weights {
 public:
  Weights(Level<double> const& fine, Transfer<double>& transfer)
      : fine_(fine),
        transfer_(transfer),
        columns_(fine.slab(), transfer.coarse_, transfer.lines(0)) {}

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
    auto all = terms(fine_, transfer_, o);
    int const count = static_cast<int>(all.size());
    Table<detail::Term> const table(fine_.slab(), "terms of weights", std::move(all));
    Slab const& coarse = transfer_.coarse_;
    Array<double> weights(coarse);
    for_each_block<detail::SetWeights>("weights", coarse, weights.view(), fine_.row_sums().view(), table.data(), count,
                                       transfer_.tables_[1].view(), transfer_.tables_[2].view(), columns_.view(o[0]),
                                       o[0], o[1], o[2], coarse.held(0));
    coarse.collect(weights);
    transfer_.weights_[number] = std::move(weights);
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

}  // namespace tessera::solvers::multigrid
