// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/story.hpp"

#include "core/grid/sweep.hpp"
#include "io/pictures/picture.hpp"

namespace tessera::run::percolation {
namespace detail {

struct Both {
  core::FieldView<std::uint8_t const> a, b;
  core::FieldView<std::uint8_t> both;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    both(s, k, j, i) = a(s, k, j, i) != 0 && b(s, k, j, i) != 0;
  }
};

}  // namespace detail

void draw_story(std::string const& file, std::string const& title, Medium const& medium,
                core::Field<std::uint8_t> const& occupied, Crossed const& crossed) {
  // colours of Okabe & Ito 2008; a later kind covers an earlier one
  std::vector<io::Category> kinds;
  if (medium.region) kinds.push_back({"outside", {245, 235, 220}, medium.inside(), 0});
  std::size_t const before = kinds.size() + 1;
  kinds.push_back({"other clusters", {205, 205, 205}, &occupied});
  auto const add = [&](char const* name, io::Colour colour, std::unique_ptr<core::Field<std::uint8_t>> const& mask) {
    if (mask) kinds.push_back({name, colour, mask.get()});
  };
  add(crossed.backbone ? "dangling ends" : "spanning cluster", {86, 180, 233}, crossed.spanning);
  if (crossed.marked) {
    add("missed", {213, 94, 0}, crossed.backbone);
    add("marked", {0, 72, 140}, crossed.marked);
  }
  if (!crossed.spanning) add("dangling ends", {86, 180, 233}, crossed.dangling);
  if (!crossed.marked) add("backbone", {0, 72, 140}, crossed.backbone);
  // on dead ends nearly every site is one: only those on the backbone, where the dead ends hang, say something
  std::unique_ptr<core::Field<std::uint8_t>> attachments;
  if (crossed.articulation && crossed.backbone) {
    core::Layout const& layout = occupied.layout();
    attachments = std::make_unique<core::Field<std::uint8_t>>("attachments", layout, 0);
    core::for_each("attachments", layout.all(),
                   detail::Both{std::as_const(*crossed.articulation).view(), std::as_const(*crossed.backbone).view(),
                                attachments->view()});
  }
  add("attachment sites", {240, 228, 66}, attachments);
  add("red sites", {213, 94, 0}, crossed.red);
  if (kinds.size() == before) return;
  io::draw_masks(file, kinds, {"empty", {255, 255, 255}}, {.title = title, .region = medium.output, .physical = false});
}

}  // namespace tessera::run::percolation
