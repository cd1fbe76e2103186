// SPDX-License-Identifier: Apache-2.0
#include "ca/lattices/pruned.hpp"

#include "ca/clusters.hpp"
#include "core/error.hpp"
#include "core/grid/halo.hpp"
#include "core/grid/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::ca::graph {

Pruned::Pruned(core::Field<std::uint8_t> const& occupied, core::Field<std::uint8_t> const& inlets,
               core::Field<std::uint8_t> const& outlets, Lattice const& lattice)
    : layout_(occupied.layout()),
      lattice_(lattice),
      cells_("cells without dead ends", layout_, 1, 0),
      cell_(cells_.host()),
      steps_(lattice, layout_.grid(), cell_),
      mail_(layout_),
      work_(static_cast<std::size_t>(layout_.tiles())),
      first_(work_.size(), 0) {
  auto const clusters =
      find_clusters(occupied, {.lattice = lattice, .inlet = &inlets, .outlet = &outlets, .connecting = true});
  spans_ = clusters.connecting.clusters > 0;
  if (!spans_) return;
  auto const in = inlets.host(), out = outlets.host();
  auto const kept = std::as_const(*clusters.connecting_mask).host();
  core::for_each_tile_on_host("clusters kept", layout_, [&](int slot) {
    core::for_cells(layout_.info(slot), [&](int k, int j, int i) {
      if (kept(slot, k, j, i) == 0) return;
      int const ends = (in(slot, k, j, i) != 0 ? inlet : 0) | (out(slot, k, j, i) != 0 ? outlet : 0);
      cell_(slot, k, j, i) = static_cast<std::uint8_t>(ends | alive);
    });
  });
  core::Halo(layout_).exchange(cells_);
  cell_ = cells_.host();
  core::for_each_tile_on_host("ring", layout_, [&](int slot) {
    steps_.for_each_ring(layout_.info(slot), [&](int k, int j, int i) { cell_(slot, k, j, i) |= elsewhere; });
  });
}

int Pruned::degree(std::uint8_t const* cell, core::Count at) const {
  int n = ((cell[at] & inlet) != 0) + ((cell[at] & outlet) != 0);
  for (int q = 0; q < steps_.size(); ++q) n += cell[at + steps_.step(q)] & alive;
  return n;
}

void Pruned::take_away(int slot, core::Count at) {
  std::uint8_t* const cell = cell_.row(slot, 0, 0);
  core::TileInfo const& info = layout_.info(slot);
  cell[at] &= static_cast<std::uint8_t>(~alive);
  // at most one neighbour is left, which holds this cell: without it nothing leads here
  for (int n = 0; n < steps_.size(); ++n) {
    core::Count const to = at + steps_.step(n);
    if ((cell[to] & alive) == 0) continue;
    if ((cell[to] & elsewhere) == 0) {
      cell[to] |= holding;
      work_[slot].push_back(to);
      continue;
    }
    core::Index const x = steps_.local(to);
    mail_.post(slot, {info.i0 + x.i, info.j0 + x.j, info.k0 + x.k}, steps_.opposite(n));
  }
}

void Pruned::visit(int slot) {
  auto& work = work_[slot];
  std::uint8_t const* const cell = cell_.row(slot, 0, 0);
  while (!work.empty()) {
    core::Count const at = work.back();
    work.pop_back();
    if ((cell[at] & alive) != 0 && degree(cell, at) <= 1) take_away(slot, at);
  }
}

void Pruned::read_mail(int slot) {
  std::uint8_t* const cell = cell_.row(slot, 0, 0);
  for (auto const& letter : mail_.inbox(slot)) {
    core::Count const at = steps_.at(letter.k, letter.j, letter.i);
    cell[at] |= holding;
    cell[at + steps_.step(letter.value)] &= static_cast<std::uint8_t>(~alive);
    work_[slot].push_back(at);
  }
}

void Pruned::prune() {
  core::for_each_tile_on_host("dead ends", layout_, [&](int slot) {
    std::uint8_t const* const cell = cell_.row(slot, 0, 0);
    core::for_cells(layout_.info(slot), [&](int k, int j, int i) {
      core::Count const at = steps_.at(k, j, i);
      if ((cell[at] & alive) == 0 || degree(cell, at) > 1) return;
      work_[slot].push_back(at);
      visit(slot);
    });
  });
  while (mail_.deliver())
    core::for_each_tile_on_host("dead ends", layout_, [&](int slot) {
      read_mail(slot);
      visit(slot);
    });
}

