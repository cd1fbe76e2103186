// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/comm/comm.hpp"
#include "core/grid/grid.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/upload.hpp"
#include "solvers/multigrid/memory.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace tessera::solvers::multigrid {

using Offset = std::array<int, 3>;  ///< along x, y, z

/// Lines first <= line < last along the outer axis of a slab.
struct Range {
  int first, last;
};

template <class T>
class Array;

/// Part `part` of the lines cut into `parts` of the same number but for one.
inline Range share(Range lines, int part, int parts) {
  int const n = lines.last - lines.first;
  return {lines.first + n / parts * part + n % parts * part / parts,
          lines.first + n / parts * (part + 1) + n % parts * (part + 1) / parts};
}

/// Calls f(k, j) for the rows j of the layers k, shared over the threads: f writes what no other row reads or writes.
template <class F>
void for_each_row(Range layers, Range rows, int columns, F const& f) {
  core::Count const n = rows.last - rows.first;
  core::for_each_by_threads("rows of a level", n * (layers.last - layers.first), columns, [&](core::Count row) {
    f(layers.first + static_cast<int>(row / n), rows.first + static_cast<int>(row % n));
  });
}

/// Where the values of an array lie, for kernels.
template <class T>
struct ArrayView {
  T* first = nullptr;
  core::Count row_stride = 0, layer_stride = 0;
  KOKKOS_FUNCTION T* row(int k, int j) const { return first + k * layer_stride + j * row_stride; }
};

namespace detail {
/// Rows j of layers k by one number.
template <class Kernel>
struct NumberedRows {
  Kernel kernel;
  int layer, first, rows;
  KOKKOS_FUNCTION auto row(core::Count n) const {
    return kernel.row(layer + static_cast<int>(n / rows), first + static_cast<int>(n % rows));
  }
};
}  // namespace detail

/// A level of multigrid cut into slabs of whole lines along its outer axis (z in 3-D, else y), one a rank.
///
/// Multigrid works on slabs, not on the tiles of the fields: rows are as long as the grid, a rank has two neighbours, and
/// no result depends on tiles or owners. Arrays have `depth` lines more at both ends; what a pass needs there comes by
/// one message a side, and further passes compute those lines again instead of asking for them.
///
/// `starts` are the first lines of the ranks, and the number of lines last. A slab is either split (a rank holds its part
/// and ghost lines), or whole: each rank holds all lines, and computes its part of what comes from a finer split level
/// (`starts` given), or everything for itself (`starts` empty). Its arrays lie in `pool`, if there is one.
class Slab {
 public:
  static constexpr int depth = 5;
  static constexpr core::Count direct = 100;  ///< cells of a level that is solved directly, which each rank holds whole

  Slab(core::Comm comm, core::Grid::Shape cells, std::array<bool, 3> periodic, std::vector<core::Count> starts,
       bool whole, std::shared_ptr<MemoryPool> pool = {});

  core::Grid::Shape const& cells() const { return cells_; }  ///< of the whole level
  core::Count total() const { return cells_[0] * cells_[1] * cells_[2]; }
  bool periodic(int axis) const { return periodic_[axis]; }
  bool thin(int axis) const { return cells_[axis] == 1; }
  core::Comm const& comm() const { return comm_; }
  int outer() const { return outer_; }
  bool whole() const { return whole_; }
  std::vector<core::Count> const& starts() const { return starts_; }
  std::shared_ptr<MemoryPool> const& pool() const { return pool_; }

  /// Whether kernels may work on it where there is a device: no other rank computes lines that this one holds, and these are large
  /// enough to be worth the starts of kernels. Ranks need not agree.
  bool fits_device() const;
  /// The same slab, also a small one, whose arrays lie on the device: for_each_cell works on them there. With `no` they lie on the
  /// host.
  Slab on_device(bool yes = true) const;
  bool is_on_device() const { return on_device_; }

  /// Cells of an array along an axis, ghosts not counted, and the number in the level of the first along the outer one.
  int held(int axis) const { return held_[axis]; }
  core::Count first() const { return first_; }
  /// Lines that are held, and `extra` more at both ends as far as the level goes.
  Range lines(int extra) const;
  /// Lines that this rank computes of what comes from a finer level.
  Range part() const;
  /// The lines of a range as ranges of layers k and rows j.
  std::array<Range, 2> rows(Range lines) const;
  /// The lines of an array, ghosts included.
  Range lines_of_arrays() const {
    int const ends = thin(outer_) ? 0 : depth;
    return {-ends, held(outer_) + ends};
  }

