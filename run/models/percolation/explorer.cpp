// SPDX-License-Identifier: Apache-2.0
#include "run/models/percolation/explorer.hpp"

#include "ca/distances.hpp"
#include "core/error.hpp"
#include "core/grid/sweep.hpp"
#include "run/input/within.hpp"
#include "run/models/percolation/analysis.hpp"

#include <array>
#include <limits>
#include <utility>

namespace tessera::run::percolation {
namespace detail {

struct InBox {
  core::FieldView<std::uint8_t> mask;
  core::TileInfo const* info;
  core::Box box;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    core::Index const x = info[s].global(k, j, i);
    // without a branch, so that a row is one pass of vectors
    mask(s, k, j, i) = static_cast<std::uint8_t>((x.i >= box.lo.i) & (x.i < box.hi.i) & (x.j >= box.lo.j) &
                                                 (x.j < box.hi.j) & (x.k >= box.lo.k) & (x.k < box.hi.k));
  }
};

}  // namespace detail

namespace {

using Mask = core::Field<std::uint8_t>;
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

/// The layer of cells of a box beside a side.
core::Box beside(core::Box box, core::Side side) {
  std::array const along{&core::Index::i, &core::Index::j, &core::Index::k};
  auto const axis = along[static_cast<int>(side) / 2];
  if (static_cast<int>(side) % 2 == 1)
    box.lo.*axis = box.hi.*axis - 1;
  else
    box.hi.*axis = box.lo.*axis + 1;
  return box;
}

}  // namespace

Explorer::Explorer(Settings const& settings, Medium const& medium, core::Layout const& layout)
    : settings_(settings),
      medium_(medium),
      layout_(layout) {
  for (Crossing const& crossing : settings.crossings)
    ends_.push_back(settings.needs_ends(crossing) ? std::optional(ends_of(crossing)) : std::nullopt);
  if (settings.shortest_path && !medium.region && !medium.places.all()) {
    full_ = std::make_unique<Mask>("full", layout_, 0, std::uint8_t{1});
    medium.leave_out(*full_);
  }
  settings.method->start(settings, medium, layout);
}

Ends Explorer::ends_of(Crossing const& crossing) {
  Ends ends{std::make_unique<Mask>("inlet", layout_, 0), std::make_unique<Mask>("outlet", layout_, 0), false, {}, {}};
  auto const fill = [&](Port const& port, Mask& mask, core::Box& box, core::Report::Json& found) {
    if (port.mask) {
      found = port.mask->load(mask, medium_.input.lo);
      ends.masks = true;
      return;
    }
    box = beside(medium_.bounds, *port.side);
    core::for_each("port", layout_.all(), detail::InBox{mask.view(), layout_.all().info.data(), box});
  };
  fill(crossing.inlet, *ends.inlet, ends.inlet_box, inlet_);
  fill(crossing.outlet, *ends.outlet, ends.outlet_box, outlet_);
  if (medium_.region)
    for (Mask* mask : {ends.inlet.get(), ends.outlet.get()}) keep_within(*mask, medium_.region->inside);
  if (medium_.places.bonds)  // ways begin and end at sites
    for (Mask* mask : {ends.inlet.get(), ends.outlet.get()})
      core::for_each_on_host("ends", layout_, [&, v = mask->host()](int s, int k, int j, int i) {
        if (medium_.places.at(layout_.info(s).global(k, j, i) - medium_.interior.lo) != Place::site) v(s, k, j, i) = 0;
      });
  return ends;
}

void Explorer::describe_ports(core::Report& report) const {
  if (!inlet_.is_null()) report["inlet"] = inlet_;
  if (!outlet_.is_null()) report["outlet"] = outlet_;
}

