// SPDX-License-Identifier: Apache-2.0
#include "ca/backbones.hpp"
#include "ca/clusters.hpp"
#include "core/grid/sweep.hpp"
#include "run/models/percolation/method.hpp"

#include <optional>
#include <utility>

namespace tessera::run::percolation::methods {
namespace detail {

struct Without {
  core::FieldView<std::uint8_t const> all, less;
  core::FieldView<std::uint8_t> rest;
  KOKKOS_FUNCTION void operator()(int s, int k, int j, int i) const {
    rest(s, k, j, i) = all(s, k, j, i) != 0 && less(s, k, j, i) == 0;
  }
};

struct OnBonds {
  core::FieldView<std::uint8_t const> mask;
  core::TileInfo const* info;
  core::Index origin;
  Places places;
  KOKKOS_FUNCTION std::int64_t operator()(int s, int k, int j, int i) const {
    return mask(s, k, j, i) != 0 && places.at(info[s].global(k, j, i) - origin) == Place::bond;
  }
};

}  // namespace detail

namespace {

using Mask = core::Field<std::uint8_t>;

std::unique_ptr<Mask> dangling_ends(Mask const& spanning, Mask const& backbone) {
  auto rest = std::make_unique<Mask>(
      core::FieldInfo{"dangling", "sites of spanning clusters off the backbone", "1", {}}, spanning.layout(), 0);
  core::for_each("dangling", spanning.layout().all(), detail::Without{spanning.view(), backbone.view(), rest->view()});
  return rest;
}

}  // namespace

/// Any lattice, open and periodic axes, any inlet and outlet: by clusters, and by blocks region by region.
class OnLattice final : public Method {
 public:
  void start(Settings const& settings, Medium const& medium, core::Layout const& layout) override {
    settings_ = &settings;
    medium_ = &medium;
    finder_.emplace(layout);
  }
  Crossed cross(Query const& query) override;

 private:
  Settings const* settings_ = nullptr;
  Medium const* medium_ = nullptr;
  std::optional<ca::ClusterFinder> finder_;
};

Crossed OnLattice::cross(Query const& query) {
  Settings const& settings = *settings_;
  Crossing const& crossing = query.crossing;
  Ends const* const ends = query.ends;
  Mask const& occupied = query.occupied;
  Findings& findings = query.findings;
  bool const bonds = settings.input.bonds, first = query.first(),
             dangling = settings.keeps("dangling") && settings.backbone;
  bool const mask =
      settings.keeps("spanning") || dangling || settings.verify || (settings.conductivity && !settings.backbone);
  // a region has its ends where it lies, not at the sides of the grid
  bool const by_sides = !medium_->region;
  bool const ported = crossing.axis < 0 || (crossing.ends() && !by_sides);
  auto clusters = finder_->run(occupied, {.lattice = settings.lattice,
                                          .inlet = ported ? ends->inlet.get() : nullptr,
                                          .outlet = ported ? ends->outlet.get() : nullptr,
                                          .label = settings.wants_labels() && first,
                                          .spanning = mask && !ported,
                                          .axis = crossing.axis,
                                          .connecting = mask && ported});
  if (first) {
    double const occupation =
        settings.input.bonds
            ? static_cast<double>(clusters.sites - medium_->sites) / static_cast<double>(medium_->bonds)
            : static_cast<double>(clusters.sites) / static_cast<double>(medium_->sites);
    findings.add("occupation", occupation);
    if (settings.conductivity && !settings.input.bonds) findings.add("porosity", occupation);
    findings.count("clusters", clusters.clusters);
    findings.count("largestCluster", clusters.largest);
    findings.sizes = std::move(clusters.sizes);
    findings.label = std::move(clusters.label);
  }
  auto const axis = static_cast<std::size_t>(ported ? 0 : crossing.axis);
  auto const spanning = ported              ? clusters.connecting
                        : crossing.periodic ? clusters.wrapping[axis]
                                            : clusters.spanning[axis];
  Crossed found;
  found.name = crossing.name;
  found.spans = static_cast<bool>(spanning);
  found.flag(crossing.periodic ? "wraps" : "spans", found.spans);
  found.count(crossing.periodic ? "wrappingClusters" : "spanningClusters", spanning.clusters);
  found.count(crossing.periodic ? "wrappingSites" : "spanningSites", spanning.sites);
  found.spanning = std::move(ported ? clusters.connecting_mask : clusters.spanning_mask);
  if (ported && found.spanning) found.spanning->rename("spanning");
  if (!crossing.ends() || !settings.backbone) return found;

  auto const cells = [by_sides](Port const& port, Mask const* mask) {
    return port.side && by_sides ? ca::EndCells(*port.side) : ca::EndCells(*mask);
  };
  auto blocks =
      ca::backbone_between(occupied, cells(crossing.inlet, ends ? ends->inlet.get() : nullptr),
                           cells(crossing.outlet, ends ? ends->outlet.get() : nullptr), settings.lattice,
                           {.backbone = settings.keeps("backbone") || dangling || settings.conductivity || bonds,
                            .articulation = settings.keeps("articulation"),
                            .red = settings.keeps("red") || bonds});
  if (bonds) {
    auto const count = [&](char const* as_sites, char const* as_bonds, std::int64_t all, Mask const& mask) {
      core::Tiles const& tiles = occupied.layout().all();
      auto const of_bonds =
          core::count("bonds", occupied.layout(),
                      detail::OnBonds{mask.view(), tiles.info.data(), medium_->interior.lo, medium_->places});
      found.count(as_sites, all - of_bonds);
      found.count(as_bonds, of_bonds);
    };
    // nothing is marked where nothing spans
    count("backboneSites", "backboneBonds", blocks.backbone_sites, *blocks.backbone);
    count("redSites", "redBonds", blocks.red_sites, *blocks.red);
    if (dangling) found.dangling = dangling_ends(*found.spanning, *blocks.backbone);
    found.backbone = std::move(blocks.backbone);
    found.articulation = std::move(blocks.articulation);
    if (settings.keeps("red")) found.red = std::move(blocks.red);
    return found;
  }
  found.count("backboneSites", blocks.backbone_sites);
  found.count("danglingSites", spanning.sites - blocks.backbone_sites);
  found.count("articulationSites", blocks.articulation_sites);
  found.count("redSites", blocks.red_sites);
  if (dangling) found.dangling = dangling_ends(*found.spanning, *blocks.backbone);
  found.backbone = std::move(blocks.backbone);
  found.articulation = std::move(blocks.articulation);
  found.red = std::move(blocks.red);
  return found;
}

[[maybe_unused]] static bool const added =
    add_method<OnLattice>("lattice", "exact, from labels and a search for blocks: any lattice, axes, inlet and outlet");

}  // namespace tessera::run::percolation::methods
