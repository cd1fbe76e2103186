// SPDX-License-Identifier: Apache-2.0
#include "ca/parts/tile_parts.hpp"

#include "ca/parts/contacts.hpp"
#include "ca/parts/kernels.hpp"
#include "core/error.hpp"

#include <algorithm>

namespace tessera::ca::parts {
namespace {

/// Finds the contacts of the runs of row r with those of an earlier row. `fresh`: no run of row r was joined before; then
/// the first contact of each run needs no union. Which one that is, an addition with carry tells: adding the contacts to
/// the runs turns a run's bits off from its first contact onwards.
void find_contacts(TileParts const& tile, int r, int other, Lattice::Row const& link, bool fresh, Contacts* contacts) {
  BitTile const& bits = tile.bits;
  Runs const& runs = tile.runs;
  Word const *const row = bits.row(r), *const below = bits.row(other);
  Word const *const starts = runs.starts.data() + runs.word(r, 0), *const t = runs.starts.data() + runs.word(other, 0);
  ContactWords words(link.from, link.to);
  Word carry = 0;
  Word const firsts = fresh ? ~Word{0} : 0;
  for (int w = 0; w < bits.words; ++w) {
    Word other_row = below[w], other_starts = t[w];
    words.align(other_row, other_starts);
    Word const c = row[w], touching = words.next(c, starts[w], other_row, other_starts);
    Word const sum = add_with_carry(c, touching & c, carry);
    Word const first = touching & ~sum & firsts;
    contacts[w] = {first, touching & ~first, starts[w], 0, other_starts, 0};
  }
}

/// The words of a row moved so that cell i + by stands at bit i; |by| < 64.
Word moved(Word const* row, int words, int by, int w) {
  if (by < 0) return row[w] << -by | (w > 0 ? row[w - 1] >> (64 + by) : 0);
  return by == 0 ? row[w] : row[w] >> by | (w + 1 < words ? row[w + 1] << (64 - by) : 0);
}

/// The same where cell i touches cell i + by of the other row alone, for any step and for runs of single cells. Returns how
/// many runs of the other row begin before its cell `by`.
Id find_contacts_of_step(TileParts const& tile, int r, int other, int by, bool fresh, Contacts* contacts) {
  Runs const& runs = tile.runs;
  int const words = tile.bits.words;
  Word const *const row = tile.bits.row(r), *const there = tile.bits.row(other);
  Word const *const starts = runs.starts.data() + runs.word(r, 0), *const t = runs.starts.data() + runs.word(other, 0);
  Word carry = 0;
  for (int w = 0; w < words; ++w) {
    Word const met = row[w] & moved(there, words, by, w), other_starts = moved(t, words, by, w);
    Word const touching = met & (starts[w] | other_starts);
    Word first = 0;
    if (fresh) first = touching & ~add_with_carry(row[w], touching, carry);
    contacts[w] = {first, touching & ~first, starts[w], 0, other_starts, 0};
  }
  return by > 0 ? static_cast<Id>(std::popcount(t[0] & through(by - 1))) : 0;
}

/// Joins all runs of a tile of nj x nk rows as the lattice says.
void join_runs(TileParts& tile, int nj, int nk, Lattice const& lattice) {
  static thread_local std::vector<Contacts> kept_contacts;
  static thread_local std::vector<Id> kept_scratch;
  int const words = tile.bits.words;
  kept_contacts.resize(words);
  kept_scratch.resize(join_scratch(words));
  Contacts* const contacts = kept_contacts.data();
  Id* const scratch = kept_scratch.data();
  for (int k = 0; k < nk; ++k)
    for (int j = 0; j < nj; ++j) {
      bool fresh = true;
      for (Lattice::Row const& link : lattice.before) {
        int const oj = j + link.dj, ok = k + link.dk;
        if (oj < 0 || oj >= nj || ok < 0) continue;
        int const r = k * nj + j, other = ok * nj + oj;
        fresh = fresh && r != other;
        Id passed = 0;
        if (lattice.listed && link.from == link.to)
          passed = find_contacts_of_step(tile, r, other, link.from, fresh, contacts);
        else
          find_contacts(tile, r, other, link, fresh, contacts);
        kernels().join_row(contacts, words, tile.runs.begin_of_row(r) - 1, tile.runs.begin_of_row(other) - 1 + passed,
                           tile.of.data(), scratch);
        fresh = false;
      }
    }
}

/// First cells and sizes of parts whose runs are single cells.
void measure_single(TileParts& tile, Id count) {
  BitTile const& bits = tile.bits;
  tile.first.resize(count);
  tile.cells.assign(count, 0);
  Id n = 0;
  for (int r = 0; r < bits.nj; ++r)
    for (int w = 0; w < bits.words; ++w)
      for (Word cells = bits.row(r)[w]; cells != 0; cells &= cells - 1) {
        Id const part = tile.of[n++];
        if (tile.cells[part]++ == 0)
          tile.first[part] = static_cast<std::uint32_t>(r * bits.ni + 64 * w + std::countr_zero(cells));
      }
}

/// Numbers the parts, which take the place of the runs' parents, with their first cells and sizes where measured.
Id number_parts(TileParts& tile, Measure measure) {
  tile.first.clear();
  tile.cells.clear();
  BitTile const& bits = tile.bits;
  Runs const& runs = tile.runs;
  Id const n = runs.count();
  if (measure == Measure::none) return kernels().number(tile.of.data(), n);
  core::expect(bits.ring == 0, "parts are measured in tiles without a ring");
  if (runs.single) {
    Id const count = kernels().number(tile.of.data(), n);
    measure_single(tile, count);
    return count;
  }
  static thread_local std::vector<std::uint32_t> columns;
  if (columns.size() < n + std::size_t{64}) columns.resize(n + std::size_t{64});
  Id count = 0;
  for (int r = 0; r < bits.nj; ++r) {
    Id const before = count;
    count = kernels().number_row(runs.starts.data() + runs.word(r, 0), bits.words, runs.begin_of_row(r), tile.of.data(),
                                 count, columns.data() + count);
    std::uint32_t const shift = static_cast<std::uint32_t>(r) * static_cast<std::uint32_t>(bits.ni);
    for (Id c = before; c < count; ++c) columns[c] += shift;
  }
  tile.first.assign(columns.begin(), columns.begin() + count);
  tile.cells.assign(count, 0);
  for (int r = 0; r < bits.nj; ++r)
    kernels().add_cells(bits.row(r), runs.starts.data() + runs.word(r, 0), bits.words,
                        tile.of.data() + runs.begin_of_row(r), tile.cells.data());
  return count;
}

/// Calls f(part) for all parts at a face of the tile, many times over.
template <class F>
void for_each_at_face(TileParts const& tile, int nj, int nk, int axis, bool high, F const& f) {
  Runs const& runs = tile.runs;
  if (axis == 0) {
    int const x = high ? tile.bits.ni - 1 : 0;
    for (int r = 0; r < nj * nk; ++r)
      if (tile.bits.test(r, x)) f(tile.of[high ? runs.end_of_row(r) - 1 : runs.begin_of_row(r)]);
    return;
  }
  int const layers = axis == 1 ? nk : 1, rows = axis == 1 ? 1 : nj;
  for (int k = 0; k < layers; ++k)
    for (int j = 0; j < rows; ++j) {
      int const r = (axis == 2 && high ? nk - 1 : k) * nj + (axis == 1 && high ? nj - 1 : j);
      for (Id n = runs.begin_of_row(r); n < runs.end_of_row(r); ++n) f(tile.of[n]);
    }
}

void fill_rim(TileParts& tile, int nj, int nk, Lattice const& lattice) {
  bool const spatial = lattice.spatial();
  Rim& rim = tile.rim;
  BitTile const& bits = tile.bits;
  Runs const& runs = tile.runs;
  rim.words = bits.words;
  rim.bits.clear();
  rim.begin.clear();
  rim.of.clear();
  auto const add_row = [&](int j, int k) {
    int const r = k * nj + j;
    rim.bits.insert(rim.bits.end(), bits.row(r), bits.row(r) + bits.words);
    rim.begin.push_back(static_cast<Id>(rim.of.size()));
    for (Id n = runs.begin_of_row(r); n < runs.end_of_row(r); ++n) rim.of.push_back(tile.border[tile.of[n]]);
  };
  if (spatial)
    for (int j = 0; j < nj; ++j) add_row(j, nk - 1);
  for (int k = 0; k < nk - (spatial ? 1 : 0); ++k) add_row(nj - 1, k);
  if (std::any_of(lattice.before.begin(), lattice.before.end(), [](Lattice::Row const& row) { return row.dj > 0; }))
    for (int k = 0; k < nk - 1; ++k) add_row(0, k);
  rim.begin.push_back(static_cast<Id>(rim.of.size()));

  for (auto& column : rim.column) column.assign(static_cast<std::size_t>(nj) * static_cast<std::size_t>(nk), 0);
  for (int r = 0; r < nj * nk; ++r) {
    if (bits.test(r, 0)) rim.column[0][r] = tile.border[tile.of[runs.begin_of_row(r)]];
    if (bits.test(r, bits.ni - 1)) rim.column[1][r] = tile.border[tile.of[runs.end_of_row(r) - 1]];
  }
}

}  // namespace

std::size_t TileParts::bytes() const {
  auto const of_vector = [](auto const& v) { return v.capacity() * sizeof(v[0]); };
  return of_vector(bits.bits) + of_vector(runs.starts) + of_vector(runs.before) + of_vector(of) + of_vector(first) +
         of_vector(cells) + of_vector(flags) + of_vector(border) + of_vector(borders) + of_vector(rim.bits) +
         of_vector(rim.begin) + of_vector(rim.of) + of_vector(rim.column[0]) + of_vector(rim.column[1]) + shell.bytes();
}

void Strips::shape(int ni, int nj) {
  for (std::size_t side = 0; side < 4; ++side) {
    std::size_t const length = side < 2 ? nj : ni;
    own[side].assign(length, 0);
    halo[side].assign(length + (side < 2 ? 0 : 2), 0);
  }
}

void find_parts(TileParts& tile, int layers, Lattice const& lattice, Measure measure) {
  core::expect(static_cast<std::int64_t>(tile.bits.columns()) * tile.bits.rows() < std::int64_t{1} << 32,
               "a tile has 2^32 cells or more");
  find_runs(tile.bits, tile.runs, tile.of, !lattice.runs);
  join_runs(tile, tile.bits.rows() / layers, layers, lattice);
  Id const count = number_parts(tile, measure);
  tile.flags.assign(count, 0);
  tile.border.assign(count, 0);
  tile.borders.clear();
}

void flag_sides(TileParts& tile, core::Grid const& grid, core::TileInfo const& info, Lattice const& lattice) {
  auto const cells = grid.cells();
  std::array<core::Count, 3> const low{info.i0, info.j0, info.k0}, n{info.ni, info.nj, info.nk};
  for (int axis = 0; axis < (lattice.spatial() ? 3 : 2); ++axis)
    for (bool high : {false, true})
      if (high ? low[axis] + n[axis] == cells[axis] : low[axis] == 0)
        for_each_at_face(tile, info.nj, info.nk, axis, high,
                         [&](Id part) { tile.flags[part] |= static_cast<std::uint8_t>(touches(axis, high)); });
}

void flag_port(TileParts& tile, core::FieldView<std::uint8_t const> const& mask, int nj, int slot, Flag flag) {
  static thread_local std::vector<Word> outside;
  BitTile const& bits = tile.bits;
  outside.resize(static_cast<std::size_t>(bits.words) + 64);
  for (int r = 0; r < bits.nj; ++r) {
    kernels().pack_row(mask.row(slot, r / nj, r % nj), 0, bits.ni, outside.data());
    Word const* const row = bits.row(r);
    for (int w = 0; w < bits.words; ++w)
      for (Word met = row[w] & ~outside[w]; met != 0;) {
        int const x = std::countr_zero(met);
        tile.flags[tile.of[tile.runs.at(r, 64 * w + x)]] |= static_cast<std::uint8_t>(flag);
        // one cell is enough: on to the next run
        int const end = tile.runs.single ? x + 1 : x + std::countr_one(row[w] >> x);
        met = end >= 64 ? 0 : met & (~Word{0} << end);
      }
  }
}

Id border_of(TileParts& tile, Id part) {
  Id& border = tile.border[part];
  if (border == 0) {
    tile.borders.push_back(part);
    border = static_cast<Id>(tile.borders.size());
  }
  return border;
}

void list_borders(TileParts& tile, core::Grid const& grid, core::TileInfo const& info, Lattice const& lattice) {
  if (lattice.listed) return fill_shell(tile, grid, info, lattice.reach());
  core::Index const position = grid.tile_position(info.tile);
  std::array<core::Count, 3> const at{position.i, position.j, position.k};
  bool joined = false;
  for (int axis = 0; axis < (lattice.spatial() ? 3 : 2); ++axis)
    for (bool high : {false, true}) {
      bool const round = grid.periodic(axis) && !grid.thin(axis);
      if (!round && (high ? at[axis] + 1 == grid.tile_lattice()[axis] : at[axis] == 0)) continue;
      joined = true;
      for_each_at_face(tile, info.nj, info.nk, axis, high, [&](Id part) { border_of(tile, part); });
    }
  if (joined) fill_rim(tile, info.nj, info.nk, lattice);
}

void list_borders(TileParts& tile, Strips& strips) {
  BitTile const& bits = tile.bits;
  Runs const& runs = tile.runs;
  int const ni = bits.ni, nj = bits.nj;
  strips.shape(ni, nj);
  static thread_local std::vector<int> scratch;
  // from bit x0 of row r on
  auto const along_row = [&](int r, int x0, std::vector<Id>& strip) {
    for_each_run(bits, runs, r, scratch, [&](Id run, int begin, int end) {
      int const from = std::max(begin, x0), to = std::min(end, x0 + static_cast<int>(strip.size()) - 1);
      if (from <= to)
        std::fill(strip.begin() + (from - x0), strip.begin() + (to - x0) + 1, border_of(tile, tile.of[run]));
    });
  };
  // a cell in the first or last two columns is in the row's first or last run
  auto const along_column = [&](int x, bool first, std::vector<Id>& strip) {
    for (int r = 1; r <= nj; ++r)
      if (bits.test(r, x))
        strip[r - 1] = border_of(tile, tile.of[first ? runs.begin_of_row(r) : runs.end_of_row(r) - 1]);
  };
  along_column(1, true, strips.own[0]);
  along_column(ni, false, strips.own[1]);
  along_row(1, 1, strips.own[2]);
  along_row(nj, 1, strips.own[3]);
  along_column(0, true, strips.halo[0]);
  along_column(ni + 1, false, strips.halo[1]);
  along_row(0, 0, strips.halo[2]);
  along_row(nj + 1, 0, strips.halo[3]);
  strips.flags.clear();
  for (Id part : tile.borders) strips.flags.push_back(tile.flags[part]);
}

template <class Label>
void write_labels(TileParts const& tile, core::TileInfo const& info, std::vector<Label> const& value,
                  core::FieldView<Label> const& labels, int slot) {
  static thread_local std::vector<Label> scratch;
  scratch.resize(static_cast<std::size_t>(tile.bits.words) * 32 + 64);
  if (tile.runs.single) {
    Id n = 0;
    for (int r = 0; r < tile.bits.nj; ++r)
      for (int x = 0; x < info.ni; ++x)
        labels(slot, r / info.nj, r % info.nj, x) = tile.bits.test(r, x) ? value[tile.of[n++]] : 0;
    return;
  }
  for (int r = 0; r < tile.bits.nj; ++r) {
    Word const* const starts = tile.runs.starts.data() + tile.runs.word(r, 0);
    Id const* const of = tile.of.data() + tile.runs.begin_of_row(r);
    Label* const out = labels.row(slot, r / info.nj, r % info.nj);
    if constexpr (sizeof(Label) == 4)
      kernels().write_row_32(tile.bits.row(r), starts, info.ni, of, value.data(), scratch.data(), out);
    else
      kernels().write_row_64(tile.bits.row(r), starts, info.ni, of, value.data(), scratch.data(), out);
  }
}

template void write_labels(TileParts const&, core::TileInfo const&, std::vector<std::int32_t> const&,
                           core::FieldView<std::int32_t> const&, int);
template void write_labels(TileParts const&, core::TileInfo const&, std::vector<std::int64_t> const&,
                           core::FieldView<std::int64_t> const&, int);

void select(TileParts const& tile, std::vector<std::uint8_t> const& in, BitTile& out) {
  static thread_local std::vector<Word> kept;
  std::vector<Word>& chosen = kept;
  BitTile const& bits = tile.bits;
  Id const runs = tile.runs.count();
  chosen.resize(runs / 64 + 2);
  choose(tile.of.data(), runs, in.data(), chosen.data());
  out.shape(bits.ni, bits.nj, bits.ring);
  for (int r = 0; r < bits.rows(); ++r) {
    Word const* const row = bits.row(r);
    Word* const to = out.row(r);
    kernels().deal(chosen.data(), tile.runs.begin_of_row(r), tile.runs.starts.data() + tile.runs.word(r, 0), nullptr,
                   bits.words, to, nullptr);
    if (tile.runs.single) continue;
    Word going_on = 0;
    for (int w = 0; w < bits.words; ++w) {
      Word const c = row[w], seeds = to[w] | (going_on & c);
      to[w] = ((c + seeds) ^ c) & c;  // the addition turns off a run from its seed to its end
      going_on = to[w] >> 63;
    }
  }
}

}  // namespace tessera::ca::parts
