// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/slab.hpp"

#include "core/comm/device_addresses.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/workspace.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tessera::solvers::multigrid {
namespace detail {

/// The ghost cells of a row on a periodic axis.
template <class T>
struct WrapRow {
  ArrayView<T> a;
  int cells;
  struct Row {
    T* values;
    int cells;
    /// side 0: before the first cell; 1: behind the last
    KOKKOS_FUNCTION void operator()(int side) const {
      values[side == 0 ? -1 : cells] = values[side == 0 ? cells - 1 : 0];
    }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const { return {a.row(k, j), cells}; }
};

/// The ghost rows of a layer on a periodic axis, their own ghost cells included; side as above.
template <class T>
struct WrapLayer {
  ArrayView<T> a;
  int rows;
  struct Row {
    T const* from;
    T* to;
    KOKKOS_FUNCTION void operator()(int i) const { to[i - 1] = from[i - 1]; }
  };
  KOKKOS_FUNCTION Row row(int k, int side) const {
    return {a.row(k, side == 0 ? rows - 1 : 0), a.row(k, side == 0 ? -1 : rows)};
  }
};

/// The values of a row in another precision, from the ghost cell before it on.
template <class To, class From>
struct Convert {
  ArrayView<From const> from;
  ArrayView<To> to;
  struct Row {
    From const* from;
    To* to;
    KOKKOS_FUNCTION void operator()(int i) const { to[i - 1] = static_cast<To>(from[i - 1]); }
  };
  KOKKOS_FUNCTION Row row(int k, int j) const { return {from.row(k, j), to.row(k, j)}; }
};

}  // namespace detail

Slab::Slab(core::Comm comm, core::Grid::Shape cells, std::array<bool, 3> periodic, std::vector<core::Count> starts,
           bool whole, std::shared_ptr<MemoryPool> pool)
    : comm_(comm),
      cells_(cells),
      periodic_(periodic),
      starts_(std::move(starts)),
      whole_(whole),
      pool_(std::move(pool)),
      outer_(cells[2] > 1 ? 2 : 1) {
  for (std::size_t a = 0; a < 3; ++a) held_[a] = static_cast<int>(cells_[a]);
  if (whole_) return;
  auto const me = static_cast<std::size_t>(comm_.rank());
  first_ = starts_[me];
  held_[outer_] = static_cast<int>(starts_[me + 1] - first_);
}

Range Slab::lines(int extra) const {
  int const n = held(outer_);
  if (thin(outer_)) return {0, n};
  if (periodic(outer_)) return {-extra, n + extra};
  core::Count const behind = cells_[outer_] - first_;
  return {static_cast<int>(std::max<core::Count>(-extra, -first_)),
          static_cast<int>(std::min<core::Count>(n + extra, behind))};
}

Range Slab::part() const {
  if (!whole_ || starts_.empty()) return {0, held(outer_)};
  auto const me = static_cast<std::size_t>(comm_.rank());
  return {static_cast<int>(starts_[me]), static_cast<int>(starts_[me + 1])};
}

bool Slab::fits_device() const {
  constexpr core::Count fewest = 8192;
  bool const shared = whole_ && !starts_.empty();
  return !core::on_host && !shared && core::Count{held_[0]} * held_[1] * held_[2] > fewest;
}

Slab Slab::on_device(bool yes) const {
  core::expect(!yes || !core::on_host, "a level of multigrid cannot lie on the device where there is none");
  Slab result = *this;
  result.on_device_ = yes;
  return result;
}

std::array<Range, 2> Slab::rows(Range lines) const {
  if (outer_ == 2) return {lines, Range{0, held(1)}};
  return {Range{0, held(2)}, lines};
}

template <class T>
void Slab::wrap(Array<T>& a, Range lines) const {
  auto const [layers, rows_of] = rows(lines);
  if (periodic_[0])
    for_each_in_rows("ghost cells of rows", layers, rows_of, 2, detail::WrapRow<T>{a.view(), held(0)});
  if (outer_ == 2 && periodic_[1] && !thin(1))
    for_each_in_rows("ghost rows", layers, {0, 2}, held(0) + 2, detail::WrapLayer<T>{a.view(), held(1)});
}

template <class T>
void Slab::complete(Array<T>& a, int ghosts) const {
  wrap(a, lines(0));
  if (!whole_) return exchange(a, ghosts);
  if (!periodic(outer_) || thin(outer_)) return;
  int const n = held(outer_);
  for (int g = 1; g <= ghosts; ++g) {
    a.copy_lines((n - g % n) % n, -g, 1);
    a.copy_lines((g - 1) % n, n + g - 1, 1);
  }
}

template <class T>
void Slab::collect(Array<T>& a, int ghosts) const {
  if (whole_ && !starts_.empty() && comm_.size() > 1) gather(a);
  complete(a, ghosts);
}

template <class T>
void Slab::exchange(Array<T>& a, int ghosts) const {
  int const n = held(outer_), ranks = comm_.size(), me = comm_.rank();
  constexpr core::Tag downwards = core::Tag::multigrid_down, upwards = core::Tag::multigrid_up;
  bool const around = periodic(outer_);
  /// A neighbour, the first lines that it gets, and where its own begin.
  struct End {
    int rank, own, ghost;
    core::Tag out, in;
  };
  int const below = me > 0 ? me - 1 : around ? ranks - 1 : -1, above = me + 1 < ranks ? me + 1 : around ? 0 : -1;
  std::array<End, 2> const ends{End{below, 0, -ghosts, downwards, upwards},
                                End{above, n - ghosts, n, upwards, downwards}};
  auto const values = static_cast<std::size_t>(ghosts * a.line_size());
  bool const by_host = on_device_ && !core::mpi_takes_device_addresses();
  auto* const staged = by_host ? reinterpret_cast<T*>(core::message_workspace(4 * values * sizeof(T))) : nullptr;
  auto const staged_at = [&](std::size_t end, bool out) { return staged + (2 * end + out) * values; };
  auto const memory = [&](std::size_t end, bool out) {
    T* const first = by_host ? staged_at(end, out) : a.line(out ? ends[end].own : ends[end].ghost);
    return std::as_writable_bytes(std::span(first, values));
  };
  core::Requests requests;
  for (std::size_t e = 0; e < ends.size(); ++e)
    if (ends[e].rank >= 0) comm_.start_receive(ends[e].rank, memory(e, false), ends[e].in, requests);
  for (std::size_t e = 0; e < ends.size(); ++e) {
    if (ends[e].rank < 0) continue;
    if (by_host) a.copy_lines_to(ends[e].own, ghosts, staged_at(e, true));
    comm_.start_send(ends[e].rank, memory(e, true), ends[e].out, requests);
  }
  core::Comm::wait_all(requests);
  for (std::size_t e = 0; e < ends.size() && by_host; ++e)
    if (ends[e].rank >= 0) a.copy_lines_from(staged_at(e, false), ends[e].ghost, ghosts);
}

template <class T>
void Slab::gather(Array<T>& a) const {
  std::vector<int> counts, places;
  for (std::size_t r = 0; r + 1 < starts_.size(); ++r) {
    auto const bytes = [&](core::Count lines) {
      return static_cast<int>(lines * a.line_size() * static_cast<core::Count>(sizeof(T)));
    };
    counts.push_back(bytes(starts_[r + 1] - starts_[r]));
    places.push_back(bytes(starts_[r]));
  }
  if (!on_device_) return comm_.gather_in_place(reinterpret_cast<std::byte*>(a.line(0)), counts, places);
  int const lines = held(outer_);
  auto const own = part();
  std::byte* const staged = core::message_workspace(static_cast<std::size_t>(lines * a.line_size()) * sizeof(T));
  T* const values = reinterpret_cast<T*>(staged);
  a.copy_lines_to(own.first, own.last - own.first, values + own.first * a.line_size());
  comm_.gather_in_place(staged, counts, places);
  a.copy_lines_from(values, 0, lines);
}

template <class T>
Array<T>::Array(Slab const& slab) {
  constexpr core::Count align = 64 / static_cast<core::Count>(sizeof(T));
  // the ghost cell behind a row and the one before the next row share the padding between them
  row_ = (slab.held(0) + 2 + align - 1) / align * align;
  bool const solid = slab.outer() == 2;
  int const beside = solid && !slab.thin(1) ? 1 : 0, ends = -slab.lines_of_arrays().first;
  layer_ = solid ? row_ * (slab.held(1) + 2 * beside) : row_;
  line_size_ = solid ? layer_ : row_;
  lead_ = beside * row_ + 1;
  size_ = line_size_ * (slab.held(slab.outer()) + 2 * ends) + 2 * align;
  before_ = align + ends * line_size_ + beside * row_;
  if (!slab.is_on_device()) {
    memory_ = ZeroedMemory(bytes(), slab.pool());
  } else if constexpr (core::fenced) {
    // fresh pages are zero
    pages_ = std::make_unique<core::Pages>(bytes(), core::MemorySpace::device);
    device_ = Kokkos::View<std::byte*>(static_cast<std::byte*>(pages_->data()), bytes());
  } else {
    device_ = Kokkos::View<std::byte*>("multigrid", bytes());
  }
  first_ = static_cast<T*>(on_device() ? device_.data() : memory_.data()) + before_;
}

namespace {
template <class T, class Space>
using Values = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;
using OnDevice = Kokkos::DefaultExecutionSpace::memory_space;
}  // namespace

template <class T>
void Array<T>::fill(T value) {
  if (!on_device()) {
    std::fill_n(begin(), size_, value);
    return;
  }
  core::OpenPages const open(core::OpenPages::For::copy);
  Kokkos::deep_copy(Values<T, OnDevice>(begin(), static_cast<std::size_t>(size_)), value);
}

template <class T>
void Array<T>::copy_values(T* to, bool to_device, T const* from, bool from_device, core::Count count) {
  if (!to_device && !from_device) {
    std::copy_n(from, count, to);
    return;
  }
  core::OpenPages const open(core::OpenPages::For::copy);
  auto const with = [n = static_cast<std::size_t>(count)](auto* values, bool device, auto const& work) {
    using Value = std::remove_pointer_t<decltype(values)>;
    if (device)
      work(Values<Value, OnDevice>(values, n));
    else
      work(Values<Value, Kokkos::HostSpace>(values, n));
  };
  with(to, to_device,
       [&](auto const& there) { with(from, from_device, [&](auto const& here) { Kokkos::deep_copy(there, here); }); });
}

template <class T>
void Array<T>::copy_lines(int from, int to, int count) {
  copy_values(line(to), on_device(), line(from), on_device(), count * line_size_);
}
template <class T>
void Array<T>::copy_lines_to(int from, int count, T* host) const {
  copy_values(host, false, line(from), on_device(), count * line_size_);
}
template <class T>
void Array<T>::copy_lines_from(T const* host, int to, int count) {
  copy_values(line(to), on_device(), host, false, count * line_size_);
}

template <class T>
void Array<T>::copy(Array const& from) {
  core::expect(size_ == from.size_, "an array of multigrid is copied to one of another slab");
  copy_values(begin(), on_device(), from.begin(), from.on_device(), size_);
}

template <class To, class From>
Array<To> converted(Slab const& slab, Array<From> const& from) {
  Array<To> to;
  if (from.empty()) return to;
  to = Array<To>(slab);
  slab.for_each_held("another precision", detail::Convert<To, From>{from.view(), to.view()});
  return to;
}

template class Array<float>;
template class Array<double>;
template void Slab::complete(Array<float>&, int) const;
template void Slab::complete(Array<double>&, int) const;
template void Slab::collect(Array<float>&, int) const;
template void Slab::collect(Array<double>&, int) const;
template void Slab::wrap(Array<float>&, Range) const;
template void Slab::wrap(Array<double>&, Range) const;
template Array<float> converted(Slab const&, Array<double> const&);
template Array<double> converted(Slab const&, Array<double> const&);

}  // namespace tessera::solvers::multigrid
