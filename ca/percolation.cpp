// SPDX-License-Identifier: Apache-2.0
#include "ca/plane/work.hpp"

#include <fmt/format.h>
#include <limits>

namespace tessera::ca {
namespace {

void check_grid(core::Grid const& grid) {
  auto const n = grid.cells();
  if (n[0] < 3 || n[1] < 3 || n[2] != 1)
    throw core::Error(fmt::format(
        "percolation runs on 2-D grids of 3 x 3 cells or more, frame included, but the grid has {} x {} x {}", n[0],
        n[1], n[2]));
}

}  // namespace

core::Box interior(core::Grid const& grid) {
  auto const n = grid.cells();
  return {{1, 1, 0}, {n[0] - 1, n[1] - 1, 1}};
}

namespace detail {
struct FrameCell {
  core::FieldView<std::uint8_t> field;
  core::TileInfo const* info;
  core::Count nx, ny;
  Direction direction;
  KOKKOS_FUNCTION void operator()(int slot, int k, int j, int i) const {
    core::Index const x = info[slot].global(k, j, i);
    bool const end_x = x.i == 0 || x.i == nx - 1, end_y = x.j == 0 || x.j == ny - 1;
    if (direction == Direction::y ? end_y : end_x)
      field(slot, k, j, i) = 1;
    else if (end_x || end_y)
      field(slot, k, j, i) = 0;
  }
};
}  // namespace detail

void frame(core::Field<std::uint8_t>& occupied, Direction direction) {
  core::Grid const& grid = occupied.layout().grid();
  check_grid(grid);
  core::Tiles const& tiles = occupied.layout().all();
  core::for_each("frame", tiles,
                 detail::FrameCell{occupied.view(), tiles.info.data(), grid.cells()[0], grid.cells()[1], direction});
}

Percolator::Percolator(core::Layout const& layout) {
  check_grid(layout.grid());
  work_ = std::make_unique<Work>(layout);
}
Percolator::~Percolator() = default;

PercolationResult& Percolator::run(core::Field<std::uint8_t>& occupied, PercolationOptions const& options) {
  core::Timed const timed(core::Part::compute);
  return work_->run(occupied, options);
}

PercolationResult percolate(core::Field<std::uint8_t>& occupied, PercolationOptions const& options) {
  return std::move(Percolator(occupied.layout()).run(occupied, options));
}

Percolator::Work::Work(core::Layout const& layout)
    : layout_(layout),
      grid_(layout.grid()),
      halo_(layout),
      joins_(layout) {
  auto const tiles = static_cast<std::size_t>(layout.tiles());
  strips_.resize(tiles);
  tiles_.resize(tiles);
  for (auto* bits : {&spanning_, &black_, &pruned_}) bits->resize(tiles);
  edges_.resize(tiles);
  nodes_.resize(tiles);
}

PercolationResult& Percolator::Work::run(core::Field<std::uint8_t>& occupied, PercolationOptions const& options) {
  core::expect(&occupied.layout() == &layout_, "the medium lies on another layout than the percolator");
  direction_ = options.direction;
  auto const cells = std::as_const(occupied).host();
  check_frame(cells);
  prepare_fields(options);
  bool const clusters = wants_clusters(options);
  if (clusters) find_clusters(cells, options);
  if (!clusters || result_.spans) {
    halo_.exchange(occupied);
    find_faces(std::as_const(occupied).host());
  }
  if (result_.spans) {
    find_nodes(options);
    find_backbone(options);
  } else {
    clear_masks();
  }
  return result_;
}

std::int64_t Percolator::Work::sum(std::vector<std::int64_t> const& by_tile) const {
  std::int64_t total = 0;
  for (auto n : by_tile) total += n;
  return layout_.comm().sum(total);
}

void Percolator::Work::whole_flags(int slot, std::vector<std::uint8_t>& flags) const {
  parts::TileParts const& tile = tiles_[slot];
  flags = tile.flags;
  for (parts::Id b = 0; b < tile.borders.size(); ++b)
    flags[tile.borders[b]] = static_cast<std::uint8_t>(joins_.record(slot, b).flags);
}

bool Percolator::Work::wants_clusters(PercolationOptions const& o) const {
  return o.clusters || o.sizes || o.label || o.spanning || o.dangling || o.articulation;
}

void Percolator::Work::check_frame(core::FieldView<std::uint8_t const> const& cells) const {
  std::vector<std::int64_t> wrong(tiles_.size());
  core::for_each_tile_on_host("frame", layout_, [&](int slot) {
    std::int64_t& n = wrong[slot];
    percolation::Place const here = place(slot, 0);
    here.bars([&](int r, int x0, int x1, percolation::Flag) {
      for (int x = x0; x <= x1; ++x) n += cells(slot, 0, r, x) != 1;
    });
    here.sides([&](int r, int x0, int x1, percolation::Flag) {
      for (int x = x0; x <= x1; ++x) n += (here.inner(r, x >> 6) >> (x & 63) & 1) != 0 && cells(slot, 0, r, x) == 1;
    });
  });
  if (auto const n = sum(wrong); n > 0)
    throw core::Error(fmt::format(
        "the medium has {} cells of its frame in the wrong colour, expected black bars and white sides", n));
}

void Percolator::Work::prepare_fields(PercolationOptions const& options) {
  // fields of the last run are filled again, unless they were moved away
  PercolationResult last = std::move(result_);
  result_ = {};
  auto const keep = [&](bool wanted, std::unique_ptr<core::Field<std::uint8_t>> PercolationResult::*field,
                        char const* name, char const* description) {
    if (!wanted) return;
    result_.*field = std::move(last.*field);
    if (result_.*field == nullptr)
      result_.*field =
          std::make_unique<core::Field<std::uint8_t>>(core::FieldInfo{name, description, "1", {}}, layout_, 0);
  };
  keep(options.spanning, &PercolationResult::spanning, "spanning", "clusters that join bar to bar");
  keep(options.backbone, &PercolationResult::backbone, "backbone", "cells on some path from bar to bar");
  keep(options.dangling, &PercolationResult::dangling, "dangling", "cells of spanning clusters outside the backbone");
  keep(options.articulation, &PercolationResult::articulation, "articulation",
       "cells of spanning clusters whose removal cuts cells off the bars");
  keep(options.red, &PercolationResult::red, "red", "cells whose removal ends the spanning");
  if (!options.label) return;
  result_.label = std::move(last.label);
  core::FieldInfo const info{"label", "1 + smallest cell number of the cluster", "1", {}};
  if (result_.label != nullptr) return;
  if (grid_.total() > std::numeric_limits<std::int32_t>::max())
    result_.label = std::make_unique<core::Field<std::int64_t>>(info, layout_, 0);
  else
    result_.label = std::make_unique<core::Field<std::int32_t>>(info, layout_, 0);
}

void Percolator::Work::clear_masks() {
  for (auto* field : {&result_.spanning, &result_.backbone, &result_.dangling, &result_.articulation, &result_.red})
    if (*field != nullptr) (*field)->fill(0);
}

}  // namespace tessera::ca
