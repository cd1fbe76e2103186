// SPDX-License-Identifier: Apache-2.0
#include "ca/backbones.hpp"

#include "ca/lattices/pruned.hpp"
#include "core/grid/sweep.hpp"

namespace tessera::ca {

Backbone backbone_between(core::Field<std::uint8_t> const& occupied, core::Field<std::uint8_t> const& inlet,
                          core::Field<std::uint8_t> const& outlet, Lattice const& lattice,
                          BackboneOptions const& options) {
  core::Timed const timed(core::Part::compute);
  core::Layout const& layout = occupied.layout();
  Backbone result;
  auto const make = [&](bool wanted, char const* name, char const* description) {
    return wanted ? std::make_unique<core::Field<std::uint8_t>>(core::FieldInfo{name, description, "1", {}}, layout, 0)
                  : nullptr;
  };
  result.backbone = make(options.backbone, "backbone", "cells on some path from inlet to outlet");
  result.articulation = make(options.articulation, "articulation",
                             "cells of spanning clusters whose removal cuts cells off inlet and outlet");
  result.red = make(options.red, "red", "cells on every path from inlet to outlet");

  graph::Pruned cells(occupied, inlet, outlet, lattice);
  result.spans = cells.spans();
  if (!result.spans) return result;
  cells.prune();
  result.searched_sites = cells.search();

  struct Mask {
    core::Field<std::uint8_t>* field;
    int mark;
    std::int64_t* sites;
  };
  for (Mask const& mask : {Mask{result.backbone.get(), graph::in_backbone, &result.backbone_sites},
                           Mask{result.articulation.get(), graph::is_articulation, &result.articulation_sites},
                           Mask{result.red.get(), graph::is_red, &result.red_sites}}) {
    auto const out = mask.field != nullptr ? mask.field->host() : core::FieldView<std::uint8_t>{};
    std::vector<std::int64_t> sites(layout.tiles(), 0);
    core::for_each_tile_on_host("backbone masks", layout, [&](int slot) {
      cells.for_each_mark(slot, [&](int k, int j, int i, int marks) {
        bool const set = (marks & mask.mark) != 0;
        sites[slot] += set;
        if (mask.field != nullptr) out(slot, k, j, i) = set;
      });
    });
    for (std::int64_t n : sites) *mask.sites += n;
    *mask.sites = layout.comm().sum(*mask.sites);
  }
  return result;
}

}  // namespace tessera::ca
