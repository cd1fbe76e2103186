// SPDX-License-Identifier: Apache-2.0
#include "ca/backbones.hpp"

#include "ca/blocks/regions.hpp"
#include "core/times.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace tessera::ca {

Backbone backbone_between(core::Field<std::uint8_t> const& occupied, EndCells const& inlet, EndCells const& outlet,
                          Lattice const& lattice, BackboneOptions const& options) {
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

  blocks::Regions regions(occupied, inlet, outlet, lattice);
  result.spans = regions.join();
  if (!result.spans) return result;

  struct Counts {
    std::int64_t backbone = 0, articulation = 0, red = 0;
  };
  std::vector<Counts> counts(static_cast<std::size_t>(regions.pieces()));
  auto const view = [](auto const& field) {
    return field != nullptr ? field->host() : core::FieldView<std::uint8_t>{};
  };
  core::FieldView<std::uint8_t> const backbone = view(result.backbone), articulation = view(result.articulation),
                                      red = view(result.red);
  regions.mark([&](int number, blocks::PieceReader::Place const& place, blocks::PieceBits const& piece,
                   blocks::PieceMarks const& marks) {
    Counts& count = counts[static_cast<std::size_t>(number)];
    auto const write = [&](std::vector<blocks::Word> const& rows, std::int64_t& sites,
                           core::FieldView<std::uint8_t> const& to) {
      for (int k = 0; k < piece.nk; ++k)
        for (int j = 0; j < piece.nj; ++j) {
          blocks::Word const row = rows[static_cast<std::size_t>(piece.row(j, k))] >> piece.ri;
          if (row == 0) continue;
          sites += std::popcount(row);
          if (to.first == nullptr) continue;
          std::uint8_t bytes[64];
          parts::unpack_64(row, bytes);
          std::memcpy(to.row(place.slot, place.k + k, place.j + j) + place.i, bytes,
                      static_cast<std::size_t>(piece.ni));
        }
    };
    write(marks.backbone, count.backbone, backbone);
    write(marks.articulation, count.articulation, articulation);
    write(marks.red, count.red, red);
  });
  std::array<std::int64_t, 3> sums{};
  for (Counts const& count : counts) {
    sums[0] += count.backbone;
    sums[1] += count.articulation;
    sums[2] += count.red;
  }
  layout.comm().sum(sums);
  result.backbone_sites = sums[0];
  result.articulation_sites = sums[1];
  result.red_sites = sums[2];
  return result;
}

}  // namespace tessera::ca
