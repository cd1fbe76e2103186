// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/region.hpp"

#include "core/grid/sweep.hpp"
#include "run/models/percolation/settings.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <limits>

namespace tessera::run::percolation {
namespace {

/// So much, relatively, a middle may lie beyond a border, which it would lie on if places of cells were not rounded.
constexpr double rounding = 1e-9;

}  // namespace

Region::Region(Session& session, core::Dictionary& entry, std::array<core::Axis, 3> const& axes)
    : type_(entry.get_choice("type", {"cylinder", "box", "mask"})),
      solid_(entry.get_choice("outside", {"nothing", "solid"}, "nothing") == "solid"),
      entry_(&entry),
      log_(&session.log) {
  if (type_ == "mask") {
    mask_ = read_mask(session, entry, axes);
    return;
  }
  if (type_ == "cylinder")
    read_cylinder(axes);
  else
    read_box(axes);
  double nearest = 0;
  for (auto const& part : part_) nearest += *std::ranges::min_element(part);
  if (!(nearest <= most_)) fail("leaves no cell of the medium in the region: the middle of none lies there");
}

void Region::read_cylinder(std::array<core::Axis, 3> const& axes) {
  cylinder_ = entry_->get_choice("axis", {"x", "y", "z"}, "z")[0] - 'x';
  std::vector<std::size_t> across;
  for (std::size_t a = 0; a < 3; ++a)
    if (static_cast<int>(a) != cylinder_) across.push_back(a);
  std::array<double, 2> centre{};
  double fits = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < 2; ++n) {
    core::Axis const& axis = axes[across[n]];
    centre[n] = 0.5 * (axis.low() + axis.high());
    if (axis.cells() > 1) fits = std::min(fits, axis.length() / 2);
  }
  centre = entry_->get_or("centre", centre);
  double const radius = entry_->contains("radius") || std::isinf(fits) ? entry_->get_positive<double>("radius") : fits;
  most_ = radius * radius * (1 + rounding);
  part_[static_cast<std::size_t>(cylinder_)].assign(static_cast<std::size_t>(axes[cylinder_].cells()), 0);
  for (std::size_t n = 0; n < 2; ++n)
    for (core::Count i = 0; i < axes[across[n]].cells(); ++i) {
      double const d = axes[across[n]].centre(i) - centre[n];
      part_[across[n]].push_back(d * d);
    }
}

void Region::read_box(std::array<core::Axis, 3> const& axes) {
  auto const from = entry_->get<std::array<double, 3>>("from"), to = entry_->get<std::array<double, 3>>("to");
  for (std::size_t a = 0; a < 3; ++a) {
    if (!(from[a] <= to[a]))
      entry_->fail_entry(
          "to", fmt::format("is {} along {}, expected at least {}, where the box begins", to[a], "xyz"[a], from[a]));
    for (core::Count i = 0; i < axes[a].cells(); ++i) {
      double const x = axes[a].centre(i), near = rounding * axes[a].width(i);
      part_[a].push_back(from[a] - near <= x && x <= to[a] + near ? 0 : 1);
    }
  }
}

core::Report::Json Region::mark(core::Field<std::uint8_t>& inside) const {
  if (mask_) return mask_->load(inside, {0, 0, 0});
  core::Layout const& layout = inside.layout();
  core::for_each_on_host("region", layout, [&, to = inside.host()](int s, int k, int j, int i) {
    core::Index const x = layout.info(s).global(k, j, i);
    to(s, k, j, i) = part_[0][static_cast<std::size_t>(x.i)] + part_[1][static_cast<std::size_t>(x.j)] +
                                 part_[2][static_cast<std::size_t>(x.k)] <=
                             most_
                         ? 1
                         : 0;
  });
  return nullptr;
}

void Region::fail(std::string_view message) const {
  for (char const* key : {"radius", "centre", "to", "file"})
    if (entry_->contains(key)) entry_->fail_entry(key, message);
  entry_->fail_entry("type", message);
}

RegionCells::RegionCells(Region const& region, Places const& places, core::Layout const& layout)
    : inside({.name = "region", .description = "1 on the sites of the sample", .units = "1"}, layout, 0) {
  auto const mask = region.mark(inside);
  std::array<std::int64_t, 3> low, high;
  low.fill(std::numeric_limits<std::int64_t>::max());
  high.fill(-1);
  core::for_own_cells(layout, [&, here = inside.host()](int s, int k, int j, int i) {
    core::Index const x = layout.info(s).global(k, j, i);
    if (here(s, k, j, i) != 0 && places.at(x) == Place::nothing) here(s, k, j, i) = 0;
    if (here(s, k, j, i) == 0) return;
    ++sites;
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], core::along(x, a));
      high[a] = std::max(high[a], core::along(x, a));
    }
  });
  core::Comm const& comm = layout.comm();
  sites = comm.sum(sites);
  if (sites == 0) region.fail("leaves no site of the medium in the region");
  for (std::size_t a = 0; a < 3; ++a) {
    low[a] = comm.min(low[a]);
    high[a] = comm.max(high[a]) + 1;
  }
  box = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
  double const share = static_cast<double>(sites) / static_cast<double>(layout.grid().total());
  report = {{"type", region.type()}, {"sites", sites}, {"share", share}, {"box", {low, high}}};
  if (!mask.is_null()) report["mask"] = mask;
  region.log().line("Region: {}, {} sites ({:.2f} % of the cells), from ({}) to ({})", region.type(), sites,
                    100 * share, fmt::join(low, " "), fmt::join(high, " "));
}

void Settings::read_region(Session& session, core::Dictionary& properties) {
  if (!properties.contains("region")) return;
  if (input.bonds) properties.fail_entry("region", "is for sites, expected an input of type random or picture");
  region.emplace(session, properties.sub("region"), axes);
}

/// A cylinder in space has its ends along its axis.
void Settings::expect_ends_of_region(core::Dictionary const& properties) const {
  if (!region || region->cylinder() < 0 || axes[2].cells() == 1) return;
  for (auto const& crossing : crossings)
    for (auto const* port : {&crossing.inlet, &crossing.outlet}) {
      if (!crossing.ends() || !port->side || static_cast<int>(*port->side) / 2 == region->cylinder()) continue;
      char const along = "xyz"[region->cylinder()];
      for (char const* key : {"direction", port == &crossing.inlet ? "inlet" : "outlet"})
        if (properties.contains(key))
          properties.fail_entry(key, fmt::format("leads to the mantle of the region, a cylinder along {}; expected its "
                                                 "ends, along {}, or masks as inlet and outlet",
                                                 along, along));
      properties.fail_entry("region", fmt::format("is a cylinder along {}, expected one along {}, the direction, or "
                                                  "direction {}",
                                                  along, crossing.name, along));
    }
}

}  // namespace tessera::run::percolation
