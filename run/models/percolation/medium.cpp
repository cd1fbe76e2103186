// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/medium.hpp"

#include "ca/engine/initial.hpp"
#include "core/grid/sweep.hpp"
#include "core/grid/tile_shape.hpp"
#include "run/input/within.hpp"

namespace tessera::run::percolation {
namespace detail {

/// Of a medium that has more places than sites.
struct DrawPlace {
  core::FieldView<std::uint8_t> field;
  core::TileInfo const* info;
  core::Box interior, numbered;
  double p;
  core::Random random;
  Places places;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    if (!interior.contains(x)) return;
    Place const place = places.at(x - interior.lo);
    if (place == Place::nothing || (places.bonds && place == Place::site)) {
      field(slot, k, j, i) = place == Place::site ? 1 : 0;
      return;
    }
    field(slot, k, j, i) = random.uniform(ca::number_in(numbered, x)) < p ? 1 : 0;
  }
};

struct LeaveOut {
  core::FieldView<std::uint8_t> field;
  core::TileInfo const* info;
  core::Index origin;
  Places places;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    if (places.at(info[slot].global(k, j, i) - origin) == Place::nothing) field(slot, k, j, i) = 0;
  }
};

}  // namespace detail

Medium::Medium(Settings const& settings, int workers) {
  auto axes = settings.axes;
  bool const added = settings.plane && settings.frame != Frame::inside;
  if (added)
    for (std::size_t a = 0; a < 2; ++a) {
      auto faces = axes[a].faces();
      double const first = axes[a].width(0), last = axes[a].width(axes[a].cells() - 1);
      faces.insert(faces.begin(), faces.front() - first);
      faces.push_back(faces.back() + last);
      axes[a] = core::Axis(std::move(faces), axes[a].periodic);
    }
  auto tile = settings.tile;
  if (settings.plane && tile == core::Grid::Shape{0, 0, 0})
    tile = core::choose_tile(core::TileUse::clusters, {axes[0].cells(), axes[1].cells(), axes[2].cells()},
                             settings.knows_tiles() ? 4 : workers);
  // sums of currents know tiles, so theirs is the grid's own choice
  bool const counted = !settings.plane && !settings.knows_tiles() && axes[2].cells() > 1;
  if (counted && tile == core::Grid::Shape{0, 0, 0})
    tile = core::choose_tile(core::TileUse::volumes, {axes[0].cells(), axes[1].cells(), axes[2].cells()}, workers);
  grid = std::make_shared<core::Grid const>(std::move(axes), tile);
  interior = settings.plane ? ca::interior(*grid) : grid->box();
  input = added ? interior : grid->box();
  numbered = settings.plane && settings.frame == Frame::none ? interior : grid->box();
  // each direction has a frame of its own: with several, it is no part of the results
  output = added || settings.crossings.size() > 1 ? interior : grid->box();
  places = settings.places;
  sites = places.count(interior.shape(), Place::site);
  bonds = places.count(interior.shape(), Place::bond);
  bounds = interior;
}

void Medium::leave_out(core::Field<std::uint8_t>& mask) const {
  core::Tiles const& tiles = mask.layout().all();
  if (!places.all())
    core::for_each("places", tiles, detail::LeaveOut{mask.view(), tiles.info.data(), interior.lo, places});
}

void Medium::lay_region(Settings const& settings, core::Layout const& layout) {
  if (!settings.region) return;
  region = std::make_shared<RegionCells const>(*settings.region, places, layout);
  sites = region->sites;
  bounds = region->box;
}

Inside::Inside(Medium const& medium, core::Layout const& layout) : layout_(layout), box_(medium.interior) {
  if (medium.region) region_ = medium.region->inside.host();
}

core::Field<std::uint8_t> make_occupied(Settings const& settings, core::Layout const& layout) {
  return {
      {.name = "occupied", .description = "1 where a site is occupied", .units = "1"}, layout, settings.plane ? 1 : 0};
}

void draw(Medium const& medium, double probability, core::Random random, core::Field<std::uint8_t>& occupied) {
  if (medium.places.all()) {
    ca::fill_random(occupied, probability, random, medium.interior, medium.numbered);
  } else {
    core::Tiles const& tiles = occupied.layout().all();
    core::for_each("random medium", tiles,
                   detail::DrawPlace{occupied.view(), tiles.info.data(), medium.interior, medium.numbered, probability,
                                     random, medium.places});
  }
  if (medium.region) keep_within(occupied, medium.region->inside);
}

core::Report::Json load(Medium const& medium, MaskInput const& file, core::Field<std::uint8_t>& occupied) {
  auto report = file.load(occupied, medium.input.lo, medium.inside());
  medium.leave_out(occupied);
  return report;
}

std::unique_ptr<core::Layout> alone(std::shared_ptr<core::Grid const> grid) {
  std::vector<int> owners(grid->tiles(), 0);
  return std::make_unique<core::Layout>(std::move(grid), std::move(owners), core::Comm(MPI_COMM_SELF));
}

}  // namespace tessera::run::percolation