  /// Calls f(k, j) for the rows of these lines, shared over the threads: f writes what no other row reads or writes.
  template <class F>
  void for_each_row(Range lines, F const& f) const {
    auto const [layers, rows_of] = rows(lines);
    multigrid::for_each_row(layers, rows_of, held_[0], f);
  }
  /// Calls kernel.row(k, j)(i) for the cells of these lines, each of which writes its own: on the device, if the slab lies there,
  /// else by rows shared over the threads.
  template <class Kernel>
  void for_each_cell(char const* label, Range lines, Kernel const& kernel) const {
    auto const [layers, rows_of] = rows(lines);
    for_each_in_rows(label, layers, rows_of, held_[0], kernel);
  }
  /// The same for all that an array holds, ghost cells included: i counts from the one before the row's first cell.
  template <class Kernel>
  void for_each_held(char const* label, Kernel const& kernel) const {
    auto [layers, rows_of] = rows(lines_of_arrays());
    if (outer_ == 2 && !thin(1)) rows_of = {rows_of.first - 1, rows_of.last + 1};
    for_each_in_rows(label, layers, rows_of, held_[0] + 2, kernel);
  }
  /// The same row after row.
  template <class F>
  void for_each_row_in_order(Range lines, F const& f) const {
    auto const [layers, rows_of] = rows(lines);
    for (int k = layers.first; k < layers.last; ++k)
      for (int j = rows_of.first; j < rows_of.last; ++j) f(k, j);
  }

  /// After the held lines were computed: the ghost cells of periodic axes, and `ghosts` lines at both ends. Collective.
  template <class T>
  void complete(Array<T>& a, int ghosts = depth) const;
  /// After the rank's part was computed: the same, and all other lines of a whole slab. Collective.
  template <class T>
  void collect(Array<T>& a, int ghosts = depth) const;
  /// The ghost cells of periodic axes other than the outer one in these lines.
  template <class T>
  void wrap(Array<T>& a, Range lines) const;

 private:
  /// for_each_cell for i = 0 .. columns - 1 of the rows j of the layers k.
  template <class Kernel>
  void for_each_in_rows([[maybe_unused]] char const* label, Range layers, Range rows, int columns,
                        Kernel const& kernel) const {
    if constexpr (!core::on_host)
      if (on_device_) {
        int const n = rows.last - rows.first;
        core::for_each_in_rows(label, core::Count{n} * (layers.last - layers.first), columns,
                               detail::NumberedRows<Kernel>{kernel, layers.first, rows.first, n});
        return;
      }
    multigrid::for_each_row(layers, rows, columns, [&](int k, int j) {
      auto const row = kernel.row(k, j);
      TESSERA_INDEPENDENT
      for (int i = 0; i < columns; ++i) row(i);
    });
  }
  template <class T>
  void exchange(Array<T>& a, int ghosts) const;
  template <class T>
  void gather(Array<T>& a) const;

  core::Comm comm_;
  core::Grid::Shape cells_;
  std::array<bool, 3> periodic_;
  std::vector<core::Count> starts_;
  bool whole_;
  bool on_device_ = false;
  std::shared_ptr<MemoryPool> pool_;
  int outer_;
  std::array<int, 3> held_;
  core::Count first_ = 0;
};

/// One value a cell of a slab, with ghost cells: one beside the ends of the inner axes, Slab::depth lines on the outer
/// one. Rows are contiguous and aligned to 64 bytes. Starts as zero. Of a slab on the device rows are for kernels alone.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(Slab const& slab);
  bool empty() const { return memory_.data() == nullptr && device_.data() == nullptr; }
  bool on_device() const { return device_.data() != nullptr; }
  ArrayView<T> view() { return {first_, row_, layer_}; }
  ArrayView<T const> view() const { return {first_, row_, layer_}; }
  T* row(int k, int j) { return first_ + k * layer_ + j * row_; }
  T const* row(int k, int j) const { return first_ + k * layer_ + j * row_; }
  core::Count step(Offset const& e) const { return e[0] + e[1] * row_ + e[2] * layer_; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  void fill(T value);
  /// Takes the values of an array of the same slab, ghost cells included; one of the two may lie on the device, or both.
  void copy(Array const& from);
  /// Lines of the outer axis with their ghosts, from `from` on, become those from `to` on. The two do not overlap.
  void copy_lines(int from, int to, int count);
  /// The same from and to memory of the host.
  void copy_lines_to(int from, int count, T* host) const;
  void copy_lines_from(T const* host, int to, int count);

  /// A line of the outer axis with its ghosts is `line_size` values from `line`.
  T* line(int l) { return first_ - lead_ + l * line_size_; }
  T const* line(int l) const { return first_ - lead_ + l * line_size_; }
  core::Count line_size() const { return line_size_; }

 private:
  T* begin() const { return first_ - before_; }
  /// Copies values that lie next to each other, on the device or on the host.
  static void copy_values(T* to, bool to_device, T const* from, bool from_device, core::Count count);

  ZeroedMemory memory_;
  Kokkos::View<std::byte*> device_;     // in its place
  std::unique_ptr<core::Pages> pages_;  // of device_ in a fenced build
  T* first_ = nullptr;
  core::Count row_ = 0, layer_ = 0, line_size_ = 0, lead_ = 0, size_ = 0, before_ = 0;
};

/// Values that the kernels of a slab read, where it lies.
template <class T>
class Table {
 public:
  Table() = default;
  Table(Slab const& slab, char const* label, std::vector<T> values) : host_(std::move(values)) {
    if (!slab.is_on_device()) return;
    device_ = core::upload(label, host_);
    host_ = {};
  }
  T const* data() const { return device_.data() != nullptr ? device_.data() : host_.data(); }

 private:
  std::vector<T> host_;
  Kokkos::View<T const*> device_;  // in its place
};

/// A copy with values of another type.
template <class To, class From>
Array<To> converted(Slab const& slab, Array<From> const& from);

}  // namespace tessera::solvers::multigrid
