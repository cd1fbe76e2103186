// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ca/percolation.hpp"
#include "core/random.hpp"

namespace tessera::ca {

/// In which order A2 and A4 update cells.
///   synchronous  all at once, as the automata are defined
///   random       one after the other and in place, each sweep in a fresh random order, as NetLogo's `ask patches` does
///                (the published figures were made with NetLogo). A1, A3 and A5 are one look at all cells either way.
enum class Update { synchronous, random };

struct PaperOptions {
  Direction direction = Direction::y;
  Update update = Update::synchronous;
  core::Random random;  ///< for `random`: the order of sweep n depends on seed, sample and n alone
};

/// Steps (sweeps) of the published automata that changed something; what A1 (1), A3 (2) and A5 (1) take is fixed, and
/// A3 .. A5 are 0 where the medium does not span. The sweeps that find no change are not counted.
struct PaperSteps {
  std::int64_t a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0;
  std::int64_t total() const { return a1 + a2 + a3 + a4 + a5; }
};

/// All counts are of interior cells over all ranks; the mask is 0 on the frame.
struct PaperResult {
  bool spans = false;  ///< the white side columns have different colours: black cells join bar to bar
  PaperSteps steps;
  double occupation = 0;            ///< black fraction of the interior
  std::int64_t backbone_sites = 0;  ///< cells marked m
  std::int64_t removed_sites = 0;   ///< black cells taken away for good by A3 (published cases a, b, c)
  std::int64_t white_sites = 0;     ///< black cells made white for a time by A3 (cases d, e, f)
  std::int64_t tagged_sites = 0;    ///< black cells beside them that hold one of the twelve cases
  std::int64_t restored_sites = 0;  ///< white cells brought back by A5
  std::int64_t cell_updates = 0;    ///< cells computed by all steps; tiles at rest are not. Depends on the tile shape

  std::unique_ptr<core::Field<std::uint8_t>> backbone;  ///< the m cells (field `marked`); 0 if the medium does not span
};

/// The backbone by the published automata A1 .. A5, for reproduction only.
///
/// NOT exact: it adds no wrong cell but misses cells behind two adjacent articulation cells, which A5 cannot restore.
/// Measured at p = 0.592746 it misses 0.6 % of the backbone (D1) for 32 x 32 cells, 2.5 % for 128 x 128, 12.6 % for
/// 512 x 512 and 42 % for 1024 x 1024. Use `percolate` for the backbone itself.
///
///  A1  seeds: lower ends of the side columns, and lowest left cells of white clusters, get colours r C + c + 2
///  A2  white cells take the largest colour of their 8 neighbours until nothing changes; the medium spans if the two
///      side columns differ
///  A3  two steps: cells which one colour cuts are removed, or made white if some of their arms stay together (contact
///      couples); then black members of a couple are tagged with their cases (direction of the white cell, of the
///      partner)
///  A4  the mark m spreads from the bars over black and tagged cells, and from partner to partner, until all is still
///  A5  one step: white cells between marked ones are marked too
/// Rows r are counted downwards from the bar of largest y (direction y) or x (direction x), columns c along the other
/// axis, C of them.
///
/// Steps, masks and counts of sites depend on the medium (and seed and sample, if random) alone: not on ranks, tiles or
/// owners. Colours, and so all that A3 finds, are the same for both updates; A4 ends with the same marks, too. Only the
/// number of steps differs. Collective. Cost: a step is one halo exchange and one pass over the tiles that are not at
/// rest (a random sweep: a few exchanges, and about 0.15 us a cell of such tiles that can change); steps grow like the
/// longest way in a white cluster (A2) and on the backbone (A4). Peak memory besides the mask: 20 B a cell and halos.
/// Throws core::Error unless the grid is 2-D with 3 cells or more along x and y, or if the frame (see ca::frame) is
/// missing. The medium has 1 on black and 0 on white cells.
/// Source: Stamatovic, Trobec et al. 2014, NESUS workshop. Printed ambiguously in places; read here with directed
/// contact couples, the bars' outer side as a closed face, and A5 once.
PaperResult run_paper(core::Field<std::uint8_t> const& occupied, PaperOptions const& options);
inline PaperResult run_paper(core::Field<std::uint8_t> const& occupied, Direction direction = Direction::y) {
  return run_paper(occupied, PaperOptions{direction, Update::synchronous, {}});
}

}  // namespace tessera::ca