core::Bytes Pruned::lists_of_neighbours(std::vector<std::int64_t> const& counts, std::int64_t offset) const {
  core::Field<std::int32_t> numbers("vertex numbers", layout_, 1, -1);
  auto number = numbers.host();
  core::for_each_tile_on_host("vertex numbers", layout_, [&](int slot) {
    auto n = static_cast<std::int32_t>(offset + static_cast<std::int64_t>(first_[slot]));
    core::for_cells(layout_.info(slot), [&](int k, int j, int i) {
      if ((cell_(slot, k, j, i) & alive) != 0) number(slot, k, j, i) = n++;
    });
  });
  core::Halo(layout_).exchange(numbers);
  number = numbers.host();
  LatticeSteps const steps(lattice_, layout_.grid(), number);

  std::vector<std::uint8_t> marks, degrees;
  std::vector<std::int32_t> neighbours;
  for (int slot = 0; slot < layout_.tiles(); ++slot) {
    if (counts[slot] == 0) continue;
    std::int32_t const* const first = number.row(slot, 0, 0);
    core::for_cells(layout_.info(slot), [&](int k, int j, int i) {
      std::uint8_t const c = cell_(slot, k, j, i);
      if ((c & alive) == 0) return;
      std::size_t const before = neighbours.size();
      for (int n = 0; n < steps.size(); ++n)
        if (std::int32_t const other = first[steps.at(k, j, i) + steps.step(n)]; other >= 0)
          neighbours.push_back(other);
      degrees.push_back(static_cast<std::uint8_t>(neighbours.size() - before));
      marks.push_back(
          static_cast<std::uint8_t>(((c & inlet) != 0 ? is_inlet : 0) | ((c & outlet) != 0 ? is_outlet : 0)));
    });
  }
  std::vector<std::int64_t> const sizes{static_cast<std::int64_t>(marks.size()),
                                        static_cast<std::int64_t>(neighbours.size())};
  core::Bytes bytes(8 * sizes.size() + 2 * marks.size() + 4 * neighbours.size());
  auto* to = bytes.data();
  auto const add = [&](auto const& list) {
    auto const raw = std::as_bytes(std::span(list));
    to = std::copy(raw.begin(), raw.end(), to);
  };
  add(sizes);
  add(marks);
  add(degrees);
  add(neighbours);
  return bytes;
}

std::int64_t Pruned::search() {
  core::Comm const& comm = layout_.comm();
  std::vector<std::int64_t> counts(work_.size(), 0);
  core::for_each_tile_on_host("cells left", layout_, [&](int slot) {
    core::for_cells(layout_.info(slot), [&](int k, int j, int i) { counts[slot] += cell_(slot, k, j, i) & alive; });
  });
  std::int64_t own = 0, offset = 0, total = 0;
  for (std::size_t q = 0; q < counts.size(); own += counts[q++]) first_[q] = static_cast<std::size_t>(own);
  auto const of_rank = comm.gather(own);
  for (std::size_t rank = 0; rank < of_rank.size(); total += of_rank[rank++])
    if (rank == static_cast<std::size_t>(comm.rank())) offset = total;
  if (total > TwoEnds::most_cells)
    throw core::RunError(
        fmt::format("the backbone search would have to hold {} cells on one rank, but it holds {} at most", total,
                    TwoEnds::most_cells));

  auto lists = comm.gather_to_root(lists_of_neighbours(counts, offset));
  std::map<int, core::Bytes> found;
  if (comm.root()) {
    std::vector<std::uint8_t> marks, degrees;
    std::vector<std::int32_t> neighbours;
    for (core::Bytes& bytes : lists) {
      core::ByteReader reader(bytes);
      auto const cells = reader.take<std::int64_t>(), entries = reader.take<std::int64_t>();
      auto const add = [&](auto& all, std::int64_t n) {
        all.resize(all.size() + static_cast<std::size_t>(n));
        reader.take(std::span(all).last(n));
      };
      add(marks, cells);
      add(degrees, cells);
      add(neighbours, entries);
      bytes = {};
    }
    auto const result = TwoEnds(std::move(marks), degrees, neighbours).search();
    std::size_t at = 0;
    for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
      auto const n = static_cast<std::size_t>(of_rank[rank]);
      core::append(found[static_cast<int>(rank)], std::span<std::uint8_t const>(result).subspan(at, n));
      at += n;
    }
  }
  marks_ = std::move(comm.exchange(found)[0]);
  return total;
}

}  // namespace tessera::ca::graph
