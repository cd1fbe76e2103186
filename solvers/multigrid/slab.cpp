// SPDX-License-Identifier: Apache-2.0
#include "solvers/multigrid/slab.hpp"

#include "core/error.hpp"
#include "core/grid/sweep.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace tessera::solvers::multigrid {

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
  return !core::on_host && whole_ && starts_.empty() && total() > fewest && !periodic_[0] && !periodic_[1] &&
         !periodic_[2];
}

Slab Slab::on_device() const {
  core::expect(!core::on_host && whole_ && starts_.empty(), "a level of multigrid cannot lie on the device");
  Slab result = *this;
  result.on_device_ = true;
  result.pool_.reset();
  return result;
}

std::array<Range, 2> Slab::rows(Range lines) const {
  if (outer_ == 2) return {lines, Range{0, held(1)}};
  return {Range{0, held(2)}, lines};
}

template <class T>
void Slab::wrap(Array<T>& a, Range lines) const {
  if (periodic_[0] && !thin(0)) {
    int const n = held(0);
    for_each_row(lines, [&](int k, int j) {
      T* const row = a.row(k, j);
      row[-1] = row[n - 1];
      row[n] = row[0];
    });
  }
  if (outer_ == 2 && periodic_[1] && !thin(1)) {
    int const n = held(1);
    for (int k = lines.first; k < lines.last; ++k) {
      std::copy_n(a.row(k, n - 1) - 1, held(0) + 2, a.row(k, -1) - 1);
      std::copy_n(a.row(k, 0) - 1, held(0) + 2, a.row(k, n) - 1);
    }
  }
}

template <class T>
void Slab::complete(Array<T>& a, int ghosts) const {
  wrap(a, lines(0));
  if (!whole_) return exchange(a, ghosts);
  if (!periodic(outer_) || thin(outer_)) return;
  int const n = held(outer_);
  for (int g = 1; g <= ghosts; ++g) {
    std::copy_n(a.line((n - g % n) % n), a.line_size(), a.line(-g));
    std::copy_n(a.line((g - 1) % n), a.line_size(), a.line(n + g - 1));
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
  auto const lines = [&](int first) {
    return std::span<std::byte>(reinterpret_cast<std::byte*>(a.line(first)),
                                static_cast<std::size_t>(ghosts * a.line_size()) * sizeof(T));
  };
  constexpr core::Tag downwards = core::Tag::multigrid_down, upwards = core::Tag::multigrid_up;
  bool const around = periodic(outer_);
  core::Requests requests;
  int const below = me > 0 ? me - 1 : around ? ranks - 1 : -1, above = me + 1 < ranks ? me + 1 : around ? 0 : -1;
  if (below >= 0) comm_.start_receive(below, lines(-ghosts), upwards, requests);
  if (above >= 0) comm_.start_receive(above, lines(n), downwards, requests);
  if (below >= 0) comm_.start_send(below, lines(0), downwards, requests);
  if (above >= 0) comm_.start_send(above, lines(n - ghosts), upwards, requests);
  core::Comm::wait_all(requests);
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
  comm_.gather_in_place(reinterpret_cast<std::byte*>(a.line(0)), counts, places);
}

template <class T>
Array<T>::Array(Slab const& slab) {
  constexpr core::Count align = 64 / static_cast<core::Count>(sizeof(T));
  // the ghost cell behind a row and the one before the next row share the padding between them
  row_ = (slab.held(0) + 2 + align - 1) / align * align;
  bool const solid = slab.outer() == 2;
  int const beside = solid && !slab.thin(1) ? 1 : 0, ends = slab.thin(slab.outer()) ? 0 : Slab::depth;
  layer_ = solid ? row_ * (slab.held(1) + 2 * beside) : row_;
  line_size_ = solid ? layer_ : row_;
  lead_ = beside * row_ + 1;
  size_ = line_size_ * (slab.held(slab.outer()) + 2 * ends) + 2 * align;
  before_ = align + ends * line_size_ + beside * row_;
  if (slab.is_on_device())
    device_ = Kokkos::View<std::byte*>("multigrid", bytes());
  else
    memory_ = ZeroedMemory(bytes(), slab.pool());
  first_ = static_cast<T*>(device_.data() != nullptr ? device_.data() : memory_.data()) + before_;
}

namespace {
template <class T, class Space>
using Values = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;
using OnDevice = Kokkos::DefaultExecutionSpace::memory_space;
}  // namespace

template <class T>
void Array<T>::fill(T value) {
  if (device_.data() != nullptr)
    Kokkos::deep_copy(Values<T, OnDevice>(begin(), static_cast<std::size_t>(size_)), value);
  else
    std::fill_n(begin(), size_, value);
}

template <class T>
void Array<T>::copy(Array const& from) {
  core::expect(size_ == from.size_, "an array of multigrid is copied to one of another slab");
  auto const with = [size = static_cast<std::size_t>(size_)](Array const& a, auto const& work) {
    if (a.device_.data() != nullptr)
      work(Values<T, OnDevice>(a.begin(), size));
    else
      work(Values<T, Kokkos::HostSpace>(a.begin(), size));
  };
  with(*this, [&](auto const& to) { with(from, [&](auto const& values) { Kokkos::deep_copy(to, values); }); });
}

template <class To, class From>
Array<To> converted(Slab const& slab, Array<From> const& from) {
  Array<To> to;
  if (from.empty()) return to;
  to = Array<To>(slab);
  bool const solid = slab.outer() == 2 && !slab.thin(1);
  int const ends = slab.thin(slab.outer()) ? 0 : Slab::depth, n = slab.held(0);
  auto [layers, rows] = slab.rows({-ends, slab.held(slab.outer()) + ends});
  if (solid) rows = {rows.first - 1, rows.last + 1};
  for_each_row(layers, rows, n, [&](int k, int j) {
    From const* const f = from.row(k, j);
    To* const t = to.row(k, j);
    TESSERA_INDEPENDENT
    for (int i = -1; i <= n; ++i) t[i] = static_cast<To>(f[i]);
  });
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
