// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/parts/runs.hpp"

#include <cstdint>

namespace tessera::ca::parts {

/// Contacts of a word's runs with those of the row below, one bit for each touching pair: the first contact that a run
/// has with the row below, and later ones. The run at or left of bit x is counted from the bits 0 .. x of `starts` and,
/// where a cell may begin two runs, of `more` (each for the contacts with the other row).
struct Contacts {
  Word first, later;
  Word starts, more;
  Word starts_below, more_below;
};

/// The loops over one row of a tile that take most of the time, in two forms with equal results: portable ones, and
/// ones for processors with wide vectors. Arrays that a kernel writes have room for 64 entries more, those that it
/// reads for 16.
struct Kernels {
  /// Joins the runs of a row with those of the row below at their contacts. `last` and `last_below` are one less than
  /// the numbers of the first runs of the rows; the runs of the upper row are their own parents before. All first
  /// contacts of the row are worked off before the others: P[run] = P[P[below]]; the others are unions.
  /// `scratch` has room for join_scratch(words).
  void (*join_row)(Contacts const* contacts, int words, Id last, Id last_below, Id* parent, Id* scratch);

  /// Bits 0 .. n - 1 of a row are set where the cell's byte equals `wanted`; those after them in the last word are 0.
  /// `cells` may be read to the end of its last block of 64.
  void (*pack_row)(std::uint8_t const* cells, std::uint8_t wanted, int n, Word* row);

  /// Writes bits 0 .. n - 1 of a row as bytes 0 and 1; `soon`: they are read soon, and are to stay in the caches.
  void (*unpack_row)(Word const* row, int n, std::uint8_t* cells, bool soon);

  /// Components, numbered in raster order, take the place of the parents of runs 0 .. n - 1: a root opens the next
  /// component, any other run has its parent's. Returns the number of components.
  Id (*number)(Id* parent, Id n);

  /// The same for the runs of one row: run n, the first of the row, and the following; `count` components so far.
  /// Returns the number with this row's. The first bits of the new components go to `columns`.
  Id (*number_row)(Word const* starts, int words, Id n, Id* parent, Id count, std::uint32_t* columns);

  /// of[k] = value[of[k]], k = 0 .. n - 1.
  void (*relabel)(Id* of, Id n, Id const* value);

  /// Adds the lengths of the runs of a row to the cells of their components.
  void (*add_cells)(Word const* row, Word const* starts, int words, Id const* of, std::uint32_t* cells);

  /// Deals out the bits of `chosen`, from number n on, to the set bits of `starts` and `more`, in raster order and
  /// starts first.
  void (*deal)(Word const* chosen, Id n, Word const* starts, Word const* more, int words, Word* to_starts,
               Word* to_more);

  /// Labels of the ni cells of a row: value[of[run]] on set bits, 0 elsewhere; `of` begins with the row's first run.
  /// `scratch` has room for 32 entries a word and 64 more.
  void (*write_row_32)(Word const* row, Word const* starts, int ni, Id const* of, std::int32_t const* value,
                       std::int32_t* scratch, std::int32_t* out);
  void (*write_row_64)(Word const* row, Word const* starts, int ni, Id const* of, std::int64_t const* value,
                       std::int64_t* scratch, std::int64_t* out);
};

/// Entries that join_row needs room for.
inline std::size_t join_scratch(int words) { return 256 * (static_cast<std::size_t>(words) + 1); }

/// Packs in[of[k]] (0 or 1), k = 0 .. n - 1, into bits.
void choose(Id const* of, Id n, std::uint8_t const* in, Word* chosen);

Kernels const& portable_kernels();
/// Whether the environment says TESSERA_KERNELS=portable: do without AVX-512.
bool portable_wanted();
/// nullptr where the processor has no AVX-512 with VBMI2, BITALG and VPOPCNTDQ, the compiler does not know it, or
/// portable_wanted().
Kernels const* wide_kernels();

/// The fastest ones of this processor.
inline Kernels const& kernels() {
  static Kernels const& chosen = wide_kernels() != nullptr ? *wide_kernels() : portable_kernels();
  return chosen;
}

}  // namespace tessera::ca::parts
