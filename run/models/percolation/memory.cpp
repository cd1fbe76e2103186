// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/memory.hpp"

#include "run/input/within.hpp"
#include "run/models/percolation/analysis.hpp"

#include <algorithm>

namespace tessera::run::percolation {
namespace {

/// The medium and the fields that are kept, with halos and padding, and the buffers for clusters.
double kept_bytes(Settings const& s, Medium const& medium) {
  auto const has = [&](char const* name) { return s.keeps(name) ? 1.0 : 0.0; };
  double const common = has("label"),
               crossed = static_cast<double>(s.fields.size()) - common - has("occupied") - has("region");
  double const label = medium.grid->total() < (core::Count{1} << 31) ? 3 : 7;  // beside the byte of each field
  auto const ends = std::ranges::count_if(s.crossings, [&](Crossing const& c) { return s.needs_ends(c); });
  double wide = 0;  // fields of analyses have four bytes a cell
  for (auto const& analysis : s.analyses)
    for (auto const& name : analysis->fields())
      wide += 3 * has(name.c_str()) * (analysis->wants_ends() ? static_cast<double>(s.crossings.size()) : 1);
  for (char const* name : current_fields) wide += 7 * has(name) * static_cast<double>(s.crossings.size());
  return 1.3 + (s.region ? 1 : 0) + wide + common * (1 + label) + crossed * static_cast<double>(s.crossings.size()) +
         (s.plane ? 4 : 1 + 2 * static_cast<double>(ends));
}

/// What a tile takes with a halo as deep as steps are long, over one of a cell.
double deeper(Settings const& s, Medium const& medium) {
  double share = 1;
  for (auto const n : medium.grid->tile())
    if (n > 1) share *= static_cast<double>(n + 2 * s.lattice.depth()) / static_cast<double>(n + 2);
  return share;
}

/// Of a grid whose medium comes from a file: counted up to some size, a half beyond.
double occupied_share(Settings const& s, Medium medium) {
  constexpr core::Count most_cells_read = core::Count{1} << 24;
  if (medium.grid->total() > most_cells_read) return 0.5;
  auto const layout = alone(medium.grid);
  medium.lay_region(s, *layout);
  auto mask = make_occupied(s, *layout);
  load(medium, *s.input.file, mask);
  auto const occupied = occupied_in(mask, medium.grid->box());
  return static_cast<double>(occupied) / static_cast<double>(medium.grid->total());
}

/// The search for the backbone off the plane: the labels of pieces and what they show of their borders.
double search_bytes(Settings const& s, Medium const& medium) {
  double const p = s.input.file ? occupied_share(s, medium)
                                : *std::max_element(s.input.probabilities.begin(), s.input.probabilities.end());
  return 2.5 + 4 * p;
}

/// The stage that needs most; they follow each other.
double stage_bytes(Settings const& s, Medium const& medium) {
  double stage = 0.7;
  if (s.shortest_path) stage = s.plane ? 8 : 10 * deeper(s, medium);  // smaller tiles have larger halos
  if (!s.plane && s.backbone) stage = std::max(stage, search_bytes(s, medium));
  stage = std::max(stage, s.method->bytes());
  for (auto const& analysis : s.analyses) stage = std::max(stage, analysis->bytes());
  if (s.conductivity) stage = s.potential.get_or<std::string>("preconditioner", "multigrid") == "DIC" ? 130 : 260;
  return stage;
}

}  // namespace

double bytes_a_cell(Settings const& settings, Medium const& medium) {
  return kept_bytes(settings, medium) + stage_bytes(settings, medium);
}

}  // namespace tessera::run::percolation
