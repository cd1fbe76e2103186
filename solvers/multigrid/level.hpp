// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "solvers/multigrid/slab.hpp"

#include <array>
#include <type_traits>
#include <vector>

namespace tessera::solvers::multigrid {

/// The offsets {-1, 0, 1}^D of a cell and its neighbours over the D axes that are not thin, numbered in raster order.
/// `centre()` is the cell itself, the numbers below it are the lower half, and n and 2 centre - n are opposite.
class Neighbourhood {
 public:
  explicit Neighbourhood(core::Grid::Shape const& cells);
  int count() const { return static_cast<int>(offsets_.size()); }
  int centre() const { return count() / 2; }
  int opposite(int n) const { return 2 * centre() - n; }
  Offset const& operator[](int n) const { return offsets_[n]; }
  /// The number of an offset, which must be zero on thin axes.
  int number(Offset const& e) const { return centre() + e[0] * stride_[0] + e[1] * stride_[1] + e[2] * stride_[2]; }

 private:
  std::vector<Offset> offsets_;
  Offset stride_{};
};

/// Weights of the smoother: Chebyshev on [low, 2] of the spectrum of D^-1 A, low = 0.6 (0.4 in 3-D).
template <class T>
std::vector<T> chebyshev_weights(int steps, bool solid);

enum class Pass { relax, residual, product };

namespace detail {
/// The K couplings of each cell to its lower neighbours, for kernels.
template <class T, int K>
struct CouplingsView {
  ArrayView<T const> f[K + 1];
  core::Count step[K + 1];  ///< from a cell to its upper neighbour
  struct Row {
    T const* f[K + 1];
    core::Count step[K + 1];
    KOKKOS_FUNCTION T lower(int c, int i) const { return f[c][i]; }
    KOKKOS_FUNCTION T upper(int c, int i) const { return f[c][i + step[c]]; }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const {
    Row result{};
    for (int c = 0; c < K; ++c) {
      result.f[c] = f[c].row(k, j);
      result.step[c] = step[c];
    }
    return result;
  }
};

/// f(std::integral_constant) of a level's number of couplings a cell, so that loops over them are unrolled.
template <class F>
void with_couplings(std::size_t count, F const& f) {
  switch (count) {
  case 0:
    return f(std::integral_constant<int, 0>());
  case 1:
    return f(std::integral_constant<int, 1>());
  case 2:
    return f(std::integral_constant<int, 2>());
  case 3:
    return f(std::integral_constant<int, 3>());
  case 4:
    return f(std::integral_constant<int, 4>());
  default:
    core::expect(count == 13, "a stencil of multigrid has 0 to 4 or 13 couplings a cell");
    return f(std::integral_constant<int, 13>());
  }
}
}  // namespace detail

/// One level: a symmetric matrix A of 3, 5, 7, 9 or 27 points in flux-difference form, on every level,
///   (A z)_i = m_i z_i + sum over neighbours f_ij (z_i - z_j),   m = row sum, f_ij = -A_ij,
/// its smoother, and working space. Never as a diagonal times z: where conductances jump by 1e3 it would lose the small
/// fluxes in single precision.
///
/// The smoother is Jacobi's with Chebyshev weights, D_i = max(a_ii, sum_j |a_ij| / 2), the diagonal counted in the sum:
/// the spectrum of D^-1 A lies in (0, 2] by Gershgorin, so that every step contracts and the cycle is positive definite.
/// Galerkin matrices with the plain diagonal pass 2, in 3-D even 4.
/// Passes take the lines to work on as a number of lines beyond the slab's own (see Slab): values there are computed
/// again on both ranks, with the same bits.
template <class T>
class Level {
 public:
  Level(Slab slab, std::vector<int> numbers);
  /// The same matrix in another precision, without 1/D and working space; the other one is empty then.
  template <class U>
  static Level from(Level<U>& other);

  Slab const& slab() const { return slab_; }
  Neighbourhood const& around() const { return around_; }
  /// Conductance of each cell to its neighbour at the offsets `numbers()` of the lower half, and the row sums.
  std::vector<int> const& numbers() const { return numbers_; }
  std::vector<Array<T>>& conductances() { return f_; }
  std::vector<Array<T>> const& conductances() const { return f_; }
  Array<T>& row_sums() { return m_; }
  Array<T> const& row_sums() const { return m_; }
  Array<T> const& inverse() const { return inverse_; }
  /// The conductances at offset `number`, or none.
  Array<T> const* conductance(int number) const;
  /// All of them, for kernels; there are K.
  template <int K>
  detail::CouplingsView<T, K> couplings() const {
    detail::CouplingsView<T, K> result{};
    for (int c = 0; c < K; ++c) {
      result.f[c] = f_[c].view();
      result.step[c] = -m_.step(around_[numbers_[c]]);
    }
    return result;
  }

  /// Which conductances there are, all zero.
  void set_numbers(std::vector<int> numbers);
  /// After the matrix is complete, ghost cells included: 1/D.
  void set_inverse();
  /// Diagonal m + sum f.
  Array<T> diagonal() const;
  void allocate_vectors();
  /// The matrix moves from the device to the host.
  void move_to_host();
  std::size_t bytes() const;

  /// z = weight D^-1 r
  void first_step(T weight, Array<T> const& r, Array<T>& z, int extra) const;
  /// to = z + weight D^-1 (r - A z)
  void step(T weight, Array<T> const& r, Array<T> const& z, Array<T>& to, int extra) const;
  /// to = A z
  void product(Array<T> const& z, Array<T>& to, int extra) const;
  /// t = r - A z
  void residual(Array<T> const& r, Array<T> const& z, Array<T>& t, int extra) const;

  Array<T> r, z, t;  ///< right side, solution, working space

 private:
  template <Pass kind>
  void pass(T weight, Array<T> const& r, Array<T> const& z, Array<T>& to, int extra) const;

  Slab slab_;
  Neighbourhood around_;
  std::vector<int> numbers_;
  std::vector<Array<T>> f_;
  Array<T> m_, inverse_;

  template <class U>
  friend class Level;
};

}  // namespace tessera::solvers::multigrid
