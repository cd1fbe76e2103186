// SPDX-License-Identifier: Apache-2.0
#include "solvers/dic/skewed_tiles.hpp"

#include "core/grid/sweep.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera::solvers::methods {

namespace {

constexpr int chunk_length = 32;
// vectors before and behind all strips, and numbers around a row of `south`, that a step next to the border may read
constexpr std::size_t guard = 2 * lanes;

std::size_t strip_vectors(SkewedTiles::Block const& b) { return static_cast<std::size_t>(b.ni + SkewedTiles::margin); }

/// Whether the grid can be one block: lanes of a vector lie in two tiles of a row at most, and strips in one row of tiles.
bool can_be_whole(core::Layout const& layout) {
  auto const& grid = layout.grid();
  auto const cells = grid.cells(), tile = grid.tile(), lattice = grid.tile_lattice();
  core::Count const last = cells[0] - (lattice[0] - 1) * tile[0];
  return layout.comm().size() == 1 && (lattice[1] == 1 || tile[1] % lanes == 0) &&
         (lattice[0] == 1 || std::min(tile[0], last) > 2 * lanes);
}

}  // namespace

SkewedTiles::SkewedTiles(StencilMatrix const& matrix, core::Field<double> const& reciprocal)
    : layout_(matrix.layout()),
      whole_(can_be_whole(layout_)),
      wide_(static_cast<int>(layout_.grid().tile()[0])),
      high_(static_cast<int>(layout_.grid().tile()[1])),
      strips_of_tile_((high_ + lanes - 1) / lanes) {
  auto const cells = layout_.grid().cells();
  if (whole_)
    blocks_.push_back(
        {static_cast<int>(cells[0]), static_cast<int>(cells[1]), static_cast<int>(layout_.grid().tile_lattice()[0])});
  else
    for (int slot = 0; slot < layout_.tiles(); ++slot)
      blocks_.push_back({layout_.info(slot).ni, layout_.info(slot).nj, 1});
  std::size_t vectors = guard, souths = guard;
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b) {
    Block const& block = blocks_[b];
    std::size_t const strips = static_cast<std::size_t>(block.strips());
    Place& place = places_.emplace_back(Place{vectors, souths, {}});
    vectors += 4 * strip_vectors(block) * strips;
    souths += (static_cast<std::size_t>(block.ni) + guard) * strips;
    for (int n = 0; n < block.strips(); ++n) {
      place.chunks.push_back(chunks_.size());
      add_chunks(matrix, reciprocal, b, n);
    }
    place.chunks.push_back(chunks_.size());
  }
  pool_.shrink_to_fit();
  pivots_.shrink_to_fit();
  vectors_.assign(vectors + guard, splat(0));
  south_.assign(souths + guard, 0.0);
  auto const south = matrix.face(1).host();
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b)
    for (int n = 0; n < block(b).strips(); ++n)
      along_row(south, b, n * lanes, [&](double const* row, int first, int ni) {
        std::copy(row, row + ni, const_cast<double*>(strip(b, n).south) + first);
      });
}

template <class View, class F>
void SkewedTiles::along_row(View const& view, int b, int j, F const& f) const {
  for (int part = 0; part < block(b).parts; ++part) {
    int const first = part * wide_, here = slot(b, j, part);
    f(view.row(here, 0, row(j)), first, layout_.info(here).ni);
  }
}

SkewedTiles::Strip SkewedTiles::strip(int b, int n) {
  Block const& here = block(b);
  Place const& place = places_[b];
  std::size_t const length = strip_vectors(here), number = static_cast<std::size_t>(n);
  Lanes* const first = vectors_.data() + place.first_vector + 4 * length * number;
  double const* const south = south_.data() + place.first_south + (static_cast<std::size_t>(here.ni) + guard) * number;
  return {first,
          first + length,
          first + 2 * length,
          first + 3 * length,
          chunks_.data() + place.chunks[number],
          chunks_.data() + place.chunks[number + 1],
          south,
          std::min(lanes, here.nj - n * lanes)};
}

/// Along the row the tile that the lowest lanes of vectors from `first` on have not all reached yet; the number of tiles
/// if there is none.
int SkewedTiles::next_part(int b, int first) const {
  return std::min(block(b).parts, first < lanes ? 1 : (first - lanes) / wide_ + 1);
}

