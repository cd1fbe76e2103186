// SPDX-License-Identifier: Apache-2.0
#include "ca/blocks/piece_bits.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tessera::ca::blocks {
namespace {

/// n bits, from `first` on.
Word cells_of_row(int n, int first) { return ((Word{1} << n) - 1) << first; }

Word packed(std::uint8_t const* bytes, int n, std::uint8_t wanted) {
  std::uint8_t row[64] = {};
  std::memcpy(row, bytes, static_cast<std::size_t>(n));
  return parts::pack_64(row, wanted);
}

}  // namespace

Word row_of_ones(std::uint8_t const* bytes, int n, int first) {
  return packed(bytes, n, 1) << first & cells_of_row(n, first);
}
Word row_of_set(std::uint8_t const* bytes, int n, int first) {
  return ~packed(bytes, n, 0) << first & cells_of_row(n, first);
}

std::vector<core::Index> directions(Lattice const& lattice, core::Grid const& grid) {
  if (!lattice.spatial() && !grid.thin(2))
    throw core::Error(fmt::format("the lattice '{} {}' is plane, but the grid has {} layers", lattice.name,
                                  lattice.connectivity, grid.cells()[2]));
  std::vector<core::Index> found;
  for (core::Index const& d : lattice.offsets())
    if (!(grid.thin(0) && d.i != 0) && !(grid.thin(1) && d.j != 0) && !(grid.thin(2) && d.k != 0)) found.push_back(d);
  return found;
}

PieceReader::PieceReader(Tree const& tree, core::Index const& reach, core::Field<std::uint8_t> const& occupied,
                         EndCells const& inlet, EndCells const& outlet)
    : tree_(tree),
      reach_(reach),
      layout_(occupied.layout()),
      occupied_(occupied.host()),
      inlet_(end_of(inlet)),
      outlet_(end_of(outlet)) {
  core::Comm const& comm = layout_.comm();
  if (comm.size() == 1) return;
  std::map<int, core::Bytes> letters;
  PieceBits bits;
  for (int const piece : tree_.levels()[0]) {
    int const owner = tree_.nodes()[piece].owner;
    if (owner == comm.rank()) continue;
    shape(piece, bits);
    tree_.for_each_beside(piece, [&](int other, Tree::Span const& x, Tree::Span const& y, Tree::Span const& z) {
      if (tree_.nodes()[other].owner != comm.rank()) return;
      rows_beside(bits, other, x, y, z, [&](int row, Word word) {
        if (word != 0) core::append(letters[owner], Letter{piece, row, word});
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

void PieceReader::shape(int piece, PieceBits& bits) const {
  core::Index const n = tree_.nodes()[piece].box.shape();
  bits.ni = static_cast<int>(n.i);
  bits.nj = static_cast<int>(n.j);
  bits.nk = static_cast<int>(n.k);
  bits.ri = static_cast<int>(reach_.i);
  bits.rj = static_cast<int>(reach_.j);
  bits.rk = static_cast<int>(reach_.k);
}

/// f(row of a piece of this shape, bits in it) of the cells beside it that another piece, of this rank, holds.
template <class F>
void PieceReader::rows_beside(PieceBits const& shape, int other, Tree::Span const& x, Tree::Span const& y,
                              Tree::Span const& z, F const& f) const {
  Place const place = this->place(other);
  int const n = static_cast<int>(x.cells), first = static_cast<int>(x.at) + shape.ri;
  for (int k = 0; k < static_cast<int>(z.cells); ++k)
    for (int j = 0; j < static_cast<int>(y.cells); ++j) {
      std::uint8_t const* const row =
          occupied_.row(place.slot, place.k + static_cast<int>(z.from) + k, place.j + static_cast<int>(y.from) + j) +
          place.i + x.from;
      f(shape.row(static_cast<int>(y.at) + j, static_cast<int>(z.at) + k),
        n == 1 ? Word{*row == 1} << first : row_of_ones(row, n, first));
    }
}

PieceReader::End PieceReader::end_of(EndCells const& cells) {
  return {cells.mask != nullptr ? cells.mask->host() : core::FieldView<std::uint8_t const>{}, cells.side};
}

Word PieceReader::row_of_end(End const& end, core::Box const& box, Place const& place, int j, int k) const {
  auto const n = static_cast<int>(box.hi.i - box.lo.i), first = static_cast<int>(reach_.i);
  if (end.mask.first != nullptr)
    return row_of_set(end.mask.row(place.slot, place.k + k, place.j + j) + place.i, n, first);
  auto const cells = layout_.grid().cells();
  auto const whole = [&](bool at) { return at ? cells_of_row(n, first) : 0; };
  switch (end.side) {
  case core::Side::left:
    return box.lo.i == 0 ? Word{1} << first : 0;
  case core::Side::right:
    return box.hi.i == cells[0] ? Word{1} << (n - 1 + first) : 0;
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
  shape(piece, bits);
  Place const place = this->place(piece);
  bits.own.assign(static_cast<std::size_t>(bits.rows()), 0);
  for (int k = 0; k < bits.nk; ++k)
    for (int j = 0; j < bits.nj; ++j)
      bits.own[static_cast<std::size_t>(bits.row(j, k))] =
          row_of_ones(occupied_.row(place.slot, place.k + k, place.j + j) + place.i, bits.ni, bits.ri);
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
  tree_.for_each_beside(piece, [&](int other, Tree::Span const& x, Tree::Span const& y, Tree::Span const& z) {
    if (tree_.nodes()[other].owner != layout_.comm().rank()) return;
    rows_beside(bits, other, x, y, z, [&](int r, Word word) { bits.around[static_cast<std::size_t>(r)] |= word; });
  });
  if (auto const found = from_others_.find(piece); found != from_others_.end())
    for (Row const& row : found->second) bits.around[static_cast<std::size_t>(row.row)] |= row.bits;
}

}  // namespace tessera::ca::blocks
