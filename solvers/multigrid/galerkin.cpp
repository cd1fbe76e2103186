// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/columns.hpp"
#include "solvers/multigrid/transfer.hpp"

#include <array>
#include <utility>

namespace tessera::solvers::multigrid {
namespace detail {

/// A fine cell p at the offset e from another: of a kept cell P has the weights there; of any cell A has the entry.
struct Neighbour {
  int e[3];
  bool centre;
  ArrayView<double const> weights;  ///< none: they are zero, or, at the centre, 1
  ArrayView<double const> entry;    ///< none: it is zero. Without its sign
  int from[3];                      ///< the cell that the entry is stored at
  double sign;
};

/// f_cn = -sum over fine cells p, q of P_pc A_pq P_qn for the kept neighbour n of c at the offset `to`.
///
/// Where a periodic axis of two lines becomes one, n lies beside itself: fine cells take its values from both sides, so that it counts
/// at its images, two lines away, too.
template <int block>
struct SetConductance {
  ArrayView<double> f;
  Neighbour const* around;
  int count, stride[3];  ///< stride: of the numbers of neighbours
  LinesView y, z;
  ColumnsView columns[3];
  int to[3], images[3], kept;  ///< images: 1 along an axis on which n lies beside itself
  struct Row {
    SetConductance const& of;
    int k, j, fine_k, fine_j;
    int apart_z, apart_y;  ///< how far the row of the neighbour is
    double* f;             ///< none: there is no such row
    KOKKOS_FUNCTION void operator()(int b) const {
      if (f == nullptr) return;
      int const first = b * block;
      std::size_t const n = columns_in<block>(b, of.kept);
      auto const& next = of.columns[of.to[0] + 1];
      double sum[block] = {};
      for (Neighbour const* p = of.around; p < of.around + of.count; ++p) {
        double const* const weight = p->weights.first == nullptr ? nullptr : p->weights.row(k, j) + first;
        if (!p->centre && weight == nullptr) continue;
        if (p->e[1] != 0 && !of.y.removed(fine_j + p->e[1])) continue;
        if (p->e[2] != 0 && !of.z.removed(fine_k + p->e[2])) continue;
        double t[block] = {};
        if (of.to[0] == 0) {
          for (int image = -of.images[0]; image <= of.images[0]; ++image) add_terms(t, *p, 2 * image, nullptr, b);
        } else {
          // kept columns are one or two columns apart
          add_terms(t, *p, 2 * of.to[0], next.far + first, b);
          if (next.any_near[b]) add_terms(t, *p, of.to[0], next.near + first, b);
        }
        for (std::size_t i = 0; i < n; ++i) sum[i] += weight != nullptr ? weight[i] * t[i] : t[i];
      }
      for (std::size_t i = 0; i < n; ++i) f[first + i] = -sum[i];
    }
    /// t += sum over q of A_pq P_qn, the neighbour n `apart` columns away.
    KOKKOS_FUNCTION void add_terms(double (&t)[block], Neighbour const& p, int apart, double const* mask, int b) const {
      for (int z = -of.images[2]; z <= of.images[2]; ++z)
        for (int y = -of.images[1]; y <= of.images[1]; ++y)
          add_image(t, p, apart, apart_y + 2 * y, apart_z + 2 * z, mask, b);
    }
    /// The same for n as far away along y and z as told.
    KOKKOS_FUNCTION void add_image(double (&t)[block], Neighbour const& p, int apart, int along_y, int along_z,
                                   double const* mask, int b) const {
      std::size_t const n = columns_in<block>(b, of.kept);
      int const at_k = of.z.inside(fine_k + p.e[2]), at_j = of.y.inside(fine_j + p.e[1]), first = b * block;
      for (Neighbour const* q = of.around; q < of.around + of.count; ++q) {
        int const u[3] = {p.e[0] + q->e[0] - apart, p.e[1] + q->e[1] - along_y, p.e[2] + q->e[2] - along_z};
        if (q->entry.first == nullptr || far(u[0]) || far(u[1]) || far(u[2])) continue;
        Neighbour const& there =
            of.around[of.count / 2 + u[0] * of.stride[0] + u[1] * of.stride[1] + u[2] * of.stride[2]];
        double const* const w =
            there.weights.first == nullptr ? nullptr : there.weights.row(k + of.to[2], j + of.to[1]) + first + of.to[0];
        if (!there.centre && w == nullptr) continue;
        double term[block];
        of.columns[p.e[0] + 1].take(b, n, q->entry.row(at_k + q->from[2], at_j + q->from[1]) + q->from[0], term);
        if (w != nullptr)
          for (std::size_t i = 0; i < n; ++i) term[i] *= w[i];
        if (mask != nullptr)
          for (std::size_t i = 0; i < n; ++i) term[i] *= mask[i];
        for (std::size_t i = 0; i < n; ++i) t[i] += q->sign * term[i];
      }
    }
    KOKKOS_FUNCTION static bool far(int u) { return u < -1 || u > 1; }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const {
    bool const there = z.exists(k + to[2]) && y.exists(j + to[1]);
    if (!there) return {*this, 0, 0, 0, 0, 0, 0, nullptr};
    return {*this, k, j, z.at[k], y.at[j], z.at[k + to[2]] - z.at[k], y.at[j + to[1]] - y.at[j], f.row(k, j)};
  }
};

/// a = -a
struct Negate {
  ArrayView<double> a;
  struct Row {
    double* a;
    KOKKOS_FUNCTION void operator()(int i) const { a[i] = -a[i]; }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const { return {a.row(k, j)}; }
};

}  // namespace detail

/// Forms the conductances of the Galerkin matrix, row of kept cells by row.
class Galerkin {
 public:
  Galerkin(Level<double> const& fine, Transfer<double> const& transfer)
      : fine_(fine),
        transfer_(transfer),
        coarse_(transfer.coarse()) {}

