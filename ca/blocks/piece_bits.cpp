// SPDX-License-Identifier: Apache-2.0
#include "ca/blocks/piece_bits.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tessera::ca::blocks {
namespace {

/// Bits 1 .. n.
Word cells_of_row(int n) { return ((Word{1} << n) - 1) << 1; }

Word packed(std::uint8_t const* bytes, int n, std::uint8_t wanted) {
  std::uint8_t row[64] = {};
  std::memcpy(row, bytes, static_cast<std::size_t>(n));
  return parts::pack_64(row, wanted);
}

/// Calls f(by) for the pieces beside one: all 26, fewer where axes have one cell.
template <class F>
void for_beside(core::Grid const& grid, F const& f) {
  core::Count const i = !grid.thin(0), j = !grid.thin(1), k = !grid.thin(2);
  for (core::Count dk = -k; dk <= k; ++dk)
    for (core::Count dj = -j; dj <= j; ++dj)
      for (core::Count di = -i; di <= i; ++di)
        if (di != 0 || dj != 0 || dk != 0) f(core::Index{di, dj, dk});
}

}  // namespace

Word row_of_ones(std::uint8_t const* bytes, int n) { return packed(bytes, n, 1) << 1 & cells_of_row(n); }
Word row_of_set(std::uint8_t const* bytes, int n) { return ~packed(bytes, n, 0) << 1 & cells_of_row(n); }

std::vector<core::Index> directions(Lattice const& lattice, core::Grid const& grid) {
  if (!lattice.spatial() && !grid.thin(2))
    throw core::Error(fmt::format("the lattice '{} {}' is plane, but the grid has {} layers", lattice.name,
                                  lattice.connectivity, grid.cells()[2]));
  std::vector<core::Index> found;
  for (core::Index const& d : lattice.offsets())
    if (!(grid.thin(0) && d.i != 0) && !(grid.thin(1) && d.j != 0) && !(grid.thin(2) && d.k != 0)) found.push_back(d);
  return found;
}

PieceReader::PieceReader(Tree const& tree, core::Field<std::uint8_t> const& occupied, EndCells const& inlet,
                         EndCells const& outlet)
    : tree_(tree),
      layout_(occupied.layout()),
      occupied_(occupied.host()),
      inlet_(end_of(inlet)),
      outlet_(end_of(outlet)) {
  core::Comm const& comm = layout_.comm();
  if (comm.size() == 1) return;
  std::map<int, core::Bytes> letters;
  for (int const piece : tree_.levels()[0]) {
    int const owner = tree_.nodes()[piece].owner;
    if (owner == comm.rank()) continue;
    for_beside(layout_.grid(), [&](core::Index const& by) {
      int const other = tree_.beside(piece, by);
      if (other < 0 || tree_.nodes()[other].owner != comm.rank()) return;
      rows_beside(piece, by, other, [&](int row, Word bits) {
        if (bits != 0) core::append(letters[owner], Letter{piece, row, bits});
      });
    });
  }
  for (auto const& [from, bytes] : comm.exchange(letters))
    for (core::ByteReader in(bytes); !in.done();) {
      auto const letter = in.take<Letter>();
      from_others_[letter.piece].push_back({letter.row, letter.bits});
    }
}

PieceReader::Place PieceReader::place(int piece) const {
  core::Index const& lo = tree_.nodes()[piece].box.lo;
  int const slot = layout_.slot(layout_.grid().tile_of(lo));
  core::TileInfo const& t = layout_.info(slot);
  return {slot, static_cast<int>(lo.i - t.i0), static_cast<int>(lo.j - t.j0), static_cast<int>(lo.k - t.k0)};
}