std::vector<std::string> Explorer::mask_hashes() const {
  std::vector<std::string> hashes;
  if (medium_.region) hashes.push_back("region " + core::hash(medium_.region->inside));
  for (auto const& ends : ends_)
    if (ends && ends->masks)
      for (Mask const* mask : {ends->inlet.get(), ends->outlet.get()})
        hashes.push_back(mask->name() + "Mask " + core::hash(*mask));
  return hashes;
}

Findings Explorer::operator()(Mask& occupied, core::Random random) {
  Findings findings;
  for (std::size_t n = 0; n < settings_.crossings.size(); ++n) {
    Crossing const& crossing = settings_.crossings[n];
    findings.crossings.push_back(
        settings_.method->cross({crossing, ends_[n] ? &*ends_[n] : nullptr, occupied, random, findings}));
    Crossed& found = findings.crossings.back();
    if (!ends_[n]) continue;
    if (settings_.shortest_path) add_path(*ends_[n], occupied, found);
    if (settings_.conductivity) {
      Mask const* conducting = found.backbone ? found.backbone.get() : found.spanning.get();
      core::expect(conducting != nullptr, "conduction needs the backbone or the spanning clusters");
      add_currents(crossing, *ends_[n], findings.common.front().value, *conducting, found);
    }
  }
  add_wrapping(findings);
  Subject const subject{settings_, medium_, occupied, findings.label.get()};
  for (auto const& analysis : settings_.analyses) {
    analysis->look(subject, findings);
    for (std::size_t n = 0; n < settings_.crossings.size(); ++n)
      if (ends_[n]) analysis->look_across(subject, settings_.crossings[n], *ends_[n], findings.crossings[n]);
  }
  for (Crossed& c : findings.crossings) {
    // masks that were needed on the way; the story of the published automata shows the spanning clusters
    if (!settings_.keeps("spanning") && !settings_.keeps("marked")) c.spanning.reset();
    if (!settings_.keeps("backbone")) c.backbone.reset();
    if (findings.crossings.size() < 2) continue;
    // NAME_DIRECTION
    for (auto* mask : {&c.spanning, &c.backbone, &c.dangling, &c.articulation, &c.red, &c.marked})
      if (*mask) (*mask)->rename((*mask)->name() + "_" + c.name);
    for (auto const& field : c.more) field->rename(field->name() + "_" + c.name);
    for (auto& table : c.tables) table.name += "_" + c.name;
  }
  return findings;
}

/// On a torus, with all directions: whether something wraps round either axis, and round both.
void Explorer::add_wrapping(Findings& findings) const {
  if (findings.crossings.size() < 2) return;
  bool either = false, both = true;
  for (std::size_t n = 0; n < findings.crossings.size(); ++n) {
    if (!settings_.crossings[n].periodic) return;
    either = either || findings.crossings[n].spans;
    both = both && findings.crossings[n].spans;
  }
  findings.common.push_back({"wrapsAny", Quantity::Kind::flag, either ? 1.0 : 0.0, false});
  findings.common.push_back({"wrapsAll", Quantity::Kind::flag, both ? 1.0 : 0.0, false});
}

/// Sites on a shortest path from end to end, and how much longer it is than a straight one.
void Explorer::add_path(Ends const& ends, Mask const& occupied, Crossed& found) const {
  ca::ShortestPath path;
  if (found.spans)
    path = ca::shortest_path(occupied, *ends.inlet, *ends.outlet, settings_.lattice,
                             full_ ? full_.get() : medium_.inside());
  double sites = static_cast<double>(path.sites), tortuosity = path.tortuosity;
  if (settings_.input.bonds && path.sites > 0) {  // a cell each for sites and the bonds between them
    double const straight = sites / tortuosity;
    sites = (sites + 1) / 2;
    tortuosity = sites / ((straight + 1) / 2);
  }
  found.quantities.push_back({"shortestPath", Quantity::Kind::count, path.sites > 0 ? sites : undefined});
  found.add("tortuosity", path.sites > 0 ? tortuosity : undefined);
}

}  // namespace tessera::run::percolation
