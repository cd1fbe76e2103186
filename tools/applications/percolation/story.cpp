// SPDX-License-Identifier: Apache-2.0
#include "tools/applications/percolation/story.hpp"

#include "io/picture.hpp"

namespace tessera::tools::percolation {

void draw_story(std::string const& file, std::string const& title, Medium const& medium,
                core::Field<std::uint8_t> const& occupied, Crossed const& crossed) {
  // colours of Okabe & Ito 2008; a later kind covers an earlier one
  std::vector<io::Category> kinds{{"other clusters", {205, 205, 205}, &occupied}};
  auto const add = [&](char const* name, io::Colour colour, std::unique_ptr<core::Field<std::uint8_t>> const& mask) {
    if (mask) kinds.push_back({name, colour, mask.get()});
  };
  add(crossed.backbone ? "dangling ends" : "spanning cluster", {86, 180, 233}, crossed.spanning);
  if (!crossed.spanning) add("dangling ends", {86, 180, 233}, crossed.dangling);
  add("backbone", {0, 72, 140}, crossed.backbone);
  add("articulation sites", {240, 228, 66}, crossed.articulation);
  add("red sites", {213, 94, 0}, crossed.red);
  if (kinds.size() == 1) return;
  io::draw_masks(file, kinds, {"empty", {255, 255, 255}}, {.title = title, .region = medium.output, .physical = false});
}

}  // namespace tessera::tools::percolation