void SkewedTiles::add_chunks(StencilMatrix const& matrix, core::Field<double> const& reciprocal, int b, int strip) {
  Block const& t = block(b);
  auto const diagonal = matrix.diagonal().host(), west = matrix.face(0).host(), south = matrix.face(1).host(),
             rd = reciprocal.host();
  auto const at = [&](int s) {
    SkewedCoefficients c{splat(0), splat(0), splat(0)};
    Lanes pivot = splat(0);
    for (int l = 0; l < lanes; ++l) {
      int const in_block = s - 1 - l, row_in_block = strip * lanes + l;
      if (row_in_block >= t.nj || in_block < -1 || in_block >= t.ni) continue;
      auto const [part, i] = column(in_block);
      int const j = row(row_in_block), here = slot(b, row_in_block, part);
      c.east.set(l, west(here, 0, j, i + 1));
      if (in_block < 0) continue;
      c.north.set(l, south(here, 0, j + 1, i));
      c.mass.set(l, diagonal(here, 0, j, i) - (west(here, 0, j, i) + west(here, 0, j, i + 1) + south(here, 0, j, i) +
                                               south(here, 0, j + 1, i)));
      pivot.set(l, rd(here, 0, j, i));
    }
    return std::pair(c, pivot);
  };
  int const end = t.ni + margin;
  int const head =
      t.ni < lanes + 1 ? end : lanes + 1;  // vectors 0 .. 8 hold the block's first column and what is west of it
  for (int first = 0, last = 0; first < end; first = last) {
    bool const tail = first > t.ni;
    bool const masked = first == 0 || tail || (strip + 1) * lanes > t.nj;
    last = first == 0 ? head : tail ? end : std::min(first + chunk_length, t.ni + 1);
    // lane l of vector s has column s - 1 - l: in vectors border + 1 .. border + 7 the lowest lanes are past the border
    int const next = next_part(b, first), border = next < t.parts ? next * wide_ : end;
    bool const split = first > border;
    last = std::min(last, split ? border + lanes : border + 1);
    std::size_t const place = pool_.size(), pivot_place = pivots_.size();
    bool same = true, same_pivots = true;
    for (int s = first; s < last; ++s) {
      auto const [coefficients, pivot] = at(s);
      pool_.push_back(coefficients);
      pivots_.push_back(pivot);
      same = same && std::memcmp(&pool_[place], &coefficients, sizeof coefficients) == 0;
      same_pivots = same_pivots && std::memcmp(&pivots_[pivot_place], &pivot, sizeof pivot) == 0;
    }
    if (same) pool_.resize(place + 1);
    if (same_pivots) pivots_.resize(pivot_place + 1);
    chunks_.push_back(
        {first, last, masked, split, next - 1, border, place, pivot_place, same ? 0 : 1, same_pivots ? 0 : 1});
  }
}

double SkewedTiles::uniform_share() const {
  double all = 0, uniform = 0;
  for (Chunk const& c : chunks_) {
    all += c.last - c.first;
    uniform += c.step == 0 ? c.last - c.first : 0;
  }
  return all > 0 ? uniform / all : 0;
}

template <class F>
void SkewedTiles::for_each_strip(char const* label, F const& f) {
  for (int b = 0; b < static_cast<int>(blocks_.size()); ++b)
    core::for_each_by_threads(label, block(b).strips(), core::Count{block(b).ni} * lanes,
                              [&](core::Count n) { f(b, static_cast<int>(n), strip(b, static_cast<int>(n))); });
}

void SkewedTiles::load(core::Field<double> const& x, core::Field<double> const& r) {
  auto const xv = x.host(), rv = r.host();
  for_each_strip("to strips", [&](int b, int n, Strip const& s) {
    std::fill_n(s.t, 4 * strip_vectors(block(b)), splat(0));
    for (int l = 0; l < s.rows; ++l) {
      auto const into = [&](Lanes* to) {
        return [to, l](double const* from, int first, int ni) {
          double* const lane = reinterpret_cast<double*>(to + 1 + first + l) + l;
          for (int i = 0; i < ni; ++i) lane[lanes * i] = from[i];
        };
      };
      along_row(xv, b, n * lanes + l, into(s.x));
      along_row(rv, b, n * lanes + l, into(s.r));
    }
  });
}

void SkewedTiles::store(core::Field<double>& x) {
  auto const xv = x.host();
  for_each_strip("from strips", [&](int b, int n, Strip const& s) {
    for (int l = 0; l < s.rows; ++l)
      along_row(xv, b, n * lanes + l, [&](double* row, int first, int ni) {
        double const* const lane = reinterpret_cast<double const*>(s.x + 1 + first + l) + l;
        for (int i = 0; i < ni; ++i) row[i] = lane[lanes * i];
      });
  });
}

}  // namespace tessera::solvers::methods