  Level<double> matrix() {
    Neighbourhood const around(coarse_.cells());
    std::vector<int> numbers;
    for (int n = 0; n < around.centre(); ++n) numbers.push_back(n);
    // the row sums first: what they need for a while is gone when the diagonal and the conductances come
    Level<double> level(coarse_, {});
    set_row_sums(level.row_sums());
    level.set_numbers(numbers);
    Array<double> const diagonal = fine_.diagonal();
    Table<detail::Neighbour> const table(fine_.slab(), "neighbours", neighbours(diagonal));
    Columns const columns(fine_.slab(), coarse_, transfer_.lines(0));
    auto const& fine = fine_.around();
    auto const stride = [&](Offset const& e) { return fine.number(e) - fine.centre(); };
    for (int n : numbers) {
      auto& f = level.conductances()[n];
      Offset const& to = around[n];
      for_each_block<detail::SetConductance>("Galerkin", coarse_, f.view(), table.data(), fine.count(),
                                             stride({1, 0, 0}), stride({0, 1, 0}), stride({0, 0, 1}),
                                             transfer_.tables_[1].view(), transfer_.tables_[2].view(), columns.view(-1),
                                             columns.view(0), columns.view(1), to[0], to[1], to[2], beside_itself(0),
                                             beside_itself(1), beside_itself(2), coarse_.held(0));
      coarse_.collect(f);
    }
    return level;
  }

 private:
  /// 1 where a periodic axis has one line on the coarse level, of two.
  int beside_itself(int axis) const {
    return transfer_.lines(axis).coarsened() && transfer_.lines(axis).beside_itself();
  }
  /// m = P^T (A (P 1)): no cancellation, and exact where the weights sum to one.
  void set_row_sums(Array<double>& m) const {
    Array<double> one(coarse_), ones(fine_.slab()), product(fine_.slab());
    one.fill(1);
    transfer_.interpolate(one, ones, 2);
    fine_.residual(product, ones, product, 1);  // -A (P 1): the right side is still zero
    transfer_.restrict_to(m, product);
    coarse_.for_each_cell("row sums", coarse_.part(), detail::Negate{m.view()});
    coarse_.collect(m);
  }

  std::vector<detail::Neighbour> neighbours(Array<double> const& diagonal) const {
    auto const& around = fine_.around();
    std::vector<detail::Neighbour> result;
    for (int n = 0; n < around.count(); ++n) {
      bool const lower = n < around.centre(), centre = n == around.centre();
      Array<double> const* const entry = centre ? &diagonal : fine_.conductance(lower ? n : around.opposite(n));
      detail::Neighbour neighbour{{}, centre, transfer_.weights(n).view(), {}, {}, centre ? 1.0 : -1.0};
      for (std::size_t d = 0; d < 3; ++d) {
        neighbour.e[d] = around[n][d];
        if (!lower) neighbour.from[d] = around[n][d];
      }
      if (entry != nullptr) neighbour.entry = entry->view();
      result.push_back(neighbour);
    }
    return result;
  }

  Level<double> const& fine_;
  Transfer<double> const& transfer_;
  Slab const& coarse_;
};

Level<double> galerkin(Level<double> const& fine, Transfer<double> const& transfer) {
  return Galerkin(fine, transfer).matrix();
}

}  // namespace tessera::solvers::multigrid
