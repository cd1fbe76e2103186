// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/grid/field.hpp"
#include "solvers/multigrid/level.hpp"
#include "solvers/stencil_matrix.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace tessera::solvers::multigrid {

/// Moves values between fields on tiles, of any owners, and arrays on slabs. Rows of a rank's own tiles that lie in its own
/// slab are copied; the others travel in one message to each rank concerned. Where a rank owns the tiles of its slab, as
/// with contiguous blocks of tiles, nothing is sent.
class Redistribution {
 public:
  /// `pool`: where arrays of the slab, and of coarser levels, lie.
  explicit Redistribution(core::Layout const& layout, std::shared_ptr<MemoryPool> pool = {});

  Slab const& slab() const { return slab_; }
  /// Whether the rank's own tiles lie in its own slab, and no others do.
  bool is_local() const { return away_.empty() && here_.empty(); }

  /// Values of a field into the lines of an array of the slab, which may lie on the device; ghost cells are not set. Collective.
  template <class T>
  void load(core::Field<double> const& from, Array<T>& to) const;
  /// The field's own cells become the values of the slab. Collective.
  template <class T>
  void store(Array<T> const& from, core::Field<double>& to) const {
    put([&](int k, int j) { return [row = from.row(k, j)](core::Count i) { return static_cast<double>(row[i]); }; }, to,
        [](double& a, double b) { a = b; });
  }
  /// The field's own cells are increased by x + factor p of the slab's cells; x and p may lie on the device. Collective.
  template <class T>
  void add(Array<double> const& x, Array<T> const& p, double factor, core::Field<double>& to) const;

  /// The matrix, ghost cells included: faces as conductances, and row sums; with `device` there, if the slab fits it. Collective.
  Level<double> matrix(StencilMatrix const& matrix, bool device = false) const;
  /// The same into a level of this slab, of that matrix with other coefficients. Collective.
  template <class T>
  void renew(StencilMatrix const& matrix, Level<T>& level) const;

 private:
  struct Piece {
    int slot;  // -1: another rank's tile
    core::Box box, tile;
  };
  static Slab make_slab(core::Layout const& layout, std::shared_ptr<MemoryPool> pool);
  /// Calls f(k, j) with the numbers of the rows of a box in the grid.
  template <class F>
  static void for_each_row(core::Box const& box, F const& f) {
    for (core::Count k = box.lo.k; k < box.hi.k; ++k)
      for (core::Count j = box.lo.j; j < box.hi.j; ++j) f(k, j);
  }
  int layer(core::Count k) const { return static_cast<int>(slab_.outer() == 2 ? k - slab_.first() : k); }
  int row(core::Count j) const { return static_cast<int>(slab_.outer() == 1 ? j - slab_.first() : j); }
  template <class T>
  static T* tile_row(core::FieldView<T> const& field, Piece const& p, core::Count k, core::Count j) {
    return field.row(p.slot, static_cast<int>(k - p.tile.lo.k), static_cast<int>(j - p.tile.lo.j)) +
           (p.box.lo.i - p.tile.lo.i);
  }
  using Pieces = std::map<int, std::vector<Piece>>;
  using Buffers = std::map<int, std::vector<double>>;
  static Buffers buffers(Pieces const& pieces);
  /// Sends a buffer to each rank of `out` and receives one from each of `in`.
  void exchange(Buffers& out, Buffers& in) const;

  /// Rows that this rank has and needs are copied, those of `out` sent, and those of `in` received. from(piece, k, j)(i) is
  /// a value, i counted from the piece's first cell, and to(piece, k, j)(i, value) takes it.
  template <class From, class To>
  void move(Pieces const& out, Pieces const& in, From const& from, To const& to) const {
    auto const copy = [&](Piece const& p) {
      for_each_row(p.box, [&](core::Count k, core::Count j) {
        auto const value = from(p, k, j);
        auto const put = to(p, k, j);
        core::Count const n = p.box.hi.i - p.box.lo.i;
        TESSERA_INDEPENDENT
        for (core::Count i = 0; i < n; ++i) put(i, value(i));
      });
    };
    auto const pieces = static_cast<core::Count>(local_.size());
    core::for_each_by_threads("tiles and slabs", pieces, layout_.cells() / std::max<core::Count>(1, pieces),
                              [&](core::Count n) { copy(local_[n]); });
    Buffers sent = buffers(out), received = buffers(in);
    for (auto const& [rank, pieces] : out) {
      double* next = sent[rank].data();
      for (Piece const& p : pieces)
        for_each_row(p.box, [&](core::Count k, core::Count j) {
          auto const value = from(p, k, j);
          for (core::Count i = 0; i < p.box.hi.i - p.box.lo.i; ++i) *next++ = value(i);
        });
    }
    exchange(sent, received);
    for (auto const& [rank, pieces] : in) {
      double const* next = received[rank].data();
      for (Piece const& p : pieces)
        for_each_row(p.box, [&](core::Count k, core::Count j) {
          auto const put = to(p, k, j);
          for (core::Count i = 0; i < p.box.hi.i - p.box.lo.i; ++i) put(i, *next++);
        });
    }
  }

  template <class Rows, class Put>
  void put(Rows const& value, core::Field<double>& to, Put const& assign) const {
    auto const field = to.host();
    move(
        here_, away_,
        [&](Piece const& p, core::Count k, core::Count j) {
          return [row = value(layer(k), row(j)), first = p.box.lo.i](core::Count i) { return row(first + i); };
        },
        [&](Piece const& p, core::Count k, core::Count j) {
          return [t = tile_row(field, p, k, j), &assign](core::Count i, double x) { assign(t[i], x); };
        });
  }

  core::Layout const& layout_;
  Slab slab_;
  std::vector<Piece> local_;
  Pieces away_, here_;  // own tiles in slabs of others, tiles of others in the own slab
};

}  // namespace tessera::solvers::multigrid