/// f(row of the piece, bits in it) of the cells beside a piece that another piece, of this rank, holds.
template <class F>
void PieceReader::rows_beside(int piece, core::Index const& by, int other, F const& f) const {
  core::Index const n = tree_.nodes()[piece].box.shape(), m = tree_.nodes()[other].box.shape();
  Place const place = this->place(other);
  auto const range = [](core::Count step, core::Count cells) {
    return step == 0 ? std::pair<int, int>{0, static_cast<int>(cells)} : std::pair<int, int>{0, 1};
  };
  // the first cell there, in the other piece and as one of this piece
  auto const theirs = [](core::Count step, core::Count cells) { return static_cast<int>(step < 0 ? cells - 1 : 0); };
  auto const ours = [](core::Count step, core::Count cells) {
    return static_cast<int>(step < 0 ? -1 : step > 0 ? cells : 0);
  };
  auto const [j0, j1] = range(by.j, n.j);
  auto const [k0, k1] = range(by.k, n.k);
  for (int k = k0; k < k1; ++k)
    for (int j = j0; j < j1; ++j) {
      std::uint8_t const* const row =
          occupied_.row(place.slot, place.k + theirs(by.k, m.k) + k, place.j + theirs(by.j, m.j) + j) + place.i +
          theirs(by.i, m.i);
      int const r = ours(by.j, n.j) + j + 1 + static_cast<int>(n.j + 2) * (ours(by.k, n.k) + k + 1);
      f(r, by.i == 0 ? row_of_ones(row, static_cast<int>(n.i)) : Word{*row == 1} << (ours(by.i, n.i) + 1));
    }
}

PieceReader::End PieceReader::end_of(EndCells const& cells) {
  return {cells.mask != nullptr ? cells.mask->host() : core::FieldView<std::uint8_t const>{}, cells.side};
}

Word PieceReader::row_of_end(End const& end, core::Box const& box, Place const& place, int j, int k) const {
  auto const n = static_cast<int>(box.hi.i - box.lo.i);
  if (end.mask.first != nullptr) return row_of_set(end.mask.row(place.slot, place.k + k, place.j + j) + place.i, n);
  auto const cells = layout_.grid().cells();
  auto const whole = [&](bool at) { return at ? cells_of_row(n) : 0; };
  switch (end.side) {
  case core::Side::left:
    return box.lo.i == 0 ? Word{2} : 0;
  case core::Side::right:
    return box.hi.i == cells[0] ? Word{1} << n : 0;
  case core::Side::bottom:
    return whole(box.lo.j + j == 0);
  case core::Side::top:
    return whole(box.lo.j + j == cells[1] - 1);
  case core::Side::back:
    return whole(box.lo.k + k == 0);
  case core::Side::front:
    return whole(box.lo.k + k == cells[2] - 1);
  }
  return 0;
}

void PieceReader::read_own(int piece, PieceBits& bits) const {
  core::Index const n = tree_.nodes()[piece].box.shape();
  bits.ni = static_cast<int>(n.i);
  bits.nj = static_cast<int>(n.j);
  bits.nk = static_cast<int>(n.k);
  Place const place = this->place(piece);
  bits.own.assign(static_cast<std::size_t>(bits.rows()), 0);
  for (int k = 0; k < bits.nk; ++k)
    for (int j = 0; j < bits.nj; ++j)
      bits.own[static_cast<std::size_t>(bits.row(j, k))] =
          row_of_ones(occupied_.row(place.slot, place.k + k, place.j + j) + place.i, bits.ni);
}

void PieceReader::read(int piece, PieceBits& bits) const {
  read_own(piece, bits);
  Place const place = this->place(piece);
  core::Box const& box = tree_.nodes()[piece].box;
  for (auto* words : {&bits.around, &bits.in, &bits.out}) words->assign(bits.own.size(), 0);
  for (int k = 0; k < bits.nk; ++k)
    for (int j = 0; j < bits.nj; ++j) {
      auto const r = static_cast<std::size_t>(bits.row(j, k));
      bits.in[r] = bits.own[r] & row_of_end(inlet_, box, place, j, k);
      bits.out[r] = bits.own[r] & row_of_end(outlet_, box, place, j, k);
    }
  for_beside(layout_.grid(), [&](core::Index const& by) {
    int const other = tree_.beside(piece, by);
    if (other < 0 || tree_.nodes()[other].owner != layout_.comm().rank()) return;
    rows_beside(piece, by, other, [&](int r, Word word) { bits.around[static_cast<std::size_t>(r)] |= word; });
  });
  if (auto const found = from_others_.find(piece); found != from_others_.end())
    for (Row const& row : found->second) bits.around[static_cast<std::size_t>(row.row)] |= row.bits;
}

}  // namespace tessera::ca::blocks
